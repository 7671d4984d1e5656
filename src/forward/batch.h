/* SPDX-License-Identifier: Apache-2.0
 * Several problems at once, each on one of the solver's threads. */
#ifndef ZM_FORWARD_BATCH_H
#define ZM_FORWARD_BATCH_H

#include "forward/solver.h"

/** Work on problem i on thread `thread`, which has lane `thread` of the solver. */
typedef zm_status zm_batch_fn(void *ctx, size_t i, int32_t thread, zm_error *err);

/**
 * Calls fn for problems 0 .. n-1, n <= batch of the solver.
 *
 * @return ZM_OK, or what the first problem said that failed, or else the first with a caveat;
 *         the message then names it
 */
zm_status zm_batch_run(zm_solver *s, size_t n, zm_batch_fn *fn, void *ctx, zm_error *err);

#endif
