/* SPDX-License-Identifier: Apache-2.0
 * Fuel breaks that are found are breaks, and where they must be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/protect.h"

enum { SIDE = 41, CELLS = SIDE * SIDE, RIVER = 28, GAP = 3 };

/** A fire, a river beyond it with a gap, and assets behind the river. */
typedef struct world {
    test_land land;
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire;
    uint8_t assets[CELLS];
    zm_ensemble_opts ensemble;
    zm_protect_problem problem;
} world;

static world *world_make(int gap_row)
{
    world *w = calloc(1, sizeof *w);

    w->land = test_land_level(SIDE, SIDE, 2);
    w->fire = test_fire(&w->land, w->weather);
    for (int r = 0; r < SIDE; r++)
        if (abs(r - gap_row) > GAP / 2)
            test_land_layer(&w->land, ZM_LAYER_FUEL)[r * SIDE + RIVER] = 98;
    for (int r = 17; r < 24; r++)
        for (int c = 34; c < 37; c++)
            w->assets[r * SIDE + c] = 1;
    w->ensemble = (zm_ensemble_opts)ZM_ENSEMBLE_OPTS_INIT;
    w->ensemble.members = 4;
    w->problem = (zm_protect_problem)ZM_PROTECT_PROBLEM_INIT;
    w->problem.landscape = &w->land.land;
    w->problem.fire = &w->fire;
    w->problem.t_max = 8;
    w->problem.assets = w->assets;
    w->problem.ensemble = &w->ensemble;
    return w;
}

static void world_free(world *w)
{
    test_land_free(&w->land);
    free(w);
}

/* A gap of three cells is the only way to the assets.  Three cells of break must close it, so that no
 * member gets there by travel time, and one of four at most by markers, whose line may slip between two cells
 * that touch at a corner; no ring or scattered break of three cells can. */
TEST(a_gap_in_a_river_is_closed)
{
    for (int row = 20; row <= 30; row += 10) {
        world *w = world_make(row);
        uint8_t plan[CELLS];
        uint8_t *const breaks[ZM_BREAKS] = { NULL, plan, NULL, NULL, NULL };
        zm_protect_opts opts = ZM_PROTECT_OPTS_INIT;
        zm_protect_report r = ZM_PROTECT_REPORT_INIT;
        zm_protect_outcome o;

        opts.cells = GAP;
        opts.rounds = 20;
        opts.batch = 4;
        opts.markers = 1;
        CHECK(zm_protect(&w->problem, breaks, &r, &opts, NULL) == ZM_OK);
        CHECK(r.travel_time[ZM_BREAK_NONE].probability > 0.25);
        CHECK(r.travel_time[ZM_BREAK_PLAN].probability == 0);
        CHECK(r.travel_time[ZM_BREAK_PLAN].time > 8 - 1e-9);
        CHECK(r.markers[ZM_BREAK_PLAN].probability <= 0.25);
        CHECK(r.markers[ZM_BREAK_NONE].probability > 0.25);
        CHECK(r.travel_time[ZM_BREAK_RING].probability > 0);
        CHECK(r.travel_time[ZM_BREAK_RANDOM].probability > 0);
        for (int i = 0; i < CELLS; i++)
            if (plan[i])
                CHECK(abs(i / SIDE - row) <= 2 && abs(i % SIDE - RIVER) <= 2);
        CHECK(zm_protect_outcome_of(&w->problem, plan, ZM_FRONT_TRAVEL_TIME, &o,
                                    NULL) == ZM_OK);
        CHECK(o.time == r.travel_time[ZM_BREAK_PLAN].time && o.probability == 0);
        world_free(w);
    }
}

/* Breaks of all kinds have as many cells as were asked for, on ground that burns, that is allowed,
 * outside the assets, and that no member reaches before they are ready.  Threads change nothing. */
TEST(breaks_are_where_they_may_be)
{
    world *w = world_make(20);
    uint8_t *planes = calloc(3 * ZM_BREAKS, CELLS), allowed[CELLS];
    uint8_t *one[ZM_BREAKS], *two[ZM_BREAKS];
    zm_protect_opts opts = ZM_PROTECT_OPTS_INIT;
    zm_protect_report a = ZM_PROTECT_REPORT_INIT, b = ZM_PROTECT_REPORT_INIT;

    for (int i = 0; i < CELLS; i++)
        allowed[i] = i % SIDE != 24;
    for (int k = 0; k < ZM_BREAKS; k++) {
        one[k] = planes + k * CELLS;
        two[k] = planes + (ZM_BREAKS + k) * CELLS;
    }
    w->problem.allowed = allowed;
    opts.cells = 7;
    opts.rounds = 10;
    opts.aim = ZM_PROTECT_LEAST_LIKELY;
    CHECK(zm_protect(&w->problem, one, &a, &opts, NULL) == ZM_OK);
    w->ensemble.threads = 2;
    CHECK(zm_protect(&w->problem, two, &b, &opts, NULL) == ZM_OK);
    CHECK(!memcmp(planes, planes + ZM_BREAKS * CELLS, ZM_BREAKS * CELLS));
    CHECK(!memcmp(a.travel_time, b.travel_time, sizeof a.travel_time));
    CHECK(isnan(a.markers[ZM_BREAK_PLAN].time));
    CHECK(a.cells[ZM_BREAK_NONE] == 0);
    for (int k = ZM_BREAK_PLAN; k < ZM_BREAKS; k++) {
        CHECK_MSG(a.cells[k] == 7, "%d: %lld cells", k, (long long)a.cells[k]);
        for (int i = 0; i < CELLS; i++)
            if (one[k][i])
                CHECK(allowed[i] && !w->assets[i] &&
                      test_land_layer(&w->land, ZM_LAYER_FUEL)[i] == 2);
    }
    free(planes);
    world_free(w);
}

TEST(what_cannot_be_protected_is_refused)
{
    world *w = world_make(20);
    zm_protect_opts opts = ZM_PROTECT_OPTS_INIT;
    zm_error err;

    opts.cells = 100000;
    CHECK(zm_protect(&w->problem, NULL, NULL, &opts, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "can be used") != NULL);
    opts.cells = 0;
    CHECK(zm_protect(&w->problem, NULL, NULL, &opts, &err) == ZM_E_ARG);
    w->problem.t_max = 0.01;
    CHECK(zm_protect(&w->problem, NULL, NULL, NULL, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "nothing to delay") != NULL);
    memset(w->assets, 0, sizeof w->assets);
    CHECK(zm_protect(&w->problem, NULL, NULL, NULL, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "no assets") != NULL);
    world_free(w);
}
