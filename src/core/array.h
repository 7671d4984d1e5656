/* SPDX-License-Identifier: Apache-2.0
 * Arrays that grow: room is at least doubled, so that n items cost O(n) copies. */
#ifndef ZM_CORE_ARRAY_H
#define ZM_CORE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "zermelo/alloc.h"

/**
 * Room for at least `wanted` items of `size` bytes in an array of malloc, which free releases.
 *
 * @param pointer_to_array in,out  address of the pointer to the items, of whatever type; the
 *                                 pointer may be NULL while *room is 0
 * @param room             in,out  items there is room for
 * @return false when out of memory: array and room are as they were
 */
bool zm_array_reserve(void *pointer_to_array, size_t *room, size_t wanted, size_t size);

/** The same in blocks of mem (zm_block, zm_release); *bytes, unless NULL, follows what
 *  the array takes. */
bool zm_array_reserve_in(const zm_alloc *mem, size_t *bytes, void *pointer_to_array,
                         size_t *room, size_t wanted, size_t size);

#endif
