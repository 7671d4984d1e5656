/* SPDX-License-Identifier: Apache-2.0
 * Arrays that grow. */
#include "core/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Items to make room for; 0 when their bytes cannot be counted. */
static size_t next_room(size_t room, size_t wanted, size_t size)
{
    const size_t least = 1 + 256 / size, most = SIZE_MAX / size;
    const size_t twice = room > most / 2 ? most : 2 * room;
    const size_t next = twice > least ? twice : least;

    return wanted > most ? 0 : next > wanted ? next : wanted;
}

bool zm_array_reserve(void *pointer_to_array, size_t *room, size_t wanted, size_t size)
{
    const size_t next = next_room(*room, wanted, size);
    void *items;

    if (wanted <= *room)
        return true;
    memcpy(&items, pointer_to_array, sizeof items); /* whatever type of pointer it is */
    items = next ? realloc(items, next * size) : NULL;
    if (!items)
        return false;
    memcpy(pointer_to_array, &items, sizeof items);
    *room = next;
    return true;
}

bool zm_array_reserve_in(const zm_alloc *mem, size_t *bytes, void *pointer_to_array,
                         size_t *room, size_t wanted, size_t size)
{
    const size_t next = next_room(*room, wanted, size);
    void *items, *more;

    if (wanted <= *room)
        return true;
    more = next ? zm_block(mem, next, size) : NULL;
    if (!more)
        return false;
    memcpy(&items, pointer_to_array, sizeof items);
    if (items)
        memcpy(more, items, *room * size);
    zm_release(mem, items);
    if (bytes)
        *bytes += (next - *room) * size;
    memcpy(pointer_to_array, &more, sizeof more);
    *room = next;
    return true;
}
