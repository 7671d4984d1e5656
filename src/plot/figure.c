/* SPDX-License-Identifier: Apache-2.0
 * Figures and plots: making, describing and freeing them. */
#include "plot/figure.h"

#include <math.h>
#include <pango/pango.h>
#include <string.h>

#include "core/memory.h"
#include "core/options.h"
#include "plot/ticks.h"

enum { MOST_PLOTS_ALONG = 64 };

static const double default_font_size = 10, default_pixels_per_point = 2;
static const double single_width = 480, width_per_column = 350;

static void fill_defaults(zm_figure_opts *o)
{
    o->rows = o->rows ? o->rows : 1;
    o->cols = o->cols ? o->cols : 1;
    if (o->width == 0)
        o->width = o->cols == 1 ? single_width : width_per_column * o->cols;
    if (o->font_size == 0)
        o->font_size = default_font_size;
    if (o->pixels_per_point == 0)
        o->pixels_per_point = default_pixels_per_point;
}

static zm_status check_theme(zm_plot_theme theme, zm_error *err)
{
    if (theme == ZM_THEME_LIGHT || theme == ZM_THEME_DARK)
        return ZM_OK;
    return zm_fail(err, ZM_E_ARG, -1,
                   "theme %d, must be ZM_THEME_LIGHT or ZM_THEME_DARK", (int)theme);
}

static zm_status check_opts(const zm_figure_opts *o, zm_error *err)
{
    if (o->rows < 1 || o->cols < 1 || o->rows > MOST_PLOTS_ALONG ||
        o->cols > MOST_PLOTS_ALONG)
        return zm_fail(err, ZM_E_ARG, -1, "%d x %d plots, must be 1 .. %d each way",
                       (int)o->rows, (int)o->cols, MOST_PLOTS_ALONG);
    if (!(o->width >= 50 && o->width <= 10000))
        return zm_fail(err, ZM_E_ARG, -1, "figure width %g, must be 50 .. 10000 points",
                       o->width);
    if (!(o->font_size >= 1 && o->font_size <= 100))
        return zm_fail(err, ZM_E_ARG, -1, "font size %g, must be 1 .. 100 points",
                       o->font_size);
    if (!(o->pixels_per_point >= 0.1 && o->pixels_per_point <= 20))
        return zm_fail(err, ZM_E_ARG, -1, "%g pixels per point, must be 0.1 .. 20",
                       o->pixels_per_point);
    return check_theme(o->theme, err);
}

static zm_figure *make_figure(const zm_figure_opts *o)
{
    arena memory = { zm_alloc_or_default(&o->mem), NULL };
    zm_figure *figure = zm_plot_arena_alloc(&memory, 1, sizeof *figure);

    if (!figure)
        return NULL;
    figure->memory = memory;
    figure->opts = *o;
    figure->opts.title = zm_plot_figure_string(figure, o->title);
    figure->plots = zm_plot_figure_alloc(figure, (size_t)o->rows * (size_t)o->cols,
                                         sizeof *figure->plots);
    return figure;
}

zm_status zm_figure_create(zm_figure **out, const zm_figure_opts *opts, zm_error *err)
{
    zm_figure_opts o = { 0 };
    zm_figure *figure;
    zm_status st;

    *out = NULL;
    ZM_TRY(zm_options_read(&o, sizeof o, opts, "zm_figure_opts", err));
    fill_defaults(&o);
    ZM_TRY(check_opts(&o, err));
    figure = make_figure(&o);
    if (!figure)
        return zm_fail(err, ZM_E_NOMEM, -1, "figure");
    if (figure->failure.code != ZM_OK) {
        st = zm_fail(err, figure->failure.code, -1, "%s", figure->failure.text);
        zm_figure_destroy(figure);
        return st;
    }
    for (int32_t i = 0; i < o.rows * o.cols; i++)
        figure->plots[i].figure = figure;
    *out = figure;
    return ZM_OK;
}

void zm_figure_destroy(zm_figure *figure)
{
    if (figure) {
        arena memory = figure->memory; /* the figure lives in its own arena */

        zm_plot_arena_free(&memory);
    }
}

zm_status zm_figure_set_theme(zm_figure *figure, zm_plot_theme theme)
{
    if (figure->failure.code == ZM_OK && check_theme(theme, &figure->failure) == ZM_OK)
        figure->opts.theme = theme;
    return figure->failure.code;
}

zm_plot *zm_figure_plot(zm_figure *figure, int32_t row, int32_t col)
{
    const zm_figure_opts *o = &figure->opts;

    if (row >= 0 && row < o->rows && col >= 0 && col < o->cols)
        return &figure->plots[row * o->cols + col];
    FIGURE_FAIL(figure, ZM_E_ARG, -1, "plot (%d, %d) of a figure with %d x %d",
                (int)row, (int)col, (int)o->rows, (int)o->cols);
    return NULL;
}

void *zm_plot_figure_alloc(zm_figure *figure, size_t count, size_t size)
{
    void *block = zm_plot_arena_alloc(&figure->memory, count, size);

    if (!block)
        FIGURE_FAIL(figure, ZM_E_NOMEM, -1, "figure: %zu values of %zu bytes", count,
                    size);
    return block;
}

void *zm_plot_figure_copy(zm_figure *figure, const void *source, size_t count,
                          size_t size)
{
    void *copy = source ? zm_plot_figure_alloc(figure, count, size) : NULL;

    if (copy && count > 0)
        memcpy(copy, source, count * size);
    return copy;
}

char *zm_plot_figure_string(zm_figure *figure, const char *string)
{
    if (string && !g_utf8_validate(string, -1, NULL)) {
        FIGURE_FAIL(figure, ZM_E_ARG, -1, "a text is not UTF-8");
        return NULL;
    }
    return string ? zm_plot_figure_copy(figure, string, strlen(string) + 1, 1) : NULL;
}

char **zm_plot_figure_strings(zm_figure *figure, const char *const *strings, size_t n)
{
    char **copy = strings ? zm_plot_figure_alloc(figure, n, sizeof *copy) : NULL;

    for (size_t i = 0; copy && i < n; i++)
        copy[i] = zm_plot_figure_string(figure, strings[i]);
    return copy;
}

static bool axis_is_sound(const zm_plot_axis *axis)
{
    const bool fixed = axis->min < axis->max;

    if (fixed && (!isfinite(axis->min) || !isfinite(axis->max)))
        return false;
    return !fixed || axis->scale != ZM_SCALE_LOG || axis->min > 0;
}

zm_status zm_plot_set_axes(zm_plot *plot, const zm_plot_axes *axes)
{
    zm_plot_axes a = { 0 };
    zm_figure *figure;

    if (!plot)
        return ZM_E_ARG;
    figure = plot->figure;
    if (figure->failure.code != ZM_OK)
        return figure->failure.code;
    ZM_TRY(zm_options_read(&a, sizeof a, axes, "zm_plot_axes", &figure->failure));
    if (!axis_is_sound(&a.x) || !axis_is_sound(&a.y))
        return FIGURE_FAIL(figure, ZM_E_ARG, -1,
                           "axis range: must be finite, and positive on a log scale");
    if (!(a.aspect >= 0 && a.aspect <= 100))
        return FIGURE_FAIL(figure, ZM_E_ARG, -1, "aspect %g, must be 0 .. 100",
                           a.aspect);
    if (a.n_x_ticks > MOST_TICKS || a.n_y_ticks > MOST_TICKS)
        return FIGURE_FAIL(figure, ZM_E_ARG, -1, "%zu and %zu ticks, at most %d",
                           a.n_x_ticks, a.n_y_ticks, MOST_TICKS);
    a.x_ticks = zm_plot_figure_copy(figure, a.x_ticks, a.n_x_ticks, sizeof *a.x_ticks);
    a.y_ticks = zm_plot_figure_copy(figure, a.y_ticks, a.n_y_ticks, sizeof *a.y_ticks);
    a.title = zm_plot_figure_string(figure, a.title);
    a.x.label = zm_plot_figure_string(figure, a.x.label);
    a.y.label = zm_plot_figure_string(figure, a.y.label);
    plot->axes = a;
    return figure->failure.code;
}

zm_status zm_plot_set_grid(zm_plot *plot, zm_grid grid, double x0, double y0)
{
    if (!plot)
        return ZM_E_ARG;
    if (plot->figure->failure.code != ZM_OK)
        return plot->figure->failure.code;
    if (grid.rows < 1 || grid.cols < 1 || (int64_t)grid.rows * grid.cols > INT32_MAX ||
        !(grid.dx > 0) || !(grid.dy > 0) || !isfinite(grid.dx * grid.cols + x0) ||
        !isfinite(grid.dy * grid.rows + y0))
        return FIGURE_FAIL(plot->figure, ZM_E_ARG, -1,
                           "plot grid %d x %d, spacing %g, %g, origin %g, %g",
                           (int)grid.rows, (int)grid.cols, grid.dx, grid.dy, x0, y0);
    plot->place = (placement){ grid, x0, y0 };
    plot->has_grid = true;
    return ZM_OK;
}
