/* SPDX-License-Identifier: Apache-2.0
 * Blocks of values that are made when they are first touched. */
#include "fire/front/lazy.h"

#include <string.h>

#include "core/fail.h"

zm_status zm_front_lazy_open(zm_lazy *lazy, const zm_alloc *mem, int32_t rows,
                             int32_t cols, int32_t intervals, size_t width,
                             zm_lazy_fill *fill, void *ctx, zm_error *err)
{
    const int32_t block_rows = (rows + ZM_LAZY_SIDE - 1) >> ZM_LAZY_BITS;
    const int32_t block_cols = (cols + ZM_LAZY_SIDE - 1) >> ZM_LAZY_BITS;

    *lazy = (zm_lazy){ .mem = mem,
                       .rows = rows,
                       .cols = cols,
                       .block_cols = block_cols,
                       .intervals = intervals,
                       .blocks_per_interval = (size_t)block_rows * (size_t)block_cols,
                       .width = width,
                       .fill = fill,
                       .ctx = ctx };
    lazy->blocks = zm_zalloc(mem, lazy->blocks_per_interval * (size_t)intervals,
                             sizeof *lazy->blocks);
    lazy->spare = zm_zalloc(mem, 1, width);
    if (!lazy->blocks || !lazy->spare) {
        zm_front_lazy_close(lazy);
        return zm_fail(err, ZM_E_NOMEM, -1, "values of %d x %d cells and %d hours",
                       (int)rows, (int)cols, (int)intervals);
    }
    return ZM_OK;
}

void zm_front_lazy_clear(zm_lazy *lazy)
{
    if (!lazy->blocks)
        return;
    for (size_t i = 0; i < lazy->blocks_per_interval * (size_t)lazy->intervals; i++) {
        zm_release(lazy->mem, lazy->blocks[i]);
        lazy->blocks[i] = NULL;
    }
    lazy->failed = false;
}

void zm_front_lazy_close(zm_lazy *lazy)
{
    zm_front_lazy_clear(lazy);
    if (lazy->mem) {
        zm_release(lazy->mem, lazy->blocks);
        zm_release(lazy->mem, lazy->spare);
    }
    *lazy = (zm_lazy){ 0 };
}

void zm_front_lazy_each(zm_lazy *lazy, zm_lazy_fill *visit, void *ctx)
{
    for (size_t i = 0; i < lazy->blocks_per_interval * (size_t)lazy->intervals; i++) {
        unsigned char *t = lazy->blocks[i];
        const int32_t interval = (int32_t)(i / lazy->blocks_per_interval);
        const int32_t block = (int32_t)(i % lazy->blocks_per_interval);

        for (int32_t c = 0; t && c < ZM_LAZY_CELLS; c++)
            if (t[c])
                visit(ctx, interval,
                      (block / lazy->block_cols) * ZM_LAZY_SIDE + (c >> ZM_LAZY_BITS),
                      (block % lazy->block_cols) * ZM_LAZY_SIDE +
                          (c & (ZM_LAZY_SIDE - 1)),
                      t + ZM_LAZY_CELLS + (size_t)c * lazy->width);
    }
}
