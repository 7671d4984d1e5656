/* SPDX-License-Identifier: Apache-2.0
 * Drawing the parts of a panel; all in the coordinates of the page. */
#ifndef ZM_PLOT_DRAW_H
#define ZM_PLOT_DRAW_H

#include "plot/arena.h"
#include "plot/canvas.h"
#include "plot/layout.h"

/* Layers on a grid. */
void zm_plot_draw_image(const canvas *c, const panel *p, const image_layer *image);
void zm_plot_draw_walls(const canvas *c, const panel *p, const layer *l);
zm_status zm_plot_draw_contours(const canvas *c, const panel *p, const layer *l,
                                arena *scratch, zm_error *err);
void zm_plot_draw_arrows(const canvas *c, const panel *p, const layer *l);
void zm_plot_draw_ellipses(const canvas *c, const panel *p, const layer *l);

/* Layers in coordinates. */
void zm_plot_draw_points(const canvas *c, const panel *p, const layer *l);
void zm_plot_draw_line(const canvas *c, const panel *p, const layer *l);
void zm_plot_draw_band(const canvas *c, const panel *p, const layer *l);
void zm_plot_draw_bars(const canvas *c, const panel *p, const layer *l);
void zm_plot_draw_guide(const canvas *c, const panel *p, const layer *l);
void zm_plot_draw_bins(const canvas *c, const panel *p, const layer *l);
void zm_plot_draw_steps(const canvas *c, const panel *p, const layer *l);
void zm_plot_draw_text(const canvas *c, const panel *p, const layer *l);

/* Around them. */
void zm_plot_draw_grid_lines(const canvas *c, const panel *p);
void zm_plot_draw_axes(const canvas *c, const panel *p);
void zm_plot_draw_bar(const canvas *c, const panel *p);
void zm_plot_draw_legend(const canvas *c, const panel *p);

/** Restricts drawing to the area of the panel; undone by cairo_restore. */
void zm_plot_clip_to_area(const canvas *c, const panel *p);

/** Whether a place lies in the area, give or take rounding. */
bool zm_plot_is_in_area(const panel *p, double x, double y);

/** Colour of the last image at a place of the page, or of the paper. */
void zm_plot_color_below(const canvas *c, const panel *p, double x, double y,
                         double rgb[3]);

/** Which side of a point its name stands on: 1 for the right, -1 for the left. */
double zm_plot_name_side(const canvas *c, const panel *p, const char *name, double x,
                         double marker_size);

/** Distance from a point to its name. */
double zm_plot_name_gap(const canvas *c, double marker_size);

/** Whether white stands out against a colour more than ink does. */
bool zm_plot_is_dark(const double rgb[3]);

/** Whether a colour can hardly be seen on the paper. */
bool zm_plot_looks_like_paper(const canvas *c, zm_plot_rgba color);

/** Ink or white, whichever stands out against a colour. */
zm_plot_rgba zm_plot_contrast_color(const double rgb[3]);

/** Page coordinate of zero, or of the end of a log axis: where bars stand. */
double zm_plot_base_line(const panel *p);

/** Where a bar lies on the page; flat where it has no height. */
rect zm_plot_bar_box(const panel *p, const bars_layer *bars, size_t i);

/** How much of its colour a band shows. */
extern const double zm_plot_band_opacity;

/** An error bar between two values, at a page coordinate x. */
void zm_plot_draw_error_bar(const canvas *c, const panel *p, double x, double low,
                            double high, zm_plot_rgba color);

/** Names of the categories, from y downwards. */
void zm_plot_draw_categories(const canvas *c, const panel *p, double y);

/** Adds to the path the unit ball of sqrt(v'Gv) - b.v, scaled, around a place of the page;
 *  x_unit and y_unit are the page lengths of one unit along the axes. */
void zm_plot_path_ellipse(const canvas *c, const ellipse *e, point at, double x_unit,
                          double y_unit);

/** Colours of layers left automatic. */
zm_plot_rgba zm_plot_layer_color(const canvas *c, const layer *l);

#endif
