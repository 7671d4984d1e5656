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
