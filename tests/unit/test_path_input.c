/* SPDX-License-Identifier: Apache-2.0
 * Arguments of flow, labels and paths that make no sense are refused, with a message. */
#include <string.h>

#include "check.h"
#include "support/cases.h"

enum { ROWS = 12, COLS = 17, N = ROWS * COLS, MOST = 200 };

typedef struct fixture {
    test_case c;
    zm_problem problem;
    zm_solver *solver;
    double T[N];
    zm_path_point points[MOST];
    size_t count;
    zm_error err;
} fixture;

static void fixture_make(test_run *t, fixture *f, bool solved)
{
    f->c = case_create(ROWS, COLS);
    case_add_source(&f->c, 3, 4, 1);
    f->problem = case_problem(&f->c);
    f->solver = case_solver(&f->c, ZM_F64, NULL);
    if (solved)
        CHECK(zm_forward(f->solver, &f->problem, f->T, NULL, NULL, &f->err) == ZM_OK);
}

static void fixture_free(fixture *f)
{
    zm_solver_destroy(f->solver);
    case_free(&f->c);
}

static zm_status path_to(fixture *f, double row, double col, size_t capacity,
                         const zm_path_opts *opts)
{
    f->err = (zm_error){ .code = ZM_OK };
    return zm_path(f->solver, 0, &f->problem, f->T, row, col, f->points, capacity,
                   &f->count, NULL, opts, &f->err);
}

TEST(without_a_solve_there_is_nothing_to_look_at)
{
    fixture f;
    double v[2 * N];
    int32_t labels[N];

    fixture_make(t, &f, false);
    CHECK(path_to(&f, 1, 1, MOST, NULL) == ZM_E_STATE);
    CHECK(strstr(f.err.text, "zm_forward") != NULL);
    CHECK(zm_flow(f.solver, 0, &f.problem, f.T, v, v + N, &f.err) == ZM_E_STATE);
    CHECK(zm_labels(f.solver, 0, &f.problem, f.T, labels, &f.err) == ZM_E_STATE);
    fixture_free(&f);
}

TEST(points_outside_of_the_grid_are_refused)
{
    const double bad[][2] = { { -0.1, 3 }, { 3, COLS - 0.9 }, { ROWS, 0 }, { NAN, 2 } };
    fixture f;

    fixture_make(t, &f, true);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(path_to(&f, bad[i][0], bad[i][1], MOST, NULL) == ZM_E_ARG);
        CHECK(strstr(f.err.text, "0..11 and 0..16") != NULL);
    }
    CHECK(path_to(&f, ROWS - 1, COLS - 1, MOST, NULL) == ZM_OK);
    CHECK(f.count > 1);
    fixture_free(&f);
}

/* The count is told, and no point written. */
TEST(too_little_room_is_refused)
{
    fixture f;
    size_t needed;

    fixture_make(t, &f, true);
    CHECK(path_to(&f, 11, 16, MOST, NULL) == ZM_OK);
    needed = f.count;
    memset(f.points, 0, sizeof f.points);
    CHECK(path_to(&f, 11, 16, needed - 1, NULL) == ZM_E_ARG);
    CHECK(f.count == needed && f.points[0].time == 0);
    CHECK(path_to(&f, 11, 16, needed, NULL) == ZM_OK);
    CHECK(f.points[0].time == 1);
    fixture_free(&f);
}

TEST(missing_arrays_are_refused)
{
    zm_path_opts future = ZM_PATH_OPTS_INIT;
    double v[N], cost;
    fixture f;

    fixture_make(t, &f, true);
    CHECK(zm_flow(f.solver, 0, &f.problem, f.T, v, NULL, &f.err) == ZM_E_ARG);
    CHECK(zm_labels(f.solver, 0, &f.problem, f.T, NULL, &f.err) == ZM_E_ARG);
    CHECK(zm_flow(f.solver, 0, &f.problem, NULL, v, v, &f.err) == ZM_E_ARG);
    CHECK(zm_path(f.solver, 0, &f.problem, f.T, 1, 1, f.points, MOST, NULL, NULL, NULL,
                  &f.err) == ZM_E_ARG);
    future.size += 8;
    CHECK(path_to(&f, 1, 1, MOST, &future) == ZM_E_ARG);
    CHECK(zm_path_cost(f.c.grid, &f.problem, 0, NULL, 3, &cost, &f.err) == ZM_E_ARG);
    CHECK(zm_path_cost(f.c.grid, &f.problem, 0, f.points, 0, &cost, &f.err) ==
          ZM_E_ARG);
    f.points[0] = (zm_path_point){ 1, HUGE_VAL, 0 };
    CHECK(zm_path_cost(f.c.grid, &f.problem, 0, f.points, 1, &cost, &f.err) ==
          ZM_E_ARG);
    CHECK(strstr(f.err.text, "point 0") != NULL);
    fixture_free(&f);
}

/* |v| - b.v along the four sides of a square, by hand; the drift cancels on the way round. */
TEST(cost_of_a_polyline_is_the_integral_of_F)
{
    const zm_path_point square[5] = {
        { 2, 2, 0 }, { 2, 10, 0 }, { 7.5, 10, 0 }, { 7.5, 2, 0 }, { 2, 2, 0 }
    };
    fixture f;
    double cost;

    fixture_make(t, &f, true);
    fill_constant(&f.c, 4, 0, 9, 0.5, -1);
    CHECK(zm_path_cost(f.c.grid, &f.problem, 0, square, 1, &cost, &f.err) == ZM_OK);
    CHECK(cost == 0);
    CHECK(zm_path_cost(f.c.grid, &f.problem, 0, square, 2, &cost, &f.err) == ZM_OK);
    CHECK_NEAR(cost, 8 * (2 - 0.5), 1e-12);
    CHECK(zm_path_cost(f.c.grid, &f.problem, 0, square, 3, &cost, &f.err) == ZM_OK);
    CHECK_NEAR(cost, 8 * 1.5 + 5.5 * (3 + 1), 1e-12);
    CHECK(zm_path_cost(f.c.grid, &f.problem, 0, square, 5, &cost, &f.err) == ZM_OK);
    CHECK_NEAR(cost, 2 * (8 * 2 + 5.5 * 3), 1e-12);
    fixture_free(&f);
}

/* A wall one cell thick, the border, and the corner between two walls stop a way; beside a
 * single wall's corner it is free. */
TEST(walls_and_borders_are_not_crossed)
{
    const zm_path_point through[2] = { { 5, 2, 0 }, { 5.25, 8, 0 } };
    const zm_path_point out[3] = { { 1, 1, 0 }, { 1, -2, 0 }, { 1, 3, 0 } };
    const zm_path_point diagonal[2] = { { 9, 9, 0 }, { 10, 10, 0 } };
    fixture f;
    double cost;

    fixture_make(t, &f, true);
    case_add_walls(&f.c);
    f.problem = case_problem(&f.c);
    f.c.walls[5 * COLS + 6] = 1;
    CHECK(zm_path_cost(f.c.grid, &f.problem, 0, through, 2, &cost, &f.err) == ZM_OK);
    CHECK(cost == HUGE_VAL);
    CHECK(zm_path_cost(f.c.grid, &f.problem, 0, out, 3, &cost, &f.err) == ZM_OK);
    CHECK(cost == HUGE_VAL);
    CHECK(zm_path_cost(f.c.grid, &f.problem, ZM_PERIODIC_X, out, 3, &cost, &f.err) ==
          ZM_OK);
    CHECK_NEAR(cost, 8, 1e-12);
    f.c.walls[9 * COLS + 10] = 1;
    CHECK(zm_path_cost(f.c.grid, &f.problem, 0, diagonal, 2, &cost, &f.err) == ZM_OK);
    CHECK_NEAR(cost, sqrt(2), 1e-12);
    f.c.walls[10 * COLS + 9] = 1;
    CHECK(zm_path_cost(f.c.grid, &f.problem, 0, diagonal, 2, &cost, &f.err) == ZM_OK);
    CHECK(cost == HUGE_VAL);
    fixture_free(&f);
}
