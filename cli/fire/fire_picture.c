/* SPDX-License-Identifier: Apache-2.0
 * Pictures of fires. */
#include "fire/fire_picture.h"

#if defined(ZM_WITH_CAIRO)

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/picture.h"
#include "common/value.h"
#include "core/pi.h"
#include "zermelo/fire/score.h"

/* Around the burned area, as a share of its longer side, and at least so many cells. */
#define MARGIN 0.12
enum { LEAST_MARGIN = 6, LEVELS = 8 };
#define BARRIER_COLOR 0x5B7FA3D0
#define TRUTH_COLOR                                                                    \
    0x18C0C8FF /* on none of the colours of times, ground and barriers */

/* A window of the landscape. */
typedef struct view_box {
    int32_t row, col, rows, cols;
} view_box;

static void include_cells(const float *T, int32_t rows, int32_t cols, double t_max,
                          int32_t box[4])
{
    for (int32_t r = 0; T && r < rows; r++)
        for (int32_t c = 0; c < cols; c++)
            if ((double)T[(size_t)r * (size_t)cols + (size_t)c] <= t_max &&
                isfinite(T[(size_t)r * (size_t)cols + (size_t)c])) {
                box[0] = r < box[0] ? r : box[0];
                box[1] = r > box[1] ? r : box[1];
                box[2] = c < box[2] ? c : box[2];
                box[3] = c > box[3] ? c : box[3];
            }
}

/* What holds the fire, or the whole landscape where nothing burned. */
static view_box box_of(const fire_view *v)
{
    const int32_t rows = v->land->rows, cols = v->land->cols;
    int32_t b[4] = { rows, -1, cols, -1 }, margin, side;

    include_cells(v->truth, rows, cols, INFINITY, b);
    include_cells(v->predicted, rows, cols, v->t_max, b);
    if (b[1] < 0)
        return (view_box){ 0, 0, rows, cols };
    side = b[1] - b[0] > b[3] - b[2] ? b[1] - b[0] : b[3] - b[2];
    margin = (int32_t)(MARGIN * side) + LEAST_MARGIN;
    b[0] = b[0] > margin ? b[0] - margin : 0;
    b[2] = b[2] > margin ? b[2] - margin : 0;
    b[1] = b[1] + margin < rows ? b[1] + margin : rows - 1;
    b[3] = b[3] + margin < cols ? b[3] + margin : cols - 1;
    return (view_box){ b[0], b[2], b[1] - b[0] + 1, b[3] - b[2] + 1 };
}

static size_t cells_of_box(const view_box *b)
{
    return (size_t)b->rows * (size_t)b->cols;
}

static size_t cell_at(const zm_landscape *land, const view_box *b, size_t i)
{
    const size_t cols = (size_t)b->cols;

    return ((size_t)b->row + i / cols) * (size_t)land->cols + (size_t)b->col + i % cols;
}

static float *cut(const zm_landscape *land, const float *values, const view_box *b,
                  double most)
{
    const size_t n = cells_of_box(b);
    float *out = grow(NULL, n, sizeof *out);

    for (size_t i = 0; i < n; i++) {
        out[i] = values[cell_at(land, b, i)];
        if (!((double)out[i] <= most))
            out[i] = NAN;
    }
    return out;
}

/* Light from the north-west, 45 degrees high: cos of the angle to the normal of the ground. */
static float shade_of(const zm_landscape *land, size_t cell)
{
    const double slope = (double)land->layers[ZM_LAYER_SLOPE][cell] * ZM_PI / 180;
    const double aspect = (double)land->layers[ZM_LAYER_ASPECT][cell] * ZM_PI / 180;
    const double light = 315 * ZM_PI / 180, high = 45 * ZM_PI / 180;

    return (float)(sin(high) * cos(slope) +
                   cos(high) * sin(slope) * cos(light - aspect));
}

static void draw_ground(zm_plot *plot, const zm_landscape *land, const view_box *b)
{
    const size_t n = cells_of_box(b);
    float *shade = grow(NULL, n, sizeof *shade);
    uint8_t *barrier = grow(NULL, n, 1);
    size_t blocked = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t cell = cell_at(land, b, i);

        shade[i] = shade_of(land, cell);
        barrier[i] =
            !zm_fuel_burnable(land, (int32_t)land->layers[ZM_LAYER_FUEL][cell]);
        blocked += barrier[i];
    }
    ZM_PLOT_IMAGE(plot, .dtype = ZM_F32, .values = shade, .colors.map = ZM_MAP_SAND,
                  .colors.reversed = 1, .colors.hide_bar = 1, .colors.min = -0.35,
                  .colors.max = 1.05);
    if (blocked)
        ZM_PLOT_WALLS(plot, .mask = barrier, .color = BARRIER_COLOR);
    free(shade);
    free(barrier);
}

static void begin(zm_plot *plot, const fire_view *v, const view_box *b,
                  const char *title)
{
    const double km = v->land->cell / 1000;
    const zm_grid grid = { b->rows, b->cols, km, km };

    zm_plot_set_grid(plot, grid, (b->col + 0.5) * km, (b->row + 0.5) * km);
    ZM_PLOT_AXES(plot, .title = title, .x.label = "km east", .y.label = "km south");
    draw_ground(plot, v->land, b);
}

static void draw_ignition(zm_plot *plot, const fire_view *v)
{
    const double km = v->land->cell / 1000;
    const double x = (v->col + 0.5) * km, y = (v->row + 0.5) * km;

    if (v->row >= 0)
        ZM_PLOT_POINTS(plot, .x = &x, .y = &y, .n = 1, .marker = ZM_MARKER_STAR,
                       .marker_size = 9);
}

static void draw_times(zm_plot *plot, const fire_view *v, const view_box *b,
                       const float *T, double most)
{
    float *part = cut(v->land, T, b, most);

    ZM_PLOT_IMAGE(plot, .dtype = ZM_F32, .values = part, .clear = 1,
                  .colors.map = ZM_MAP_EMBER, .colors.reversed = 0, .colors.min = 0,
                  .colors.max = most, .colors.label = "arrival, hours");
    ZM_PLOT_CONTOURS(plot, .dtype = ZM_F32, .values = part, .n_levels = LEVELS);
    draw_ignition(plot, v);
    free(part);
}

/* The border of what has a time up to `until` as a line. */
static void draw_perimeter(zm_plot *plot, const zm_landscape *land, const view_box *b,
                           const float *T, float until, const char *label)
{
    const size_t n = cells_of_box(b);
    const double middle = 0.5;
    float *burned = grow(NULL, n, sizeof *burned);

    for (size_t i = 0; i < n; i++) {
        const float time = T[cell_at(land, b, i)];

        burned[i] = isfinite(time) && time <= until ? 1 : 0;
    }
    ZM_PLOT_CONTOURS(plot, .dtype = ZM_F32, .values = burned, .levels = &middle,
                     .n_levels = 1, .color = TRUTH_COLOR, .hide_labels = 1,
                     .width = 1.6, .label = label);
    free(burned);
}

static void draw_true_perimeters(zm_plot *plot, const fire_view *v, const view_box *b)
{
    if (!v->dates)
        draw_perimeter(plot, v->land, b, v->truth, INFINITY, "true perimeter");
    for (size_t k = 0; v->dates && k < v->n_dates; k++)
        draw_perimeter(plot, v->land, b, v->truth, (float)v->dates[k],
                       k == 0 ? "observed perimeters" : NULL);
}

int fire_picture_save(const char *path, const fire_view *v)
{
    const float *T = v->predicted ? v->predicted : v->truth;
    const size_t n = (size_t)v->land->rows * (size_t)v->land->cols;
    const view_box b = box_of(v);
    zm_figure *figure;
    zm_plot *plot;
    double most;

    if (!path)
        return DONE;
    most = isfinite(v->t_max) ? v->t_max : zm_score_latest(v->truth ? v->truth : T, n);
    TRY(picture_start(&figure, NULL));
    plot = zm_figure_plot(figure, 0, 0);
    begin(plot, v, &b, v->title);
    draw_times(plot, v, &b, T, most > 0 ? most : 1);
    if (v->predicted && v->truth)
        draw_true_perimeters(plot, v, &b);
    return picture_finish(figure, "", path);
}

static void draw_shares(zm_plot *plot, const fire_view *v, const view_box *b,
                        double most, const char *bar)
{
    const size_t n = cells_of_box(b);
    float *share = cut(v->land, v->predicted, b, 1);

    for (size_t i = 0; i < n; i++)
        if (!(share[i] > 0))
            share[i] = NAN;
    ZM_PLOT_IMAGE(plot, .dtype = ZM_F32, .values = share, .clear = 1,
                  .colors.map = ZM_MAP_EMBER, .colors.reversed = 1, .colors.min = 0,
                  .colors.max = most, .colors.label = bar);
    free(share);
}

static void draw_chances(zm_plot *plot, const fire_view *v, const view_box *b,
                         const char *bar)
{
    static const double half = 0.5, ends[] = { 0.05, 0.95 };
    const size_t n = cells_of_box(b);
    float *chance = cut(v->land, v->predicted, b, 1),
          *seen = grow(NULL, n, sizeof *seen);

    for (size_t i = 0; i < n; i++)
        seen[i] = chance[i] > 0 ? chance[i] : NAN;
    ZM_PLOT_IMAGE(plot, .dtype = ZM_F32, .values = seen, .clear = 1,
                  .colors.map = ZM_MAP_EMBER, .colors.reversed = 1, .colors.min = 0,
                  .colors.max = 1, .colors.label = bar);
    ZM_PLOT_CONTOURS(plot, .dtype = ZM_F32, .values = chance, .levels = ends,
                     .n_levels = 2, .hide_labels = 1, .label = "5 and 95 %");
    ZM_PLOT_CONTOURS(plot, .dtype = ZM_F32, .values = chance, .levels = &half,
                     .n_levels = 1, .color = TRUTH_COLOR, .hide_labels = 1,
                     .width = 1.6, .label = "median perimeter");
    draw_ignition(plot, v);
    free(chance);
    free(seen);
}

/* What of the landscape has a probability above 0. */
static view_box box_of_chances(const fire_view *v)
{
    const size_t n = (size_t)v->land->rows * (size_t)v->land->cols;
    float *reached = grow(NULL, n, sizeof *reached);
    fire_view where = *v;
    view_box b;

    for (size_t i = 0; i < n; i++)
        reached[i] = v->predicted[i] > 0 ? 0 : INFINITY;
    where.predicted = reached;
    b = box_of(&where);
    free(reached);
    return b;
}

int chances_picture_save(const char *path, const fire_view *v, const char *bar)
{
    const view_box b = box_of_chances(v);
    zm_figure *figure;
    zm_plot *plot;

    TRY(picture_start(&figure, NULL));
    plot = zm_figure_plot(figure, 0, 0);
    begin(plot, v, &b, v->title);
    draw_chances(plot, v, &b, bar);
    return picture_finish(figure, "", path);
}

int risk_picture_save(const char *path, const fire_view *v, const char *bar)
{
    const size_t n = (size_t)v->land->rows * (size_t)v->land->cols;
    const view_box b = box_of_chances(v);
    zm_figure *figure;
    zm_plot *plot;
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, (double)v->predicted[i]);
    TRY(picture_start(&figure, NULL));
    plot = zm_figure_plot(figure, 0, 0);
    begin(plot, v, &b, v->title);
    draw_shares(plot, v, &b, most > 0 ? most : 1, bar);
    return picture_finish(figure, "", path);
}

static void draw_error(zm_plot *plot, const fire_view *v, const view_box *b,
                       double most)
{
    const size_t n = cells_of_box(b);
    float *error = grow(NULL, n, sizeof *error);

    for (size_t i = 0; i < n; i++) {
        const size_t cell = cell_at(v->land, b, i);

        error[i] = isfinite(v->truth[cell]) ? v->predicted[cell] - v->truth[cell] : NAN;
        if (isinf(error[i]))
            error[i] = (float)most;
    }
    ZM_PLOT_IMAGE(plot, .dtype = ZM_F32, .values = error, .clear = 1,
                  .colors.map = ZM_MAP_DIVERGING, .colors.min = -0.5 * most,
                  .colors.max = 0.5 * most, .colors.label = "predicted - true, hours");
    draw_ignition(plot, v);
    free(error);
}

static void draw_triple(zm_figure *figure, const fire_view *v, int32_t row)
{
    const size_t n = (size_t)v->land->rows * (size_t)v->land->cols;
    fire_view seen = *v;
    view_box b;
    double most = v->truth ? zm_score_latest(v->truth, n) : 0;

    most = most > 0 ? most : 1;
    seen.t_max = most; /* the prediction knows no end: shown is what burns meanwhile */
    b = box_of(&seen);
    begin(zm_figure_plot(figure, row, 0), v, &b, v->title);
    draw_times(zm_figure_plot(figure, row, 0), v, &b, v->truth, most);
    begin(zm_figure_plot(figure, row, 1), v, &b, "prediction");
    draw_times(zm_figure_plot(figure, row, 1), v, &b, v->predicted, most);
    draw_true_perimeters(zm_figure_plot(figure, row, 1), v, &b);
    begin(zm_figure_plot(figure, row, 2), v, &b, "error");
    draw_error(zm_figure_plot(figure, row, 2), v, &b, most);
}

int fire_triples_save(const char *path, const fire_view *views, size_t n)
{
    zm_figure *figure;

    if (!path || n == 0)
        return DONE;
    TRY(picture_start(&figure, ZM_FIGURE_OPTS(.rows = (int32_t)n, .cols = 3)));
    for (size_t i = 0; i < n; i++)
        draw_triple(figure, &views[i], (int32_t)i);
    return picture_finish(figure, "", path);
}

/* ---- landscapes ------------------------------------------------------------------- */

enum { NON_BURNABLE, GRASS, GRASS_SHRUB, SHRUB, TIMBER, SLASH, OTHER, N_KINDS };

static int kind_of(const zm_landscape *land, int32_t fuel)
{
    if (!zm_fuel_burnable(land, fuel))
        return NON_BURNABLE;
    if ((fuel >= 1 && fuel <= 3) || (fuel >= 101 && fuel <= 109))
        return GRASS;
    if (fuel >= 121 && fuel <= 124)
        return GRASS_SHRUB;
    if ((fuel >= 4 && fuel <= 7) || (fuel >= 141 && fuel <= 149))
        return SHRUB;
    if ((fuel >= 8 && fuel <= 10) || (fuel >= 161 && fuel <= 189))
        return TIMBER;
    if ((fuel >= 11 && fuel <= 13) || fuel >= 201)
        return SLASH;
    return OTHER;
}

static void draw_fuels(zm_plot *plot, const zm_landscape *land)
{
    static const char *const names[N_KINDS] = { "none",  "grass",  "grass, shrub",
                                                "shrub", "timber", "slash",
                                                "custom" };
    const size_t n = (size_t)land->rows * (size_t)land->cols;
    float *kinds = grow(NULL, n, sizeof *kinds);

    for (size_t i = 0; i < n; i++)
        kinds[i] = (float)kind_of(land, (int32_t)land->layers[ZM_LAYER_FUEL][i]);
    ZM_PLOT_IMAGE(plot, .dtype = ZM_F32, .values = kinds, .colors.n_classes = N_KINDS,
                  .colors.class_names = names, .colors.label = "fuel");
    free(kinds);
}

static void draw_ignitions(zm_plot *plot, const zm_scene *scene)
{
    const size_t n = zm_scene_count(scene);
    const double km = zm_scene_landscape(scene)->cell / 1000;
    double *x = grow(NULL, 2 * n + 1, sizeof *x), *y = x + n;

    for (size_t i = 0; i < n; i++) {
        x[i] = (zm_scene_fire(scene, i)->col + 0.5) * km;
        y[i] = (zm_scene_fire(scene, i)->row + 0.5) * km;
    }
    if (n)
        ZM_PLOT_POINTS(plot, .x = x, .y = y, .n = n, .label = "ignitions",
                       .marker_size = n > 30 ? 4 : 6);
    free(x);
}

int scene_picture_save(const char *path, const zm_scene *scene)
{
    const zm_landscape *land = zm_scene_landscape(scene);
    const zm_grid grid = { land->rows, land->cols, land->cell / 1000,
                           land->cell / 1000 };
    const view_box all = { 0, 0, land->rows, land->cols };
    zm_plot *fuels, *relief;
    zm_figure *figure;

    if (!path)
        return DONE;
    TRY(picture_start(&figure, ZM_FIGURE_OPTS(.cols = 2)));
    fuels = zm_figure_plot(figure, 0, 0);
    zm_plot_set_grid(fuels, grid, 0.5 * grid.dx, 0.5 * grid.dy);
    ZM_PLOT_AXES(fuels, .title = zm_scene_name(scene), .x.label = "km east",
                 .y.label = "km south");
    draw_fuels(fuels, land);
    draw_ignitions(fuels, scene);
    relief = zm_figure_plot(figure, 0, 1);
    zm_plot_set_grid(relief, grid, 0.5 * grid.dx, 0.5 * grid.dy);
    ZM_PLOT_AXES(relief, .title = "relief", .x.label = "km east");
    draw_ground(relief, land, &all);
    ZM_PLOT_CONTOURS(relief, .dtype = ZM_F32,
                     .values = land->layers[ZM_LAYER_ELEVATION], .n_levels = 8);
    return picture_finish(figure, "", path);
}

#endif
