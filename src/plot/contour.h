/* SPDX-License-Identifier: Apache-2.0
 * Lines of equal value in a field, joined into polylines. */
#ifndef ZM_PLOT_CONTOUR_H
#define ZM_PLOT_CONTOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zermelo/alloc.h"
#include "zermelo/status.h"

/** In cells: x is the column, y the row; whole numbers are cell centres. */
typedef struct contour_point {
    double x, y;
} contour_point;

/** Points [first, first + n) of the set; a closed line does not repeat its first point. */
typedef struct contour_line {
    size_t first, n;
    bool closed;
} contour_line;

/** Lines of one level.  All zero is empty; free with zm_plot_contour_free. */
typedef struct contour_set {
    contour_point *points;
    size_t n_points, point_room;
    contour_line *lines;
    size_t n_lines, line_room;
} contour_set;

/**
 * Traces the level through the squares between four cell centres (marching squares).
 * Squares with a corner that is not finite are left out; in a saddle the mean of the
 * corners decides which pairs are joined.  Lines of one level never cross.
 *
 * @param values in   rows*cols
 * @param out    out  overwritten; empty after a failure
 * @return ZM_OK, ZM_E_NOMEM
 */
zm_status zm_plot_contour_trace(const zm_alloc *mem, int32_t rows, int32_t cols,
                                const double *values, double level, contour_set *out,
                                zm_error *err);

void zm_plot_contour_free(const zm_alloc *mem, contour_set *set);

#endif
