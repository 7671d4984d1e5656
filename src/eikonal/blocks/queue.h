/* SPDX-License-Identifier: Apache-2.0
 * Blocks to be visited, earliest change first: a binary heap that knows where each block is. */
#ifndef ZM_BLOCKS_QUEUE_H
#define ZM_BLOCKS_QUEUE_H

#include <stdint.h>

typedef struct zm_blocks_queue {
    int32_t n;
    int32_t *heap;  /* blocks; the root has the smallest key */
    int32_t *place; /* by block: index in heap, or -1 */
    double *key;    /* by block */
} zm_blocks_queue;

/** Empties the queue of `blocks` blocks. */
void zm_blocks_queue_clear(zm_blocks_queue *q, int32_t blocks);

/** Adds a block, or moves it forward if the key is smaller than the one it has. */
void zm_blocks_queue_push(zm_blocks_queue *q, int32_t block, double key);

/** Takes the block with the smallest key; -1 if there is none. */
int32_t zm_blocks_queue_pop(zm_blocks_queue *q);

/** The block with the smallest key, left where it is; -1 if there is none. */
static inline int32_t zm_blocks_queue_peek(const zm_blocks_queue *q)
{
    return q->n ? q->heap[0] : -1;
}

#endif
