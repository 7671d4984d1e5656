/* SPDX-License-Identifier: Apache-2.0
 * Pictures of arrival times. */
#define _POSIX_C_SOURCE 200809L
#include "picture.h"

#if defined(ZM_WITH_CAIRO)

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "message.h"
#include "zermelo/plot.h"

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

static void draw(zm_figure *figure, const inputs *in, const solution *s)
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
    draw_sources(plot, in);
}

int picture_save(const char *path, const inputs *in, const solution *s)
{
    zm_figure *figure;
    zm_error err;
    zm_status st;

    if (!path)
        return DONE;
    st = zm_figure_create(&figure, NULL, &err);
    if (st >= 0) {
        draw(figure, in, s);
        st = zm_figure_save(figure, path, &err);
    }
    zm_figure_destroy(figure);
    return st < 0 ? failure("cannot write --plot %s", err.text) : DONE;
}

#else

const char *picture_formats(void)
{
    return "";
}

#endif
