/* SPDX-License-Identifier: Apache-2.0
 * The pictures of the demo. */
#ifndef ZM_DEMO_PICTURES_H
#define ZM_DEMO_PICTURES_H

#include "zermelo/plot/plot.h"

#include "landscape.h"

/** What the solver found; planes of rows*cols values. */
typedef struct findings {
    double *T;      /**< arrival times, hours */
    double *delay;  /**< delay of the arrival in the village by slower ground: minutes
                          for one per cent on one square km */
    uint8_t *codes; /**< winning triangles, see zermelo/diagnose.h */
} findings;

typedef struct picture_size {
    double width;  /**< in points, 1/72 inch */
    double pixels; /**< for one point */
} picture_size;

enum { N_PICTURES = 4 };

/** File name of a picture, without its folder. */
const char *picture_name(int i);

/** Draws picture i into a file. */
zm_status picture_draw(int i, const landscape *land, const findings *found,
                       picture_size size, const char *path, zm_error *err);

#endif
