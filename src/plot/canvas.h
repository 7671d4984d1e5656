/* SPDX-License-Identifier: Apache-2.0
 * A page to draw on, in points from its upper left corner: colours, text, shapes. */
#ifndef ZM_PLOT_CANVAS_H
#define ZM_PLOT_CANVAS_H

#include <cairo.h>
#include <pango/pangocairo.h>
#include <stdbool.h>

#include "plot/polyline.h"
#include "zermelo/plot/plot.h"

typedef struct rect {
    double x, y, w, h; /* upper left corner and size */
} rect;

typedef struct theme {
    zm_plot_theme name;
    zm_plot_rgba paper, ink;
    zm_plot_rgba soft;    /* frames and ticks */
    zm_plot_rgba faint;   /* grid lines */
    zm_plot_rgba missing; /* cells without a value */
    zm_plot_rgba wall;
} theme;

typedef struct canvas {
    cairo_t *cr;
    PangoFontMap *fonts;
    PangoLayout *layout; /* the one text at work */
    const theme *theme;
    double em; /* font size of the figure */
} canvas;

/** Prepares text on a Cairo context, which stays the caller's.  False: out of memory. */
bool zm_plot_canvas_open(canvas *c, cairo_t *cr, const zm_figure_opts *opts);
void zm_plot_canvas_close(canvas *c);

/** The same colour with its opacity multiplied. */
zm_plot_rgba zm_plot_fade(zm_plot_rgba color, double opacity);
zm_plot_rgba zm_plot_rgba_from(const double rgb[3]);

void zm_plot_set_color(const canvas *c, zm_plot_rgba color);
void zm_plot_set_dash(const canvas *c, zm_plot_dash dash, double width);
void zm_plot_path_rect(const canvas *c, rect r);
void zm_plot_stroke_segment(const canvas *c, double x0, double y0, double x1,
                            double y1);

/** A path drawn point by point, without those that nobody can see; zm_plot_pen_up ends a line.
 *  All zero is a pen that is up. */
typedef struct pen {
    polyline line;
} pen;
void zm_plot_pen_to(const canvas *c, pen *p, double x, double y);
void zm_plot_pen_up(const canvas *c, pen *p);

/** Adds a dot to the path: a line of no length, whose round ends zm_plot_stroke_dots shows. */
void zm_plot_path_dot(const canvas *c, double x, double y);
void zm_plot_stroke_dots(const canvas *c, double diameter, zm_plot_rgba color);

typedef struct text_style {
    double size; /* in points */
    bool bold;
    double angle; /* radians, clockwise on the page */
    double wrap;  /* width to break lines at, or 0 */
    double anchor_x,
        anchor_y; /* (0, 0): lower left of the text lies at the given place */
    zm_plot_rgba color;
    zm_plot_rgba halo; /* 0: none */
} text_style;

/** Width and height; NULL or "" has none. */
point zm_plot_text_measure(const canvas *c, const char *text, const text_style *style);
void zm_plot_text_draw(const canvas *c, const char *text, double x, double y,
                       const text_style *style);

/** A marker of a diameter, filled with the colour and set off by a thin paper outline. */
void zm_plot_draw_marker(const canvas *c, zm_plot_marker marker, double x, double y,
                         double size, zm_plot_rgba color);

/** Adds an arrow from one point to another to the path; one too short for a direction is
 *  left out. */
void zm_plot_path_arrow(const canvas *c, point from, point to);

#endif
