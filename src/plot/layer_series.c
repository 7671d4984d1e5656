/* SPDX-License-Identifier: Apache-2.0
 * Adding layers in coordinates: copied, sorted, counted. */
#include <math.h>

#include "core/fail.h"
#include "plot/figure.h"
#include "plot/histogram.h"

static const double default_line_width = 1.5;

/* Many points are drawn smaller, so that they do not run together. */
static double default_marker_size(size_t n)
{
    return n <= 30 ? 6 : n <= 300 ? 4.5 : n <= 3000 ? 3 : 2;
}

error_ends zm_plot_layer_copy_errors(zm_plot *plot, const double *low,
                                     const double *high, size_t n)
{
    if (!low != !high)
        FIGURE_FAIL(plot->figure, ZM_E_ARG, -1,
                    "error bars: one of y_low and y_high is NULL");
    return (error_ends){ zm_plot_figure_copy(plot->figure, low, n, sizeof *low),
                         zm_plot_figure_copy(plot->figure, high, n, sizeof *high) };
}

/* A copy of x, or where it is NULL 0, 1, 2, ... */
static double *copy_places(zm_plot *plot, const double *x, size_t n)
{
    double *copy = x ? zm_plot_figure_copy(plot->figure, x, n, sizeof *x)
                     : zm_plot_figure_alloc(plot->figure, n, sizeof *x);

    for (size_t i = 0; !x && copy && i < n; i++)
        copy[i] = (double)i;
    return copy;
}

zm_status zm_plot_add_points(zm_plot *plot, const zm_plot_points *given)
{
    zm_plot_points points;
    layer *l;

    ZM_TRY(zm_plot_layer_begin(plot, LAYER_POINTS, given, &points, sizeof points, &l));
    if ((!points.x || !points.y) && points.n > 0)
        return FIGURE_FAIL(plot->figure, ZM_E_ARG, -1, "points: x or y is NULL");
    l->points = (points_layer){
        .x = zm_plot_figure_copy(plot->figure, points.x, points.n, sizeof *points.x),
        .y = zm_plot_figure_copy(plot->figure, points.y, points.n, sizeof *points.y),
        .n = points.n,
        .marker = points.marker ? points.marker : ZM_MARKER_DOT,
        .size =
            points.marker_size > 0 ? points.marker_size : default_marker_size(points.n),
        .values = zm_plot_figure_copy(plot->figure, points.values, points.n,
                                      sizeof *points.values),
        .names = zm_plot_figure_strings(plot->figure, points.names, points.n),
        .errors =
            zm_plot_layer_copy_errors(plot, points.y_low, points.y_high, points.n),
    };
    if (l->points.values)
        zm_plot_layer_make_scale(plot, &points.colors, l->points.values, points.n,
                                 &l->points.scale);
    return l->points.values
               ? zm_plot_layer_end(plot, l, 0, points.label)
               : zm_plot_layer_end_series(plot, l, points.color, points.label);
}

zm_status zm_plot_add_line(zm_plot *plot, const zm_plot_line *given)
{
    zm_plot_line line;
    layer *l;

    ZM_TRY(zm_plot_layer_begin(plot, LAYER_LINE, given, &line, sizeof line, &l));
    if (!line.y && line.n > 0)
        return FIGURE_FAIL(plot->figure, ZM_E_ARG, -1, "line: y is NULL");
    l->line = (line_layer){
        .x = copy_places(plot, line.x, line.n),
        .y = zm_plot_figure_copy(plot->figure, line.y, line.n, sizeof *line.y),
        .n = line.n,
        .width = line.width > 0 ? line.width : default_line_width,
        .dash = line.dash,
        .marker = line.marker,
        .errors = zm_plot_layer_copy_errors(plot, line.y_low, line.y_high, line.n),
    };
    return zm_plot_layer_end_series(plot, l, line.color, line.label);
}

zm_status zm_plot_add_band(zm_plot *plot, const zm_plot_band *given)
{
    zm_plot_band band;
    layer *l;

    ZM_TRY(zm_plot_layer_begin(plot, LAYER_BAND, given, &band, sizeof band, &l));
    if ((!band.low || !band.high) && band.n > 0)
        return FIGURE_FAIL(plot->figure, ZM_E_ARG, -1, "band: low or high is NULL");
    l->band = (band_layer){
        .x = copy_places(plot, band.x, band.n),
        .low = zm_plot_figure_copy(plot->figure, band.low, band.n, sizeof *band.low),
        .high = zm_plot_figure_copy(plot->figure, band.high, band.n, sizeof *band.high),
        .n = band.n,
    };
    return zm_plot_layer_end_series(plot, l, band.color, band.label);
}

zm_status zm_plot_add_guide(zm_plot *plot, const zm_plot_guide *given)
{
    zm_plot_guide guide;
    layer *l;

    ZM_TRY(zm_plot_layer_begin(plot, LAYER_GUIDE, given, &guide, sizeof guide, &l));
    if (!isfinite(guide.x) || !isfinite(guide.y) || !isfinite(guide.slope))
        return FIGURE_FAIL(plot->figure, ZM_E_ARG, -1, "guide: (%g, %g), slope %g",
                           guide.x, guide.y, guide.slope);
    l->guide =
        (guide_layer){ guide.x, guide.y, guide.slope, guide.vertical != 0, guide.dash };
    return zm_plot_layer_end(plot, l, guide.color, guide.label);
}

/* The values that can be shown on the x axis, sorted; *n becomes their number. */
static double *sorted_copy(zm_plot *plot, const double *values, size_t *n)
{
    double *copy = zm_plot_figure_copy(plot->figure, values, *n, sizeof *copy);

    if (!copy && *n > 0)
        FIGURE_FAIL(plot->figure, ZM_E_ARG, -1, "samples: values is NULL");
    *n = copy ? zm_plot_samples_sort(plot->axes.x.scale, copy, *n) : 0;
    return copy;
}

zm_status zm_plot_add_histogram(zm_plot *plot, const zm_plot_histogram *given)
{
    zm_plot_histogram histogram;
    const double *sorted;
    size_t n, bins;
    layer *l;

    ZM_TRY(
        zm_plot_layer_begin(plot, LAYER_BINS, given, &histogram, sizeof histogram, &l));
    n = histogram.n;
    sorted = sorted_copy(plot, histogram.values, &n);
    if (n > 0) {
        bins = histogram.bins ? histogram.bins
                              : zm_plot_histogram_bins(plot->axes.x.scale, sorted, n);
        bins = bins < MOST_BINS ? bins : MOST_BINS;
        l->bins.edges =
            zm_plot_figure_alloc(plot->figure, bins + 1, sizeof *l->bins.edges);
        l->bins.heights =
            zm_plot_figure_alloc(plot->figure, bins, sizeof *l->bins.heights);
        l->bins.n = bins;
        if (l->bins.edges && l->bins.heights)
            zm_plot_histogram_count(plot->axes.x.scale, sorted, n, bins, l->bins.edges,
                                    l->bins.heights);
        for (size_t i = 0; l->bins.heights && !histogram.count && i < bins; i++)
            l->bins.heights[i] /= (double)n;
    }
    return zm_plot_layer_end_series(plot, l, histogram.color, histogram.label);
}

zm_status zm_plot_add_cumulative(zm_plot *plot, const zm_plot_cumulative *given)
{
    zm_plot_cumulative curve;
    layer *l;

    ZM_TRY(zm_plot_layer_begin(plot, LAYER_STEPS, given, &curve, sizeof curve, &l));
    l->steps =
        (steps_layer){ .n = curve.n,
                       .width = curve.width > 0 ? curve.width : default_line_width,
                       .dash = curve.dash };
    l->steps.sorted = sorted_copy(plot, curve.values, &l->steps.n);
    return zm_plot_layer_end_series(plot, l, curve.color, curve.label);
}

zm_status zm_plot_add_text(zm_plot *plot, const zm_plot_text *given)
{
    zm_plot_text text;
    layer *l;

    ZM_TRY(zm_plot_layer_begin(plot, LAYER_TEXT, given, &text, sizeof text, &l));
    if (!text.string || !isfinite(text.x) || !isfinite(text.y))
        return FIGURE_FAIL(plot->figure, ZM_E_ARG, -1,
                           "text: no string, or at (%g, %g)", text.x, text.y);
    l->text = (text_layer){ text.x, text.y, text.anchor_x, text.anchor_y,
                            zm_plot_figure_string(plot->figure, text.string) };
    return zm_plot_layer_end(plot, l, text.color, NULL);
}
