/* SPDX-License-Identifier: Apache-2.0
 * Several problems at once, each on one thread. */
#include "core/batch.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "core/fail.h"
#include "core/parallel.h"

typedef struct batch_run {
    size_t n;
    zm_batch_fn *fn;
    void *ctx;
    atomic_size_t next;
    zm_spinlock lock;
    zm_status status; /* the one to return */
    size_t culprit;
    zm_error error;
} batch_run;

/* Failures come before caveats, then the first problem. */
static void batch_note(batch_run *run, size_t i, zm_status st, const zm_error *err)
{
    zm_spin_lock(&run->lock);
    const bool worse = run->status == ZM_OK || (st < 0 && run->status > 0);
    const bool earlier = (st < 0) == (run->status < 0) && i < run->culprit;

    if (worse || earlier) {
        run->status = st;
        run->culprit = i;
        run->error = *err;
    }
    zm_spin_unlock(&run->lock);
}

static void batch_thread(void *ctx, int32_t thread)
{
    batch_run *run = ctx;
    size_t i;

    while ((i = atomic_fetch_add(&run->next, 1)) < run->n) {
        zm_error err = { ZM_OK, -1, "" };
        const zm_status st = run->fn(run->ctx, i, thread, &err);

        if (st != ZM_OK)
            batch_note(run, i, st, &err);
    }
}

zm_status zm_batch_all(int32_t threads, size_t n, const char *noun, zm_batch_fn *fn,
                       void *ctx, zm_error *err)
{
    batch_run run = { .n = n, .fn = fn, .ctx = ctx, .lock = { ATOMIC_FLAG_INIT } };

    if (n == 0)
        return ZM_OK;
    zm_parallel((size_t)threads < n ? threads : (int32_t)n, batch_thread, &run);
    if (run.status != ZM_OK)
        zm_fail(err, run.status, run.error.cell, "%s %zu: %.200s", noun,
                run.culprit, run.error.text);
    return run.status;
}
