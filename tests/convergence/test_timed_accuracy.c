/* SPDX-License-Identifier: Apache-2.0
 * How near the solver with intervals comes to fronts that are known: a wind that turns. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "support/timed.h"

static const double pi = 3.14159265358979323846;

enum { INTERVALS = 4 };

/* A front driven by wind: speed `head` along the heading, eccentricity e of its ellipse with
 * the start in the rear focus: G = I/p^2, b = (e/p) u, p = head (1 - e). */
typedef struct wind {
    double head, e, heading;
} wind;

/* How far the front goes in unit time across the direction n: the support function of the
 * ellipse, centre.n + |axes n|. */
static double advance(const wind *w, double nx, double ny)
{
    const double back = w->head * (1 - w->e) / (1 + w->e);
    const double a = (w->head + back) / 2, c = (w->head - back) / 2;
    const double b = sqrt(w->head * back);
    const double along = nx * cos(w->heading) + ny * sin(w->heading);
    const double across = ny * cos(w->heading) - nx * sin(w->heading);

    return c * along + sqrt(a * a * along * along + b * b * across * across);
}

/* After times dt_k with ellipses B_k a front from a point has reached the sum of dt_k B_k: a
 * point is in it if in every direction it is not beyond the sum of the support functions. */
static bool is_reached(const wind *winds, double x, double y, double t)
{
    enum { DIRECTIONS = 256 };

    for (int i = 0; i < DIRECTIONS; i++) {
        const double nx = cos(2 * pi * i / DIRECTIONS),
                     ny = sin(2 * pi * i / DIRECTIONS);
        double far = 0;

        for (int k = 0; k < INTERVALS; k++) {
            const double end = k + 1 < INTERVALS ? fmin(k + 1, t) : t;

            far += fmax(0, end - k) * advance(&winds[k], nx, ny);
        }
        if (nx * x + ny * y > far)
            return false;
    }
    return true;
}

static double exact_time(const wind *winds, double x, double y)
{
    double low = 0, high = INTERVALS;

    for (int i = 0; i < 24; i++) {
        const double t = 0.5 * (low + high);

        if (is_reached(winds, x, y, t))
            high = t;
        else
            low = t;
    }
    return high;
}

/* Relative error in the mean square, with `fine` cells to the unit of length. */
static double error_of(test_run *t, const wind *winds, zm_step_cost cost, int32_t reach,
                       int32_t fine)
{
    const int32_t half = 4 * fine, side = 2 * half + 1;
    timed_case b = timed_create(side, side, INTERVALS);
    double *T = nan_doubles(b.n), error = 0, norm = 0;
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_problem p;
    zm_solver *h;

    for (int k = 0; k < INTERVALS; k++) {
        const double q = winds[k].head * (1 - winds[k].e);

        fill_constant(&b.interval[k], 1 / (q * q), 0, 1 / (q * q),
                      winds[k].e / q * cos(winds[k].heading),
                      winds[k].e / q * sin(winds[k].heading));
        b.interval[k].grid.dx = b.interval[k].grid.dy = 1.0 / fine;
    }
    case_add_source(&b.interval[0], half, half, 0);
    o.cost = cost;
    o.reach = reach;
    p = timed_problem(&b);
    CHECK(zm_solver_create(&h, b.interval[0].grid, ZM_F64, &o, NULL) == ZM_OK);
    CHECK(zm_forward(h, &p, T, NULL, NULL, NULL) == ZM_OK);
    zm_solver_destroy(h);
    for (int32_t row = 0; row < side; row += fine) /* the same places on every grid */
        for (int32_t col = 0; col < side; col += fine) {
            const double exact = exact_time(winds, (double)(col - half) / fine,
                                            (double)(row - half) / fine);

            if (exact < 0.1 || exact > INTERVALS - 1e-3)
                continue;
            error += pow(T[row * side + col] - exact, 2);
            norm += exact * exact;
        }
    free(T);
    timed_free(&b);
    return sqrt(error / norm);
}

/* First order but for the logarithm that the point source brings: errors fall by at least
 * 1.45 a halving, whatever the wind does. */
TEST(a_turning_wind_is_followed_with_first_order)
{
    const struct {
        const char *name;
        wind winds[INTERVALS];
    } fronts[] = {
        { "speeds", { { 1, 0, 0 }, { 0.3, 0, 0 }, { 2, 0, 0 }, { 0.8, 0, 0 } } },
        { "turning",
          { { 1, 0.7, 0.3 }, { 1, 0.7, 0.7 }, { 1, 0.7, 1.1 }, { 1, 0.7, 1.5 } } },
        { "veering",
          { { 1, 0.5, 0 }, { 0.7, 0.7, 2 }, { 1, 0.8, 1 }, { 0.5, 0.6, 4 } } },
    };

    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++)
        for (int cost = ZM_COST_OWN; cost <= ZM_COST_MEAN; cost++) {
            double error[4];

            for (int k = 0; k < 4; k++)
                error[k] = error_of(t, fronts[i].winds, (zm_step_cost)cost, 1, 3 << k);
            printf("    %s, cost %d: %.4f %.4f %.4f %.4f\n", fronts[i].name, cost,
                   error[0], error[1], error[2], error[3]);
            for (int k = 1; k < 4; k++)
                CHECK(error[k] < error[k - 1] / 1.45);
            CHECK_AT_MOST(error[3], 0.025);
        }
}

/* A step of twice the length makes half the number of interpolations between donors: the error
 * that these make falls with the reach. */
TEST(longer_steps_are_closer)
{
    const wind winds[INTERVALS] = {
        { 1, 0.6, 0.3 }, { 0.8, 0.7, 0.5 }, { 1.2, 0.7, 0.7 }, { 1, 0.6, 0.9 }
    };
    double error[4];

    for (int32_t reach = 1; reach <= 3; reach++)
        error[reach] = error_of(t, winds, ZM_COST_MEAN, reach, 8);
    printf("    reach 1, 2, 3: %.4f %.4f %.4f\n", error[1], error[2], error[3]);
    CHECK(error[2] < 0.6 * error[1] && error[3] < 0.8 * error[2]);
}
