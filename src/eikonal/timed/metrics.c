/* SPDX-License-Identifier: Apache-2.0
 * Metrics by interval and block, read when the front comes near. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/local/triangle.h"
#include "eikonal/problem/unit.h"
#include "eikonal/timed/timed.h"

zm_window zm_timed_block_window(const zm_timed *s, size_t block)
{
    const int32_t row = (int32_t)(block / (size_t)s->blocks_x) * ZM_TIMED_SIDE;
    const int32_t col = (int32_t)(block % (size_t)s->blocks_x) * ZM_TIMED_SIDE;
    const int32_t rows = s->grid.rows - row, cols = s->grid.cols - col;

    return (zm_window){ row, col, rows < ZM_TIMED_SIDE ? rows : ZM_TIMED_SIDE,
                        cols < ZM_TIMED_SIDE ? cols : ZM_TIMED_SIDE };
}

static void block_drop(zm_timed *s, zm_timed_store *store, size_t interval,
                       size_t block)
{
    zm_timed_block *b = store->table[interval][block];

    if (!b)
        return;
    b->next = s->idle;
    s->idle = b;
    store->table[interval][block] = NULL;
    store->n_blocks--;
}

void zm_timed_store_drop(zm_timed *s, zm_timed_store *store, size_t interval)
{
    const size_t blocks = (size_t)s->blocks_x * (size_t)s->blocks_y;

    for (size_t i = 0; store->table[interval] && i < blocks; i++)
        block_drop(s, store, interval, i);
}

zm_status zm_timed_store_begin(zm_timed *s, zm_timed_store *store, zm_error *err)
{
    for (size_t interval = 0; interval < store->n_intervals; interval++)
        zm_timed_store_drop(s, store, interval);
    store->n_intervals = 0;
    if (!zm_timed_grow(s, &store->table, &store->room, s->n_starts,
                       sizeof *store->table))
        return zm_timed_status(s, err);
    store->n_intervals = s->n_starts;
    return ZM_OK;
}

void zm_timed_metrics_trim(zm_timed *s, size_t interval, size_t last)
{
    if (s->metric_bytes == 0 ||
        s->metrics.n_blocks * sizeof(zm_timed_block) <= s->metric_bytes)
        return;
    for (size_t k = 0; k < s->metrics.n_intervals; k++)
        if (k < interval || k > last)
            zm_timed_store_drop(s, &s->metrics, k);
}

static zm_timed_block *fail(zm_timed *s, zm_status status)
{
    if (s->status == ZM_OK)
        s->status = status;
    return NULL;
}

zm_timed_block *zm_timed_store_add(zm_timed *s, zm_timed_store *store, size_t interval,
                                   size_t block)
{
    const size_t blocks = (size_t)s->blocks_x * (size_t)s->blocks_y;
    zm_timed_block *b = s->idle;

    if (!store->table[interval] &&
        !zm_timed_grow(s, &store->table[interval], &(size_t){ 0 }, blocks,
                       sizeof **store->table))
        return NULL;
    if (b)
        s->idle = b->next;
    else if (!zm_timed_grow(s, &b, &(size_t){ 0 }, 1, sizeof *b))
        return NULL;
    memset(b->stopped, 1, sizeof b->stopped);
    store->table[interval][block] = b;
    store->n_blocks++;
    return b;
}

zm_window_values zm_timed_values(zm_timed *s)
{
    double *const at = s->values;

    memset(at, 0, 5 * ZM_TIMED_BLOCK * sizeof *at);
    memset(s->value_stopped, 0, ZM_TIMED_BLOCK);
    return (zm_window_values){ at,
                               at + ZM_TIMED_BLOCK,
                               at + 2 * ZM_TIMED_BLOCK,
                               at + 3 * ZM_TIMED_BLOCK,
                               at + 4 * ZM_TIMED_BLOCK,
                               s->value_stopped };
}

/* Copies a window from planes of the whole grid. */
static void window_copy(const zm_timed *s, size_t interval, zm_window w,
                        zm_window_values *v)
{
    const zm_interval *from = &s->problem->intervals[interval];
    size_t i = 0;

    for (int32_t row = w.row; row < w.row + w.rows; row++)
        for (int32_t col = w.col; col < w.col + w.cols; col++, i++) {
            const size_t cell = (size_t)row * (size_t)s->grid.cols + (size_t)col;
            const zm_cell_metric m = zm_metric_at(&from->metric, cell);

            v->g11[i] = m.g11;
            v->g12[i] = m.g12;
            v->g22[i] = m.g22;
            v->b1[i] = m.b1;
            v->b2[i] = m.b2;
            v->stopped[i] = from->stopped ? from->stopped[cell] : 0;
        }
}

/* Folds the metric m of a cell into *to if it is admissible. */
static zm_status cell_read(const zm_timed *s, size_t interval, size_t cell,
                           zm_cell_metric m, zm_cell_metric *to, zm_error *err)
{
    zm_error why;

    if (zm_local_read(s->grid, m, cell, to, &why) == ZM_OK)
        return ZM_OK;
    if (s->solved)
        return zm_record_changed(err);
    return zm_fail(err, ZM_E_METRIC, (int64_t)cell, "interval %zu: %.200s", interval,
                   why.text);
}

static zm_status block_read(zm_timed *s, size_t interval, zm_window w,
                            const zm_window_values *v, zm_timed_block *b, zm_error *err)
{
    const uint8_t *walls = s->problem->walls;

    for (int32_t i = 0; i < w.rows * w.cols; i++) {
        const int32_t row = i / w.cols, col = i % w.cols;
        const size_t cell =
            (size_t)(w.row + row) * (size_t)s->grid.cols + (size_t)(w.col + col);
        const zm_cell_metric m = { v->g11[i], v->g12[i], v->g22[i], v->b1[i],
                                   v->b2[i] };

        if ((walls && walls[cell]) || v->stopped[i] || m.g11 == (double)INFINITY)
            continue;
        ZM_TRY(cell_read(s, interval, cell, m, &b->metric[row * ZM_TIMED_SIDE + col],
                         err));
        b->stopped[row * ZM_TIMED_SIDE + col] = 0;
    }
    return ZM_OK;
}

static bool moves(const zm_window_values *v, int32_t i)
{
    return !v->stopped[i] && v->g11[i] > 0 && v->g11[i] < (double)INFINITY;
}

/* The unit by the metric of a cell of this window, or where nothing moves there of any cell of
 * it, or else by how long an interval is. */
static zm_status unit_find(zm_timed *s, zm_window w, const zm_window_values *v,
                           zm_error *err)
{
    const int32_t row = (int32_t)(s->unit_cell / (uint32_t)s->grid.cols) - w.row,
                  col = (int32_t)(s->unit_cell % (uint32_t)s->grid.cols) - w.col;
    int32_t i = row * w.cols + col, exponent;

    for (int32_t k = 0; k < w.rows * w.cols && !moves(v, i); k++)
        i = moves(v, k) ? k : i;
    if (moves(v, i)) {
        const zm_cell_metric m = { v->g11[i], v->g12[i], v->g22[i], v->b1[i], v->b2[i] };

        s->unit = zm_unit_of(s->spacing, &m);
    } else {
        frexp(s->n_starts > 1 ? s->problem->starts[1] - s->problem->starts[0] : 1,
              &exponent);
        s->unit = ldexp(1, exponent);
    }
    s->grid = zm_unit_grid(s->spacing, s->unit);
    return zm_unit_check(s->dtype, s->unit, s->unit_cell, err);
}

zm_timed_block *zm_timed_metrics_fill(zm_timed *s, size_t interval, size_t block)
{
    const zm_problem *p = s->problem;
    const zm_window w = zm_timed_block_window(s, block);
    zm_window_values v = zm_timed_values(s);
    zm_timed_block *b;
    zm_status st = ZM_OK;

    if (s->status != ZM_OK)
        return NULL;
    if (p->intervals)
        window_copy(s, interval, w, &v);
    else
        st = p->fill(p->fill_ctx, interval, w, &v, &s->error);
    if (st >= 0 && s->unit == 0)
        st = unit_find(s, w, &v, &s->error);
    if (st < 0)
        return fail(s, st);
    if (!(b = zm_timed_store_add(s, &s->metrics, interval, block)))
        return NULL;
    s->n_filled++;
    st = block_read(s, interval, w, &v, b, &s->error);
    if (st == ZM_OK)
        return b;
    block_drop(s, &s->metrics, interval, block);
    return fail(s, st);
}
