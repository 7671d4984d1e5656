/* SPDX-License-Identifier: Apache-2.0
 * Values per cell and hour that are computed when they are first asked for.  A fire touches
 * few cells in each of its hours; whole planes of all hours would cost a hundred times more
 * time and memory. */
#ifndef ZM_PHYSICS_LAZY_H
#define ZM_PHYSICS_LAZY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/memory.h"
#include "zermelo/status.h"

enum {
    ZM_LAZY_BITS = 3,
    ZM_LAZY_SIDE = 1 << ZM_LAZY_BITS, /* cells along a block */
    ZM_LAZY_CELLS = ZM_LAZY_SIDE * ZM_LAZY_SIDE
};

typedef void zm_lazy_fill(void *ctx, int32_t interval, int32_t row, int32_t col,
                          void *value);

typedef struct zm_lazy {
    const zm_alloc *mem;
    int32_t rows, cols, block_cols, intervals;
    size_t blocks_per_interval, width; /* bytes of a value */
    zm_lazy_fill *fill;                /* NULL: zeros */
    void *ctx;
    unsigned char **blocks; /* NULL: not touched; else flags, then values */
    void *spare;            /* stands for a value when memory ran out */
    bool failed;            /* it has */
} zm_lazy;

/** Prepares an empty store; its memory is freed by zm_front_lazy_close. */
zm_status zm_front_lazy_open(zm_lazy *lazy, const zm_alloc *mem, int32_t rows,
                             int32_t cols, int32_t intervals, size_t width,
                             zm_lazy_fill *fill, void *ctx, zm_error *err);
void zm_front_lazy_close(zm_lazy *lazy);
void zm_front_lazy_clear(zm_lazy *lazy); /**< forgets all values */

/** Value of a cell, computed if need be; valid until clear or close. */
static inline void *zm_lazy_get(zm_lazy *lazy, int32_t interval, int32_t row,
                                int32_t col)
{
    const size_t cell = (size_t)((row & (ZM_LAZY_SIDE - 1)) << ZM_LAZY_BITS) +
                        (size_t)(col & (ZM_LAZY_SIDE - 1));
    unsigned char **block =
        &lazy->blocks[(size_t)interval * lazy->blocks_per_interval +
                      (size_t)(row >> ZM_LAZY_BITS) * (size_t)lazy->block_cols +
                      (size_t)(col >> ZM_LAZY_BITS)];
    unsigned char *t = *block;
    void *value;

    if (t && t[cell])
        return t + ZM_LAZY_CELLS + cell * lazy->width;
    if (!t) {
        t = zm_block(lazy->mem, ZM_LAZY_CELLS, 1 + lazy->width);
        if (!t) {
            lazy->failed = true;
            memset(lazy->spare, 0, lazy->width);
            return lazy->spare;
        }
        memset(t, 0, ZM_LAZY_CELLS);
        *block = t;
    }
    value = t + ZM_LAZY_CELLS + cell * lazy->width;
    if (lazy->fill)
        lazy->fill(lazy->ctx, interval, row, col, value);
    else
        memset(value, 0, lazy->width);
    t[cell] = 1;
    return value;
}

/** Calls visit for every value there is, in a fixed order. */
void zm_front_lazy_each(zm_lazy *lazy, zm_lazy_fill *visit, void *ctx);

#endif
