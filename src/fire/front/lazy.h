/* SPDX-License-Identifier: Apache-2.0
 * Values per cell and hour that are computed when they are first asked for.  A fire touches
 * few cells in each of its hours; whole planes of all hours would cost a hundred times more
 * time and memory. */
#ifndef ZM_PHYSICS_LAZY_H
#define ZM_PHYSICS_LAZY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/memory.h"
#include "zermelo/status.h"

enum { ZM_LAZY_BITS = 3, ZM_LAZY_SIDE = 1 << ZM_LAZY_BITS }; /* cells of a tile */

typedef void zm_lazy_fill(void *ctx, int32_t band, int32_t row, int32_t col,
                          void *value);

typedef struct zm_lazy {
    const zm_alloc *mem;
    int32_t rows, cols, tile_cols, bands;
    size_t tiles_per_band, width; /* bytes of a value */
    zm_lazy_fill *fill;           /* NULL: zeros */
    void *ctx;
    unsigned char **tiles; /* NULL: not touched; else flags, then values */
    void *spare;           /* stands for a value when memory ran out */
    bool failed;           /* it has */
} zm_lazy;

/** Prepares an empty store; its memory is freed by zm_front_lazy_close. */
zm_status zm_front_lazy_open(zm_lazy *lazy, const zm_alloc *mem, int32_t rows,
                             int32_t cols, int32_t bands, size_t width,
                             zm_lazy_fill *fill, void *ctx, zm_error *err);
void zm_front_lazy_close(zm_lazy *lazy);
void zm_front_lazy_clear(zm_lazy *lazy); /**< forgets all values */

/** Makes the tile or the value; do not call, zm_lazy_get does. */
void *zm_front_lazy_make(zm_lazy *lazy, int32_t band, int32_t row, int32_t col);

/** Value of a cell, computed if need be; valid until clear or close. */
static inline void *zm_lazy_get(zm_lazy *lazy, int32_t band, int32_t row, int32_t col)
{
    const size_t tile = (size_t)band * lazy->tiles_per_band +
                        (size_t)(row >> ZM_LAZY_BITS) * (size_t)lazy->tile_cols +
                        (size_t)(col >> ZM_LAZY_BITS);
    const size_t cell = (size_t)((row & (ZM_LAZY_SIDE - 1)) << ZM_LAZY_BITS) +
                        (size_t)(col & (ZM_LAZY_SIDE - 1));
    unsigned char *t = lazy->tiles[tile];

    if (t && t[cell])
        return t + ZM_LAZY_SIDE * ZM_LAZY_SIDE + cell * lazy->width;
    return zm_front_lazy_make(lazy, band, row, col);
}

/** Calls visit for every value there is, in a fixed order. */
void zm_front_lazy_each(zm_lazy *lazy, zm_lazy_fill *visit, void *ctx);

#endif
