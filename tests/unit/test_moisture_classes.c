/* SPDX-License-Identifier: Apache-2.0
 * Classes of ground for which moisture is computed. */
#include <math.h>

#include "check.h"
#include "fire/science/moisture_classes.h"

enum { SIDE = 4, CELLS = SIDE * SIDE };

/** A small landscape of which only the ground counts. */
typedef struct ground_land {
    float elevation[CELLS], slope[CELLS], aspect[CELLS], cover[CELLS];
    zm_landscape land;
} ground_land;

static void make(ground_land *g)
{
    g->land = (zm_landscape){
        .size = sizeof(zm_landscape), .rows = SIDE, .cols = SIDE, .cell = 30
    };
    for (int i = 0; i < CELLS; i++) {
        g->elevation[i] = (float)(100 + 60 * i);
        g->slope[i] = (float)(i * 4 % 61);
        g->aspect[i] = (float)(i * 47 % 361 - (i % 3 == 1 ? 361 : 0));
        g->cover[i] = (float)(i * 7 % 101);
    }
    g->land.layers[ZM_LAYER_ELEVATION] = g->elevation;
    g->land.layers[ZM_LAYER_SLOPE] = g->slope;
    g->land.layers[ZM_LAYER_ASPECT] = g->aspect;
    g->land.layers[ZM_LAYER_COVER] = g->cover;
}

/* Shares are weights, and places are in the grid; aspect and cover of a cell are the weighted
 * means of those of its places, and its elevation is not above theirs by a class. */
TEST(the_places_of_a_cell_surround_it)
{
    ground_land g;
    zm_ground_classes c;
    int32_t rows, cols;

    make(&g);
    c = zm_ground_classes_of(&g.land);
    zm_ground_places(&c, &g.land, &rows, &cols);
    CHECK(rows == 5 * 6 && cols == 9 * 6);
    for (int i = 0; i < CELLS; i++) {
        zm_place place[ZM_PLACES_OF_CELL];
        const int n = zm_ground_places_of_cell(&c, &g.land, i / SIDE, i % SIDE, place);
        double sum = 0, aspect = 0, cover = 0;

        CHECK(n >= 1 && n <= ZM_PLACES_OF_CELL);
        for (int k = 0; k < n; k++) {
            const zm_ground p =
                zm_ground_of_place(&c, &g.land, place[k].row, place[k].col);

            CHECK(place[k].row >= 0 && place[k].row < rows);
            CHECK(place[k].col >= 0 && place[k].col < cols);
            CHECK(place[k].share > 0);
            sum += place[k].share;
            aspect += place[k].share * p.aspect;
            cover += place[k].share * p.cover;
            CHECK(fabs(p.elevation - (double)g.elevation[i]) <= 200);
        }
        CHECK_NEAR(sum, 1, 1e-12);
        CHECK_NEAR(aspect * 180 / 3.14159265358979323846,
                   fmod((double)g.aspect[i] + 720, 360), 1e-9);
        if (g.cover[i] < 75)
            CHECK_NEAR(cover, (double)g.cover[i], 1e-9);
    }
}

/* As FARSITE does it: all places of a cell are of the class of elevation above it (the highest
 * where there is none), and the slopes below and above it weigh as the cell is on its way between
 * two elevations, wherever its own slope is.  Classes are 200 m from 100 m on, and 10 degrees. */
TEST(elevation_is_that_above_and_weighs_the_slopes)
{
    ground_land g;
    zm_ground_classes c;
    int apart = 0;

    make(&g);
    c = zm_ground_classes_of(&g.land);
    for (int i = 0; i < CELLS; i++) {
        const double height = (double)g.elevation[i], own = (double)g.slope[i];
        const double below = 100 + 200 * floor((height - 100) / 200);
        const double way = (height - below) / 200;
        zm_place place[ZM_PLACES_OF_CELL];
        const int n = zm_ground_places_of_cell(&c, &g.land, i / SIDE, i % SIDE, place);
        double slope = 0;

        for (int k = 0; k < n; k++) {
            const zm_ground p =
                zm_ground_of_place(&c, &g.land, place[k].row, place[k].col);

            CHECK_NEAR(p.elevation, fmin(below + 200, 900), 1e-9);
            slope += place[k].share * p.slope * 180 / 3.14159265358979323846;
        }
        if (own >= 50) /* there is no steeper class */
            continue;
        CHECK_NEAR(slope, 10 * (floor(own / 10) + way), 1e-9);
        apart += fabs(slope - own) > 1;
    }
    CHECK_MSG(apart > 5, "%d cells have other slopes than their own", apart);
}

/* As FARSITE counts them: where the least cover is 20 %, a cell of 20 % is a third of the way
 * from the second class, 35 %, to the third, 50 %. */
TEST(cover_is_counted_from_zero)
{
    zm_place place[ZM_PLACES_OF_CELL];
    zm_ground_classes c;
    ground_land g;
    double cover = 0;
    int n;

    make(&g);
    for (int i = 0; i < CELLS; i++)
        g.cover[i] = i ? 20 + 4 * (float)(i % 11) : 20;
    c = zm_ground_classes_of(&g.land);
    n = zm_ground_places_of_cell(&c, &g.land, 0, 0, place);
    for (int k = 0; k < n; k++)
        cover += place[k].share *
                 zm_ground_of_place(&c, &g.land, place[k].row, place[k].col).cover;
    CHECK_NEAR(cover, 40, 1e-9);
}

/* Without classes each cell is a place of its own, with its own ground. */
TEST(without_classes_a_cell_is_its_own_place)
{
    const zm_ground_classes off = { .on = false };
    zm_place place[ZM_PLACES_OF_CELL];
    ground_land g;
    int32_t rows, cols;

    make(&g);
    zm_ground_places(&off, &g.land, &rows, &cols);
    CHECK(rows == SIDE && cols == SIDE);
    CHECK(zm_ground_places_of_cell(&off, &g.land, 2, 3, place) == 1);
    CHECK(place[0].row == 2 && place[0].col == 3 && place[0].share == 1);
    CHECK_NEAR(zm_ground_of_place(&off, &g.land, 2, 3).cover, (double)g.cover[11], 0);
}

/* Level ground of one height and no cover: one class but for the aspect. */
TEST(even_ground_has_one_class)
{
    ground_land g;
    zm_ground_classes c;
    zm_place place[ZM_PLACES_OF_CELL];

    make(&g);
    for (int i = 0; i < CELLS; i++)
        g.elevation[i] = 250, g.slope[i] = g.aspect[i] = g.cover[i] = 0;
    c = zm_ground_classes_of(&g.land);
    CHECK(c.elevations == 1 && c.slopes == 1 && c.covers == 1);
    CHECK(zm_ground_places_of_cell(&c, &g.land, 1, 1, place) == 1);
    CHECK(zm_ground_of_place(&c, &g.land, place[0].row, place[0].col).elevation == 250);
}
