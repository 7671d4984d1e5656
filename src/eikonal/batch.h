/* SPDX-License-Identifier: Apache-2.0
 * Several problems at once, each on one of the solver's threads. */
#ifndef ZM_FORWARD_BATCH_H
#define ZM_FORWARD_BATCH_H

#include "core/batch.h"
#include "eikonal/solver.h"

/** zm_batch_all for n <= batch problems of the solver; thread i has its lane i. */
zm_status zm_batch_run(zm_solver *s, size_t n, zm_batch_fn *fn, void *ctx, zm_error *err);

#endif
