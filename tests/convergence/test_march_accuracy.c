/* SPDX-License-Identifier: Apache-2.0
 * How near the accurate solver comes to known solutions: constant media exactly, a varying
 * Randers problem to second order, strong metrics at every angle. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "reference/manufactured.h"
#include "support/cases.h"

static const double pi = 3.14159265358979323846;

/* The problem on side x side points of the unit square; T is the solution. */
static test_case manufactured_case(const zm_reference_manufactured *m, int32_t side,
                                   double *T)
{
    test_case c = case_create(side, side);
    const double h = 1.0 / (side - 1);

    c.grid.dx = c.grid.dy = h;
    for (size_t i = 0; i < c.n; i++) {
        const double x = h * (double)(i % (size_t)side),
                     y = h * (double)(i / (size_t)side);
        double metric[5];

        zm_reference_manufactured_metric(m, x, y, metric);
        c.g11[i] = metric[0];
        c.g12[i] = metric[1];
        c.g22[i] = metric[2];
        c.b1[i] = metric[3];
        c.b2[i] = metric[4];
        T[i] = zm_reference_manufactured_time(m, x, y);
    }
    case_add_source_at(&c, m->sy / h, m->sx / h, 0);
    return c;
}

static double manufactured_error(test_run *t, const zm_reference_manufactured *m,
                                 int32_t side, int32_t order, double radius)
{
    const size_t n = (size_t)side * (size_t)side;
    const zm_solver_opts opts = adaptive_opts(order, radius);
    double *T = nan_doubles(n), *exact = nan_doubles(n), error;
    test_case c = manufactured_case(m, side, exact);

    CHECK(case_solve_with(&c, T, &opts) == ZM_OK);
    error = relative_l2(T, exact, n);
    case_free(&c);
    free(exact);
    free(T);
    return error;
}

enum { N_SIDES = 4 };
static const int32_t sides[N_SIDES] = { 51, 101, 201, 401 };

typedef struct study {
    double error[N_SIDES];
    double rate; /* observed between the two finest grids */
} study;

static study study_make(test_run *t, const char *what,
                        const zm_reference_manufactured *m, int32_t order,
                        double radius)
{
    study s;

    for (int i = 0; i < N_SIDES; i++)
        s.error[i] = manufactured_error(t, m, sides[i], order, radius);
    s.rate = log2(s.error[N_SIDES - 2] / s.error[N_SIDES - 1]);
    printf("    %s, order %d: %.5f %.5f %.5f %.5f %%, rate %.2f\n", what, (int)order,
           100 * s.error[0], 100 * s.error[1], 100 * s.error[2], 100 * s.error[3],
           s.rate);
    return s;
}

/* Second differences everywhere but in a few cells around the source: second order.  The
 * bounds are what a peer of second order with factoring attains. */
TEST(second_order_factored_is_second_order)
{
    const zm_reference_manufactured m = zm_reference_manufactured_make(2, 1, 0.3, 0.4);
    const study s = study_make(t, "on a cell", &m, 2, HUGE_VAL);

    CHECK_AT_MOST(s.error[2], 0.0052e-2);
    CHECK_AT_MOST(s.error[3], 0.0012e-2);
    CHECK(s.rate >= 1.9);
}

/* The source keeps its place between the cells of each grid, and the metric there is
 * interpolated: no order is lost. */
TEST(second_order_factored_between_cells)
{
    const zm_reference_manufactured m =
        zm_reference_manufactured_make(2, 1, 0.3037, 0.4061);
    const study s = study_make(t, "between cells", &m, 2, HUGE_VAL);

    CHECK_AT_MOST(s.error[2], 0.0055e-2);
    CHECK_AT_MOST(s.error[3], 0.0014e-2);
    CHECK(s.rate >= 1.9);
}

/* Strong media have wider stencils, so larger errors; the rate is the same. */
TEST(second_order_in_strong_media)
{
    const zm_reference_manufactured m =
        zm_reference_manufactured_make(50, 0.4, 0.3, 0.4);
    const study s = study_make(t, "ratio 50", &m, 2, HUGE_VAL);

    CHECK_AT_MOST(s.error[2], 0.02e-2);
    CHECK(s.rate >= 1.9);
}

/* Without the singularity of the source, first order is h and not h log(1/h). */
TEST(first_order_factored_is_first_order)
{
    const zm_reference_manufactured m = zm_reference_manufactured_make(2, 1, 0.3, 0.4);
    const study s = study_make(t, "on a cell", &m, 1, HUGE_VAL);

    CHECK_AT_MOST(s.error[2], 0.3e-2);
    CHECK_MSG(s.rate > 0.95 && s.rate < 1.1, "rate %.3f", s.rate);
}

/* Factoring near the source only removes what is singular: the rest is as smooth. */
TEST(factoring_within_a_radius_is_enough)
{
    const zm_reference_manufactured m = zm_reference_manufactured_make(2, 1, 0.3, 0.4);
    const study near = study_make(t, "radius 0.25", &m, 2, 0.25);
    const study none = study_make(t, "not factored", &m, 2, 0);

    CHECK(near.rate >= 1.7);
    CHECK(near.error[2] < none.error[2] / 4);
}

/* T - T_source is 0 in a constant medium, whatever the metric: factored, every update is
 * exact, and all that is left is rounding.  Cells of the fast direction have v'Gv as a
 * difference of numbers `ratio` times larger, and F as a difference of |v|_G and a drift
 * 1 / (1 - drift) times larger than itself: their own time is known to as many roundings,
 * the field as a whole much better. */
typedef struct constant_medium {
    double ratio, angle, drift, heading;
} constant_medium;

static void check_constant(test_run *t, constant_medium m, double row, double col,
                           int32_t order, double *worst)
{
    const double condition = m.ratio / (1 - m.drift), whole = 1e-10;
    test_case c = case_create(70, 60);
    const zm_solver_opts opts = adaptive_opts(order, HUGE_VAL);
    double *T = nan_doubles(c.n), *exact = nan_doubles(c.n), error, cell = 0;

    c.grid.dx = 0.5;
    c.grid.dy = m.ratio < 5000 ? 0.7 : 0.5; /* which makes the ratio larger still */
    fill_oriented(&c, sqrt(m.ratio), 1 / sqrt(m.ratio), m.angle, m.drift, m.heading);
    case_add_source_at(&c, row, col, 0);
    CHECK(case_solve_with(&c, T, &opts) == ZM_OK);
    closed_form(&c, exact);
    error = relative_l2(T, exact, c.n);
    for (size_t i = 0; i < c.n; i++)
        if (exact[i] > 0)
            cell = fmax(cell, fabs(T[i] - exact[i]) / exact[i]);
    CHECK_MSG(error <= whole && cell <= 1e-12 + 1e-13 * condition,
              "ratio %g at %g, drift %g, source %g, %g, order %d: %.3g, %.3g in a cell",
              m.ratio, m.angle * 180 / pi, m.drift, row, col, (int)order, error, cell);
    *worst = fmax(*worst, error);
    free(exact);
    free(T);
    case_free(&c);
}

TEST(constant_media_are_exact)
{
    static const double drifts[] = { 0, 0.3, 0.8, 0.95, 0.99 };
    static const double places[][2] = {
        { 35, 30 }, { 35.25, 29.6 }, { 10, 20.5 }, { 0, 59 }, { 68.7, 0.3 }
    };
    double worst = 0;

    for (double ratio = 1; ratio <= 1e4; ratio *= 10)
        for (int k = 0; k < 12; k++)
            for (int d = 0; d < 5; d++) {
                const double *place = places[(k + d) % 5];
                const constant_medium m = { ratio, k * pi / 12, drifts[d],
                                            0.3 + k + d };

                check_constant(t, m, place[0], place[1], 1 + k % 2, &worst);
            }
    printf("    worst relative error %.2g\n", worst);
}

/* |e| / |T| on side x side cells, one source in the middle, first order, not factored. */
static double first_order_error(test_run *t, int32_t side, double ratio, double angle,
                                double drift, double heading)
{
    test_case c = case_create(side, side);
    const zm_solver_opts opts = adaptive_opts(1, 0);
    double *T = nan_doubles(c.n), *exact = nan_doubles(c.n), error;

    fill_oriented(&c, sqrt(ratio), 1 / sqrt(ratio), angle, drift, heading);
    case_add_source(&c, side / 2, side / 2, 0);
    CHECK(case_solve_with(&c, T, &opts) == ZM_OK);
    closed_form(&c, exact);
    error = relative_l2(T, exact, c.n);
    free(exact);
    free(T);
    case_free(&c);
    return error;
}

TEST(first_order_at_every_rotation)
{
    const double bound = 0.4e-2, step = pi / 24; /* 7.5 degrees */

    for (double ratio = 4; ratio <= 1024; ratio *= 4) {
        double worst = 0, worst_angle = 0;

        for (int k = 0; k < 24; k++) {
            const double coarse = first_order_error(t, 100, ratio, k * step, 0, 0);
            const double fine = first_order_error(t, 200, ratio, k * step, 0, 0);

            CHECK_MSG(fine <= bound, "ratio %g at %g degrees: %.4f %%", ratio, 7.5 * k,
                      100 * fine);
            CHECK_MSG(fine < coarse, "ratio %g at %g degrees: %.4f %%, %.4f %% on 100",
                      ratio, 7.5 * k, 100 * fine, 100 * coarse);
            worst_angle = fine > worst ? 7.5 * k : worst_angle;
            worst = fmax(worst, fine);
        }
        printf("    ratio %g: at most %.4f %%, at %g degrees\n", ratio, 100 * worst,
               worst_angle);
    }
}

TEST(first_order_with_drift_in_every_direction)
{
    static const double drifts[] = { 0.3, 0.6, 0.8, 0.9, 0.95 };
    const double bound = 0.6e-2, step = pi / 12;

    for (double ratio = 1; ratio <= 64; ratio *= 8)
        for (size_t d = 0; d < sizeof drifts / sizeof drifts[0]; d++) {
            double worst = 0, worst_heading = 0;

            for (int k = 0; k < 24; k++) {
                const double error =
                    first_order_error(t, 200, ratio, 0.5, drifts[d], k * step);

                CHECK_MSG(error <= bound,
                          "ratio %g, drift %g towards %d degrees: %.4f %%", ratio,
                          drifts[d], 15 * k, 100 * error);
                worst_heading = error > worst ? 15 * k : worst_heading;
                worst = fmax(worst, error);
            }
            printf("    ratio %g, drift %g: at most %.4f %%, towards %g degrees\n",
                   ratio, drifts[d], 100 * worst, worst_heading);
        }
}

/* Exact times in a constant medium closed along x and y: of all images of the source the
 * one that is there first. */
static void closed_form_round(test_case *c, double *T)
{
    const zm_source source = c->sources[0];
    double *image = nan_doubles(c->n);

    for (size_t i = 0; i < c->n; i++)
        T[i] = HUGE_VAL;
    for (int x = -6; x <= 6; x++)
        for (int y = -6; y <= 6; y++) {
            c->sources[0].col = source.col + x * c->grid.cols;
            c->sources[0].row = source.row + y * c->grid.rows;
            closed_form(c, image);
            for (size_t i = 0; i < c->n; i++)
                T[i] = fmin(T[i], image[i]);
        }
    c->sources[0] = source;
    free(image);
}

/* With a strong drift it is cheaper to go round a closed grid than to go against it, also to
 * the cells beside the source.  The front that comes round must pass there, and is not that
 * of the source to be factored out.  Times of first order are not early then, but for a
 * hundredth of a cell on shocks. */
TEST(fronts_come_round_closed_grids)
{
    for (int k = 0; k < 24; k++) {
        const int32_t order = 1 + k % 2;
        zm_solver_opts opts = adaptive_opts(order, k % 3 ? HUGE_VAL : 0);
        test_case c = case_create(61, 67);
        double *T = nan_doubles(c.n), *exact = nan_doubles(c.n), early = 0, error;

        opts.periodic = ZM_PERIODIC_X | ZM_PERIODIC_Y;
        fill_oriented(&c, 1.5, 1, 0.2 * k, 0.95, 0.5 * k);
        case_add_source_at(&c, 20.3, 30.6, 0);
        closed_form_round(&c, exact);
        CHECK(case_solve_with(&c, T, &opts) == ZM_OK);
        error = relative_l2(T, exact, c.n);
        for (size_t i = 0; i < c.n; i++)
            early = fmax(early, exact[i] - T[i]);
        CHECK_MSG(error <= (opts.factor_radius > 0 ? 0.004 : 0.04),
                  "%d, order %d: %.4f %%", k, (int)order, 100 * error);
        CHECK_MSG(order > 1 || early <= 0.02, "%d: early by %.3g", k, early);
        free(exact);
        free(T);
        case_free(&c);
    }
}

/* Ratio 100, turning by two and a half radians across the unit square. */
static test_case turning_case(int32_t side)
{
    test_case c = case_create(side, side);
    const double h = 1.0 / side;

    c.grid.dx = c.grid.dy = h;
    for (size_t i = 0; i < c.n; i++) {
        const double x = h * ((double)(i % (size_t)side) + 0.5),
                     y = h * ((double)(i / (size_t)side) + 0.5);
        const double angle = 1.5 * sin(3 * x + 2 * y) + y, ratio = 100;
        const double u = cos(angle), v = sin(angle);

        c.g11[i] = u * u * ratio + v * v;
        c.g12[i] = u * v * (ratio - 1);
        c.g22[i] = v * v * ratio + u * u;
    }
    case_add_source_at(&c, 0.31 * side - 0.5, 0.33 * side - 0.5, 0);
    return c;
}

/* Where the metric is another one than at the source, neither its exact distance nor its
 * curvature tells anything.  Factored everywhere, times must still be as good as without, to
 * which the grid limits them here: 7 % on 60 x 60 cells, by a grid five times finer. */
TEST(factoring_does_no_harm_far_from_the_source)
{
    enum { SIDE = 60, FINER = 5 };
    test_case coarse = turning_case(SIDE), fine = turning_case(SIDE * FINER);
    const zm_solver_opts plain = adaptive_opts(1, 0);
    double *T = nan_doubles(coarse.n), *at_cells = nan_doubles(coarse.n),
           *T_fine = nan_doubles(fine.n);

    CHECK(case_solve_with(&fine, T_fine, &plain) == ZM_OK);
    for (size_t i = 0; i < coarse.n; i++) {
        const size_t row = i / SIDE * FINER + FINER / 2,
                     col = i % SIDE * FINER + FINER / 2;

        at_cells[i] = T_fine[row * SIDE * FINER + col];
    }
    for (int32_t order = 1; order <= 2; order++) {
        const zm_solver_opts factored = adaptive_opts(order, HUGE_VAL);
        double error;

        CHECK(case_solve_with(&coarse, T, &factored) == ZM_OK);
        error = relative_l2(T, at_cells, coarse.n);
        printf("    order %d: %.2f %%\n", (int)order, 100 * error);
        CHECK_AT_MOST(error, 0.1);
    }
    free(T_fine);
    free(at_cells);
    free(T);
    case_free(&fine);
    case_free(&coarse);
}
