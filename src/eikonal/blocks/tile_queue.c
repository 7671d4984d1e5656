/* SPDX-License-Identifier: Apache-2.0
 * Tiles to be visited, earliest news first. */
#include "eikonal/blocks/tile_queue.h"

void zm_tile_queue_clear(zm_tile_queue *q, int32_t tiles)
{
    q->n = 0;
    for (int32_t i = 0; i < tiles; i++)
        q->place[i] = -1;
}

static void put(zm_tile_queue *q, int32_t at, int32_t tile)
{
    q->heap[at] = tile;
    q->place[tile] = at;
}

static void sift_up(zm_tile_queue *q, int32_t at)
{
    const int32_t tile = q->heap[at];

    while (at > 0) {
        const int32_t parent = (at - 1) / 2;

        if (q->key[q->heap[parent]] <= q->key[tile])
            break;
        put(q, at, q->heap[parent]);
        at = parent;
    }
    put(q, at, tile);
}

static void sift_down(zm_tile_queue *q, int32_t at)
{
    const int32_t tile = q->heap[at];

    for (;;) {
        int32_t child = 2 * at + 1;

        if (child >= q->n)
            break;
        if (child + 1 < q->n && q->key[q->heap[child + 1]] < q->key[q->heap[child]])
            child++;
        if (q->key[tile] <= q->key[q->heap[child]])
            break;
        put(q, at, q->heap[child]);
        at = child;
    }
    put(q, at, tile);
}

void zm_tile_queue_push(zm_tile_queue *q, int32_t tile, double key)
{
    if (q->place[tile] < 0) {
        q->key[tile] = key;
        put(q, q->n++, tile);
    } else if (key < q->key[tile]) {
        q->key[tile] = key;
    } else {
        return;
    }
    sift_up(q, q->place[tile]);
}

int32_t zm_tile_queue_pop(zm_tile_queue *q)
{
    const int32_t tile = zm_tile_queue_peek(q);

    if (tile >= 0) {
        q->place[tile] = -1;
        if (--q->n > 0) {
            put(q, 0, q->heap[q->n]);
            sift_down(q, 0);
        }
    }
    return tile;
}
