/* SPDX-License-Identifier: Apache-2.0
 * Overflow-checked, aligned blocks from a zm_alloc. */
#ifndef ZM_CORE_MEMORY_H
#define ZM_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "zermelo/alloc.h"

/** Alignment of every block: a cache line, and enough for any vector register. */
#define ZM_ALIGN 64

/** *product = a*b; false when that overflows. */
bool zm_mul_size(size_t a, size_t b, size_t *product);

/** count*size bytes of any content, aligned to ZM_ALIGN; NULL when out of memory, when the
 *  size overflows, or when it is 0.  Large blocks ask the system for huge pages. */
void *zm_block(const zm_alloc *mem, size_t count, size_t size);

/** The same, zeroed. */
void *zm_zalloc(const zm_alloc *mem, size_t count, size_t size);

/** zm_block into the pointer at `pointer_to_array`, of whatever type; what it took is added to
 *  *bytes.  False when out of memory. */
bool zm_take(const zm_alloc *mem, size_t *bytes, void *pointer_to_array, size_t count,
             size_t size);

/** Frees what zm_block or zm_zalloc gave; NULL is allowed. */
void zm_release(const zm_alloc *mem, void *block);

/** mem itself, or malloc and free where it is all zero. */
zm_alloc zm_alloc_or_default(const zm_alloc *mem);

#endif
