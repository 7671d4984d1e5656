/* SPDX-License-Identifier: Apache-2.0
 * Feasibility projections of metric and drift, and their vector-Jacobian products.
 *
 * With mean m = (g11 + g22)/2, deviator d = ((g11 - g22)/2, g12) and r = |d| the
 * eigenvalues of G are m + r and m - r.  The direction u = d/r is (cos 2a, sin 2a) for the
 * angle a of the eigenvector v = (cos a, sin a) of m + r.  Let L+ and L- be the clamped
 * eigenvalues.  The projected metric L+ v v' + L- (I - v v') has the mean
 * M = (L+ + L-)/2 and the deviator D = (R/r) d with R = (L+ - L-)/2.
 *
 * No angle is formed, and R/r is in [0, 1]: clamping brings eigenvalues no further apart.
 * With s+- = 1 where an eigenvalue is within its bounds, else 0,
 *
 *     dM = (s+ + s-)/2 dm + (s+ - s-)/2 dr        dr = u.dd
 *     dR = (s+ - s-)/2 dm + (s+ + s-)/2 dr
 *     dD = (R/r) (dd - u dr) + u dR.
 *
 * At r = 0 both eigenvalues are the same, so s+ = s- = s and the limit is dD = s dd. */
#include <math.h>

#include "core/fail.h"
#include "core/options.h"
#include "eikonal/problem/cells.h"
#include "eikonal/problem/problem.h"

typedef struct spectrum {
    double L_plus, L_minus; /* clamped */
    double ratio;           /* R / r */
    double u1, u2;          /* d / r; any direction where r = 0 */
    double v1, v2; /* unit eigenvector of L_plus; (-v2, v1) is that of L_minus */
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
    const double u1 = r > 0 ? d1 / r : 1, u2 = r > 0 ? g->g12 / r : 0;
    const double half = 1 / sqrt(2 * (1 + fabs(u1))); /* half the angle of u */
    spectrum s = { .L_plus = clamp(plus, o->eig_min, o->eig_max),
                   .L_minus = clamp(minus, o->eig_min, o->eig_max),
                   .u1 = u1,
                   .u2 = u2,
                   .v1 = half * (u1 >= 0 ? 1 + u1 : u2),
                   .v2 = half * (u1 >= 0 ? u2 : 1 - u1) };

    s.inside_plus = s.L_plus == plus;
    s.inside_minus = s.L_minus == minus;
    s.ratio = s.inside_plus && s.inside_minus ? 1
              : r > 0                         ? (0.5 * s.L_plus - 0.5 * s.L_minus) / r
                                              : 0;
    return s;
}

static bool is_feasible(const spectrum *s)
{
    return s->inside_plus && s->inside_minus;
}

/* Sums of eigenvalues of one sign: nothing cancels, however needle-like G is. */
static void project_metric(const spectrum *s, zm_cell_metric *g)
{
    const double v11 = s->v1 * s->v1, v22 = s->v2 * s->v2;

    g->g11 = s->L_plus * v11 + s->L_minus * v22;
    g->g22 = s->L_plus * v22 + s->L_minus * v11;
    g->g12 = (s->L_plus - s->L_minus) * (s->v1 * s->v2);
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

    c->g11 = 0.5 * (m + d1);
    c->g22 = 0.5 * (m - d1);
    c->g12 = d2;
}

/* The drift in units of its larger component, so that no square overflows. */
typedef struct drift_norm {
    double size; /* b = size * (b1, b2) */
    double b1, b2;
    double norm;   /* |(b1, b2)|_{G^-1} with the projected G */
    double y1, y2; /* G^-1 (b1, b2) / norm, the derivative of the norm */
} drift_norm;

/* Along the eigenvectors, where G^-1 is a division. */
static drift_norm drift_norm_of(const spectrum *s, double b1, double b2)
{
    const double size = fmax(fabs(b1), fabs(b2)), unit = size > 0 ? size : 1;
    const double along = s->v1 * (b1 / unit) + s->v2 * (b2 / unit);
    const double across = s->v1 * (b2 / unit) - s->v2 * (b1 / unit);
    const double norm = hypot(along / sqrt(s->L_plus), across / sqrt(s->L_minus));
    const double safe = norm > 0 ? norm : 1;
    const double p = along / s->L_plus / safe, q = across / s->L_minus / safe;

    return (drift_norm){ .size = size,
                         .b1 = b1 / unit,
                         .b2 = b2 / unit,
                         .norm = norm,
                         .y1 = s->v1 * p - s->v2 * q,
                         .y2 = s->v2 * p + s->v1 * q };
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

/* Cotangent c of (G', b') to that of (G', b), in place.  With y = G^-1 b / norm, the
 * derivative of the norm with respect to b, and t = b'_ . b / norm,
 *
 *     b_ = rho/norm (b'_ - t y),     G_ += rho t / 2 y y'
 *
 * (twice the off-diagonal entry for the one scalar g12). */
static void pull_back_drift(const spectrum *s, double rho, const zm_cell_metric *g,
                            zm_cell_metric *c)
{
    const drift_norm n = drift_norm_of(s, g->b1, g->b2);
    double scale, t;

    if (!(n.size * n.norm > rho))
        return;
    scale = rho / n.norm / n.size;
    t = (c->b1 * n.b1 + c->b2 * n.b2) / n.norm;
    c->b1 = scale * (c->b1 - t * n.y1);
    c->b2 = scale * (c->b2 - t * n.y2);
    c->g11 += 0.5 * rho * (t * n.y1) * n.y1;
    c->g12 += rho * (t * n.y1) * n.y2;
    c->g22 += 0.5 * rho * (t * n.y2) * n.y2;
}

static zm_cell_metric cell_of(const zm_cells_values *x, size_t k)
{
    return (zm_cell_metric){ x->v[0][k], x->v[1][k], x->v[2][k], x->v[3][k],
                             x->v[4][k] };
}

static void cell_set(zm_cells_values *x, size_t k, const zm_cell_metric *g)
{
    x->v[0][k] = g->g11;
    x->v[1][k] = g->g12;
    x->v[2][k] = g->g22;
    x->v[3][k] = g->b1;
    x->v[4][k] = g->b2;
}

/* With care for values of any size, where the kernels have none. */
static void value_with_care(const zm_project_opts *o, size_t n,
                            const zm_cells_values *x, zm_cells_values *y)
{
    for (size_t k = 0; k < n; k++) {
        zm_cell_metric g = cell_of(x, k);
        const spectrum s = spectrum_clamped(&g, o);

        if (!is_feasible(&s)) /* else leave it alone, to the bit */
            project_metric(&s, &g);
        project_drift(&s, o->rho, &g);
        cell_set(y, k, &g);
    }
}

static void pull_with_care(const zm_project_opts *o, size_t n, const zm_cells_values *x,
                           const zm_cells_values *c, zm_cells_values *d)
{
    for (size_t k = 0; k < n; k++) {
        const zm_cell_metric g = cell_of(x, k);
        const spectrum s = spectrum_clamped(&g, o);
        zm_cell_metric by = cell_of(c, k);

        pull_back_drift(&s, o->rho, &g, &by);
        if (!is_feasible(&s))
            pull_back_metric(&s, &by);
        cell_set(d, k, &by);
    }
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

typedef struct run {
    const zm_metric *in, *cotangent; /* of each item */
    const zm_metric_out *out;
    zm_project_opts opts;
    const zm_cell_kernels *kernels;
} run;

static zm_status check_options(const zm_project_opts *o, zm_error *err)
{
    if (!(o->eig_min > 0 && isfinite(o->eig_min) && o->eig_max >= o->eig_min))
        return zm_fail(err, ZM_E_ARG, -1,
                       "eigenvalue bounds %g and %g, must be 0 < eig_min <= eig_max",
                       o->eig_min, o->eig_max);
    if (!(o->rho >= 0 && o->rho < 1))
        return zm_fail(err, ZM_E_ARG, -1, "rho = %g, must be in [0, 1)", o->rho);
    if (o->threads < 1)
        return zm_fail(err, ZM_E_ARG, -1, "threads = %d, must be at least 1",
                       (int)o->threads);
    return zm_nonfinite_check(o->nonfinite, err);
}

static zm_status check_item(const zm_metric *in, const zm_metric_out *out,
                            zm_error *err)
{
    if (in->dtype != ZM_F64 && in->dtype != ZM_F32)
        return zm_fail(err, ZM_E_ARG, -1, "dtype %d, must be ZM_F64 or ZM_F32",
                       (int)in->dtype);
    ZM_TRY(check_planes("input", in, in->g11, in->g12, in->g22, in->b1, in->b2, err));
    return check_planes("output", in, out->g11, out->g12, out->g22, out->b1, out->b2,
                        err);
}

/* Checks the arguments, and reads the options. */
static zm_status begin(run *r, const zm_metric *in, size_t items,
                       const zm_metric_out *out, const zm_project_opts *opts,
                       zm_error *err)
{
    *r = (run){ .in = in,
                .out = out,
                .opts = ZM_PROJECT_OPTS_INIT,
                .kernels = zm_cell_kernels_find() };
    ZM_TRY(zm_options_read(&r->opts, sizeof r->opts, opts, "zm_project_opts", err));
    ZM_TRY(check_options(&r->opts, err));
    if (items && (!in || !out))
        return zm_fail(err, ZM_E_ARG, -1, "%s is NULL", in ? "output" : "input");
    for (size_t i = 0; i < items; i++)
        ZM_TRY(check_item(&in[i], &out[i], err));
    return ZM_OK;
}

static zm_status values_load(const run *r, size_t item, size_t first, size_t n,
                             zm_cells_values *x, zm_error *err)
{
    size_t k;

    zm_cells_load(&r->in[item], first, n, x);
    k = zm_cells_first_spoilt(x, n);
    return k == n ? ZM_OK : zm_cells_not_finite("input", x, k, first + k, err);
}

static zm_status value_block(const void *ctx, size_t item, size_t first, size_t n,
                             zm_error *err)
{
    const run *r = ctx;
    zm_cells_values x, y;

    ZM_TRY(values_load(r, item, first, n, &x, err));
    if (!r->kernels->clamp(&r->opts, &x, &y))
        value_with_care(&r->opts, n, &x, &y);
    zm_cells_store(&r->out[item], r->in[item].dtype, first, n, &y);
    return ZM_OK;
}

static zm_status pull_block(const void *ctx, size_t item, size_t first, size_t n,
                            zm_error *err)
{
    const run *r = ctx;
    zm_cells_values x, c, d;
    size_t k = n;

    ZM_TRY(values_load(r, item, first, n, &x, err));
    zm_cells_load_derivative(&r->cotangent[item], first, n, &c);
    if (r->opts.nonfinite == ZM_NONFINITE_REFUSE)
        k = zm_cells_first_spoilt(&c, n);
    if (k < n)
        return zm_cells_not_finite("cotangent", &c, k, first + k, err);
    if (!r->kernels->clamp_pull(&r->opts, &x, &c, &d))
        pull_with_care(&r->opts, n, &x, &c, &d);
    zm_cells_store(&r->out[item], r->in[item].dtype, first, n, &d);
    return ZM_OK;
}

zm_status zm_project_batch(const zm_metric *in, size_t items, size_t n,
                           const zm_metric_out *out, const zm_project_opts *opts,
                           zm_error *err)
{
    run r;

    ZM_TRY(begin(&r, in, items, out, opts, err));
    return zm_cells_all(r.opts.threads, items, n, value_block, &r, err);
}

zm_status zm_project_vjp_batch(const zm_metric *in, const zm_metric *d_out,
                               size_t items, size_t n, const zm_metric_out *d_in,
                               const zm_project_opts *opts, zm_error *err)
{
    run r;

    ZM_TRY(begin(&r, in, items, d_in, opts, err));
    if (items && !d_out)
        return zm_fail(err, ZM_E_ARG, -1, "cotangent is NULL");
    for (size_t i = 0; i < items; i++) {
        const zm_metric *c = &d_out[i];

        if (c->dtype != in[i].dtype)
            return zm_fail(err, ZM_E_ARG, -1,
                           "cotangent is of another dtype than the input");
        ZM_TRY(check_planes("cotangent", &in[i], c->g11, c->g12, c->g22, c->b1, c->b2,
                            err));
    }
    r.cotangent = d_out;
    return zm_cells_all(r.opts.threads, items, n, pull_block, &r, err);
}

zm_status zm_project(const zm_metric *in, size_t n, const zm_metric_out *out,
                     const zm_project_opts *opts, zm_error *err)
{
    return zm_project_batch(in, 1, n, out, opts, err);
}

zm_status zm_project_vjp(const zm_metric *in, const zm_metric *d_out, size_t n,
                         const zm_metric_out *d_in, const zm_project_opts *opts,
                         zm_error *err)
{
    return zm_project_vjp_batch(in, d_out, 1, n, d_in, opts, err);
}
