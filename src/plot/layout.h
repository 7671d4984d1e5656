/* SPDX-License-Identifier: Apache-2.0
 * Where everything of a figure goes on the page: ranges, ticks, margins, boxes. */
#ifndef ZM_PLOT_LAYOUT_H
#define ZM_PLOT_LAYOUT_H

#include <stdbool.h>

#include "plot/arena.h"
#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/range.h"
#include "plot/ticks.h"

typedef struct panel {
    const zm_plot *plot;
    bool is_used, has_field;
    bool has_categories; /* names below the area instead of numbers */
    axis_map x, y;
    tick_set x_ticks, y_ticks, bar_ticks;
    const color_scale *scale; /* of the colour bar, or NULL */
    rect area;                /* the drawing itself */
    rect bar;                 /* the colour bar beside it */
    enum { LEGEND_NOWHERE, LEGEND_BELOW, LEGEND_INSIDE } legend;
    struct {
        double left, right, top, bottom;
    } need; /* room for what stands around the area */
} panel;

typedef struct page {
    double width, height;
    panel *panels; /* rows*cols of the figure */
} page;

/** Distances on the page, as multiples of the font size. */
typedef struct spacing {
    double margin;         /* around the figure */
    double between;        /* columns or rows of plots */
    double tick, tick_gap; /* length of a tick; from there to its number */
    double label_gap;      /* to axis labels, titles */
    double bar_gap, bar_width;
    double legend_gap, legend_line, swatch;
    double title, small; /* font sizes */
} spacing;
extern const spacing zm_plot_space;

/** Lays the figure out.  The panels live in the scratch arena. */
zm_status zm_plot_layout_make(const canvas *c, const zm_figure *figure, arena *scratch,
                              page *out, zm_error *err);

text_style zm_plot_plain_text(const canvas *c, double anchor_x, double anchor_y);
/** Numbers at ticks, and what is written in their size. */
text_style zm_plot_number_text(const canvas *c, double anchor_x, double anchor_y);
/** Text along an edge of the area of this length; broken where it is longer. */
text_style zm_plot_label_text(const canvas *c, double anchor_y, double length);
text_style zm_plot_title_text(const canvas *c, double wrap);
text_style zm_plot_figure_title_text(const canvas *c, double wrap);

/** Room that the names of categories take below the area, and to the left of it. */
typedef struct names_room {
    double below, left;
} names_room;
names_room zm_plot_categories_room(const canvas *c, const panel *p);

/** Widens an automatic y axis by what the texts above bars need. */
void zm_plot_make_room_for_bar_texts(const canvas *c, panel *p);

/** Height of what stands at the ticks below the area, from the frame on; 0: nothing. */
double zm_plot_x_numbers_height(const canvas *c, const panel *p);

/** Chooses where the legend goes, given the panel's area. */
void zm_plot_legend_decide(const canvas *c, panel *p);

/** Height of a legend below an area of this width. */
double zm_plot_legend_height_below(const canvas *c, const panel *p, double width);

#endif
