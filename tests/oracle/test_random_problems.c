/* SPDX-License-Identifier: Apache-2.0
 * Random problems of every kind, on random grids, solvers and threads, against the
 * reference.  A failure names the seed that repeats it. */
#include <stdlib.h>

#include "check.h"
#include "reference/reference.h"
#include "support/cases.h"

enum { PROBLEMS = 250, MOST_SIDE = 100, MOST_SOURCES = 8 };
/* Several threads are used from 12 tiles of 32 x 32 on: these have more, for 3 of them. */
enum { LARGE_PROBLEMS = 8, LARGE_SIDE = 200, LARGE_THREADS = 3 };
/* Thresholds of the kernels are good to about 3e-15 times the ratio of the eigenvalues of
 * the metric in units of the spacing, here up to 64 * 4; all else is rounding. */
static const double thresholds = 4e-12, rounding = 1e-12;

/* Small sides are the most likely ones. */
static int32_t random_side(uint64_t *state)
{
    return 1 + (int32_t)(zm_random_unit(state) * zm_random_unit(state) * MOST_SIDE);
}

static double random_factor(uint64_t *state, double most)
{
    return exp(log(most) * (2 * zm_random_unit(state) - 1));
}

/* Multiplies all lengths in a cell. */
static void scale_cell(test_case *c, size_t i, double factor)
{
    c->g11[i] *= factor * factor;
    c->g12[i] *= factor * factor;
    c->g22[i] *= factor * factor;
    c->b1[i] *= factor;
    c->b2[i] *= factor;
}

static test_case random_case(uint64_t *state, int32_t rows, int32_t cols)
{
    test_case c = case_make((medium)zm_random_below(state, N_MEDIA), rows, cols,
                            zm_random_bits(state));
    const double scale = zm_random_below(state, 3) ? 1 : random_factor(state, 1e4);
    const double contrast = zm_random_below(state, 4) ? 1 : 10;
    const double walls = zm_random_below(state, 2) ? 0 : 0.6 * zm_random_unit(state);
    const double latest = zm_random_below(state, 2) ? 0 : 50;
    const size_t sources = zm_random_below(state, MOST_SOURCES);

    for (size_t i = 0; i < c.n; i++)
        scale_cell(&c, i, scale * random_factor(state, contrast));
    if (zm_random_below(state, 3) == 0) {
        c.grid.dx = random_factor(state, sqrt(2.0));
        c.grid.dy = random_factor(state, sqrt(2.0));
    }
    if (walls > 0) {
        const int32_t row = (int32_t)c.sources[0].row, col = (int32_t)c.sources[0].col;

        if (!c.walls)
            case_add_walls(&c);
        for (size_t i = 0; i < c.n; i++)
            c.walls[i] |= zm_random_unit(state) < walls;
        case_clear_sources(&c);
        case_add_source(&c, row, col, 0);
    }
    for (size_t i = 0; i < sources; i++)
        case_add_source(&c, (int32_t)zm_random_below(state, (size_t)c.grid.rows),
                        (int32_t)zm_random_below(state, (size_t)c.grid.cols),
                        latest * scale * zm_random_unit(state));
    return c;
}

static zm_solver *random_solver(const test_case *c, int32_t threads, uint64_t *state)
{
    zm_solver_opts o = fixed_opts();
    zm_solver *solver;

    o.threads = threads;
    o.isa = (zm_isa)zm_random_below(state, 4);
    if (zm_solver_create(&solver, c->grid, ZM_F64, &o, NULL) == ZM_OK)
        return solver;
    o.isa = ZM_ISA_BEST;
    return case_solver(c, ZM_F64, &o);
}

/* Gives the number of threads used. */
static int32_t check_times(test_run *t, const test_case *c, zm_solver *solver,
                           double *T, uint64_t seed)
{
    const zm_reference_opts to_rounding = { sizeof to_rounding, 0.0, 100000, 0, 0 };
    const zm_problem p = case_problem(c);
    double *reference = nan_doubles(c->n), *residual = nan_doubles(c->n);
    zm_error err = { .text = "" };
    zm_report report = ZM_REPORT_INIT;
    double worst, apart;

    CHECK_MSG(zm_forward(solver, &p, T, NULL, &report, &err) == ZM_OK, "seed %llu: %s",
              (unsigned long long)seed, err.text);
    CHECK(zm_reference_sweep(c->grid, &p, reference, &to_rounding, NULL, NULL) ==
          ZM_OK);
    CHECK(zm_residual(c->grid, &p, T, ZM_RESIDUAL_DISCRETE, residual, NULL) == ZM_OK);
    worst = max_abs(residual, c->n);
    apart = max_relative_difference(T, reference, c->n);
    CHECK_MSG(worst <= thresholds && apart <= thresholds,
              "seed %llu: residual %.3g, %.3g from the reference",
              (unsigned long long)seed, worst, apart);
    free(residual);
    free(reference);
    return report.threads;
}

/* <g, J v> = <J' g, v>, and the source times receive all of g; both relative to the sum
 * of absolute terms. */
static void check_derivatives(test_run *t, const test_case *c, zm_solver *solver,
                              const double *T, uint64_t seed)
{
    const zm_problem p = case_problem(c);
    const size_t n = c->n, m = N_PLANES * n + c->n_sources;
    double *g = nan_doubles(n), *dT = nan_doubles(n);
    double *gradient = nan_doubles(m), *v = nan_doubles(m);
    zm_gradient out = gradient_into(gradient, n);
    zm_direction d = direction_from(v, n);
    double left = 0, right = 0, size = 0, sent = 0, arrived = 0, all = 0;
    uint64_t state = seed;

    out.source_times = gradient + 5 * n;
    d.source_times = v + 5 * n;
    for (size_t i = 0; i < n; i++)
        g[i] = zm_random_normal(&state);
    for (size_t i = 0; i < m; i++)
        v[i] = zm_random_normal(&state);
    CHECK(zm_adjoint(solver, &p, T, g, &out, NULL) == ZM_OK);
    CHECK(zm_tangent(solver, &p, T, &d, dT, NULL) == ZM_OK);
    for (size_t i = 0; i < n; i++) {
        left += g[i] * dT[i];
        size += fabs(g[i] * dT[i]);
        sent += isfinite(T[i]) ? g[i] : 0;
        all += fabs(g[i]);
    }
    for (size_t i = 0; i < m; i++)
        right += gradient[i] * v[i];
    for (size_t i = 5 * n; i < m; i++)
        arrived += gradient[i];
    CHECK_MSG(fabs(left - right) <= rounding * size, "seed %llu: %.17g and %.17g",
              (unsigned long long)seed, left, right);
    CHECK_MSG(fabs(sent - arrived) <= rounding * all,
              "seed %llu: %.17g of %.17g arrive", (unsigned long long)seed, arrived,
              sent);
    free(v);
    free(gradient);
    free(dT);
    free(g);
}

static void check_problem(test_run *t, const test_case *c, int32_t threads,
                          bool all_threads, uint64_t seed, uint64_t *state)
{
    zm_solver *solver = random_solver(c, threads, state);
    double *T = nan_doubles(c->n);
    const int32_t used = check_times(t, c, solver, T, seed);

    CHECK_MSG(used == threads || !all_threads, "seed %llu: %d of %d threads",
              (unsigned long long)seed, (int)used, (int)threads);
    check_derivatives(t, c, solver, T, seed);
    free(T);
    zm_solver_destroy(solver);
}

TEST(random_problems_agree_with_the_reference)
{
    for (uint64_t i = 0; i < PROBLEMS; i++) {
        const uint64_t seed = t->seed * 1000003 + i;
        uint64_t state = seed;
        const int32_t rows = random_side(&state), cols = random_side(&state);
        test_case c = random_case(&state, rows, cols);

        check_problem(t, &c, 1 + (int32_t)zm_random_below(&state, 3), false, seed,
                      &state);
        case_free(&c);
    }
}

TEST(random_problems_on_several_threads_agree_with_the_reference)
{
    for (uint64_t i = 0; i < LARGE_PROBLEMS; i++) {
        const uint64_t seed = t->seed * 1000003 + PROBLEMS + i;
        uint64_t state = seed;
        const int32_t rows = LARGE_SIDE + (int32_t)zm_random_below(&state, 40);
        const int32_t cols = LARGE_SIDE + (int32_t)zm_random_below(&state, 40);
        test_case c = random_case(&state, rows, cols);
        const int32_t threads = 2 + (int32_t)zm_random_below(&state, LARGE_THREADS - 1);

        check_problem(t, &c, threads, true, seed, &state);
        case_free(&c);
    }
}
