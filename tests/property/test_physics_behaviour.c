/* SPDX-License-Identifier: Apache-2.0
 * Behaviour of fire: its maps agree with the laws and with the times. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "fire/science/cell_fire.h"
#include "support/landscapes.h"
#include "zermelo/fire/physics.h"

enum { SIDE = 61, CELLS = SIDE * SIDE, MIDDLE = SIDE / 2 };

/* Level ground, or a slope up to the north, in a steady wind from the west. */
typedef struct world {
    test_land land;
    zm_weather_hour weather;
    zm_fire fire;
    zm_physics *physics;
    float T[CELLS], rate[CELLS], flame[CELLS], intensity[CELLS], heat[CELLS],
        direction[CELLS], activity[CELLS];
    zm_behaviour_planes planes;
} world;

static world *world_new(zm_crown_model crown, double wind, float slope, float cover,
                        float density)
{
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    world *w = calloc(1, sizeof *w);

    w->land = test_land_level(SIDE, SIDE, 2);
    for (int i = 0; i < CELLS; i++) {
        test_land_layer(&w->land, ZM_LAYER_SLOPE)[i] = slope;
        test_land_layer(&w->land, ZM_LAYER_ASPECT)[i] = 180;
        test_land_layer(&w->land, ZM_LAYER_COVER)[i] = cover;
        test_land_layer(&w->land, ZM_LAYER_HEIGHT)[i] = 15;
        test_land_layer(&w->land, ZM_LAYER_BASE)[i] = 2;
        test_land_layer(&w->land, ZM_LAYER_DENSITY)[i] = density;
    }
    w->weather = (zm_weather_hour){ 30, 20, wind, 270, 0, 0 };
    w->fire = (zm_fire)ZM_FIRE_INIT;
    w->fire.row = w->fire.col = MIDDLE;
    w->fire.weather = &w->weather;
    w->fire.hours = 1;
    w->planes = (zm_behaviour_planes){ w->rate, w->flame,     w->intensity,
                                       w->heat, w->direction, w->activity };
    opts.crown = crown;
    opts.conditioning = 0;
    opts.acceleration = HUGE_VAL;
    if (zm_physics_emulate(&opts, ZM_EMULATE_NONE, NULL) != ZM_OK ||
        zm_physics_create(&w->physics, &w->land.land, &opts, NULL) != ZM_OK ||
        zm_physics_set_fire(w->physics, &w->fire, NULL, 6, NULL) != ZM_OK)
        abort();
    return w;
}

static void world_free(world *w)
{
    zm_physics_destroy(w->physics);
    test_land_free(&w->land);
    free(w);
}

/* On the ground alone a heading fire is one point of Rothermel's model, whose intensity and flames
 * zm_surface_fire_of has from the same laws by a way of its own: to the rounding of floats. */
TEST(potential_is_that_of_a_heading_surface_fire)
{
    static const struct {
        double wind;
        float slope;
    } cases[] = { { 0, 0 }, { 12, 0 }, { 0, 25 }, { 18, 20 }, { 30, 8 } };
    const zm_fuel_moisture dry = ZM_MOISTURE_DEFAULT;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        world *w = world_new(ZM_CROWN_NONE, cases[k].wind, cases[k].slope, 0, 0.1F);
        zm_surface_fire f;
        /* sheltered by nothing, over a bed of 1 ft; 0.5402 mph at 20 ft of a km/h at 10 m */
        const double midflame =
            cases[k].wind * 0.5402 * 1.609344 * zm_wind_reduction(1, 0, 15);

        CHECK(zm_physics_potential(w->physics, 0.5, &w->planes, NULL) == ZM_OK);
        CHECK(zm_surface_fire_of(zm_fuel_published(2), &dry, midflame, 270,
                                 (double)cases[k].slope, 180, &f, NULL) == ZM_OK);
        CHECK_NEAR(w->rate[7], f.rate, 1e-3 * f.rate);
        CHECK_NEAR(w->intensity[7], f.fireline_intensity, 1e-3 * f.fireline_intensity);
        CHECK_NEAR(w->flame[7], f.flame_length, 1e-3 * f.flame_length);
        CHECK_NEAR(w->heat[7] * w->rate[7] / 60, w->intensity[7], 1e-4 * f.fireline_intensity);
        if (cases[k].wind > 0 || cases[k].slope > 0)
            CHECK_NEAR(w->direction[7], f.heading, 0.01);
        CHECK(w->activity[7] == (float)ZM_ACTIVITY_SURFACE);
        world_free(w);
    }
}

/* On uniform ground every way is straight, so that the rate in its direction is the distance over the
 * time, and the direction leads away from the ignition.  Differences of times tell the direction to
 * some degrees, and times of first order are late by some per cent: 6 %, beyond 8 cells. */
TEST(behaviour_at_arrival_is_distance_over_time_away_from_the_ignition)
{
    world *w = world_new(ZM_CROWN_NONE, 6, 0, 0, 0.1F);
    size_t tried = 0;
    const zm_source middle = { MIDDLE, MIDDLE, 0 };

    CHECK(zm_physics_burn(w->physics, &w->fire, NULL, &middle, 1, 6, 6, NULL, w->T, NULL) ==
          ZM_OK);
    CHECK(zm_physics_behaviour(w->physics, w->T, &w->planes, NULL) == ZM_OK);
    for (int row = 2; row < SIDE - 2; row++)
        for (int col = 2; col < SIDE - 2; col++) {
            const int i = row * SIDE + col;
            const double y = row - MIDDLE, x = col - MIDDLE, far = hypot(x, y);
            const double away = atan2(x, -y) * 180 / 3.14159265358979;

            if (!isfinite(w->T[i])) {
                CHECK(w->rate[i] == 0 && w->activity[i] == 0);
                continue;
            }
            CHECK_NEAR(w->flame[i], 0.0775 * pow((double)w->intensity[i], 0.46), 1e-4);
            if (far < 8)
                continue;
            tried++;
            CHECK_NEAR(w->rate[i], far * w->land.land.cell / ((double)w->T[i] * 60),
                       0.06 * (double)w->rate[i]);
            CHECK(fabs(remainder((double)w->direction[i] - away, 360)) < 12);
        }
    CHECK_MSG(tried > 300, "%zu cells", tried);
    world_free(w);
}

/* Under a canopy more wind never makes crowns quieter, and each state comes: surface, passive, active;
 * crowns that burn add heat.  Both crown models. */
TEST(crowns_catch_fire_and_carry_it_as_the_wind_rises)
{
    static const zm_crown_model models[2] = { ZM_CROWN_FINNEY, ZM_CROWN_SCOTT_REINHARDT };
    static const float density[2] = { 0.2F, 0.06F }; /* of which both states have a range of winds */

    for (int m = 0; m < 2; m++) {
        int seen[4] = { 0 }, last = 0;
        float ground = 0;

        for (double wind = 0; wind <= 120; wind += 4) {
            world *w = world_new(models[m], wind, 0, 40, density[m]);
            int now;

            CHECK(zm_physics_potential(w->physics, 0, &w->planes, NULL) == ZM_OK);
            now = (int)w->activity[9];
            CHECK(now >= last && now <= 3);
            if (now == ZM_ACTIVITY_SURFACE)
                ground = w->heat[9];
            else
                CHECK(w->heat[9] > ground);
            if (now == ZM_ACTIVITY_ACTIVE)
                CHECK_NEAR(w->flame[9],
                           0.3048 * 0.2 * pow((double)w->intensity[9] / 3.4613, 2. / 3),
                           1e-3 * (double)w->flame[9]);
            seen[now]++;
            last = now;
            world_free(w);
        }
        CHECK_MSG(seen[1] && seen[2] && seen[3], "model %d: %d %d %d", m, seen[1], seen[2],
                  seen[3]);
    }
}

TEST(behaviour_is_refused_without_a_fire_and_beyond_its_hours)
{
    world *w = world_new(ZM_CROWN_NONE, 5, 0, 0, 0.1F);
    zm_physics *without;
    zm_error err;

    CHECK(zm_physics_potential(w->physics, -1, &w->planes, &err) == ZM_E_ARG);
    CHECK(zm_physics_potential(w->physics, 6.5, &w->planes, &err) == ZM_E_ARG);
    CHECK(zm_physics_create(&without, &w->land.land, NULL, NULL) == ZM_OK);
    CHECK(zm_physics_behaviour(without, w->T, &w->planes, &err) == ZM_E_STATE);
    CHECK(zm_physics_potential(without, 0, &w->planes, &err) == ZM_E_STATE);
    zm_physics_destroy(without);
    world_free(w);
}
