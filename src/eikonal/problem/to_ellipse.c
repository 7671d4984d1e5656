/* SPDX-License-Identifier: Apache-2.0
 * Randers and Zermelo forms to fire ellipses, and the derivatives.
 *
 * u = (c, s) is the heading, along W, and n = (-s, c) is across.  The chord of the ellipse
 * through the point where it was lit runs from -back u to head u, and flank is half the
 * breadth across u.  Without wind u is the longer axis and is taken as constant. */
#include <math.h>

#include "eikonal/problem/form.h"
#include "eikonal/problem/form_step.h"
#include "eikonal/problem/heading.h"

/* v' A v with v = (v1, v2). */
static double form_of(const double A[3], double v1, double v2)
{
    return A[0] * v1 * v1 + 2 * A[1] * v1 * v2 + A[2] * v2 * v2;
}

/* The heading of the vector v; where that is 0 the longer axis of { u : u' m u = 1 }, the
 * eigenvector of the smaller eigenvalue, whose angle t has
 * (cos 2t, sin 2t) ~ -((m11 - m22)/2, m12). */
static zm_frame frame_along(const double v[2], const double m[3], zm_heading heading)
{
    const double length = hypot(v[0], v[1]);
    const double unit = heading == ZM_HEADING_MATH ? 1 : ZM_DEGREES_PER_RADIAN;
    double t;

    if (length > 0)
        return (zm_frame){ v[0] / length, v[1] / length, unit };
    t = 0.5 * atan2(0 - m[1], 0.5 * m[2] - 0.5 * m[0]);
    return (zm_frame){ cos(t), sin(t), unit };
}

/* u' m u and u' m n, each to a rounding or two. */
typedef struct rows {
    double uu, un;
} rows;

static rows rows_along(const double m[3], zm_frame f)
{
    const double x[ZM_FORM_PLANES] = { m[0], m[1], m[2], f.c, f.s };
    const zm_zermelo_terms mu = zm_form_zermelo_terms(x);

    return (rows){ mu.norm2, f.c * mu.w2 - f.s * mu.w1 };
}

static double tilt_along(const double m[3], zm_frame f)
{
    const rows m_u = rows_along(m, f);

    return fabs(m_u.un) / sqrt(m_u.uu) / sqrt(form_of(m, -f.s, f.c));
}

/* From h and W:
 *
 *     head = reach + |W|,   back = reach - |W| = mu reach^2/head,   reach = 1/sqrt(h_uu)
 *     flank = sqrt(n' h^-1 n) = sqrt(h_uu/det h). */
typedef struct zermelo_spread {
    zm_frame f;
    rows h;
    double speed; /* |W| */
    double reach, det, flank;
} zermelo_spread;

static zermelo_spread zermelo_spread_of(const double *x, zm_heading heading)
{
    const zm_frame f = frame_along(x + 3, x, heading);
    const rows h = rows_along(x, f);
    const double det = zm_form_determinant(x);

    return (zermelo_spread){ .f = f,
                             .h = h,
                             .speed = hypot(x[3], x[4]),
                             .reach = 1 / sqrt(h.uu),
                             .det = det,
                             .flank = sqrt(h.uu / det) };
}

static double zermelo_tilt(const double *x)
{
    return tilt_along(x, frame_along(x + 3, x, ZM_HEADING_MATH));
}

static void zermelo_to_ellipse(const double *x, zm_heading heading, double *y)
{
    const zermelo_spread s = zermelo_spread_of(x, heading);

    y[0] = s.reach + s.speed;
    y[1] = s.flank;
    y[2] = s.reach * (s.reach / y[0]) * zm_form_zermelo_terms(x).mu;
    y[3] = zm_heading_of(s.f.c, s.f.s, heading);
}

static void push_zermelo_to_ellipse(const double *x, zm_heading heading,
                                    const double *dx, double *dy)
{
    const zermelo_spread s = zermelo_spread_of(x, heading);
    const double speed = s.f.c * dx[3] + s.f.s * dx[4];
    const double across = s.f.c * dx[4] - s.f.s * dx[3];
    const double dt = s.speed > 0 ? across / s.speed : 0;
    const double uu = form_of(dx, s.f.c, s.f.s) + 2 * s.h.un * dt;
    const double det = x[2] * dx[0] - 2 * x[1] * dx[1] + x[0] * dx[2];
    const double reach = -0.5 * s.reach * uu / s.h.uu;

    dy[0] = reach + speed;
    dy[1] = 0.5 * s.flank * (uu / s.h.uu - det / s.det);
    dy[2] = reach - speed;
    dy[3] = dt * s.f.per_radian;
}

static void pull_zermelo_to_ellipse(const double *x, zm_heading heading,
                                    const double *cy, double *cx)
{
    const zermelo_spread s = zermelo_spread_of(x, heading);
    const double flank = 0.5 * s.flank * cy[1], speed = cy[0] - cy[2];
    const double uu = (flank - 0.5 * s.reach * (cy[0] + cy[2])) / s.h.uu;
    const double det = -flank / s.det;
    const double t = cy[3] * s.f.per_radian + 2 * s.h.un * uu;
    const double across = s.speed > 0 ? t / s.speed : 0;

    cx[0] = uu * s.f.c * s.f.c + det * x[2];
    cx[1] = 2 * (uu * s.f.c * s.f.s - det * x[1]);
    cx[2] = uu * s.f.s * s.f.s + det * x[0];
    cx[3] = speed * s.f.c - across * s.f.s;
    cx[4] = speed * s.f.s + across * s.f.c;
}

/* From G and b, with y = adj(G) b along W, sigma = sqrt(u' G u), rho = |b|_{G^-1},
 * b.u = rho sigma, H = G - b b':
 *
 *     head = 1/F(u)  = 1/(sigma - b.u) = (1 + rho)/(sigma mu)
 *     back = 1/F(-u) = 1/(sigma + b.u),      flank = sigma/sqrt(det H). */
typedef struct randers_spread {
    zm_frame f;
    zm_randers_terms terms;
    rows G;
    double length;        /* |y| */
    double sigma, across; /* across: b.n */
    double head, flank, back;
} randers_spread;

static randers_spread randers_spread_of(const double *x, zm_heading heading)
{
    const zm_randers_terms r = zm_form_randers_terms(x);
    const double y[2] = { r.y1, r.y2 };
    const zm_frame f = frame_along(y, x, heading);
    const rows G = rows_along(x, f);
    const double sigma = sqrt(G.uu);
    const double rho = sqrt((x[3] * x[3] + r.y2 * r.y2 / r.det_G) / x[0]);
    const double back = 1 / (sigma * (1 + rho)), head = (1 + rho) / (sigma * r.mu);

    return (randers_spread){ .f = f,
                             .terms = r,
                             .G = G,
                             .length = hypot(r.y1, r.y2),
                             .sigma = sigma,
                             .across = f.c * x[4] - f.s * x[3],
                             .head = fmax(head, back), /* rho = 0, but for rounding */
                             .flank = sigma / sqrt(r.det_H),
                             .back = back };
}

static double randers_tilt(const double *x)
{
    const zm_randers_terms r = zm_form_randers_terms(x);
    const double y[2] = { r.y1, r.y2 }, H[3] = { r.H11, r.H12, r.H22 };

    return tilt_along(H, frame_along(y, x, ZM_HEADING_MATH));
}

static void randers_to_ellipse(const double *x, zm_heading heading, double *y)
{
    const randers_spread s = randers_spread_of(x, heading);

    y[0] = s.head;
    y[1] = s.flank;
    y[2] = s.back;
    y[3] = zm_heading_of(s.f.c, s.f.s, heading);
}

/* dt = n.dy/|y|,  dsigma = (u' dG u + 2 G_un dt)/(2 sigma),  d(b.u) = u.db + b.n dt,
 * dhead = -head^2 (dsigma - d(b.u)),  dback = -back^2 (dsigma + d(b.u)). */
static void push_randers_to_ellipse(const double *x, zm_heading heading,
                                    const double *dx, double *dy)
{
    const randers_spread s = randers_spread_of(x, heading);
    const zm_randers_terms *r = &s.terms;
    const double *b = x + 3, *db = dx + 3;
    const double dy1 = dx[2] * b[0] - dx[1] * b[1] + x[2] * db[0] - x[1] * db[1];
    const double dy2 = dx[0] * b[1] - dx[1] * b[0] + x[0] * db[1] - x[1] * db[0];
    const double dt = s.length > 0 ? (s.f.c * dy2 - s.f.s * dy1) / s.length : 0;
    const double sigma = (0.5 * form_of(dx, s.f.c, s.f.s) + s.G.un * dt) / s.sigma;
    const double drift = s.f.c * db[0] + s.f.s * db[1] + s.across * dt;
    const double H11 = dx[0] - 2 * b[0] * db[0], H22 = dx[2] - 2 * b[1] * db[1];
    const double H12 = dx[1] - b[0] * db[1] - b[1] * db[0];
    const double det = r->H22 * H11 - 2 * r->H12 * H12 + r->H11 * H22;

    dy[0] = -s.head * s.head * (sigma - drift);
    dy[1] = s.flank * (sigma / s.sigma - 0.5 * det / r->det_H);
    dy[2] = -s.back * s.back * (sigma + drift);
    dy[3] = dt * s.f.per_radian;
}

static void pull_randers_to_ellipse(const double *x, zm_heading heading,
                                    const double *cy, double *cx)
{
    const randers_spread s = randers_spread_of(x, heading);
    const zm_randers_terms *r = &s.terms;
    const double head = s.head * s.head * cy[0], back = s.back * s.back * cy[2];
    const double sigma = s.flank * cy[1] / s.sigma - head - back, drift = head - back;
    const double det = -0.5 * s.flank * cy[1] / r->det_H, uu = 0.5 * sigma / s.sigma;
    const double t =
        cy[3] * s.f.per_radian + s.G.un * sigma / s.sigma + drift * s.across;
    const double k = s.length > 0 ? t / s.length : 0, y1 = -k * s.f.s, y2 = k * s.f.c;

    cx[0] = uu * s.f.c * s.f.c + det * r->H22 + y2 * x[4];
    cx[1] = 2 * (uu * s.f.c * s.f.s - det * r->H12) - y1 * x[4] - y2 * x[3];
    cx[2] = uu * s.f.s * s.f.s + det * r->H11 + y1 * x[3];
    cx[3] = drift * s.f.c + y1 * x[2] - y2 * x[1] -
            2 * det * (r->H22 * x[3] - r->H12 * x[4]);
    cx[4] = drift * s.f.s + y2 * x[0] - y1 * x[1] -
            2 * det * (r->H11 * x[4] - r->H12 * x[3]);
}

const zm_form_step zm_form_zermelo_to_ellipse = {
    ZM_FORM_ZERMELO,         ZM_FORM_ELLIPSE,         zermelo_to_ellipse,
    push_zermelo_to_ellipse, pull_zermelo_to_ellipse, zermelo_tilt
};
const zm_form_step zm_form_randers_to_ellipse = {
    ZM_FORM_RANDERS,         ZM_FORM_ELLIPSE,         randers_to_ellipse,
    push_randers_to_ellipse, pull_randers_to_ellipse, randers_tilt
};
