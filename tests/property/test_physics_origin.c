/* SPDX-License-Identifier: Apache-2.0
 * Fires are found where and when they began, from two perimeters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/origin.h"

enum { SIDE = 45, CELLS = SIDE * SIDE, LATE = 2 };

/** A fire that begins in a cell LATE hours after the clock does, and what is seen of it. */
typedef struct seen_fire {
    test_land land;
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire;
    uint8_t first[CELLS];
    zm_sighting sightings[2 * CELLS];
    size_t n;
} seen_fire;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Perimeters are those of 60 and 250 cells; rates are `rate` times those of the model. */
static seen_fire *fire_make(int row, int col, double rate)
{
    seen_fire *s = calloc(1, sizeof *s);
    const zm_source source = { row, col, LATE };
    double T[CELLS], sorted[CELLS], factor[ZM_FUEL_NUMBERS];
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_physics *model;

    s->land = test_land_level(SIDE, SIDE, 1);
    for (int r = 0; r < SIDE; r++) /* a river with a ford */
        test_land_layer(&s->land, ZM_LAYER_FUEL)[r * SIDE + 28] = r == 24 ? 1 : 98;
    s->fire = test_fire(&s->land, s->weather);
    for (int k = 0; k < TEST_HOURS;
         k++) { /* dry and always alike: the fire does not rest */
        s->weather[k].temperature = 30;
        s->weather[k].humidity = 25;
    }
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        factor[k] = rate;
    params.fuel_factor = factor;
    if (zm_physics_create(&model, &s->land.land, NULL, NULL) != ZM_OK ||
        zm_physics_set_fire(model, &s->fire, &params, TEST_HOURS, NULL) != ZM_OK ||
        zm_physics_arrival(model, &source, 1, HUGE_VAL, T, NULL) != ZM_OK)
        abort();
    zm_physics_destroy(model);
    memcpy(sorted, T, sizeof sorted);
    qsort(sorted, CELLS, sizeof *sorted, by_value);
    for (int k = 0; k < 2; k++) {
        const double hour = sorted[k ? 250 : 60];
        uint8_t mask[CELLS];

        for (int i = 0; i < CELLS; i++)
            mask[i] = T[i] <= hour;
        s->n += zm_perimeter_sightings(&s->land.land, mask, hour, s->sightings + s->n);
        if (k == 0)
            memcpy(s->first, mask, sizeof mask);
    }
    return s;
}

static void fire_free(seen_fire *s)
{
    test_land_free(&s->land);
    free(s);
}

static zm_status find(const seen_fire *s, int32_t threads, float *likely,
                      zm_origin_estimate *out)
{
    zm_origin_opts opts = ZM_ORIGIN_OPTS_INIT;

    opts.threads = threads;
    opts.candidates = 16;
    *out = (zm_origin_estimate)ZM_ORIGIN_ESTIMATE_INIT;
    return zm_origin_find(&s->land.land, &s->fire, s->sightings, s->n, s->first, NULL,
                          &opts, likely, out, NULL);
}

/* A cell of the edge is up to one cell behind the front, so places are known to a cell or two; the start to
 * the time that the front takes for these, and 0.9 of the rates to what the start leaves open. */
TEST(fires_are_found_where_and_when_they_began)
{
    static const int at[3][2] = { { 22, 22 }, { 17, 26 }, { 27, 19 } };
    double errors[3];

    for (int k = 0; k < 3; k++) {
        seen_fire *s = fire_make(at[k][0], at[k][1], k == 2 ? 0.9 : 1);
        zm_origin_estimate e;

        CHECK(find(s, 1, NULL, &e) == ZM_OK);
        errors[k] = hypot(e.row - at[k][0], e.col - at[k][1]);
        CHECK_MSG(errors[k] <= 3, "fire %d: %g cells", k, errors[k]);
        CHECK_MSG(hypot(e.mean_row - at[k][0], e.mean_col - at[k][1]) <=
                      e.radius_90 + 1,
                  "fire %d: radius %g", k, e.radius_90);
        CHECK_MSG(fabs(e.hour - LATE) <= 0.3 + 2 * e.hour_deviation,
                  "fire %d: hour %g, deviation %g", k, e.hour, e.hour_deviation);
        CHECK(e.sightings == (int64_t)s->n && e.solves > 0);
        fire_free(s);
    }
    qsort(errors, 3, sizeof *errors, by_value);
    CHECK_MSG(errors[1] <= 2, "median error %g", errors[1]);
}

/* Threads take places from one list, and what a place tells depends on nothing but itself. */
TEST(threads_do_not_change_an_origin)
{
    seen_fire *s = fire_make(22, 22, 1);
    float *one = malloc(2 * CELLS * sizeof *one), *two = one + CELLS;
    zm_origin_estimate a, b;
    double sum = 0;

    CHECK(find(s, 1, one, &a) == ZM_OK && find(s, 3, two, &b) == ZM_OK);
    CHECK(!memcmp(one, two, CELLS * sizeof *one));
    CHECK(a.row == b.row && a.col == b.col && a.hour == b.hour &&
          a.radius_90 == b.radius_90 && a.solves == b.solves);
    for (int i = 0; i < CELLS; i++)
        sum += (double)one[i];
    CHECK_NEAR(sum, 1, 1e-5);
    free(one);
    fire_free(s);
}

TEST(sightings_that_tell_nothing_are_refused)
{
    seen_fire *s = fire_make(22, 22, 1);
    zm_origin_estimate e = ZM_ORIGIN_ESTIMATE_INIT;
    zm_origin_opts opts = ZM_ORIGIN_OPTS_INIT;
    uint8_t nowhere[CELLS] = { 0 };
    zm_error err;

    CHECK(zm_origin_find(&s->land.land, &s->fire, s->sightings, 2, NULL, NULL, NULL,
                         NULL, &e, &err) == ZM_E_ARG);
    CHECK(zm_origin_find(&s->land.land, &s->fire, s->sightings, s->n, nowhere, NULL,
                         NULL, NULL, &e, &err) == ZM_E_SOURCE);
    opts.since = 100;
    CHECK(zm_origin_find(&s->land.land, &s->fire, s->sightings, s->n, NULL, NULL, &opts,
                         NULL, &e, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "after hour 100"));
    fire_free(s);
}
