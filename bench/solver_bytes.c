/* SPDX-License-Identifier: Apache-2.0
 * Bytes a cell that a solver holds, by engine and type: the table of docs/reliability.md.
 *
 *     solver_bytes [SIDE]                 a square grid, 1000 cells a side by default */
#include <stdio.h>
#include <stdlib.h>

#include "support/scene.h"
#include "support/cases.h"

typedef struct row {
    medium medium;
    zm_stencil_choice stencils;
    int32_t order;
    bool walls;
} row;

static const row rows[] = {
    { SMOOTH, ZM_STENCILS_FIXED, 1, false },
    { SMOOTH, ZM_STENCILS_ADAPTIVE, 1, false },
    { STRONG, ZM_STENCILS_ADAPTIVE, 1, false },
    { STRONG, ZM_STENCILS_ADAPTIVE, 1, true },
    { STRONG, ZM_STENCILS_ADAPTIVE, 2, false },
};

static const char *engine_name(zm_forward_method m)
{
    return m == ZM_SOLVED_BY_BLOCKS            ? "blocks"
           : m == ZM_SOLVED_BY_ADAPTIVE_BLOCKS ? "adaptive blocks"
           : m == ZM_SOLVED_BY_MARCHING        ? "marching"
                                               : "timed";
}

static double held(const zm_solver *s, const test_case *c)
{
    return (double)zm_solver_bytes(s) / (double)c->n;
}

static void measure(const row *r, zm_dtype dtype, int32_t side)
{
    test_case c = case_make(r->medium, side, side, 1);
    case_f32 narrow;
    zm_problem p;
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_gradient out = ZM_GRADIENT_INIT;
    zm_report report = ZM_REPORT_INIT;
    void *T = calloc(c.n, sizeof(double)), *g = calloc(c.n, sizeof(double));
    double made, solved;
    zm_solver *s;
    zm_error err;

    if (r->walls) { /* marching is for those */
        case_add_walls(&c);
        c.walls[0] = 1;
    }
    narrow = case_to_f32(&c);
    p = dtype == ZM_F64 ? case_problem(&c) : narrow.problem;
    opts.stencils = r->stencils;
    opts.order = r->order;
    expect_ok(zm_solver_create(&s, c.grid, dtype, &opts, &err), "zm_solver_create", &err);
    made = held(s, &c);
    expect_ok(zm_forward(s, &p, T, NULL, &report, &err), "zm_forward", &err);
    solved = held(s, &c);
    out.g11 = g;
    expect_ok(zm_adjoint(s, &p, T, T, &out, &err), "zm_adjoint", &err);
    printf("| %s%s | %s | %.0f | %.0f | %.0f |\n", engine_name(report.method),
           r->order == 2                           ? ", order 2"
           : r->stencils == ZM_STENCILS_FIXED ? ", fixed stencils"
                                                   : "",
           dtype == ZM_F64 ? "float64" : "float32", made, solved, held(s, &c));
    zm_solver_destroy(s);
    case_f32_free(&narrow);
    case_free(&c);
    free(T);
    free(g);
}

int main(int argc, char **argv)
{
    const int32_t side = argc > 1 ? positive(argv[1]) : 1000;

    printf("| engine | type | made | after a solve | after derivatives |\n"
           "|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 2; k++)
            measure(&rows[i], k ? ZM_F32 : ZM_F64, side);
    return 0;
}
