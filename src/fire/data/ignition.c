/* SPDX-License-Identifier: Apache-2.0
 * Points, lines and polygons that burn, as cells of a landscape. */
#include "zermelo/fire/ignition.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/options.h"
#include "fire/data/geo/shape.h"
#include "fire/data/ignition_cells.h"

/* Shapes under way to cells. */
typedef struct ignition {
    const zm_landscape *land;
    const zm_georeference *where;
    zm_geo_canvas *canvas;
    uint8_t *burnable, *mask;
    double *times; /* INFINITY: not lit */
    size_t cells;
    zm_ignition_report report;
} ignition;

typedef struct shape_name {
    char text[32];
} shape_name;

static shape_name name_of(size_t i)
{
    shape_name name;

    (void)snprintf(name.text, sizeof name.text, "ignition %zu", i);
    return name;
}

static zm_status prepare(ignition *g, const char *wkt, zm_error *err)
{
    const zm_landscape *land = g->land;

    g->cells = (size_t)land->rows * (size_t)land->cols;
    g->burnable = malloc(g->cells);
    g->mask = malloc(g->cells);
    g->times = malloc(g->cells * sizeof *g->times);
    if (!g->burnable || !g->mask || !g->times)
        return zm_fail(err, ZM_E_NOMEM, -1, "ignition on %zu cells", g->cells);
    zm_landscape_burnable(land, g->burnable);
    for (size_t i = 0; i < g->cells; i++)
        g->times[i] = INFINITY;
    return zm_geo_canvas_open(&g->canvas, land->rows, land->cols, g->where, wkt, err);
}

static zm_status fail_outside(const ignition *g, size_t i, const zm_geo_drawn *drawn,
                              zm_error *err)
{
    const double *t = g->where->transform;

    return zm_fail(err, ZM_E_SOURCE, -1,
                   "%s, at (%.8g, %.8g), lies outside the landscape, x %.8g to %.8g, "
                   "y %.8g to %.8g",
                   name_of(i).text, drawn->x, drawn->y, t[0],
                   t[0] + t[1] * g->land->cols, t[3] + t[5] * g->land->rows, t[3]);
}

static zm_status fail_fuel(const ignition *g, size_t i, size_t cell, zm_error *err)
{
    const size_t cols = (size_t)g->land->cols;

    return zm_fail(err, ZM_E_SOURCE, (int64_t)cell,
                   "%s lies at row %zu, column %zu, where fuel %d cannot burn",
                   name_of(i).text, cell / cols, cell % cols,
                   (int)g->land->layers[ZM_LAYER_FUEL][cell]);
}

/* Lights a cell; where it cannot burn it is refused in points, left out in lines. */
static zm_status light_cell(ignition *g, size_t i, int dimension, size_t cell,
                            double time, size_t *lit, zm_error *err)
{
    if (dimension == 0 && !g->burnable[cell])
        return fail_fuel(g, i, cell, err);
    if (dimension == 1 && !g->burnable[cell]) {
        g->report.not_burnable++;
        return ZM_OK;
    }
    g->times[cell] = fmin(g->times[cell], time);
    ++*lit;
    return ZM_OK;
}

/* Lights the cells of the mask. */
static zm_status light(ignition *g, size_t i, const zm_geo_drawn *w, double time,
                       size_t *lit, zm_error *err)
{
    const uint8_t *mask = g->mask;

    *lit = 0;
    for (int32_t row = w->row; row < w->row + w->rows; row++)
        for (int32_t col = w->col; col < w->col + w->cols; col++)
            if (*mask++)
                ZM_TRY(light_cell(g, i, w->dimension,
                                  (size_t)row * (size_t)g->land->cols + (size_t)col,
                                  time, lit, err));
    return ZM_OK;
}

static zm_status take(ignition *g, size_t i, const zm_shape *shape, zm_error *err)
{
    const int64_t left_out = g->report.not_burnable;
    zm_geo_drawn drawn;
    size_t lit;

    if (!(shape->time >= 0 && shape->time < HUGE_VAL))
        return zm_fail(err, ZM_E_ARG, -1,
                       "%s has time %g h, must be finite and at least 0",
                       name_of(i).text, shape->time);
    if (!shape->bytes)
        return zm_fail(err, ZM_E_ARG, -1, "%s has no bytes", name_of(i).text);
    ZM_TRY(zm_geo_canvas_draw(g->canvas, shape->bytes, shape->n, name_of(i).text,
                              g->mask, &drawn, err));
    if (drawn.outside && drawn.dimension == 0)
        return fail_outside(g, i, &drawn, err);
    ZM_TRY(light(g, i, &drawn, shape->time, &lit, err));
    if (lit == 0 && g->report.not_burnable > left_out)
        return zm_fail(err, ZM_E_SOURCE, -1, "%s touches only cells that cannot burn",
                       name_of(i).text);
    if (lit == 0 && drawn.outside)
        return fail_outside(g, i, &drawn, err);
    if (lit == 0)
        return zm_fail(err, ZM_E_SOURCE, -1,
                       "%s holds the centre of no cell; give a point instead",
                       name_of(i).text);
    g->report.outside += drawn.outside;
    g->report.one_point =
        i == 0 && drawn.dimension == 0 && lit == 1 && shape->time == 0;
    return ZM_OK;
}

zm_status zm_data_ignition_sources(const double *times, const zm_landscape *land,
                                 zm_source **out, size_t *n, zm_error *err)
{
    const size_t cols = (size_t)land->cols, cells = (size_t)land->rows * cols;
    zm_source *sources;
    size_t lit = 0;

    for (size_t k = 0; k < cells; k++)
        lit += isfinite(times[k]) != 0;
    if (!(sources = malloc((lit + 1) * sizeof *sources)))
        return zm_fail(err, ZM_E_NOMEM, -1, "ignition of %zu cells", lit);
    *n = lit;
    lit = 0;
    for (size_t k = 0; k < cells; k++)
        if (isfinite(times[k]))
            sources[lit++] =
                (zm_source){ (double)(k / cols), (double)(k % cols), times[k] };
    *out = sources;
    return ZM_OK;
}

zm_status zm_ignition_cells(const zm_shape *shapes, size_t n, const char *wkt,
                            const zm_landscape *landscape, const zm_georeference *where,
                            zm_source **sources, size_t *n_sources,
                            zm_ignition_report *report, zm_error *err)
{
    ignition g = { .land = landscape,
                   .where = where,
                   .report = ZM_IGNITION_REPORT_INIT };
    zm_status st;

    if (!landscape || !where || !sources || !n_sources || (n && !shapes))
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_ignition_cells needs shapes, a landscape and results");
    *sources = NULL;
    *n_sources = 0;
    if ((st = zm_options_check_report(report, "zm_ignition_report", err)) < 0)
        return st;
    if (n == 0)
        return zm_fail(err, ZM_E_SOURCE, -1, "no ignition");
    ZM_GO(prepare(&g, wkt, err));
    for (size_t i = 0; i < n; i++)
        ZM_GO(take(&g, i, &shapes[i], err));
    ZM_GO(zm_data_ignition_sources(g.times, landscape, sources, n_sources, err));
    g.report.cells = (int64_t)*n_sources;
    zm_options_write_report(report, &g.report, sizeof g.report);
done:
    zm_geo_canvas_close(g.canvas);
    free(g.burnable);
    free(g.mask);
    free(g.times);
    return st;
}
