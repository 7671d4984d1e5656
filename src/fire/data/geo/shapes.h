/* SPDX-License-Identifier: Apache-2.0
 * Points, lines and polygons of a vector file, with their times and numbers. */
#ifndef ZM_GEO_SHAPES_H
#define ZM_GEO_SHAPES_H

#include <stddef.h>

#include "fire/data/geo/date.h"
#include "zermelo/status.h"

enum { ZM_MOST_SHAPE_NUMBERS = 8 };

/** A geometry with what its feature says. */
typedef struct zm_feature {
    unsigned char *bytes; /**< well-known binary */
    size_t n;
    double hours; /**< of the field time_h; NAN: not told */
    bool dated;
    zm_date date;                          /**< where dated */
    double numbers[ZM_MOST_SHAPE_NUMBERS]; /**< of the fields asked for; NAN: not told */
} zm_feature;

typedef struct zm_shapes {
    const char *path; /**< as it was given */
    char *wkt;        /**< coordinate system; NULL: unknown */
    zm_feature *items;
    size_t n, room;
    size_t memory; /**< that the shapes take, bytes */
} zm_shapes;

/**
 * Reads all shapes of the first layer.  Those without a geometry are left out.
 *
 * @param numbers in  names of fields of numbers, at most ZM_MOST_SHAPE_NUMBERS, and NULL behind
 *                    them; NULL: neither times nor numbers are looked at
 * @param out     out to be freed with zm_geo_shapes_free, also after a failure
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT (no shapes, dates that cannot be read), ZM_E_NOMEM
 */
zm_status zm_geo_shapes_read(const char *path, const char *const *numbers, zm_shapes *out,
                         zm_error *err);
void zm_geo_shapes_free(zm_shapes *shapes);

#endif
