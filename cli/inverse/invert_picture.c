/* SPDX-License-Identifier: Apache-2.0
 * Picture of an inversion: what was found, how well it is known, how well it fits. */
#include "common/picture.h"

#if defined(ZM_WITH_CAIRO)

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/message.h"
#include "invert.h"

/* Seen on every colour of the maps, and on paper. */
#define OBSERVED 0xE4572EFF
/* Shares of the values beyond the ends of the colours: of fields, of their deviations. */
#define FIELD_CLIP 0.002
#define STD_CLIP   0.01

typedef struct canvas {
    zm_figure *figure;
    int32_t cols, next; /* panels side by side; number of the next one */
    const invert_result *result;
    const inversion *run;
    const invert_data *data;
    const invert_settings *settings;
    size_t cells;
} canvas;

static zm_plot *next_panel(canvas *c)
{
    const int32_t i = c->next++;

    return zm_figure_plot(c->figure, i / c->cols, i % c->cols);
}

/* ---- maps ------------------------------------------------------------------------- */

/* Observed cells, unless they are so many that they would hide the field. */
static void draw_observed(zm_plot *plot, const canvas *c)
{
    const zm_grid grid = c->data->in.grid;
    const size_t n = c->data->n_observations;
    double *x, *y;
    size_t k = 0;

    if (n > c->cells / 4)
        return;
    x = grow(NULL, 2 * n, sizeof *x);
    y = x + n;
    for (size_t e = 0; e < c->data->n_experiments; e++)
        for (size_t i = 0; i < c->data->experiments[e].n; i++, k++) {
            x[k] = c->data->experiments[e].cols[i] * grid.dx;
            y[k] = c->data->experiments[e].rows[i] * grid.dy;
        }
    ZM_PLOT_POINTS(plot, .x = x, .y = y, .n = n, .marker_size = 1.6, .color = OBSERVED,
                   .label = "observed");
    free(x);
}

static void draw_sources(zm_plot *plot, const canvas *c)
{
    const source_list *list = &c->settings->sources.list;
    const zm_grid grid = c->data->in.grid;
    double *x = grow(NULL, 2 * list->count, sizeof *x), *y = x + list->count;

    for (size_t i = 0; i < list->count; i++) {
        x[i] = list->items[i].col * grid.dx;
        y[i] = list->items[i].row * grid.dy;
    }
    ZM_PLOT_POINTS(plot, .x = x, .y = y, .n = list->count, .marker = ZM_MARKER_STAR,
                   .label = list->count == 1 ? "source" : "sources");
    free(x);
}

typedef struct map {
    const char *title;
    const double *values;
    zm_plot_map colors;
    const double *b1, *b2; /* arrows, or NULL */
    bool marks;            /* sources and observations */
} map;

/* Walls hold no values, and must not stretch the colours. */
static double *without_walls(const canvas *c, const double *values)
{
    const uint8_t *walls = c->data->in.walls.data;
    double *kept = grow(NULL, c->cells, sizeof *kept);

    for (size_t i = 0; i < c->cells; i++)
        kept[i] = walls && walls[i] ? NAN : values[i];
    return kept;
}

static void draw_map(canvas *c, const map *m)
{
    zm_plot *plot = next_panel(c);
    const uint8_t *walls = c->data->in.walls.data;
    double *values = without_walls(c, m->values);

    zm_plot_set_grid(plot, c->data->in.grid, 0, 0);
    ZM_PLOT_AXES(plot, .title = m->title, .x.label = "x", .y.label = "y");
    ZM_PLOT_IMAGE(plot, .values = values, .colors.map = m->colors,
                  .colors.clip = m->marks ? FIELD_CLIP : STD_CLIP);
    if (walls)
        ZM_PLOT_WALLS(plot, .mask = walls, .label = m->marks ? "walls" : NULL);
    if (m->b1)
        ZM_PLOT_ARROWS(plot, .u = m->b1, .v = m->b2, .walls = walls, .label = "drift");
    if (m->marks) {
        draw_observed(plot, c);
        draw_sources(plot, c);
    }
    free(values);
}

/* |b|, and the standard deviation of b: root of the sum of squares of two planes. */
static double *length_of(const double *planes, size_t cells)
{
    double *length = grow(NULL, cells, sizeof *length);

    for (size_t i = 0; i < cells; i++)
        length[i] = hypot(planes[B1 * cells + i], planes[B2 * cells + i]);
    return length;
}

/* All planes that were sought, of the result or of its standard deviation. */
static void draw_maps(canvas *c, const double *planes, bool is_std)
{
    static const struct {
        const char *title, *std;
        int plane;
    } metric[] = { { "<i>g</i><sub>11</sub>", "std of <i>g</i><sub>11</sub>", G11 },
                   { "<i>g</i><sub>12</sub>", "std of <i>g</i><sub>12</sub>", G12 },
                   { "<i>g</i><sub>22</sub>", "std of <i>g</i><sub>22</sub>", G22 } };
    const int kind = (int)c->settings->opts.unknown & ZM_UNKNOWN_METRIC;
    map m = { .colors = is_std ? ZM_MAP_EMBER : ZM_MAP_SEA, .marks = !is_std };

    for (int k = 0; kind && k < 3; k++) {
        if ((kind == ZM_UNKNOWN_ISOTROPIC && k > 0) ||
            (kind == ZM_UNKNOWN_DIAGONAL && k == 1))
            continue;
        m.title = is_std ? metric[k].std : metric[k].title;
        if (kind == ZM_UNKNOWN_ISOTROPIC)
            m.title = is_std ? "standard deviation of <i>g</i>" : "metric <i>g</i>";
        m.values = planes + (size_t)metric[k].plane * c->cells;
        if (!is_std)
            m.colors = k == 1 ? ZM_MAP_DIVERGING : ZM_MAP_SEA;
        draw_map(c, &m);
    }
    if (seeks_drift(c->settings)) {
        double *length = length_of(planes, c->cells);

        m.title = is_std ? "standard deviation of <b>b</b>" : "drift |<b>b</b>|";
        m.values = length;
        m.colors = is_std ? ZM_MAP_EMBER : ZM_MAP_SAND;
        m.b1 = is_std ? NULL : planes + B1 * c->cells;
        m.b2 = is_std ? NULL : planes + B2 * c->cells;
        draw_map(c, &m);
        free(length);
    }
}

/* ---- curves ----------------------------------------------------------------------- */

/* Residuals of one experiment over its times, in sigmas where these are known. */
static void draw_residuals_of(zm_plot *plot, const canvas *c, size_t e, bool in_sigmas)
{
    enum { MOST_POINTS = 3000 };
    const experiment_data *x = &c->data->experiments[e];
    const size_t stride = x->n / MOST_POINTS + 1, n = (x->n + stride - 1) / stride;
    double *time = grow(NULL, 2 * n, sizeof *time), *residual = time + n;
    char label[40];

    for (size_t k = 0; k < n; k++) {
        const size_t i = k * stride;

        time[k] = x->times[i];
        residual[k] =
            invert_residual(c->data, c->result, e, i) / (in_sigmas ? x->sigmas[i] : 1);
    }
    snprintf(label, sizeof label, "experiment %zu", e);
    ZM_PLOT_POINTS(plot, .x = time, .y = residual, .n = n, .marker_size = 2.5,
                   .label = c->data->n_experiments > 1 ? label : NULL);
    free(time);
}

static void draw_residuals(canvas *c)
{
    enum { MOST_LABELS = 6 };
    zm_plot *plot = next_panel(c);
    bool in_sigmas = true;

    for (size_t e = 0; e < c->data->n_experiments; e++)
        in_sigmas &= !c->data->experiments[e].exact;
    ZM_PLOT_AXES(plot, .title = "residuals", .x.label = "observed time",
                 .y.label = in_sigmas ? "(computed − observed) / <i>σ</i>"
                                      : "computed − observed",
                 .legend = c->data->n_experiments > MOST_LABELS ? ZM_LEGEND_NONE
                                                                : ZM_LEGEND_BELOW);
    for (size_t e = 0; e < c->data->n_experiments; e++)
        draw_residuals_of(plot, c, e, in_sigmas);
    ZM_PLOT_GUIDE(plot, .y = 0, .dash = ZM_DASH_DASHED);
}

static void draw_history(canvas *c)
{
    zm_plot *plot = next_panel(c);
    size_t n;
    const zm_invert_iteration *p = zm_inversion_history(c->run->handle, &n);
    double *solves = grow(NULL, 2 * n, sizeof *solves), *chi2 = solves + n;

    for (size_t i = 0; i < n; i++) {
        solves[i] = (double)p[i].solves;
        chi2[i] = p[i].chi2;
    }
    ZM_PLOT_AXES(plot, .title = "misfit", .x.label = "solves", .y.label = "chi²",
                 .y.scale = ZM_SCALE_LOG);
    ZM_PLOT_LINE(plot, .x = solves, .y = chi2, .n = n, .marker = ZM_MARKER_DOT);
    ZM_PLOT_GUIDE(plot, .y = 1, .dash = ZM_DASH_DOTTED);
    free(solves);
}

static void draw_lcurve(canvas *c)
{
    const size_t n = c->run->n_lcurve;
    zm_plot *plot = next_panel(c);
    double *misfit = grow(NULL, 2 * n, sizeof *misfit), *R = misfit + n;
    char label[40];

    for (size_t i = 0; i < n; i++) {
        misfit[i] = c->run->lcurve[i].misfit;
        R[i] = c->run->lcurve[i].regulariser;
    }
    snprintf(label, sizeof label, "<i>λ</i> = %.3g",
             c->run->lcurve[c->run->chosen].lambda);
    ZM_PLOT_AXES(plot, .title = "L-curve", .x.label = "misfit",
                 .y.label = "regulariser", .x.scale = ZM_SCALE_LOG,
                 .y.scale = ZM_SCALE_LOG);
    ZM_PLOT_LINE(plot, .x = misfit, .y = R, .n = n, .marker = ZM_MARKER_DOT);
    ZM_PLOT_POINTS(plot, .x = misfit + c->run->chosen, .y = R + c->run->chosen, .n = 1,
                   .marker = ZM_MARKER_STAR, .label = label);
    free(misfit);
}

/* ---- figure ----------------------------------------------------------------------- */

static int32_t count_maps(const invert_settings *s)
{
    const int kind = (int)s->opts.unknown & ZM_UNKNOWN_METRIC; /* 0 to 3: its planes */

    return kind + (seeks_drift(s) ? 1 : 0);
}

/* Maps above their standard deviations; a single map beside its own. */
static void lay_out(canvas *c, int32_t *rows)
{
    const int32_t maps = count_maps(c->settings);
    const int32_t n = maps * (c->result->std ? 2 : 1) + 2 + (c->run->n_lcurve ? 1 : 0);

    c->cols = maps >= 2 ? maps : n == 4 ? 2 : 3;
    *rows = (n + c->cols - 1) / c->cols;
}

int invert_picture_save(const char *path, const invert_result *r, const inversion *run,
                        const invert_data *d, const invert_settings *s)
{
    canvas c = {
        .result = r, .run = run, .data = d, .settings = s, .cells = cells_of(&d->in)
    };
    int32_t rows;

    if (!path)
        return DONE;
    lay_out(&c, &rows);
    TRY(picture_start(&c.figure, ZM_FIGURE_OPTS(.rows = rows, .cols = c.cols)));
    draw_maps(&c, r->planes, false);
    if (r->std)
        draw_maps(&c, r->std, true);
    draw_residuals(&c);
    draw_history(&c);
    if (run->n_lcurve)
        draw_lcurve(&c);
    return picture_finish(c.figure, "--plot ", path);
}

#endif
