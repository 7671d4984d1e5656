/* SPDX-License-Identifier: Apache-2.0
 * Several problems at once, each on one thread. */
#ifndef ZM_CORE_BATCH_H
#define ZM_CORE_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "zermelo/status.h"

/** Work on problem i on thread `thread`, 0 being the calling one. */
typedef zm_status zm_batch_fn(void *ctx, size_t i, int32_t thread, zm_error *err);

/**
 * Calls fn for problems 0 .. n-1 on at most `threads` >= 1 threads.
 *
 * @return ZM_OK, or what the first problem said that failed, or else the first with a caveat;
 *         the message then begins with `noun` and its number
 */
zm_status zm_batch_all(int32_t threads, size_t n, const char *noun, zm_batch_fn *fn,
                       void *ctx, zm_error *err);

#endif
