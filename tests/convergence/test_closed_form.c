/* SPDX-License-Identifier: Apache-2.0
 * Constant G and b have the solution T = |x|_G - b.x: how near the solver comes, and that
 * it comes nearer on finer grids. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "support/cases.h"

static const double degree = 3.14159265358979323846 / 180;

/* |e| / |T| (the true relative L2 norm) on side x side cells, one source cell at the
 * centre.  Constant coefficients have no length of their own, so more cells are the same
 * as finer ones. */
static double error_of(test_run *t, int32_t side, double along, double across,
                       double angle, double b1, double b2)
{
    test_case c = case_create(side, side);
    double *T = nan_doubles(c.n), *exact = nan_doubles(c.n);
    double error;

    fill_rotated(&c, along, across, angle, b1, b2);
    case_add_source(&c, side / 2, side / 2, 0);
    CHECK(case_solve(&c, T) == ZM_OK);
    closed_form(&c, exact);
    error = relative_l2(T, exact, c.n);
    free(exact);
    free(T);
    case_free(&c);
    return error;
}

enum { N_SIDES = 4 };
static const int32_t sides[N_SIDES] = { 51, 101, 201, 401 };
enum { SIDE_201 = 2 };

typedef struct study {
    double error[N_SIDES];
    double order; /* observed between the two finest grids */
} study;

static study refine(test_run *t, double along, double across, double angle, double b1,
                    double b2)
{
    study s;

    for (int i = 0; i < N_SIDES; i++)
        s.error[i] = error_of(t, sides[i], along, across, angle, b1, b2);
    s.order = log2(s.error[N_SIDES - 2] / s.error[N_SIDES - 1]);
    return s;
}

static void check_falling(test_run *t, const study *s, const char *what)
{
    for (int i = 1; i < N_SIDES; i++)
        CHECK_MSG(s->error[i] < s->error[i - 1],
                  "%s: error %.4f %% on %d, %.4f %% on %d cells", what,
                  100 * s->error[i - 1], (int)sides[i - 1], 100 * s->error[i],
                  (int)sides[i]);
}

/* First order, with the logarithm that a point source brings: h log(1/h) has the observed
 * order 1 - log2(log 401 / log 201) = 0.82 between the two finest grids.  The bounds on
 * 201 x 201 are what the project states. */
static void check_study(test_run *t, const char *what, double bound, double along,
                        double across, double angle, double b1, double b2)
{
    const study s = refine(t, along, across, angle, b1, b2);

    printf("    %s: %.4f %.4f %.4f %.4f %%, order %.2f\n", what, 100 * s.error[0],
           100 * s.error[1], 100 * s.error[2], 100 * s.error[3], s.order);
    CHECK_AT_MOST(s.error[SIDE_201], bound);
    check_falling(t, &s, what);
    CHECK_MSG(s.order > 0.7 && s.order < 1.0, "%s: order %.3f", what, s.order);
}

/* The fixed point over the eight triangles is unique, and its error is 0.2908 %. */
TEST(isotropic_error)
{
    check_study(t, "isotropic", 0.291e-2, 1, 1, 0, 0, 0);
}

TEST(drift_error)
{
    check_study(t, "drift 0.3", 0.33e-2, 1, 1, 0, 0.3, 0);
}

TEST(anisotropic_drift_error)
{
    check_study(t, "2 : 0.5 at 30 degrees, drift", 0.37e-2, 2, 0.5, 30 * degree, 0.2,
                0.1);
}

/* Strong anisotropy at every angle, where the eight triangles are not aligned with it and
 * donors may be later than their node. */
TEST(anisotropic_error_at_every_rotation)
{
    const double bound = 0.7e-2;

    for (double ratio = 4; ratio <= 64; ratio *= 4) {
        double worst = 0, worst_angle = 0;

        for (int angle = 0; angle < 180; angle += 5) {
            const study s =
                refine(t, sqrt(ratio), 1 / sqrt(ratio), angle * degree, 0, 0);
            char what[64];

            snprintf(what, sizeof what, "ratio %g at %d degrees", ratio, angle);
            CHECK_MSG(s.error[SIDE_201] <= bound, "%s: %.4f %%", what,
                      100 * s.error[SIDE_201]);
            check_falling(t, &s, what);
            if (s.error[SIDE_201] > worst) {
                worst = s.error[SIDE_201];
                worst_angle = angle;
            }
        }
        printf("    ratio %g: at most %.4f %%, at %g degrees\n", ratio, 100 * worst,
               worst_angle);
    }
}

/* Along a grid axis through the source the one-point update is exact: the front runs
 * faster along +b, 30 (1 - 0.3) = 21 against 30 (1 + 0.3) = 39. */
TEST(front_is_faster_along_the_drift)
{
    test_case c = case_create(61, 61);
    double *T = nan_doubles(c.n);

    fill_constant(&c, 1, 0, 1, 0.3, 0);
    case_add_source(&c, 30, 30, 0);
    CHECK(case_solve(&c, T) == ZM_OK);
    CHECK_NEAR(T[30 * 61 + 60], 21, 1e-9);
    CHECK_NEAR(T[30 * 61 + 0], 39, 1e-9);
    free(T);
    case_free(&c);
}

/* Spacing and metric are interchangeable: dx, dy with G and b is spacing 1 with g11 dx^2,
 * g12 dx dy, g22 dy^2, b1 dx, b2 dy.  Solved both ways, T is the same up to the rounding
 * of those products. */
TEST(spacing_is_a_change_of_metric)
{
    const double dx = 0.7, dy = 2.3;
    test_case c = case_make(SMOOTH, 40, 53, t->seed), unit = case_copy(&c);
    double *T = nan_doubles(c.n), *T_unit = nan_doubles(c.n);

    c.grid.dx = dx;
    c.grid.dy = dy;
    for (size_t i = 0; i < c.n; i++) {
        unit.g11[i] *= dx * dx;
        unit.g12[i] *= dx * dy;
        unit.g22[i] *= dy * dy;
        unit.b1[i] *= dx;
        unit.b2[i] *= dy;
    }
    CHECK(case_solve(&c, T) == ZM_OK);
    CHECK(case_solve(&unit, T_unit) == ZM_OK);
    CHECK_AT_MOST(max_relative_difference(T, T_unit, c.n), 1e-13);
    free(T_unit);
    free(T);
    case_free(&unit);
    case_free(&c);
}
