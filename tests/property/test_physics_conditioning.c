/* SPDX-License-Identifier: Apache-2.0
 * Hours before a fire condition its fuel: the fire finds the moisture that one has which has
 * gone on for as long, and derivatives go through them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/physics.h"

enum { SIDE = 21, CELLS = SIDE * SIDE, EARLIER = 5 };

static zm_physics *model_of(const test_land *land, int32_t classes)
{
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    zm_physics *p;

    opts.moisture_classes = classes;
    return zm_physics_create(&p, &land->land, &opts, NULL) == ZM_OK ? p : NULL;
}

/* The fire five hours later, which knows of the five. */
static zm_fire later(const zm_fire *fire)
{
    zm_fire f = *fire;

    f.start_hour += EARLIER;
    f.earlier = fire->weather;
    f.earlier_hours = EARLIER;
    f.weather = fire->weather + EARLIER;
    f.hours = fire->hours - EARLIER;
    return f;
}

TEST(conditioned_fuel_is_that_of_a_fire_that_has_gone_on_for_as_long)
{
    test_land land = test_land_hills(SIDE, SIDE, 3);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather), conditioned = later(&fire);
    double *planes = malloc(6 * CELLS * sizeof *planes);
    double *const a[3] = { planes, planes + CELLS, planes + 2 * CELLS },
                  *const b[3] = { planes + 3 * CELLS, planes + 4 * CELLS,
                                  planes + 5 * CELLS };
    zm_error err;

    weather[2].rain = 3;
    for (int32_t classes = 0; classes < 2; classes++) {
        zm_physics *p = model_of(&land, classes), *q = model_of(&land, classes);

        CHECK(zm_physics_set_fire(p, &fire, NULL, TEST_HOURS, &err) == ZM_OK);
        CHECK_MSG(zm_physics_set_fire(q, &conditioned, NULL, TEST_HOURS - EARLIER,
                                      &err) == ZM_OK,
                  "%s", err.text);
        CHECK(zm_physics_hours(q) == TEST_HOURS - EARLIER);
        for (int32_t k = 0; k < TEST_HOURS - EARLIER; k++) {
            CHECK(zm_physics_moisture(p, k + EARLIER, a, &err) == ZM_OK);
            CHECK(zm_physics_moisture(q, k, b, &err) == ZM_OK);
            CHECK(!memcmp(planes, planes + 3 * CELLS, 3 * CELLS * sizeof *planes));
        }
        CHECK(zm_physics_moisture(q, TEST_HOURS - EARLIER, b, &err) == ZM_E_ARG);
        zm_physics_destroy(p);
        zm_physics_destroy(q);
    }
    free(planes);
    test_land_free(&land);
}

TEST(the_sun_follows_the_clock_that_is_told)
{
    test_land land = test_land_hills(SIDE, SIDE, 4);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather), ahead = fire;
    double *planes = malloc(6 * CELLS * sizeof *planes);
    double *const a[3] = { planes, planes + CELLS, planes + 2 * CELLS },
                  *const b[3] = { planes + 3 * CELLS, planes + 4 * CELLS,
                                  planes + 5 * CELLS };
    zm_physics *p = model_of(&land, 1);
    zm_error err;

    ahead.start_hour = 22; /* on a clock 8 hours ahead of the sun's */
    ahead.sun_ahead = fire.start_hour - 22;
    CHECK(zm_physics_set_fire(p, &fire, NULL, 3, &err) == ZM_OK);
    CHECK(zm_physics_moisture(p, 2, a, &err) == ZM_OK);
    CHECK(zm_physics_set_fire(p, &ahead, NULL, 3, &err) == ZM_OK);
    CHECK(zm_physics_moisture(p, 2, b, &err) == ZM_OK);
    CHECK(!memcmp(planes, planes + 3 * CELLS, 3 * CELLS * sizeof *planes));
    ahead.sun_ahead = 30;
    CHECK(zm_physics_set_fire(p, &ahead, NULL, 3, &err) == ZM_E_ARG);
    zm_physics_destroy(p);
    free(planes);
    test_land_free(&land);
}

TEST(derivatives_go_through_the_earlier_hours)
{
    test_land land = test_land_hills(SIDE, SIDE, 5);
    zm_weather_hour weather[TEST_HOURS], d_weather[TEST_HOURS] = { { 0 } };
    const zm_fire whole = test_fire(&land, weather);
    zm_fire fire = later(&whole);
    zm_physics_change change = ZM_PHYSICS_CHANGE_INIT, back = ZM_PHYSICS_CHANGE_INIT;
    zm_weather_hour gradient[TEST_HOURS] = { { 0 } };
    double *T = malloc(4 * CELLS * sizeof *T), *up = T + CELLS, *down = up + CELLS,
           *dT = down + CELLS;
    const double h = 1e-4;
    double most = 0, sum = 0, dot;
    zm_physics *p = model_of(&land, 1);
    zm_error err;

    change.moisture = (zm_fuel_moisture){ 0.5, 1, -1, 0, 0 };
    change.weather = d_weather;
    d_weather[1].humidity = 2;
    for (int side = -1; side <= 1; side += 2) {
        zm_fire moved = fire;
        zm_weather_hour changed[TEST_HOURS];

        memcpy(changed, fire.weather, fire.hours * sizeof *changed);
        changed[1].humidity += side * h * 2;
        moved.weather = changed;
        moved.moisture.dead_1h += side * h * 0.5;
        moved.moisture.dead_10h += side * h;
        moved.moisture.dead_100h -= side * h;
        CHECK(zm_physics_set_fire(p, &moved, NULL, 6, &err) == ZM_OK);
        CHECK(zm_physics_arrival(p, NULL, 0, 6, side < 0 ? down : up, &err) >= 0);
    }
    CHECK(zm_physics_set_fire(p, &fire, NULL, 6, &err) == ZM_OK);
    CHECK(zm_physics_arrival(p, NULL, 0, 6, T, &err) >= 0);
    CHECK(zm_physics_tangent(p, &change, dT, &err) == ZM_OK);
    for (int i = 0; i < CELLS; i++) {
        if (!isfinite(up[i]) || !isfinite(down[i]) || !isfinite(T[i]))
            continue;
        most = fmax(most, fabs(dT[i]));
        CHECK_NEAR(dT[i], (up[i] - down[i]) / (2 * h), 2e-3);
        sum += dT[i];
    }
    CHECK(most > 1e-3);
    back.weather = gradient;
    for (int i = 0; i < CELLS; i++)
        up[i] = isfinite(T[i]) ? 1 : 0;
    CHECK(zm_physics_adjoint(p, up, &back, &err) == ZM_OK);
    dot = back.moisture.dead_1h * 0.5 + back.moisture.dead_10h -
          back.moisture.dead_100h + 2 * gradient[1].humidity;
    CHECK_NEAR(dot, sum, 1e-8 * fmax(1, fabs(sum)));
    zm_physics_destroy(p);
    free(T);
    test_land_free(&land);
}
