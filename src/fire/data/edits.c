/* SPDX-License-Identifier: Apache-2.0
 * Barriers and treatments of a map, as planes of a landscape. */
#include "zermelo/fire/edits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "fire/data/geo/shape.h"
#include "fire/data/geo/shapes.h"
#include "fire/data/ignition_cells.h"
#include "fire/data/scene.h"
#include "zermelo/fire/physics.h"

/** Shapes of a file on a landscape. */
typedef struct drawing {
    const char *path;
    const zm_landscape *land;
    zm_shapes shapes;
    zm_geo_canvas *canvas;
    uint8_t *window;
} drawing;

static void drawing_close(drawing *d)
{
    zm_geo_canvas_close(d->canvas);
    zm_geo_shapes_free(&d->shapes);
    free(d->window);
}

static zm_status drawing_open(drawing *d, const char *path, const char *const *numbers,
                              const zm_landscape *land, const zm_georeference *where,
                              zm_error *err)
{
    *d = (drawing){ .path = path, .land = land };
    ZM_TRY(zm_geo_shapes_read(path, numbers, &d->shapes, err));
    if (!(d->window = malloc((size_t)land->rows * (size_t)land->cols)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(path));
    return zm_geo_canvas_open(&d->canvas, land->rows, land->cols, where, d->shapes.wkt, err);
}

/* What is done with each cell that a shape covers. */
typedef void visit_cell(void *ctx, size_t cell);

static zm_status visit_shape(drawing *d, size_t i, visit_cell *visit, void *ctx,
                             size_t *covered, zm_error *err)
{
    const uint8_t *mask = d->window;
    zm_geo_drawn w;
    char name[32];

    (void)snprintf(name, sizeof name, "shape %zu", i);
    ZM_TRY(zm_geo_canvas_draw(d->canvas, d->shapes.items[i].bytes, d->shapes.items[i].n, name,
                              d->window, &w, err));
    for (int32_t row = w.row; row < w.row + w.rows; row++)
        for (int32_t col = w.col; col < w.col + w.cols; col++)
            if (*mask++) {
                visit(ctx, (size_t)row * (size_t)d->land->cols + (size_t)col);
                ++*covered;
            }
    return ZM_OK;
}

static zm_status need_cells(const drawing *d, size_t covered, zm_error *err)
{
    return covered ? ZM_OK
                   : zm_fail(err, ZM_E_FORMAT, -1, "%s: covers no cell of the landscape",
                             zm_shown_name(d->path));
}

/* ---- barriers --------------------------------------------------------------------- */

typedef struct barrier {
    double *from, time;
} barrier;

static void raise_barrier(void *ctx, size_t cell)
{
    const barrier *b = ctx;

    b->from[cell] = fmin(b->from[cell], b->time);
}

static zm_status barrier_time(const char *path, const zm_feature *f, const zm_time *start,
                              double *time, zm_error *err)
{
    int32_t unused = 0;

    *time = isnan(f->hours) ? 0 : f->hours;
    if (isnan(f->hours) && f->dated)
        ZM_TRY(zm_data_hours_after(path, start, &f->date, time, &unused, err));
    *time = fmax(*time, 0);
    return ZM_OK;
}

zm_status zm_barriers_read(const char *path, const zm_time *start,
                           const zm_landscape *landscape, const zm_georeference *where,
                           double *from, zm_error *err)
{
    static const char *const no_numbers[] = { NULL };
    size_t covered = 0;
    drawing d;
    zm_status st;

    if (!path || !landscape || !where || !from)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_barriers_read needs a path, a landscape and a plane");
    for (size_t i = 0; i < (size_t)landscape->rows * (size_t)landscape->cols; i++)
        from[i] = INFINITY;
    ZM_GO(drawing_open(&d, path, no_numbers, landscape, where, err));
    zm_geo_canvas_touch(d.canvas);
    for (size_t i = 0; i < d.shapes.n; i++) {
        barrier b = { .from = from };

        ZM_GO(barrier_time(path, &d.shapes.items[i], start, &b.time, err));
        ZM_GO(visit_shape(&d, i, raise_barrier, &b, &covered, err));
    }
    st = need_cells(&d, covered, err);
done:
    drawing_close(&d);
    return st;
}

/* ---- treatments ------------------------------------------------------------------- */

enum { TOLD = 5 };

static const struct {
    zm_layer layer;
    const char *field;
    double least, most;
} told[TOLD] = { { ZM_LAYER_FUEL, "fuel", 0, ZM_FUEL_NUMBERS - 1 },
                 { ZM_LAYER_COVER, "cover_pct", 0, 100 },
                 { ZM_LAYER_HEIGHT, "height_m", 0, 120 },
                 { ZM_LAYER_BASE, "base_m", 0, 120 },
                 { ZM_LAYER_DENSITY, "density_kgm3", 0, 5 } };

typedef struct treatment {
    float *const *layers;
    const double *values;
} treatment;

static void treat(void *ctx, size_t cell)
{
    const treatment *t = ctx;

    for (size_t k = 0; k < TOLD; k++)
        if (!isnan(t->values[k]))
            t->layers[told[k].layer][cell] = (float)t->values[k];
}

static zm_status check_value(const drawing *d, size_t k, double value,
                             float *const *layers, zm_error *err)
{
    if (isnan(value))
        return ZM_OK;
    if (!(value >= told[k].least && value <= told[k].most) ||
        (k == 0 && value != floor(value)))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: %s %g, must be %s%g to %g",
                       zm_shown_name(d->path), told[k].field, value,
                       k == 0 ? "a whole number, " : "", told[k].least, told[k].most);
    if (k == 0 && !zm_landscape_fuel(d->land, (int32_t)value) &&
        !zm_scene_fuel_is_barren((float)value))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: fuel %g is not known",
                       zm_shown_name(d->path), value);
    return layers[told[k].layer]
               ? ZM_OK
               : zm_fail(err, ZM_E_FORMAT, -1, "%s: %s, and the landscape has no such layer",
                         zm_shown_name(d->path), told[k].field);
}

static zm_status check_feature(const drawing *d, size_t i, float *const *layers,
                               zm_error *err)
{
    const double *values = d->shapes.items[i].numbers;
    size_t n = 0;

    for (size_t k = 0; k < TOLD; k++) {
        ZM_TRY(check_value(d, k, values[k], layers, err));
        n += isnan(values[k]) ? 0 : 1;
    }
    return n ? ZM_OK
             : zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: shape %zu has none of the fields fuel, cover_pct, height_m, "
                       "base_m and density_kgm3",
                       zm_shown_name(d->path), i);
}

zm_status zm_treatments_apply(const char *path, const zm_landscape *landscape,
                              const zm_georeference *where,
                              float *const layers[ZM_LAYERS], int64_t *cells,
                              zm_error *err)
{
    const char *fields[6] = { NULL }; /* of TOLD, and the end */
    size_t covered = 0;
    drawing d;
    zm_status st;

    if (!path || !landscape || !where || !layers)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_treatments_apply needs a path, a landscape and layers");
    for (size_t k = 0; k < TOLD; k++)
        fields[k] = told[k].field;
    ZM_GO(drawing_open(&d, path, fields, landscape, where, err));
    for (size_t i = 0; i < d.shapes.n; i++)
        ZM_GO(check_feature(&d, i, layers, err));
    for (size_t i = 0; i < d.shapes.n; i++) {
        treatment t = { layers, d.shapes.items[i].numbers };

        ZM_GO(visit_shape(&d, i, treat, &t, &covered, err));
    }
    st = need_cells(&d, covered, err);
    if (cells)
        *cells = (int64_t)covered;
done:
    drawing_close(&d);
    return st;
}
