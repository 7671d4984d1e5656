/* SPDX-License-Identifier: Apache-2.0
 * How values become colours: range, clipping, table. */
#ifndef ZM_PLOT_COLOR_SCALE_H
#define ZM_PLOT_COLOR_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/arena.h"
#include "plot/colormap.h"
#include "zermelo/plot/plot.h"

typedef struct color_scale {
    zm_plot_colors spec; /* strings belong to the figure */
    double lo, hi;       /* shown range; passed by zm_plot_ticks_make_range */
    bool below, above;   /* some values lie beyond */
    colormap table;
} color_scale;

/** Chooses the range for n values.  spec has been validated. */
zm_status zm_plot_color_scale_make(arena *memory, const zm_plot_colors *spec,
                                   const double *values, size_t n, color_scale *out,
                                   zm_error *err);

/** Place of a finite value in the map, in [0, 1]. */
double zm_plot_color_scale_place(const color_scale *scale, double value);

/** Colour of a value as sRGB; NULL where it is not finite. */
const double *zm_plot_color_scale_at(const color_scale *scale, double value);

#endif
