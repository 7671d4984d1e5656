/* SPDX-License-Identifier: Apache-2.0
 * Outlines of {T <= level} on a grid, as closed rings. */
#ifndef ZM_GEO_OUTLINE_H
#define ZM_GEO_OUTLINE_H

#include <stddef.h>
#include <stdint.h>

#include "zermelo/status.h"

/** Points in cells: (0.5, 0.5) is the centre of the first cell, x along columns, y along rows
 *  downwards. */
typedef struct zm_outline_point {
    double x, y;
} zm_outline_point;

typedef struct zm_ring {
    size_t begin, n; /**< of the points; the last one is not the first again */
    double
        area; /**< cells; > 0: a shell, seen with y upwards counter-clockwise; < 0: a hole */
    size_t shell; /**< of a hole: the ring it lies in; of a shell itself */
} zm_ring;

/** Rings that neither cross nor touch.  Free with zm_outline_free. */
typedef struct zm_outline {
    zm_outline_point *points;
    zm_ring *rings;
    size_t n_points, n_rings, room_points, room_rings;
} zm_outline;

zm_status zm_outline_find(const float *T, int32_t rows, int32_t cols, double level,
                          zm_outline *out, zm_error *err);
void zm_outline_free(zm_outline *outline);

#endif
