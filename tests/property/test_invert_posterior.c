/* SPDX-License-Identifier: Apache-2.0
 * Standard deviations of an inversion mean what they say. */
#include <stdlib.h>

#include "check.h"
#include "core/memory.h"
#include "inverse/invert/penalty.h"
#include "support/seen.h"

enum { ROWS = 20, COLS = 20, CELLS = ROWS * COLS };
#define LAMBDA 400.0

/* A slowness 1 + x, x a sample of the prior exp(-LAMBDA |grad x|^2 / 2) with its mean held
 * near 0. */
static void draw_truth(test_run *t, test_case *c, uint64_t *random)
{
    const double hold = 0.5; /* LAMBDA/800: hardly more than the mean */
    zm_penalty p = { .grid = c->grid,
                     .mem = zm_alloc_or_default(NULL),
                     .n = c->n,
                     .n_fields = 1,
                     .kind = ZM_REG_H1,
                     .lambda = LAMBDA };
    double *x = calloc(c->n, sizeof *x), *rhs = calloc(c->n, sizeof *rhs);
    zm_error err = { .text = "" };

    CHECK(zm_penalty_create(&p, &err) == ZM_OK);
    CHECK(zm_penalty_freeze(&p, x, hold, &err) == ZM_OK);
    zm_penalty_add_noise(&p, random, rhs);
    for (size_t i = 0; i < c->n; i++)
        rhs[i] += sqrt(hold) * zm_random_normal(random);
    CHECK_MSG(zm_multigrid_solve(p.multigrid, rhs, x, 1e-8, 200, NULL, &err) == ZM_OK,
              "%s", err.text);
    for (size_t i = 0; i < c->n; i++)
        c->g11[i] = c->g22[i] = (1 + x[i]) * (1 + x[i]);
    zm_penalty_destroy(&p);
    free(rhs);
    free(x);
}

static zm_invert_opts prior(double lambda)
{
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;

    o.regulariser = ZM_REG_H1;
    o.lambda_rule = ZM_LAMBDA_FIXED;
    o.lambda = lambda;
    return o;
}

/* Deviations of g, and g where it is wanted. */
static void invert(test_run *t, const test_case *truth, const seen *some, double lambda,
                   double *g, double *std)
{
    const zm_invert_opts o = prior(lambda);
    const zm_metric_out out = { .g11 = g }, std_out = { .g11 = std };
    zm_inversion *v = seen_inversion(truth->grid, &o, some, 1);
    zm_error err = { .text = "" };

    CHECK_MSG(zm_invert_run(v, &err) == ZM_OK, "%s", err.text);
    CHECK(zm_inversion_metric(v, &out, &err) == ZM_OK);
    CHECK_MSG(zm_invert_std(v, &std_out, NULL, &err) == ZM_OK, "%s", err.text);
    zm_inversion_destroy(v);
}

/* Truths are drawn from the prior and data with the stated noise, so truth minus result over
 * standard deviation is nearly standard normal: 68 and 95 % within one and two.  Cells of
 * one field go together (about ten independent patches each), hence the width. */
TEST(as_many_truths_lie_within_the_deviations_as_should)
{
    enum { TRUTHS = 12 };
    static double g[CELLS], std[CELLS];
    size_t within[2] = { 0, 0 }, count = 0;
    double mean = 0;

    for (uint64_t k = 0; k < TRUTHS; k++) {
        test_case truth = case_create(ROWS, COLS);
        uint64_t random = k + 1;

        draw_truth(t, &truth, &random);
        case_add_source(&truth, 10, 7, 0);
        seen some = seen_make(&truth, 3, 0.01, 100 + k);

        invert(t, &truth, &some, LAMBDA, g, std);
        for (size_t i = 0; i < truth.n; i++) {
            const double z = (g[i] - truth.g11[i]) / std[i];

            CHECK(std[i] > 0);
            within[0] += fabs(z) < 1;
            within[1] += fabs(z) < 2;
            mean += z;
            count++;
        }
        seen_free(&some);
        case_free(&truth);
    }
    CHECK_NEAR((double)within[0] / (double)count, 0.68, 0.08);
    CHECK_NEAR((double)within[1] / (double)count, 0.95, 0.05);
    CHECK_NEAR(mean / (double)count, 0.0, 0.3);
}

/* Twice the noise with a quarter of lambda multiplies the whole cost by a quarter: the
 * samples are the same, up to stencils that differ a little, and the deviations double. */
TEST(deviations_grow_with_the_noise)
{
    static double g[CELLS], std[2][CELLS];
    test_case truth = case_create(ROWS, COLS);

    case_add_source(&truth, 8, 8, 0);
    for (int k = 0; k < 2; k++) {
        seen some = seen_make(&truth, 2, k ? 0.04 : 0.02, 3);

        invert(t, &truth, &some, k ? 250 : 1000, g, std[k]);
        seen_free(&some);
    }
    CHECK_NEAR(std[1][3 * COLS + 3] / std[0][3 * COLS + 3], 2.0, 0.1);
    case_free(&truth);
}

static int stop_at_half(void *ctx, double fraction)
{
    *(double *)ctx = fraction;
    return fraction >= 0.5;
}

/* The share done is told after each sample; one that says stop is heard at once, and the
 * inversion is as good as before. */
TEST(deviations_can_be_cancelled)
{
    static double std[CELLS];
    const zm_invert_opts o = prior(LAMBDA);
    const zm_metric_out out = { .g11 = std };
    zm_invert_std_opts opts = ZM_INVERT_STD_OPTS_INIT;
    test_case truth = case_create(ROWS, COLS);
    zm_error err = { .text = "" };
    double done = 0.0;

    case_add_source(&truth, 8, 8, 0);
    seen some = seen_make(&truth, 2, 0.02, 3);
    zm_inversion *v = seen_inversion(truth.grid, &o, &some, 1);

    opts.samples = 8;
    opts.progress = stop_at_half;
    opts.progress_ctx = &done;
    CHECK(zm_invert_run(v, &err) == ZM_OK);
    CHECK(zm_invert_std(v, &out, &opts, &err) == ZM_E_CANCELLED);
    CHECK(done == 0.5);
    opts.progress = NULL;
    CHECK_MSG(zm_invert_std(v, &out, &opts, &err) == ZM_OK, "%s", err.text);
    CHECK(std[0] > 0);
    zm_inversion_destroy(v);
    seen_free(&some);
    case_free(&truth);
}
