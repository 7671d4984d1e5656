/* SPDX-License-Identifier: Apache-2.0
 * The eight neighbours everywhere, in metrics that they are not causal for: the fixed point is
 * found with work that goes with the size of the grid. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "eikonal/local/corners.h"
#include "eikonal/local/triangle.h"
#include "support/random_media.h"

/* Media that took more than 100,000 updates a cell and 300 microseconds of one before policy
 * iteration had their ends (289: 197,000; the worst known took 87,000 visits of a block). */
static const medium_limits limits = { 1e4, 0.99, 1e6, 0.4, 2500 };
static const uint64_t slow[] = { 33, 90, 192, 289, 276, 277 };

/* Updates are vectors of cells: on small grids most of their lanes are empty. */
static const int64_t most_a_cell = 3000, small_grid = 2000;

/* Times from what is in T downwards, cell after cell in both orders, until nothing changes. */
static void settle_slowly(const test_case *c, double *T)
{
    enum { MOST = 100000 };
    const double least = 1e-15;
    double change = 1;

    for (int round = 0; round < MOST && change > least; round++) {
        change = 0;
        for (size_t k = 0; k < c->n; k++) {
            const size_t i = round % 2 ? c->n - 1 - k : k;
            const int32_t row = (int32_t)i / c->grid.cols,
                          col = (int32_t)i % c->grid.cols;
            const zm_cell_metric m = { c->g11[i], c->g12[i], c->g22[i], c->b1[i],
                                       c->b2[i] };
            const zm_local_cell s = zm_local_cell_make(zm_local_fold(m, c->grid));
            zm_local_winner best;
            double around[8];

            if (c->walls && c->walls[i])
                continue;
            for (int n = 0; n < 8; n++) {
                const int32_t y = row + zm_local_neighbour_y[n],
                              x = col + zm_local_neighbour_x[n];

                around[n] = y >= 0 && y < c->grid.rows && x >= 0 && x < c->grid.cols
                                ? T[y * c->grid.cols + x]
                                : INFINITY;
            }
            zm_local_block_corners(
                around, zm_local_blocked_corners(c->grid, c->walls, row, col));
            best = zm_local_best(&s, around, T[i]);
            if (best.k >= 0) {
                change = fmax(change, isinf(T[i]) ? 1 : (T[i] - best.update.T0) / T[i]);
                T[i] = best.update.T0;
            }
        }
    }
}

static void start_all(test_case *c, double *T)
{
    for (size_t i = 0; i < c->n; i++)
        T[i] = INFINITY;
    for (size_t i = 0; i < c->n_sources; i++) {
        c->sources[i].time = 1; /* so that shares of T are shares of something */
        T[(size_t)c->sources[i].row * (size_t)c->grid.cols +
          (size_t)c->sources[i].col] = 1;
    }
}

/* Both find the same fixed point; what a rounding moves is up to the ratio of the eigenvalues
 * larger (1e-15 times 1e4). */
TEST(
    fixed_stencils_settle_where_cells_are_donors_of_each_other_with_work_that_is_bounded)
{
    for (size_t k = 0; k < sizeof slow / sizeof *slow; k++) {
        random_medium m = medium_draw(slow[k], &limits);
        const zm_problem problem = case_problem(&m.c);
        const int64_t cells = (int64_t)m.c.n;

        for (int32_t threads = 1; threads <= 2; threads++) {
            zm_solver_opts opts = fixed_opts();
            zm_report report = ZM_REPORT_INIT;
            double *T = nan_doubles(m.c.n), *slowly = nan_doubles(m.c.n);
            zm_solver *solver;

            opts.threads = threads;
            solver = case_solver(&m.c, ZM_F64, &opts);
            start_all(&m.c, slowly);
            settle_slowly(&m.c, slowly);
            CHECK(zm_forward(solver, &problem, T, NULL, &report, NULL) == ZM_OK);
            CHECK_MSG(report.updates <= most_a_cell * (cells + small_grid),
                      "medium %d: %lld updates for %d cells", (int)slow[k],
                      (long long)report.updates, (int)cells);
            CHECK_AT_MOST(max_relative_difference(T, slowly, m.c.n), 1e-11);
            zm_solver_destroy(solver);
            free(slowly);
            free(T);
        }
        medium_free(&m);
    }
}

/* The record that policy iteration leaves is as good as that of sweeps: the adjoint is the
 * transpose of the tangent, and the tangent along the metric itself, times 2 for the drift to
 * go with it, is T: T(s G, sqrt(s) b) = sqrt(s) T. */
TEST(derivatives_after_policy_iteration_are_those_of_the_fixed_point)
{
    for (size_t k = 0; k < sizeof slow / sizeof *slow; k++) {
        random_medium m = medium_draw(slow[k], &limits);
        const size_t n = m.c.n;
        double *T = nan_doubles(n), *dT = nan_doubles(n), *half[2];
        zm_direction along = { .size = sizeof along };
        zm_solver *solver = case_solver(&m.c, ZM_F64, NULL);
        double worst = 0;

        for (size_t i = 0; i < m.c.n_sources; i++)
            m.c.sources[i].time = 0;
        const zm_problem problem = case_problem(&m.c);

        for (int i = 0; i < 2; i++) {
            half[i] = nan_doubles(n);
            for (size_t cell = 0; cell < n; cell++)
                half[i][cell] = 0.5 * (i ? m.c.b2 : m.c.b1)[cell];
        }
        along.g11 = m.c.g11;
        along.g12 = m.c.g12;
        along.g22 = m.c.g22;
        along.b1 = half[0];
        along.b2 = half[1];
        CHECK(zm_forward(solver, &problem, T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_tangent(solver, &problem, T, &along, dT, NULL) == ZM_OK);
        for (size_t i = 0; i < n; i++)
            if (isfinite(T[i]) && T[i] > 0)
                worst = fmax(worst, fabs(2 * dT[i] / T[i] - 1));
        CHECK_MSG(worst <= 1e-7, "medium %d: %g", (int)slow[k], worst);
        for (int i = 0; i < 2; i++)
            free(half[i]);
        zm_solver_destroy(solver);
        free(dT);
        free(T);
        medium_free(&m);
    }
}
