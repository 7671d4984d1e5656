/* SPDX-License-Identifier: Apache-2.0
 * The fire model gives back all memory, and says so when there is none. */
#include <stdlib.h>

#include "check.h"
#include "support/counted.h"
#include "support/landscapes.h"
#include "zermelo/fire/risk.h"
#include "zermelo/fire/ways.h"

enum { SIDE = 24 };

static zm_status all_of_it(const test_land *land, const zm_fire *fire, counter *c,
                           double *T, double *dT, zm_error *err)
{
    zm_physics_change change = { .size = sizeof change, .wind_factor = 1 };
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    zm_physics *model;
    zm_status st;

    opts.mem = counted(c);
    st = zm_physics_create(&model, &land->land, &opts, err);
    if (st == ZM_OK)
        st = zm_physics_set_fire(model, fire, NULL, 1, err);
    if (st == ZM_OK)
        st = zm_physics_arrival(model, NULL, 0, 0.5, T, err);
    if (st == ZM_OK)
        st = zm_physics_tangent(model, &change, dT, err);
    if (st == ZM_OK)
        st = zm_physics_adjoint(model, dT, &change, err);
    zm_physics_destroy(model);
    return st;
}

/* Each request for memory in turn is refused. */
TEST(every_lack_of_memory_is_told_and_nothing_is_kept)
{
    test_land land = test_land_hills(SIDE, SIDE, 4);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    double T[SIDE * SIDE], dT[SIDE * SIDE];
    counter all = { 0 };
    zm_error err;

    CHECK(all_of_it(&land, &fire, &all, T, dT, &err) == ZM_OK);
    CHECK(all.live == 0 && all.requests > 20);
    for (size_t i = 1; i <= all.requests; i++) {
        counter c = { .refuse = i };
        const zm_status st = all_of_it(&land, &fire, &c, T, dT, &err);

        CHECK_MSG(st == ZM_E_NOMEM, "request %zu of %zu: status %d", i, all.requests,
                  st);
        CHECK_MSG(c.live == 0, "request %zu: %zu blocks kept", i, c.live);
    }
    test_land_free(&land);
}

/* Planes of an hour and their derivatives, on a model that has not burned yet. */
static zm_status all_planes(const test_land *land, const zm_fire *fire, counter *c,
                            double (*planes)[SIDE * SIDE], int which)
{
    double *const plane[5] = { planes[0], planes[1], planes[2], planes[3], planes[4] };
    const double *const weight[5] = { planes[0], planes[0], planes[0], planes[0],
                                      planes[0] };
    zm_physics_change change = { .size = sizeof change, .wind_factor = 1 };
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    zm_physics *model;
    zm_status st;

    for (int i = 0; i < SIDE * SIDE; i++)
        planes[0][i] = 1;
    opts.mem = counted(c);
    st = zm_physics_create(&model, &land->land, &opts, NULL);
    if (st == ZM_OK)
        st = zm_physics_set_fire(model, fire, NULL, 1, NULL);
    if (st == ZM_OK && which == 0)
        st = zm_physics_metric(model, 0, plane, NULL, NULL);
    if (st == ZM_OK && which == 1)
        st = zm_physics_metric_tangent(model, 0, &change, plane, NULL);
    if (st == ZM_OK && which == 2)
        st = zm_physics_metric_adjoint(model, 0, weight, &change, NULL);
    zm_physics_destroy(model);
    return st;
}

TEST(planes_and_their_derivatives_are_never_made_of_what_is_missing)
{
    test_land land = test_land_hills(SIDE, SIDE, 4);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    static double planes[5][SIDE * SIDE];

    for (int which = 0; which < 3; which++) {
        counter all = { 0 };

        CHECK(all_planes(&land, &fire, &all, planes, which) == ZM_OK);
        for (size_t i = 1; i <= all.requests; i++) {
            counter c = { .refuse = i };
            const zm_status st = all_planes(&land, &fire, &c, planes, which);

            CHECK_MSG(st == ZM_E_NOMEM, "call %d, request %zu of %zu: status %d", which,
                      i, all.requests, st);
            CHECK_MSG(c.live == 0, "request %zu: %zu blocks kept", i, c.live);
        }
    }
    test_land_free(&land);
}

/* What found no memory once is made anew when the fire is set again. */
TEST(a_model_works_again_when_there_is_memory_again)
{
    test_land land = test_land_hills(SIDE, SIDE, 4);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    double T[SIDE * SIDE];

    for (size_t later = 1; later < 12; later++) {
        zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
        counter c = { 0 };
        zm_physics *model;

        opts.mem = counted(&c);
        CHECK(zm_physics_create(&model, &land.land, &opts, NULL) == ZM_OK);
        CHECK(zm_physics_set_fire(model, &fire, NULL, 1, NULL) == ZM_OK);
        c.refuse = c.requests + later;
        CHECK(zm_physics_arrival(model, NULL, 0, 0.5, T, NULL) == ZM_E_NOMEM);
        c.refuse = 0;
        CHECK(zm_physics_set_fire(model, &fire, NULL, 1, NULL) == ZM_OK);
        CHECK(zm_physics_arrival(model, NULL, 0, 0.5, T, NULL) == ZM_OK);
        zm_physics_destroy(model);
    }
    test_land_free(&land);
}

/* Embers, ways and burn probability; ways themselves are the caller's, from malloc. */
static zm_status embers_ways_and_risk(const test_land *land, const zm_fire *fire,
                                      counter *c, double *T, zm_error *err)
{
    const zm_ensemble_opts draws = { .size = sizeof draws, .members = 2, .threads = 1 };
    zm_spotting_opts embers = ZM_SPOTTING_OPTS_INIT;
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    float probability[SIDE * SIDE], flame[SIDE * SIDE];
    const zm_risk_out out = { .size = sizeof out,
                              .probability = probability,
                              .flame_length = flame };
    zm_ways ways = { .ways = NULL };
    zm_physics *model;
    zm_status st;

    embers.probability = 1;
    opts.mem = counted(c);
    opts.conditioning = 0;
    opts.spotting = &embers;
    st = zm_physics_create(&model, &land->land, &opts, err);
    if (st == ZM_OK)
        st = zm_physics_set_fire(model, fire, NULL, 1, err);
    if (st == ZM_OK)
        st = zm_physics_arrival(model, NULL, 0, 0.5, T, err);
    if (st == ZM_OK)
        st = zm_physics_ways(model, T, NULL, &ways, NULL, err);
    zm_physics_destroy(model);
    zm_ways_free(&ways);
    if (st == ZM_OK)
        st = zm_risk_run(&land->land, fire, NULL, NULL, 0.3, &out, &opts, &draws, err);
    return st;
}

TEST(embers_ways_and_risk_tell_every_lack_of_memory)
{
    test_land land = test_land_level(SIDE, SIDE, 4);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    double T[SIDE * SIDE];
    counter all = { 0 };
    zm_error err;

    CHECK_MSG(embers_ways_and_risk(&land, &fire, &all, T, &err) == ZM_OK, "%s", err.text);
    CHECK(all.live == 0 && all.requests > 30);
    for (size_t i = 1; i <= all.requests; i++) {
        counter c = { .refuse = i };
        const zm_status st = embers_ways_and_risk(&land, &fire, &c, T, &err);

        CHECK_MSG(st == ZM_E_NOMEM, "request %zu of %zu: status %d", i, all.requests, st);
        CHECK_MSG(c.live == 0, "request %zu: %zu blocks kept", i, c.live);
    }
    test_land_free(&land);
}
