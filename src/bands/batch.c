/* SPDX-License-Identifier: Apache-2.0
 * Several problems with bands at once, each on one thread. */
#include <stdatomic.h>

#include "bands/bands.h"
#include "core/fail.h"
#include "core/parallel.h"

typedef struct batch_run {
    zm_bands *b;
    size_t n;
    zm_bands_job *fn;
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
    bool worse, earlier;

    zm_spin_lock(&run->lock);
    worse = run->status == ZM_OK || (st < 0 && run->status > 0);
    earlier = (st < 0) == (run->status < 0) && i < run->culprit;
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
    const bool own = run->n <= (size_t)run->b->opts.batch;
    size_t i;

    while ((i = atomic_fetch_add(&run->next, 1)) < run->n) {
        zm_error err = { ZM_OK, -1, "" };
        const zm_status st = run->fn(
            run->ctx, i, run->b->slots[own ? i : (size_t)thread], thread == 0, &err);

        if (st != ZM_OK)
            batch_note(run, i, st, &err);
    }
}

zm_status zm_bands_batch(zm_bands *b, size_t n, zm_bands_job *fn, void *ctx,
                         zm_error *err)
{
    batch_run run = {
        .b = b, .n = n, .fn = fn, .ctx = ctx, .lock = { ATOMIC_FLAG_INIT }
    };
    const int32_t most =
        b->opts.threads < b->opts.batch ? b->opts.threads : b->opts.batch;

    if (n == 0)
        return ZM_OK;
    zm_parallel((size_t)most < n ? most : (int32_t)n, batch_thread, &run);
    if (run.status != ZM_OK)
        zm_fail(err, run.status, run.error.cell, "problem %zu: %.200s", run.culprit,
                run.error.text);
    return run.status;
}
