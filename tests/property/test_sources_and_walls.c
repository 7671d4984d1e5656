/* SPDX-License-Identifier: Apache-2.0
 * What sources, walls and the stop time do to arrival times. */
#include <stdlib.h>

#include "check.h"
#include "support/cases.h"

static const double rounding = 1e-12;

static void solve_both(test_run *t, const test_case *a, const test_case *b, double *T_a,
                       double *T_b)
{
    CHECK(case_solve(a, T_a) == ZM_OK);
    CHECK(case_solve(b, T_b) == ZM_OK);
}

/* T + c solves the problem whose sources all start c later; c is a power of two and T is
 * of order 100, so what remains is the rounding of sums along a path. */
TEST(starting_later_arrives_later_by_the_same_time)
{
    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 60, 72, t->seed), late;
        double *T = nan_doubles(c.n), *T_late = nan_doubles(c.n);

        case_add_source(&c, 59, 71, 5.5);
        late = case_copy(&c);
        late.sources[0].time += 64;
        late.sources[1].time += 64;
        solve_both(t, &c, &late, T, T_late);
        for (size_t i = 0; i < c.n; i++)
            T[i] += 64;
        CHECK_AT_MOST(max_relative_difference(T, T_late, c.n), rounding);
        free(T_late);
        free(T);
        case_free(&late);
        case_free(&c);
    }
}

/* Negative times: 64 earlier.  Near T = 0 only the absolute error means anything. */
TEST(sources_may_start_before_time_zero)
{
    test_case c = case_make(SMOOTH, 60, 72, t->seed), early = case_copy(&c);
    double *T = nan_doubles(c.n), *T_early = nan_doubles(c.n);

    early.sources[0].time -= 64;
    solve_both(t, &c, &early, T, T_early);
    for (size_t i = 0; i < c.n; i++)
        CHECK_NEAR(T[i] - 64, T_early[i], 100 * rounding);
    free(T_early);
    free(T);
    case_free(&early);
    case_free(&c);
}

/* A source that the front of another one reaches before it starts changes nothing at all. */
TEST(overtaken_source_changes_nothing)
{
    test_case c = case_make(SMOOTH, 60, 72, t->seed), more = case_copy(&c);
    double *T = nan_doubles(c.n), *T_more = nan_doubles(c.n);

    case_add_source(&more, 2, 70, 1e4);
    case_add_source(&more, 40, 3, 1e4);
    solve_both(t, &c, &more, T, T_more);
    CHECK_AT_MOST(max_relative_difference(T, T_more, c.n), rounding);
    free(T_more);
    free(T);
    case_free(&more);
    case_free(&c);
}

/* Of several sources in a cell the earliest counts. */
TEST(duplicate_sources_count_once)
{
    test_case c = case_make(SMOOTH, 33, 41, t->seed), more = case_copy(&c);
    const int32_t row = (int32_t)c.sources[0].row, col = (int32_t)c.sources[0].col;
    double *T = nan_doubles(c.n), *T_more = nan_doubles(c.n);

    case_clear_sources(&more);
    case_add_source(&more, row, col, 7);
    case_add_source(&more, row, col, 0);
    case_add_source(&more, row, col, 0);
    case_add_source(&more, row, col, 2);
    solve_both(t, &c, &more, T, T_more);
    CHECK(same_bits(T, T_more, c.n));
    free(T_more);
    free(T);
    case_free(&more);
    case_free(&c);
}

/* With several sources T is the earliest of what each alone gives, up to the interplay
 * of fronts inside triangles, which can only help: the interpolated time between two
 * donors of different fronts is no later than either's. */
TEST(more_sources_never_delay)
{
    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 64, 64, t->seed), more = case_copy(&c);
        double *T = nan_doubles(c.n), *T_more = nan_doubles(c.n);

        case_add_source(&more, 63, 0, 1);
        CHECK(case_solve(&c, T) == ZM_OK);
        CHECK(case_solve(&more, T_more) == ZM_OK);
        for (size_t i = 0; i < c.n; i++)
            CHECK(T_more[i] <= T[i] * (1 + rounding));
        CHECK(T_more[63 * 64] <= 1);
        free(T_more);
        free(T);
        case_free(&more);
        case_free(&c);
    }
}

/* Every cell a source at its own time: T = min(own time, update), as in the equation, up
 * to the rounding of times to those of the solve. */
TEST(all_cells_may_be_sources)
{
    test_case c = case_make(SMOOTH, 37, 33, t->seed);
    double *T = nan_doubles(c.n), *residual = nan_doubles(c.n);
    uint64_t state = t->seed;
    zm_problem one_source;

    case_clear_sources(&c);
    for (int32_t i = 0; i < 37 * 33; i++)
        case_add_source(&c, i / 33, i % 33, 30 * zm_random_unit(&state));
    one_source = case_problem(&c);
    CHECK(case_solve(&c, T) == ZM_OK);
    for (size_t i = 0; i < c.n; i++)
        CHECK(T[i] <= c.sources[i].time * (1 + rounding));
    one_source.n_sources = 1;
    CHECK(zm_residual(c.grid, &one_source, T, ZM_RESIDUAL_DISCRETE, residual, NULL) ==
          ZM_OK);
    for (size_t i = 0; i < c.n;
         i++) /* not later than the update, equal if below its start */
        CHECK(residual[i] <= rounding && (T[i] >= c.sources[i].time * (1 - rounding) ||
                                          i == 0 || residual[i] >= -rounding));
    free(residual);
    free(T);
    case_free(&c);
}

/* Sources in corners and on every border, each alone, reach the whole grid. */
TEST(sources_on_borders_and_corners)
{
    static const struct {
        int32_t row, col;
    } places[] = { { 0, 0 },  { 0, 40 }, { 34, 0 }, { 34, 40 },
                   { 0, 17 }, { 34, 9 }, { 12, 0 }, { 21, 40 } };

    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        test_case c = case_create(35, 41);
        double *T = nan_doubles(c.n), *exact = nan_doubles(c.n);

        fill_rotated(&c, 2, 0.5, 0.5, 0.2, 0.1);
        case_add_source(&c, places[p].row, places[p].col, 0);
        CHECK(case_solve(&c, T) == ZM_OK);
        closed_form(&c, exact);
        CHECK_AT_MOST(relative_l2(T, exact, c.n), 0.015); /* 1.3 % on 35 cells */
        for (size_t i = 0; i < c.n; i++)
            CHECK(T[i] >=
                  exact[i] * (1 - rounding)); /* paths of the grid are detours */
        free(exact);
        free(T);
        case_free(&c);
    }
}

static test_case walled(int32_t rows, int32_t cols)
{
    test_case c = case_create(rows, cols);

    case_add_walls(&c);
    return c;
}

/* A diagonal line of walls, cell touching cell at corners only, is tight: what is behind
 * it is never reached. */
static void check_diagonal(test_run *t, int step, int32_t side)
{
    test_case c = walled(side, side);
    double *T = nan_doubles(c.n);

    for (int32_t i = 0; i < side; i++)
        c.walls[i * side + (step > 0 ? i : side - 1 - i)] = 1;
    case_add_source(&c, 0, step > 0 ? side - 1 : 0, 0);
    CHECK(case_solve(&c, T) == ZM_OK);
    for (int32_t row = 0; row < side; row++)
        for (int32_t col = 0; col < side; col++) {
            const int32_t wall = step > 0 ? row : side - 1 - row;
            const bool reached = step > 0 ? col > wall : col < wall;

            CHECK_MSG(isfinite(T[row * side + col]) == reached,
                      "row %d, col %d: T = %g", (int)row, (int)col,
                      T[row * side + col]);
        }
    free(T);
    case_free(&c);
}

TEST(diagonal_walls_do_not_leak)
{
    for (int32_t side = 2; side <= 70; side += 17) {
        check_diagonal(t, 1, side);
        check_diagonal(t, -1, side);
    }
}

/* A front does go round a single wall cell diagonally: only two walls that touch at the
 * corner block it.  From (1, 1) to (0, 2) past the one wall (0, 1) it is sqrt 2. */
TEST(one_wall_beside_a_diagonal_step_does_not_block_it)
{
    test_case c = walled(3, 3);
    double *T = nan_doubles(c.n);

    c.walls[1] = 1;
    case_add_source(&c, 1, 1, 0);
    CHECK(case_solve(&c, T) == ZM_OK);
    CHECK_NEAR(T[2], sqrt(2.0), rounding);
    CHECK(isinf(T[1]));
    free(T);
    case_free(&c);
}

/* The border of the grid is no wall: a diagonal step along it is free. */
TEST(the_border_does_not_block_diagonal_steps)
{
    test_case c = case_create(2, 2);
    double *T = nan_doubles(c.n);

    case_add_source(&c, 0, 0, 0);
    CHECK(case_solve(&c, T) == ZM_OK);
    CHECK_NEAR(T[3], sqrt(2.0), rounding);
    free(T);
    case_free(&c);
}

/* The update is a minimum over fewer paths. */
TEST(more_walls_never_lower_a_time)
{
    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 66, 59, t->seed), more = case_copy(&c);
        double *T = nan_doubles(c.n), *T_more = nan_doubles(c.n);
        uint64_t state = t->seed;
        const size_t source = (size_t)c.sources[0].row * 59 + (size_t)c.sources[0].col;

        if (!more.walls)
            case_add_walls(&more);
        for (size_t i = 0; i < c.n; i++)
            more.walls[i] |= zm_random_unit(&state) < 0.2 && i != source;
        CHECK(case_solve(&c, T) == ZM_OK);
        CHECK(case_solve(&more, T_more) == ZM_OK);
        for (size_t i = 0; i < c.n; i++) {
            CHECK(T_more[i] >= T[i] * (1 - rounding));
            CHECK(!more.walls[i] || isinf(T_more[i]));
        }
        free(T_more);
        free(T);
        case_free(&more);
        case_free(&c);
    }
}

/* Metric and drift in walls are ignored, whatever they are. */
TEST(values_in_walls_are_ignored)
{
    test_case c = case_make(MAZE, 66, 59, t->seed), odd = case_copy(&c);
    double *T = nan_doubles(c.n), *T_odd = nan_doubles(c.n);

    for (size_t i = 0; i < c.n; i++)
        if (c.walls[i]) {
            odd.g11[i] = NAN;
            odd.g12[i] = INFINITY;
            odd.g22[i] = -1;
            odd.b1[i] = 100;
        }
    CHECK(case_solve(&c, T) == ZM_OK);
    CHECK(case_solve(&odd, T_odd) == ZM_OK);
    CHECK(same_bits(T, T_odd, c.n));
    free(T_odd);
    free(T);
    case_free(&odd);
    case_free(&c);
}

typedef struct stop_answer {
    double *T, *gradient; /* n; N_PLANES*n, for dL/dT = 1 up to the stop time */
    zm_report report;
} stop_answer;

static stop_answer solve_until(test_run *t, const test_case *c, zm_solver *solver,
                               double t_max, double counted)
{
    stop_answer a = { nan_doubles(c->n), nan_doubles(N_PLANES * c->n), ZM_REPORT_INIT };
    double *p = a.gradient, *ones = nan_doubles(c->n);
    const zm_gradient out = { .size = sizeof(zm_gradient),
                              .g11 = p,
                              .g12 = p + c->n,
                              .g22 = p + 2 * c->n,
                              .b1 = p + 3 * c->n,
                              .b2 = p + 4 * c->n };
    const zm_problem problem = case_problem(c);
    zm_forward_opts opts = ZM_FORWARD_OPTS_INIT;

    opts.t_max = t_max;
    CHECK(zm_forward(solver, &problem, a.T, &opts, &a.report, NULL) == ZM_OK);
    for (size_t i = 0; i < c->n; i++)
        ones[i] = a.T[i] <= counted;
    CHECK(zm_adjoint(solver, &problem, a.T, ones, &out, NULL) == ZM_OK);
    free(ones);
    return a;
}

static void stop_answer_free(stop_answer *a)
{
    free(a->gradient);
    free(a->T);
}

/* Of the full solve and the stopped one; also where donors are later than their nodes
 * (smooth, pixels, strong), and may be later than t_max. */
static void check_stop(test_run *t, const test_case *c, zm_solver *solver, double t_max,
                       const char *name)
{
    const double same = 1e-9; /* rounding, and what 16 causal gaps leave */
    stop_answer whole = solve_until(t, c, solver, HUGE_VAL, t_max);
    stop_answer stopped = solve_until(t, c, solver, t_max, t_max);
    double apart;
    size_t reached = 0;

    for (size_t i = 0; i < c->n; i++) {
        const double T = whole.T[i], S = stopped.T[i];

        reached += isfinite(S) ? 1 : 0;
        if (isinf(T) || fabs(T - t_max) > same * T) /* on the edge either is right */
            CHECK_MSG(T > t_max ? isinf(S) : fabs(S - T) <= same * T,
                      "%s, t_max %.17g, cell %zu: %.17g instead of %.17g", name, t_max,
                      i, S, T);
    }
    CHECK(reached > 0 && reached < c->n);
    apart = relative_l2(stopped.gradient, whole.gradient, N_PLANES * c->n);
    CHECK_MSG(apart <= same, "%s, t_max %.17g: gradients differ by %.3g", name, t_max,
              apart);
    /* A stopped solve takes blocks sooner, which may cost it a little of what it saves. */
    CHECK((double)stopped.report.updates <= 1.02 * (double)whole.report.updates);
    stop_answer_free(&stopped);
    stop_answer_free(&whole);
}

TEST(stop_time_keeps_earlier_values_and_drops_later_ones)
{
    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 150, 140, t->seed);
        zm_solver *solver = case_solver(&c, ZM_F64, NULL);
        double *T = nan_doubles(c.n);
        double latest = 0;

        CHECK(case_solve(&c, T) == ZM_OK);
        for (size_t i = 0; i < c.n; i++)
            latest = isfinite(T[i]) ? fmax(latest, T[i]) : latest;
        for (int part = 1; part < 16; part += 2)
            check_stop(t, &c, solver, latest * part / 16, medium_name((medium)m));
        free(T);
        zm_solver_destroy(solver);
        case_free(&c);
    }
}

/* What the stop time is for: most of the grid is never looked at. */
TEST(stop_time_saves_work)
{
    static const medium media[] = { SMOOTH, CONTRAST, MAZE };

    for (size_t m = 0; m < sizeof media / sizeof media[0]; m++) {
        test_case c = case_make(media[m], 300, 300, t->seed);
        zm_solver *solver = case_solver(&c, ZM_F64, NULL);
        stop_answer whole = solve_until(t, &c, solver, HUGE_VAL, HUGE_VAL);
        stop_answer stopped = solve_until(t, &c, solver, 20, HUGE_VAL);

        CHECK(stopped.report.updates < whole.report.updates / 2);
        stop_answer_free(&stopped);
        stop_answer_free(&whole);
        zm_solver_destroy(solver);
        case_free(&c);
    }
}

/* A stop time before the first source leaves nothing reached, and one at it that cell. */
TEST(stop_time_before_the_source_reaches_nothing)
{
    test_case c = case_make(SMOOTH, 20, 20, t->seed);
    const zm_problem problem = case_problem(&c);
    zm_solver *solver = case_solver(&c, ZM_F64, NULL);
    zm_forward_opts opts = ZM_FORWARD_OPTS_INIT;
    double *T = nan_doubles(c.n);
    size_t reached = 0;

    opts.t_max = -1;
    CHECK(zm_forward(solver, &problem, T, &opts, NULL, NULL) == ZM_OK);
    for (size_t i = 0; i < c.n; i++)
        CHECK(isinf(T[i]));
    opts.t_max = 0;
    CHECK(zm_forward(solver, &problem, T, &opts, NULL, NULL) == ZM_OK);
    for (size_t i = 0; i < c.n; i++)
        reached += isfinite(T[i]) ? 1 : 0;
    CHECK(reached == 1);
    free(T);
    zm_solver_destroy(solver);
    case_free(&c);
}
