/* SPDX-License-Identifier: Apache-2.0
 * Forms of a front: what one form says, the others say too. */
#include <float.h>
#include <stdlib.h>

#include "support/cases.h"
#include "support/fronts.h"

enum { CELLS = 3000, ANGLES = 24 };
static const double pi = 3.14159265358979323846;

static const zm_convert_opts math = { sizeof math, ZM_HEADING_MATH, 1e-3, NULL,
                                      ZM_NONFINITE_REFUSE };

static double norm2_of(const front *zermelo)
{
    const double *x = zermelo->x;

    return x[0] * x[3] * x[3] + 2 * x[1] * x[3] * x[4] + x[2] * x[4] * x[4];
}

/* The front of a unit of time is W + { u : u' h u = 1 }: F(v) = 1 there.  u = L'^-1 (cos,
 * sin) with the Cholesky factor L of h.  F is a difference of terms up to 1/mu. */
TEST(in_unit_time_the_front_reaches_the_ellipse_that_the_wind_has_moved)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const front z = front_random(&state, ZM_FORM_ZERMELO, 0.01, 100);
        const front g = front_convert(t, ZM_FORM_ZERMELO, &z, ZM_FORM_RANDERS, NULL);
        const double l11 = sqrt(z.x[0]), l21 = z.x[1] / l11;
        const double l22 = sqrt(z.x[2] - l21 * l21);

        for (int k = 0; k < ANGLES; k++) {
            const double u2 = sin(k * 2 * pi / ANGLES) / l22;
            const double u1 = (cos(k * 2 * pi / ANGLES) - l21 * u2) / l11;

            CHECK_NEAR(front_cost(&g, z.x[3] + u1, z.x[4] + u2), 1, 1e-11);
        }
    }
}

/* Head and back are where the front is along the heading; the widest places are flank to
 * either side of the line, (head - back)/2 ahead, and the front runs along it there: nothing
 * a little farther out is reached. */
TEST(a_fire_reaches_head_back_and_flanks_in_unit_time)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const front e = front_random(&state, ZM_FORM_ELLIPSE, 0.01, 100);
        const front g = front_convert(t, ZM_FORM_ELLIPSE, &e, ZM_FORM_RANDERS, &math);
        const double c = cos(e.x[3]), s = sin(e.x[3]);
        const double head = e.x[0], flank = e.x[1], back = e.x[2],
                     W = (head - back) / 2;

        CHECK_NEAR(front_cost(&g, head * c, head * s), 1, 1e-11);
        CHECK_NEAR(front_cost(&g, -back * c, -back * s), 1, 1e-11);
        CHECK_NEAR(front_cost(&g, W * c - flank * s, W * s + flank * c), 1, 1e-11);
        CHECK_NEAR(front_cost(&g, W * c + flank * s, W * s - flank * c), 1, 1e-11);
        for (int k = 0; k < ANGLES; k++) {
            const double along = head * (2.0 * k / ANGLES - 1), out = 1.001 * flank;

            CHECK(front_cost(&g, along * c - out * s, along * s + out * c) > 1);
        }
    }
}

/* Ordinary cells come back to 1e-12. */
TEST(there_and_back_again_is_the_same)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const front z = front_random(&state, ZM_FORM_ZERMELO, 0.05, 16);
        const front r = front_random(&state, ZM_FORM_RANDERS, 0.05, 16);
        const front e = front_random(&state, ZM_FORM_ELLIPSE, 0.05, 16);
        const front zr = front_convert(t, ZM_FORM_ZERMELO, &z, ZM_FORM_RANDERS, NULL);
        const front zz = front_convert(t, ZM_FORM_RANDERS, &zr, ZM_FORM_ZERMELO, NULL);
        const front rz = front_convert(t, ZM_FORM_RANDERS, &r, ZM_FORM_ZERMELO, NULL);
        const front rr = front_convert(t, ZM_FORM_ZERMELO, &rz, ZM_FORM_RANDERS, NULL);
        const front er = front_convert(t, ZM_FORM_ELLIPSE, &e, ZM_FORM_RANDERS, NULL);
        const front ee = front_convert(t, ZM_FORM_RANDERS, &er, ZM_FORM_ELLIPSE, NULL);
        const front ez = front_convert(t, ZM_FORM_ELLIPSE, &e, ZM_FORM_ZERMELO, NULL);
        const front eze = front_convert(t, ZM_FORM_ZERMELO, &ez, ZM_FORM_ELLIPSE, NULL);

        CHECK_AT_MOST(front_difference(ZM_FORM_ZERMELO, &z, &zz), 1e-12);
        CHECK_AT_MOST(front_difference(ZM_FORM_RANDERS, &r, &rr), 1e-12);
        CHECK_AT_MOST(front_difference(ZM_FORM_ELLIPSE, &e, &ee), 1e-12);
        CHECK_AT_MOST(front_difference(ZM_FORM_ELLIPSE, &e, &eze), 1e-12);
    }
}

/* With |W|_h up to 0.999999 a rounding of G or b is worth 1/mu roundings of h and W, times
 * the condition of h: the way back can do no better, and does no worse. */
TEST(strong_winds_lose_what_rounding_of_the_metric_must_cost_and_no_more)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const front z = front_random(&state, ZM_FORM_ZERMELO, 1e-6, 1e4);
        const front r = front_convert(t, ZM_FORM_ZERMELO, &z, ZM_FORM_RANDERS, NULL);
        const front zz = front_convert(t, ZM_FORM_RANDERS, &r, ZM_FORM_ZERMELO, NULL);
        const double mu = 1 - norm2_of(&z);

        CHECK_AT_MOST(front_difference(ZM_FORM_ZERMELO, &z, &zz),
                      8 * DBL_EPSILON * front_condition(&z) / mu);
    }
}

/* The same formulas in long double, which has 11 bits or more to spare for 1/mu = 5e5 (the
 * bound has room for that): the conversion itself loses nothing close to |W|_h = 1, where
 * 1 - W' h W in plain double is off by 1e-10. */
TEST(conversions_are_accurate_next_to_the_limit)
{
#if LDBL_MANT_DIG > DBL_MANT_DIG
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const front z = front_random(&state, ZM_FORM_ZERMELO, 1e-6, 4);
        const front r = front_convert(t, ZM_FORM_ZERMELO, &z, ZM_FORM_RANDERS, NULL);
        const front back = front_convert(t, ZM_FORM_RANDERS, &r, ZM_FORM_ZERMELO, NULL);
        const long double h11 = z.x[0], h12 = z.x[1], h22 = z.x[2];
        const long double w1 = h11 * z.x[3] + h12 * z.x[4];
        const long double w2 = h12 * z.x[3] + h22 * z.x[4];
        const long double mu = 1 - (w1 * z.x[3] + w2 * z.x[4]);
        const long double H11 = r.x[0] - (long double)r.x[3] * r.x[3];
        const long double H12 = r.x[1] - (long double)r.x[3] * r.x[4];
        const long double H22 = r.x[2] - (long double)r.x[4] * r.x[4];
        const long double det_G =
            (long double)r.x[0] * r.x[2] - (long double)r.x[1] * r.x[1];
        const long double nu = (H11 * H22 - H12 * H12) / det_G;
        const front exact = { { (double)(h11 / mu + w1 * w1 / (mu * mu)),
                                (double)(h12 / mu + w1 * w2 / (mu * mu)),
                                (double)(h22 / mu + w2 * w2 / (mu * mu)),
                                (double)(w1 / mu), (double)(w2 / mu) } };
        const front exact_back = {
            { (double)(nu * H11), (double)(nu * H12), (double)(nu * H22),
              (double)((r.x[2] * (long double)r.x[3] - r.x[1] * (long double)r.x[4]) /
                       (nu * det_G)),
              (double)((r.x[0] * (long double)r.x[4] - r.x[1] * (long double)r.x[3]) /
                       (nu * det_G)) }
        };

        CHECK_AT_MOST(front_difference(ZM_FORM_RANDERS, &exact, &r), 1e-12);
        CHECK_AT_MOST(front_difference(ZM_FORM_ZERMELO, &exact_back, &back), 1e-12);
    }
#else
    test_skip(t, "long double is double");
#endif
}

/* |W|_h = |b|_{G^-1}: both are how strong the drift is; and det G = det h/mu^3. */
TEST(both_forms_have_the_same_norm)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const front z = front_random(&state, ZM_FORM_ZERMELO, 0.05, 16);
        const front r = front_convert(t, ZM_FORM_ZERMELO, &z, ZM_FORM_RANDERS, NULL);
        const double *x = r.x, det = x[0] * x[2] - x[1] * x[1], mu = 1 - norm2_of(&z);
        const double det_h = z.x[0] * z.x[2] - z.x[1] * z.x[1];
        const double dual =
            (x[2] * x[3] * x[3] - 2 * x[1] * x[3] * x[4] + x[0] * x[4] * x[4]) / det;

        CHECK_NEAR(dual, norm2_of(&z), 1e-12);
        CHECK_NEAR(det * mu * mu * mu / det_h, 1, 1e-11);
    }
}

/* Lit at the rear focus: the distance from there to the centre, (head - back)/2, is that of
 * the foci, sqrt(a^2 - flank^2), with a = (head + back)/2 = LB flank.  G is isotropic to the
 * last bit, and the general form agrees. */
TEST(the_focus_form_is_the_ellipse_that_was_lit_at_its_rear_focus)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const front f = front_random(&state, ZM_FORM_FOCUS, 0.05, 64);
        const double LB = f.x[1], eccentricity = sqrt(1 - 1 / (LB * LB));
        const double back = f.x[0] * (1 - eccentricity) / (1 + eccentricity);
        const front same = { { f.x[0], (f.x[0] + back) / 2 / LB, back, f.x[2] } };
        const front g = front_convert(t, ZM_FORM_FOCUS, &f, ZM_FORM_RANDERS, NULL);
        const front g2 =
            front_convert(t, ZM_FORM_ELLIPSE, &same, ZM_FORM_RANDERS, NULL);
        const front e = front_convert(t, ZM_FORM_FOCUS, &f, ZM_FORM_ELLIPSE, NULL);

        CHECK(g.x[0] == g.x[2] && g.x[1] == 0);
        CHECK_AT_MOST(front_difference(ZM_FORM_RANDERS, &g, &g2), 1e-11);
        CHECK_NEAR(e.x[0] / f.x[0], 1, 1e-11);
        CHECK_NEAR((e.x[0] + e.x[2]) / 2 / e.x[1] / LB, 1, 1e-11);
        CHECK_NEAR((e.x[0] - e.x[2]) / 2 / f.x[0],
                   sqrt(pow((e.x[0] + e.x[2]) / 2, 2) - pow(e.x[1], 2)) / f.x[0], 1e-7);
    }
}

/* North is -y, east is +x; a quarter of a turn leaves no rounding behind. */
TEST(compass_headings_of_the_four_quarters_are_exact)
{
    const double u[4][2] = { { 0, -1 }, { 1, 0 }, { 0, 1 }, { -1, 0 } };

    for (int k = -8; k <= 8; k++) {
        const front f = { { 3, 2, 90.0 * k } };
        const front g = front_convert(t, ZM_FORM_FOCUS, &f, ZM_FORM_RANDERS, NULL);
        const front e = front_convert(t, ZM_FORM_RANDERS, &g, ZM_FORM_ELLIPSE, NULL);
        const double size = hypot(g.x[3], g.x[4]), *expected = u[(k + 8) % 4];

        CHECK(g.x[3] == size * expected[0] && g.x[4] == size * expected[1]);
        CHECK(e.x[3] == 90.0 * ((k + 8) % 4));
    }
}

TEST(compass_and_mathematical_headings_differ_by_a_quarter_and_the_unit)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const front compass = front_random(&state, ZM_FORM_ELLIPSE, 0.05, 16);
        front radians = compass, g, g2, e, e2;

        radians.x[3] = (compass.x[3] - 90) * pi / 180;
        g = front_convert(t, ZM_FORM_ELLIPSE, &compass, ZM_FORM_RANDERS, NULL);
        g2 = front_convert(t, ZM_FORM_ELLIPSE, &radians, ZM_FORM_RANDERS, &math);
        CHECK_AT_MOST(front_difference(ZM_FORM_RANDERS, &g, &g2), 1e-12);
        e = front_convert(t, ZM_FORM_RANDERS, &g, ZM_FORM_ELLIPSE, NULL);
        e2 = front_convert(t, ZM_FORM_RANDERS, &g, ZM_FORM_ELLIPSE, &math);
        CHECK(e.x[3] >= 0 && e.x[3] < 360 && fabs(e2.x[3]) <= pi);
        CHECK_NEAR(remainder((e.x[3] - 90) * pi / 180 - e2.x[3], 2 * pi), 0, 1e-14);
    }
}

/* Without wind G = h and b = 0 to the bit, there and back. */
TEST(without_wind_nothing_changes)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        front z = front_random(&state, ZM_FORM_ZERMELO, 0.05, 100), r, zz;

        z.x[3] = z.x[4] = 0;
        r = front_convert(t, ZM_FORM_ZERMELO, &z, ZM_FORM_RANDERS, NULL);
        zz = front_convert(t, ZM_FORM_RANDERS, &r, ZM_FORM_ZERMELO, NULL);
        CHECK(same_bits(r.x, z.x, 3) && r.x[3] == 0 && r.x[4] == 0);
        CHECK(same_bits(zz.x, z.x, 3) && zz.x[3] == 0 && zz.x[4] == 0);
    }
}

/* Head = back: an ellipse about the point where it was lit.  Its heading comes back, up to
 * half a turn, if it is the longer axis. */
TEST(an_ellipse_without_drift_heads_along_its_longer_axis)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        front e = front_random(&state, ZM_FORM_ELLIPSE, 0.05, 16), r, ee;

        e.x[2] = e.x[0];
        e.x[1] = e.x[0] * (0.2 + 0.7 * zm_random_unit(&state));
        r = front_convert(t, ZM_FORM_ELLIPSE, &e, ZM_FORM_RANDERS, &math);
        ee = front_convert(t, ZM_FORM_RANDERS, &r, ZM_FORM_ELLIPSE, &math);
        CHECK(r.x[3] == 0 && r.x[4] == 0);
        CHECK(ee.x[2] <= ee.x[0]);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(ee.x[k] / e.x[k], 1, 1e-12);
        CHECK_NEAR(remainder(ee.x[3] - e.x[3], pi), 0, 1e-11);
    }
}

TEST(a_circle_is_isotropic_and_heads_along_x)
{
    const front circle = { { 4, 4, 4, 77 } }, focus = { { 4, 1, 77 } };
    const zm_form form[2] = { ZM_FORM_ELLIPSE, ZM_FORM_FOCUS };
    const front *const given[2] = { &circle, &focus };

    for (int k = 0; k < 2; k++) {
        const front g = front_convert(t, form[k], given[k], ZM_FORM_RANDERS, NULL);
        const front e = front_convert(t, ZM_FORM_RANDERS, &g, ZM_FORM_ELLIPSE, NULL);

        CHECK_NEAR(g.x[0], 0.0625, 1e-16);
        CHECK_NEAR(g.x[2], 0.0625, 1e-16);
        CHECK(g.x[1] == 0 && g.x[3] == 0 && g.x[4] == 0);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(e.x[i], 4, 1e-14);
    }
    {
        const front g = { { 0.25, 0, 0.25, 0, 0 } };
        const front e = front_convert(t, ZM_FORM_RANDERS, &g, ZM_FORM_ELLIPSE, NULL);

        CHECK(e.x[0] == 2 && e.x[1] == 2 && e.x[2] == 2 && e.x[3] == 90);
    }
}

/* Twice the speed is half the time: powers of two are exact. */
TEST(twice_as_fast_is_a_quarter_of_the_metric_and_half_the_drift)
{
    uint64_t state = t->seed;

    for (int i = 0; i < CELLS; i++) {
        const front e = front_random(&state, ZM_FORM_ELLIPSE, 0.01, 16);
        const front z = front_random(&state, ZM_FORM_ZERMELO, 0.01, 16);
        front e2 = e, z2 = z;

        for (int k = 0; k < 3; k++) {
            e2.x[k] *= 2;
            z2.x[k] /= 4;
        }
        z2.x[3] *= 2;
        z2.x[4] *= 2;
        for (int form = ZM_FORM_ZERMELO; form <= ZM_FORM_ELLIPSE; form++) {
            const bool is_ellipse = form == ZM_FORM_ELLIPSE;
            const front g = front_convert(t, (zm_form)form, is_ellipse ? &e : &z,
                                          ZM_FORM_RANDERS, NULL);
            const front g2 = front_convert(t, (zm_form)form, is_ellipse ? &e2 : &z2,
                                           ZM_FORM_RANDERS, NULL);

            for (int k = 0; k < 5; k++)
                CHECK(g2.x[k] == g.x[k] / (k < 3 ? 4 : 2));
        }
    }
}

/* What is converted can be solved with. */
TEST(converted_cells_pass_the_problem_check)
{
    uint64_t state = t->seed;
    const zm_grid one = { 1, 1, 1, 1 };

    for (int i = 0; i < CELLS; i++) {
        for (int form = 0; form < N_FORMS; form++) {
            const front f = front_random(&state, (zm_form)form, 1e-6, 1e4);
            const front g = front_convert(t, (zm_form)form, &f, ZM_FORM_RANDERS, NULL);
            const zm_problem problem = { .size = sizeof(zm_problem),
                                         .metric = { ZM_F64, &g.x[0], &g.x[1], &g.x[2],
                                                     &g.x[3], &g.x[4] } };

            CHECK(zm_problem_check(one, &problem, NULL) == ZM_OK);
        }
    }
}

/* Along a grid line the solver is exact in constant media: a fire that heads north gets to
 * row r - k after k/head, to row r + k after k/back. */
TEST(the_solver_runs_a_fire_with_its_rates_of_spread)
{
    enum { SIDE = 21, MIDDLE = 10 };
    const double headings[4] = { 0, 90, 180, 270 };
    const int dx[4] = { 0, 1, 0, -1 }, dy[4] = { -1, 0, 1, 0 };

    for (int k = 0; k < 4; k++) {
        const front e = { { 5, 1.5, 0.5, headings[k] } };
        const front g = front_convert(t, ZM_FORM_ELLIPSE, &e, ZM_FORM_RANDERS, NULL);
        test_case c = case_create(SIDE, SIDE);
        double *T = nan_doubles(c.n);

        fill_constant(&c, g.x[0], g.x[1], g.x[2], g.x[3], g.x[4]);
        case_add_source(&c, MIDDLE, MIDDLE, 0);
        CHECK(case_solve(&c, T) == ZM_OK);
        for (int i = 1; i <= MIDDLE; i++) {
            const int ahead = (MIDDLE + i * dy[k]) * SIDE + MIDDLE + i * dx[k];
            const int behind = (MIDDLE - i * dy[k]) * SIDE + MIDDLE - i * dx[k];

            CHECK_NEAR(T[ahead], i / e.x[0], 1e-12);
            CHECK_NEAR(T[behind], i / e.x[2], 1e-12);
        }
        free(T);
        case_free(&c);
    }
}
