/* SPDX-License-Identifier: Apache-2.0
 * Paths against geodesics that are known. */
#include <stdlib.h>

#include "check.h"
#include "support/cases.h"

enum { MOST_POINTS = 20000 };

typedef struct solved {
    const test_case *c;
    zm_problem problem;
    zm_solver *solver;
    double *T;
    zm_path_point *points; /* of the last path */
    size_t n;
} solved;

static solved solve(test_run *t, const test_case *c, const zm_solver_opts *opts)
{
    solved s = { .c = c, .problem = case_problem(c) };
    zm_error err;

    s.T = nan_doubles(c->n);
    s.points = calloc(MOST_POINTS, sizeof *s.points);
    s.solver = case_solver(c, ZM_F64, opts);
    CHECK_MSG(zm_forward(s.solver, &s.problem, s.T, NULL, NULL, &err) == ZM_OK, "%s",
              err.text);
    return s;
}

static void solved_free(solved *s)
{
    zm_solver_destroy(s->solver);
    free(s->points);
    free(s->T);
}

static void find_path(test_run *t, solved *s, double row, double col,
                      int32_t straighten)
{
    const zm_path_opts opts = { .size = sizeof opts, .straighten = straighten };
    zm_error err;

    s->n = 0;
    CHECK(zm_path(s->solver, 0, &s->problem, s->T, row, col, s->points, MOST_POINTS,
                  &s->n, NULL, &opts, &err) == ZM_OK);
    CHECK(s->n > 0);
}

static double cost_of(test_run *t, const solved *s)
{
    double cost = (double)NAN;
    zm_error err;

    CHECK(zm_path_cost(s->c->grid, &s->problem, 0, s->points, s->n, &cost, &err) ==
          ZM_OK);
    return cost;
}

/* Cost of the path over the time of its last point. */
static double cost_ratio(test_run *t, const solved *s)
{
    return cost_of(t, s) / (s->points[s->n - 1].time - s->points[0].time);
}

/* Largest distance of a point of the path from the line through its ends. */
static double bend(const solved *s)
{
    const zm_path_point a = s->points[0], b = s->points[s->n - 1];
    const double x = b.col - a.col, y = b.row - a.row, length = hypot(x, y);
    double largest = 0;

    for (size_t i = 0; i < s->n; i++) {
        const double off =
            (s->points[i].col - a.col) * y - (s->points[i].row - a.row) * x;

        largest = fmax(largest, fabs(off) / length);
    }
    return largest;
}

/* A target anywhere, at least 20 cells from the source: nearer ones tell little. */
static void random_target(const test_case *c, uint64_t *state, double *row, double *col)
{
    do {
        *row = zm_random_unit(state) * (c->grid.rows - 1);
        *col = zm_random_unit(state) * (c->grid.cols - 1);
    } while (hypot(*row - c->sources[0].row, *col - c->sources[0].col) < 20);
}

/* Geodesics of a constant Randers medium are straight lines, whatever G and b are.  Paths
 * bend by less than a cell, where first-order times are some per cent wrong; by a quarter
 * with factored times, which are exact in the middles of cells, and then cost what the
 * times say, to the interpolation between cells at the end. */
static void check_straight(test_run *t, const test_case *c, const zm_solver_opts *opts,
                           double most_bend, double most_excess)
{
    uint64_t state = t->seed;
    solved s = solve(t, c, opts);

    for (int k = 0; k < 60; k++) {
        double row, col, ratio;

        random_target(c, &state, &row, &col);
        find_path(t, &s, row, col, 0);
        CHECK_AT_MOST(bend(&s), most_bend);
        find_path(t, &s, row, col, 1);
        CHECK_AT_MOST(bend(&s), most_bend);
        ratio = cost_ratio(t, &s);
        CHECK_AT_MOST(fabs(ratio - 1), most_excess);
    }
    solved_free(&s);
}

TEST(paths_of_constant_media_are_straight)
{
    const zm_solver_opts plain = adaptive_opts(1, 0),
                         exact = adaptive_opts(1, HUGE_VAL);
    const zm_solver_opts second = adaptive_opts(2, 10);
    test_case c = case_create(200, 200);

    case_add_source(&c, 93, 71, 0);
    check_straight(t, &c, NULL, 1, 0.02);
    check_straight(t, &c, &exact, 0.25, 0.002);
    fill_constant(&c, 1, 0, 1, 0.6 * cos(0.7), 0.6 * sin(0.7));
    check_straight(t, &c, NULL, 1, 0.03);
    check_straight(t, &c, &exact, 0.25, 0.002);
    fill_rotated(&c, 1, 25, 0.5, 0, 0);
    check_straight(t, &c, &plain, 1, 0.04);
    check_straight(t, &c, &exact, 0.25, 0.01);
    check_straight(t, &c, &second, 0.25, 0.01);
    fill_rotated(&c, 1, 25, 0.5, 0.5 * cos(0.4), 0.5 * sin(0.4));
    check_straight(t, &c, &plain, 1, 0.03);
    check_straight(t, &c, &exact, 0.25, 0.01);
    case_free(&c);
}

/* Speed v = 1 + k y, G = I / v^2: geodesics are arcs of circles whose centres lie on
 * v = 0, and the time is acosh(1 + k^2 |x - s|^2 / (2 v v_s)) / k. */
TEST(paths_of_a_linear_speed_are_circular_arcs)
{
    const zm_solver_opts opts = adaptive_opts(2, 10);
    const double k = 0.02;
    test_case c = case_create(201, 201);
    uint64_t state = t->seed;
    solved s;

    for (size_t i = 0; i < c.n; i++) {
        const double v = 1 + k * (double)(i / 201);

        c.g11[i] = c.g22[i] = 1 / (v * v);
    }
    case_add_source(&c, 10, 15, 0);
    s = solve(t, &c, &opts);
    for (int j = 0; j < 60; j++) {
        double row, col, x, centre, radius, exact;

        do { /* nearly straight up or down the arc is of no finite radius */
            random_target(&c, &state, &row, &col);
        } while (fabs(col - 15) < 20);
        /* the centre (centre, -1/k) is as far from both ends */
        x = col - 15;
        centre = 15 + (x * x + (row - 10) * (row + 10 + 2 / k)) / (2 * x);
        radius = hypot(15 - centre, 10 + 1 / k);
        exact = acosh(1 + k * k * (x * x + (row - 10) * (row - 10)) /
                              (2 * (1 + k * row) * (1 + k * 10))) /
                k;
        for (int32_t straighten = 0; straighten < 2; straighten++) {
            find_path(t, &s, row, col, straighten);
            for (size_t i = 0; i < s.n; i++)
                CHECK_NEAR(hypot(s.points[i].col - centre, s.points[i].row + 1 / k),
                           radius, 0.25);
            CHECK_NEAR(cost_of(t, &s), exact, 0.001 * exact);
        }
    }
    solved_free(&s);
    case_free(&c);
}

/* A wall from the top to row 100 between source and target: the way is two straight lines
 * over the lower end of the wall, at its corners (100.5, 99.5) and (100.5, 100.5). */
TEST(path_round_a_wall_is_taut)
{
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        const zm_solver_opts opts = adaptive_opts(2, 10);
        const double exact = hypot(70.5, 49.5) + 1 + hypot(80.5, 59.5);
        test_case c = case_create(200, 200);
        solved s;

        case_add_walls(&c);
        for (size_t row = 0; row <= 100; row++)
            c.walls[row * 200 + 100] = 1;
        case_add_source(&c, 30, 50, 0);
        s = solve(t, &c, adaptive ? &opts : NULL);
        find_path(t, &s, 20, 160, 1);
        CHECK_NEAR(cost_of(t, &s), exact, 0.005 * exact);
        solved_free(&s);
        case_free(&c);
    }
}

/* Corridors ten cells wide and 2000 cells of way: no wall crossed (the cost is finite), and
 * no more to pay than the time says, up to the 1 % the times are wrong by. */
TEST(paths_through_a_maze_cost_what_the_times_say)
{
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        const zm_solver_opts opts = adaptive_opts(2, 10);
        test_case c = case_make(MAZE, 200, 200, t->seed);
        uint64_t state = t->seed;
        solved s = solve(t, &c, adaptive ? &opts : NULL);

        for (int k = 0; k < 30; k++) {
            double row, col;

            do {
                random_target(&c, &state, &row, &col);
                row = floor(row);
                col = floor(col);
            } while (!isfinite(s.T[(size_t)(row * 200 + col)]));
            find_path(t, &s, row, col, 1);
            CHECK_AT_MOST(fabs(cost_ratio(t, &s) - 1), 0.02);
            find_path(t, &s, row, col, 0);
            CHECK_AT_MOST(fabs(cost_ratio(t, &s) - 1), 0.04);
        }
        solved_free(&s);
        case_free(&c);
    }
}

/* T by bilinear interpolation. */
static double interpolated(const solved *s, double row, double col)
{
    const size_t r = (size_t)row, k = (size_t)col, cols = (size_t)s->c->grid.cols;
    const double y = row - (double)r, x = col - (double)k, *T = s->T + r * cols + k;

    return (1 - y) * ((1 - x) * T[0] + x * T[1]) +
           y * ((1 - x) * T[cols] + x * T[cols + 1]);
}

/* Steepest descent of T from a point to within two cells of the source, then straight. */
static void descend_gradient(solved *s, double row, double col)
{
    const zm_source *from = &s->c->sources[0];

    s->n = MOST_POINTS;
    s->points[--s->n] = (zm_path_point){ row, col, 0 };
    while (hypot(row - from->row, col - from->col) > 2 && s->n > 1) {
        const double e = 0.5;
        const double y = interpolated(s, row + e, col) - interpolated(s, row - e, col);
        const double x = interpolated(s, row, col + e) - interpolated(s, row, col - e);

        row -= 0.25 * y / hypot(x, y);
        col -= 0.25 * x / hypot(x, y);
        s->points[--s->n] = (zm_path_point){ row, col, 0 };
    }
    s->points[--s->n] = (zm_path_point){ from->row, from->col, 0 };
    for (size_t i = s->n; i < MOST_POINTS; i++)
        s->points[i - s->n] = s->points[i];
    s->n = MOST_POINTS - s->n;
}

/* G = I, b = (0.7, 0), T = |x| - 0.7 x: across the drift the gradient (y/|x| along y,
 * x/|x| - 0.7 along x) leans by atan(0.7) from the way the front came, and its descent is a
 * detour.  Paths do not follow it. */
TEST(with_a_drift_paths_are_not_gradient_descent)
{
    const zm_solver_opts opts = adaptive_opts(1, HUGE_VAL);
    test_case c = case_create(200, 200);
    double of_path, of_descent;
    solved s;

    fill_constant(&c, 1, 0, 1, 0.7, 0);
    case_add_source(&c, 20, 100, 0);
    s = solve(t, &c, &opts);
    find_path(t, &s, 180, 100, 0);
    CHECK_AT_MOST(bend(&s), 0.25);
    of_path = cost_of(t, &s);
    CHECK_NEAR(of_path, 160, 0.1);
    descend_gradient(&s, 180, 100);
    of_descent = cost_of(t, &s);
    CHECK(bend(&s) > 20);
    CHECK_MSG(of_descent > 1.1 * of_path, "%g against %g", of_descent, of_path);
    solved_free(&s);
    case_free(&c);
}

/* float32 times are rounded to 1e-7 of themselves; flow and path hardly move. */
TEST(paths_in_float32_are_those_in_float64)
{
    test_case c = case_make(SMOOTH, 120, 120, t->seed);
    float *T = nan_floats(c.n);
    zm_path_point *narrow = calloc(MOST_POINTS, sizeof *narrow);
    case_f32 f;
    zm_solver *solver;
    size_t n;
    solved s;
    zm_error err;

    case_round_to_f32(&c);
    f = case_to_f32(&c);
    s = solve(t, &c, NULL);
    solver = case_solver(&c, ZM_F32, NULL);
    CHECK(zm_forward(solver, &f.problem, T, NULL, NULL, &err) == ZM_OK);
    for (double row = 1; row < 119; row += 9.7) {
        find_path(t, &s, row, 117.25, 0);
        CHECK(zm_path(solver, 0, &f.problem, T, row, 117.25, narrow, MOST_POINTS, &n,
                      NULL, &(zm_path_opts){ .size = sizeof(zm_path_opts) }, &err) == ZM_OK);
        CHECK(n + 2 >= s.n && n <= s.n + 2);
        for (size_t i = 0; i < n && i < s.n; i++)
            CHECK_AT_MOST(hypot(narrow[n - 1 - i].row - s.points[s.n - 1 - i].row,
                                narrow[n - 1 - i].col - s.points[s.n - 1 - i].col),
                          0.5);
    }
    zm_solver_destroy(solver);
    solved_free(&s);
    case_f32_free(&f);
    free(narrow);
    free(T);
    case_free(&c);
}
