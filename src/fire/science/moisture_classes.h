/* SPDX-License-Identifier: Apache-2.0
 * Where the moisture of a cell comes from: places for which it is computed. */
#ifndef ZM_PHYSICS_MOISTURE_CLASSES_H
#define ZM_PHYSICS_MOISTURE_CLASSES_H

#include <stdbool.h>

#include "fire/science/moisture.h"
#include "zermelo/fire/landscape.h"

/** Classes of ground in a landscape. */
typedef struct zm_ground_classes {
    bool on; /* else every cell is a place of its own */
    double low_elevation, low_slope, low_cover;
    int32_t elevations, slopes, covers; /* numbers of classes */
} zm_ground_classes;

/** A place and its share in the moisture of a cell. */
typedef struct zm_place {
    int32_t row, col; /* in the grid of zm_ground_places */
    double share;
} zm_place;

enum { ZM_PLACES_OF_CELL = 8 };

zm_ground_classes zm_ground_classes_of(const zm_landscape *land);

/** Rows and columns of the grid of places. */
void zm_ground_places(const zm_ground_classes *classes, const zm_landscape *land,
                      int32_t *rows, int32_t *cols);

zm_ground zm_ground_of_cell(const zm_landscape *land, int32_t row, int32_t col);

/** Ground of a place. */
zm_ground zm_ground_of_place(const zm_ground_classes *classes, const zm_landscape *land,
                             int32_t row, int32_t col);

/** The places that share in a cell; returns how many. */
int zm_ground_places_of_cell(const zm_ground_classes *classes, const zm_landscape *land,
                             int32_t row, int32_t col,
                             zm_place place[ZM_PLACES_OF_CELL]);

#endif
