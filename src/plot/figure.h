/* SPDX-License-Identifier: Apache-2.0
 * What a figure is made of once it has been described: plots, axes, layers.  The layers
 * hold copies, thinned, sorted or counted already; nothing here knows about Cairo. */
#ifndef ZM_PLOT_FIGURE_H
#define ZM_PLOT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plot/arena.h"
#include "plot/color_scale.h"
#include "zermelo/plot/plot.h"

/** Where a field lies: cell (row, col) is centred at (x0 + col*dx, y0 + row*dy). */
typedef struct placement {
    zm_grid grid;
    double x0, y0;
} placement;

typedef struct image_layer {
    placement place;
    double *values;
    color_scale scale;
    bool clear; /* cells that are not finite */
} image_layer;

typedef struct walls_layer {
    placement place;
    uint8_t *mask;
} walls_layer;

typedef struct contours_layer {
    placement place;
    double *values;
    double *levels;
    size_t n_levels;
    double resolution; /* smallest difference of two levels, for their labels */
    bool given;        /* levels as asked for: each label with the digits it needs */
    double width;
    bool has_labels;
} contours_layer;

typedef struct arrow {
    double x, y, u, v;
} arrow;

typedef struct arrows_layer {
    placement place;
    arrow *at;
    size_t n;
    double scale; /* length of unit magnitude, in the unit of the axes */
} arrows_layer;

/** Unit ball of sqrt(v'Gv) - b.v around (x, y). */
typedef struct ellipse {
    double x, y, g11, g12, g22, b1, b2;
} ellipse;

typedef struct ellipses_layer {
    placement place;
    ellipse *at;
    size_t n;
    double scale; /* time whose reach is drawn */
} ellipses_layer;

/** Ends of error bars, or both NULL. */
typedef struct error_ends {
    double *low, *high;
} error_ends;

typedef struct points_layer {
    double *x, *y;
    size_t n;
    zm_plot_marker marker;
    double size;
    double *values; /* or NULL */
    char **names;   /* or NULL */
    color_scale scale;
    error_ends errors;
} points_layer;

typedef struct line_layer {
    double *x, *y;
    size_t n;
    double width;
    zm_plot_dash dash;
    zm_plot_marker marker;
    error_ends errors;
} line_layer;

typedef struct band_layer {
    double *x, *low, *high;
    size_t n;
} band_layer;

typedef struct bars_layer {
    double *heights;
    char **names; /* of the categories; or NULL */
    char **texts; /* above the bars; or NULL */
    size_t n;
    size_t place; /* in its group, from 0 */
    error_ends errors;
} bars_layer;

typedef struct guide_layer {
    double x, y, slope;
    bool vertical;
    zm_plot_dash dash;
} guide_layer;

typedef struct bins_layer {
    double *edges, *heights; /* n + 1 and n */
    size_t n;
} bins_layer;

typedef struct steps_layer {
    double *sorted;
    size_t n;
    double width;
    zm_plot_dash dash;
} steps_layer;

typedef struct text_layer {
    double x, y, anchor_x, anchor_y;
    char *string;
} text_layer;

typedef enum layer_kind {
    LAYER_IMAGE,
    LAYER_WALLS,
    LAYER_CONTOURS,
    LAYER_ARROWS,
    LAYER_ELLIPSES,
    LAYER_POINTS,
    LAYER_LINE,
    LAYER_BAND,
    LAYER_BARS,
    LAYER_GUIDE,
    LAYER_BINS,
    LAYER_STEPS,
    LAYER_TEXT
} layer_kind;

typedef struct layer {
    struct layer *next;
    layer_kind kind;
    zm_plot_rgba color; /* 0: automatic, left to the drawing, since themes differ */
    size_t series;      /* then the colour of the list, from 1; 0: by the kind */
    const char *label;  /* or NULL */
    union {
        struct {
            placement place;
        } field; /* what the first five, on a grid, begin with */
        image_layer image;
        walls_layer walls;
        contours_layer contours;
        arrows_layer arrows;
        ellipses_layer ellipses;
        points_layer points;
        line_layer line;
        band_layer band;
        bars_layer bars;
        guide_layer guide;
        bins_layer bins;
        steps_layer steps;
        text_layer text;
    };
} layer;

struct zm_plot {
    zm_figure *figure;
    bool has_grid;
    placement place; /* of the field layers to come */
    zm_plot_axes axes;
    layer *first, *last;
    size_t n_series; /* colours of the list handed out */
    size_t n_bars;   /* layers of bars: how many stand in a group */
};

struct zm_figure {
    arena memory;
    zm_figure_opts opts;
    zm_plot *plots;   /* rows*cols */
    zm_error failure; /* the first; code is ZM_OK before */
};

/** Remembers the failure if it is the first, and returns the code of the first. */
#define FIGURE_FAIL(figure, ...)                                                       \
    ((figure)->failure.code == ZM_OK ? zm_fail(&(figure)->failure, __VA_ARGS__)        \
                                     : (figure)->failure.code)

/** count*size zeroed bytes that live as long as the figure; NULL remembers ZM_E_NOMEM. */
void *zm_plot_figure_alloc(zm_figure *figure, size_t count, size_t size);

/** Copy of an array; NULL stays NULL. */
void *zm_plot_figure_copy(zm_figure *figure, const void *source, size_t count,
                          size_t size);

/** Copy of a string; NULL stays NULL; remembers ZM_E_ARG where it is not UTF-8. */
char *zm_plot_figure_string(zm_figure *figure, const char *string);

/** Copy of a list of strings; NULL stays NULL. */
char **zm_plot_figure_strings(zm_figure *figure, const char *const *strings, size_t n);

/** Starts a layer: reads the struct that describes it and sets `*out`, not yet part of the
 *  plot.  Any answer but ZM_OK is to be returned to the caller. */
zm_status zm_plot_layer_begin(zm_plot *plot, layer_kind kind, const void *given,
                              void *read, size_t size, layer **out);

/** Adds the layer with its colour and label to the plot unless a failure was remembered;
 *  returns its code. */
zm_status zm_plot_layer_end(zm_plot *plot, layer *l, zm_plot_rgba color,
                            const char *label);

/** The same with the next colour of the list where it is 0; a curve in the band just added
 *  takes the colour of that. */
zm_status zm_plot_layer_end_series(zm_plot *plot, layer *l, zm_plot_rgba color,
                                   const char *label);

/** Copies the ends of error bars; both may be NULL. */
error_ends zm_plot_layer_copy_errors(zm_plot *plot, const double *low,
                                     const double *high, size_t n);

/** Validates and copies a colour description, then chooses its range. */
void zm_plot_layer_make_scale(zm_plot *plot, const zm_plot_colors *colors,
                              const double *values, size_t n, color_scale *out);

/** Whether a layer is drawn on a grid. */
bool zm_plot_layer_has_field(const layer *l, placement *place);

/** Whether the plot holds a field. */
bool zm_plot_has_field(const zm_plot *plot);

/** Number of categories of the plot's bars; 0 where there are none. */
size_t zm_plot_categories(const zm_plot *plot);

/** Name of a category, or NULL. */
const char *zm_plot_category(const zm_plot *plot, size_t i);

/** Where the bar of a category stands on the x axis. */
typedef struct bar_span {
    double left, right;
} bar_span;
bar_span zm_plot_bar_place(const zm_plot *plot, const bars_layer *bars, size_t i);

/** The scale whose colour bar the plot shows, or NULL. */
const color_scale *zm_plot_bar(const zm_plot *plot);

#endif
