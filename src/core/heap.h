/* SPDX-License-Identifier: Apache-2.0
 * Cells by time, the earliest on top: a heap in which every cell has four children. */
#ifndef ZM_CORE_HEAP_H
#define ZM_CORE_HEAP_H

#include <stdint.h>

enum { ZM_HEAP_ABSENT = -1, ZM_HEAP_DONE = -2 }; /* places of cells not in the heap */

typedef struct zm_heap_item {
    double time;
    uint32_t cell;
} zm_heap_item;

typedef struct zm_heap {
    zm_heap_item *items; /* room for every cell */
    int32_t *place;      /* by cell */
    int32_t n;
} zm_heap;

static inline void zm_heap_set(zm_heap *h, int32_t at, zm_heap_item item)
{
    h->items[at] = item;
    h->place[item.cell] = at;
}

/** Inserts a cell or moves it to an earlier time. */
static inline void zm_heap_push(zm_heap *h, uint32_t cell, double time)
{
    int32_t at = h->place[cell];

    if (at < 0)
        at = h->n++;
    while (at > 0) {
        const int32_t parent = (at - 1) >> 2;

        if (h->items[parent].time <= time)
            break;
        zm_heap_set(h, at, h->items[parent]);
        at = parent;
    }
    zm_heap_set(h, at, (zm_heap_item){ time, cell });
}

/** Takes the earliest cell out; there must be one. */
static inline zm_heap_item zm_heap_pop(zm_heap *h)
{
    const zm_heap_item top = h->items[0], last = h->items[--h->n];
    int32_t at = 0;

    h->place[top.cell] = ZM_HEAP_DONE;
    if (h->n == 0)
        return top;
    for (;;) {
        const int32_t first = 4 * at + 1;
        const int32_t end = first + 4 < h->n ? first + 4 : h->n;
        int32_t least = first;

        if (first >= h->n)
            break;
        for (int32_t i = first + 1; i < end; i++)
            if (h->items[i].time < h->items[least].time)
                least = i;
        if (last.time <= h->items[least].time)
            break;
        zm_heap_set(h, at, h->items[least]);
        at = least;
    }
    zm_heap_set(h, at, last);
    return top;
}

#endif
