/* SPDX-License-Identifier: Apache-2.0
 * What the fire model refuses, and that the message names it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/calibrate.h"
#include "zermelo/fire/ensemble.h"
#include "zermelo/fire/score.h"

enum { SIDE = 9, CELLS = SIDE * SIDE };

/* Each layer in turn with a value that cannot be. */
TEST(layers_with_impossible_values_are_refused)
{
    static const struct {
        zm_layer layer;
        float value;
        const char *word;
    } bad[] = {
        { ZM_LAYER_ELEVATION, NAN, "elevation" }, { ZM_LAYER_SLOPE, 91, "slope" },
        { ZM_LAYER_COVER, -1, "cover" },          { ZM_LAYER_HEIGHT, NAN, "height" },
        { ZM_LAYER_HEIGHT, -1, "height" },        { ZM_LAYER_BASE, NAN, "base" },
        { ZM_LAYER_DENSITY, INFINITY, "density" }
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        test_land land = test_land_hills(SIDE, SIDE, 4);
        zm_error err = { 0 };
        zm_physics *physics;

        test_land_layer(&land, bad[i].layer)[17] = bad[i].value;
        CHECK(zm_physics_create(&physics, &land.land, NULL, &err) == ZM_E_ARG);
        CHECK_MSG(strstr(err.text, bad[i].word) && err.cell == 17, "%s", err.text);
        test_land_free(&land);
    }
}

TEST(custom_fuels_with_impossible_values_are_refused)
{
    static const struct {
        double load, ratio, depth, extinction, heat;
        const char *word;
    } bad[] = { { -1.5, 2000, 1, 25, 8000, "1 h load" },
                { NAN, 2000, 1, 25, 8000, "1 h load" },
                { 1.5, -100, 1, 25, 8000, "surface to volume" },
                { 1.5, 2000, 0, 25, 8000, "depth" },
                { 1.5, 2000, 1, 0, 8000, "extinction" },
                { 1.5, 2000, 1, 25, INFINITY, "heat" } };
    const zm_fuel_moisture moisture = { 5, 6, 7, 80, 90 };
    test_land land = test_land_level(SIDE, SIDE, 2);

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zm_fuel fuel = *zm_fuel_published(2);
        zm_surface_fire one;
        zm_physics *physics;
        zm_error err = { 0 };

        fuel.load[0] = bad[i].load;
        fuel.surface_to_volume[0] = bad[i].ratio;
        fuel.depth = bad[i].depth;
        fuel.extinction = bad[i].extinction;
        fuel.heat[0] = bad[i].heat;
        land.land.custom_fuels = &fuel;
        land.land.n_custom_fuels = 1;
        CHECK(zm_physics_create(&physics, &land.land, NULL, &err) == ZM_E_ARG);
        CHECK_MSG(strstr(err.text, bad[i].word), "%s: %s", bad[i].word, err.text);
        CHECK(zm_surface_fire_of(&fuel, &moisture, 5, 0, 0, 0, &one, NULL) == ZM_E_ARG);
    }
    land.land.n_custom_fuels = 0;
    test_land_free(&land);
}

TEST(directions_that_are_no_angles_are_refused)
{
    const zm_fuel_moisture moisture = { 5, 6, 7, 80, 90 };
    const zm_fuel *grass = zm_fuel_published(2);
    zm_surface_fire one;

    CHECK(zm_surface_fire_of(grass, &moisture, 5, NAN, 0, 0, &one, NULL) == ZM_E_ARG);
    CHECK(zm_surface_fire_of(grass, &moisture, 5, 0, 10, INFINITY, &one, NULL) ==
          ZM_E_ARG);
    CHECK(zm_surface_fire_of(grass, &moisture, 5, -700, 10, -700, &one, NULL) == ZM_OK);
    CHECK(one.heading >= 0 && one.heading < 360);
}

/* Times that no calendar has, and corrections that no fire survives. */
TEST(starts_and_corrections_out_of_range_are_refused)
{
    static const struct {
        int32_t month, day;
        double hour;
        bool is;
    } start[] = { { 2, 29, 0, true },    { 2, 30, 0, false },  { 4, 31, 0, false },
                  { 7, 31, 23.9, true }, { 7, 31, 24, false }, { 13, 1, 0, false } };
    static const double factor[] = { 0, -1, 1e100, NAN };
    test_land land = test_land_level(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    double factors[ZM_FUEL_NUMBERS], plane[CELLS] = { 0 };
    zm_error err;
    zm_physics *physics;

    CHECK(zm_physics_create(&physics, &land.land, NULL, NULL) == ZM_OK);
    for (size_t i = 0; i < sizeof start / sizeof *start; i++) {
        zm_fire moved = fire;

        moved.start_month = start[i].month;
        moved.start_day = start[i].day;
        moved.start_hour = start[i].hour;
        CHECK((zm_physics_set_fire(physics, &moved, NULL, 2, NULL) == ZM_OK) ==
              start[i].is);
    }
    params.fuel_factor = factors;
    for (size_t i = 0; i < sizeof factor / sizeof *factor; i++) {
        for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
            factors[k] = k == 102 ? factor[i] : 1;
        CHECK(zm_physics_set_fire(physics, &fire, &params, 2, &err) == ZM_E_ARG);
        CHECK_MSG(strstr(err.text, "fuel model 102"), "%s", err.text);
    }
    params.fuel_factor = NULL;
    params.elongation = plane;
    plane[40] = 99;
    CHECK(zm_physics_set_fire(physics, &fire, &params, 2, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "elongation") && err.cell == 40);
    zm_physics_destroy(physics);
    test_land_free(&land);
}

/* An ignition that is not in the landscape is not moved into it. */
TEST(ensembles_refuse_ignitions_outside_and_quantiles_without_room)
{
    static const int32_t place[][2] = { { -1, -1 }, { SIDE, 2 }, { 2, 500 } };
    static const double half = 0.5;
    test_land land = test_land_level(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    zm_ensemble_opts opts = ZM_ENSEMBLE_OPTS_INIT;
    const zm_source source = { 4, 4, 0 };
    float probability[CELLS];
    zm_ensemble_out out = { .size = sizeof out, .probability = probability };
    zm_error err;

    opts.members = 3;
    opts.ignition = 60;
    for (int i = 0; i < 3; i++) {
        fire.row = place[i][0];
        fire.col = place[i][1];
        CHECK(zm_ensemble_run(&land.land, &fire, NULL, NULL, 0, 1, &out, NULL, &opts,
                              &err) < 0);
        CHECK_MSG(strstr(err.text, "ignition"), "%s", err.text);
    }
    fire.row = fire.col = -1;
    CHECK(zm_ensemble_run(&land.land, &fire, NULL, &source, 1, 1, &out, NULL, &opts,
                          &err) == ZM_OK);
    out.n_quantiles = 1;
    CHECK(zm_ensemble_run(&land.land, &fire, NULL, &source, 1, 1, &out, NULL, &opts,
                          &err) == ZM_E_ARG);
    out.levels = &half;
    CHECK(zm_ensemble_run(&land.land, &fire, NULL, &source, 1, 1, &out, NULL, &opts,
                          &err) == ZM_E_ARG);
    test_land_free(&land);
}

TEST(calibrations_refuse_spreads_without_bound_and_missing_evidence)
{
    test_land land = test_land_level(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    float times[CELLS] = { 0 };
    zm_fire_evidence evidence = {
        .fire = &fire, .earliest = times, .latest = times, .duration = 1
    };
    zm_calibrate_opts opts = ZM_CALIBRATE_OPTS_INIT;
    zm_calibration out = ZM_CALIBRATION_INIT;
    zm_error err;

    opts.outlier = INFINITY;
    CHECK(zm_calibrate(&land.land, &evidence, 1, &out, NULL, &opts, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "outlier"));
    opts = (zm_calibrate_opts)ZM_CALIBRATE_OPTS_INIT;
    opts.wind_spread = NAN;
    CHECK(zm_calibrate(&land.land, &evidence, 1, &out, NULL, &opts, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "wind_spread"));
    evidence.latest = NULL;
    CHECK(zm_calibrate(&land.land, &evidence, 1, &out, NULL, NULL, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "latest"));
    evidence.latest = times;
    land.land.rows = -SIDE;
    CHECK(zm_calibrate(&land.land, &evidence, 1, &out, NULL, NULL, &err) == ZM_E_ARG);
    land.land.rows = SIDE;
    test_land_free(&land);
}

/* A struct whose size was never set is refused before it is read, one that is larger than the
 * library knows as well; results leave what lies beyond a smaller struct alone. */
TEST(structs_must_say_their_size)
{
    test_land land = test_land_level(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    const float truth[CELLS] = { 0, 1, 2, 3 };
    zm_physics_change change = ZM_PHYSICS_CHANGE_INIT;
    zm_calibration fit = { 0 };
    zm_score score = { 0 };
    zm_physics *physics = NULL;
    double T[CELLS];
    zm_error err;

    land.land.size = 0;
    CHECK(zm_physics_create(&physics, &land.land, NULL, &err) == ZM_E_ARG && !physics);
    CHECK_MSG(strstr(err.text, "zm_landscape"), "%s", err.text);
    land.land.size = sizeof land.land + 8;
    CHECK(zm_physics_create(&physics, &land.land, NULL, NULL) == ZM_E_ARG);
    land.land.size = sizeof land.land;
    CHECK(zm_physics_create(&physics, &land.land, NULL, NULL) == ZM_OK);
    fire.size = 0;
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 2, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "zm_fire"), "%s", err.text);
    fire.size = sizeof fire;
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 2, NULL) == ZM_OK);
    CHECK(zm_physics_arrival(physics, NULL, 0, 2, T, NULL) == ZM_OK);
    change.size = 0;
    CHECK(zm_physics_tangent(physics, &change, T, NULL) == ZM_E_ARG);
    CHECK(zm_physics_adjoint(physics, T, &change, NULL) == ZM_E_ARG);
    CHECK(zm_calibrate(&land.land, NULL, 0, &fit, NULL, NULL, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "zm_calibration"), "%s", err.text);
    CHECK(zm_score_fire(truth, truth, SIDE, SIDE, -1, -1, 3, &score, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "zm_score"), "%s", err.text);
    score.size = offsetof(zm_score, mae);
    score.mae = 77;
    CHECK(zm_score_fire(truth, truth, SIDE, SIDE, -1, -1, 3, &score, NULL) == ZM_OK);
    CHECK(score.relative_rmse == 0 && score.mae == 77);
    zm_physics_destroy(physics);
    test_land_free(&land);
}

/* A memory source that moves sources out of the landscape at the n-th request, as another thread
 * may at any time. */
typedef struct mover {
    zm_source *source;
    int left;
} mover;

static void *move_and_allocate(void *ctx, size_t bytes)
{
    mover *m = ctx;

    if (m->left-- == 0)
        m->source->row = m->source->col = 1e6;
    return malloc(bytes);
}

static void give_back(void *ctx, void *pointer)
{
    (void)ctx;
    free(pointer);
}

/* What is copied is what is checked: a source that has moved since then is not read again. */
TEST(sources_that_move_while_a_fire_is_lit_are_inside_or_refused)
{
    enum { MOST_BLOCKS = 60 };
    test_land land = test_land_level(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    double T[CELLS];

    for (int markers = 0; markers < 2; markers++) {
        int refused = 0;

        for (int left = 0; left < MOST_BLOCKS; left++) {
            zm_source source = { .row = 3, .col = 4 };
            mover m = { &source, 1 << 30 };
            zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
            zm_error err = { ZM_OK, -1, "" };
            zm_physics *physics = NULL;
            zm_status st;

            opts.mem = (zm_alloc){ &m, move_and_allocate, give_back };
            CHECK(zm_physics_create(&physics, &land.land, &opts, NULL) == ZM_OK);
            CHECK(zm_physics_set_fire(physics, &fire, NULL, 2, NULL) == ZM_OK);
            m.left = left;
            st = markers ? zm_physics_markers(physics, &source, 1, 0.5, T, NULL, &err)
                         : zm_physics_arrival(physics, &source, 1, 0.5, T, &err);
            CHECK_MSG(st == ZM_OK || st == ZM_E_SOURCE, "%s", err.text);
            refused += st == ZM_E_SOURCE;
            zm_physics_destroy(physics);
        }
        CHECK_MSG(refused == 1, "refused %d times", refused);
    }
    test_land_free(&land);
}
