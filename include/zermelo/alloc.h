/* SPDX-License-Identifier: Apache-2.0
 * Where work memory comes from.  Pass one in zm_solver_opts to use your own arena. */
#ifndef ZM_ALLOC_H
#define ZM_ALLOC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Memory source of a handle or of a call.  Both functions or neither: all zero means malloc
 * and free.  They are called from create and destroy on the calling thread; a handle whose
 * other calls take memory, or take it on several threads, says so where it is declared.  This
 * struct is frozen.
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
