/* SPDX-License-Identifier: Apache-2.0
 * What include/zermelo/plot/plot.h promises about descriptions, copies and saving. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plot/figure.h"
#include "support/folders.h"
#include "zermelo/plot/plot.h"

static char *saved(test_run *t, zm_figure *figure, const char *name, size_t *n)
{
    const folder f = folder_make();
    zm_error err = { .text = "" };
    char *bytes;

    *n = 0;
    CHECK_MSG(zm_figure_save(figure, folder_path(&f, name), &err) == ZM_OK, "%s",
              err.text);
    bytes = folder_read(&f, name, n);
    folder_remove(&f);
    return bytes;
}

/* To the last pixel; in SVG files Cairo numbers what it draws anew. */
static bool same_picture(test_run *t, zm_figure *a, zm_figure *b)
{
    size_t n_a, n_b;
    char *one = saved(t, a, "a.png", &n_a), *other = saved(t, b, "b.png", &n_b);
    const bool same = one && other && n_a == n_b && !memcmp(one, other, n_a);

    free(one);
    free(other);
    return same;
}

static zm_figure *new_figure(void)
{
    zm_figure *figure;

    if (zm_figure_create(&figure, NULL, NULL) != ZM_OK)
        exit(2);
    return figure;
}

/* One plot with a line, a title and a legend, from arrays that are overwritten before the
 * figure is saved or not. */
static zm_figure *line_figure(bool overwrite)
{
    double x[3] = { 1, 2, 4 }, y[3] = { 3, 1, 2 };
    char title[] = "title", label[] = "line";
    zm_figure *figure = new_figure();
    zm_plot *plot = zm_figure_plot(figure, 0, 0);

    ZM_PLOT_AXES(plot, .title = title, .y.label = label);
    ZM_PLOT_LINE(plot, .x = x, .y = y, .n = 3, .label = label);
    if (overwrite) {
        memset(x, 0, sizeof x);
        memset(y, 0, sizeof y);
        memset(title, 'x', 5);
        memset(label, 'x', 4);
    }
    return figure;
}

TEST(arrays_and_strings_are_copied)
{
    zm_figure *kept = line_figure(false), *overwritten = line_figure(true);

    CHECK(same_picture(t, kept, overwritten));
    zm_figure_destroy(kept);
    zm_figure_destroy(overwritten);
}

/* A figure is the same each time it is saved, and one that grew is one made so at once. */
TEST(a_figure_can_be_saved_again_and_grow_in_between)
{
    const double more[2] = { 2, 3 };
    zm_figure *grown = line_figure(false), *whole = line_figure(false);

    CHECK(same_picture(t, grown, grown));
    ZM_PLOT_LINE(zm_figure_plot(grown, 0, 0), .y = more, .n = 2);
    ZM_PLOT_LINE(zm_figure_plot(whole, 0, 0), .y = more, .n = 2);
    CHECK(same_picture(t, grown, whole));
    zm_figure_destroy(grown);
    zm_figure_destroy(whole);
}

/* A caller compiled with an earlier header gives a shorter struct, whose missing members are
 * zero; a longer one has members that this library does not know. */
TEST(shorter_descriptions_are_read_and_longer_ones_refused)
{
    const double y[3] = { 3, 1, 2 };
    zm_plot_line given = ZM_PLOT_INIT(line);
    zm_figure_opts opts = ZM_FIGURE_OPTS_INIT;
    zm_plot_axes axes = ZM_PLOT_AXES_INIT;
    zm_figure *figure = new_figure(), *refused = new_figure();
    const layer *l;

    given.size = offsetof(zm_plot_line, color);
    given.y = y;
    given.n = 3;
    given.color = 0xff0000ff; /* beyond what it says it has */
    CHECK(zm_plot_add_line(zm_figure_plot(figure, 0, 0), &given) == ZM_OK);
    l = zm_figure_plot(figure, 0, 0)->last;
    CHECK(l->kind == LAYER_LINE && l->color == 0);
    CHECK(zm_plot_set_axes(zm_figure_plot(figure, 0, 0), &axes) == ZM_OK);
    CHECK(zm_plot_set_axes(zm_figure_plot(figure, 0, 0), NULL) == ZM_OK);
    given.size = sizeof given + 8;
    CHECK(zm_plot_add_line(zm_figure_plot(refused, 0, 0), &given) == ZM_E_ARG);
    CHECK_MSG(strstr(refused->failure.text, "_INIT"), "%s", refused->failure.text);
    zm_figure_destroy(figure);
    zm_figure_destroy(refused);
    opts.size += 8;
    CHECK(zm_figure_create(&figure, &opts, NULL) == ZM_E_ARG && !figure);
}

static double number_after(const char *text, const char *word)
{
    const char *at = text ? strstr(text, word) : NULL;

    return at ? strtod(at + strlen(word), NULL) : NAN;
}

/* Width of the page in points, whatever is in it. */
static double width_of(test_run *t, const zm_figure_opts *o)
{
    const double y[2] = { 1, 2 };
    zm_figure *figure;
    char *text;
    double width;
    size_t n;

    CHECK(zm_figure_create(&figure, o, NULL) == ZM_OK);
    ZM_PLOT_LINE(zm_figure_plot(figure, 0, 0), .y = y, .n = 2);
    text = saved(t, figure, "a.svg", &n);
    width = number_after(text, "width=\"");
    free(text);
    zm_figure_destroy(figure);
    return width;
}

TEST(the_width_is_the_one_asked_for_or_by_the_columns)
{
    CHECK(width_of(t, NULL) == 480);
    CHECK(width_of(t, ZM_FIGURE_OPTS(.cols = 3)) == 1050);
    CHECK(width_of(t, ZM_FIGURE_OPTS(.cols = 3, .width = 333)) == 333);
}

/* Markup that is not well-formed is shown as it stands: it is the same as its escaped form. */
TEST(markup_that_is_not_well_formed_is_shown_as_it_stands)
{
    static const char *const broken = "a <i>b", *const escaped = "a &lt;i&gt;b";
    const double y[2] = { 1, 2 };
    zm_figure *figures[2];

    for (int k = 0; k < 2; k++) {
        figures[k] = new_figure();
        ZM_PLOT_AXES(zm_figure_plot(figures[k], 0, 0), .title = k ? escaped : broken);
        ZM_PLOT_LINE(zm_figure_plot(figures[k], 0, 0), .y = y, .n = 2);
    }
    CHECK(same_picture(t, figures[0], figures[1]));
    zm_figure_destroy(figures[0]);
    zm_figure_destroy(figures[1]);
}

/* Axes replace what was set before, and points that are not finite break a line. */
TEST(axes_replace_those_before_and_missing_points_break_a_line)
{
    const double y[4] = { 1, 2, NAN, 3 };
    zm_figure *figure = new_figure();
    zm_plot *plot = zm_figure_plot(figure, 0, 0);
    size_t n;

    ZM_PLOT_AXES(plot, .title = "first", .x.scale = ZM_SCALE_LOG);
    ZM_PLOT_AXES(plot, .y.label = "second");
    CHECK(!plot->axes.title && plot->axes.x.scale == ZM_SCALE_LINEAR);
    CHECK(!strcmp(plot->axes.y.label, "second"));
    CHECK(ZM_PLOT_LINE(plot, .y = y, .n = 4) == ZM_OK);
    free(saved(t, figure, "a.svg", &n));
    zm_figure_destroy(figure);
}
