/* SPDX-License-Identifier: Apache-2.0
 * What a solver does that was made without options, or with some left as they were. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/cases.h"

static zm_solver_opts opts_of(test_run *t, const zm_solver_opts *given)
{
    const zm_grid grid = { 5, 7, 1, 1 };
    zm_solver_opts used = ZM_SOLVER_OPTS_INIT;
    zm_solver *solver = NULL;

    CHECK(zm_solver_create(&solver, grid, ZM_F64, given, NULL) == ZM_OK);
    CHECK(zm_solver_get_opts(solver, &used, NULL) == ZM_OK);
    zm_solver_destroy(solver);
    return used;
}

TEST(stencils_are_adaptive)
{
    const zm_solver_opts init = ZM_SOLVER_OPTS_INIT, used = opts_of(t, NULL);
    test_case c = case_make(STRONG, 60, 60, t->seed);
    const zm_problem p = case_problem(&c);
    double *T = nan_doubles(c.n), *adaptive = nan_doubles(c.n);
    const zm_solver_opts asked = adaptive_opts(1, 0);
    zm_report report = ZM_REPORT_INIT;
    zm_solver *solver = NULL;

    CHECK(init.stencils == ZM_STENCILS_ADAPTIVE && used.stencils == init.stencils);
    CHECK(zm_solver_create(&solver, c.grid, ZM_F64, NULL, NULL) == ZM_OK);
    CHECK(zm_forward(solver, &p, T, NULL, &report, NULL) == ZM_OK);
    CHECK(report.method != ZM_SOLVED_BY_BLOCKS);
    CHECK(case_solve_with(&c, adaptive, &asked) == ZM_OK && same_bits(T, adaptive, c.n));
    zm_solver_destroy(solver);
    free(adaptive);
    free(T);
    case_free(&c);
}

TEST(factoring_goes_with_the_order)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;

    CHECK(opts_of(t, NULL).factor_radius == 0 && opts_of(t, &o).factor_radius == 0);
    o.order = 2;
    CHECK(opts_of(t, &o).factor_radius == HUGE_VAL);
    o.factor_radius = 3;
    CHECK(opts_of(t, &o).factor_radius == 3);
    o.factor_radius = 0;
    CHECK(opts_of(t, &o).factor_radius == 0);
    o.order = 1;
    o.factor_radius = HUGE_VAL;
    CHECK(opts_of(t, &o).factor_radius == HUGE_VAL);
}

TEST(second_order_alone_is_better_than_first)
{
    test_case c = case_create(101, 101);
    double *exact = nan_doubles(c.n), *T = nan_doubles(c.n);
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    double error[2];

    fill_rotated(&c, 1, 2, 0.4, 0.1, -0.2);
    case_add_source(&c, 50, 50, 0);
    closed_form(&c, exact);
    for (int order = 1; order <= 2; order++) {
        o.order = order;
        CHECK(case_solve_with(&c, T, &o) == ZM_OK);
        error[order - 1] = relative_l2(T, exact, c.n);
    }
    CHECK_AT_MOST(error[1], 1e-12);
    CHECK_AT_MOST(error[1], error[0]);
    free(T);
    free(exact);
    case_free(&c);
}

/* Memory that was left out is malloc's, and says so; the instruction set stays as asked. */
TEST(options_in_use_have_an_allocator_and_the_instruction_set_asked_for)
{
    const zm_solver_opts used = opts_of(t, NULL);
    zm_solver_opts scalar = ZM_SOLVER_OPTS_INIT;

    CHECK(used.mem.allocate && used.mem.release && used.isa == ZM_ISA_BEST);
    scalar.isa = ZM_ISA_SCALAR;
    CHECK(opts_of(t, &scalar).isa == ZM_ISA_SCALAR);
}

TEST(options_go_into_a_struct_of_any_known_size)
{
    const zm_grid grid = { 5, 7, 1, 1 };
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_solver *solver = NULL;
    zm_error err;

    o.threads = 3;
    CHECK(zm_solver_create(&solver, grid, ZM_F64, &o, NULL) == ZM_OK);
    memset(&o, 7, sizeof o);
    o.size = offsetof(zm_solver_opts, batch);
    CHECK(zm_solver_get_opts(solver, &o, NULL) == ZM_OK);
    CHECK(o.threads == 3 && o.batch == 0x07070707);
    CHECK(o.size == offsetof(zm_solver_opts, batch));
    o.size = 0;
    CHECK(zm_solver_get_opts(solver, &o, &err) == ZM_E_ARG && strstr(err.text, "size 0"));
    CHECK(zm_solver_get_opts(solver, NULL, &err) == ZM_E_ARG && strstr(err.text, "NULL"));
    zm_solver_destroy(solver);
}
