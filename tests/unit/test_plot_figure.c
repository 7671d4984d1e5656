/* SPDX-License-Identifier: Apache-2.0
 * Figures from description to file: extreme data, refused input, whole files. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "plot/figure.h"
#include "plot/histogram.h"
#include "support/folders.h"
#include "zermelo/plot/plot.h"

static zm_figure *one_plot(zm_plot **plot)
{
    zm_figure *figure;

    if (zm_figure_create(&figure, ZM_FIGURE_OPTS(.width = 240, .pixels_per_point = 1),
                         NULL))
        exit(2);
    *plot = zm_figure_plot(figure, 0, 0);
    return figure;
}

static void check_saves(test_run *t, zm_figure *figure, const char *what)
{
    static const char *const names[] = { "a.png", "a.svg", "a.pdf" };
    const folder f = folder_make();

    for (size_t i = 0; i < 3; i++) {
        zm_error err = { 0 };
        struct stat info;

        CHECK_MSG(zm_figure_save(figure, folder_path(&f, names[i]), &err) == ZM_OK,
                  "%s: %s", what, err.text);
        CHECK(stat(folder_path(&f, names[i]), &info) == 0 && info.st_size > 60);
    }
    CHECK(folder_count(&f) == 3);
    folder_remove(&f);
    zm_figure_destroy(figure);
}

/* A field with everything on it, of any size and content. */
static void check_field(test_run *t, const char *what, zm_grid grid,
                        const double *values)
{
    zm_plot *plot;
    zm_figure *figure = one_plot(&plot);

    zm_plot_set_grid(plot, grid, 0, 0);
    ZM_PLOT_AXES(plot, .title = what, .x.label = "x", .y.label = "y");
    ZM_PLOT_IMAGE(plot, .values = values, .colors.label = "value");
    ZM_PLOT_CONTOURS(plot, .values = values, .label = "levels");
    ZM_PLOT_ARROWS(plot, .u = values, .v = values, .label = "arrows");
    ZM_PLOT_ELLIPSES(plot, .metric.g11 = values, .label = "outlines");
    check_saves(t, figure, what);
}

TEST(fields_of_every_kind_can_be_drawn)
{
    enum { ROWS = 7, COLS = 9, N = ROWS * COLS };
    static const struct {
        const char *what;
        double offset, scale;
    } kinds[] = {
        { "smooth", 1, 1 },     { "constant", 3, 0 },  { "zero", 0, 0 },
        { "huge", 0, 1e308 },   { "tiny", 0, 1e-310 }, { "negative", -5, 1 },
        { "thin", 1e9, 1e-6 },  { "nan", NAN, 1 },     { "infinite", INFINITY, 1 },
        { "small", 1e-7, 1e-8 }
    };
    double values[N];

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (int i = 0; i < N; i++)
            values[i] = kinds[k].offset + kinds[k].scale * sin(i);
        check_field(t, kinds[k].what, (zm_grid){ ROWS, COLS, 0.5, 0.25 }, values);
    }
    for (int i = 0; i < N; i++)
        values[i] = i % 3 ? (double)i : INFINITY;
    check_field(t, "with holes", (zm_grid){ ROWS, COLS, 1, 1 }, values);
}

TEST(fields_of_every_shape_can_be_drawn)
{
    static const int32_t shapes[][2] = {
        { 1, 1 }, { 1, 40 }, { 40, 1 }, { 2, 2 }, { 3, 2600 }
    };
    double *values = calloc(3 * 2600, sizeof *values);

    for (int i = 0; i < 3 * 2600; i++)
        values[i] = i % 17;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        check_field(t, "shape", (zm_grid){ shapes[k][0], shapes[k][1], 1, 1 }, values);
    free(values);
}

TEST(curves_of_every_kind_can_be_drawn)
{
    static const double x[] = { 1, 2, 3, 4, 5 };
    static const double kinds[][5] = {
        { 1, 2, 3, 4, 5 },           { 0, 0, 0, 0, 0 },
        { NAN, NAN, NAN, NAN, NAN }, { 1, INFINITY, -1, NAN, 2 },
        { 1e308, -1e308, 0, 1, 2 },  { 1e-320, 0, 1e-310, 0, 0 }
    };

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int log_axes = 0; log_axes < 2; log_axes++) {
            const zm_plot_scale scale = log_axes ? ZM_SCALE_LOG : ZM_SCALE_LINEAR;
            const double *y = kinds[k];
            zm_plot *plot;
            zm_figure *figure = one_plot(&plot);

            ZM_PLOT_AXES(plot, .x.scale = scale, .y.scale = scale,
                         .title = "a < b & c");
            ZM_PLOT_LINE(plot, .x = x, .y = y, .n = 5, .label = "<i>line</i>");
            ZM_PLOT_POINTS(plot, .x = x, .y = y, .n = 5, .values = y,
                           .label = "points");
            ZM_PLOT_BAND(plot, .x = x, .low = y, .high = x, .n = 5, .label = "band");
            ZM_PLOT_LINE(plot, .x = x, .y = x, .n = 5, .y_low = y, .y_high = y);
            ZM_PLOT_HISTOGRAM(plot, .values = y, .n = 5, .label = "bins");
            ZM_PLOT_CUMULATIVE(plot, .values = y, .n = 5, .label = "steps");
            ZM_PLOT_GUIDE(plot, .x = 1, .y = 1, .slope = -1, .label = "guide");
            ZM_PLOT_GUIDE(plot, .x = 2, .vertical = 1);
            ZM_PLOT_TEXT(plot, .x = 2, .y = 2, .string = "text");
            check_saves(t, figure, "curves");
        }
}

TEST(bars_of_every_kind_can_be_drawn)
{
    static const double kinds[][5] = {
        { 1, 2, 3, 4, 5 },           { 0, 0, 0, 0, 0 },
        { NAN, NAN, NAN, NAN, NAN }, { 1, INFINITY, -1, NAN, 2 },
        { 1e308, -1e308, 0, 1, 2 },  { 1e-320, 0, 1e-310, 0, 0 }
    };
    const char *names[] = { "a", "<b>b</b>", "", "a name of several words",
                            "Onelongwordthatcannotbebroken" };

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int log_axes = 0; log_axes < 2; log_axes++) {
            const zm_plot_scale scale = log_axes ? ZM_SCALE_LOG : ZM_SCALE_LINEAR;
            const double *y = kinds[k];
            zm_plot *plot;
            zm_figure *figure = one_plot(&plot);

            ZM_PLOT_AXES(plot, .x.scale = scale, .y.scale = scale);
            ZM_PLOT_BARS(plot, .heights = y, .n = 5, .names = names, .label = "bars",
                         .show_values = 1);
            ZM_PLOT_BARS(plot, .heights = kinds[0], .n = 4, .y_low = y, .y_high = y,
                         .texts = names);
            ZM_PLOT_BARS(plot, .n = 0);
            ZM_PLOT_LINE(plot, .y = y, .n = 5);
            check_saves(t, figure, "bars");
        }
}

/* Texts of every kind: longer than the plot, of no length, with markup, not markup. */
TEST(long_texts_and_formulas_can_be_drawn)
{
    const char *texts[] = {
        "a text that is much longer than the plot is wide and says so again and again",
        "Awordthatcannotbebrokenanywhereandisstillmuchtoolongforthiswidthofaplot",
        "‖∇<i>T</i> + <i>b</i>‖<sub><i>G</i><sup>−1</sup></sub>, θ ∈ [0, 2π)",
        "a < b & c</i>", ""
    };
    const double y[3] = { 1, 2, 3 };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        zm_plot *plot;
        zm_figure *figure = one_plot(&plot);

        ZM_PLOT_AXES(plot, .title = texts[i], .x.label = texts[i], .y.label = texts[i],
                     .x_ticks = y, .n_x_ticks = 3, .legend = (zm_plot_legend)i);
        ZM_PLOT_LINE(plot, .y = y, .n = 3, .label = texts[i]);
        ZM_PLOT_POINTS(plot, .x = y, .y = y, .n = 3, .label = texts[i], .values = y,
                       .colors.label = texts[i]);
        ZM_PLOT_TEXT(plot, .x = 1, .y = 2, .string = texts[i]);
        check_saves(t, figure, texts[i]);
    }
}

TEST(empty_layers_and_empty_plots_can_be_drawn)
{
    zm_figure *figure;
    zm_plot *plot;

    CHECK(zm_figure_create(&figure,
                           ZM_FIGURE_OPTS(.rows = 2, .cols = 2, .title = "four"),
                           NULL) == ZM_OK);
    plot = zm_figure_plot(figure, 1, 1);
    ZM_PLOT_LINE(plot, .n = 0);
    ZM_PLOT_POINTS(plot, .n = 0);
    ZM_PLOT_HISTOGRAM(plot, .n = 0);
    ZM_PLOT_CUMULATIVE(plot, .n = 0, .label = "nothing");
    ZM_PLOT_BAND(plot, .n = 0);
    ZM_PLOT_BARS(zm_figure_plot(figure, 0, 1), .n = 0, .label = "no bars");
    check_saves(t, figure, "empty");
    CHECK(zm_figure_create(&figure, NULL, NULL) == ZM_OK);
    check_saves(t, figure, "no plot at all");
}

TEST(float32_fields_are_drawn_like_float64_ones)
{
    enum { N = 20 };
    float narrow[N];
    double wide[N];
    zm_plot *plot;
    zm_figure *figure = one_plot(&plot);

    for (int i = 0; i < N; i++)
        wide[i] = (double)(narrow[i] = (float)i);
    zm_plot_set_grid(plot, (zm_grid){ 4, 5, 1, 1 }, 0, 0);
    ZM_PLOT_IMAGE(plot, .values = wide);
    ZM_PLOT_IMAGE(plot, .dtype = ZM_F32, .values = narrow);
    for (int i = 0; i < N; i++)
        CHECK(plot->first->image.values[i] == plot->last->image.values[i]);
    zm_figure_destroy(figure);
}

/* The first failure stays, whatever follows, and comes out of save. */
TEST(the_first_failure_is_remembered_and_returned_by_save)
{
    const double values[4] = { 1, 2, 3, 4 };
    const folder f = folder_make();
    zm_error err = { 0 };
    zm_plot *plot;
    zm_figure *figure = one_plot(&plot);

    CHECK(ZM_PLOT_IMAGE(plot, .values = values) == ZM_E_ARG); /* no grid */
    CHECK(zm_plot_set_grid(plot, (zm_grid){ 2, 2, 1, 1 }, 0, 0) == ZM_E_ARG);
    CHECK(ZM_PLOT_LINE(plot, .y = values, .n = 4) == ZM_E_ARG);
    CHECK(zm_figure_save(figure, folder_path(&f, "a.png"), &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "zm_plot_set_grid"), "%s", err.text);
    CHECK(folder_count(&f) == 0);
    zm_figure_destroy(figure);
    folder_remove(&f);
}

#define REFUSED(call)                                                                  \
    do {                                                                               \
        zm_plot *plot;                                                                 \
        zm_figure *figure = one_plot(&plot);                                           \
        zm_plot_set_grid(plot, (zm_grid){ 2, 2, 1, 1 }, 0, 0);                         \
        CHECK((call) == ZM_E_ARG);                                                     \
        CHECK(figure->failure.text[0] != '\0');                                        \
        zm_figure_destroy(figure);                                                     \
    } while (0)

TEST(bad_descriptions_are_refused_with_a_message)
{
    const double values[4] = { 1, 2, 3, 4 };
    const zm_plot_line without_size = { .y = values, .n = 4 };

    REFUSED(zm_plot_set_grid(plot, (zm_grid){ 0, 2, 1, 1 }, 0, 0));
    REFUSED(zm_plot_set_grid(plot, (zm_grid){ 2, 2, 0, 1 }, 0, 0));
    REFUSED(zm_plot_set_grid(plot, (zm_grid){ 2, 2, 1, 1 }, NAN, 0));
    REFUSED(zm_plot_add_line(plot, &without_size));
    REFUSED(zm_plot_add_line(plot, NULL));
    REFUSED(ZM_PLOT_LINE(plot, .n = 4));
    REFUSED(ZM_PLOT_POINTS(plot, .x = values, .n = 4));
    REFUSED(ZM_PLOT_IMAGE(plot, .colors.label = "no values"));
    REFUSED(ZM_PLOT_IMAGE(plot, .values = values, .colors.clip = 0.7));
    REFUSED(ZM_PLOT_IMAGE(plot, .values = values,
                          .colors = { .scale = ZM_SCALE_LOG, .min = -1, .max = 1 }));
    REFUSED(ZM_PLOT_WALLS(plot, .label = "no mask"));
    REFUSED(ZM_PLOT_CONTOURS(plot, .n_levels = 3));
    REFUSED(ZM_PLOT_ARROWS(plot, .u = values));
    REFUSED(ZM_PLOT_ARROWS(plot, .u = values, .v = values, .across = -1));
    REFUSED(ZM_PLOT_ELLIPSES(plot, .across = 5));
    REFUSED(ZM_PLOT_HISTOGRAM(plot, .n = 5));
    REFUSED(ZM_PLOT_BARS(plot, .n = 5));
    REFUSED(ZM_PLOT_BARS(plot, .heights = values, .n = 1001));
    REFUSED(ZM_PLOT_BARS(plot, .heights = values, .n = 4, .y_low = values));
    REFUSED(ZM_PLOT_BAND(plot, .low = values, .n = 4));
    REFUSED(ZM_PLOT_LINE(plot, .y = values, .n = 4, .y_high = values));
    REFUSED(ZM_PLOT_GUIDE(plot, .x = NAN));
    REFUSED(ZM_PLOT_TEXT(plot, .x = 1));
    REFUSED(ZM_PLOT_TEXT(plot, .string = "\xff\xfe"));
    REFUSED(ZM_PLOT_AXES(plot, .x = { .scale = ZM_SCALE_LOG, .min = -1, .max = 1 }));
    REFUSED(ZM_PLOT_AXES(plot, .aspect = -1));
    REFUSED(ZM_PLOT_AXES(plot, .x_ticks = values, .n_x_ticks = 161));
    REFUSED(zm_figure_set_theme(figure, (zm_plot_theme)2));
    CHECK(ZM_PLOT_LINE(NULL, .y = values, .n = 4) == ZM_E_ARG);
}

TEST(bad_figures_are_refused_and_leave_null)
{
    const zm_figure_opts without_size = { .rows = 1 };
    zm_figure *figure = (zm_figure *)1;

    CHECK(zm_figure_create(&figure, &without_size, NULL) == ZM_E_ARG && !figure);
    CHECK(zm_figure_create(&figure, ZM_FIGURE_OPTS(.rows = -1), NULL) == ZM_E_ARG &&
          !figure);
    CHECK(zm_figure_create(&figure, ZM_FIGURE_OPTS(.width = 1e9), NULL) == ZM_E_ARG);
    CHECK(zm_figure_create(&figure, ZM_FIGURE_OPTS(.title = "\xff"), NULL) == ZM_E_ARG);
    CHECK(zm_figure_create(&figure, ZM_FIGURE_OPTS(.theme = (zm_plot_theme)2), NULL) ==
          ZM_E_ARG);
    CHECK(zm_figure_create(&figure, NULL, NULL) == ZM_OK);
    CHECK(!zm_figure_plot(figure, 1, 0));
    CHECK(zm_figure_save(figure, "/tmp/never.png", NULL) == ZM_E_ARG);
    zm_figure_destroy(figure);
    zm_figure_destroy(NULL);
}

TEST(a_file_that_cannot_be_written_is_an_error_and_leaves_nothing)
{
    const double y[2] = { 1, 2 };
    const folder f = folder_make();
    zm_error err = { 0 };
    zm_plot *plot;
    zm_figure *figure = one_plot(&plot);

    ZM_PLOT_LINE(plot, .y = y, .n = 2);
    CHECK(zm_figure_save(figure, "/nowhere/at/all.png", &err) == ZM_E_IO);
    CHECK_MSG(strstr(err.text, "/nowhere/at/all.png"), "%s", err.text);
    CHECK(zm_figure_save(figure, folder_path(&f, "a.gif"), &err) == ZM_E_ARG);
    CHECK(zm_figure_save(figure, NULL, &err) == ZM_E_ARG);
    mkdir(folder_path(&f, "b.png"), 0700); /* a folder cannot be replaced by a file */
    CHECK(zm_figure_save(figure, folder_path(&f, "b.png"), &err) == ZM_E_IO);
    CHECK(folder_count(&f) == 1);
    rmdir(folder_path(&f, "b.png"));
    zm_figure_destroy(figure);
    folder_remove(&f);
}

/* A reader holds the old file open while the new one takes its name: the old bytes stay. */
TEST(an_existing_file_is_replaced_at_once)
{
    const double y[2] = { 1, 2 };
    const folder f = folder_make();
    char old[16] = "";
    zm_plot *plot;
    zm_figure *figure = one_plot(&plot);
    FILE *file = fopen(folder_path(&f, "a.png"), "w+b");

    fputs("old", file);
    fflush(file);
    ZM_PLOT_LINE(plot, .y = y, .n = 2);
    CHECK(zm_figure_save(figure, folder_path(&f, "a.png"), NULL) == ZM_OK);
    rewind(file);
    CHECK(fgets(old, sizeof old, file) && !strcmp(old, "old"));
    fclose(file);
    file = fopen(folder_path(&f, "a.png"), "rb");
    CHECK(file && fread(old, 1, 8, file) == 8 && !memcmp(old, "\x89PNG\r\n\x1a\n", 8));
    fclose(file);
    CHECK(folder_count(&f) == 1);
    zm_figure_destroy(figure);
    folder_remove(&f);
}

/* On a log axis the edges have equal ratios; each value lands in exactly one bin. */
TEST(histogram_bins_hold_every_value_once)
{
    enum { N = 5000, BINS = 37 };
    uint64_t state = t->seed;
    static double values[N];
    double edges[BINS + 1], counts[BINS], total = 0;

    for (int i = 0; i < N; i++)
        values[i] = i % 100 == 7 ? NAN : exp(zm_random_normal(&state));
    for (int scale = 0; scale < 2; scale++) {
        const size_t n = samples_sort((zm_plot_scale)scale, values, N);

        CHECK(n == N - N / 100 || scale);
        histogram_count((zm_plot_scale)scale, values, n, BINS, edges, counts);
        total = 0;
        for (int i = 0; i < BINS; i++) {
            total += counts[i];
            CHECK_NEAR(scale ? log(edges[i + 1] / edges[i]) / log(edges[1] / edges[0])
                             : (edges[i + 1] - edges[i]) / (edges[1] - edges[0]),
                       1, 1e-9);
        }
        CHECK(total == (double)n);
        CHECK(histogram_bins((zm_plot_scale)scale, values, n) >= 10);
    }
}
