/* SPDX-License-Identifier: Apache-2.0
 * Several problems at once, each on one of the solver's threads. */
#include "eikonal/batch.h"

#include "core/fail.h"

zm_status zm_batch_run(zm_solver *s, size_t n, zm_batch_fn *fn, void *ctx, zm_error *err)
{
    if (n > (size_t)s->batch)
        return zm_fail(err, ZM_E_ARG, -1, "%zu problems, the solver was made for a batch of %d",
                       n, (int)s->batch);
    return zm_batch_all(s->threads, n, fn, ctx, err);
}
