/* SPDX-License-Identifier: Apache-2.0
 * Which values an axis spans, and where they lie on the page. */
#ifndef ZM_PLOT_RANGE_H
#define ZM_PLOT_RANGE_H

#include <stdbool.h>

#include "plot/figure.h"

/** Values lo..hi of an axis lie on the page between `from` and `to`. */
typedef struct axis_map {
    zm_plot_scale scale;
    double lo, hi, from, to;
} axis_map;

/** Page coordinate of a value, kept within a few pages; NaN where it cannot be shown. */
double zm_plot_axis_place(const axis_map *axis, double value);

/** Value at a page coordinate. */
double zm_plot_axis_value(const axis_map *axis, double place);

/** Scale and range of a plot's axis, with some air around curves; not yet on the page.
 *  Fields and categories have linear axes. */
axis_map zm_plot_range(const zm_plot *plot, bool along_x);

#endif
