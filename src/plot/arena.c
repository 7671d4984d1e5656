/* SPDX-License-Identifier: Apache-2.0
 * Blocks that are freed together: what a figure copies, what one drawing needs. */
#include "plot/arena.h"

#include <stdint.h>

#include "core/memory.h"

struct arena_block {
    arena_block *next;
    max_align_t data[];
};

void *zm_plot_arena_alloc(arena *a, size_t count, size_t size)
{
    size_t bytes;
    arena_block *block;

    if (!zm_mul_size(count, size, &bytes) || bytes > SIZE_MAX - sizeof *block - 1)
        return NULL;
    block = zm_zalloc(&a->mem, 1, sizeof *block + bytes + 1);
    if (!block)
        return NULL;
    block->next = a->blocks;
    a->blocks = block;
    return block->data;
}

void zm_plot_arena_free(arena *a)
{
    while (a->blocks) {
        arena_block *next = a->blocks->next;

        zm_release(&a->mem, a->blocks);
        a->blocks = next;
    }
}
