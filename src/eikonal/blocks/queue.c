/* SPDX-License-Identifier: Apache-2.0
 * Blocks to be visited, earliest change first. */
#include "eikonal/blocks/queue.h"

void zm_blocks_queue_clear(zm_blocks_queue *q, int32_t blocks)
{
    q->n = 0;
    for (int32_t i = 0; i < blocks; i++)
        q->place[i] = -1;
}

static void put(zm_blocks_queue *q, int32_t at, int32_t block)
{
    q->heap[at] = block;
    q->place[block] = at;
}

static void sift_up(zm_blocks_queue *q, int32_t at)
{
    const int32_t block = q->heap[at];

    while (at > 0) {
        const int32_t parent = (at - 1) / 2;

        if (q->key[q->heap[parent]] <= q->key[block])
            break;
        put(q, at, q->heap[parent]);
        at = parent;
    }
    put(q, at, block);
}

static void sift_down(zm_blocks_queue *q, int32_t at)
{
    const int32_t block = q->heap[at];

    for (;;) {
        int32_t child = 2 * at + 1;

        if (child >= q->n)
            break;
        if (child + 1 < q->n && q->key[q->heap[child + 1]] < q->key[q->heap[child]])
            child++;
        if (q->key[block] <= q->key[q->heap[child]])
            break;
        put(q, at, q->heap[child]);
        at = child;
    }
    put(q, at, block);
}

void zm_blocks_queue_push(zm_blocks_queue *q, int32_t block, double key)
{
    if (q->place[block] < 0) {
        q->key[block] = key;
        put(q, q->n++, block);
    } else if (key < q->key[block]) {
        q->key[block] = key;
    } else {
        return;
    }
    sift_up(q, q->place[block]);
}

int32_t zm_blocks_queue_pop(zm_blocks_queue *q)
{
    const int32_t block = zm_blocks_queue_peek(q);

    if (block >= 0) {
        q->place[block] = -1;
        if (--q->n > 0) {
            put(q, 0, q->heap[q->n]);
            sift_down(q, 0);
        }
    }
    return block;
}
