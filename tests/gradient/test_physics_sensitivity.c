/* SPDX-License-Identifier: Apache-2.0
 * What decides when a fire comes to assets, against finite differences of that time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/physics.h"

enum { SIDE = 41, CELLS = SIDE * SIDE };
static const double HORIZON = 9;

/** A fire, and a block of assets on its way. */
typedef struct world {
    test_land land;
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire;
    zm_physics *physics;
    uint8_t assets[CELLS];
    double T[CELLS], planes[4 * CELLS];
} world;

static world *world_make(uint64_t seed)
{
    world *w = calloc(1, sizeof *w);

    w->land = test_land_hills(SIDE, SIDE, seed);
    w->fire = test_fire(&w->land, w->weather);
    for (int r = 8; r < 12; r++)
        for (int c = 24; c < 28; c++)
            w->assets[r * SIDE + c] = 1;
    if (zm_physics_create(&w->physics, &w->land.land, NULL, NULL) != ZM_OK)
        abort();
    return w;
}

static void world_free(world *w)
{
    zm_physics_destroy(w->physics);
    test_land_free(&w->land);
    free(w);
}

static double mean_time(world *w, const zm_physics_params *params)
{
    if (zm_physics_set_fire(w->physics, &w->fire, params, HORIZON, NULL) != ZM_OK ||
        zm_physics_arrival(w->physics, NULL, 0, HORIZON, w->T, NULL) != ZM_OK)
        return NAN;
    return zm_assets_arrival(w->T, w->assets, CELLS).mean;
}

/* Difference quotient with one number moved. */
static double quotient(world *w, const zm_physics_params *params, double *x, double h)
{
    const double was = *x;
    double more, less;

    *x = was + h;
    more = mean_time(w, params);
    *x = was - h;
    less = mean_time(w, params);
    *x = was;
    return (more - less) / (2 * h);
}

/* Weather of the first hours, moisture, wind, fuels, and the cells that decide most: each agrees
 * with its difference quotient within 1 % (or a millionth of the largest, where it is nothing). */
TEST(sensitivities_agree_with_differences_within_one_per_cent)
{
    world *w = world_make(5);
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_weather_hour by[TEST_HOURS] = { 0 };
    double factor[ZM_FUEL_NUMBERS], *corrections = calloc(2 * CELLS, sizeof(double));
    zm_physics_change d = { .size = sizeof d,
                            .weather = by,
                            .log_rate = w->planes,
                            .log_wind = w->planes + CELLS,
                            .wetness = w->planes + 2 * CELLS,
                            .rotation = w->planes + 3 * CELLS };
    zm_asset_arrival a;
    int compared = 0;

    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        factor[k] = 1;
    params.fuel_factor = factor;
    params.log_rate = corrections;
    params.log_wind = corrections + CELLS;
    CHECK(mean_time(w, &params) > 0.5);
    CHECK(zm_physics_sensitivity(w->physics, w->T, w->assets, &d, &a, NULL) == ZM_OK);
    CHECK(a.cells == 16 && a.reached > 8 && a.first <= a.mean);
#define AGREES(x, derivative, step)                                                    \
    do {                                                                               \
        const double fd = quotient(w, &params, &(x), step);                            \
        CHECK_NEAR(derivative, fd, 0.01 * fabs(fd) + 1e-6);                            \
        compared += fabs(fd) > 1e-4;                                                   \
    } while (0)
    for (int k = 0; k < 2; k++) {
        AGREES(w->weather[k].wind_speed, by[k].wind_speed, 1e-4);
        AGREES(w->weather[k].wind_dir, by[k].wind_dir, 1e-4);
        AGREES(w->weather[k].temperature, by[k].temperature, 1e-4);
        AGREES(w->weather[k].humidity, by[k].humidity, 1e-4);
    }
    AGREES(w->fire.moisture.dead_10h, d.moisture.dead_10h, 1e-4);
    AGREES(w->fire.moisture.live_herb, d.moisture.live_herb, 1e-4);
    AGREES(params.wind_factor, d.wind_factor, 1e-5);
    AGREES(params.moisture_offset, d.moisture_offset, 1e-4);
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        if (fabs(d.fuel_factor[k]) > 1e-3)
            AGREES(factor[k], d.fuel_factor[k], 1e-5);
    for (int i = 0; i < CELLS; i++) {
        if (fabs(d.log_rate[i]) > 0.02)
            AGREES(corrections[i], d.log_rate[i], 1e-5);
        if (fabs(d.log_wind[i]) > 0.02)
            AGREES(corrections[CELLS + i], d.log_wind[i], 1e-5);
    }
    CHECK_MSG(compared > 15, "%d compared", compared);
    free(corrections);
    world_free(w);
}

/* All rates twice as fast make the fire twice as early, but for weather and the start: with both
 * constant the maps of rates sum up to minus the time since the start. */
TEST(the_map_of_rates_sums_up_to_the_way)
{
    world *w = world_make(2);
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    zm_physics_change d = { .size = sizeof d, .log_rate = w->planes };
    double sum = 0, mean;

    zm_physics_destroy(w->physics);
    opts.conditioning = 0;
    opts.acceleration = HUGE_VAL;
    for (int k = 1; k < TEST_HOURS; k++)
        w->weather[k] = w->weather[0];
    CHECK(zm_physics_create(&w->physics, &w->land.land, &opts, NULL) == ZM_OK);
    mean = mean_time(w, NULL);
    CHECK(zm_physics_sensitivity(w->physics, w->T, w->assets, &d, NULL, NULL) == ZM_OK);
    for (int i = 0; i < CELLS; i++)
        sum += d.log_rate[i];
    CHECK_NEAR(sum, -mean, 1e-9 * mean);
    world_free(w);
}

TEST(assets_that_are_not_reached_are_refused_by_number)
{
    world *w = world_make(2);
    zm_physics_change d = ZM_PHYSICS_CHANGE_INIT;
    zm_asset_arrival a;
    zm_error err;

    CHECK(zm_physics_set_fire(w->physics, &w->fire, NULL, 0.2, NULL) == ZM_OK);
    CHECK(zm_physics_arrival(w->physics, NULL, 0, 0.01, w->T, NULL) == ZM_OK);
    CHECK(zm_physics_sensitivity(w->physics, w->T, w->assets, &d, &a, &err) ==
          ZM_E_ARG);
    CHECK(strstr(err.text, "16 asset cells") != NULL);
    CHECK(a.cells == 16 && a.reached == 0 && isnan(a.mean) && isinf(a.first));
    world_free(w);
}
