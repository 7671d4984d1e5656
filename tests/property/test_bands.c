/* SPDX-License-Identifier: Apache-2.0
 * Bands: what a front does where the metric changes with time. */
#include <stdlib.h>

#include "check.h"
#include "support/banded.h"

/* One band is a static problem.  Where the eight neighbours are causal, or fans of one metric
 * everywhere, the stencils are those of the accurate solver, and so is the fixed point. */
TEST(one_band_is_the_accurate_solver)
{
    const zm_solver_opts adaptive = adaptive_opts(1, 0);
    const struct {
        double ratio, drift;
    } media[] = { { 1, 0 }, { 1, 0.1 }, { 8, 0.3 }, { 1, 0.93 }, { 3, 0.85 } };

    for (size_t i = 0; i < sizeof media / sizeof *media; i++) {
        banded b = banded_create(45, 51, 1);
        double *T = nan_doubles(b.n), *R = nan_doubles(b.n);

        b.band[0].grid.dx = 1.5;
        b.band[0].grid.dy = 0.7;
        fill_oriented(&b.band[0], 1, media[i].ratio * media[i].ratio, 0.4,
                      media[i].drift, 2);
        case_add_source(&b.band[0], 20, 30, -1);
        CHECK(case_solve_with(&b.band[0], R, &adaptive) == ZM_OK);
        for (int cost = ZM_BANDS_OWN; cost <= ZM_BANDS_MEAN; cost++) {
            CHECK(banded_solve(&b, (zm_bands_cost)cost, T) == ZM_OK);
            CHECK_AT_MOST(max_relative_difference(T, R, b.n), 1e-10);
        }
        free(R);
        free(T);
        banded_free(&b);
    }
}

/* In a row of cells the front goes straight on: with speed v_k in band k it is where the
 * integral of v is.  Cells end anywhere between the bands. */
TEST(along_a_row_the_front_goes_the_integral_of_its_speed)
{
    const double speed[6] = { 2.3, 0.7, 0, 0.11, 0.05, 5 };
    banded b = banded_create(1, 40, 6);
    double T[40];

    for (size_t k = 0; k < 6; k++) {
        if (speed[k] > 0)
            fill_constant(&b.band[k], 1 / (speed[k] * speed[k]), 0, 1, 0, 0);
        else
            banded_stop(&b, k, -1);
    }
    case_add_source(&b.band[0], 0, 0, 0.25);
    CHECK(banded_solve(&b, ZM_BANDS_OWN, T) == ZM_OK);
    for (size_t i = 0; i < 40; i++) {
        double gone = 0, to;

        for (size_t k = 0; k < 6; k++) { /* integral of the speed up to T[i] */
            const double from = fmax((double)k, 0.25);

            to = k < 5 ? fmin((double)k + 1, T[i]) : T[i];
            gone += speed[k] * fmax(0, to - from);
        }
        CHECK_NEAR(gone, (double)i, 1e-9);
    }
    banded_free(&b);
}

/* A stop of all cells for a while in the midst of a band changes nothing but the clock. */
TEST(a_night_only_moves_the_clock)
{
    enum { SIDE = 41, NIGHT = 8 };
    banded day = banded_random(SIDE, 1, t->seed, 4, 2, 0.5, true);
    banded night = banded_create(SIDE, SIDE, 3);
    double *T = nan_doubles(day.n), *R = nan_doubles(day.n);

    for (size_t k = 0; k < 3; k++) {
        case_free(&night.band[k]);
        night.band[k] = case_copy(&day.band[0]);
    }
    night.starts[1] = 7;
    night.starts[2] = 7 + NIGHT;
    banded_stop(&night, 1, -1);
    for (int cost = ZM_BANDS_OWN; cost <= ZM_BANDS_MEAN; cost++) {
        size_t after = 0;

        CHECK(banded_solve(&day, (zm_bands_cost)cost, R) == ZM_OK);
        CHECK(banded_solve(&night, (zm_bands_cost)cost, T) == ZM_OK);
        for (size_t i = 0; i < day.n; i++) {
            CHECK_NEAR(T[i], R[i] > 7 ? R[i] + NIGHT : R[i], 1e-9 * R[i]);
            after += R[i] > 7;
        }
        CHECK(after > day.n / 4 && after < day.n);
    }
    free(R);
    free(T);
    banded_free(&night);
    banded_free(&day);
}
