/* SPDX-License-Identifier: Apache-2.0
 * Blocks that are freed together: what a figure copies, what one drawing needs. */
#ifndef ZM_PLOT_ARENA_H
#define ZM_PLOT_ARENA_H

#include <stddef.h>

#include "zermelo/alloc.h"

typedef struct arena_block arena_block;

typedef struct arena {
    zm_alloc mem;
    arena_block *blocks;
} arena;

/** count*size zeroed bytes, at least one; NULL when out of memory. */
void *zm_plot_arena_alloc(arena *a, size_t count, size_t size);

void zm_plot_arena_free(arena *a);

#endif
