/* SPDX-License-Identifier: Apache-2.0
 * Bars and bands: where they stand, what their axes span, what is drawn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plot/figure.h"
#include "plot/range.h"
#include "support/folders.h"
#include "support/svg_path.h"
#include "zermelo/plot/plot.h"

static zm_figure *one_plot(zm_plot **plot)
{
    zm_figure *figure;

    if (zm_figure_create(&figure, NULL, NULL))
        exit(2);
    *plot = zm_figure_plot(figure, 0, 0);
    return figure;
}

TEST(bars_of_a_group_stand_side_by_side_within_their_category)
{
    const double heights[3] = { 1, 2, 3 };

    for (int series = 1; series <= 5; series++) {
        double end = -0.5;
        zm_plot *plot;
        zm_figure *figure = one_plot(&plot);

        for (int k = 0; k < series; k++)
            ZM_PLOT_BARS(plot, .heights = heights, .n = 3);
        for (size_t i = 0; i < 3; i++) {
            for (const layer *l = plot->first; l; l = l->next) {
                const bar_span span = zm_plot_bar_place(plot, &l->bars, i);

                CHECK(span.left >= end && span.right > span.left);
                end = span.right;
            }
            CHECK(end < (double)i + 0.5);
            end = (double)i + 0.5;
        }
        zm_figure_destroy(figure);
    }
}

/* A bar shows its height only if the axis begins at its foot. */
TEST(the_axis_of_bars_begins_at_zero_or_on_a_log_scale_below_the_smallest)
{
    const double heights[3] = { 40, 52, 61 }, mixed[3] = { -3, 2, 1 };
    zm_plot *plot;
    zm_figure *figure = one_plot(&plot);
    axis_map y;

    ZM_PLOT_BARS(plot, .heights = heights, .n = 3);
    y = zm_plot_range(plot, false);
    CHECK(y.lo == 0 && y.hi > 61 && y.hi < 80);
    ZM_PLOT_AXES(plot, .y.scale = ZM_SCALE_LOG);
    y = zm_plot_range(plot, false);
    CHECK_NEAR(y.lo, 20, 1e-12); /* round, and 40 is well above it */
    zm_figure_destroy(figure);

    figure = one_plot(&plot);
    ZM_PLOT_BARS(plot, .heights = mixed, .n = 3);
    y = zm_plot_range(plot, false);
    CHECK(y.lo < -3 && y.hi > 2);
    zm_figure_destroy(figure);
}

/* Categories are places, not values: half of one lies on either side of a bar. */
TEST(the_x_axis_of_bars_spans_whole_categories_whatever_its_scale)
{
    const double heights[4] = { 1, 2, 3, 4 };
    zm_plot *plot;
    zm_figure *figure = one_plot(&plot);
    axis_map x;

    ZM_PLOT_AXES(plot, .x.scale = ZM_SCALE_LOG);
    ZM_PLOT_BARS(plot, .heights = heights, .n = 4);
    x = zm_plot_range(plot, true);
    CHECK(x.scale == ZM_SCALE_LINEAR && x.lo == -0.5 && x.hi == 3.5);
    zm_figure_destroy(figure);
}

TEST(error_bars_and_bands_widen_the_axis)
{
    const double y[2] = { 5, 6 }, low[2] = { 1, 2 }, high[2] = { 8, 20 };

    for (int kind = 0; kind < 4; kind++) {
        zm_plot *plot;
        zm_figure *figure = one_plot(&plot);
        axis_map axis;

        if (kind == 0)
            ZM_PLOT_LINE(plot, .y = y, .n = 2, .y_low = low, .y_high = high);
        else if (kind == 1)
            ZM_PLOT_POINTS(plot, .x = y, .y = y, .n = 2, .y_low = low, .y_high = high);
        else if (kind == 2)
            ZM_PLOT_BARS(plot, .heights = y, .n = 2, .y_low = low, .y_high = high);
        else
            ZM_PLOT_BAND(plot, .low = low, .high = high, .n = 2);
        axis = zm_plot_range(plot, false);
        CHECK_MSG(axis.lo < 1 && axis.hi > 20 && axis.hi < 22, "kind %d: %g .. %g",
                  kind, axis.lo, axis.hi);
        zm_figure_destroy(figure);
    }
}

/* A band belongs to the curve in it; the next curve is another one. */
TEST(a_curve_takes_the_colour_of_the_band_just_before_it)
{
    const double y[2] = { 1, 2 };
    size_t series[4];
    zm_plot *plot;
    zm_figure *figure = one_plot(&plot);
    int i = 0;

    ZM_PLOT_BAND(plot, .low = y, .high = y, .n = 2);
    ZM_PLOT_LINE(plot, .y = y, .n = 2);
    ZM_PLOT_BAND(plot, .low = y, .high = y, .n = 2);
    ZM_PLOT_BAND(plot, .low = y, .high = y, .n = 2);
    for (const layer *l = plot->first; l; l = l->next)
        series[i++] = l->series;
    CHECK(series[0] == 1 && series[1] == 1 && series[2] == 2 && series[3] == 3);
    zm_figure_destroy(figure);
}

/* Heights of the red rectangles in an SVG file. */
static int read_bar_heights(const char *svg, double *heights, int most)
{
    const char *path = svg_find_path(svg, "#ff0000");
    svg_point corners[100];
    const int n = path ? svg_read_path(path, corners, 4 * most) / 4 : 0;

    for (int i = 0; i < n; i++)
        heights[i] = fabs(corners[4 * i + 2].y - corners[4 * i].y);
    return n;
}

/* What is seen must be proportional to the data: heights on paper, on a log axis the
 * differences of their logarithms. */
TEST(drawn_bars_are_as_high_as_their_values)
{
    const double values[4] = { 1, 2, 8, 4 };
    const folder f = folder_make();

    for (int log_axis = 0; log_axis < 2; log_axis++) {
        double heights[8] = { 0 };
        size_t size = 0;
        char *svg;
        zm_plot *plot;
        zm_figure *figure = one_plot(&plot);

        ZM_PLOT_AXES(plot, .y.scale = log_axis ? ZM_SCALE_LOG : ZM_SCALE_LINEAR);
        ZM_PLOT_BARS(plot, .heights = values, .n = 4, .color = 0xff0000ff);
        CHECK(zm_figure_save(figure, folder_path(&f, "a.svg"), NULL) == ZM_OK);
        svg = folder_read(&f, "a.svg", &size);
        CHECK(svg && read_bar_heights(svg, heights, 8) == 4);
        if (log_axis)
            CHECK_NEAR((heights[2] - heights[0]) / (heights[1] - heights[0]), 3, 0.01);
        for (int i = 1; i < 4 && !log_axis; i++)
            CHECK_NEAR(heights[i] / heights[0], values[i] / values[0], 0.01);
        free(svg);
        zm_figure_destroy(figure);
    }
    folder_remove(&f);
}
