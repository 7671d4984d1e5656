/* SPDX-License-Identifier: Apache-2.0
 * Barriers: no front gets through them, and fires go on around them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/physics.h"

enum { SIDE = 41, CELLS = SIDE * SIDE, ORIENTATIONS = 200 };

static const zm_front_kind FRONTS[2] = { ZM_FRONT_TRAVEL_TIME, ZM_FRONT_MARKERS };

/* Grass, and a wind that turns every hour. */
typedef struct world {
    test_land land;
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire;
    double barrier[CELLS], T[CELLS];
} world;

static world *world_new(void)
{
    world *w = malloc(sizeof *w);

    w->land = test_land_level(SIDE, SIDE, 2);
    w->fire = test_fire(&w->land, w->weather);
    for (int i = 0; i < CELLS; i++)
        w->barrier[i] = INFINITY;
    return w;
}

static void world_free(world *w)
{
    test_land_free(&w->land);
    free(w);
}

static zm_status burn(world *w, zm_front_kind front, bool barriers, double t_max,
                      zm_error *err)
{
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_physics *physics;
    zm_status st;

    opts.front = front;
    opts.conditioning = 0;
    params.barrier = barriers ? w->barrier : NULL;
    st = zm_physics_create(&physics, &w->land.land, &opts, err);
    if (st == ZM_OK)
        st = zm_physics_set_fire(physics, &w->fire, &params, t_max, err);
    if (st == ZM_OK)
        st = zm_physics_arrival(physics, NULL, 0, t_max, w->T, err);
    zm_physics_destroy(physics);
    return st;
}

/* Which side of the line through the middle at an angle a cell is on, in cells away from it. */
static double side(double angle, double offset, int row, int col)
{
    return (col - SIDE / 2) * sin(angle) - (row - SIDE / 2) * cos(angle) - offset;
}

/* One cell in each column, or in each row where the line is steep: cells of it touch at corners
 * alone wherever it steps. */
static void draw_line(world *w, double angle, double offset, double from)
{
    const bool flat = fabs(cos(angle)) >= fabs(sin(angle));

    for (int i = 0; i < CELLS; i++)
        w->barrier[i] = INFINITY;
    for (int k = 0; k < SIDE; k++) {
        const double along = k - SIDE / 2;
        const double across = flat ? (along * sin(angle) - offset) / cos(angle)
                                   : (along * cos(angle) + offset) / sin(angle);
        const int at = (int)lround(across) + SIDE / 2;

        if (at >= 0 && at < SIDE)
            w->barrier[flat ? at * SIDE + k : k * SIDE + at] = from;
    }
}

/* Cells that are nobody's barrier, on the other side of the line than the ignition; and those of its
 * own side that did not burn. */
static void count_sides(const world *w, double angle, double offset, int *beyond,
                        int *left)
{
    const double home = side(angle, offset, w->fire.row, w->fire.col);

    *beyond = *left = 0;
    for (int i = 0; i < CELLS; i++) {
        const double s = side(angle, offset, i / SIDE, i % SIDE);

        if (w->barrier[i] < INFINITY)
            *beyond += w->T[i] < INFINITY;
        else if (s * home < 0)
            *beyond += w->T[i] < INFINITY;
        else
            *left += !(w->T[i] < INFINITY);
    }
}

/* A line one cell wide from edge to edge, whose cells touch at corners: nothing burns on the other
 * side, whatever its direction, and within six hours most of this side does.  The wind turns, so that the
 * front runs towards the line, along it and away. */
TEST(two_hundred_lines_of_one_cell_hold_both_fronts)
{
    world *w = world_new();
    uint64_t state = t->seed;

    for (int k = 0; k < ORIENTATIONS; k++) {
        const double angle = 3.14159265358979 * zm_random_unit(&state);
        const double offset = 4 + 8 * zm_random_unit(&state);

        draw_line(w, angle, offset, k % 2 ? 0 : -INFINITY);
        for (int f = 0; f < 2; f++) {
            int beyond, left;
            zm_error err;

            CHECK_MSG(burn(w, FRONTS[f], true, 6, &err) == ZM_OK, "%s", err.text);
            count_sides(w, angle, offset, &beyond, &left);
            CHECK_MSG(beyond == 0,
                      "line %d at %.4f rad, %.3f cells away, front %d: %d cells", k,
                      angle, offset, f, beyond);
            CHECK_MSG(left <= CELLS / 7, "line %d, front %d: %d cells left", k, f,
                      left);
        }
    }
    world_free(w);
}

/* Cells of a square of walls one cell thick, whose corners are left out: they touch there. */
static void draw_square(world *w, int row, int col, int half)
{
    for (int k = 1 - half; k < half; k++) {
        w->barrier[(row - half) * SIDE + col + k] = 0;
        w->barrier[(row + half) * SIDE + col + k] = 0;
        w->barrier[(row + k) * SIDE + col - half] = 0;
        w->barrier[(row + k) * SIDE + col + half] = 0;
    }
}

/* The fire goes around a closed ring, and meets itself behind it: no front is left inside. */
TEST(what_is_ringed_by_a_barrier_does_not_burn_and_all_around_it_does)
{
    enum { ROW = 12, COL = 27, HALF = 4 };
    world *w = world_new();

    draw_square(w, ROW, COL, HALF);
    for (int f = 0; f < 2; f++) {
        int inside = 0, around = 0;

        CHECK(burn(w, FRONTS[f], true, 12, NULL) == ZM_OK);
        for (int i = 0; i < CELLS; i++) {
            const int r = abs(i / SIDE - ROW), c = abs(i % SIDE - COL);

            if (r < HALF && c < HALF)
                inside += w->T[i] < INFINITY;
            else if (w->barrier[i] == INFINITY)
                around += w->T[i] < INFINITY;
        }
        CHECK(inside == 0);
        CHECK(around > 0.98 * (CELLS - (2 * HALF + 1) * (2 * HALF + 1)));
    }
    world_free(w);
}

/* An ignition in the ring stays in it; at a wall not even the block that is lit at once, and the
 * octagon of markers, reach beyond.  Chords may cut off the corners of the square. */
TEST(a_fire_that_starts_beside_a_barrier_stays_on_its_side)
{
    world *w = world_new();

    for (int half = 1; half < 4; half++) {
        for (int i = 0; i < CELLS; i++)
            w->barrier[i] = INFINITY;
        draw_square(w, w->fire.row, w->fire.col, half);
        for (int f = 0; f < 2; f++) {
            int burned = 0;

            CHECK(burn(w, FRONTS[f], true, 8, NULL) == ZM_OK);
            for (int i = 0; i < CELLS; i++)
                burned += w->T[i] < INFINITY;
            CHECK_MSG(burned <= (2 * half - 1) * (2 * half - 1) &&
                          burned >= (2 * half - 1) * (2 * half - 1) - 4 * f,
                      "front %d, half %d: %d", f, half, burned);
        }
    }
    world_free(w);
}

/* A line that holds from within an hour on: until then the fire is the same as without it, no cell of
 * it burns later, and what is beyond is only reached through those that burned before. */
TEST(a_barrier_that_comes_up_later_stops_what_comes_after_it)
{
    const double from = 1.37;
    world *w = world_new(), *free_fire = world_new();

    draw_line(w, 0.4, 5, from);
    for (int f = 0; f < 2; f++) {
        int late = 0, burned = 0, fewer = 0;

        CHECK(burn(free_fire, FRONTS[f], false, 6, NULL) == ZM_OK);
        CHECK(burn(w, FRONTS[f], true, 6, NULL) == ZM_OK);
        for (int i = 0; i < CELLS; i++) {
            late += w->barrier[i] < INFINITY && w->T[i] < INFINITY && w->T[i] >= from;
            burned += w->barrier[i] < INFINITY && w->T[i] < from;
            fewer += w->T[i] > free_fire->T[i] + 0.5;
        }
        CHECK(late == 0);
        CHECK_MSG(burned > 0 && fewer > 20, "front %d: %d burned, %d later", f, burned,
                  fewer);
        if (FRONTS[f] == ZM_FRONT_TRAVEL_TIME)
            for (int i = 0; i < CELLS; i++)
                CHECK(w->T[i] >= free_fire->T[i] &&
                      (free_fire->T[i] > 1 || w->T[i] == free_fire->T[i]));
    }
    world_free(free_fire);
    world_free(w);
}

/* Barriers that come up after the fire is over, or nowhere, change no bit of it. */
TEST(barriers_that_never_hold_change_nothing)
{
    world *w = world_new();
    double *before = malloc(CELLS * sizeof *before);

    for (int f = 0; f < 2; f++) {
        CHECK(burn(w, FRONTS[f], false, 3, NULL) == ZM_OK);
        memcpy(before, w->T, CELLS * sizeof *before);
        for (int i = 0; i < CELLS; i++)
            w->barrier[i] = i % 3 ? INFINITY : 3.5;
        CHECK(burn(w, FRONTS[f], true, 3, NULL) == ZM_OK);
        CHECK(memcmp(before, w->T, CELLS * sizeof *before) == 0);
    }
    free(before);
    world_free(w);
}

/* Sources in barriers are left out.  Where all are, and where the ignition is in one or a time is not a
 * number, that is refused. */
TEST(ignitions_in_barriers_are_left_out_or_refused)
{
    world *w = world_new();
    const zm_source pair[2] = { { 5, 5, 0 }, { 5, 30, 0 } };
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    zm_physics *physics;
    zm_error err;

    for (int f = 0; f < 2; f++) {
        opts.front = FRONTS[f];
        params.barrier = w->barrier;
        for (int i = 0; i < CELLS; i++)
            w->barrier[i] = i == 5 * SIDE + 30 ? 0 : INFINITY;
        CHECK(zm_physics_create(&physics, &w->land.land, &opts, NULL) == ZM_OK);
        CHECK(zm_physics_set_fire(physics, &w->fire, &params, 2, NULL) == ZM_OK);
        CHECK(zm_physics_arrival(physics, pair, 2, 0.3, w->T, &err) == ZM_OK);
        CHECK(w->T[5 * SIDE + 5] == 0 && w->T[5 * SIDE + 30] == INFINITY);
        CHECK(zm_physics_arrival(physics, pair + 1, 1, 0.3, w->T, &err) == ZM_E_SOURCE);
        CHECK(strstr(err.text, "barrier") != NULL);
        w->barrier[w->fire.row * SIDE + w->fire.col] = -1;
        CHECK(burn(w, FRONTS[f], true, 2, &err) == ZM_E_SOURCE);
        CHECK(strstr(err.text, "barrier") != NULL);
        w->barrier[7] = (double)NAN;
        CHECK(burn(w, FRONTS[f], true, 2, &err) == ZM_E_ARG && err.cell == 7);
        zm_physics_destroy(physics);
    }
    world_free(w);
}

/* Times around a barrier have the derivatives of the same solve: against central differences in the
 * wind, where the way past the end of the line stays the same. */
TEST(derivatives_hold_around_barriers)
{
    world *w = world_new();
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_physics_change change = ZM_PHYSICS_CHANGE_INIT;
    double *dT = malloc(CELLS * sizeof *dT), *up = malloc(CELLS * sizeof *up);
    const double h = 1e-5;
    zm_physics *physics;
    int compared = 0;

    draw_line(w, 0.3, 5, 0.8);
    for (int k = 0; k < SIDE / 3; k++) /* an end to go around */
        for (int row = 0; row < SIDE; row++)
            w->barrier[row * SIDE + k] = INFINITY;
    params.barrier = w->barrier;
    change.wind_factor = 1;
    CHECK(zm_physics_create(&physics, &w->land.land, NULL, NULL) == ZM_OK);
    for (int sign = -1; sign <= 1; sign += 2) {
        params.wind_factor = 1 + sign * h;
        CHECK(zm_physics_set_fire(physics, &w->fire, &params, 4, NULL) == ZM_OK);
        CHECK(zm_physics_arrival(physics, NULL, 0, 4, sign < 0 ? w->T : up, NULL) ==
              ZM_OK);
    }
    params.wind_factor = 1;
    CHECK(zm_physics_set_fire(physics, &w->fire, &params, 4, NULL) == ZM_OK);
    CHECK(zm_physics_arrival(physics, NULL, 0, 4, dT, NULL) == ZM_OK);
    CHECK(zm_physics_tangent(physics, &change, dT, NULL) >= 0);
    for (int i = 0; i < CELLS; i++)
        if (up[i] < INFINITY && w->T[i] < INFINITY)
            compared += fabs((up[i] - w->T[i]) / (2 * h) - dT[i]) < 1e-4;
        else
            compared += dT[i] == 0;
    CHECK_MSG(compared > 0.97 * CELLS, "%d of %d", compared, CELLS);
    zm_physics_destroy(physics);
    free(dT);
    free(up);
    world_free(w);
}
