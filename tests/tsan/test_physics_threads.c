/* SPDX-License-Identifier: Apache-2.0
 * Members of an ensemble and fires of a calibration on several threads: for the thread
 * sanitizer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/calibrate.h"
#include "zermelo/fire/risk.h"

enum { SIDE = 21, CELLS = SIDE * SIDE };

/* Each member has its own draws and its own model: the maps are the same bits. */
TEST(members_on_threads_give_the_same_maps)
{
    test_land land = test_land_hills(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    float maps[2][2][CELLS];

    for (int k = 0; k < 2; k++) {
        zm_ensemble_opts opts = ZM_ENSEMBLE_OPTS_INIT;
        const double level = 0.5;
        float *const median = maps[k][1];
        const zm_ensemble_out out = { sizeof out, maps[k][0], 1, &level, &median };

        opts.members = 9;
        opts.threads = k ? 4 : 1;
        CHECK(zm_ensemble_run(&land.land, &fire, NULL, NULL, 0, 1, &out, NULL, &opts,
                              NULL) == ZM_OK);
    }
    CHECK(memcmp(maps[0], maps[1], sizeof maps[0]) == 0);
    test_land_free(&land);
}

/* All threads count in the same places. */
TEST(fires_of_a_landscape_on_threads_give_the_same_maps)
{
    test_land land = test_land_hills(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    float maps[2][2][CELLS];

    for (int k = 0; k < 2; k++) {
        zm_ensemble_opts opts = ZM_ENSEMBLE_OPTS_INIT;
        const zm_risk_out out = { .size = sizeof out,
                                  .probability = maps[k][0],
                                  .flame_length = maps[k][1] };

        opts.members = 12;
        opts.threads = k ? 4 : 1;
        CHECK(zm_risk_run(&land.land, &fire, NULL, NULL, 1, &out, NULL, &opts, NULL) ==
              ZM_OK);
    }
    CHECK(memcmp(maps[0], maps[1], sizeof maps[0]) == 0);
    test_land_free(&land);
}

/* Sums over fires are made in their order. */
TEST(fires_on_threads_give_the_same_factors)
{
    test_land land = test_land_hills(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    float T[CELLS], low[CELLS], high[CELLS];
    zm_fire_evidence seen[3];
    zm_calibration found[2] = { ZM_CALIBRATION_INIT, ZM_CALIBRATION_INIT };

    for (int i = 0; i < CELLS; i++) /* one cell an eighth of an hour */
        T[i] = (float)(0.125 * hypot(i / SIDE - SIDE / 2, i % SIDE - SIDE / 2));
    zm_observe_times(T, CELLS, 1, low, high);
    for (int f = 0; f < 3; f++)
        seen[f] = (zm_fire_evidence){ &fire, NULL, 0, low, high, 1, 0 };
    for (int k = 0; k < 2; k++) {
        zm_calibrate_opts opts = ZM_CALIBRATE_OPTS_INIT;

        opts.max_iterations = 2;
        opts.fit_fuels = 0;
        opts.threads = k ? 3 : 1;
        CHECK(zm_calibrate(&land.land, seen, 3, &found[k], NULL, &opts, NULL) >= 0);
    }
    CHECK(found[0].wind_factor == found[1].wind_factor &&
          found[0].moisture_offset == found[1].moisture_offset);
    test_land_free(&land);
}
