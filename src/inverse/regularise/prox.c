/* SPDX-License-Identifier: Apache-2.0
 * Proximal maps of total variation: group shrinkage, and TV denoising on the dual.
 *
 * In v_k = sqrt(c_k) u_k, g_k = sqrt(c_k) f_k, without the factor dx dy, denoising is
 *
 *     min_v |v - g|^2 / 2 + tau sum_i |(D v)_i|
 *       = max_{|p_i| <= tau}  |g|^2 / 2 - |g - D'p|^2 / 2,         v = g - D'p,
 *
 * p_i the two components of all fields in cell i.  The dual is ascended by
 * p <- clip(q + D v(q) / L), L = 4/dx^2 + 4/dy^2 >= |D|^2, q extrapolated (FISTA). */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/options.h"
#include "eikonal/problem/problem.h"
#include "inverse/regularise/difference.h"
#include "zermelo/reg.h"

/* The gap is looked at this often: it costs about as much as an iteration. */
enum { GAP_EVERY = 10 };

struct zm_tv_prox_work {
    zm_grid grid;
    zm_alloc mem;
    size_t n, n_fields;
    double *g, *v;        /* n_fields planes: data, primal */
    double *p, *q, *next; /* 2 n_fields planes: dual, extrapolated, the next dual */
    double *dx, *dy;      /* differences of one field */
    bool has_dual;
    double scale[ZM_REG_MAX_FIELDS]; /* sqrt(c_k) */
};

zm_status zm_reg_shrink(size_t n, size_t n_planes, const double *weights,
                        double threshold, double *const *planes, zm_error *err)
{
    if (!planes || n_planes < 1 || !(threshold >= 0))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "shrinkage of %zu planes by %g: needs planes, and a threshold >= 0",
            planes ? n_planes : 0, threshold);
    for (size_t j = 0; j < n_planes; j++)
        if (!planes[j] || (weights && !(weights[j] >= 0 && isfinite(weights[j]))))
            return zm_fail(err, ZM_E_ARG, -1,
                           "plane %zu is NULL, or its weight not >= 0", j);
    for (size_t i = 0; i < n; i++) {
        double sum = 0, norm, factor;

        for (size_t j = 0; j < n_planes; j++)
            sum += (weights ? weights[j] : 1) * planes[j][i] * planes[j][i];
        norm = sqrt(sum);
        factor = norm > threshold ? 1 - threshold / norm : 0;
        for (size_t j = 0; j < n_planes; j++)
            planes[j][i] *= factor;
    }
    return ZM_OK;
}

zm_status zm_tv_prox_create(zm_tv_prox_work **out, zm_grid grid, size_t n_fields,
                            const zm_alloc *mem, zm_error *err)
{
    const zm_alloc from = zm_alloc_or_default(mem);
    zm_tv_prox_work *w;
    zm_status st;

    *out = NULL;
    if ((st = zm_grid_check(grid, err)) < 0)
        return st;
    if (n_fields < 1 || n_fields > ZM_REG_MAX_FIELDS)
        return zm_fail(err, ZM_E_ARG, -1, "%zu fields, must be 1 to %d", n_fields,
                       ZM_REG_MAX_FIELDS);
    if (!(w = zm_zalloc(&from, 1, sizeof *w)))
        return zm_fail(err, ZM_E_NOMEM, -1, "denoising handle");
    w->grid = grid;
    w->mem = from;
    w->n_fields = n_fields;
    zm_grid_cells(grid, &w->n);
    if (!(w->g = zm_block(&from, w->n * n_fields, sizeof(double))) ||
        !(w->v = zm_block(&from, w->n * n_fields, sizeof(double))) ||
        !(w->p = zm_block(&from, 2 * w->n * n_fields, sizeof(double))) ||
        !(w->q = zm_block(&from, 2 * w->n * n_fields, sizeof(double))) ||
        !(w->next = zm_block(&from, 2 * w->n * n_fields, sizeof(double))) ||
        !(w->dx = zm_block(&from, w->n, sizeof(double))) ||
        !(w->dy = zm_block(&from, w->n, sizeof(double)))) {
        zm_tv_prox_destroy(w);
        return zm_fail(err, ZM_E_NOMEM, -1, "denoising of %d x %d cells",
                       (int)grid.rows, (int)grid.cols);
    }
    *out = w;
    return ZM_OK;
}

void zm_tv_prox_destroy(zm_tv_prox_work *work)
{
    zm_alloc mem;

    if (!work)
        return;
    mem = work->mem;
    zm_release(&mem, work->dy);
    zm_release(&mem, work->dx);
    zm_release(&mem, work->next);
    zm_release(&mem, work->q);
    zm_release(&mem, work->p);
    zm_release(&mem, work->v);
    zm_release(&mem, work->g);
    zm_release(&mem, work);
}

/* Component `axis` (0: x, 1: y) of field k of a dual variable. */
static double *dual_plane(const zm_tv_prox_work *w, double *dual, size_t k, size_t axis)
{
    return dual + (2 * k + axis) * w->n;
}

/* v = g - D' dual */
static void primal_of(zm_tv_prox_work *w, const uint8_t *walls, double *dual)
{
    for (size_t k = 0; k < w->n_fields; k++) {
        double *v = w->v + k * w->n;
        const double *g = w->g + k * w->n;

        zm_difference_adjoint(w->grid, walls, dual_plane(w, dual, k, 0),
                              dual_plane(w, dual, k, 1), v);
        for (size_t i = 0; i < w->n; i++)
            v[i] = g[i] - v[i];
    }
}

/* |p_i| <= tau in every cell */
static void clip_dual(zm_tv_prox_work *w, double tau, double *p)
{
    for (size_t i = 0; i < w->n; i++) {
        double sum = 0, factor;

        for (size_t j = 0; j < 2 * w->n_fields; j++)
            sum += p[j * w->n + i] * p[j * w->n + i];
        if (sum <= tau * tau)
            continue;
        factor = tau / sqrt(sum);
        for (size_t j = 0; j < 2 * w->n_fields; j++)
            p[j * w->n + i] *= factor;
    }
}

/* next = clip(q + D v / L), with v of q in place */
static void ascend(zm_tv_prox_work *w, const uint8_t *walls, double tau)
{
    const zm_grid g = w->grid;
    const double step = 1 / (4 / (g.dx * g.dx) + 4 / (g.dy * g.dy));

    for (size_t k = 0; k < w->n_fields; k++) {
        const double *qx = dual_plane(w, w->q, k, 0), *qy = dual_plane(w, w->q, k, 1);
        double *nx = dual_plane(w, w->next, k, 0), *ny = dual_plane(w, w->next, k, 1);

        zm_difference(g, walls, w->v + k * w->n, w->dx, w->dy);
        for (size_t i = 0; i < w->n; i++) {
            nx[i] = qx[i] + step * w->dx[i];
            ny[i] = qy[i] + step * w->dy[i];
        }
    }
    clip_dual(w, tau, w->next);
}

/* p = next, and q beyond it.  Momentum that points against the step just made is
 * dropped (O'Donoghue and Candes 2015). */
static void extrapolate(zm_tv_prox_work *w, double *t)
{
    const size_t size = 2 * w->n_fields * w->n;
    double against = 0, beta;

    for (size_t i = 0; i < size; i++)
        against += (w->q[i] - w->next[i]) * (w->next[i] - w->p[i]);
    if (against > 0) {
        *t = 1;
        beta = 0;
    } else {
        const double last = *t;

        *t = 0.5 * (1 + sqrt(1 + 4 * last * last));
        beta = (last - 1) / *t;
    }
    for (size_t i = 0; i < size; i++) {
        w->q[i] = w->next[i] + beta * (w->next[i] - w->p[i]);
        w->p[i] = w->next[i];
    }
}

/* Primal value at v = g - D'p, and the gap to the dual value at p, which is
 *     sum_i tau |(D v)_i| - p_i.(D v)_i:
 * a sum of terms >= 0.  Leaves v in place. */
static void measure(zm_tv_prox_work *w, const uint8_t *walls, double tau, double *value,
                    double *gap)
{
    const size_t n = w->n;
    double fit = 0, variation = 0, matched = 0;

    primal_of(w, walls, w->p);
    for (size_t k = 0; k < w->n_fields; k++) {
        const double *v = w->v + k * n, *g = w->g + k * n;

        zm_difference(w->grid, walls, v, dual_plane(w, w->next, k, 0),
                      dual_plane(w, w->next, k, 1));
        for (size_t i = 0; i < n; i++)
            fit += walls && walls[i] ? 0 : 0.5 * (v[i] - g[i]) * (v[i] - g[i]);
    }
    for (size_t i = 0; i < n; i++) {
        double sum = 0;

        for (size_t j = 0; j < 2 * w->n_fields; j++) {
            sum += w->next[j * n + i] * w->next[j * n + i];
            matched += w->next[j * n + i] * w->p[j * n + i];
        }
        variation += sqrt(sum);
    }
    *value = w->grid.dx * w->grid.dy * (fit + tau * variation);
    *gap = w->grid.dx * w->grid.dy * fmax(tau * variation - matched, 0);
}

static zm_status check_input(const zm_tv_prox_work *w, const double *const *f,
                             double tau, const uint8_t *walls, double *const *u,
                             const zm_tv_prox_opts *o, zm_error *err)
{
    if (!(tau >= 0 && isfinite(tau)))
        return zm_fail(err, ZM_E_ARG, -1, "tau = %g, must be finite and >= 0", tau);
    if (!(o->gap > 0) || o->max_iterations < 1)
        return zm_fail(err, ZM_E_ARG, -1, "gap = %g, max_iterations = %d, must be > 0",
                       o->gap, (int)o->max_iterations);
    for (size_t k = 0; k < w->n_fields; k++) {
        if (!f || !u || !f[k] || !u[k])
            return zm_fail(err, ZM_E_ARG, -1, "field %zu is NULL", k);
        if (o->weights && !(o->weights[k] > 0 && isfinite(o->weights[k])))
            return zm_fail(err, ZM_E_ARG, -1, "weight %g of field %zu, must be > 0",
                           o->weights[k], k);
        for (size_t i = 0; i < w->n; i++)
            if (!isfinite(f[k][i]) && !(walls && walls[i]))
                return zm_fail(err, ZM_E_ARG, (int64_t)i, "field %zu is %g at cell %zu",
                               k, f[k][i], i);
    }
    return ZM_OK;
}

static void load(zm_tv_prox_work *w, const double *const *f, double tau,
                 const zm_tv_prox_opts *o)
{
    const size_t size = 2 * w->n_fields * w->n;

    for (size_t k = 0; k < w->n_fields; k++) {
        w->scale[k] = o->weights ? sqrt(o->weights[k]) : 1;
        for (size_t i = 0; i < w->n; i++)
            w->g[k * w->n + i] = w->scale[k] * f[k][i];
    }
    if (o->warm && w->has_dual)
        clip_dual(w, tau, w->p);
    else
        memset(w->p, 0, size * sizeof *w->p);
    memcpy(w->q, w->p, size * sizeof *w->p);
    w->has_dual = true;
}

static void store(const zm_tv_prox_work *w, const double *const *f,
                  const uint8_t *walls, double *const *u)
{
    for (size_t k = 0; k < w->n_fields; k++)
        for (size_t i = 0; i < w->n; i++)
            u[k][i] = walls && walls[i] ? f[k][i] : w->v[k * w->n + i] / w->scale[k];
}

zm_status zm_tv_prox(zm_tv_prox_work *work, const double *const *f, double tau,
                     const uint8_t *walls, double *const *u,
                     const zm_tv_prox_opts *opts, zm_tv_prox_report *report,
                     zm_error *err)
{
    zm_tv_prox_opts o = ZM_TV_PROX_OPTS_INIT;
    zm_tv_prox_report r = ZM_TV_PROX_REPORT_INIT;
    double t = 1;
    zm_status st;

    if ((st = zm_options_check_report(report, "zm_tv_prox_report", err)) < 0 ||
        (st = zm_options_read(&o, sizeof o, opts, "zm_tv_prox_opts", err)) < 0 ||
        (st = check_input(work, f, tau, walls, u, &o, err)) < 0)
        return st;
    load(work, f, tau, &o);
    measure(work, walls, tau, &r.value, &r.gap);
    while (r.gap > o.gap * r.value && r.iterations < o.max_iterations) {
        primal_of(work, walls, work->q);
        ascend(work, walls, tau);
        extrapolate(work, &t);
        r.iterations++;
        if (r.iterations % GAP_EVERY == 0 || r.iterations == o.max_iterations)
            measure(work, walls, tau, &r.value, &r.gap);
    }
    store(work, f, walls, u);
    zm_options_write_report(report, &r, sizeof r);
    if (r.gap > o.gap * r.value)
        return zm_fail(err, ZM_NOT_CONVERGED, -1,
                       "duality gap %g of value %g after %d iterations", r.gap, r.value,
                       (int)r.iterations);
    return ZM_OK;
}
