/* SPDX-License-Identifier: Apache-2.0
 * Paths give back all memory, and say so when there is none. */
#include <stdlib.h>

#include "check.h"
#include "support/cases.h"
#include "support/counted.h"

/* The first, second, ... allocation of zm_path fails until it succeeds. */
TEST(every_refused_allocation_of_a_path_is_handled)
{
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        counter c = { 0 };
        zm_solver_opts o =
            adaptive ? adaptive_opts(2, 5) : fixed_opts();
        test_case maze = case_make(MAZE, 60, 70, t->seed);
        zm_problem problem = case_problem(&maze);
        double *T = nan_doubles(maze.n);
        zm_path_point points[2000];
        zm_status st = ZM_E_NOMEM;
        zm_solver *solver;
        size_t before, count, refused = 0;
        zm_error err;

        o.mem = counted(&c);
        solver = case_solver(&maze, ZM_F64, &o);
        CHECK(zm_forward(solver, &problem, T, NULL, NULL, &err) == ZM_OK);
        before = c.live;
        while (st == ZM_E_NOMEM && refused < 100) {
            c.requests = 0;
            c.refuse = ++refused;
            st = zm_path(solver, 0, &problem, T, 58, 3, points, 2000, &count, NULL,
                         NULL, &err);
            CHECK(st == ZM_OK || (st == ZM_E_NOMEM && err.text[0]));
            CHECK(c.live == before);
        }
        CHECK(st == ZM_OK && count > 100 && refused > 2);
        zm_solver_destroy(solver);
        CHECK(c.live == 0);
        free(T);
        case_free(&maze);
    }
}

/* The same for many paths at once. */
TEST(every_refused_allocation_of_many_paths_is_handled)
{
    counter c = { 0 };
    zm_solver_opts o = adaptive_opts(1, 0);
    test_case maze = case_make(MAZE, 30, 30, t->seed);
    zm_problem problem = case_problem(&maze);
    double *T = nan_doubles(maze.n);
    const zm_path_point to[3] = { { 28, 3, 0 }, { 2, 27, 0 }, { 28, 27, 0 } };
    zm_path_point points[3000];
    zm_status st = ZM_E_NOMEM;
    zm_solver *solver;
    size_t before, begins[4], refused = 0;
    zm_error err;

    o.mem = counted(&c);
    solver = case_solver(&maze, ZM_F64, &o);
    CHECK(zm_forward(solver, &problem, T, NULL, NULL, &err) == ZM_OK);
    before = c.live;
    while (st == ZM_E_NOMEM && refused < 100) {
        c.requests = 0;
        c.refuse = ++refused;
        st = zm_paths(solver, 0, &problem, T, to, 3, points, 3000, begins, NULL, NULL, &err);
        CHECK(st == ZM_OK || (st == ZM_E_NOMEM && err.text[0]));
        CHECK(c.live == before);
    }
    CHECK(st == ZM_OK && begins[3] > 10 && refused > 5);
    zm_solver_destroy(solver);
    CHECK(c.live == 0);
    free(T);
    case_free(&maze);
}

/* And for outlines. */
TEST(every_refused_allocation_of_an_outline_is_handled)
{
    const zm_grid g = { 30, 30, 1, 1 };
    zm_status st = ZM_E_NOMEM;
    counter c = { 0 };
    double T[900];
    size_t refused = 0;

    for (int i = 0; i < 900; i++)
        T[i] = i % 7 % 3;
    while (st == ZM_E_NOMEM && refused < 100) {
        const zm_alloc mem = counted(&c);
        zm_outline *o = NULL;
        zm_error err;

        c.requests = 0;
        c.refuse = ++refused;
        st = zm_outline_create(&o, &mem, &err);
        if (st == ZM_OK)
            st = zm_outline_find(o, g, ZM_F64, T, 0.5, &err);
        CHECK(st == ZM_OK || (st == ZM_E_NOMEM && err.text[0]));
        zm_outline_destroy(o);
        CHECK(c.live == 0);
    }
    CHECK(st == ZM_OK && refused > 5);
}
