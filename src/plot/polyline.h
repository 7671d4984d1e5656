/* SPDX-License-Identifier: Apache-2.0
 * Lines on the page without the points that nobody can see. */
#ifndef ZM_PLOT_POLYLINE_H
#define ZM_PLOT_POLYLINE_H

#include <stdbool.h>

/** How far a line may be moved, in points of the page: a tenth of a thin stroke. */
extern const double zm_plot_polyline_tolerance;

typedef struct point {
    double x, y;
} point;

/** A line that points are given to one by one.  All zero is a line without points. */
typedef struct polyline {
    int n;                 /* points seen: 0, 1, or 2 for more */
    point kept, last;      /* the last one to be drawn; the last one given */
    bool is_narrowed;      /* the directions from `kept` are restricted: */
    double way, low, high; /* to way + low .. way + high, as angles */
    double reach;          /* largest distance from `kept` of those left out */
} polyline;

/**
 * Gives the line its next point.  Where it returns true, *out is the next point to be
 * drawn.  Every point left out lies within the tolerance of the drawn line; its ends, see
 * zm_plot_polyline_end, are never left out.  Coordinates are finite.
 */
bool zm_plot_polyline_add(polyline *line, point next, point *out);

/** Ends the line and empties it.  Where it returns true, *out is still to be drawn. */
bool zm_plot_polyline_end(polyline *line, point *out);

#endif
