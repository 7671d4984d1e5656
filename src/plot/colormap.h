/* SPDX-License-Identifier: Apache-2.0
 * Colour maps as tables, and the list of colours for curves. */
#ifndef ZM_PLOT_COLORMAP_H
#define ZM_PLOT_COLORMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "zermelo/plot/plot.h"

enum { COLORMAP_SIZE = 257 }; /* odd: the middle of a diverging map is an entry */

/** Evenly spaced colours of a map, first to last. */
typedef struct colormap {
    double rgb[COLORMAP_SIZE][3];
} colormap;

/** Fills a table; an unknown map gives ZM_MAP_SEA. */
void zm_plot_colormap_build(zm_plot_map map, bool reversed, colormap *table);

/** The entry for t in [0, 1]; clamped, NaN as 0. */
const double *zm_plot_colormap_at(const colormap *table, double t);

/** The i-th colour for curves and points on the paper of a theme; the list repeats. */
zm_plot_rgba zm_plot_colormap_series(zm_plot_theme theme, size_t i);

#endif
