/* SPDX-License-Identifier: Apache-2.0
 * Every kind of bad argument has its status and a message that names it. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "reference/reference.h"
#include "support/refused.h"

TEST(bad_grids_are_refused)
{
    const zm_grid good = { 3, 4, 1, 1 };
    zm_grid g;
    zm_solver *s = (zm_solver *)t; /* must become NULL */

    g = good, g.rows = 0;
    CHECK_FAILS(zm_solver_create(&s, g, ZM_F64, NULL, &err), ZM_E_ARG, "0 rows");
    CHECK(s == NULL);
    g = good, g.cols = -7;
    CHECK_FAILS(zm_solver_create(&s, g, ZM_F64, NULL, &err), ZM_E_ARG, "-7 cols");
    g = (zm_grid){ 32768, 32768, 1, 1 }; /* 2^30 cells: one too many */
    CHECK_FAILS(zm_solver_create(&s, g, ZM_F64, NULL, &err), ZM_E_ARG, "1073741823");
    g = (zm_grid){ INT32_MAX, INT32_MAX, 1, 1 };
    CHECK_FAILS(zm_solver_create(&s, g, ZM_F32, NULL, &err), ZM_E_ARG, "1073741823");
    g = good, g.dx = 0;
    CHECK_FAILS(zm_solver_create(&s, g, ZM_F64, NULL, &err), ZM_E_ARG, "dx = 0");
    g = good, g.dy = -1;
    CHECK_FAILS(zm_solver_create(&s, g, ZM_F64, NULL, &err), ZM_E_ARG, "dy = -1");
    g = good, g.dy = NAN;
    CHECK_FAILS(zm_solver_create(&s, g, ZM_F64, NULL, &err), ZM_E_ARG, "dy = ");
    g = good, g.dx = INFINITY;
    CHECK_FAILS(zm_solver_create(&s, g, ZM_F64, NULL, &err), ZM_E_ARG, "finite");
}

/* Numbers of cells are counted in 64 bits before they are refused, by whatever takes a grid. */
TEST(grids_beyond_32_bits_are_refused)
{
    const zm_grid grids[] = { { INT32_MAX, 2, 1, 1 },
                              { 2, INT32_MAX, 1, 1 },
                              { 46341, 46341, 1, 1 },
                              { INT32_MAX, INT32_MAX, 1, 1 } };
    const char *const cells[] = { "4294967294 cells", "4294967294 cells",
                                  "2147488281 cells", "4611686014132420609 cells" };
    const double one = 1, zero = 0;
    const uint8_t mask = 1;
    const zm_source source = { 0, 0, 0 };
    const zm_path_point point = { 0, 0, 0 };
    zm_problem p = ZM_PROBLEM_INIT;
    zm_solver *s;
    size_t count;
    double out;

    p.metric.g11 = &one;
    p.sources = &source;
    p.n_sources = 1;
    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
        const zm_grid g = grids[k];

        CHECK_FAILS(zm_solver_create(&s, g, ZM_F64, NULL, &err), ZM_E_ARG, cells[k]);
        CHECK_FAILS(zm_solver_create(&s, g, ZM_F64, NULL, &err), ZM_E_ARG, "32 bits");
        CHECK_FAILS(zm_sources_from_mask(g, &mask, 0, NULL, 0, &count, &err), ZM_E_ARG,
                    cells[k]);
        CHECK_FAILS(zm_problem_check(g, &p, &err), ZM_E_ARG, cells[k]);
        CHECK_FAILS(zm_residual(g, &p, &zero, ZM_RESIDUAL_EIKONAL, &out, &err), ZM_E_ARG,
                    cells[k]);
        CHECK_FAILS(zm_path_cost(g, &p, 0, &point, 1, &out, &err), ZM_E_ARG, cells[k]);
    }
}

static void *never(void *ctx, size_t bytes)
{
    (void)ctx;
    (void)bytes;
    return NULL;
}

TEST(bad_solver_options_are_refused)
{
    const zm_grid grid = { 3, 4, 1, 1 };
    const zm_solver_opts good = ZM_SOLVER_OPTS_INIT;
    zm_solver_opts o;
    zm_solver *s;

    o = good, o.threads = 0;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG, "threads");
    o = good, o.threads = 257;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG,
                "257 threads, must be 1 to 256");
    o = good, o.batch = 0;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG, "batch");
    o = good, o.size = 1;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG, "size");
    o = good, o.isa = (zm_isa)99;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_UNSUPPORTED,
                "instruction set");
    CHECK_FAILS(zm_solver_create(&s, grid, (zm_dtype)5, NULL, &err), ZM_E_ARG, "dtype");
    o = good, o.size = sizeof o + 8; /* a newer caller: its options would be ignored */
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG, "size");
    o = good, o.mem.allocate = never;
    CHECK_FAILS(zm_solver_create(&s, grid, ZM_F64, &o, &err), ZM_E_ARG, "both");
    zm_solver_destroy(NULL);
}

/* A caller compiled before the last options were added has a shorter struct: what it does
 * not know keeps its default, here ZM_ISA_BEST in place of an isa that does not exist. */
TEST(shorter_option_structs_are_read_as_far_as_they_go)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_solver *s;

    o.isa = (zm_isa)99;
    o.size = offsetof(zm_solver_opts, isa);
    CHECK(zm_solver_create(&s, (zm_grid){ 3, 4, 1, 1 }, ZM_F64, &o, NULL) == ZM_OK);
    zm_solver_destroy(s);
}

TEST(bad_sources_are_refused)
{
    fixture f = fixture_create();
    zm_source *s = f.c.sources;

    f.p.n_sources = 0;
    CHECK_FAILS(fixture_forward(&f, &err), ZM_E_SOURCE, "no source");
    f.p = case_problem(&f.c);
    f.p.sources = NULL;
    CHECK_FAILS(fixture_forward(&f, &err), ZM_E_SOURCE, "no source");
    f.p = case_problem(&f.c);
    s->row = 9;
    CHECK_FAILS(fixture_forward(&f, &err), ZM_E_SOURCE, "source 0 at row 9, col 5");
    s->row = -1;
    CHECK_FAILS(fixture_forward(&f, &err), ZM_E_SOURCE, "0..8 and 0..10");
    s->row = 4.5;
    CHECK_FAILS(fixture_forward(&f, &err), ZM_E_SOURCE, "whole numbers");
    s->row = NAN;
    CHECK_FAILS(fixture_forward(&f, &err), ZM_E_SOURCE, "source 0");
    s->row = 1e300;
    CHECK_FAILS(fixture_forward(&f, &err), ZM_E_SOURCE, "source 0");
    s->row = 4;
    s->col = 11;
    CHECK_FAILS(fixture_forward(&f, &err), ZM_E_SOURCE, "col 11");
    s->col = 5;
    s->time = INFINITY;
    CHECK_FAILS_AT(fixture_forward(&f, &err), ZM_E_SOURCE, "time inf", 4 * 11 + 5);
    s->time = 0;
    case_add_walls(&f.c);
    f.c.walls[4 * 11 + 5] = 1;
    f.p = case_problem(&f.c);
    CHECK_FAILS_AT(fixture_forward(&f, &err), ZM_E_SOURCE, "wall", 4 * 11 + 5);
    fixture_free(&f);
}

TEST(missing_planes_are_refused)
{
    fixture f = fixture_create();

    f.p.metric.g11 = NULL;
    CHECK_FAILS(fixture_forward(&f, &err), ZM_E_ARG, "g11");
    f.p = case_problem(&f.c);
    f.p.metric.b1 = NULL;
    CHECK_FAILS(fixture_forward(&f, &err), ZM_E_ARG, "b1");
    f.p = case_problem(&f.c);
    f.p.metric.b2 = NULL;
    CHECK_FAILS(fixture_forward(&f, &err), ZM_E_ARG, "b2");
    f.p = case_problem(&f.c);
    f.p.metric.dtype = ZM_F32;
    CHECK_FAILS(fixture_forward(&f, &err), ZM_E_ARG, "float");
    f.p = case_problem(&f.c);
    CHECK_FAILS(zm_forward(f.s, &f.p, NULL, NULL, NULL, &err), ZM_E_ARG, "T is NULL");
    CHECK_FAILS(zm_forward(f.s, NULL, f.T, NULL, NULL, &err), ZM_E_ARG, "problem");
    fixture_free(&f);
}

/* Messages name cell, value and bound, from the solver and from the check alone, for
 * every plane; wherever the bad cell lies, it is found. */
TEST(bad_metrics_are_refused)
{
    static const char *const names[N_PLANES] = { "g11", "g12", "g22", "b1", "b2" };
    fixture f = fixture_create();
    const size_t cells[] = { 0, 10, 4 * 11 + 5, 8 * 11, 98 };

    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        const size_t cell = cells[i];

        for (int p = 0; p < N_PLANES; p++) {
            double *value = &case_plane(&f.c, p)[cell];
            const double good = *value;

            *value = NAN;
            CHECK_FAILS_AT(fixture_forward(&f, &err), ZM_E_METRIC, names[p],
                           (int64_t)cell);
            *value = -INFINITY;
            CHECK_FAILS_AT(fixture_forward(&f, &err), ZM_E_METRIC, "infinite",
                           (int64_t)cell);
            CHECK_FAILS_AT(zm_problem_check(f.c.grid, &f.p, &err), ZM_E_METRIC,
                           names[p], (int64_t)cell);
            *value = good;
        }
        f.c.g12[cell] = 2;
        CHECK_FAILS_AT(fixture_forward(&f, &err), ZM_E_METRIC, "determinant -3",
                       (int64_t)cell);
        f.c.g12[cell] = -1; /* singular */
        CHECK_FAILS_AT(fixture_forward(&f, &err), ZM_E_METRIC, "determinant 0",
                       (int64_t)cell);
        f.c.g12[cell] = 0;
        f.c.g11[cell] = f.c.g22[cell] = -1; /* negative definite, determinant 1 */
        CHECK_FAILS_AT(fixture_forward(&f, &err), ZM_E_METRIC, "g11 = -1",
                       (int64_t)cell);
        f.c.g11[cell] = f.c.g22[cell] = 1;
        f.c.b1[cell] = 1.03;
        CHECK_FAILS_AT(fixture_forward(&f, &err), ZM_E_METRIC, "drift norm 1.03",
                       (int64_t)cell);
        f.c.b1[cell] = 1; /* exactly on the bound */
        CHECK_FAILS_AT(fixture_forward(&f, &err), ZM_E_METRIC, "must be < 1",
                       (int64_t)cell);
        f.c.b1[cell] = 0;
        CHECK(fixture_forward(&f, NULL) == ZM_OK);
    }
    fixture_free(&f);
}

/* The same for float32, where the kernels are others. */
/* Numbers that float32 cannot hold, or only as subnormals, must not end as a field in which
 * nothing is reached. */
TEST(values_out_of_the_range_of_float32_are_refused)
{
    float g[12];
    zm_source at = { 1, 1, 1e300 };
    const zm_problem p = { .size = sizeof(zm_problem),
                           .metric = { ZM_F32, g, NULL, NULL, NULL, NULL },
                           .sources = &at,
                           .n_sources = 1 };
    float T[12];
    zm_solver *s;

    CHECK(zm_solver_create(&s, (zm_grid){ 3, 4, 1, 1 }, ZM_F32, NULL, NULL) == ZM_OK);
    for (int i = 0; i < 12; i++)
        g[i] = 1;
    CHECK_FAILS_AT(zm_forward(s, &p, T, NULL, NULL, &err), ZM_E_SOURCE, "1e+300", 5);
    at.time = 0;
    for (int i = 0; i < 12; i++)
        g[i] = 1e-44f;
    CHECK_FAILS(zm_forward(s, &p, T, NULL, NULL, &err), ZM_E_METRIC, "float32");
    zm_solver_destroy(s);
}

TEST(bad_float32_metrics_are_refused)
{
    test_case c = case_make(SMOOTH, 70, 80, t->seed);
    zm_solver *s = case_solver(&c, ZM_F32, NULL);
    float *T = nan_floats(c.n);

    for (size_t cell = 3; cell < c.n; cell += 611) {
        case_f32 single;
        const double good = c.g12[cell];

        c.g12[cell] = 5;
        single = case_to_f32(&c);
        CHECK_FAILS_AT(zm_forward(s, &single.problem, T, NULL, NULL, &err), ZM_E_METRIC,
                       "positive definite", (int64_t)cell);
        case_f32_free(&single);
        c.g12[cell] = good;
    }
    free(T);
    zm_solver_destroy(s);
    case_free(&c);
}

/* Feasibility is decided exactly where rounding would spoil a plain determinant: products
 * are of the size 2^60, whose ulp is 256. */
TEST(nearly_singular_metrics_are_told_from_singular_ones)
{
    const double n = 0x1p30 + 1;
    double g11 = n, g12 = n + 1, g22 = n + 2, b1 = 0,
           b2 = 0; /* n (n+2) - (n+1)^2 = -1 */
    const zm_grid one = { 1, 1, 1, 1 };
    const zm_problem p = { .size = sizeof(zm_problem),
                           .metric = { ZM_F64, &g11, &g12, &g22, &b1, &b2 } };

    CHECK_FAILS(zm_problem_check(one, &p, &err), ZM_E_METRIC, "determinant -1,");
    g11 = n + 1;
    g12 = n + 1 - 0x1p-22; /* determinant 512, |b|^2 = b1^2 g22 / 512 = b1^2 2^21 */
    g22 = n + 1;
    CHECK(zm_problem_check(one, &p, NULL) == ZM_OK);
    b1 = 0x1p-11;
    CHECK(zm_problem_check(one, &p, NULL) == ZM_OK);
    b1 = 1.5 * 0x1p-11;
    CHECK_FAILS(zm_problem_check(one, &p, &err), ZM_E_METRIC, "drift norm 1.06");
}

/* Drift norms just below 1 are admissible, and the solve stays finite. */
TEST(drift_just_below_the_bound_is_accepted)
{
    fixture f = fixture_create();

    fill_constant(&f.c, 1, 0, 1, 0.999, 0);
    CHECK(fixture_forward(&f, NULL) == ZM_OK);
    for (size_t i = 0; i < f.c.n; i++)
        CHECK(isfinite(f.T[i]) && f.T[i] >= 0);
    CHECK_NEAR(f.T[4 * 11 + 10], 5 * 0.001, 1e-12);
    fixture_free(&f);
}

TEST(bad_forward_options_are_refused)
{
    fixture f = fixture_create();
    const zm_forward_opts good = ZM_FORWARD_OPTS_INIT;
    zm_forward_opts o;

    o = good, o.tol = -1;
    CHECK_FAILS(zm_forward(f.s, &f.p, f.T, &o, NULL, &err), ZM_E_ARG, "tol");
    o = good, o.tol = NAN;
    CHECK_FAILS(zm_forward(f.s, &f.p, f.T, &o, NULL, &err), ZM_E_ARG, "tol");
    o = good, o.t_max = NAN;
    CHECK_FAILS(zm_forward(f.s, &f.p, f.T, &o, NULL, &err), ZM_E_ARG, "t_max");
    o = good, o.max_iterations = 0;
    CHECK_FAILS(zm_forward(f.s, &f.p, f.T, &o, NULL, &err), ZM_E_ARG, "max_iterations");
    o = good, o.size = 3;
    CHECK_FAILS(zm_forward(f.s, &f.p, f.T, &o, NULL, &err), ZM_E_ARG, "size");
    fixture_free(&f);
}

static int count_and_cancel(void *ctx, double fraction)
{
    int *calls = ctx;

    if (!(fraction >= 0 && fraction <= 1))
        return *calls = -1000;
    return ++*calls == 3;
}

TEST(progress_callback_cancels)
{
    test_case c = case_make(SMOOTH, 700, 700, t->seed);
    const zm_problem p = case_problem(&c);
    zm_solver *s = case_solver(&c, ZM_F64, NULL);
    zm_forward_opts o = ZM_FORWARD_OPTS_INIT;
    double *T = nan_doubles(c.n);
    int calls = 0;

    o.progress = count_and_cancel;
    o.progress_ctx = &calls;
    CHECK_FAILS(zm_forward(s, &p, T, &o, NULL, &err), ZM_E_CANCELLED, "cancel");
    CHECK(calls == 3);
    free(T);
    zm_solver_destroy(s);
    case_free(&c);
}

TEST(iteration_limit_is_reported)
{
    test_case c = case_make(MAZE, 200, 200, t->seed);
    const zm_problem p = case_problem(&c);
    zm_solver *s = case_solver(&c, ZM_F64, NULL);
    zm_forward_opts o = ZM_FORWARD_OPTS_INIT;
    double *T = nan_doubles(c.n);
    zm_report report = ZM_REPORT_INIT;

    o.max_iterations = 1;
    CHECK_FAILS(zm_forward(s, &p, T, &o, &report, &err), ZM_NOT_CONVERGED,
                "max_iterations");
    CHECK(report.converged == 0 && report.iterations == 1);
    CHECK(zm_forward(s, &p, T, NULL, &report, NULL) == ZM_OK);
    CHECK(report.converged == 1 && report.iterations > 1 && report.updates > 0 &&
          report.threads == 1);
    free(T);
    zm_solver_destroy(s);
    case_free(&c);
}

TEST(sources_from_a_mask)
{
    const zm_grid grid = { 2, 3, 1, 1 };
    const uint8_t mask[6] = { 0, 7, 0, 1, 0, 255 };
    zm_source s[3] = { { -1, -1, -1 } };
    size_t count = 99;

    CHECK(zm_sources_from_mask(grid, mask, 2.5, NULL, 0, &count, NULL) == ZM_OK);
    CHECK(count == 3);
    count = 99;
    CHECK_FAILS(zm_sources_from_mask(grid, mask, 2.5, s, 2, &count, &err), ZM_E_ARG,
                "3 sources, room for 2");
    CHECK(count == 3 && s[0].row == -1);
    CHECK(zm_sources_from_mask(grid, mask, 2.5, s, 3, &count, NULL) == ZM_OK);
    CHECK(s[0].row == 0 && s[0].col == 1 && s[1].row == 1 && s[1].col == 0 &&
          s[2].row == 1 && s[2].col == 2 && s[2].time == 2.5);
    CHECK_FAILS(zm_sources_from_mask(grid, NULL, 0, s, 3, &count, &err), ZM_E_ARG,
                "mask");
    CHECK_FAILS(zm_sources_from_mask(grid, mask, NAN, s, 3, &count, &err), ZM_E_ARG,
                "time");
}

TEST(reference_methods_refuse_the_same)
{
    fixture f = fixture_create();
    zm_reference_opts o = ZM_REFERENCE_OPTS_INIT;
    case_f32 single = case_to_f32(&f.c);
    const zm_gradient to = { .size = sizeof(zm_gradient), .g11 = f.T };

    CHECK_FAILS(zm_reference_sweep(f.c.grid, &single.problem, f.T, NULL, NULL, &err),
                ZM_E_ARG, "float64");
    o.tol = -1;
    CHECK_FAILS(zm_reference_jacobi(f.c.grid, &f.p, f.T, &o, NULL, &err), ZM_E_ARG,
                "tol");
    o.tol = 0;
    o.max_iterations = 0;
    CHECK_FAILS(zm_reference_sweep(f.c.grid, &f.p, f.T, &o, NULL, &err), ZM_E_ARG,
                "max_iterations");
    CHECK_FAILS(zm_reference_sweep(f.c.grid, &f.p, NULL, NULL, NULL, &err), ZM_E_ARG,
                "T is NULL");
    CHECK_FAILS(zm_reference_adjoint(f.c.grid, &f.p, f.T, NULL, &to, &err), ZM_E_ARG,
                "dL_dT");
    f.c.b2[30] = 2;
    CHECK_FAILS_AT(zm_reference_sweep(f.c.grid, &f.p, f.T, NULL, NULL, &err),
                   ZM_E_METRIC, "drift norm 2", 30);
    CHECK_FAILS_AT(zm_residual(f.c.grid, &f.p, f.T, ZM_RESIDUAL_DISCRETE, f.T, &err),
                   ZM_E_METRIC, "row 2, col 8", 30);
    case_f32_free(&single);
    fixture_free(&f);
}

TEST(number_types_have_their_sizes)
{
    CHECK(zm_dtype_size(ZM_F64) == 8 && zm_dtype_size(ZM_F32) == 4);
}
