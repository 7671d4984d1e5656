/* SPDX-License-Identifier: Apache-2.0
 * Pictures of arrival times. */
#define _POSIX_C_SOURCE 200809L
#include "picture.h"

#if defined(ZM_WITH_CAIRO)

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "message.h"

/* Seen on every colour of the map. */
#define PATH_COLOR 0xE4572EFF

const char *picture_formats(void)
{
    return "png svg pdf";
}

bool parse_picture(const char *text, void *field)
{
    const char *ending = strrchr(text, '.');

    if (!ending || (strcasecmp(ending, ".png") && strcasecmp(ending, ".svg") &&
                    strcasecmp(ending, ".pdf")))
        return false;
    *(const char **)field = text;
    return true;
}

int picture_start(zm_figure **figure, const zm_figure_opts *opts)
{
    zm_error err;

    return checked(zm_figure_create(figure, opts, &err), &err);
}

int picture_finish(zm_figure *figure, const char *option_name, const char *path)
{
    zm_error err;
    const zm_status st = zm_figure_save(figure, path, &err);

    zm_figure_destroy(figure);
    return st < 0 ? failure("cannot write %s%s", option_name, err.text) : DONE;
}

static void draw_sources(zm_plot *plot, const inputs *in)
{
    const size_t n = in->sources.count;
    double *x = grow(NULL, 2 * n, sizeof *x), *y = x + n;

    for (size_t i = 0; i < n; i++) {
        x[i] = in->sources.items[i].col * in->grid.dx;
        y[i] = in->sources.items[i].row * in->grid.dy;
    }
    ZM_PLOT_POINTS(plot, .x = x, .y = y, .n = n, .marker = ZM_MARKER_STAR,
                   .label = n == 1 ? "source" : "sources");
    free(x);
}

static void lines_put(picture_lines *lines, double x, double y)
{
    if (lines->n == lines->room) {
        lines->room = 2 * lines->room + 256;
        lines->x = grow(lines->x, lines->room, sizeof *lines->x);
        lines->y = grow(lines->y, lines->room, sizeof *lines->y);
    }
    lines->x[lines->n] = x;
    lines->y[lines->n++] = y;
}

void picture_lines_add(picture_lines *lines, const inputs *in, double row, double col,
                       bool first)
{
    const zm_grid *g = &in->grid;
    const double turn_x = floor((col + 0.5) / g->cols);
    const double turn_y = floor((row + 0.5) / g->rows);

    if (first || turn_x != lines->turn_x || turn_y != lines->turn_y)
        lines_put(lines, (double)NAN, (double)NAN); /* breaks the line */
    lines->turn_x = turn_x;
    lines->turn_y = turn_y;
    lines_put(lines, (col - turn_x * g->cols) * g->dx,
              (row - turn_y * g->rows) * g->dy);
}

void picture_lines_free(picture_lines *lines)
{
    free(lines->x);
    free(lines->y);
    *lines = (picture_lines){ 0 };
}

static void draw(zm_figure *figure, const inputs *in, const solution *s,
                 const picture_lines *lines)
{
    zm_plot *plot = zm_figure_plot(figure, 0, 0);
    const uint8_t *walls = in->walls.data;

    zm_plot_set_grid(plot, in->grid, 0, 0);
    ZM_PLOT_AXES(plot, .x.label = "x", .y.label = "y");
    ZM_PLOT_IMAGE(plot, .dtype = in->dtype, .values = s->T,
                  .colors.label = "arrival time <i>T</i>");
    ZM_PLOT_CONTOURS(plot, .dtype = in->dtype, .values = s->T);
    if (walls)
        ZM_PLOT_WALLS(plot, .mask = walls, .label = "walls");
    if (in->drift.data)
        ZM_PLOT_ARROWS(plot, .dtype = in->dtype, .u = in->problem.metric.b1,
                       .v = in->problem.metric.b2, .walls = walls, .label = "drift");
    if (lines->n)
        ZM_PLOT_LINE(plot, .x = lines->x, .y = lines->y, .n = lines->n,
                     .color = PATH_COLOR, .width = 2, .label = "paths");
    draw_sources(plot, in);
}

int picture_save_lines(const char *path, const inputs *in, const solution *s,
                       const picture_lines *lines)
{
    zm_figure *figure;

    if (!path)
        return DONE;
    TRY(picture_start(&figure, NULL));
    draw(figure, in, s, lines);
    return picture_finish(figure, "--plot ", path);
}

int picture_save(const char *path, const inputs *in, const solution *s)
{
    return picture_save_lines(path, in, s, &(picture_lines){ 0 });
}

#else

const char *picture_formats(void)
{
    return "";
}

#endif
