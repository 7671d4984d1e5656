/* SPDX-License-Identifier: Apache-2.0
 * One forward solve and one adjoint by an engine of choice, for tools that count instructions:
 * solve_engine SIDE adaptive|second|timed
 *
 * adaptive: adaptive blocks in a strong metric; second: order 2, factored, by marching; timed:
 * four intervals of the smooth metric. */
#include <stdlib.h>
#include <string.h>

#include "support/scene.h"

enum { INTERVALS = 4 };

int main(int argc, char **argv)
{
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_gradient out = ZM_GRADIENT_INIT, each[INTERVALS];
    zm_interval interval[INTERVALS];
    double starts[INTERVALS];
    zm_error err;
    zm_solver *solver;
    double *T, *g;
    scene s;

    if (argc != 3)
        return 2;
    const bool timed = !strcmp(argv[2], "timed");
    const int32_t side = positive(argv[1]);

    opts.order = strcmp(argv[2], "second") ? 1 : 2;
    scene_init(&s, strcmp(argv[2], "adaptive") ? SMOOTH : STRONG, side, 1);
    zm_problem problem = s.problem[ZM_F64];

    for (int k = 0; k < INTERVALS; k++) {
        interval[k] = (zm_interval){ .metric = problem.metric };
        starts[k] = side / 8.0 * k;
        each[k] = (zm_gradient)ZM_GRADIENT_INIT;
    }
    if (timed) {
        problem.n_intervals = INTERVALS;
        problem.starts = starts;
        problem.intervals = interval;
        problem.metric = (zm_metric){ .dtype = ZM_F64 };
        out.intervals = each;
    }
    T = or_out_of_memory(malloc(s.c.n * sizeof *T));
    g = or_out_of_memory(malloc(s.c.n * sizeof *g));
    (timed ? &each[0] : &out)->g11 = g;
    expect_ok(zm_solver_create(&solver, s.c.grid, ZM_F64, &opts, &err),
              "zm_solver_create", &err);
    expect_ok(zm_forward(solver, &problem, T, NULL, NULL, &err), "zm_forward", &err);
    expect_ok(zm_adjoint(solver, &problem, T, T, &out, &err), "zm_adjoint", &err);
    zm_solver_destroy(solver);
    free(g);
    free(T);
    scene_free(&s);
    return 0;
}
