/* SPDX-License-Identifier: Apache-2.0
 * Batches of problems with intervals on several threads: nothing is shared but what must be, and
 * the results are those of single solves.  Meant to be run under the race detector. */
#include <stdlib.h>

#include "check.h"
#include "support/timed.h"

enum { BATCH = 5, INTERVALS = 3 };

/* Times and one plane of derivatives for each interval, of every problem. */
typedef struct results {
    double *T[BATCH], *gradient[BATCH][INTERVALS], *dT[BATCH], time[BATCH];
} results;

static results results_make(size_t n)
{
    results r;

    for (int i = 0; i < BATCH; i++) {
        r.T[i] = nan_doubles(n);
        r.dT[i] = nan_doubles(n);
        for (int k = 0; k < INTERVALS; k++)
            r.gradient[i][k] = nan_doubles(n);
    }
    return r;
}

static void results_free(results *r)
{
    for (int i = 0; i < BATCH; i++) {
        free(r->T[i]);
        free(r->dT[i]);
        for (int k = 0; k < INTERVALS; k++)
            free(r->gradient[i][k]);
    }
}

static void run(test_run *t, timed_case *b, int32_t threads, results *r)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_problem p[BATCH];
    zm_gradient planes[BATCH][INTERVALS];
    zm_direction moves[BATCH][INTERVALS];
    zm_gradient out[BATCH];
    zm_direction by[BATCH];
    const void *const *T = (const void *const *)r->T;
    zm_solver *h;

    o.threads = threads;
    o.batch = BATCH;
    CHECK(zm_solver_create(&h, b[0].interval[0].grid, ZM_F64, &o, NULL) == ZM_OK);
    for (int i = 0; i < BATCH; i++) {
        p[i] = timed_problem(&b[i]);
        for (int k = 0; k < INTERVALS; k++) {
            planes[i][k] =
                (zm_gradient){ .size = sizeof(zm_gradient), .b1 = r->gradient[i][k] };
            moves[i][k] = (zm_direction){ .size = sizeof(zm_direction),
                                          .g11 = b[i].interval[k].g22 };
        }
        out[i] = (zm_gradient){ .size = sizeof(zm_gradient),
                                .intervals = planes[i],
                                .source_times = &r->time[i] };
        by[i] = (zm_direction){ .size = sizeof(zm_direction), .intervals = moves[i] };
    }
    CHECK(zm_forward_batch(h, p, BATCH, (void *const *)r->T, NULL, NULL, NULL) ==
          ZM_OK);
    CHECK(zm_adjoint_batch(h, p, BATCH, T, T, out, NULL) == ZM_OK);
    CHECK(zm_tangent_batch(h, p, BATCH, T, by, (void *const *)r->dT, NULL) == ZM_OK);
    zm_solver_destroy(h);
}

/* Every problem is solved by one thread from its own memory, so threads change no bit. */
TEST(threads_change_no_bit_of_a_batch)
{
    timed_case b[BATCH];
    results one, many;

    for (int i = 0; i < BATCH; i++)
        b[i] = timed_random(34, INTERVALS, t->seed + (uint64_t)i, 3, 2, 0.9, i % 2);
    one = results_make(b[0].n);
    many = results_make(b[0].n);
    run(t, b, 1, &one);
    run(t, b, 3, &many);
    for (int i = 0; i < BATCH; i++) {
        CHECK(same_bits(one.T[i], many.T[i], b[0].n));
        CHECK(same_bits(one.dT[i], many.dT[i], b[0].n));
        for (int k = 0; k < INTERVALS; k++)
            CHECK(same_bits(one.gradient[i][k], many.gradient[i][k], b[0].n));
        CHECK(one.time[i] == many.time[i]);
    }
    results_free(&many);
    results_free(&one);
    for (int i = 0; i < BATCH; i++)
        timed_free(&b[i]);
}
