/* SPDX-License-Identifier: Apache-2.0
 * Parametrisations: checks, and the way of fields through the kernels of chart.tmpl.h. */
#include "zermelo/parametrise.h"

#include <math.h>

#include "core/fail.h"
#include "core/options.h"
#include "eikonal/problem/cells.h"
#include "eikonal/problem/problem.h"

typedef struct run {
    const zm_metric *in, *given; /* of each item; given: directions or cotangents */
    const zm_metric_out *out;
    zm_parametrise_opts opts;
    zm_chart_map map;
    const zm_cell_kernels *kernels;
} run;

/* ---- checks ----------------------------------------------------------------------- */

static zm_status check_words(const zm_parametrise_opts *o, zm_error *err)
{
    if (o->chart != ZM_LOG_CHOLESKY && o->chart != ZM_LOG_EUCLIDEAN)
        return zm_fail(err, ZM_E_ARG, -1,
                       "chart %d, must be ZM_LOG_CHOLESKY or ZM_LOG_EUCLIDEAN",
                       (int)o->chart);
    if (o->form != ZM_FORM_RANDERS && o->form != ZM_FORM_ZERMELO)
        return zm_fail(err, ZM_E_ARG, -1,
                       "form %d, must be ZM_FORM_RANDERS or ZM_FORM_ZERMELO",
                       (int)o->form);
    return zm_nonfinite_check(o->nonfinite, err);
}

static zm_status check_numbers(const zm_parametrise_opts *o, zm_error *err)
{
    if (!(o->eig_min >= 0 && o->eig_min < o->eig_max))
        return zm_fail(err, ZM_E_ARG, -1,
                       "eigenvalue bounds %g and %g, must be 0 <= eig_min < eig_max",
                       o->eig_min, o->eig_max);
    if (!(o->start > o->eig_min && o->start < o->eig_max && isfinite(o->start)))
        return zm_fail(err, ZM_E_ARG, -1,
                       "start = %g, must be between eig_min = %g and eig_max = %g",
                       o->start, o->eig_min, o->eig_max);
    if (!(o->rho > 0 && o->rho < 1))
        return zm_fail(err, ZM_E_ARG, -1, "rho = %g, must be in (0, 1)", o->rho);
    if (o->threads < 1)
        return zm_fail(err, ZM_E_ARG, -1, "threads = %d, must be at least 1",
                       (int)o->threads);
    return ZM_OK;
}

static zm_status check_planes(const char *what, const zm_metric *first,
                              const zm_metric *m, size_t item, zm_error *err)
{
    if (m->dtype != first->dtype || (m->dtype != ZM_F64 && m->dtype != ZM_F32))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "%s %zu: dtype %d, must be ZM_F64 or ZM_F32 and that of the others", what,
            item, (int)m->dtype);
    if (!m->b1 != !m->b2)
        return zm_fail(err, ZM_E_ARG, -1, "%s %zu: needs both b1 and b2 or neither",
                       what, item);
    return ZM_OK;
}

static zm_status check_input(const zm_metric *first, const zm_metric *m, size_t item,
                             zm_error *err)
{
    ZM_TRY(check_planes("input", first, m, item, err));
    if (!m->g11)
        return zm_fail(err, ZM_E_ARG, -1, "input %zu: g11 is NULL", item);
    if (!m->g12 != !first->g12 || !m->g22 != !first->g22 || !m->b1 != !first->b1)
        return zm_fail(err, ZM_E_ARG, -1,
                       "input %zu has other planes left out than input 0", item);
    if (m->g12 && !m->g22)
        return zm_fail(err, ZM_E_ARG, -1, "input %zu: g12 without g22", item);
    return ZM_OK;
}

/* Checks all but the values. */
static zm_status begin(run *r, const zm_metric *in, size_t items,
                       const zm_metric_out *out, const zm_parametrise_opts *opts,
                       zm_error *err)
{
    zm_parametrise_opts *o = &r->opts;
    double gap;

    *r = (run){ .in = in, .out = out, .opts = ZM_PARAMETRISE_OPTS_INIT };
    ZM_TRY(zm_options_read(o, sizeof *o, opts, "zm_parametrise_opts", err));
    ZM_TRY(check_words(o, err));
    ZM_TRY(check_numbers(o, err));
    if (items && (!in || !out))
        return zm_fail(err, ZM_E_ARG, -1, "%s is NULL", in ? "output" : "input");
    for (size_t i = 0; i < items; i++)
        ZM_TRY(check_input(in, &in[i], i, err));
    /* start = eig_min + k/(1 + k/(eig_max - eig_min)) */
    gap = o->start - o->eig_min;
    r->map = (zm_chart_map){ .scale = gap / (1 - gap / (o->eig_max - o->eig_min)),
                             .low = o->eig_min,
                             .inverse = 1 / (o->eig_max - o->eig_min),
                             .rho = o->rho,
                             .carried = o->form == ZM_FORM_ZERMELO };
    r->kernels = zm_cell_kernels_find();
    return ZM_OK;
}

static zm_status given_check(run *r, const char *what, const zm_metric *given,
                             size_t items, zm_error *err)
{
    if (items && !given)
        return zm_fail(err, ZM_E_ARG, -1, "%s is NULL", what);
    for (size_t i = 0; i < items; i++)
        ZM_TRY(check_planes(what, r->in, &given[i], i, err));
    r->given = given;
    return ZM_OK;
}

/* ---- blocks ----------------------------------------------------------------------- */

static zm_status values_load(const run *r, size_t item, size_t first, size_t n,
                             zm_cells_values *x, zm_error *err)
{
    size_t k;

    zm_cells_load(&r->in[item], first, n, x);
    k = zm_cells_first_spoilt(x, n);
    return k == n ? ZM_OK : zm_cells_not_finite("free value", x, k, first + k, err);
}

/* Directions that move with the plane they share, or cotangents. */
static zm_status given_load(const run *r, bool shared, size_t item, size_t first,
                            size_t n, zm_cells_values *d, zm_error *err)
{
    size_t k;

    if (shared)
        zm_cells_load(&r->given[item], first, n, d);
    else
        zm_cells_load_derivative(&r->given[item], first, n, d);
    if (r->opts.nonfinite == ZM_NONFINITE_PROPAGATE)
        return ZM_OK;
    k = zm_cells_first_spoilt(d, n);
    return k == n ? ZM_OK
                  : zm_cells_not_finite(shared ? "direction" : "cotangent", d, k,
                                        first + k, err);
}

/* Rounding to float32 moves the eigenvalues by 6e-8 of the larger one, and the smaller may be less
 * than that: there the diagonal is rounded up, by as little as makes the cell admissible. */
static void round_admissibly(size_t n, zm_cells_values *y)
{
    for (size_t k = 0; k < n; k++) {
        const double b1 = (double)(float)y->v[3][k], b2 = (double)(float)y->v[4][k];
        const double g12 = (double)(float)y->v[1][k];

        for (double more = 0; more<1e-3; more = more> 0 ? 2 * more : 0x1p-23) {
            const zm_cell_metric g = { (double)(float)(y->v[0][k] * (1 + more)), g12,
                                       (double)(float)(y->v[2][k] * (1 + more)), b1,
                                       b2 };

            if (zm_cell_is_good(&g) || !(g.g11 < HUGE_VAL && g.g22 < HUGE_VAL)) {
                y->v[0][k] = g.g11;
                y->v[2][k] = g.g22;
                break;
            }
        }
    }
}

/* Only where there is no upper bound can exp be more than a float holds. */
static zm_status result_check(const run *r, size_t first, size_t n,
                              const zm_cells_values *y, zm_error *err)
{
    const double most = r->in->dtype == ZM_F32 ? 3.4e38 : 1.7e308;

    for (size_t k = 0; k < n; k++)
        if (!(y->v[0][k] <= most && y->v[2][k] <= most && y->v[0][k] > 0 &&
              y->v[2][k] > 0))
            return zm_fail(err, ZM_E_METRIC, (int64_t)(first + k),
                           "result at cell %zu is not held by %s: g11 = %g, g12 = %g, "
                           "g22 = %g; set eig_min and eig_max",
                           first + k, zm_dtype_name(r->in->dtype), y->v[0][k],
                           y->v[1][k], y->v[2][k]);
    return ZM_OK;
}

static zm_status value_block(const void *ctx, size_t item, size_t first, size_t n,
                             zm_error *err)
{
    const run *r = ctx;
    zm_cells_values x, y;

    ZM_TRY(values_load(r, item, first, n, &x, err));
    r->kernels->value[r->opts.chart](&r->map, &x, &y);
    if (r->in->dtype == ZM_F32)
        round_admissibly(n, &y);
    ZM_TRY(result_check(r, first, n, &y, err));
    zm_cells_store(&r->out[item], r->in->dtype, first, n, &y);
    return ZM_OK;
}

/* J' c of a block; planes that share another's values add to its derivative. */
static void pull(const run *r, const zm_cells_values *x, const zm_cells_values *c,
                 zm_cells_values *d)
{
    r->kernels->pull[r->opts.chart](&r->map, x, c, d);
    for (size_t k = 0; !r->in->g22 && k < ZM_CELLS_BLOCK; k++)
        d->v[0][k] += d->v[2][k];
}

static zm_status pull_block(const void *ctx, size_t item, size_t first, size_t n,
                            zm_error *err)
{
    const run *r = ctx;
    zm_cells_values x, c, d;

    ZM_TRY(values_load(r, item, first, n, &x, err));
    ZM_TRY(given_load(r, false, item, first, n, &c, err));
    pull(r, &x, &c, &d);
    zm_cells_store(&r->out[item], r->in->dtype, first, n, &d);
    return ZM_OK;
}

/* J d, row by row: row p of J is J' of the unit vector p. */
static zm_status push_block(const void *ctx, size_t item, size_t first, size_t n,
                            zm_error *err)
{
    const run *r = ctx;
    zm_cells_values x, d, row, y;

    ZM_TRY(values_load(r, item, first, n, &x, err));
    ZM_TRY(given_load(r, true, item, first, n, &d, err));
    for (int p = 0; p < ZM_CELLS_PLANES; p++) {
        zm_cells_values unit = { .v = { { 0 } } };

        for (size_t k = 0; k < n; k++)
            unit.v[p][k] = 1;
        r->kernels->pull[r->opts.chart](&r->map, &x, &unit, &row);
        for (size_t k = 0; k < n; k++) {
            y.v[p][k] = 0;
            for (int q = 0; q < ZM_CELLS_PLANES; q++)
                y.v[p][k] += row.v[q][k] * d.v[q][k];
        }
    }
    zm_cells_store(&r->out[item], r->in->dtype, first, n, &y);
    return ZM_OK;
}

zm_status zm_parametrise(const zm_metric *in, size_t items, size_t n,
                         const zm_metric_out *out, const zm_parametrise_opts *opts,
                         zm_error *err)
{
    run r;

    ZM_TRY(begin(&r, in, items, out, opts, err));
    return zm_cells_all(r.opts.threads, items, n, value_block, &r, err);
}

zm_status zm_parametrise_jvp(const zm_metric *in, const zm_metric *d_in, size_t items,
                             size_t n, const zm_metric_out *d_out,
                             const zm_parametrise_opts *opts, zm_error *err)
{
    run r;

    ZM_TRY(begin(&r, in, items, d_out, opts, err));
    ZM_TRY(given_check(&r, "direction", d_in, items, err));
    return zm_cells_all(r.opts.threads, items, n, push_block, &r, err);
}

zm_status zm_parametrise_vjp(const zm_metric *in, const zm_metric *d_out, size_t items,
                             size_t n, const zm_metric_out *d_in,
                             const zm_parametrise_opts *opts, zm_error *err)
{
    run r;

    ZM_TRY(begin(&r, in, items, d_in, opts, err));
    ZM_TRY(given_check(&r, "cotangent", d_out, items, err));
    return zm_cells_all(r.opts.threads, items, n, pull_block, &r, err);
}
