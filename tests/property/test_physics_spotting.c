/* SPDX-License-Identifier: Apache-2.0
 * Embers light fires ahead of the front, and agree with the times that they make. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/ensemble.h"

enum { SIDE = 61, CELLS = SIDE * SIDE, RIVER = 40, WIDTH = 3 };

/* Grass, a wind from the west, and a river down it, three cells wide. */
typedef struct world {
    test_land land;
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire;
    zm_spotting_opts embers;
    zm_spotting_report report;
    uint64_t draw;
    double T[CELLS];
} world;

static bool in_river(int i)
{
    return i % SIDE >= RIVER && i % SIDE < RIVER + WIDTH;
}

static world *world_new(int32_t fuel)
{
    world *w = calloc(1, sizeof *w);

    w->land = test_land_level(SIDE, SIDE, fuel);
    w->fire = test_fire(&w->land, w->weather);
    for (int k = 0; k < TEST_HOURS; k++) {
        w->weather[k].wind_dir = 270;
        w->weather[k].wind_speed = 30;
    }
    for (int i = 0; i < CELLS; i++)
        if (in_river(i))
            test_land_layer(&w->land, ZM_LAYER_FUEL)[i] = 98;
    w->embers = (zm_spotting_opts)ZM_SPOTTING_OPTS_INIT;
    w->report = (zm_spotting_report)ZM_SPOTTING_REPORT_INIT;
    return w;
}

static void world_free(world *w)
{
    test_land_free(&w->land);
    free(w);
}

/* A stand of trees that torch. */
static void plant(world *w)
{
    for (int i = 0; i < CELLS; i++) {
        test_land_layer(&w->land, ZM_LAYER_COVER)[i] = 40;
        test_land_layer(&w->land, ZM_LAYER_HEIGHT)[i] = 15;
        test_land_layer(&w->land, ZM_LAYER_BASE)[i] = 0.5f;
        test_land_layer(&w->land, ZM_LAYER_DENSITY)[i] = 0.05f;
    }
}

static zm_status burn(world *w, const zm_source *sources, size_t n, double t_max,
                      zm_error *err)
{
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_physics *physics;
    zm_status st;

    opts.conditioning = 0;
    opts.spotting = &w->embers;
    params.embers_draw = w->draw;
    st = zm_physics_create(&physics, &w->land.land, &opts, err);
    if (st == ZM_OK)
        st = zm_physics_set_fire(physics, &w->fire, &params, t_max, err);
    if (st == ZM_OK)
        st = zm_physics_arrival(physics, sources, n, t_max, w->T, err);
    if (st == ZM_OK)
        st = zm_physics_spotting(physics, &w->report, err);
    zm_physics_destroy(physics);
    return st;
}

static int beyond(const world *w)
{
    int n = 0;

    for (int i = 0; i < CELLS; i++)
        n += i % SIDE >= RIVER + WIDTH && w->T[i] < INFINITY;
    return n;
}

/* No front crosses three cells of water; embers do, from grass and from trees, with each kind where
 * it is wanted only.  They need a while to fly and to catch, and come down the wind alone: upwind of
 * the fire nothing changes.  More sources never come later. */
TEST(embers_cross_a_river_that_no_front_crosses)
{
    for (int wooded = 0; wooded < 2; wooded++) {
        world *w = world_new(wooded ? 10 : 4);
        double *without = malloc(CELLS * sizeof *without), reached = INFINITY,
               at_river = INFINITY;

        if (wooded)
            plant(w);
        CHECK(burn(w, NULL, 0, 6, NULL) == ZM_OK);
        CHECK(beyond(w) == 0 && w->report.spots == 0 && w->report.landed == 0);
        memcpy(without, w->T, CELLS * sizeof *without);
        w->embers.probability = 1;
        w->embers.from = wooded ? ZM_EMBERS_SURFACE : ZM_EMBERS_TORCHING;
        CHECK(burn(w, NULL, 0, 6, NULL) == ZM_OK);
        CHECK(!memcmp(w->T, without, CELLS * sizeof *without));
        w->embers.from = wooded ? ZM_EMBERS_TORCHING : ZM_EMBERS_SURFACE;
        w->embers.delay = 5;
        CHECK(burn(w, NULL, 0, 6, NULL) == ZM_OK);
        CHECK_MSG(beyond(w) > 50, "%d cells, %d spots", beyond(w),
                  (int)w->report.spots);
        CHECK(w->report.spots > 0 && w->report.landed >= w->report.spots);
        CHECK(w->report.farthest > 30 && w->report.farthest < SIDE * 30);
        CHECK(w->report.rounds > 1 && w->report.rounds < 40);
        for (int i = 0; i < CELLS; i++) {
            CHECK(w->T[i] <= without[i] * (1 + 1e-12));
            if (i % SIDE == RIVER - 1)
                at_river = fmin(at_river, w->T[i]);
            if (i % SIDE == RIVER + WIDTH)
                reached = fmin(reached, w->T[i]);
        }
        /* An ember may come from some way before the river, but not before the fire began. */
        CHECK(reached > 5.0 / 60 && at_river < INFINITY);
        free(without);
        world_free(w);
    }
}

/* The times are those of a fire lit by hand where and when embers light it, which are the same
 * however often: nothing depends on how many rounds it took. */
TEST(times_and_embers_agree)
{
    world *w = world_new(4);
    double *first = malloc(CELLS * sizeof *first);
    int64_t spots;

    w->embers.probability = 0.3;
    CHECK(burn(w, NULL, 0, 5, NULL) == ZM_OK);
    memcpy(first, w->T, CELLS * sizeof *first);
    spots = w->report.spots;
    CHECK(spots > 3);
    CHECK(burn(w, NULL, 0, 5, NULL) == ZM_OK);
    CHECK(!memcmp(first, w->T, CELLS * sizeof *first) && w->report.spots == spots);
    /* up to an earlier time nothing is different */
    CHECK(burn(w, NULL, 0, 2.5, NULL) == ZM_OK);
    for (int i = 0; i < CELLS; i++)
        CHECK(first[i] <= 2.5 ? w->T[i] == first[i] : w->T[i] == INFINITY);
    w->draw = 1;
    CHECK(burn(w, NULL, 0, 5, NULL) == ZM_OK);
    CHECK(memcmp(first, w->T, CELLS * sizeof *first));
    free(first);
    world_free(w);
}

/* A bare ridge behind the river, higher than any ember flies, catches them all. */
TEST(a_ridge_catches_embers)
{
    world *w = world_new(4);

    w->embers.probability = 1;
    for (int i = 0; i < CELLS; i++)
        if (in_river(i))
            test_land_layer(&w->land, ZM_LAYER_ELEVATION)[i] = 2000;
    CHECK(burn(w, NULL, 0, 6, NULL) == ZM_OK);
    CHECK(beyond(w) == 0);
    CHECK(w->report.landed > 0);
    world_free(w);
}

/* Embers light what could burn: nothing on wet ground, and in a barrier nothing either. */
TEST(embers_light_only_what_can_burn)
{
    world *w = world_new(4);
    zm_error err;

    w->embers.probability = 1;
    w->fire.moisture.dead_1h = 60; /* far beyond its extinction */
    CHECK(burn(w, NULL, 0, 6, NULL) == ZM_OK && w->report.landed == 0);
    w->embers.probability = 1.5;
    CHECK(burn(w, NULL, 0, 6, &err) == ZM_E_ARG && strstr(err.text, "probability 1.5"));
    world_free(w);
}

TEST(markers_know_no_embers)
{
    world *w = world_new(4);
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    zm_physics *physics = NULL;
    zm_error err;

    w->embers.probability = 0.1;
    opts.spotting = &w->embers;
    opts.front = ZM_FRONT_MARKERS;
    CHECK(zm_physics_create(&physics, &w->land.land, &opts, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "minimum travel times") && !physics);
    world_free(w);
}

/* Each member has embers of its own: with nothing else uncertain members differ, beyond the river
 * some come and some do not, and any number of threads gives the same. */
TEST(members_of_an_ensemble_have_their_own_embers)
{
    world *w = world_new(4);
    const zm_ensemble_opts none = {
        .size = sizeof none, .members = 12, .threads = 1, .seed = 1
    };
    zm_ensemble_opts three = none;
    zm_physics_opts physics = ZM_PHYSICS_OPTS_INIT;
    float *p = malloc(2 * CELLS * sizeof *p);
    const zm_ensemble_out out = { .size = sizeof out, .probability = p },
                          again = { .size = sizeof again, .probability = p + CELLS };
    int open = 0;

    physics.conditioning = 0;
    physics.spotting = &w->embers;
    w->embers.probability = 0.003;
    three.threads = 3;
    CHECK(zm_ensemble_run(&w->land.land, &w->fire, NULL, NULL, 0, 5, &out, &physics,
                          &none, NULL) == ZM_OK);
    CHECK(zm_ensemble_run(&w->land.land, &w->fire, NULL, NULL, 0, 5, &again, &physics,
                          &three, NULL) == ZM_OK);
    CHECK(!memcmp(p, p + CELLS, CELLS * sizeof *p));
    for (int i = 0; i < CELLS; i++)
        open += i % SIDE >= RIVER + WIDTH && p[i] > 0 && p[i] < 1;
    CHECK_MSG(open > 20, "%d cells", open);
    free(p);
    world_free(w);
}
