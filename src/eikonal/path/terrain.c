/* SPDX-License-Identifier: Apache-2.0
 * Walls and metrics that paths go through. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/local/triangle.h"
#include "eikonal/path/way.h"

/* Windows of metrics that zm_problem.fill has given, by interval and place. */
enum { SIDE = 8, WINDOW = SIDE * SIDE, WINDOWS = 128 };

typedef struct window {
    bool is_filled;
    size_t interval, number;
    zm_cell_metric metric[WINDOW];
    uint8_t stopped[WINDOW];
} window;

typedef struct zm_terrain_cache {
    zm_status status; /* first failure */
    zm_error error;
    double values[5][WINDOW];
    window windows[WINDOWS];
} zm_terrain_cache;

zm_status zm_terrain_open(zm_terrain *t, const zm_alloc *mem, zm_error *err)
{
    t->cache = NULL;
    if (t->problem->n_intervals == 0 || t->problem->intervals)
        return ZM_OK;
    t->cache = zm_zalloc(mem, 1, sizeof *t->cache);
    return t->cache ? ZM_OK : zm_fail(err, ZM_E_NOMEM, -1, "no memory for a path");
}

zm_status zm_terrain_close(zm_terrain *t, const zm_alloc *mem, zm_status st, zm_error *err)
{
    if (t->cache && t->cache->status != ZM_OK && st >= 0) {
        st = t->cache->status;
        if (err)
            *err = t->cache->error;
    }
    zm_release(mem, t->cache);
    t->cache = NULL;
    return st;
}

static bool fold(int32_t *line, int32_t side, bool periodic)
{
    if (*line >= 0 && *line < side)
        return true;
    if (periodic)
        *line = (*line % side + side) % side;
    return periodic;
}

bool zm_terrain_cell(const zm_terrain *t, int32_t row, int32_t col, size_t *cell)
{
    if (!fold(&row, t->grid.rows, t->periodic_y) ||
        !fold(&col, t->grid.cols, t->periodic_x))
        return false;
    *cell = (size_t)row * (size_t)t->grid.cols + (size_t)col;
    return true;
}

static bool is_wall(const zm_terrain *t, size_t cell)
{
    return t->problem->walls && t->problem->walls[cell];
}

bool zm_terrain_free(const zm_terrain *t, int32_t row, int32_t col)
{
    size_t cell;

    return zm_terrain_cell(t, row, col, &cell) && !is_wall(t, cell);
}

/* Asks for a window; false: cache->status. */
static bool window_fill(const zm_terrain *t, window *to, zm_window w)
{
    zm_terrain_cache *c = t->cache;
    zm_window_values v = { c->values[0], c->values[1], c->values[2],
                           c->values[3], c->values[4], to->stopped };
    zm_status st;

    to->is_filled = false;
    memset(c->values, 0, sizeof c->values);
    memset(to->stopped, 0, sizeof to->stopped);
    c->error = (zm_error){ ZM_E_ARG, -1, "the metric could not be filled in" };
    st = t->problem->fill(t->problem->fill_ctx, to->interval, w, &v, &c->error);
    if (st < 0) {
        c->status = st;
        return false;
    }
    for (int32_t i = 0; i < w.rows * w.cols; i++)
        to->metric[i] = (zm_cell_metric){ v.g11[i], v.g12[i], v.g22[i], v.b1[i], v.b2[i] };
    to->is_filled = true;
    return true;
}

/* Metric of a cell as zm_problem.fill gives it. */
static bool filled_metric(const zm_terrain *t, size_t interval, size_t cell,
                          zm_cell_metric *metric)
{
    const int32_t row = (int32_t)(cell / (size_t)t->grid.cols);
    const int32_t col = (int32_t)(cell % (size_t)t->grid.cols);
    const int32_t top = row / SIDE * SIDE, left = col / SIDE * SIDE;
    const int32_t rows = t->grid.rows - top, cols = t->grid.cols - left;
    const zm_window w = { top, left, rows < SIDE ? rows : SIDE, cols < SIDE ? cols : SIDE };
    const size_t number =
        (size_t)(row / SIDE) * (size_t)((t->grid.cols - 1) / SIDE + 1) + (size_t)(col / SIDE);
    window *at = &t->cache->windows[(number * 7 + interval) % WINDOWS];
    const int32_t i = (row - top) * w.cols + col - left;

    if (t->cache->status != ZM_OK)
        return false;
    if (!at->is_filled || at->interval != interval || at->number != number) {
        at->interval = interval;
        at->number = number;
        if (!window_fill(t, at, w))
            return false;
    }
    *metric = at->metric[i];
    return !at->stopped[i];
}

bool zm_terrain_metric(const zm_terrain *t, size_t interval, size_t cell,
                       zm_cell_metric *metric)
{
    const zm_problem *p = t->problem;

    if (is_wall(t, cell))
        return false;
    if (p->n_intervals == 0) {
        *metric = zm_fold_spacing(zm_metric_at(&p->metric, cell), t->grid);
        return true;
    }
    if (p->intervals) {
        const zm_interval *from = &p->intervals[interval];

        if (from->stopped && from->stopped[cell])
            return false;
        *metric = zm_metric_at(&from->metric, cell);
    } else if (!filled_metric(t, interval, cell, metric)) {
        return false;
    }
    if (metric->g11 == (double)INFINITY)
        return false;
    *metric = zm_fold_spacing(*metric, t->grid);
    return true;
}
