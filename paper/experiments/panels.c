/* SPDX-License-Identifier: Apache-2.0
 * Plots that several experiments draw. */
#include "panels.h"

enum { MOST_STARS = 64 }; /* more are a region, not points */
static const zm_plot_rgba star_color = 0xE02020FFu;

void panel_sources(zm_plot *plot, const medium *m, const char *label)
{
    double x[MOST_STARS], y[MOST_STARS];
    const size_t n = m->n_sources < MOST_STARS ? m->n_sources : MOST_STARS;

    for (size_t i = 0; i < n; i++) {
        x[i] = m->sources[i].col * m->grid.dx;
        y[i] = m->sources[i].row * m->grid.dy;
    }
    ZM_PLOT_POINTS(plot, .x = x, .y = y, .n = n, .marker = ZM_MARKER_STAR,
                   .marker_size = 10, .color = star_color, .label = label);
}

void panel_draw(zm_plot *plot, const medium *m, const double *values, const panel *p)
{
    zm_plot_set_grid(plot, m->grid, 0, 0);
    ZM_PLOT_AXES(plot, .title = p->title,
                 .x.label = p->x_label ? p->x_label : "<i>x</i>",
                 .y.label = p->y_label ? p->y_label : "<i>y</i>");
    ZM_PLOT_IMAGE(plot, .values = values,
                  .colors = { .map = p->map,
                              .scale = p->scale,
                              .min = p->min,
                              .max = p->max,
                              .clip = p->clip,
                              .label = p->label ? p->label : "arrival time <i>T</i>" });
    if (p->ellipses)
        ZM_PLOT_ELLIPSES(plot, .metric = medium_problem(m).metric, .walls = m->walls,
                         .across = 7);
    if (p->arrows)
        ZM_PLOT_ARROWS(plot, .u = m->b1, .v = m->b2, .walls = m->walls, .across = 12);
    if (p->isochrones)
        ZM_PLOT_CONTOURS(plot, .values = values, .levels = p->levels,
                         .n_levels = p->n_levels ? p->n_levels : 12);
    if (m->walls)
        ZM_PLOT_WALLS(plot, .mask = m->walls);
    if (p->sources)
        panel_sources(plot, m, NULL);
}
