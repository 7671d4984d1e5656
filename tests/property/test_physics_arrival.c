/* SPDX-License-Identifier: Apache-2.0
 * Fires on landscapes where the answer is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/physics.h"

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
 * The start, a plus of five cells, is late by 1/0.8 minutes.  The scheme is exact along the row
 * of the start, where the way is a grid line; the wind in the flames has six digits. */
TEST(steady_fires_are_the_ellipses_of_rothermel_and_anderson)
{
    enum { SIDE = 121, MIDDLE = 60, FAR = 40 };
    test_land land = test_land_level(SIDE, SIDE, 2);
    zm_weather_hour weather = { 25, 30, 12, 270, 0, 0 };
    zm_fire fire = test_fire(&land, &(zm_weather_hour[TEST_HOURS]){ { 0 } }[0]);
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    double *T = malloc(SIDE * SIDE * sizeof *T), late = 1 / 0.8 / 60, e, back;
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

        CHECK_NEAR(head * 60 * one.rate / far, 1, 1e-5);
        CHECK_NEAR(rear * 60 * back / near, 1, 1e-5);
    }
    /* north and south alike */
    for (int i = 1; i < FAR; i++)
        CHECK_NEAR(T[(MIDDLE - i) * SIDE + MIDDLE + i],
                   T[(MIDDLE + i) * SIDE + MIDDLE + i], 1e-9);
    free(T);
    test_land_free(&land);
}

/* A point fire covers R (t - 1/a) when it has reached its rate: all that follows the block of
 * the ignition, which burns at 0, is late by 1/a minutes against a fire at full speed.  One
 * hour of steady weather: times change by nothing else but rounding. */
TEST(fires_are_late_by_the_inverse_of_their_acceleration)
{
    enum { SIDE = 31, MIDDLE = 15 };
    static const double acceleration[3] = { 0.8, 0.3, 0.05 };
    test_land land = test_land_hills(SIDE, SIDE, 3);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    double *at_once = malloc(SIDE * SIDE * sizeof *at_once),
           *T = malloc(SIDE * SIDE * sizeof *T);

    CHECK(opts.acceleration == acceleration[0]);
    fire.hours = 1;
    opts.conditioning = 0;
    opts.acceleration = HUGE_VAL;
    CHECK(burn(&land, &fire, &opts, NULL, 1, at_once) == ZM_OK);
    for (int k = 0; k < 3; k++) {
        const double late = 1 / acceleration[k] / 60;
        int later = 0;

        opts.acceleration = acceleration[k];
        CHECK(burn(&land, &fire, &opts, NULL, 1, T) == ZM_OK);
        for (int i = 0; i < SIDE * SIDE; i++) {
            const bool lit = abs(i / SIDE - MIDDLE) <= 1 && abs(i % SIDE - MIDDLE) <= 1;

            if (lit)
                CHECK(T[i] == 0);
            else if (T[i] < INFINITY)
                CHECK_NEAR(T[i] - at_once[i], late, 1e-9);
            later += !lit && T[i] < INFINITY;
        }
        CHECK_MSG(later > 50, "%d cells", later);
    }
    free(at_once);
    free(T);
    test_land_free(&land);
}

/* Slowness next to ground that does not burn grows by the hindrance times its share among the
 * neighbours.  With a Gaussian of half a cell these weigh exp(-2) at the sides, exp(-4) at the
 * corners and 1 in the middle; all that burns is alike, so nothing else changes.  G is of the
 * square of the slowness, b of itself. */
TEST(ground_that_does_not_burn_hinders_its_neighbours)
{
    enum { SIDE = 9, MIDDLE = 4 };
    const double side = exp(-2), corner = exp(-4), all = 1 + 4 * side + 4 * corner;
    const double share[3] = { 0, side / all, corner / all }; /* by row and column off */
    test_land land = test_land_level(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    double open[5][SIDE * SIDE], bare[5][SIDE * SIDE];
    double *const before[5] = { open[0], open[1], open[2], open[3], open[4] },
                  *const after[5] = { bare[0], bare[1], bare[2], bare[3], bare[4] };

    for (int k = 0; k < 3; k++) {
        zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
        zm_physics *physics;

        CHECK(opts.smoothing == 0.5 && opts.hindrance == 6);
        opts.hindrance = 3.0 * k;
        for (int i = 0; i < 2; i++) {
            test_land_layer(&land, ZM_LAYER_FUEL)[MIDDLE * SIDE + MIDDLE] = i ? 99 : 2;
            CHECK(zm_physics_create(&physics, &land.land, &opts, NULL) == ZM_OK);
            CHECK(zm_physics_set_fire(physics, &fire, NULL, 1, NULL) == ZM_OK);
            CHECK(zm_physics_metric(physics, 0, i ? after : before, NULL, NULL) ==
                  ZM_OK);
            zm_physics_destroy(physics);
        }
        for (int i = 0; i < SIDE * SIDE; i++) {
            const int rows = abs(i / SIDE - MIDDLE), cols = abs(i % SIDE - MIDDLE);
            const double near = rows > 1 || cols > 1 ? 0 : share[rows + cols];
            const double slower = 1 + opts.hindrance * near;

            if (rows + cols == 0)
                continue;
            for (int p = 0; p < 5; p++)
                CHECK_NEAR(bare[p][i] / open[p][i], p < 3 ? slower * slower : slower,
                           1e-9);
        }
    }
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

/* Four hours in which it rains stop the fire; then it goes on from where it was. */
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
 * corners.  A cell of the diagonal has two sides and the corner between them in the fire, and
 * counts as burned when the last of these three is.  Where the wall goes straight on along the
 * last column a cell has a side and two corners, three neighbours in a row: not enough. */
TEST(fires_do_not_cross_walls_of_one_cell)
{
    enum { SIDE = 61 };
    test_land land = test_land_level(SIDE, SIDE, 1);
    float *fuel = test_land_layer(&land, ZM_LAYER_FUEL);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    double *T = malloc(SIDE * SIDE * sizeof *T);
    int reached = 0, closed = 0;

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
    for (int r = 0; r < SIDE; r++) {
        const int i = r * SIDE + (r + 8 < SIDE ? r + 8 : SIDE - 1);

        if (r + 8 < SIDE - 1) {
            CHECK(T[i] == fmax(fmax(T[i - 1], T[i + SIDE]), T[i + SIDE - 1]));
            closed += T[i] < INFINITY;
        } else {
            CHECK(T[i - 1] < INFINITY && !(T[i] < INFINITY));
        }
    }
    CHECK_MSG(closed > 20, "%d cells of the wall", closed);
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
