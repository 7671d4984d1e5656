/* SPDX-License-Identifier: Apache-2.0
 * Batches: many problems on one grid, shared among threads, each with its derivatives.
 *
 * Problem k has speed 1/(k+1), so its times are k+1 times those of problem 0. */
#include <math.h>
#include <stdio.h>
#include "zermelo/zermelo.h"

enum { ROWS = 100, COLS = 120, N = ROWS * COLS, BATCH = 8 };

int main(void)
{
    static double g[BATCH][N], T[BATCH][N], ones[N], dL_dg[BATCH][N];
    const zm_source start = { 50, 60, 0.0 };
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_problem problems[BATCH];
    zm_gradient gradients[BATCH] = { ZM_GRADIENT_INIT };
    const void *cotangents[BATCH], *const_times[BATCH];
    void *times[BATCH];
    zm_report reports[BATCH] = { ZM_REPORT_INIT };
    zm_error err = { 0 };
    zm_solver *solver = NULL;
    zm_status status;
    double worst = 0.0;

    for (int i = 0; i < N; i++)
        ones[i] = 1.0; /* L = sum of T */
    for (int k = 0; k < BATCH; k++) {
        for (int i = 0; i < N; i++)
            g[k][i] = (k + 1.0) * (k + 1.0);
        problems[k] = (zm_problem){ .size = sizeof(zm_problem),
                                    .metric.g11 = g[k],
                                    .sources = &start,
                                    .n_sources = 1 };
        gradients[k].g11 = dL_dg[k];
        const_times[k] = times[k] = T[k];
        cotangents[k] = ones;
    }

    opts.threads = 2;
    opts.batch = BATCH;
    status = zm_solver_create(&solver, (zm_grid){ ROWS, COLS, 1.0, 1.0 }, ZM_F64, &opts,
                              &err);
    if (status == ZM_OK)
        status = zm_forward_batch(solver, problems, BATCH, times, NULL, reports, &err);
    if (status == ZM_OK)
        status = zm_adjoint_batch(solver, problems, BATCH, const_times, cotangents,
                                  gradients, &err);
    zm_solver_destroy(solver);
    if (status != ZM_OK) {
        fprintf(stderr, "04_batch: %s\n", err.text);
        return 1;
    }

    for (int k = 0; k < BATCH; k++) {
        double sum = 0.0, by_gradient = 0.0;

        for (int i = 0; i < N; i++) {
            sum += T[k][i];
            /* T goes like sqrt(g), so g dT/dg = T/2: Euler's theorem. */
            by_gradient += 2.0 * g[k][i] * dL_dg[k][i];
        }
        worst = fmax(worst, fabs(T[k][0] / ((k + 1.0) * T[0][0]) - 1.0));
        worst = fmax(worst, fabs(by_gradient / sum - 1.0));
        printf("problem %d: sum of T %.3f, from its gradient %.3f\n", k, sum,
               by_gradient);
    }
    return worst > 1e-9;
}
