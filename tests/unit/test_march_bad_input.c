/* SPDX-License-Identifier: Apache-2.0
 * Options and problems that the accurate solver refuses, with a message that says why. */
#include <stdlib.h>
#include <string.h>

#include "support/refused.h"

TEST(bad_solver_options_are_refused)
{
    const zm_grid grid = { 3, 4, 1, 1 };
    const zm_solver_opts good = ZM_SOLVER_OPTS_INIT;
    zm_solver_opts o;
    zm_solver *s = (zm_solver *)t; /* must become NULL */

    o = good, o.stencils = (zm_stencil_choice)7;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG, "stencils 7");
    CHECK(s == NULL);
    o = good, o.order = 0;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG, "order 0");
    o = good, o.order = 4;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG, "1, 2 or 3");
    o = good, o.factor_radius = -2;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG,
                "factor_radius -2");
    o = good, o.factor_radius = NAN;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG,
                "factor_radius");
    o = good, o.periodic = 4;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG, "periodic 4");
    o = good, o.periodic = -1;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG, "periodic -1");
}

/* Callers compiled before there were such options have a shorter struct: as before. */
TEST(older_callers_have_fixed_stencils)
{
    test_case c = case_make(SMOOTH, 30, 30, t->seed);
    const zm_problem p = case_problem(&c);
    zm_solver_opts o = adaptive_opts(2, HUGE_VAL);
    double *T = nan_doubles(c.n), *fixed = nan_doubles(c.n);
    zm_solver *s;

    o.size = offsetof(zm_solver_opts, stencils);
    s = case_solver(&c, ZM_F64, &o);
    CHECK(zm_forward(s, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(case_solve(&c, fixed) == ZM_OK);
    CHECK(same_bits(T, fixed, c.n));
    zm_solver_destroy(s);
    free(fixed);
    free(T);
    case_free(&c);
}

static fixture bench_make(test_run *t, zm_stencil_choice stencils, int32_t order)
{
    zm_solver_opts o = adaptive_opts(order, 0);

    o.stencils = stencils;
    return fixture_of(case_make(SMOOTH, 20, 24, t->seed), &o);
}

static zm_status solve(fixture *b, const zm_forward_opts *o, zm_error *err)
{
    const zm_problem p = case_problem(&b->c);

    return zm_forward(b->s, &p, b->T, o, NULL, err);
}

TEST(bad_forward_options_are_refused)
{
    fixture b = bench_make(t, ZM_STENCILS_ADAPTIVE, 2);
    zm_forward_opts o = ZM_FORWARD_OPTS_INIT;

    o.max_cells = -1;
    CHECK_FAILS(solve(&b, &o, &err), ZM_E_ARG, "max_cells -1");
    o = (zm_forward_opts)ZM_FORWARD_OPTS_INIT, o.t_max = NAN;
    CHECK_FAILS(solve(&b, &o, &err), ZM_E_ARG, "t_max");
    CHECK(solve(&b, NULL, NULL) == ZM_OK); /* and it still works */
    fixture_free(&b);
}

TEST(sources_between_cells_need_adaptive_stencils)
{
    fixture fixed = bench_make(t, ZM_STENCILS_FIXED, 1);
    fixture adaptive = bench_make(t, ZM_STENCILS_ADAPTIVE, 1);

    fixed.c.sources[0].col = 7.5;
    CHECK_FAILS(solve(&fixed, NULL, &err), ZM_E_SOURCE, "adaptive stencils");
    adaptive.c.sources[0].col = 7.5;
    CHECK(solve(&adaptive, NULL, NULL) == ZM_OK);
    adaptive.c.sources[0].col = 23.25; /* beyond the middle of the last column */
    CHECK_FAILS(solve(&adaptive, NULL, &err), ZM_E_SOURCE, "col 23.25");
    adaptive.c.sources[0].col = -0.25;
    CHECK_FAILS(solve(&adaptive, NULL, &err), ZM_E_SOURCE, "col -0.25");
    adaptive.c.sources[0].col = NAN;
    CHECK_FAILS(solve(&adaptive, NULL, &err), ZM_E_SOURCE, "source 0");
    fixture_free(&adaptive);
    fixture_free(&fixed);
}

/* A source between cells is in the cell whose middle is nearest: that must be no wall; others
 * around it may be. */
TEST(sources_between_cells_may_have_walls_around_them)
{
    fixture b = bench_make(t, ZM_STENCILS_ADAPTIVE, 2);

    case_add_walls(&b.c);
    b.c.sources[0] = (zm_source){ 7.25, 9.75, 0 };
    b.c.walls[7 * 24 + 10] = 1;
    CHECK_FAILS(solve(&b, NULL, &err), ZM_E_SOURCE, "in a wall");
    b.c.walls[7 * 24 + 10] = 0;
    b.c.walls[7 * 24 + 9] = b.c.walls[8 * 24 + 9] = b.c.walls[8 * 24 + 10] = 1;
    CHECK(solve(&b, NULL, NULL) == ZM_OK);
    CHECK(b.T[7 * 24 + 9] == (double)INFINITY && isfinite(b.T[7 * 24 + 10]));
    fixture_free(&b);
}

/* A stencil beyond the reach: the message says where, and what to do. */
TEST(extreme_metrics_are_refused)
{
    for (int32_t order = 1; order <= 2; order++) {
        fixture b = bench_make(t, ZM_STENCILS_ADAPTIVE, order);
        test_case extreme = case_create(20, 24);
        const size_t cell = 13 * 24 + 5;
        zm_error err = { .text = "" };

        fill_oriented(&extreme, 1e3, 1e-3, 0, 0.999, 0.3); /* along an axis */
        for (int p = 0; p < N_PLANES; p++)
            case_plane(&b.c, p)[cell] = case_plane(&extreme, p)[cell];
        CHECK(solve(&b, NULL, &err) == ZM_E_METRIC);
        CHECK_MSG(err.cell == (int64_t)cell && strstr(err.text, "row 13, col 5") &&
                      strstr(err.text, "1023"),
                  "cell %lld: %s", (long long)err.cell, err.text);
        fill_constant(&b.c, 1, 0, 1, 0, 0);
        CHECK(solve(&b, NULL, NULL) == ZM_OK); /* the solver is none the worse */
        case_free(&extreme);
        fixture_free(&b);
    }
}

/* What is not admissible is found by marches as well, with the first bad cell. */
TEST(bad_metrics_are_refused)
{
    for (int32_t order = 1; order <= 2; order++) {
        fixture b = bench_make(t, ZM_STENCILS_ADAPTIVE, order);
        zm_error err = { .text = "" };

        b.c.g22[100] = -1;
        CHECK(solve(&b, NULL, &err) == ZM_E_METRIC && err.cell == 100);
        b.c.g22[100] = 1;
        b.c.b1[200] = 5;
        CHECK(solve(&b, NULL, &err) == ZM_E_METRIC && err.cell == 200);
        CHECK(strstr(err.text, "drift norm") != NULL);
        b.c.b1[200] = NAN;
        CHECK(solve(&b, NULL, &err) == ZM_E_METRIC && err.cell == 200);
        CHECK(strstr(err.text, "b1 is nan") != NULL);
        fixture_free(&b);
    }
}

/* Derivatives of a solve that failed are refused. */
TEST(derivatives_need_a_solve)
{
    fixture b = bench_make(t, ZM_STENCILS_ADAPTIVE, 2);
    const zm_problem p = case_problem(&b.c);
    double *out = nan_doubles(b.c.n);
    const zm_gradient to = { .size = sizeof(zm_gradient), .g11 = out };

    CHECK_FAILS(zm_adjoint(b.s, &p, b.T, b.c.g11, &to, &err), ZM_E_STATE,
                "no solve");
    CHECK(solve(&b, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(b.s, &p, b.T, b.c.g11, &to, NULL) == ZM_OK);
    b.c.g11[3] = -1;
    CHECK(solve(&b, NULL, NULL) == ZM_E_METRIC);
    CHECK_FAILS(zm_adjoint(b.s, &p, b.T, b.c.g11, &to, &err), ZM_E_STATE,
                "no solve");
    free(out);
    fixture_free(&b);
}

static int stop_now(void *ctx, double fraction)
{
    int *calls = ctx;

    (void)fraction;
    return ++*calls >= 2;
}

/* Marches report and can be cancelled. */
TEST(marches_can_be_cancelled)
{
    test_case c = case_make(STRONG, 300, 300, t->seed);
    const zm_problem p = case_problem(&c);
    const zm_solver_opts o = adaptive_opts(2, 0);
    zm_solver *s = case_solver(&c, ZM_F64, &o);
    zm_forward_opts f = ZM_FORWARD_OPTS_INIT;
    double *T = nan_doubles(c.n);
    int calls = 0;

    f.progress = stop_now;
    f.progress_ctx = &calls;
    CHECK_FAILS(zm_forward(s, &p, T, &f, NULL, &err), ZM_E_CANCELLED, "cancelled");
    CHECK(calls == 2);
    free(T);
    zm_solver_destroy(s);
    case_free(&c);
}

/* A source in the middle of a cell that starts alone has no way to move. */
TEST(places_of_whole_sources_are_refused)
{
    test_case c = case_make(STRONG, 17, 20, t->seed);
    const zm_problem p = case_problem(&c);
    zm_solver_opts o = adaptive_opts(1, 0);
    zm_solver *s = case_solver(&c, ZM_F64, &o);
    double *T = nan_doubles(c.n), *dT = nan_doubles(c.n);
    double *places = calloc(c.n_sources, sizeof *places);
    const zm_gradient out = { .size = sizeof(zm_gradient), .source_rows = places };
    const zm_direction d = { .size = sizeof(zm_direction), .source_cols = places };

    CHECK(zm_forward(s, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK_FAILS(zm_adjoint(s, &p, T, T, &out, &err), ZM_E_UNSUPPORTED,
                "middle of cells");
    CHECK_FAILS(zm_tangent(s, &p, T, &d, dT, &err), ZM_E_UNSUPPORTED,
                "middle of cells");
    free(places);
    free(dT);
    free(T);
    zm_solver_destroy(s);
    case_free(&c);
}
