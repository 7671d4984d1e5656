/* SPDX-License-Identifier: Apache-2.0
 * Themes: one figure, saved light and dark. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/folders.h"
#include "zermelo/plot/plot.h"

/* Every layer that takes a colour from the theme, on paper and on an image. */
static zm_figure *make_figure(zm_plot_theme theme)
{
    enum { ROWS = 12, COLS = 15 };
    double values[ROWS * COLS], x[] = { 2, 5, 7 }, y[] = { 3, 4, 1 };
    const char *names[] = { "a", "b", "c" };
    uint8_t mask[ROWS * COLS] = { 1 };
    zm_figure *figure;

    for (int i = 0; i < ROWS * COLS; i++)
        values[i] = i == 40 ? NAN : hypot(i % COLS, i / COLS) + 1;
    zm_figure_create(&figure,
                     ZM_FIGURE_OPTS(.cols = 3, .title = "title", .theme = theme,
                                    .pixels_per_point = 0.5),
                     NULL);
    for (int32_t col = 0; col < 2; col++) {
        zm_plot *plot = zm_figure_plot(figure, 0, col);

        zm_plot_set_grid(plot, (zm_grid){ ROWS, COLS, 1, 1 }, 0, 0);
        if (col == 0)
            ZM_PLOT_IMAGE(plot, .values = values);
        ZM_PLOT_WALLS(plot, .mask = mask, .label = "walls");
        ZM_PLOT_CONTOURS(plot, .values = values, .label = "contours");
        ZM_PLOT_ARROWS(plot, .u = values, .v = values, .label = "arrows");
        ZM_PLOT_ELLIPSES(plot, .metric.g11 = values, .label = "outlines");
        ZM_PLOT_POINTS(plot, .x = x, .y = y, .n = 3, .names = names);
        ZM_PLOT_TEXT(plot, .x = 3, .y = 3, .string = "text");
    }
    ZM_PLOT_AXES(zm_figure_plot(figure, 0, 2), .title = "curves", .x.label = "x");
    ZM_PLOT_LINE(zm_figure_plot(figure, 0, 2), .x = x, .y = y, .n = 3, .label = "line");
    ZM_PLOT_HISTOGRAM(zm_figure_plot(figure, 0, 2), .values = x, .n = 3);
    ZM_PLOT_CUMULATIVE(zm_figure_plot(figure, 0, 2), .values = x, .n = 3);
    ZM_PLOT_BAND(zm_figure_plot(figure, 0, 2), .x = x, .low = x, .high = y, .n = 3);
    ZM_PLOT_BARS(zm_figure_plot(figure, 0, 2), .heights = x, .n = 3, .y_low = x,
                 .y_high = y, .show_values = 1);
    ZM_PLOT_GUIDE(zm_figure_plot(figure, 0, 2), .x = 1, .y = 1, .slope = 1);
    return figure;
}

static bool is_same_file(test_run *t, const folder *f, const char *one,
                         const char *other)
{
    size_t n = 0, m = 1;
    char *a = folder_read(f, one, &n), *b = folder_read(f, other, &m);
    bool same;

    CHECK_MSG(a && b, "%s or %s is missing", one, other);
    same = a && b && n == m && !memcmp(a, b, n);
    free(a);
    free(b);
    return same;
}

/* Nothing of a theme may stay behind in the figure: what is saved in one theme does not
 * depend on the one the figure was made in or saved in before. */
TEST(a_figure_saved_in_a_theme_is_the_one_made_in_it)
{
    const folder f = folder_make();
    zm_figure *figure = make_figure(ZM_THEME_LIGHT), *made = make_figure(ZM_THEME_DARK);

    CHECK(zm_figure_save(figure, folder_path(&f, "light.png"), NULL) == ZM_OK);
    CHECK(zm_figure_set_theme(figure, ZM_THEME_DARK) == ZM_OK);
    CHECK(zm_figure_save(figure, folder_path(&f, "dark.png"), NULL) == ZM_OK);
    CHECK(zm_figure_set_theme(figure, ZM_THEME_LIGHT) == ZM_OK);
    CHECK(zm_figure_save(figure, folder_path(&f, "again.png"), NULL) == ZM_OK);
    CHECK(zm_figure_save(made, folder_path(&f, "made.png"), NULL) == ZM_OK);
    CHECK(is_same_file(t, &f, "light.png", "again.png"));
    CHECK(is_same_file(t, &f, "dark.png", "made.png"));
    CHECK(!is_same_file(t, &f, "light.png", "dark.png"));
    zm_figure_destroy(figure);
    zm_figure_destroy(made);
    folder_remove(&f);
}
