/* SPDX-License-Identifier: Apache-2.0
 * Fires on landscapes where the answer is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/physics.h"

static zm_status burn(const test_land *land, const zm_fire *fire,
                      const zm_physics_opts *opts, const zm_physics_params *params,
                      double horizon, double *T)
{
    zm_physics *physics;
    zm_status st = zm_physics_create(&physics, &land->land, opts, NULL);

    if (st == ZM_OK)
        st = zm_physics_set_fire(physics, fire, params, horizon, NULL);
    if (st == ZM_OK)
        st = zm_physics_arrival(physics, NULL, 0, horizon, T, NULL);
    zm_physics_destroy(physics);
    return st;
}

/* One fuel on level ground in a steady wind, moisture as at ignition: the head, flank and back
 * of the ellipse run with the rates that zm_surface_fire_of gives for the wind in the flames.
 * The start, a plus of five cells, is late by 1/0.3 minutes; the scheme is of first order, so
 * that 40 cells away 2 % remain, of the slowest rate more. */
TEST(steady_fires_are_the_ellipses_of_rothermel_and_anderson)
{
    enum { SIDE = 121, MIDDLE = 60, FAR = 40 };
    test_land land = test_land_level(SIDE, SIDE, 2);
    zm_weather_hour weather = { 25, 30, 12, 270, 0, 0 };
    zm_fire fire = test_fire(&land, &(zm_weather_hour[TEST_HOURS]){ { 0 } }[0]);
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    double *T = malloc(SIDE * SIDE * sizeof *T), late = 1 / 0.3 / 60, e, back;
    zm_surface_fire one;

    fire.weather = &weather;
    fire.hours = 1;
    opts.conditioning = 0;
    CHECK(burn(&land, &fire, &opts, NULL, 20, T) == ZM_OK);
    /* 10 m wind in km/h to mph at 20 ft to the flames in 1 ft of grass */
    CHECK(zm_surface_fire_of(zm_fuel_published(2), &fire.moisture,
                             12 * 0.5402 * 0.362674 * 1.609344, 270, 0, 0, &one,
                             NULL) == ZM_OK);
    CHECK_NEAR(one.heading, 90, 1e-9);
    e = sqrt(1 - 1 / (one.length_to_breadth * one.length_to_breadth));
    back = one.rate * (1 - e) / (1 + e);
    {
        const double head = T[MIDDLE * SIDE + MIDDLE + FAR] - late;
        const double rear = T[MIDDLE * SIDE + MIDDLE - FAR / 4] - late;
        const double far = 30.0 * (FAR - 1), near = 30.0 * (FAR / 4 - 1);

        CHECK_NEAR(head * 60 * one.rate / far, 1, 0.02);
        CHECK_NEAR(rear * 60 * back / near, 1, 0.03);
    }
    /* north and south alike */
    for (int i = 1; i < FAR; i++)
        CHECK_NEAR(T[(MIDDLE - i) * SIDE + MIDDLE + i],
                   T[(MIDDLE + i) * SIDE + MIDDLE + i], 1e-9);
    free(T);
    test_land_free(&land);
}

/* Turning wind and landscape together turns the fire: a quarter turn maps cells to cells, and
 * the level landscape to itself. */
TEST(fires_turn_with_the_wind)
{
    enum { SIDE = 41 };
    test_land land = test_land_level(SIDE, SIDE, 102);
    zm_weather_hour west = { 25, 30, 20, 270, 0, 0 }, north = { 25, 30, 20, 0, 0, 0 };
    zm_fire fire = test_fire(&land, &(zm_weather_hour[TEST_HOURS]){ { 0 } }[0]);
    double *a = malloc(SIDE * SIDE * sizeof *a), *b = malloc(SIDE * SIDE * sizeof *b);
    size_t reached = 0;

    fire.hours = 1;
    fire.weather = &west;
    CHECK(burn(&land, &fire, NULL, NULL, 3, a) == ZM_OK);
    fire.weather = &north;
    CHECK(burn(&land, &fire, NULL, NULL, 3, b) == ZM_OK);
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) {
            const double x = a[r * SIDE + c], y = b[c * SIDE + (SIDE - 1 - r)];

            if (x < INFINITY || y < INFINITY)
                CHECK_NEAR(x, y, 1e-9 * (1 + x));
            reached += x < INFINITY;
        }
    CHECK(reached > 100);
    free(a);
    free(b);
    test_land_free(&land);
}

/* Six hours in which it rains stop the fire; then it goes on from where it was. */
TEST(a_fire_stops_in_the_rain_and_goes_on_after)
{
    enum { SIDE = 61, HOURS = 16 };
    test_land land = test_land_level(SIDE, SIDE, 8);
    zm_weather_hour weather[HOURS];
    zm_fire fire = test_fire(&land, &(zm_weather_hour[TEST_HOURS]){ { 0 } }[0]);
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    double *T = malloc(SIDE * SIDE * sizeof *T);
    int before = 0, during = 0, after = 0;

    for (int k = 0; k < HOURS; k++)
        weather[k] = (zm_weather_hour){ 25, 30, 25, 200, 0, k >= 4 && k < 8 ? 5 : 0 };
    fire.weather = weather;
    fire.hours = HOURS;
    fire.start_hour = 8;
    opts.crown = 0;
    CHECK(burn(&land, &fire, &opts, NULL, HOURS, T) == ZM_OK);
    for (int i = 0; i < SIDE * SIDE; i++) {
        before += T[i] < 4;
        during += T[i] >= 4.01 && T[i] < 8;
        after += T[i] >= 8 && T[i] < INFINITY;
    }
    CHECK_MSG(before > 20 && during == 0 && after > 20,
              "%d before, %d during, %d after", before, during, after);
    free(T);
    test_land_free(&land);
}

/* A wall of one cell, also a diagonal one, holds a fire: it neither jumps nor leaks between
 * corners.  Cells of the wall with half their neighbours burned count as burned, no others. */
TEST(fires_do_not_cross_walls_of_one_cell)
{
    enum { SIDE = 61 };
    test_land land = test_land_level(SIDE, SIDE, 1);
    float *fuel = test_land_layer(&land, ZM_LAYER_FUEL);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    double *T = malloc(SIDE * SIDE * sizeof *T);
    int reached = 0;

    for (int i = 0; i < SIDE; i++)
        fuel[i * SIDE + (i + 8 < SIDE ? i + 8 : SIDE - 1)] = 98;
    CHECK(burn(&land, &fire, NULL, NULL, 6, T) == ZM_OK);
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) {
            const bool beyond = c > r + 8;

            reached += T[r * SIDE + c] < INFINITY;
            if (beyond)
                CHECK(!(T[r * SIDE + c] < INFINITY));
        }
    CHECK(reached > 1000);
    opts.enclosed = 0;
    CHECK(burn(&land, &fire, &opts, NULL, 6, T) == ZM_OK);
    for (int i = 0; i + 8 < SIDE; i++)
        CHECK(!(T[i * SIDE + i + 8] < INFINITY));
    free(T);
    test_land_free(&land);
}

/* Rates twice as high halve all times but the delay at the start, in one hour for ever. */
TEST(doubling_all_rates_halves_all_times)
{
    enum { SIDE = 41 };
    test_land land = test_land_hills(SIDE, SIDE, 3);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    double *a = malloc(SIDE * SIDE * sizeof *a), *b = malloc(SIDE * SIDE * sizeof *b);
    double factor[ZM_FUEL_NUMBERS];
    int reached = 0;

    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        factor[k] = 2;
    params.fuel_factor = factor;
    opts.conditioning = 0;
    opts.acceleration = HUGE_VAL;
    fire.hours = 1;
    CHECK(burn(&land, &fire, &opts, NULL, 8, a) == ZM_OK);
    CHECK(burn(&land, &fire, &opts, &params, 8, b) == ZM_OK);
    for (int i = 0; i < SIDE * SIDE; i++)
        if (a[i] < INFINITY) {
            CHECK_NEAR(b[i], a[i] / 2, 1e-9 * (1 + a[i]));
            reached++;
        }
    CHECK(reached > 300);
    free(a);
    free(b);
    test_land_free(&land);
}

/* An observed perimeter is a set of sources with their times; a restart at a time inside an
 * hour goes on as the fire did.  Cells burned by then are the sources at their own times: the
 * same donors give the same times.  The corners of the block have time 0 by decree. */
TEST(a_restart_from_the_burned_area_goes_on_as_before)
{
    enum { SIDE = 51 };
    test_land land = test_land_hills(SIDE, SIDE, 11);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    zm_source *sources = malloc(SIDE * SIDE * sizeof *sources);
    double *T = malloc(SIDE * SIDE * sizeof *T),
           *again = malloc(SIDE * SIDE * sizeof *T);
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    zm_physics *physics;
    size_t n = 0, later = 0;

    opts.enclosed = 0;
    opts.acceleration = HUGE_VAL;
    CHECK(zm_physics_create(&physics, &land.land, &opts, NULL) == ZM_OK);
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 6, NULL) == ZM_OK);
    CHECK(zm_physics_arrival(physics, NULL, 0, 6, T, NULL) == ZM_OK);
    for (int i = 0; i < SIDE * SIDE; i++)
        if (T[i] <= 1.7 && (T[i] > 0 || i / SIDE == fire.row || i % SIDE == fire.col))
            sources[n++] = (zm_source){ i / SIDE, i % SIDE, T[i] };
    CHECK(zm_physics_arrival(physics, sources, n, 6, again, NULL) == ZM_OK);
    for (int i = 0; i < SIDE * SIDE; i++)
        if (T[i] < INFINITY) {
            later += T[i] > 1.7;
            if (!(T[i] == 0))
                CHECK_NEAR(again[i], T[i], 1e-9);
        }
    CHECK(n > 50 && later > 300);
    zm_physics_destroy(physics);
    free(sources);
    free(T);
    free(again);
    test_land_free(&land);
}

/* Wrong input is refused with a message that names it. */
TEST(bad_fires_and_landscapes_are_refused)
{
    test_land land = test_land_level(9, 9, 1);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather), bad;
    zm_physics *physics = NULL;
    zm_error err = { 0 };
    double T[81];

    CHECK(zm_physics_create(&physics, &land.land, NULL, NULL) == ZM_OK);
    CHECK(zm_physics_arrival(physics, NULL, 0, 1, T, &err) == ZM_E_STATE);
    bad = fire;
    bad.row = 9;
    CHECK(zm_physics_set_fire(physics, &bad, NULL, 5, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "row 9"));
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 0, &err) == ZM_E_ARG);
    weather[3].humidity = NAN;
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 5, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "hour 3"));
    zm_physics_destroy(physics);
    test_land_layer(&land, ZM_LAYER_SLOPE)[40] = 95;
    CHECK(zm_physics_create(&physics, &land.land, NULL, &err) == ZM_E_ARG);
    CHECK(!physics && err.cell == 40 && strstr(err.text, "slope"));
    test_land_free(&land);
}
