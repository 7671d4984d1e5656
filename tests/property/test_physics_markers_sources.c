/* SPDX-License-Identifier: Apache-2.0
 * Fronts of points around cells that are set on fire. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "support/steady.h"
#include "zermelo/fire/physics.h"

enum { SIDE = 81, MIDDLE = 40, CELLS = SIDE * SIDE };

enum { BLOCK = 11, BLOCK_CELLS = BLOCK * BLOCK };

/* A square of cells about the middle without those nearer than `hole` to it. */
static size_t square(zm_source sources[BLOCK_CELLS], int hole, double time)
{
    size_t n = 0;

    for (int row = -BLOCK / 2; row <= BLOCK / 2; row++)
        for (int col = -BLOCK / 2; col <= BLOCK / 2; col++)
            if (abs(row) >= hole || abs(col) >= hole)
                sources[n++] = (zm_source){ MIDDLE + row, MIDDLE + col, time };
    return n;
}

/* The least time from the middles of the cells of the square. */
static double time_from_square(const zm_surface_fire *one, double x, double y)
{
    double first = HUGE_VAL;

    for (int row = -BLOCK / 2; row <= BLOCK / 2; row++)
        for (int col = -BLOCK / 2; col <= BLOCK / 2; col++)
            first = fmin(first, ellipse_time(one, 30 * (x - col), 30 * (y - row)));
    return first;
}

/* From a square of cells that burn the front is that of ellipses from all of them.  It starts
 * half a cell outside their middles, which is what it is ahead by at most, and its corners are
 * cut: from there it is late by less than that.  A front that starts later is as much later
 * everywhere, as the weather is steady, but for moves that are cut short where fronts meet. */
TEST(a_front_from_burning_cells_is_that_of_ellipses_from_all_of_them)
{
    static zm_source sources[BLOCK_CELLS];
    test_land land = test_land_level(SIDE, SIDE, 2);
    double *T = malloc(CELLS * sizeof *T), *later = malloc(CELLS * sizeof *later);
    const size_t n = square(sources, 0, 0);
    const zm_surface_fire one = steady_grass(&land);
    int compared = 0;

    CHECK(steady_burn(&land, sources, n, NULL, 2, T) == ZM_OK);
    square(sources, 0, 1.25);
    CHECK(steady_burn(&land, sources, n, NULL, 2 + 1.25, later) == ZM_OK);
    for (int i = 0; i < CELLS; i++) {
        const double x = i % SIDE - MIDDLE, y = i / SIDE - MIDDLE;
        const double exact = time_from_square(&one, x, y);
        const double half_a_cell = ellipse_time(&one, -15, 0); /* at the most */

        CHECK((T[i] == 0) == (fmax(fabs(x), fabs(y)) <= BLOCK / 2));
        if (!(T[i] > 0 && T[i] < INFINITY))
            continue;
        CHECK_AT_MOST(T[i] - exact, 0.5 * half_a_cell + 0.02 * exact);
        CHECK_AT_MOST(exact - T[i], half_a_cell + 0.02 * exact);
        CHECK_NEAR(later[i] - T[i], 1.25, 0.01);
        compared++;
    }
    CHECK_MSG(compared > 500, "%d cells", compared);
    free(T);
    free(later);
    test_land_free(&land);
}

/* What burning cells enclose burns from its rim inwards, the middle last. */
TEST(a_hole_in_what_burns_is_closed_from_its_rim)
{
    static zm_source sources[BLOCK_CELLS];
    test_land land = test_land_level(SIDE, SIDE, 2);
    double *T = malloc(CELLS * sizeof *T);
    const size_t n = square(sources, 4, 0);
    double rim = 0;

    CHECK(steady_burn(&land, sources, n, NULL, INFINITY, T) == ZM_OK);
    for (int i = 0; i < CELLS; i++)
        CHECK(T[i] < INFINITY);
    for (int row = MIDDLE - 3; row <= MIDDLE + 3; row++)
        for (int col = MIDDLE - 3; col <= MIDDLE + 3; col++) {
            CHECK(T[row * SIDE + col] > 0);
            if (abs(row - MIDDLE) == 3 || abs(col - MIDDLE) == 3)
                rim = fmax(rim, T[row * SIDE + col]);
        }
    CHECK(T[MIDDLE * SIDE + MIDDLE] > 0.9 * rim);
    CHECK_MSG(T[MIDDLE * SIDE + MIDDLE] < T[MIDDLE * SIDE + MIDDLE + BLOCK],
              "%g h, %g h outside", T[MIDDLE * SIDE + MIDDLE],
              T[MIDDLE * SIDE + MIDDLE + BLOCK]);
    free(T);
    test_land_free(&land);
}

/* Fires do not know of each other, so together they have the earlier time of either, whatever
 * the order in which they are given. */
TEST(fires_that_start_at_their_own_times_burn_what_either_burns_first)
{
    const zm_source two[2] = { { 30, 30, 0 }, { 45, 52, 0.75 } },
                    turned[3] = { two[1], two[0], two[1] };
    test_land land = test_land_hills(SIDE, SIDE, 5);
    double *T[4];
    int second = 0;

    for (int k = 0; k < 4; k++)
        T[k] = malloc(CELLS * sizeof *T[k]);
    CHECK(steady_burn(&land, two, 1, NULL, 4, T[0]) == ZM_OK);
    CHECK(steady_burn(&land, two + 1, 1, NULL, 4, T[1]) == ZM_OK);
    CHECK(steady_burn(&land, two, 2, NULL, 4, T[2]) == ZM_OK);
    CHECK(steady_burn(&land, turned, 3, NULL, 4, T[3]) == ZM_OK);
    for (int i = 0; i < CELLS; i++) {
        const double first = fmin(T[0][i], T[1][i]);

        CHECK(T[3][i] == T[2][i]);
        CHECK_MSG(T[2][i] == first || fabs(T[2][i] - first) < 1e-9, "%g, %g", T[2][i],
                  first);
        second += T[1][i] < T[0][i];
    }
    CHECK_MSG(second > 50, "%d cells of the second", second);
    for (int k = 0; k < 4; k++)
        free(T[k]);
    test_land_free(&land);
}

TEST(sources_that_are_nowhere_or_never_are_refused)
{
    static const zm_source bad[] = { { -1, 4, 0 },  { 4, 9, 0 },        { NAN, 4, 0 },
                                     { 4, 4, -1 },  { 4, 4, INFINITY }, { 4, 4, NAN },
                                     { 4, 8.5, 0 }, { 4, 4.3, 0 } };
    test_land land = test_land_level(9, 9, 1);
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire = test_fire(&land, weather);
    zm_source many[65];
    zm_error err;
    zm_physics *physics;
    double T[81];

    fire.row = fire.col = -1;
    CHECK(zm_physics_create(&physics, &land.land, NULL, NULL) == ZM_OK);
    CHECK(zm_physics_set_fire(physics, &fire, NULL, 5, NULL) == ZM_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (zm_error){ 0 };
        CHECK(zm_physics_markers(physics, &bad[i], 1, 1, T, NULL, &err) == ZM_E_SOURCE);
        CHECK_MSG(strstr(err.text, "source 0"), "%zu: %s", i, err.text);
    }
    CHECK(zm_physics_markers(physics, bad, 0, 1, T, NULL, &err) == ZM_E_SOURCE);
    CHECK(strstr(err.text, "no sources"));
    for (int i = 0; i < 65; i++)
        many[i] = (zm_source){ 4, 4, 0.01 * i };
    CHECK(zm_physics_markers(physics, many, 65, 1, T, NULL, &err) == ZM_E_SOURCE);
    CHECK(strstr(err.text, "different times"));
    CHECK(zm_physics_markers(physics, many, 64, 1, T, NULL, &err) == ZM_OK);
    zm_physics_destroy(physics);
    test_land_free(&land);
}
