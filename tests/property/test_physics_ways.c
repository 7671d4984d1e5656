/* SPDX-License-Identifier: Apache-2.0
 * Major flow paths: a tree of ways of minimum travel time, with what burns by them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/ways.h"

enum { SIDE = 51, CELLS = SIDE * SIDE, GAP = 12 };

typedef struct world {
    test_land land;
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire;
    zm_physics_opts physics;
    zm_physics *model;
    double T[CELLS];
    float flow[CELLS];
    zm_ways ways;
} world;

static world *world_new(bool hills)
{
    world *w = calloc(1, sizeof *w);

    w->land = hills ? test_land_hills(SIDE, SIDE, 3) : test_land_level(SIDE, SIDE, 2);
    w->fire = test_fire(&w->land, w->weather);
    w->physics = (zm_physics_opts)ZM_PHYSICS_OPTS_INIT;
    return w;
}

static void world_free(world *w)
{
    zm_ways_free(&w->ways);
    zm_physics_destroy(w->model);
    test_land_free(&w->land);
    free(w);
}

static void burn(test_run *t, world *w, double t_max)
{
    CHECK(zm_physics_create(&w->model, &w->land.land, &w->physics, NULL) == ZM_OK);
    CHECK(zm_physics_set_fire(w->model, &w->fire, NULL, t_max, NULL) == ZM_OK);
    CHECK(zm_physics_arrival(w->model, NULL, 0, t_max, w->T, NULL) >= 0);
}

static zm_status find(world *w, int32_t interval, double least, zm_error *err)
{
    const zm_ways_opts opts = { sizeof opts, interval, least };

    zm_ways_free(&w->ways);
    return zm_physics_ways(w->model, w->T, w->flow, &w->ways, &opts, err);
}

static size_t cell_of(const zm_path_point *p)
{
    return (size_t)lround(p->row) * SIDE + (size_t)lround(p->col);
}

/* Ways are a tree: each leaves one that comes before it in a cell that both have, or sets out where
 * fire was lit; time rises along it; what burns by it is no more than what burns by the one that it
 * leaves.  No cell belongs to two ways but where they part. */
TEST(ways_are_a_tree)
{
    world *w = world_new(true);
    int *owned = calloc(CELLS, sizeof *owned);
    int roots = 0;

    burn(t, w, 6);
    CHECK(find(w, 2, 0.01, NULL) == ZM_OK);
    CHECK_MSG(w->ways.n > 5, "%zu ways", w->ways.n);
    for (size_t k = 0; k < w->ways.n; k++) {
        const zm_way *way = &w->ways.ways[k];
        const zm_path_point *p = w->ways.points + way->begin;
        size_t before = CELLS;

        CHECK(way->n >= 2 && way->flow >= 0.01 && way->flow <= 1);
        CHECK(way->from < (int32_t)k);
        if (way->from < 0) {
            roots++;
            CHECK(hypot(p->row - w->fire.row, p->col - w->fire.col) < 2);
        } else {
            CHECK(way->flow <= w->ways.ways[way->from].flow);
            CHECK(owned[cell_of(p)] == way->from + 1);
        }
        for (size_t i = 0; i < way->n; i++) {
            const size_t cell = cell_of(&p[i]);

            CHECK(i == 0 || p[i].time > p[i - 1].time);
            CHECK(hypot(p[i].row - p[i > 0 ? i - 1 : 0].row,
                        p[i].col - p[i > 0 ? i - 1 : 0].col) < 2);
            if (cell != before && !(i == 0 && way->from >= 0))
                CHECK(owned[cell] == 0 || owned[cell] == (int)k + 1);
            if (owned[cell] == 0)
                owned[cell] = (int)k + 1;
            before = cell;
            CHECK((double)w->flow[cell] >= 0.01 - 1e-7);
        }
    }
    CHECK(roots >= 1);
    free(owned);
    world_free(w);
}

/* Behind a river with one gap everything burns through the gap: the flow there is the share of all
 * cells that are followed that lie beyond it, and one way goes there. */
TEST(what_lies_behind_a_gap_burns_through_it)
{
    world *w = world_new(false);
    const int col = SIDE / 2 + 6;
    int beyond = 0, followed = 0;
    int through = 0;

    for (int row = 0; row < SIDE; row++)
        if (row < SIDE / 2 - 1 + GAP || row > SIDE / 2 + 1 + GAP)
            for (int c = col; c < col + 2; c++)
                test_land_layer(&w->land, ZM_LAYER_FUEL)[row * SIDE + c] = 98;
    w->physics.smoothing = w->physics.hindrance = 0;
    w->physics.enclosed = 0;
    burn(t, w, 8);
    CHECK(find(w, 1, 0.05, NULL) == ZM_OK);
    for (int i = 0; i < CELLS; i++)
        if (w->T[i] < INFINITY) {
            followed++;
            beyond += i % SIDE > col;
        }
    CHECK(beyond > 100 && w->ways.followed == followed);
    {
        double in_gap = 0;

        for (int row = 0; row < SIDE; row++)
            in_gap += (double)w->flow[row * SIDE + col + 1];
        /* once for each cell beyond, and again where a way runs down the column */
        CHECK(in_gap * followed >= beyond - 1e-3);
        CHECK_AT_MOST(in_gap * followed, 1.25 * beyond);
    }
    for (size_t k = 0; k < w->ways.n; k++) {
        const zm_way *way = &w->ways.ways[k];

        for (size_t i = 0; i < way->n; i++)
            through += cell_of(&w->ways.points[way->begin + i]) % SIDE == (size_t)col;
    }
    CHECK(through >= 1);
    world_free(w);
}

/* A larger share leaves parts of the same ways out; where nothing is followed there are none. */
TEST(fewer_ways_have_more_flow)
{
    world *w = world_new(true);
    size_t few, points;

    burn(t, w, 6);
    CHECK(find(w, 1, 0.2, NULL) == ZM_OK);
    few = w->ways.n;
    points = w->ways.n_points;
    CHECK(find(w, 1, 0.01, NULL) == ZM_OK);
    CHECK_MSG(w->ways.n >= few && w->ways.n_points > points, "%zu, %zu; %zu, %zu", few,
              points, w->ways.n, w->ways.n_points);
    world_free(w);
}

TEST(wrong_options_and_no_times_are_refused)
{
    world *w = world_new(false);
    zm_error err;

    CHECK(zm_physics_create(&w->model, &w->land.land, &w->physics, NULL) == ZM_OK);
    CHECK(find(w, 3, 0.1, &err) == ZM_E_STATE);
    zm_physics_destroy(w->model);
    burn(t, w, 2);
    CHECK(find(w, 0, 0.1, &err) == ZM_E_ARG && strstr(err.text, "0 cells"));
    CHECK(find(w, 1, 2, &err) == ZM_E_ARG && strstr(err.text, "share of 2"));
    CHECK(!w->ways.ways && !w->ways.points);
    world_free(w);
}
