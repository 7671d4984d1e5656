/* SPDX-License-Identifier: Apache-2.0
 * Figures as PNG, SVG or PDF: fields with isochrones, drift arrows and metric ellipses,
 * and curves, scatter plots and histograms (libzermelo_plot, on Cairo and Pango).
 *
 *     zm_figure *figure;
 *     zm_plot *plot;
 *
 *     zm_figure_create(&figure, NULL, &err);
 *     plot = zm_figure_plot(figure, 0, 0);
 *     zm_plot_set_grid(plot, grid, 0.0, 0.0);
 *     ZM_PLOT_AXES(plot, .title = "Arrival time", .x.label = "x [km]");
 *     ZM_PLOT_IMAGE(plot, .values = T, .colors.label = "T [h]");
 *     ZM_PLOT_CONTOURS(plot, .values = T);
 *     status = zm_figure_save(figure, "arrival.png", &err);
 *     zm_figure_destroy(figure);
 *
 * A figure is a grid of plots, a plot is a pile of layers, drawn in the order in which they
 * were added.  Every description is a struct in which zero means "choose for me"; the
 * macros fill in its size and take the rest as named members.
 *
 * A failing call is remembered: later calls on the figure do nothing, and zm_figure_save
 * returns that first failure and its message.  So nothing in between needs to be checked.
 *
 * Arrays and strings are copied and may be freed after the call.  Strings are UTF-8; Pango
 * markup such as <i>T</i> is obeyed where it is well-formed, else shown as it stands.
 * Cairo, Pango and GLib get their own memory from malloc; GLib ends the process when
 * there is none. */
#ifndef ZM_PLOT_H
#define ZM_PLOT_H

#include <stddef.h>
#include <stdint.h>

#include "../alloc.h"
#include "../export.h"
#include "../problem.h"
#include "../status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A grid of plots.  One thread at a time per figure; any number of figures. */
typedef struct zm_figure zm_figure;

/** One plot of a figure: belongs to it, lives as long, same thread rule. */
typedef struct zm_plot zm_plot;

/** 0xRRGGBBAA; 0 means automatic. */
typedef uint32_t zm_plot_rgba;

typedef enum zm_plot_theme { ZM_THEME_LIGHT = 0, ZM_THEME_DARK = 1 } zm_plot_theme;

typedef struct zm_figure_opts {
    size_t size;  /**< sizeof(zm_figure_opts): lets the struct grow later */
    zm_alloc mem; /**< all zero: malloc and free; any call on the figure may use it */
    int32_t rows, cols; /**< plots, 0: 1; at most 64 each */
    double width;       /**< whole figure, in points (1/72 inch); 0: by the columns.
                                  The height follows from what the plots need */
    double font_size;   /**< in points; 0: 10 */
    double pixels_per_point; /**< of PNG files; 0: 2, that is 144 dpi */
    const char *title;       /**< above all plots, or NULL */
    zm_plot_theme theme;
} zm_figure_opts;
#define ZM_FIGURE_OPTS_INIT                                                            \
    {                                                                                  \
        .size = sizeof(zm_figure_opts)                                                 \
    }
#define ZM_FIGURE_OPTS(...)                                                            \
    (&(zm_figure_opts){ .size = sizeof(zm_figure_opts), __VA_ARGS__ })

/**
 * Makes an empty figure.
 *
 * @param out  out  to be given to zm_figure_destroy; NULL after a failure
 * @param opts in   e.g. ZM_FIGURE_OPTS(.rows = 2); NULL: one plot
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM
 */
ZM_API zm_status zm_figure_create(zm_figure **out, const zm_figure_opts *opts,
                                  zm_error *err);

/** Frees a figure with its plots; NULL is allowed. */
ZM_API void zm_figure_destroy(zm_figure *figure);

/** The theme of the next zm_figure_save; the one of zm_figure_opts until then.  Whatever
 *  has no colour of its own is coloured by it: one figure can be saved in both.
 *  ZM_E_ARG (and remembered) where there is no such theme. */
ZM_API zm_status zm_figure_set_theme(zm_figure *figure, zm_plot_theme theme);

/** The plot in a place of the figure's grid; NULL (and remembered) outside of it.  A plot
 *  that gets no layers leaves its place empty. */
ZM_API zm_plot *zm_figure_plot(zm_figure *figure, int32_t row, int32_t col);

/**
 * Draws the figure into a file.  The ending of the name, .png, .svg or .pdf, decides the
 * format.  The file is written under a temporary name beside it and renamed, so that it is
 * never half-written.  A figure can be saved several times, and grow in between.
 *
 * @return ZM_OK; ZM_E_ARG (ending), ZM_E_IO, ZM_E_NOMEM; or the first failure remembered
 */
ZM_API zm_status zm_figure_save(zm_figure *figure, const char *path, zm_error *err);

/* Axes. */

typedef enum zm_plot_scale { ZM_SCALE_LINEAR = 0, ZM_SCALE_LOG = 1 } zm_plot_scale;

/** Which way an axis counts.  Automatic: y downwards where the plot holds a field (row 0
 *  on top), else upwards; x to the right. */
typedef enum zm_plot_direction {
    ZM_DIRECTION_AUTO = 0,
    ZM_DIRECTION_UP = 1,  /**< upwards, to the right */
    ZM_DIRECTION_DOWN = 2 /**< downwards, to the left */
} zm_plot_direction;

/** Where the legend of labelled layers goes.  Automatic: below a field; in curves the
 *  corner that hides the least. */
typedef enum zm_plot_legend {
    ZM_LEGEND_AUTO = 0,
    ZM_LEGEND_NONE,
    ZM_LEGEND_BELOW,
    ZM_LEGEND_UPPER_LEFT,
    ZM_LEGEND_UPPER_RIGHT,
    ZM_LEGEND_LOWER_LEFT,
    ZM_LEGEND_LOWER_RIGHT
} zm_plot_legend;

/** Frozen: it is part of zm_plot_axes. */
typedef struct zm_plot_axis {
    const char *label; /**< or NULL */
    double min, max;   /**< fixed where min < max, else from the layers */
    zm_plot_scale scale;
    zm_plot_direction direction;
} zm_plot_axis;

typedef struct zm_plot_axes {
    size_t size;
    const char *title; /**< or NULL */
    zm_plot_axis x, y; /**< fields need linear axes */
    double aspect;     /**< height over width of the drawing area; 0: x and y in the
                                same scale where there is a field, else 0.66 */
    zm_plot_legend legend;
    int32_t hide_ticks;              /**< non-zero: no ticks and no numbers */
    const double *x_ticks, *y_ticks; /**< where numbers stand, or NULL: chosen */
    size_t n_x_ticks, n_y_ticks;     /**< at most 160 each */
} zm_plot_axes;

#define ZM_PLOT_AXES_INIT                                                              \
    {                                                                                  \
        .size = sizeof(zm_plot_axes)                                                   \
    }

/** Title, labels, ranges and scales of a plot; replaces what was set before. */
ZM_API zm_status zm_plot_set_axes(zm_plot *plot, const zm_plot_axes *axes);
#define ZM_PLOT_AXES(plot, ...)                                                        \
    zm_plot_set_axes((plot),                                                           \
                     &(zm_plot_axes){ .size = sizeof(zm_plot_axes), __VA_ARGS__ })

/** Grid of the field layers that follow: cell (row, col) has its centre at
 *  (x0 + col*dx, y0 + row*dy). */
ZM_API zm_status zm_plot_set_grid(zm_plot *plot, zm_grid grid, double x0, double y0);

/* Colours. */

/** Colour maps with even steps in Oklab, all but CYCLIC with monotone lightness (DIVERGING
 *  on each side of its middle). */
typedef enum zm_plot_map {
    ZM_MAP_SEA = 0,   /**< dark blue, teal, green, bright yellow */
    ZM_MAP_EMBER,     /**< black, crimson, orange, pale yellow */
    ZM_MAP_SAND,      /**< pale sand to dark earth: a quiet ground to draw on */
    ZM_MAP_DIVERGING, /**< blue, white, red; its automatic range is centred on zero */
    ZM_MAP_CYCLIC     /**< hues of one lightness; the ends meet */
} zm_plot_map;

/** Colour of a map at t in [0, 1] (clamped; NaN as 0) as sRGB in [0, 1]. */
ZM_API void zm_plot_map_color(zm_plot_map map, double t, double rgb[3]);

/** How values become colours, and the colour bar that says so.  Values beyond the range
 *  take the colour of its end, and the bar is drawn pointed there.  Frozen: it is part of
 *  the layers. */
typedef struct zm_plot_colors {
    zm_plot_map map;
    int32_t reversed; /**< non-zero: the map runs from its end to its beginning */
    zm_plot_scale scale;
    double min, max; /**< fixed where min < max, else from the finite values */
    double clip; /**< share of the values an automatic range may leave out at each open
                          end, in [0, 0.5); DIVERGING: of the largest magnitudes */
    const char *label; /**< of the colour bar, or NULL */
    int32_t hide_bar;  /**< non-zero: no colour bar */
    int32_t n_classes; /**< > 0: the values are class numbers 0 .. n_classes-1; the bar
                             shows one block each; range, scale and clip are ignored */
    const char *const *class_names; /**< n_classes of them, or NULL */
} zm_plot_colors;

/* Layers on a grid. */
/* They need zm_plot_set_grid first.  `values` are rows*cols numbers of type `dtype`. */

/** Field as colours.  Cells that are not finite are shown in a neutral grey. */
typedef struct zm_plot_image {
    size_t size;
    zm_dtype dtype;
    const void *values;
    zm_plot_colors colors;
    int32_t clear; /**< non-zero: cells that are not finite show what lies below */
} zm_plot_image;

/** Mask as opaque cells. */
typedef struct zm_plot_walls {
    size_t size;
    const uint8_t *mask; /**< rows*cols; non-zero is a wall */
    zm_plot_rgba color;
    const char *label; /**< in the legend, or NULL */
} zm_plot_walls;

/** Lines of equal value, e.g. isochrones.  None passes through cells that are not finite. */
typedef struct zm_plot_contours {
    size_t size;
    zm_dtype dtype;
    const void *values;
    const double *levels; /**< n_levels values, or NULL: round ones */
    size_t n_levels;      /**< with levels NULL: about how many; 0: 10 */
    zm_plot_rgba color;   /**< 0: dark or light, against the image below */
    double width;         /**< of the lines in points; 0: 0.9 */
    int32_t hide_labels;  /**< non-zero: no numbers on the lines */
    const char *label;    /**< in the legend, or NULL */
} zm_plot_contours;

/** Vector field on a thinned grid.  Arrows that are not finite are left out. */
typedef struct zm_plot_arrows {
    size_t size;
    zm_dtype dtype;
    const void *u, *v;    /**< components along x and y */
    const uint8_t *walls; /**< cells to leave out, or NULL */
    int32_t across;       /**< arrows along the longer side; 0: 24 */
    double longest;       /**< magnitude that fills the spacing; 0: the largest one */
    zm_plot_rgba color;
    const char *label; /**< in the legend, or NULL */
} zm_plot_arrows;

/** Outlines of the unit ball {v: sqrt(v'Gv) - b.v <= 1} on a thinned grid: how far a front
 *  gets in unit time.  Drift shows as an off-centre dot.  Cells where G is not positive
 *  definite or |b|_{G^-1} >= 1 are left out. */
typedef struct zm_plot_ellipses {
    size_t size;
    zm_metric metric;     /**< planes of rows*cols values */
    const uint8_t *walls; /**< cells to leave out, or NULL */
    int32_t across;       /**< outlines along the longer side; 0: 18 */
    zm_plot_rgba color;
    const char *label; /**< in the legend, or NULL */
} zm_plot_ellipses;

ZM_API zm_status zm_plot_add_image(zm_plot *plot, const zm_plot_image *image);
ZM_API zm_status zm_plot_add_walls(zm_plot *plot, const zm_plot_walls *walls);
ZM_API zm_status zm_plot_add_contours(zm_plot *plot, const zm_plot_contours *contours);
ZM_API zm_status zm_plot_add_arrows(zm_plot *plot, const zm_plot_arrows *arrows);
ZM_API zm_status zm_plot_add_ellipses(zm_plot *plot, const zm_plot_ellipses *ellipses);

#define ZM_PLOT_IMAGE(plot, ...)    ZM_PLOT_LAYER(plot, image, __VA_ARGS__)
#define ZM_PLOT_WALLS(plot, ...)    ZM_PLOT_LAYER(plot, walls, __VA_ARGS__)
#define ZM_PLOT_CONTOURS(plot, ...) ZM_PLOT_LAYER(plot, contours, __VA_ARGS__)
#define ZM_PLOT_ARROWS(plot, ...)   ZM_PLOT_LAYER(plot, arrows, __VA_ARGS__)
#define ZM_PLOT_ELLIPSES(plot, ...) ZM_PLOT_LAYER(plot, ellipses, __VA_ARGS__)

/* Layers in coordinates. */
/* Colours left automatic go through a fixed list, layer by layer.  Points with a
 * coordinate that is not finite, or not positive on a log axis, are left out. */

typedef enum zm_plot_marker {
    ZM_MARKER_AUTO = 0, /**< a dot; none on lines */
    ZM_MARKER_DOT,
    ZM_MARKER_RING,
    ZM_MARKER_SQUARE,
    ZM_MARKER_TRIANGLE,
    ZM_MARKER_DIAMOND,
    ZM_MARKER_CROSS,
    ZM_MARKER_STAR
} zm_plot_marker;

typedef enum zm_plot_dash {
    ZM_DASH_SOLID = 0,
    ZM_DASH_DASHED,
    ZM_DASH_DOTTED
} zm_plot_dash;

/** Separate points: sources, observations, scatter plots. */
typedef struct zm_plot_points {
    size_t size;
    const double *x, *y; /**< n each */
    size_t n;
    zm_plot_marker marker;
    double marker_size; /**< diameter in points; 0: by their number */
    zm_plot_rgba color;
    const double *values;     /**< n values shown as colours, or NULL */
    zm_plot_colors colors;    /**< used with `values` */
    const char *const *names; /**< n texts set beside the points, or NULL; so each */
    const char *label;        /**< in the legend, or NULL */
    const double *y_low, *y_high; /**< n each: ends of error bars; or NULL */
} zm_plot_points;

/** Curve through points; a point left out breaks it. */
typedef struct zm_plot_line {
    size_t size;
    const double *x; /**< n, or NULL: 0, 1, 2, ... */
    const double *y; /**< n */
    size_t n;
    zm_plot_rgba color;
    double width; /**< in points; 0: 1.5 */
    zm_plot_dash dash;
    zm_plot_marker marker;
    const char *label;            /**< in the legend, or NULL */
    const double *y_low, *y_high; /**< n each: ends of error bars; or NULL */
} zm_plot_line;

/** Shaded area between two curves, e.g. a range of samples.  A line or points layer added
 *  right after it takes the same colour where both are automatic. */
typedef struct zm_plot_band {
    size_t size;
    const double *x;          /**< n, or NULL: 0, 1, 2, ... */
    const double *low, *high; /**< n each; on a log axis low ends at the axis */
    size_t n;
    zm_plot_rgba color; /**< shown faint */
    const char *label;  /**< in the legend, or NULL */
} zm_plot_band;

/** One bar for each of n categories, which lie at x = 0, 1, 2, ...  Several such layers
 *  stand side by side in groups.  The x axis shows the names of the first layer that has
 *  some; y is linear from zero, or logarithmic from a round number. */
typedef struct zm_plot_bars {
    size_t size;
    const double *heights;    /**< n; one that is not finite leaves a gap */
    const char *const *names; /**< n names of the categories, or NULL: their numbers */
    size_t n;                 /**< at most 1000 */
    int32_t show_values; /**< non-zero: each height above its bar, in three digits */
    const char *const *texts; /**< n texts above the bars instead, or NULL; so each */
    zm_plot_rgba color;
    const char *label;            /**< in the legend, or NULL */
    const double *y_low, *y_high; /**< n each: ends of error bars; or NULL */
} zm_plot_bars;

/** Straight line across the whole plot that does not widen its range: through (x, y) with
 *  a slope, on log-log axes a power law y ~ x^slope. */
typedef struct zm_plot_guide {
    size_t size;
    double x, y;
    double slope;
    int32_t vertical; /**< non-zero: through x, slope ignored */
    zm_plot_rgba color;
    zm_plot_dash dash;
    const char *label; /**< in the legend, or NULL */
} zm_plot_guide;

/** Shares of the values that fall into bins of equal width (equal ratio on a log axis, so
 *  set the axes first). */
typedef struct zm_plot_histogram {
    size_t size;
    const double *values;
    size_t n;
    size_t bins;   /**< 0: by number and spread */
    int32_t count; /**< non-zero: numbers of values instead of shares */
    zm_plot_rgba color;
    const char *label; /**< in the legend, or NULL */
} zm_plot_histogram;

/** Share of the values that are <= x, as a step curve. */
typedef struct zm_plot_cumulative {
    size_t size;
    const double *values;
    size_t n;
    zm_plot_rgba color;
    double width; /**< in points; 0: 1.5 */
    zm_plot_dash dash;
    const char *label; /**< in the legend, or NULL */
} zm_plot_cumulative;

/** A text with its anchor at (x, y). */
typedef struct zm_plot_text {
    size_t size;
    double x, y;
    const char *string;
    double anchor_x, anchor_y; /**< point of the text put there: (0, 0) its lower left,
                                    (1, 1) its upper right */
    zm_plot_rgba color;
} zm_plot_text;

ZM_API zm_status zm_plot_add_points(zm_plot *plot, const zm_plot_points *points);
ZM_API zm_status zm_plot_add_line(zm_plot *plot, const zm_plot_line *line);
ZM_API zm_status zm_plot_add_band(zm_plot *plot, const zm_plot_band *band);
ZM_API zm_status zm_plot_add_bars(zm_plot *plot, const zm_plot_bars *bars);
ZM_API zm_status zm_plot_add_guide(zm_plot *plot, const zm_plot_guide *guide);
ZM_API zm_status zm_plot_add_histogram(zm_plot *plot,
                                       const zm_plot_histogram *histogram);
ZM_API zm_status zm_plot_add_cumulative(zm_plot *plot, const zm_plot_cumulative *curve);
ZM_API zm_status zm_plot_add_text(zm_plot *plot, const zm_plot_text *text);

#define ZM_PLOT_POINTS(plot, ...)     ZM_PLOT_LAYER(plot, points, __VA_ARGS__)
#define ZM_PLOT_LINE(plot, ...)       ZM_PLOT_LAYER(plot, line, __VA_ARGS__)
#define ZM_PLOT_BAND(plot, ...)       ZM_PLOT_LAYER(plot, band, __VA_ARGS__)
#define ZM_PLOT_BARS(plot, ...)       ZM_PLOT_LAYER(plot, bars, __VA_ARGS__)
#define ZM_PLOT_GUIDE(plot, ...)      ZM_PLOT_LAYER(plot, guide, __VA_ARGS__)
#define ZM_PLOT_HISTOGRAM(plot, ...)  ZM_PLOT_LAYER(plot, histogram, __VA_ARGS__)
#define ZM_PLOT_CUMULATIVE(plot, ...) ZM_PLOT_LAYER(plot, cumulative, __VA_ARGS__)
#define ZM_PLOT_TEXT(plot, ...)       ZM_PLOT_LAYER(plot, text, __VA_ARGS__)

/** To begin the description of a layer with, e.g. zm_plot_line line = ZM_PLOT_INIT(line). */
#define ZM_PLOT_INIT(kind)                                                             \
    {                                                                                  \
        .size = sizeof(zm_plot_##kind)                                                 \
    }
#define ZM_PLOT_LAYER(plot, kind, ...)                                                 \
    zm_plot_add_##kind(                                                                \
        (plot), &(zm_plot_##kind){ .size = sizeof(zm_plot_##kind), __VA_ARGS__ })

#ifdef __cplusplus
}
#endif
#endif
