/* SPDX-License-Identifier: Apache-2.0
 * A picture: arrival times in a rotating wind, with isochrones and drift arrows.
 *
 *     cc 05_picture.c $(pkg-config --cflags --libs zermelo-plot zermelo) -lm */
#include <math.h>
#include <stdio.h>
#include "zermelo/plot/plot.h"
#include "zermelo/zermelo.h"

enum { ROWS = 160, COLS = 240, N = ROWS * COLS };

static double g[N], b1[N], b2[N], T[N];
static const zm_grid grid = { ROWS, COLS, 0.05, 0.05 };

static zm_status draw(const char *path, zm_error *err)
{
    const double x = 80 * 0.05, y = 80 * 0.05;
    const char *name = "start";
    zm_figure *figure;
    zm_plot *plot;
    zm_status status = zm_figure_create(&figure, NULL, err);

    if (status != ZM_OK)
        return status;
    plot = zm_figure_plot(figure, 0, 0);
    zm_plot_set_grid(plot, grid, 0.0, 0.0);
    ZM_PLOT_AXES(plot, .title = "A front in a rotating wind", .x.label = "x [km]",
                 .y.label = "y [km]");
    ZM_PLOT_IMAGE(plot, .values = T, .colors.label = "arrival time <i>T</i> [h]");
    ZM_PLOT_ARROWS(plot, .u = b1, .v = b2, .label = "drift <i>b</i>");
    ZM_PLOT_CONTOURS(plot, .values = T, .label = "isochrones");
    ZM_PLOT_POINTS(plot, .x = &x, .y = &y, .n = 1, .names = &name,
                   .marker = ZM_MARKER_STAR, .marker_size = 11, .color = 0xe0452bff);
    status = zm_figure_save(figure, path, err);
    zm_figure_destroy(figure);
    return status;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "picture.png";
    const zm_source start = { 80, 80, 0.0 };
    const zm_problem problem = { .size = sizeof(zm_problem),
                                 .metric = { .g11 = g, .b1 = b1, .b2 = b2 },
                                 .sources = &start,
                                 .n_sources = 1 };
    zm_solver *solver = NULL;
    zm_error err = { 0 };

    for (int i = 0; i < N; i++) {
        const double x = (i % COLS - 140) / 60.0, y = (i / COLS - 80) / 60.0;
        const double swirl = 0.8 * exp(-0.5 * (x * x + y * y));

        g[i] = 1.0;
        b1[i] = -swirl * y;
        b2[i] = swirl * x;
    }
    if (zm_solver_create(&solver, grid, ZM_F64, NULL, &err) != ZM_OK ||
        zm_forward(solver, &problem, T, NULL, NULL, &err) != ZM_OK ||
        draw(path, &err) != ZM_OK) {
        fprintf(stderr, "05_picture: %s\n", err.text);
        zm_solver_destroy(solver);
        return 1;
    }
    zm_solver_destroy(solver);
    printf("wrote %s\n", path);
    return 0;
}
