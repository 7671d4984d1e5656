/* SPDX-License-Identifier: Apache-2.0
 * Checks of time intervals. */
#include <math.h>
#include <stdbool.h>

#include "core/memory.h"
#include "core/options.h"
#include "eikonal/problem/intervals.h"
#include "eikonal/problem/metric_cache.h"

static zm_status starts_check(const zm_problem *p, zm_error *err)
{
    for (size_t k = 0; k < p->n_intervals; k++) {
        if (!isfinite(p->starts[k]))
            return zm_fail(err, ZM_E_ARG, -1,
                           "interval %zu starts at %g, must be finite", k,
                           p->starts[k]);
        if (k > 0 && !(p->starts[k] > p->starts[k - 1]))
            return zm_fail(
                err, ZM_E_ARG, -1,
                "interval %zu starts at %.9g, must be later than interval %zu at %.9g",
                k, p->starts[k], k - 1, p->starts[k - 1]);
    }
    return ZM_OK;
}

zm_status zm_intervals_check(const zm_problem *p, zm_error *err)
{
    const zm_metric *whole = &p->metric;

    if (whole->g11 || whole->g12 || whole->g22 || whole->b1 || whole->b2)
        return zm_fail(err, ZM_E_ARG, -1,
                       "give either a metric for all times or intervals, not both");
    if (!p->starts)
        return zm_fail(err, ZM_E_ARG, -1, "starts is NULL, must have %zu times",
                       p->n_intervals);
    if (!p->intervals == !p->fill)
        return zm_fail(err, ZM_E_ARG, -1, "give either intervals or fill");
    for (size_t k = 0; p->intervals && k < p->n_intervals; k++) {
        const zm_metric *m = &p->intervals[k].metric;

        if (!m->g11 || !m->b1 != !m->b2)
            return zm_fail(err, ZM_E_ARG, -1,
                           "interval %zu: plane %s is NULL (b1 and b2 come together)",
                           k,
                           !m->g11  ? "g11"
                           : !m->b1 ? "b1"
                                    : "b2");
    }
    return starts_check(p, err);
}

/* The metric of a cell in an interval, if it moves there. */
static zm_status check_cell(zm_grid grid, const zm_problem *p, zm_metric_cache *cache,
                            size_t k, size_t cell, zm_error *err)
{
    zm_cell_metric m;
    zm_error why;

    if (!zm_metric_in(grid, p, cache, k, cell, &m) ||
        zm_cell_check(grid, m, cell, &why) == ZM_OK)
        return ZM_OK;
    return zm_fail(err, ZM_E_METRIC, (int64_t)cell, "interval %zu: %.200s", k, why.text);
}

zm_status zm_intervals_check_metrics(zm_grid grid, const zm_problem *p, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    zm_metric_cache *cache;
    size_t n = 0;
    zm_status st = zm_metric_cache_create(&cache, p, &mem, err);

    zm_grid_cells(grid, &n);
    for (size_t k = 0; st == ZM_OK && k < p->n_intervals; k++)
        for (size_t cell = 0; st == ZM_OK && cell < n; cell++)
            st = check_cell(grid, p, cache, k, cell, err);
    return zm_metric_cache_destroy(cache, &mem, st, err);
}

zm_status zm_intervals_check_dtype(const zm_problem *p, zm_dtype dtype, zm_error *err)
{
    for (size_t k = 0; p->intervals && k < p->n_intervals; k++)
        if (p->intervals[k].metric.dtype != dtype)
            return zm_fail(
                err, ZM_E_ARG, -1, "interval %zu is %s, the solver was made for %s", k,
                zm_dtype_name(p->intervals[k].metric.dtype), zm_dtype_name(dtype));
    return ZM_OK;
}
