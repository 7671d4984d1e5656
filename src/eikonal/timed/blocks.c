/* SPDX-License-Identifier: Apache-2.0
 * Metrics by band and block, read when the front comes near. */
#include <math.h>
#include <string.h>

#include "eikonal/timed/slot.h"
#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/local/triangle.h"

zm_band_window zm_bands_block_window(const zm_bands_slot *s, size_t block)
{
    const int32_t row = (int32_t)(block / (size_t)s->blocks_x) * ZM_BANDS_SIDE;
    const int32_t col = (int32_t)(block % (size_t)s->blocks_x) * ZM_BANDS_SIDE;
    const int32_t rows = s->grid.rows - row, cols = s->grid.cols - col;

    return (zm_band_window){ row, col, rows < ZM_BANDS_SIDE ? rows : ZM_BANDS_SIDE,
                             cols < ZM_BANDS_SIDE ? cols : ZM_BANDS_SIDE };
}

void zm_band_store_drop(zm_bands_slot *s, zm_band_store *store, size_t band)
{
    const size_t blocks = (size_t)s->blocks_x * (size_t)s->blocks_y;

    for (size_t i = 0; store->table[band] && i < blocks; i++) {
        zm_band_block *b = store->table[band][i];

        if (!b)
            continue;
        b->next = s->idle;
        s->idle = b;
        store->table[band][i] = NULL;
        store->n_blocks--;
    }
}

/* Room for so many bands; tables of blocks come when needed. */
static bool table_grow(zm_bands_slot *s, zm_band_store *store, size_t bands)
{
    zm_band_block ***more;

    if (bands <= store->room)
        return true;
    if (!zm_take(&s->mem, &s->bytes, &more, bands, sizeof *more))
        return false;
    memset(more, 0, bands * sizeof *more);
    if (store->table) {
        memcpy(more, store->table, store->room * sizeof *more);
        s->bytes -= store->room * sizeof *more;
        zm_release(&s->mem, store->table);
    }
    store->table = more;
    store->room = bands;
    return true;
}

zm_status zm_band_store_begin(zm_bands_slot *s, zm_band_store *store, zm_error *err)
{
    for (size_t band = 0; band < store->n_bands; band++)
        zm_band_store_drop(s, store, band);
    store->n_bands = 0;
    if (!table_grow(s, store, s->problem->n_bands))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu bands",
                       s->problem->n_bands);
    store->n_bands = s->problem->n_bands;
    return ZM_OK;
}

void zm_bands_metrics_trim(zm_bands_slot *s, size_t band, size_t last)
{
    if (s->metric_bytes == 0 ||
        s->metrics.n_blocks * sizeof(zm_band_block) <= s->metric_bytes)
        return;
    for (size_t k = 0; k < s->metrics.n_bands; k++)
        if (k < band || k > last)
            zm_band_store_drop(s, &s->metrics, k);
}

static zm_band_block *fail(zm_bands_slot *s, zm_status status)
{
    if (s->status == ZM_OK)
        s->status = status;
    return NULL;
}

static zm_band_block *no_memory(zm_bands_slot *s)
{
    zm_error *err = s->status == ZM_OK ? &s->error : NULL;

    return fail(s, zm_fail(err, ZM_E_NOMEM, -1, "no memory for the metrics of bands"));
}

zm_band_block *zm_band_store_add(zm_bands_slot *s, zm_band_store *store, size_t band,
                                 size_t block)
{
    const size_t blocks = (size_t)s->blocks_x * (size_t)s->blocks_y;
    zm_band_block *b = s->idle;

    if (!store->table[band]) {
        if (!zm_take(&s->mem, &s->bytes, &store->table[band], blocks,
                     sizeof **store->table))
            return no_memory(s);
        memset(store->table[band], 0, blocks * sizeof **store->table);
    }
    if (b)
        s->idle = b->next;
    else if (!zm_take(&s->mem, &s->bytes, &b, 1, sizeof *b))
        return no_memory(s);
    memset(b->stopped, 1, sizeof b->stopped);
    store->table[band][block] = b;
    store->n_blocks++;
    return b;
}

zm_band_values zm_bands_values(zm_bands_slot *s)
{
    double *const at = s->values;

    memset(at, 0, 5 * ZM_BANDS_BLOCK * sizeof *at);
    memset(s->value_stopped, 0, ZM_BANDS_BLOCK);
    return (zm_band_values){ at,
                             at + ZM_BANDS_BLOCK,
                             at + 2 * ZM_BANDS_BLOCK,
                             at + 3 * ZM_BANDS_BLOCK,
                             at + 4 * ZM_BANDS_BLOCK,
                             s->value_stopped };
}

/* Copies a window from planes of the whole grid. */
static void window_copy(const zm_bands_slot *s, size_t band, zm_band_window w,
                        zm_band_values *v)
{
    const zm_band *from = &s->problem->bands[band];
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

/* Whether a folded metric is admissible; the exact check says what is wrong. */
static zm_status cell_check(const zm_bands_slot *s, size_t band, size_t cell,
                            zm_cell_metric m, zm_error *err)
{
    const zm_cell_metric g = zm_local_fold(m, s->grid);
    const double det = g.g11 * g.g22 - g.g12 * g.g12;
    const double drift =
        g.g22 * g.b1 * g.b1 - 2 * g.g12 * g.b1 * g.b2 + g.g11 * g.b2 * g.b2;
    const zm_metric one = { ZM_F64, &m.g11, &m.g12, &m.g22, &m.b1, &m.b2 };
    zm_error why;

    if (g.g11 > 0 && det > 0 && drift < det && det < (double)INFINITY)
        return ZM_OK;
    if (zm_cell_check((zm_grid){ 1, 1, s->grid.dx, s->grid.dy }, &one, 0, &why) ==
        ZM_OK)
        return ZM_OK; /* only by rounding */
    return zm_fail(err, ZM_E_METRIC, (int64_t)cell,
                   "band %zu, row %zu, col %zu: %.180s", band,
                   cell / (size_t)s->grid.cols, cell % (size_t)s->grid.cols, why.text);
}

static zm_status block_read(zm_bands_slot *s, size_t band, zm_band_window w,
                            const zm_band_values *v, zm_band_block *b, zm_error *err)
{
    const uint8_t *walls = s->problem->walls;

    for (int32_t i = 0; i < w.rows * w.cols; i++) {
        const int32_t row = i / w.cols, col = i % w.cols;
        const size_t cell =
            (size_t)(w.row + row) * (size_t)s->grid.cols + (size_t)(w.col + col);
        const zm_cell_metric m = { v->g11[i], v->g12[i], v->g22[i], v->b1[i],
                                   v->b2[i] };
        zm_status st;

        if ((walls && walls[cell]) || v->stopped[i] || m.g11 == (double)INFINITY)
            continue;
        if ((st = cell_check(s, band, cell, m, err)) != ZM_OK)
            return st;
        b->metric[row * ZM_BANDS_SIDE + col] = zm_local_fold(m, s->grid);
        b->stopped[row * ZM_BANDS_SIDE + col] = 0;
    }
    return ZM_OK;
}

zm_band_block *zm_bands_metrics_fill(zm_bands_slot *s, size_t band, size_t block)
{
    const zm_bands_problem *p = s->problem;
    const zm_band_window w = zm_bands_block_window(s, block);
    zm_band_values v = zm_bands_values(s);
    zm_band_block *b;
    zm_status st = ZM_OK;

    if (s->status != ZM_OK)
        return NULL;
    if (p->bands)
        window_copy(s, band, w, &v);
    else
        st = p->fill(p->fill_ctx, band, w, &v, &s->error);
    if (st < 0)
        return fail(s, st);
    if (!(b = zm_band_store_add(s, &s->metrics, band, block)))
        return NULL;
    s->n_filled++;
    st = block_read(s, band, w, &v, b, &s->error);
    return st == ZM_OK ? b : fail(s, st);
}
