/* SPDX-License-Identifier: Apache-2.0
 * Plots that several experiments draw: a field of a medium with what belongs on it. */
#ifndef ZM_EXPERIMENTS_PANELS_H
#define ZM_EXPERIMENTS_PANELS_H

#include "medium.h"

/** A field of a medium.  x and y are distances from cell (0, 0), y downwards. */
typedef struct panel {
    const char *title;
    const char *label; /**< of the colour bar, with its unit; NULL: arrival time T */
    zm_plot_map map;   /**< ZM_MAP_DIVERGING for what has a sign: centred on zero */
    double min, max;   /**< fixed where min < max */
    zm_plot_scale scale;
    double clip;           /**< share of the extremes to leave out of the range */
    bool sources;          /**< stars where the front starts */
    bool isochrones;       /**< labelled contours of the values */
    const double *levels;  /**< of the isochrones; NULL: round ones */
    size_t n_levels;       /**< 0: about a dozen */
    bool ellipses, arrows; /**< of metric and drift */
    const char *x_label, *y_label; /**< NULL: "x", "y" */
} panel;

/** Draws it; more layers may follow. */
void panel_draw(zm_plot *plot, const medium *m, const double *values, const panel *p);
#define PANEL(plot, medium, values, ...)                                               \
    panel_draw((plot), (medium), (values), &(panel){ __VA_ARGS__ })

/** Arrival time with isochrones and source stars. */
#define PANEL_ARRIVAL(plot, medium, T, ...)                                            \
    PANEL(plot, medium, T, .isochrones = true, .sources = true, __VA_ARGS__)

/** Stars at the sources; `label` in the legend, or NULL. */
void panel_sources(zm_plot *plot, const medium *m, const char *label);

#endif
