/* SPDX-License-Identifier: Apache-2.0
 * The paper's update: the same minimum as the closed form without its causality
 * rejection, and not a convergent scheme with it. */
#include <stdlib.h>

#include "check.h"
#include "reference/paper_update.h"
#include "reference/reference.h"
#include "support/cases.h"

/* As in test_fixed_point.c: thresholds between one-point and two-point updates are good to
 * a few 1e-15 times the ratio of the eigenvalues of G, here at most 64. */
static const double rounding = 1e-12;

static zm_cell_metric random_metric(uint64_t *state)
{
    const double ratio = 1 + 8 * zm_random_unit(state),
                 angle = 3 * zm_random_unit(state);
    const double cs = cos(angle), sn = sin(angle), along = ratio * ratio;

    return (zm_cell_metric){ along * cs * cs + sn * sn, (along - 1) * cs * sn,
                             along * sn * sn + cs * cs, zm_random_unit(state) - 0.5,
                             zm_random_unit(state) - 0.5 };
}

/* Where the larger root has lambda >= 0 it is the minimum over the triangle; where it has
 * not, the minimum of a convex function lies at an end.  Donors up to 10 apart reach every
 * case.  w has an infinite slope where the root does: there it is good to the root of the
 * rounding. */
TEST(quadratic_is_the_minimum_on_every_triangle)
{
    uint64_t state = t->seed;

    for (int i = 0; i < 20000; i++) {
        const zm_cell_metric m = random_metric(&state);
        const zm_paper_stencil paper = zm_paper_stencil_make(m);
        const zm_local_cell ours = zm_local_cell_make(m);
        const int k = (int)zm_random_below(&state, 8), next = (k + 1) & 7;
        const double T1 = 100 + 10 * zm_random_unit(&state);
        const double T2 = zm_random_below(&state, 9) ? 100 + 10 * zm_random_unit(&state)
                                                     : (double)INFINITY;
        const zm_paper_winner p = zm_paper_update(&paper, k, T1, T2, false);
        const zm_local_update u =
            zm_triangle(&ours.shape[k & 3], T1 + ours.drift[k], T2 + ours.drift[next]);

        CHECK_NEAR(p.T0, u.T0, rounding * u.T0);
        CHECK_NEAR(p.lambda1 / (p.lambda1 + p.lambda2), u.w, 1e-5);
    }
}

/* Without rejection both formulas lead to the one fixed point, which is zm_forward's. */
TEST(both_formulas_have_the_fixed_point_of_the_solver)
{
    const zm_reference_opts quadratic = { sizeof quadratic, 0.0, 100000, 0, 0 };
    const zm_reference_opts closed = { sizeof closed, 0.0, 100000, 0, 1 };

    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 61, 83, t->seed);
        const zm_problem problem = case_problem(&c);
        double *T = nan_doubles(c.n), *a = nan_doubles(c.n), *b = nan_doubles(c.n);

        CHECK(case_solve(&c, T) == ZM_OK);
        CHECK(zm_reference_sweep(c.grid, &problem, a, &quadratic, NULL, NULL) == ZM_OK);
        CHECK(zm_reference_sweep(c.grid, &problem, b, &closed, NULL, NULL) == ZM_OK);
        CHECK_MSG(max_relative_difference(T, a, c.n) <= rounding, "%s: %.3g",
                  medium_name((medium)m), max_relative_difference(T, a, c.n));
        CHECK_MSG(max_relative_difference(a, b, c.n) <= rounding, "%s: %.3g",
                  medium_name((medium)m), max_relative_difference(a, b, c.n));
        free(b);
        free(a);
        free(T);
        case_free(&c);
    }
}

/* Relative L2 error of constant G with eigenvalues 16 and 1 at 30 degrees. */
static double error_at_30_degrees(test_run *t, int32_t side, const zm_reference_opts *o)
{
    const double degree = 3.14159265358979323846 / 180;
    test_case c = case_create(side, side);
    double *T = nan_doubles(c.n), *exact = nan_doubles(c.n);
    zm_problem problem;
    double error;

    fill_rotated(&c, 16, 1, 30 * degree, 0, 0);
    case_add_source(&c, side / 2, side / 2, 0);
    problem = case_problem(&c);
    if (o)
        CHECK(zm_reference_sweep(c.grid, &problem, T, o, NULL, NULL) == ZM_OK);
    else
        CHECK(case_solve(&c, T) == ZM_OK);
    closed_form(&c, exact);
    error = relative_l2(T, exact, c.n);
    free(exact);
    free(T);
    case_free(&c);
    return error;
}

/* Rejecting a two-point value because one donor is later replaces a minimum by something
 * larger in a whole sector of directions, at every node on the way: an error of 1.7 % that
 * refinement does not reduce.  The minimum falls with refinement like h log h. */
TEST(causality_rejection_does_not_converge_and_the_minimum_does)
{
    const zm_reference_opts rejecting = { sizeof rejecting, 1e-6, 100000, 1, 0 };
    const zm_reference_opts closed = { sizeof closed, 1e-6, 100000, 1, 1 };
    const double coarse = error_at_30_degrees(t, 101, &rejecting);
    const double fine = error_at_30_degrees(t, 301, &rejecting);
    const double ours_coarse = error_at_30_degrees(t, 101, NULL);
    const double ours_fine = error_at_30_degrees(t, 301, NULL);

    CHECK_NEAR(coarse, 0.017, 0.002);
    CHECK_NEAR(fine, coarse, 0.1 * coarse);
    CHECK_NEAR(error_at_30_degrees(t, 101, &closed), coarse, 1e-3 * coarse);
    CHECK_AT_MOST(ours_fine, 0.55 * ours_coarse);
    CHECK_AT_MOST(ours_fine, 0.3 * fine);
}
