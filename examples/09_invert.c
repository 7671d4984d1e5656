/* SPDX-License-Identifier: Apache-2.0
 * Inversion: how slow is the ground, if a front was seen here and there?
 *
 * Three fronts cross ground with a slow disc in it, and are seen in every twelfth cell, with
 * an error of 0.1.  The default options choose method, strength of the regulariser and
 * start; what comes out is compared with the ground that made the data. */
#include "zermelo/invert.h"
#include "zermelo/zermelo.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 60, N = SIDE * SIDE, EVERY = 12, SEEN = N / EVERY, FRONTS = 3 };

static const double sigma = 0.1;
static double truth[N], found[N], T[N], times[SEEN];
static int64_t cells[SEEN];

/* Roughly normal, of standard deviation 1. */
static double random_normal(void)
{
    double sum = -6.0;

    for (int i = 0; i < 12; i++)
        sum += rand() / (RAND_MAX + 1.0);
    return sum;
}

/* What is seen of the front that starts at the source, put into the inversion. */
static int observe(zm_inversion *inversion, zm_grid grid, const zm_source *source)
{
    const zm_problem problem = { .size = sizeof(zm_problem),
                                 .metric.g11 = truth,
                                 .sources = source,
                                 .n_sources = 1 };
    zm_experiment seen = ZM_EXPERIMENT_INIT;
    zm_solver *solver;

    if (zm_solver_create(&solver, grid, ZM_F64, NULL, NULL) != ZM_OK ||
        zm_forward(solver, &problem, T, NULL, NULL, NULL) != ZM_OK)
        return 0;
    zm_solver_destroy(solver);
    for (int i = 0; i < SEEN; i++) {
        cells[i] = EVERY * i + rand() % EVERY;
        times[i] = T[cells[i]] + sigma * random_normal();
    }
    seen.sources = source;
    seen.n_sources = 1;
    seen.n = SEEN;
    seen.cells = cells;
    seen.times = times;
    seen.sigma = sigma;
    return zm_inversion_add(inversion, &seen, NULL) == ZM_OK;
}

/* |found - truth| / |truth| */
static double relative_error(void)
{
    double error2 = 0.0, size2 = 0.0;

    for (int i = 0; i < N; i++) {
        error2 += pow(found[i] - truth[i], 2);
        size2 += pow(truth[i], 2);
    }
    return sqrt(error2 / size2);
}

int main(void)
{
    static const zm_source sources[FRONTS] = { { 8, 8, 0 },
                                               { 50, 12, 0 },
                                               { 30, 55, 0 } };
    const zm_grid grid = { SIDE, SIDE, 1.0, 1.0 };
    const zm_metric_out out = { .g11 = found };
    zm_inversion *inversion;
    zm_invert_report report = ZM_INVERT_REPORT_INIT;
    zm_error err;
    double error;

    for (int i = 0; i < N; i++)
        truth[i] = hypot(i % SIDE - 33, i / SIDE - 27) < 13 ? 2.5 : 1.0;
    if (zm_inversion_create(&inversion, grid, NULL, NULL) != ZM_OK)
        return 1;
    for (int k = 0; k < FRONTS; k++)
        if (!observe(inversion, grid, &sources[k]))
            return 1;
    if (zm_invert_run(inversion, &err) != ZM_OK) {
        printf("%s\n", err.text);
        return 1;
    }
    zm_inversion_metric(inversion, &out, NULL);
    zm_inversion_report(inversion, &report, NULL);
    zm_inversion_destroy(inversion);

    error = relative_error();
    printf(
        "%zu times of %d fronts: metric within %.1f %%, chi2 %.2f, after %lld solves\n",
        report.observations, (int)FRONTS, 100 * error, report.chi2,
        (long long)report.solves);
    return !(error < 0.1 && report.chi2 > 0.7 && report.chi2 < 1.3);
}
