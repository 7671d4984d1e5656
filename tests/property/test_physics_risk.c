/* SPDX-License-Identifier: Apache-2.0
 * Burn probability and conditional flame length are what single fires add up to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/risk.h"

enum { SIDE = 41, CELLS = SIDE * SIDE, FIRES = 30, EDGES = 2 };

static const double edges[EDGES] = { 0.6, 1.8 };

typedef struct world {
    test_land land;
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire;
    zm_ensemble_opts opts;
    zm_physics_opts physics;
    float probability[CELLS], flame[CELLS], class[(EDGES + 1) * CELLS];
    float density[CELLS];
    zm_risk_fire fires[FIRES];
} world;

static world *world_new(bool hills)
{
    world *w = calloc(1, sizeof *w);

    w->land = hills ? test_land_hills(SIDE, SIDE, 3) : test_land_level(SIDE, SIDE, 2);
    w->fire = test_fire(&w->land, w->weather);
    w->opts = (zm_ensemble_opts){
        .size = sizeof(zm_ensemble_opts), .members = FIRES, .threads = 1, .seed = 4
    };
    w->physics = (zm_physics_opts)ZM_PHYSICS_OPTS_INIT;
    return w;
}

static void world_free(world *w)
{
    test_land_free(&w->land);
    free(w);
}

static zm_status run(world *w, const float *density, double t_max, zm_error *err)
{
    float *const planes[EDGES + 1] = { w->class, w->class + CELLS,
                                       w->class + 2 * CELLS };
    const zm_risk_out out = { sizeof out, w->probability, w->flame, EDGES,
                              edges,      planes,         w->fires };

    return zm_risk_run(&w->land.land, &w->fire, NULL, density, t_max, &out, &w->physics,
                       &w->opts, err);
}

/* Each fire burned by itself from where it began: how many burn a cell, and what area it has, is
 * the same, whether metrics are shared between fires or not; so is nothing else of the weather of one
 * fire left in the next. */
TEST(probabilities_are_shares_of_fires_burned_one_by_one)
{
    world *w = world_new(true);
    double *T = malloc(CELLS * sizeof *T);
    int count[CELLS] = { 0 };
    zm_physics *physics;

    CHECK(run(w, NULL, 2, NULL) == ZM_OK);
    CHECK(zm_physics_create(&physics, &w->land.land, &w->physics, NULL) == ZM_OK);
    for (int k = 0; k < FIRES; k++) {
        zm_fire fire = w->fire;
        int burned = 0;

        fire.row = w->fires[k].row;
        fire.col = w->fires[k].col;
        CHECK(zm_physics_set_fire(physics, &fire, NULL, 2, NULL) == ZM_OK);
        CHECK(zm_physics_arrival(physics, NULL, 0, 2, T, NULL) == ZM_OK);
        for (int i = 0; i < CELLS; i++) {
            burned += T[i] <= 2;
            count[i] += T[i] <= 2;
        }
        CHECK_NEAR(w->fires[k].area, burned * 0.09, 1e-9);
    }
    for (int i = 0; i < CELLS; i++)
        CHECK(w->probability[i] == (float)(count[i] / (double)FIRES));
    zm_physics_destroy(physics);
    free(T);
    world_free(w);
}

/* Classes share out the fires that burn a cell, and their mean flame lies where they say. */
TEST(classes_of_flames_hold_their_mean)
{
    world *w = world_new(true);
    int known = 0, several = 0;

    CHECK(run(w, NULL, 3, NULL) == ZM_OK);
    for (int i = 0; i < CELLS; i++) {
        const double low = (double)w->class[i], middle = (double)w->class[CELLS + i],
                     high = (double)w->class[2 * CELLS + i];

        if (isnan(w->flame[i])) {
            CHECK(low + middle + high == 0);
            continue;
        }
        known++;
        several += low > 0 && middle > 0;
        CHECK_NEAR(low + middle + high, 1, 1e-6);
        CHECK(w->probability[i] > 0);
        CHECK((double)w->flame[i] >= middle * edges[0] + high * edges[1] - 1e-3);
        if (high == 0)
            CHECK((double)w->flame[i] <= low * edges[0] + middle * edges[1] + 1e-3);
    }
    CHECK_MSG(known > 200 && several > 20, "%d cells, %d with several classes", known,
              several);
    world_free(w);
}

/* One fire in a steady wind over level grass: along its axis downwind its flames are those of the
 * head, behind they are those of the back, and nowhere are they longer than at the head.  Byram's
 * flames go with the power 0.46 of the rate: head and back differ as their rates do. */
TEST(flames_are_those_of_the_direction_in_which_the_front_runs)
{
    world *w = world_new(false);
    zm_physics *physics;
    double head[CELLS], back[CELLS];
    const zm_ellipse_planes ellipse = { .head = head, .back = back };
    const int at = 20 * SIDE + 20;

    for (int k = 0; k < TEST_HOURS; k++) {
        w->weather[k].wind_dir = 270;
        w->weather[k].wind_speed = 15;
    }
    w->physics.conditioning = 0;
    w->opts.members = 1;
    memset(w->density, 0, sizeof w->density);
    w->density[at] = 1;
    CHECK(run(w, w->density, 3, NULL) == ZM_OK);
    CHECK(w->fires[0].row == 20 && w->fires[0].col == 20);
    CHECK(zm_physics_create(&physics, &w->land.land, &w->physics, NULL) == ZM_OK);
    w->fire.row = w->fire.col = 20;
    CHECK(zm_physics_set_fire(physics, &w->fire, NULL, 3, NULL) == ZM_OK);
    CHECK(zm_physics_ellipses(physics, 0, &ellipse, NULL) == ZM_OK);
    CHECK(head[at] > 3 * back[at]);
    CHECK_NEAR((double)(w->flame[at + 6] / w->flame[at - 3]),
               pow(head[at] / back[at], 0.46), 0.02 * pow(head[at] / back[at], 0.46));
    for (int i = 0; i < CELLS; i++)
        CHECK(isnan(w->flame[i]) || w->flame[i] <= w->flame[at + 6] + 2e-3f);
    CHECK(w->flame[at - 3 * SIDE] < w->flame[at + 6]);
    zm_physics_destroy(physics);
    world_free(w);
}

/* Whatever the number of threads; with another seed other fires.  With uncertain weather fires are
 * those of the ensemble's draws: they differ from certain ones that begin at the same places. */
TEST(fires_do_not_depend_on_threads_and_do_on_the_seed)
{
    world *one = world_new(true), *two = world_new(true);

    for (int k = 0; k < 2; k++) {
        one->opts.rate = two->opts.rate = 0.3 * k;
        two->opts.threads = 3;
        two->opts.seed = one->opts.seed;
        CHECK(run(one, NULL, 2, NULL) == ZM_OK && run(two, NULL, 2, NULL) == ZM_OK);
        CHECK(!memcmp(one->probability, two->probability, sizeof one->probability));
        CHECK(!memcmp(one->flame, two->flame, sizeof one->flame));
        CHECK(!memcmp(one->class, two->class, sizeof one->class));
        CHECK(!memcmp(one->fires, two->fires, sizeof one->fires));
        two->opts.seed++;
        CHECK(run(two, NULL, 2, NULL) == ZM_OK);
        CHECK(memcmp(one->fires, two->fires, sizeof one->fires));
    }
    two->opts.seed = one->opts.seed;
    two->opts.rate = 0;
    CHECK(run(two, NULL, 2, NULL) == ZM_OK);
    for (int k = 0; k < FIRES; k++)
        CHECK(one->fires[k].row == two->fires[k].row &&
              one->fires[k].col == two->fires[k].col);
    CHECK(memcmp(one->probability, two->probability, sizeof one->probability));
    world_free(one);
    world_free(two);
}

/* What lights the fire whose weather it is lights no other. */
TEST(sources_of_the_fire_are_not_used)
{
    world *with = world_new(true), *without = world_new(true);
    const zm_source sources[2] = { { 3, 3, 0 }, { 30, 35, 0.5 } };

    with->fire.sources = sources;
    with->fire.n_sources = 2;
    for (int k = 0; k < 2; k++) {
        with->opts.rate = without->opts.rate = 0.2 * k;
        CHECK(run(with, NULL, 2, NULL) == ZM_OK && run(without, NULL, 2, NULL) == ZM_OK);
        CHECK(!memcmp(with->probability, without->probability, sizeof with->probability));
        CHECK(!memcmp(with->fires, without->fires, sizeof with->fires));
    }
    world_free(with);
    world_free(without);
}

/* Fires begin where the density is above 0 and fuel burns, as often as it says: of 600 ignitions of
 * a moment's fire a cell three times as dense has three times as many as another, within five standard
 * deviations. */
TEST(ignitions_follow_the_density)
{
    enum { MANY = 600 };
    world *w = world_new(false);
    zm_risk_fire *fires = malloc(MANY * sizeof *fires);
    const zm_risk_out out = { .size = sizeof out, .fires = fires };
    int dense = 0;

    w->opts.members = MANY;
    w->density[5 * SIDE + 5] = 3;
    w->density[30 * SIDE + 30] = 1;
    w->density[10 * SIDE + 10] = 8; /* but nothing burns there */
    test_land_layer(&w->land, ZM_LAYER_FUEL)[10 * SIDE + 10] = 99;
    CHECK(zm_risk_run(&w->land.land, &w->fire, NULL, w->density, 1e-3, &out,
                      &w->physics, &w->opts, NULL) == ZM_OK);
    for (int k = 0; k < MANY; k++) {
        CHECK((fires[k].row == 5 && fires[k].col == 5) ||
              (fires[k].row == 30 && fires[k].col == 30));
        CHECK_NEAR(fires[k].area, 9 * 0.09, 1e-9);
        dense += fires[k].row == 5;
    }
    CHECK_NEAR(dense, 0.75 * MANY, 5 * sqrt(0.75 * 0.25 * MANY));
    free(fires);
    world_free(w);
}

TEST(what_cannot_be_is_refused)
{
    world *w = world_new(false);
    const double falling[2] = { 2, 1 };
    float plane[CELLS], *const planes[3] = { plane, plane, plane };
    zm_risk_out out = {
        .size = sizeof out, .n_edges = 2, .edges = falling, .classes = planes
    };
    zm_error err;

    CHECK(zm_risk_run(&w->land.land, &w->fire, NULL, NULL, 1, &out, NULL, &w->opts,
                      &err) == ZM_E_ARG &&
          strstr(err.text, "rising"));
    CHECK(run(w, w->density, 1, &err) == ZM_E_ARG && strstr(err.text, "density"));
    w->density[0] = -1;
    CHECK(run(w, w->density, 1, &err) == ZM_E_ARG && strstr(err.text, "-1"));
    CHECK(run(w, NULL, 0, &err) == ZM_E_ARG && strstr(err.text, "t_max"));
    w->physics.front = ZM_FRONT_MARKERS;
    CHECK(run(w, NULL, 1, &err) == ZM_E_ARG && strstr(err.text, "markers"));
    world_free(w);
}
