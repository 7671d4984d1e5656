/* SPDX-License-Identifier: Apache-2.0
 * Batches of problems with bands on several threads: nothing is shared but what must be, and
 * the results are those of single solves.  Meant to be run under the race detector. */
#include <stdlib.h>

#include "check.h"
#include "support/banded.h"

enum { BATCH = 5, BANDS = 3 };

/* Times and one plane of derivatives for each band, of every problem. */
typedef struct results {
    double *T[BATCH], *gradient[BATCH][BANDS], *dT[BATCH], time[BATCH];
} results;

static results results_make(size_t n)
{
    results r;

    for (int i = 0; i < BATCH; i++) {
        r.T[i] = nan_doubles(n);
        r.dT[i] = nan_doubles(n);
        for (int k = 0; k < BANDS; k++)
            r.gradient[i][k] = nan_doubles(n);
    }
    return r;
}

static void results_free(results *r)
{
    for (int i = 0; i < BATCH; i++) {
        free(r->T[i]);
        free(r->dT[i]);
        for (int k = 0; k < BANDS; k++)
            free(r->gradient[i][k]);
    }
}

static void run(test_run *t, banded *b, int32_t threads, results *r)
{
    zm_bands_opts o = ZM_BANDS_OPTS_INIT;
    zm_bands_problem p[BATCH];
    zm_gradient planes[BATCH][BANDS] = { { { 0 } } };
    zm_direction moves[BATCH][BANDS] = { { { 0 } } };
    zm_bands_gradient out[BATCH];
    zm_bands_direction by[BATCH];
    zm_bands *h;

    o.threads = threads;
    o.batch = BATCH;
    CHECK(zm_bands_create(&h, b[0].band[0].grid, ZM_F64, &o, NULL) == ZM_OK);
    for (int i = 0; i < BATCH; i++) {
        p[i] = banded_problem(&b[i]);
        for (int k = 0; k < BANDS; k++) {
            planes[i][k].b1 = r->gradient[i][k];
            moves[i][k].g11 = b[i].band[k].g22;
        }
        out[i] = (zm_bands_gradient){ .bands = planes[i], .source_times = &r->time[i] };
        by[i] = (zm_bands_direction){ .bands = moves[i] };
    }
    CHECK(zm_bands_solve_batch(h, p, BATCH, (void *const *)r->T, NULL, NULL, NULL) ==
          ZM_OK);
    CHECK(zm_bands_adjoint_batch(h, p, BATCH, (const void *const *)r->T, out, NULL) ==
          ZM_OK);
    CHECK(zm_bands_tangent_batch(h, p, BATCH, by, (void *const *)r->dT, NULL) == ZM_OK);
    zm_bands_destroy(h);
}

/* Every problem is solved by one thread from its own memory, so threads change no bit. */
TEST(threads_change_no_bit_of_a_batch)
{
    banded b[BATCH];
    results one, many;

    for (int i = 0; i < BATCH; i++)
        b[i] = banded_random(34, BANDS, t->seed + (uint64_t)i, 3, 2, 0.9, i % 2);
    one = results_make(b[0].n);
    many = results_make(b[0].n);
    run(t, b, 1, &one);
    run(t, b, 3, &many);
    for (int i = 0; i < BATCH; i++) {
        CHECK(same_bits(one.T[i], many.T[i], b[0].n));
        CHECK(same_bits(one.dT[i], many.dT[i], b[0].n));
        for (int k = 0; k < BANDS; k++)
            CHECK(same_bits(one.gradient[i][k], many.gradient[i][k], b[0].n));
        CHECK(one.time[i] == many.time[i]);
    }
    results_free(&many);
    results_free(&one);
    for (int i = 0; i < BATCH; i++)
        banded_free(&b[i]);
}
