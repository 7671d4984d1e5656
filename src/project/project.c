/* SPDX-License-Identifier: Apache-2.0
 * Feasibility projections of metric and drift, and their vector-Jacobian products.
 *
 * With mean m = (g11 + g22)/2, deviator d = ((g11 - g22)/2, g12) and r = |d| the
 * eigenvalues of G are m + r and m - r, and d/r is the direction (cos 2a, sin 2a) of the
 * eigenvectors.  Let L+ and L- be the clamped eigenvalues.  The projected metric has
 *
 *     M = (L+ + L-)/2,   R = (L+ - L-)/2,   D = (R/r) d,
 *     g11' = M + D1,   g22' = M - D1,   g12' = D2.
 *
 * No angle is formed, and R/r is in [0, 1]: clamping brings eigenvalues no further apart.
 * With s+- = 1 where an eigenvalue is within its bounds, else 0, and u = d/r,
 *
 *     dM = (s+ + s-)/2 dm + (s+ - s-)/2 dr        dr = u.dd
 *     dR = (s+ - s-)/2 dm + (s+ + s-)/2 dr
 *     dD = (R/r) (dd - u dr) + u dR.
 *
 * At r = 0 both eigenvalues are the same, so s+ = s- = s and the limit is dD = s dd. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/problem.h"
#include "zermelo/project.h"

typedef struct spectrum {
    double L_plus, L_minus; /* clamped */
    double M, R;
    double ratio;  /* R / r */
    double u1, u2; /* d / r; any direction where r = 0 */
    bool inside_plus, inside_minus;
} spectrum;

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static spectrum spectrum_clamped(const zm_cell_metric *g, const zm_project_opts *o)
{
    const double m = 0.5 * g->g11 + 0.5 * g->g22, d1 = 0.5 * g->g11 - 0.5 * g->g22;
    const double r = hypot(d1, g->g12), plus = m + r, minus = m - r;
    const double L_plus = clamp(plus, o->eig_min, o->eig_max);
    const double L_minus = clamp(minus, o->eig_min, o->eig_max);
    spectrum s = { .L_plus = L_plus,
                   .L_minus = L_minus,
                   .M = 0.5 * L_plus + 0.5 * L_minus,
                   .R = 0.5 * L_plus - 0.5 * L_minus,
                   .inside_plus = L_plus == plus,
                   .inside_minus = L_minus == minus };

    s.ratio = s.inside_plus && s.inside_minus ? 1 : r > 0 ? s.R / r : 0;
    s.u1 = r > 0 ? d1 / r : 1;
    s.u2 = r > 0 ? g->g12 / r : 0;
    return s;
}

/* Replaces G; leaves it alone, to the bit, where it is feasible. */
static spectrum project_metric(zm_cell_metric *g, const zm_project_opts *o)
{
    const spectrum s = spectrum_clamped(g, o);

    if (!s.inside_plus || !s.inside_minus) {
        g->g11 = s.M + s.R * s.u1;
        g->g22 = s.M - s.R * s.u1;
        g->g12 = s.R * s.u2;
    }
    return s;
}

/* Cotangent of (g11', g12', g22') to cotangent of (g11, g12, g22), in place.  Of M, R and
 * D: M_ = g11_ + g22_, D_ = (g11_ - g22_, g12_), R_ = u.D_. */
static void pull_back_metric(const spectrum *s, zm_cell_metric *c)
{
    const double same = 0.5 * (s->inside_plus + s->inside_minus);
    const double cross = 0.5 * (s->inside_plus - s->inside_minus);
    const double M = c->g11 + c->g22, D1 = c->g11 - c->g22, D2 = c->g12;
    const double R = s->u1 * D1 + s->u2 * D2;
    const double m = same * M + cross * R, r = cross * M + same * R;
    const double d1 = s->ratio * (D1 - s->u1 * R) + s->u1 * r;
    const double d2 = s->ratio * (D2 - s->u2 * R) + s->u2 * r;

    if (s->inside_plus && s->inside_minus)
        return;
    c->g11 = 0.5 * (m + d1);
    c->g22 = 0.5 * (m - d1);
    c->g12 = d2;
}

/* The drift in units of its larger component, so that no square overflows. */
typedef struct drift_norm {
    double size; /* b = size * (b1, b2) */
    double b1, b2;
    double z1, z2; /* G^-1 (b1, b2), with the projected G */
    double norm;   /* of (b1, b2): its square is b1 z1 + b2 z2 */
} drift_norm;

/* By the eigenvectors (v1, v2) and (-v2, v1), v being half the angle of u: accurate, and
 * finite, also where det G would be lost to rounding. */
static drift_norm drift_norm_of(const spectrum *s, double b1, double b2)
{
    const double size = fmax(fabs(b1), fabs(b2)), unit = size > 0 ? size : 1;
    const double half = 1 / sqrt(2 * (1 + fabs(s->u1)));
    const double v1 = half * (s->u1 >= 0 ? 1 + s->u1 : s->u2);
    const double v2 = half * (s->u1 >= 0 ? s->u2 : 1 - s->u1);
    const double along = v1 * (b1 / unit) + v2 * (b2 / unit);
    const double across = v1 * (b2 / unit) - v2 * (b1 / unit);
    const double p = along / s->L_plus, q = across / s->L_minus;

    return (drift_norm){ size,
                         b1 / unit,
                         b2 / unit,
                         v1 * p - v2 * q,
                         v2 * p + v1 * q,
                         sqrt(along * p + across * q) };
}

/* b' = b rho / |b|_{G^-1} where that norm exceeds rho. */
static void project_drift(const spectrum *s, double rho, zm_cell_metric *g)
{
    const drift_norm n = drift_norm_of(s, g->b1, g->b2);

    if (n.size * n.norm > rho) {
        g->b1 = n.b1 * (rho / n.norm);
        g->b2 = n.b2 * (rho / n.norm);
    }
}

/* Cotangent c of (G', b') to that of (G', b), in place.  With z = G^-1 b and t = b'_ . b,
 *
 *     b_ = rho/norm (b'_ - t z / norm^2),     G_ += rho/norm t / (2 norm^2) z z'
 *
 * (twice the off-diagonal entry for the one scalar g12). */
static void pull_back_drift(const spectrum *s, double rho, const zm_cell_metric *g,
                            zm_cell_metric *c)
{
    const drift_norm n = drift_norm_of(s, g->b1, g->b2);
    double scale, t;

    if (!(n.size * n.norm > rho))
        return;
    scale = rho / n.norm;
    t = (c->b1 * n.b1 + c->b2 * n.b2) / (n.norm * n.norm);
    c->b1 = scale / n.size * (c->b1 - t * n.z1);
    c->b2 = scale / n.size * (c->b2 - t * n.z2);
    c->g11 += 0.5 * scale * t * n.z1 * n.z1;
    c->g12 += scale * t * n.z1 * n.z2;
    c->g22 += 0.5 * scale * t * n.z2 * n.z2;
}

static void store(void *plane, zm_dtype dtype, size_t i, double value)
{
    if (dtype == ZM_F32)
        ((float *)plane)[i] = (float)value;
    else
        ((double *)plane)[i] = value;
}

static void store_cell(const zm_metric_out *out, zm_dtype dtype, size_t i,
                       const zm_cell_metric *g)
{
    store(out->g11, dtype, i, g->g11);
    store(out->g12, dtype, i, g->g12);
    store(out->g22, dtype, i, g->g22);
    if (out->b1) {
        store(out->b1, dtype, i, g->b1);
        store(out->b2, dtype, i, g->b2);
    }
}

static zm_status check_finite(const char *what, const zm_cell_metric *g, size_t cell,
                              zm_error *err)
{
    if (isfinite(g->g11) && isfinite(g->g12) && isfinite(g->g22) && isfinite(g->b1) &&
        isfinite(g->b2))
        return ZM_OK;
    return zm_fail(err, ZM_E_ARG, (int64_t)cell,
                   "%s not finite at cell %zu: g11 = %g, g12 = %g, g22 = %g, b1 = %g, "
                   "b2 = %g",
                   what, cell, g->g11, g->g12, g->g22, g->b1, g->b2);
}

static zm_status check_planes(const char *what, const zm_metric *in, const void *g11,
                              const void *g12, const void *g22, const void *b1,
                              const void *b2, zm_error *err)
{
    if (!g11 || !g12 || !g22)
        return zm_fail(err, ZM_E_ARG, -1, "%s: needs all of g11, g12 and g22", what);
    if (!b1 != !in->b1 || !b2 != !in->b1)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "%s: needs both b1 and b2 where the input has drift, else neither", what);
    return ZM_OK;
}

static zm_project_opts opts_read(const zm_project_opts *opts)
{
    zm_project_opts o = ZM_PROJECT_OPTS_INIT;

    if (opts)
        memcpy(&o, opts, opts->size < sizeof o ? opts->size : sizeof o);
    return o;
}

static zm_status check(const zm_metric *in, const zm_metric_out *out,
                       const zm_project_opts *o, zm_error *err)
{
    zm_status st;

    if (!in || !out)
        return zm_fail(err, ZM_E_ARG, -1, "%s is NULL", in ? "output" : "input");
    if (in->dtype != ZM_F64 && in->dtype != ZM_F32)
        return zm_fail(err, ZM_E_ARG, -1, "dtype %d, must be ZM_F64 or ZM_F32",
                       (int)in->dtype);
    if (!(o->eig_min > 0 && isfinite(o->eig_min) && o->eig_max >= o->eig_min))
        return zm_fail(err, ZM_E_ARG, -1,
                       "eigenvalue bounds %g and %g, must be 0 < eig_min <= eig_max",
                       o->eig_min, o->eig_max);
    if (!(o->rho >= 0 && o->rho < 1))
        return zm_fail(err, ZM_E_ARG, -1, "rho = %g, must be in [0, 1)", o->rho);
    if ((st = check_planes("input", in, in->g11, in->g12, in->g22, in->b1, in->b2,
                           err)) < 0)
        return st;
    return check_planes("output", in, out->g11, out->g12, out->g22, out->b1, out->b2,
                        err);
}

zm_status zm_project(const zm_metric *in, size_t n, const zm_metric_out *out,
                     const zm_project_opts *opts, zm_error *err)
{
    const zm_project_opts o = opts_read(opts);
    zm_status st = check(in, out, &o, err);

    if (st < 0)
        return st;
    for (size_t i = 0; i < n; i++) {
        zm_cell_metric g = zm_metric_at(in, i);
        spectrum s;

        if ((st = check_finite("input", &g, i, err)) < 0)
            return st;
        s = project_metric(&g, &o);
        project_drift(&s, o.rho, &g);
        store_cell(out, in->dtype, i, &g);
    }
    return ZM_OK;
}

zm_status zm_project_vjp(const zm_metric *in, const zm_metric *d_out, size_t n,
                         const zm_metric_out *d_in, const zm_project_opts *opts,
                         zm_error *err)
{
    const zm_project_opts o = opts_read(opts);
    zm_status st = check(in, d_in, &o, err);

    if (st < 0)
        return st;
    if (!d_out || d_out->dtype != in->dtype)
        return zm_fail(err, ZM_E_ARG, -1, "cotangent is %s",
                       d_out ? "of another dtype than the input" : "NULL");
    if ((st = check_planes("cotangent", in, d_out->g11, d_out->g12, d_out->g22,
                           d_out->b1, d_out->b2, err)) < 0)
        return st;
    for (size_t i = 0; i < n; i++) {
        const zm_cell_metric g = zm_metric_at(in, i);
        zm_cell_metric c = zm_metric_at(d_out, i);
        const spectrum s = spectrum_clamped(&g, &o);

        if ((st = check_finite("input", &g, i, err)) < 0 ||
            (st = check_finite("cotangent", &c, i, err)) < 0)
            return st;
        pull_back_drift(&s, o.rho, &g, &c);
        pull_back_metric(&s, &c);
        store_cell(d_in, in->dtype, i, &c);
    }
    return ZM_OK;
}
