/* SPDX-License-Identifier: Apache-2.0
 * Geometries drawn on a grid. */
#ifndef ZM_GEO_SHAPE_H
#define ZM_GEO_SHAPE_H

#include <stdbool.h>

#include "zermelo/fire/geo.h"

/** A grid to draw on. */
typedef struct zm_geo_canvas zm_geo_canvas;

/** wkt: coordinate system of the shapes, NULL or "": that of the grid.
 *  @return ZM_OK, ZM_E_FORMAT, ZM_E_NOMEM */
zm_status zm_geo_canvas_open(zm_geo_canvas **out, int32_t rows, int32_t cols,
                             const zm_georeference *where, const char *wkt,
                             zm_error *err);
void zm_geo_canvas_close(zm_geo_canvas *canvas);

/** From now on polygons cover all cells that they touch. */
void zm_geo_canvas_touch(zm_geo_canvas *canvas);

/** What was drawn, and the window of the grid that holds it. */
typedef struct zm_geo_drawn {
    int dimension;      /**< 0: points, 1: lines, 2: polygons */
    bool outside;       /**< some of it lies beyond the grid */
    bool far;           /**< some of it lies so far beyond that it cannot be drawn */
    double x, y;        /**< a point of it, in the coordinates of the grid */
    int32_t row, col;   /**< north-west cell of the window */
    int32_t rows, cols; /**< of the window; 0: all of it lies beyond the grid */
} zm_geo_drawn;

/**
 * Draws well-known binary or GeoJSON: cells in which points lie, that lines touch, whose centres
 * polygons hold.
 *
 * @param name in   for messages
 * @param mask out  rows*cols of the grid are enough; of them the first drawn->rows*cols, by rows
 *                  of the window, 1: drawn
 * @return ZM_OK, ZM_E_ARG (no geometry, an empty one, a collection), ZM_E_FORMAT, ZM_E_NOMEM
 */
zm_status zm_geo_canvas_draw(const zm_geo_canvas *canvas, const void *bytes, size_t n,
                             const char *name, uint8_t *mask, zm_geo_drawn *drawn,
                             zm_error *err);

#endif
