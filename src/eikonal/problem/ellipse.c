/* SPDX-License-Identifier: Apache-2.0
 * Fire ellipses to Randers metrics, and the derivatives.
 *
 * u = (c, s) is the heading and n = (-s, c) is across, so that with the angle t of u
 * du = n dt and dn = -u dt.  Derivatives with respect to a symmetric matrix are those with
 * respect to its three parameters m11, m12, m22. */
#include "eikonal/problem/ellipse.h"

#include "eikonal/problem/form.h"
#include "eikonal/problem/form_step.h"
#include "eikonal/problem/heading.h"

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

static void ellipse_to_randers(const double *x, zm_heading heading, double *y)
{
    const zm_frame f = zm_frame_of(x[3], heading);
    const axes a = axes_of(f);
    const zm_ellipse_metric m = zm_ellipse_metric_of(x[0], x[1], x[2]);

    for (int i = 0; i < 3; i += 2)
        y[i] = m.alpha * m.alpha * a.uu[i] + m.gamma * a.nn[i];
    y[1] = (m.alpha * m.alpha - m.gamma) * a.uu[1];
    y[3] = m.beta * f.c;
    y[4] = m.beta * f.s;
}

static void push_ellipse_to_randers(const double *x, zm_heading heading,
                                    const double *dx, double *dy)
{
    const zm_frame f = zm_frame_of(x[3], heading);
    const axes a = axes_of(f);
    const zm_ellipse_metric m = zm_ellipse_metric_of(x[0], x[1], x[2]);
    const double head = dx[0] / x[0], flank = dx[1] / x[1], back = dx[2] / x[2];
    const double d_alpha = -0.5 * (back / x[2] + head / x[0]);
    const double d_beta = -0.5 * (back / x[2] - head / x[0]);
    const double d_gamma = m.gamma * (m.skew * (head - back) - 2 * flank);
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
    const zm_ellipse_metric m = zm_ellipse_metric_of(x[0], x[1], x[2]);
    const double alpha = 2 * m.alpha * along(a.uu, cy);
    const double beta = f.c * cy[3] + f.s * cy[4];
    const double gamma = m.gamma * along(a.nn, cy); /* times gamma */
    const double turned = f.c * cy[4] - f.s * cy[3];

    cx[0] = (-0.5 * (alpha - beta) / x[0] + m.skew * gamma) / x[0];
    cx[1] = -2 * gamma / x[1];
    cx[2] = (-0.5 * (alpha + beta) / x[2] - m.skew * gamma) / x[2];
    cx[3] = ((m.alpha * m.alpha - m.gamma) * along(a.un, cy) + m.beta * turned) /
            f.per_radian;
}

static void focus_to_randers(const double *x, zm_heading heading, double *y)
{
    const zm_frame f = zm_frame_of(x[2], heading);
    const zm_focus_metric m = zm_focus_metric_of(x[0], x[1]);

    y[0] = y[2] = 1 / m.p / m.p;
    y[1] = 0;
    y[3] = m.e / m.p * f.c;
    y[4] = m.e / m.p * f.s;
}

static void push_focus_to_randers(const double *x, zm_heading heading, const double *dx,
                                  double *dy)
{
    const zm_frame f = zm_frame_of(x[2], heading);
    const zm_focus_metric m = zm_focus_metric_of(x[0], x[1]);
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
    const zm_focus_metric m = zm_focus_metric_of(x[0], x[1]);
    const double size = (f.c * cy[3] + f.s * cy[4]) / m.p;
    const double turn = (f.c * cy[4] - f.s * cy[3]) / m.p;
    const double log_p = -2 * (cy[0] + cy[2]) / m.p / m.p - m.e * size;

    cx[0] = log_p / x[0];
    cx[1] = (size - log_p / m.less) * m.slope;
    cx[2] = m.e * turn / f.per_radian;
}

const zm_form_step zm_form_ellipse_to_randers = {
    ZM_FORM_ELLIPSE,         ZM_FORM_RANDERS,         ellipse_to_randers,
    push_ellipse_to_randers, pull_ellipse_to_randers, NULL
};
const zm_form_step zm_form_focus_to_randers = {
    ZM_FORM_FOCUS,         ZM_FORM_RANDERS,       focus_to_randers,
    push_focus_to_randers, pull_focus_to_randers, NULL
};
