/* SPDX-License-Identifier: Apache-2.0
 * Fire ellipses to Randers metrics and back, and the derivatives.
 *
 * u = (c, s) is the heading and n = (-s, c) is across, so that with the angle t of u
 * du = n dt and dn = -u dt.  Derivatives by the entries of a symmetric matrix are those by
 * the parameters m11, m12, m22. */
#include <math.h>

#include "convert/form.h"
#include "convert/heading.h"
#include "convert/step.h"

/* u u', n n' and u n' + n u', each as (11, 12, 22). */
typedef struct axes {
    double uu[3], nn[3], un[3];
} axes;

static axes axes_of(zm_frame f)
{
    const double cc = f.c * f.c, ss = f.s * f.s, cs = f.c * f.s;

    return (axes){ { cc, cs, ss }, { ss, -cs, cc }, { -2 * cs, cc - ss, 2 * cs } };
}

static double along(const double axis[3], const double A[3])
{
    return axis[0] * A[0] + axis[1] * A[1] + axis[2] * A[2];
}

/* v' A v for the axis v v' and the symmetric matrix A. */
static double form_of(const double axis[3], const double A[3])
{
    return axis[0] * A[0] + 2 * axis[1] * A[1] + axis[2] * A[2];
}

/* Head Rh, flank Rf, back Rb:  G = alpha^2 u u' + gamma n n',  b = beta u  with
 *
 *     alpha = (1/Rb + 1/Rh)/2,   beta = (1/Rb - 1/Rh)/2,
 *     gamma = (Rh + Rb)^2/(4 Rf^2 Rh Rb) = alpha (Rh + Rb)/(2 Rf^2),
 *
 * that is mu = Rh Rb/((Rh + Rb)/2)^2, and F(u) = alpha - beta = 1/Rh. */
typedef struct ellipse_metric {
    double alpha, beta, gamma;
} ellipse_metric;

static ellipse_metric ellipse_metric_of(const double *x)
{
    const double head = x[0], flank = x[1], back = x[2];
    const double alpha = 0.5 / back + 0.5 / head;

    return (ellipse_metric){ alpha, (head - back) / head * (0.5 / back),
                             alpha / flank * (0.5 * (head + back) / flank) };
}

static void ellipse_to_randers(const double *x, zm_heading heading, double *y)
{
    const zm_frame f = zm_frame_of(x[3], heading);
    const axes a = axes_of(f);
    const ellipse_metric m = ellipse_metric_of(x);

    for (int i = 0; i < 3; i += 2)
        y[i] = m.alpha * m.alpha * a.uu[i] + m.gamma * a.nn[i];
    y[1] = (m.alpha * m.alpha - m.gamma) * a.uu[1];
    y[3] = m.beta * f.c;
    y[4] = m.beta * f.s;
}

/* d gamma/gamma = skew (dRh/Rh - dRb/Rb) - 2 dRf/Rf  with skew = (Rh - Rb)/(Rh + Rb). */
static double skew_of(const double *x)
{
    return (x[0] - x[2]) / (x[0] + x[2]);
}

static void push_ellipse_to_randers(const double *x, zm_heading heading,
                                    const double *dx, double *dy)
{
    const zm_frame f = zm_frame_of(x[3], heading);
    const axes a = axes_of(f);
    const ellipse_metric m = ellipse_metric_of(x);
    const double head = dx[0] / x[0], flank = dx[1] / x[1], back = dx[2] / x[2];
    const double d_alpha = -0.5 * (back / x[2] + head / x[0]);
    const double d_beta = -0.5 * (back / x[2] - head / x[0]);
    const double d_gamma = m.gamma * (skew_of(x) * (head - back) - 2 * flank);
    const double dt = dx[3] / f.per_radian;

    for (int i = 0; i < 3; i++)
        dy[i] = 2 * m.alpha * d_alpha * a.uu[i] + d_gamma * a.nn[i] +
                (m.alpha * m.alpha - m.gamma) * dt * a.un[i];
    dy[3] = d_beta * f.c - m.beta * dt * f.s;
    dy[4] = d_beta * f.s + m.beta * dt * f.c;
}

static void pull_ellipse_to_randers(const double *x, zm_heading heading,
                                    const double *cy, double *cx)
{
    const zm_frame f = zm_frame_of(x[3], heading);
    const axes a = axes_of(f);
    const ellipse_metric m = ellipse_metric_of(x);
    const double alpha = 2 * m.alpha * along(a.uu, cy);
    const double beta = f.c * cy[3] + f.s * cy[4];
    const double gamma = m.gamma * along(a.nn, cy); /* times gamma */
    const double turned = f.c * cy[4] - f.s * cy[3], skew = skew_of(x);

    cx[0] = (-0.5 * (alpha - beta) / x[0] + skew * gamma) / x[0];
    cx[1] = -2 * gamma / x[1];
    cx[2] = (-0.5 * (alpha + beta) / x[2] - skew * gamma) / x[2];
    cx[3] = ((m.alpha * m.alpha - m.gamma) * along(a.un, cy) + m.beta * turned) /
            f.per_radian;
}

/* Head Rh, length-to-breadth LB:  G = I/p^2,  b = (e/p) u  with e = sqrt(1 - 1/LB^2) and
 * p = Rh (1 - e), where 1 - e = 1/(LB^2 (1 + e)) does not cancel. */
typedef struct focus_metric {
    double e, less; /* 1 - e */
    double slope;   /* de/dLB; 0 at LB = 1, where there is none */
    double p;
} focus_metric;

static focus_metric focus_metric_of(const double *x)
{
    const double LB = x[1], e = sqrt((LB - 1) * (LB + 1)) / LB;
    const double less = 1 / LB / LB / (1 + e);

    return (focus_metric){ e, less, e > 0 ? 1 / (LB * LB * LB * e) : 0, x[0] * less };
}

static void focus_to_randers(const double *x, zm_heading heading, double *y)
{
    const zm_frame f = zm_frame_of(x[2], heading);
    const focus_metric m = focus_metric_of(x);

    y[0] = y[2] = 1 / m.p / m.p;
    y[1] = 0;
    y[3] = m.e / m.p * f.c;
    y[4] = m.e / m.p * f.s;
}

static void push_focus_to_randers(const double *x, zm_heading heading, const double *dx,
                                  double *dy)
{
    const zm_frame f = zm_frame_of(x[2], heading);
    const focus_metric m = focus_metric_of(x);
    const double de = m.slope * dx[1], dt = dx[2] / f.per_radian;
    const double log_p = dx[0] / x[0] - de / m.less; /* dp/p */
    const double size = (de - m.e * log_p) / m.p, turn = m.e / m.p * dt;

    dy[0] = dy[2] = -2 * log_p / m.p / m.p;
    dy[1] = 0;
    dy[3] = size * f.c - turn * f.s;
    dy[4] = size * f.s + turn * f.c;
}

static void pull_focus_to_randers(const double *x, zm_heading heading, const double *cy,
                                  double *cx)
{
    const zm_frame f = zm_frame_of(x[2], heading);
    const focus_metric m = focus_metric_of(x);
    const double size = (f.c * cy[3] + f.s * cy[4]) / m.p;
    const double turn = (f.c * cy[4] - f.s * cy[3]) / m.p;
    const double log_p = -2 * (cy[0] + cy[2]) / m.p / m.p - m.e * size;

    cx[0] = log_p / x[0];
    cx[1] = (size - log_p / m.less) * m.slope;
    cx[2] = m.e * turn / f.per_radian;
}

/* What h and W are along the heading u = W/|W|. */
typedef struct spread {
    zm_frame f;
    double speed;      /* |W| */
    double h_uu, h_un; /* u' h u, u' h n */
    double reach;      /* 1/sqrt(h_uu): half the chord of the ellipse along u */
    double det, flank;
} spread;

/* Where W = 0: along the longer axis, the eigenvector of the smaller eigenvalue of h, whose
 * angle t has (cos 2t, sin 2t) ~ -((h11 - h22)/2, h12). */
static zm_frame heading_of_wind(const double *x, double speed)
{
    double t;

    if (speed > 0)
        return (zm_frame){ x[3] / speed, x[4] / speed, 1 };
    t = 0.5 * atan2(0 - x[1], 0.5 * x[2] - 0.5 * x[0]);
    return (zm_frame){ cos(t), sin(t), 1 };
}

static spread spread_of(const double *x, zm_heading heading)
{
    const double speed = hypot(x[3], x[4]);
    spread s = { .f = heading_of_wind(x, speed), .speed = speed };
    const double unit[ZM_FORM_PLANES] = { x[0], x[1], x[2], s.f.c, s.f.s };
    const zm_zermelo_terms along_u = zm_zermelo_terms_of(unit);

    s.f.per_radian = heading == ZM_HEADING_MATH ? 1 : ZM_DEGREES_PER_RADIAN;
    s.h_uu = along_u.norm2;
    s.h_un = s.f.c * along_u.w2 - s.f.s * along_u.w1;
    s.reach = 1 / sqrt(s.h_uu);
    s.det = zm_determinant(x);
    s.flank = sqrt(s.h_uu / s.det);
    return s;
}

double zm_zermelo_tilt(const double *x)
{
    const spread s = spread_of(x, ZM_HEADING_MATH);
    const double h_nn = form_of(axes_of(s.f).nn, x);

    return s.speed > 0 ? fabs(s.h_un) / sqrt(s.h_uu) / sqrt(h_nn) : 0;
}

/* The chord through the origin along u runs from -back to head:
 *
 *     head = reach + |W|,   back = reach - |W| = mu reach^2/head,   reach = 1/sqrt(h_uu)
 *
 * and half the breadth is flank = sqrt(n' h^-1 n) = sqrt(h_uu/det h). */
static void zermelo_to_ellipse(const double *x, zm_heading heading, double *y)
{
    const spread s = spread_of(x, heading);
    const double head = s.reach + s.speed;

    y[0] = head;
    y[1] = s.flank;
    y[2] = s.reach * (s.reach / head) * zm_zermelo_terms_of(x).mu;
    y[3] = zm_heading_of(s.f.c, s.f.s, heading);
}

static void push_zermelo_to_ellipse(const double *x, zm_heading heading,
                                    const double *dx, double *dy)
{
    const spread s = spread_of(x, heading);
    const double speed = s.f.c * dx[3] + s.f.s * dx[4];
    const double across = s.f.c * dx[4] - s.f.s * dx[3];
    const double dt = s.speed > 0 ? across / s.speed : 0;
    const double d_uu = form_of(axes_of(s.f).uu, dx) + 2 * s.h_un * dt;
    const double d_det = x[2] * dx[0] - 2 * x[1] * dx[1] + x[0] * dx[2];
    const double reach = -0.5 * s.reach * d_uu / s.h_uu;

    dy[0] = reach + speed;
    dy[1] = 0.5 * s.flank * (d_uu / s.h_uu - d_det / s.det);
    dy[2] = reach - speed;
    dy[3] = dt * s.f.per_radian;
}

static void pull_zermelo_to_ellipse(const double *x, zm_heading heading,
                                    const double *cy, double *cx)
{
    const spread s = spread_of(x, heading);
    const axes a = axes_of(s.f);
    const double flank = 0.5 * s.flank * cy[1], speed = cy[0] - cy[2];
    const double uu = (flank - 0.5 * s.reach * (cy[0] + cy[2])) / s.h_uu;
    const double det = -flank / s.det;
    const double t = cy[3] * s.f.per_radian + 2 * s.h_un * uu;
    const double across = s.speed > 0 ? t / s.speed : 0;

    cx[0] = uu * a.uu[0] + det * x[2];
    cx[1] = 2 * (uu * a.uu[1] - det * x[1]);
    cx[2] = uu * a.uu[2] + det * x[0];
    cx[3] = speed * s.f.c - across * s.f.s;
    cx[4] = speed * s.f.s + across * s.f.c;
}

const zm_step zm_step_ellipse_randers = { ZM_FORM_ELLIPSE, ZM_FORM_RANDERS,
                                          ellipse_to_randers, push_ellipse_to_randers,
                                          pull_ellipse_to_randers };
const zm_step zm_step_focus_randers = { ZM_FORM_FOCUS, ZM_FORM_RANDERS,
                                        focus_to_randers, push_focus_to_randers,
                                        pull_focus_to_randers };
const zm_step zm_step_zermelo_ellipse = { ZM_FORM_ZERMELO, ZM_FORM_ELLIPSE,
                                          zermelo_to_ellipse, push_zermelo_to_ellipse,
                                          pull_zermelo_to_ellipse };
