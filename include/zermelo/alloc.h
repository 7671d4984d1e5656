/* SPDX-License-Identifier: Apache-2.0
 * Where work memory comes from.  Pass one in zm_solver_opts to use your own arena. */
#ifndef ZM_ALLOC_H
#define ZM_ALLOC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Memory source of a handle.  Both functions or neither: all zero means malloc and free.
 * Create and destroy call them on the calling thread.  A function that allocates later says so;
 * those that share a batch among threads then call them on any of these, several at a time.
 */
typedef struct zm_alloc {
    void *ctx;                                   /**< handed to both functions */
    void *(*allocate)(void *ctx, size_t bytes);  /**< NULL when exhausted; bytes > 0 */
    void (*release)(void *ctx, void *pointer);   /**< pointer from allocate, never NULL */
} zm_alloc;

#ifdef __cplusplus
}
#endif
#endif
