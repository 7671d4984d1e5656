/* SPDX-License-Identifier: Apache-2.0
 * Tiles to be visited, earliest news first: a binary heap that knows where each tile is. */
#ifndef ZM_FORWARD_TILE_QUEUE_H
#define ZM_FORWARD_TILE_QUEUE_H

#include <stdint.h>

typedef struct zm_tile_queue {
    int32_t n;
    int32_t *heap;  /* tiles; the root has the smallest key */
    int32_t *place; /* by tile: index in heap, or -1 */
    double *key;    /* by tile */
} zm_tile_queue;

/** Empties the queue of `tiles` tiles. */
void zm_tile_queue_clear(zm_tile_queue *q, int32_t tiles);

/** Adds a tile, or moves it forward if the key is smaller than the one it has. */
void zm_tile_queue_push(zm_tile_queue *q, int32_t tile, double key);

/** Takes the tile with the smallest key; -1 if there is none. */
int32_t zm_tile_queue_pop(zm_tile_queue *q);

/** The tile with the smallest key, left where it is; -1 if there is none. */
static inline int32_t zm_tile_queue_peek(const zm_tile_queue *q)
{
    return q->n ? q->heap[0] : -1;
}

#endif
