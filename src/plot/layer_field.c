/* SPDX-License-Identifier: Apache-2.0
 * Adding layers on a grid: copied, thinned, levels chosen. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/pi.h"
#include "plot/figure.h"
#include "plot/histogram.h"
#include "plot/ticks.h"

enum {
    DEFAULT_LEVELS = 10,
    MOST_LEVELS = 500,
    DEFAULT_ARROWS = 24,
    DEFAULT_ELLIPSES = 18
};

static const double default_contour_width = 0.9;

static size_t cells(const placement *place)
{
    return (size_t)place->grid.rows * (size_t)place->grid.cols;
}

static double value_at(zm_dtype dtype, const void *plane, size_t cell)
{
    return dtype == ZM_F32 ? (double)((const float *)plane)[cell]
                           : ((const double *)plane)[cell];
}

/* The field as doubles of our own; NULL remembers why not. */
static double *copy_field(zm_plot *plot, zm_dtype dtype, const void *values)
{
    const size_t n = cells(&plot->place);
    double *copy;

    if (!plot->has_grid || !values) {
        FIGURE_FAIL(plot->figure, ZM_E_ARG, -1,
                    values ? "field layer before zm_plot_set_grid"
                           : "field layer: no values");
        return NULL;
    }
    copy = zm_plot_figure_alloc(plot->figure, n, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++)
        copy[i] = value_at(dtype, values, i);
    return copy;
}

zm_status zm_plot_add_image(zm_plot *plot, const zm_plot_image *given)
{
    zm_plot_image image;
    layer *l;

    ZM_TRY(zm_plot_layer_begin(plot, LAYER_IMAGE, given, &image, sizeof image, &l));
    l->image.clear = image.clear != 0;
    l->image.values = copy_field(plot, image.dtype, image.values);
    if (l->image.values)
        zm_plot_layer_make_scale(plot, &image.colors, l->image.values,
                                 cells(&plot->place), &l->image.scale);
    return zm_plot_layer_end(plot, l, 0, NULL);
}

zm_status zm_plot_add_walls(zm_plot *plot, const zm_plot_walls *given)
{
    zm_plot_walls walls;
    layer *l;

    ZM_TRY(zm_plot_layer_begin(plot, LAYER_WALLS, given, &walls, sizeof walls, &l));
    if (!plot->has_grid || !walls.mask)
        return FIGURE_FAIL(plot->figure, ZM_E_ARG, -1, "walls: no mask or no grid");
    l->walls.mask =
        zm_plot_figure_copy(plot->figure, walls.mask, cells(&plot->place), 1);
    return zm_plot_layer_end(plot, l, walls.color, walls.label);
}

/* Multiples of a round step inside the range of the finite values, without its ends. */
static void choose_levels(zm_plot *plot, contours_layer *c, size_t about)
{
    double lo = INFINITY, hi = -INFINITY, first;
    size_t most;

    for (size_t i = 0; i < cells(&c->place); i++)
        if (isfinite(c->values[i])) {
            lo = fmin(lo, c->values[i]);
            hi = fmax(hi, c->values[i]);
        }
    if (!(lo < hi))
        return;
    zm_plot_ticks_make_range(ZM_SCALE_LINEAR, &lo, &hi);
    most = about + about / 3; /* steps grow by up to 2.5: between half and that */
    c->resolution = zm_plot_ticks_step(lo, hi, (int)most);
    first = floor(lo / c->resolution) + 1;
    c->levels = zm_plot_figure_alloc(plot->figure, most + 2, sizeof *c->levels);
    while (c->levels && c->n_levels < most + 2 &&
           (first + (double)c->n_levels) * c->resolution < hi) {
        c->levels[c->n_levels] = (first + (double)c->n_levels) * c->resolution;
        c->n_levels++;
    }
}

static void copy_levels(zm_plot *plot, contours_layer *c, const zm_plot_contours *given)
{
    c->levels = zm_plot_figure_copy(plot->figure, given->levels, given->n_levels,
                                    sizeof *c->levels);
    c->n_levels = c->levels ? given->n_levels : 0;
    c->given = true;
    c->resolution = INFINITY;
    for (size_t i = 0; i < c->n_levels; i++) {
        if (c->levels[i] != 0)
            c->resolution = fmin(c->resolution, fabs(c->levels[i]));
        if (i > 0 && c->levels[i] != c->levels[i - 1])
            c->resolution = fmin(c->resolution, fabs(c->levels[i] - c->levels[i - 1]));
    }
    c->resolution = isfinite(c->resolution) ? c->resolution / 10 : 1;
}

zm_status zm_plot_add_contours(zm_plot *plot, const zm_plot_contours *given)
{
    zm_plot_contours contours;
    layer *l;
    size_t about;

    ZM_TRY(zm_plot_layer_begin(plot, LAYER_CONTOURS, given, &contours, sizeof contours,
                               &l));
    if (contours.n_levels > MOST_LEVELS)
        return FIGURE_FAIL(plot->figure, ZM_E_ARG, -1, "%zu contour levels, at most %d",
                           contours.n_levels, MOST_LEVELS);
    about = contours.n_levels ? contours.n_levels : DEFAULT_LEVELS;
    l->contours.values = copy_field(plot, contours.dtype, contours.values);
    l->contours.width = contours.width > 0 ? contours.width : default_contour_width;
    l->contours.has_labels = !contours.hide_labels;
    if (contours.levels)
        copy_levels(plot, &l->contours, &contours);
    else if (l->contours.values)
        choose_levels(plot, &l->contours, about < 2 ? 2 : about);
    return zm_plot_layer_end(plot, l, contours.color, contours.label);
}

/* Every stride-th row and column, with equal margins of about half a stride on both
 * sides. */
typedef struct thinning {
    int32_t row_stride, col_stride, first_row, first_col;
    size_t most;    /* glyphs at most */
    double spacing; /* the smaller distance of two neighbours */
} thinning;

/* The stride that divides n cells best into pieces of about `spacing`. */
static int32_t stride_for(double spacing, double step, int32_t n)
{
    const double pieces = fmax(round(n * step / spacing), 1);

    return pieces >= n ? 1 : n / (int32_t)pieces;
}

static thinning thin(const placement *place, int32_t across)
{
    const zm_grid g = place->grid;
    const double spacing = fmax(g.cols * g.dx, g.rows * g.dy) / across;
    thinning t = { .row_stride = stride_for(spacing, g.dy, g.rows),
                   .col_stride = stride_for(spacing, g.dx, g.cols) };

    t.first_row = (g.rows % t.row_stride + t.row_stride - 1) / 2;
    t.first_col = (g.cols % t.col_stride + t.col_stride - 1) / 2;
    t.most =
        ((size_t)(g.rows / t.row_stride) + 1) * ((size_t)(g.cols / t.col_stride) + 1);
    t.spacing = fmin(t.row_stride * g.dy, t.col_stride * g.dx);
    return t;
}

static zm_status check_glyphs(zm_plot *plot, bool has_values, int32_t across)
{
    if (!plot->has_grid || !has_values)
        return FIGURE_FAIL(plot->figure, ZM_E_ARG, -1,
                           "arrows or ellipses: no values or no grid");
    if (across < 0 || across > 1000)
        return FIGURE_FAIL(plot->figure, ZM_E_ARG, -1,
                           "%d arrows or ellipses across, must be 0 .. 1000",
                           (int)across);
    return ZM_OK;
}

static void collect_arrows(const zm_plot_arrows *given, const thinning *t,
                           arrows_layer *out)
{
    const zm_grid g = out->place.grid;

    for (int32_t row = t->first_row; row < g.rows; row += t->row_stride)
        for (int32_t col = t->first_col; col < g.cols; col += t->col_stride) {
            const size_t cell = (size_t)row * (size_t)g.cols + (size_t)col;
            const double u = value_at(given->dtype, given->u, cell);
            const double v = value_at(given->dtype, given->v, cell);

            if (isfinite(u) && isfinite(v) && !(given->walls && given->walls[cell]))
                out->at[out->n++] = (arrow){ out->place.x0 + col * g.dx,
                                             out->place.y0 + row * g.dy, u, v };
        }
}

zm_status zm_plot_add_arrows(zm_plot *plot, const zm_plot_arrows *given)
{
    static const double filled = 0.95; /* share of the spacing that the longest takes */
    zm_plot_arrows arrows;
    double longest = 0;
    thinning t;
    layer *l;

    ZM_TRY(zm_plot_layer_begin(plot, LAYER_ARROWS, given, &arrows, sizeof arrows, &l));
    ZM_TRY(check_glyphs(plot, arrows.u && arrows.v, arrows.across));
    t = thin(&plot->place, arrows.across ? arrows.across : DEFAULT_ARROWS);
    l->arrows.at = zm_plot_figure_alloc(plot->figure, t.most, sizeof *l->arrows.at);
    if (l->arrows.at)
        collect_arrows(&arrows, &t, &l->arrows);
    for (size_t i = 0; i < l->arrows.n; i++)
        longest = fmax(longest, hypot(l->arrows.at[i].u, l->arrows.at[i].v));
    if (arrows.longest > 0)
        longest = arrows.longest;
    l->arrows.scale = longest > 0 ? filled * t.spacing / longest : 0;
    return zm_plot_layer_end(plot, l, arrows.color, arrows.label);
}

static ellipse ellipse_at(const zm_metric *m, size_t cell)
{
    ellipse e = { .g11 = value_at(m->dtype, m->g11, cell) };

    e.g12 = m->g12 ? value_at(m->dtype, m->g12, cell) : 0;
    e.g22 = m->g22 ? value_at(m->dtype, m->g22, cell) : e.g11;
    e.b1 = m->b1 ? value_at(m->dtype, m->b1, cell) : 0;
    e.b2 = m->b2 ? value_at(m->dtype, m->b2, cell) : 0;
    return e;
}

/* G positive definite and |b|_{G^-1} < 1, that is b' adj(G) b < det G. */
static bool is_admissible(const ellipse *e)
{
    const double det = e->g11 * e->g22 - e->g12 * e->g12;
    const double drift =
        e->g22 * e->b1 * e->b1 - 2 * e->g12 * e->b1 * e->b2 + e->g11 * e->b2 * e->b2;

    return e->g11 > 0 && det > 0 && drift < det && isfinite(det);
}

/* Largest distance from the centre, that is 1 / min F over unit directions, sampled. */
static double ellipse_reach(const ellipse *e)
{
    enum { DIRECTIONS = 64 };
    double slowest = INFINITY;

    for (int i = 0; i < DIRECTIONS; i++) {
        const double angle = 2 * ZM_PI * i / DIRECTIONS;
        const double x = cos(angle), y = sin(angle);
        const double length2 = e->g11 * x * x + 2 * e->g12 * x * y + e->g22 * y * y;

        slowest = fmin(slowest, sqrt(length2) - e->b1 * x - e->b2 * y);
    }
    return 1 / slowest;
}

static void collect_ellipses(const zm_plot_ellipses *given, const thinning *t,
                             ellipses_layer *out)
{
    const zm_grid g = out->place.grid;

    for (int32_t row = t->first_row; row < g.rows; row += t->row_stride)
        for (int32_t col = t->first_col; col < g.cols; col += t->col_stride) {
            const size_t cell = (size_t)row * (size_t)g.cols + (size_t)col;
            ellipse e = ellipse_at(&given->metric, cell);

            e.x = out->place.x0 + col * g.dx;
            e.y = out->place.y0 + row * g.dy;
            if (is_admissible(&e) && !(given->walls && given->walls[cell]))
                out->at[out->n++] = e;
        }
}

/* Most outlines stay within half the spacing; the largest may reach over their neighbours. */
static double ellipse_scale(zm_figure *figure, const ellipses_layer *layer_in,
                            double spacing)
{
    static const double fitting = 0.9, farthest = 1.3; /* share; reach of the largest */
    size_t n = layer_in->n;
    double *reach = zm_plot_figure_alloc(figure, layer_in->n, sizeof *reach);

    if (!reach || layer_in->n == 0)
        return 0;
    for (size_t i = 0; i < layer_in->n; i++)
        reach[i] = ellipse_reach(&layer_in->at[i]);
    n = zm_plot_samples_sort(ZM_SCALE_LINEAR, reach, n);
    return n == 0 ? 0
                  : spacing * fmin(0.5 / zm_plot_samples_quantile(reach, n, fitting),
                                   farthest / reach[n - 1]);
}

zm_status zm_plot_add_ellipses(zm_plot *plot, const zm_plot_ellipses *given)
{
    zm_plot_ellipses ellipses;
    thinning t;
    layer *l;

    ZM_TRY(zm_plot_layer_begin(plot, LAYER_ELLIPSES, given, &ellipses, sizeof ellipses,
                               &l));
    ZM_TRY(check_glyphs(plot, ellipses.metric.g11 != NULL, ellipses.across));
    t = thin(&plot->place, ellipses.across ? ellipses.across : DEFAULT_ELLIPSES);
    l->ellipses.at = zm_plot_figure_alloc(plot->figure, t.most, sizeof *l->ellipses.at);
    if (l->ellipses.at)
        collect_ellipses(&ellipses, &t, &l->ellipses);
    l->ellipses.scale = ellipse_scale(plot->figure, &l->ellipses, t.spacing);
    return zm_plot_layer_end(plot, l, ellipses.color, ellipses.label);
}
