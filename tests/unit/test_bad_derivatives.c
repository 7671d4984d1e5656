/* SPDX-License-Identifier: Apache-2.0
 * Derivatives and batches that are refused, with a message that says why. */
#include <stdlib.h>

#include "support/refused.h"
#include "zermelo/adjoint.h"

TEST(derivatives_out_of_order_are_refused)
{
    fixture f = fixture_create();
    double *g = nan_doubles(f.c.n), *out = nan_doubles(f.c.n);
    const zm_gradient to = { .size = sizeof(zm_gradient), .g11 = out };
    const zm_direction along = { .size = sizeof(zm_direction), .g11 = f.c.g11 };
    uint8_t codes[99];

    CHECK_FAILS(zm_adjoint(f.s, &f.p, f.T, g, &to, &err), ZM_E_STATE, "zm_forward");
    CHECK_FAILS(zm_tangent(f.s, &f.p, f.T, &along, out, &err), ZM_E_STATE,
                "zm_forward");
    CHECK_FAILS(zm_stencils(f.s, 0, &f.p, f.T, codes, NULL, &err), ZM_E_STATE,
                "zm_forward");
    CHECK(fixture_forward(&f, NULL) == ZM_OK);
    f.c.g11[7] = -1; /* a failed solve leaves no record */
    CHECK(fixture_forward(&f, NULL) == ZM_E_METRIC);
    f.c.g11[7] = 1;
    CHECK_FAILS(zm_adjoint(f.s, &f.p, f.T, g, &to, &err), ZM_E_STATE, "zm_forward");
    free(out);
    free(g);
    fixture_free(&f);
}

TEST(bad_derivative_arguments_are_refused)
{
    fixture f = fixture_create();
    double *g = nan_doubles(f.c.n), *out = nan_doubles(f.c.n);
    zm_gradient to = { .size = sizeof(zm_gradient), .g11 = out };
    zm_direction along = { .size = sizeof(zm_direction), .g11 = f.c.g11 };
    zm_problem isotropic;

    CHECK(fixture_forward(&f, NULL) == ZM_OK);
    for (size_t i = 0; i < f.c.n; i++)
        g[i] = 1;
    g[17] = NAN;
    CHECK_FAILS_AT(zm_adjoint(f.s, &f.p, f.T, g, &to, &err), ZM_E_ARG, "dL_dT", 17);
    g[17] = -INFINITY;
    CHECK_FAILS_AT(zm_adjoint(f.s, &f.p, f.T, g, &to, &err), ZM_E_ARG, "row 1, col 6",
                   17);
    g[17] = 1;
    CHECK_FAILS(zm_adjoint(f.s, &f.p, f.T, NULL, &to, &err), ZM_E_ARG, "dL_dT");
    CHECK_FAILS(zm_adjoint(f.s, &f.p, f.T, g, NULL, &err), ZM_E_ARG, "out");
    CHECK_FAILS(zm_adjoint(f.s, NULL, f.T, g, &to, &err), ZM_E_ARG, "problem");
    CHECK_FAILS(zm_tangent(f.s, NULL, f.T, &along, out, &err), ZM_E_ARG, "problem");
    CHECK_FAILS(zm_stencils(f.s, 0, NULL, f.T, NULL, NULL, &err), ZM_E_ARG, "problem");
    f.p.metric.dtype = ZM_F32; /* would read half of every plane as something else */
    CHECK_FAILS(zm_adjoint(f.s, &f.p, f.T, g, &to, &err), ZM_E_ARG, "float32");
    CHECK_FAILS(zm_tangent(f.s, &f.p, f.T, &along, out, &err), ZM_E_ARG, "float32");
    f.p.metric.dtype = ZM_F64;
    CHECK_FAILS(zm_adjoint(f.s, &f.p, NULL, g, &to, &err), ZM_E_ARG, "T is NULL");
    CHECK_FAILS(zm_tangent(f.s, &f.p, f.T, NULL, out, &err), ZM_E_ARG, "direction");
    CHECK_FAILS(zm_tangent(f.s, &f.p, f.T, &along, NULL, &err), ZM_E_ARG, "dT");
    isotropic = f.p;
    isotropic.metric = (zm_metric){ ZM_F64, f.c.g11, NULL, NULL, NULL, NULL };
    CHECK(zm_forward(f.s, &isotropic, f.T, NULL, NULL, NULL) == ZM_OK);
    to.g22 = out;
    CHECK_FAILS(zm_adjoint(f.s, &isotropic, f.T, g, &to, &err), ZM_E_ARG, "g22");
    along.g22 = f.c.g11;
    CHECK_FAILS(zm_tangent(f.s, &isotropic, f.T, &along, out, &err), ZM_E_ARG, "g22");
    free(out);
    free(g);
    fixture_free(&f);
}

/* What is not reached has no say: NaN in the cotangent there is ignored. */
TEST(cotangent_of_unreached_cells_is_ignored)
{
    fixture f = fixture_create();
    double *g = nan_doubles(f.c.n), *out = nan_doubles(f.c.n);
    const zm_gradient to = { .size = sizeof(zm_gradient), .g11 = out };

    case_add_walls(&f.c);
    for (int32_t row = 0; row < 9; row++)
        f.c.walls[row * 11 + 7] = 1; /* the right end is cut off */
    f.p = case_problem(&f.c);
    CHECK(fixture_forward(&f, NULL) == ZM_OK);
    for (size_t i = 0; i < f.c.n; i++)
        if (isfinite(f.T[i]))
            g[i] = 1;
    CHECK(zm_adjoint(f.s, &f.p, f.T, g, &to, NULL) == ZM_OK);
    for (size_t i = 0; i < f.c.n; i++)
        CHECK(isfinite(out[i]) && (isfinite(f.T[i]) || out[i] == 0));
    free(out);
    free(g);
    fixture_free(&f);
}

/* More problems than the solver keeps records of are solved, but leave none. */
TEST(batches_larger_than_the_solver_leave_no_record)
{
    fixture f = fixture_create();
    zm_problem two[2] = { f.p, f.p };
    double *other = nan_doubles(f.c.n);
    void *T[2] = { f.T, other };
    const void *times[2] = { f.T, other };
    const zm_gradient out[2] = { ZM_GRADIENT_INIT, ZM_GRADIENT_INIT };

    CHECK(zm_forward(f.s, two, T[0], NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_forward_batch(f.s, two, 2, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(memcmp(T[0], T[1], f.c.n * sizeof *other) == 0);
    CHECK_FAILS(zm_adjoint(f.s, two, f.T, f.T, out, &err), ZM_E_STATE, "solve");
    CHECK_FAILS(zm_adjoint_batch(f.s, two, 2, times, times, out, &err), ZM_E_ARG,
                "batch");
    free(other);
    CHECK(zm_forward_batch(f.s, two, 0, T, NULL, NULL, NULL) == ZM_OK);
    fixture_free(&f);
}

/* The message says which problem of the batch is to blame. */
TEST(bad_problem_of_a_batch_is_named)
{
    fixture f = fixture_create();
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    test_case bad = case_copy(&f.c);
    double *T_bad = nan_doubles(bad.n);
    zm_problem two[2] = { f.p, case_problem(&bad) };
    void *T[2] = { f.T, T_bad };
    zm_solver *s;

    opts.batch = 2;
    s = case_solver(&f.c, ZM_F64, &opts);
    bad.g22[60] = 0;
    CHECK_FAILS_AT(zm_forward_batch(s, two, 2, T, NULL, NULL, &err), ZM_E_METRIC,
                   "problem 1", 60);
    zm_solver_destroy(s);
    free(T_bad);
    case_free(&bad);
    fixture_free(&f);
}
