/* SPDX-License-Identifier: Apache-2.0
 * Metrics by cell and time interval, with what zm_problem.fill has given kept for a while. */
#include "eikonal/problem/metric_cache.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"

/* Windows of metrics that zm_problem.fill has given, by interval and place. */
enum { SIDE = 8, WINDOW = SIDE * SIDE, WINDOWS = 128 };

typedef struct window {
    bool is_filled;
    size_t interval, number;
    zm_cell_metric metric[WINDOW];
    uint8_t stopped[WINDOW];
} window;

struct zm_metric_cache {
    zm_status status; /* first failure */
    zm_error error;
    double values[5][WINDOW];
    window windows[WINDOWS];
};

zm_status zm_metric_cache_create(zm_metric_cache **out, const zm_problem *problem,
                                 const zm_alloc *mem, zm_error *err)
{
    *out = NULL;
    if (problem->n_intervals == 0 || problem->intervals)
        return ZM_OK;
    *out = zm_zalloc(mem, 1, sizeof **out);
    return *out ? ZM_OK
                : zm_fail(err, ZM_E_NOMEM, -1, "no memory for windows of the metric");
}

zm_status zm_metric_cache_destroy(zm_metric_cache *cache, const zm_alloc *mem,
                                  zm_status st, zm_error *err)
{
    if (cache && cache->status != ZM_OK && st >= 0) {
        st = cache->status;
        if (err)
            *err = cache->error;
    }
    zm_release(mem, cache);
    return st;
}

/* Asks for a window; false: cache->status. */
static bool window_fill(const zm_problem *p, zm_metric_cache *c, window *to,
                        zm_window w)
{
    zm_window_values v = { c->values[0], c->values[1], c->values[2],
                           c->values[3], c->values[4], to->stopped };
    zm_status st;

    to->is_filled = false;
    memset(c->values, 0, sizeof c->values);
    memset(to->stopped, 0, sizeof to->stopped);
    c->error = (zm_error){ ZM_E_ARG, -1, "the metric could not be filled in" };
    st = p->fill(p->fill_ctx, to->interval, w, &v, &c->error);
    if (st < 0) {
        c->status = st;
        return false;
    }
    for (int32_t i = 0; i < w.rows * w.cols; i++)
        to->metric[i] =
            (zm_cell_metric){ v.g11[i], v.g12[i], v.g22[i], v.b1[i], v.b2[i] };
    to->is_filled = true;
    return true;
}

/* Metric of a cell as zm_problem.fill gives it. */
static bool filled_metric(zm_grid grid, const zm_problem *p, zm_metric_cache *cache,
                          size_t interval, size_t cell, zm_cell_metric *metric)
{
    const int32_t row = (int32_t)(cell / (size_t)grid.cols);
    const int32_t col = (int32_t)(cell % (size_t)grid.cols);
    const int32_t top = row / SIDE * SIDE, left = col / SIDE * SIDE;
    const int32_t rows = grid.rows - top, cols = grid.cols - left;
    const zm_window w = { top, left, rows < SIDE ? rows : SIDE,
                          cols < SIDE ? cols : SIDE };
    const size_t number = (size_t)(row / SIDE) * (size_t)((grid.cols - 1) / SIDE + 1) +
                          (size_t)(col / SIDE);
    window *at = &cache->windows[(number * 7 + interval) % WINDOWS];
    const int32_t i = (row - top) * w.cols + col - left;

    if (cache->status != ZM_OK)
        return false;
    if (!at->is_filled || at->interval != interval || at->number != number) {
        at->interval = interval;
        at->number = number;
        if (!window_fill(p, cache, at, w))
            return false;
    }
    *metric = at->metric[i];
    return !at->stopped[i];
}

bool zm_metric_in(zm_grid grid, const zm_problem *p, zm_metric_cache *cache,
                  size_t interval, size_t cell, zm_cell_metric *metric)
{
    if (p->walls && p->walls[cell])
        return false;
    if (p->n_intervals == 0) {
        *metric = zm_metric_at(&p->metric, cell);
        return true;
    }
    if (p->intervals) {
        const zm_interval *from = &p->intervals[interval];

        if (from->stopped && from->stopped[cell])
            return false;
        *metric = zm_metric_at(&from->metric, cell);
    } else if (!filled_metric(grid, p, cache, interval, cell, metric)) {
        return false;
    }
    return metric->g11 != (double)INFINITY;
}
