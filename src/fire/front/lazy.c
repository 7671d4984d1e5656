/* SPDX-License-Identifier: Apache-2.0
 * Tiles of values that are made when they are first touched. */
#include "fire/front/lazy.h"

#include <string.h>

#include "core/fail.h"

enum { CELLS = ZM_LAZY_SIDE * ZM_LAZY_SIDE };

zm_status zm_front_lazy_open(zm_lazy *lazy, const zm_alloc *mem, int32_t rows,
                             int32_t cols, int32_t bands, size_t width,
                             zm_lazy_fill *fill, void *ctx, zm_error *err)
{
    const int32_t tile_rows = (rows + ZM_LAZY_SIDE - 1) >> ZM_LAZY_BITS;
    const int32_t tile_cols = (cols + ZM_LAZY_SIDE - 1) >> ZM_LAZY_BITS;

    *lazy = (zm_lazy){ .mem = mem,
                       .rows = rows,
                       .cols = cols,
                       .tile_cols = tile_cols,
                       .bands = bands,
                       .tiles_per_band = (size_t)tile_rows * (size_t)tile_cols,
                       .width = width,
                       .fill = fill,
                       .ctx = ctx };
    lazy->tiles =
        zm_zalloc(mem, lazy->tiles_per_band * (size_t)bands, sizeof *lazy->tiles);
    lazy->spare = zm_zalloc(mem, 1, width);
    if (!lazy->tiles || !lazy->spare) {
        zm_front_lazy_close(lazy);
        return zm_fail(err, ZM_E_NOMEM, -1, "values of %d x %d cells and %d hours",
                       (int)rows, (int)cols, (int)bands);
    }
    return ZM_OK;
}

void zm_front_lazy_clear(zm_lazy *lazy)
{
    if (!lazy->tiles)
        return;
    for (size_t i = 0; i < lazy->tiles_per_band * (size_t)lazy->bands; i++) {
        zm_release(lazy->mem, lazy->tiles[i]);
        lazy->tiles[i] = NULL;
    }
    lazy->failed = false;
}

void zm_front_lazy_close(zm_lazy *lazy)
{
    zm_front_lazy_clear(lazy);
    if (lazy->mem) {
        zm_release(lazy->mem, lazy->tiles);
        zm_release(lazy->mem, lazy->spare);
    }
    *lazy = (zm_lazy){ 0 };
}

void *zm_front_lazy_make(zm_lazy *lazy, int32_t band, int32_t row, int32_t col)
{
    const size_t tile = (size_t)band * lazy->tiles_per_band +
                        (size_t)(row >> ZM_LAZY_BITS) * (size_t)lazy->tile_cols +
                        (size_t)(col >> ZM_LAZY_BITS);
    const size_t cell = (size_t)((row & (ZM_LAZY_SIDE - 1)) << ZM_LAZY_BITS) +
                        (size_t)(col & (ZM_LAZY_SIDE - 1));
    unsigned char *t = lazy->tiles[tile];
    void *value;

    if (!t) {
        t = zm_block(lazy->mem, CELLS, 1 + lazy->width);
        if (!t) {
            lazy->failed = true;
            memset(lazy->spare, 0, lazy->width);
            return lazy->spare;
        }
        memset(t, 0, CELLS);
        lazy->tiles[tile] = t;
    }
    value = t + CELLS + cell * lazy->width;
    if (lazy->fill)
        lazy->fill(lazy->ctx, band, row, col, value);
    else
        memset(value, 0, lazy->width);
    t[cell] = 1;
    return value;
}

void zm_front_lazy_each(zm_lazy *lazy, zm_lazy_fill *visit, void *ctx)
{
    for (size_t i = 0; i < lazy->tiles_per_band * (size_t)lazy->bands; i++) {
        unsigned char *t = lazy->tiles[i];
        const int32_t band = (int32_t)(i / lazy->tiles_per_band);
        const int32_t tile = (int32_t)(i % lazy->tiles_per_band);

        for (int32_t c = 0; t && c < CELLS; c++)
            if (t[c])
                visit(ctx, band,
                      (tile / lazy->tile_cols) * ZM_LAZY_SIDE + (c >> ZM_LAZY_BITS),
                      (tile % lazy->tile_cols) * ZM_LAZY_SIDE +
                          (c & (ZM_LAZY_SIDE - 1)),
                      t + CELLS + (size_t)c * lazy->width);
    }
}
