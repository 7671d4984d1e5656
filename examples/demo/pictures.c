/* SPDX-License-Identifier: Apache-2.0
 * The pictures of the demo. */
#include "pictures.h"

#include <math.h>
#include <stdlib.h>

static const zm_plot_rgba camp_color = 0xe8472bff, village_color = 0xffc53dff;

/* What a picture is drawn from. */
typedef struct scene {
    const landscape *land;
    const findings *found;
    int glyphs; /* arrows along the longer side */
} scene;

/* Isochrones, every quarter of an hour. */
enum { N_LEVELS = 40 };

static void add_isochrones(zm_plot *plot, const findings *f, zm_plot_contours style)
{
    double levels[N_LEVELS];

    for (int i = 0; i < N_LEVELS; i++)
        levels[i] = 0.25 * (i + 1);
    style.size = sizeof style;
    style.values = f->T;
    style.levels = levels;
    style.n_levels = N_LEVELS;
    zm_plot_add_contours(plot, &style);
}

/* Camp and village, with their names. */
static void add_places(zm_plot *plot, const landscape *l)
{
    const double camp[2] = { l->camp.col * l->grid.dx, l->camp.row * l->grid.dy };
    const double village[2] = { l->village_col * l->grid.dx,
                                l->village_row * l->grid.dy };
    const char *const names[2] = { "camp", "village" };

    ZM_PLOT_POINTS(plot, .x = &camp[0], .y = &camp[1], .n = 1, .names = &names[0],
                   .marker = ZM_MARKER_STAR, .marker_size = 11, .color = camp_color);
    ZM_PLOT_POINTS(plot, .x = &village[0], .y = &village[1], .n = 1, .names = &names[1],
                   .marker = ZM_MARKER_DIAMOND, .marker_size = 8,
                   .color = village_color);
}

static void draw_arrival(zm_plot *plot, const scene *s)
{
    const landscape *l = s->land;
    const findings *f = s->found;

    ZM_PLOT_AXES(plot, .title = "Arrival time from the camp", .x.label = "x [km]",
                 .y.label = "y [km]");
    ZM_PLOT_IMAGE(plot, .values = f->T, .colors.label = "arrival time <i>T</i> [h]");
    ZM_PLOT_WALLS(plot, .mask = l->walls, .label = "river");
    ZM_PLOT_ARROWS(plot, .u = l->wind_x, .v = l->wind_y, .walls = l->walls,
                   .across = s->glyphs, .label = "drift <i>b</i>");
    add_isochrones(plot, f, (zm_plot_contours){ .label = "isochrones [h]" });
}

static void draw_metric(zm_plot *plot, const scene *s)
{
    const landscape *l = s->land;

    ZM_PLOT_AXES(plot, .title = "The ground and how far one gets on it",
                 .x.label = "x [km]", .y.label = "y [km]");
    ZM_PLOT_IMAGE(
        plot, .values = l->slowness,
        .colors = { .map = ZM_MAP_SAND, .label = "slowness of level ground [h/km]" });
    ZM_PLOT_CONTOURS(plot, .values = l->height, .color = 0x6b553480, .width = 0.6,
                     .hide_labels = 1, .label = "height");
    ZM_PLOT_ELLIPSES(
        plot, .metric = { ZM_F64, l->g11, l->g12, l->g22, l->b1, l->b2 },
        .walls = l->walls, .across = 3 * s->glyphs / 4,
        .label = "reach in a given time, {<i>v</i> : <i>F</i>(<i>v</i>) ≤ <i>t</i>}");
    ZM_PLOT_WALLS(plot, .mask = l->walls, .label = "river");
}

static void draw_delay(zm_plot *plot, const scene *s)
{
    const landscape *l = s->land;
    const findings *f = s->found;
    double largest = 0.0;

    for (size_t i = 0; i < l->n; i++)
        largest = fmax(largest, f->delay[i]);
    ZM_PLOT_AXES(plot, .title = "Where slower ground delays the arrival in the village",
                 .x.label = "x [km]", .y.label = "y [km]");
    ZM_PLOT_IMAGE(plot, .values = f->delay,
                  .colors = { .map = ZM_MAP_EMBER,
                              .scale = ZM_SCALE_LOG,
                              .min = 1e-5 * largest,
                              .max = largest,
                              .label = "delay [min] for 1 % more slowness on 1 km²" });
    ZM_PLOT_WALLS(plot, .mask = l->walls, .color = 0x7c8896ff, .label = "river");
    add_isochrones(plot, f,
                   (zm_plot_contours){ .color = 0xffffff50,
                                       .width = 0.6,
                                       .hide_labels = 1,
                                       .label = "isochrones" });
}

static void draw_triangles(zm_plot *plot, const scene *s)
{
    const landscape *l = s->land;
    const findings *f = s->found;
    static const char *const names[] = { "NW, W", "W, SW", "SW, S", "S, SE",
                                         "SE, E", "E, NE", "NE, N", "N, NW" };
    double *classes = malloc(l->n * sizeof *classes);
    uint8_t *farther = malloc(l->n);

    for (size_t i = 0; classes && farther && i < l->n; i++) {
        const uint8_t code = f->codes[i];

        classes[i] =
            code < 2 * ZM_STENCIL_ONE_POINT ? code % ZM_STENCIL_ONE_POINT : NAN;
        farther[i] = code == ZM_STENCIL_WIDE || code == ZM_STENCIL_WIDE_ONE_POINT;
    }
    ZM_PLOT_AXES(plot, .title = "Which neighbours the front comes from",
                 .x.label = "x [km]", .y.label = "y [km]");
    ZM_PLOT_IMAGE(plot, .values = classes,
                  .colors = { .map = ZM_MAP_CYCLIC,
                              .label = "winning triangle",
                              .n_classes = 8,
                              .class_names = names });
    ZM_PLOT_WALLS(plot, .mask = farther, .color = 0xc8cbd0ff, .label = "farther cells");
    ZM_PLOT_WALLS(plot, .mask = l->walls, .label = "river");
    add_isochrones(plot, f,
                   (zm_plot_contours){ .color = 0x00000060,
                                       .width = 0.6,
                                       .hide_labels = 1,
                                       .label = "isochrones" });
    free(farther);
    free(classes);
}

static const struct {
    const char *name;
    void (*draw)(zm_plot *plot, const scene *s);
} pictures[N_PICTURES] = { { "arrival.png", draw_arrival },
                           { "metric.png", draw_metric },
                           { "sensitivity.png", draw_delay },
                           { "triangles.png", draw_triangles } };

const char *picture_name(int i)
{
    return pictures[i].name;
}

zm_status picture_draw(int i, const landscape *land, const findings *found,
                       picture_size size, const char *path, zm_error *err)
{
    static const double points_per_glyph = 23.0;
    zm_figure *figure;
    zm_plot *plot;
    zm_status status = zm_figure_create(
        &figure, ZM_FIGURE_OPTS(.width = size.width, .pixels_per_point = size.pixels),
        err);

    if (status != ZM_OK)
        return status;
    plot = zm_figure_plot(figure, 0, 0);
    zm_plot_set_grid(plot, land->grid, 0.0, 0.0);
    pictures[i].draw(plot,
                     &(scene){ land, found, (int)(size.width / points_per_glyph) });
    add_places(plot, land);
    status = zm_figure_save(figure, path, err);
    zm_figure_destroy(figure);
    return status;
}
