/* SPDX-License-Identifier: Apache-2.0
 * Geometries drawn on a grid. */
#include "fire/data/geo/shape.h"

#include <cpl_string.h>
#include <gdal.h>
#include <gdal_alg.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "fire/data/geo/gdal_scope.h"

struct zm_geo_canvas {
    int32_t rows, cols;
    double transform[6];
    OGRCoordinateTransformationH to_grid; /* NULL: same system */
    bool touch;                           /* polygons cover what they touch */
};

/* ---- the grid --------------------------------------------------------------------- */

static zm_status open_transform(zm_geo_canvas *c, const zm_georeference *where,
                                const char *wkt, zm_error *err)
{
    const zm_georeference given = { .wkt = wkt };
    OGRSpatialReferenceH from, to = NULL;
    zm_status st = zm_gdal_system(&given, "shapes", &from, err);

    if (st >= 0)
        st = zm_gdal_system(where, "landscape", &to, err);
    if (st >= 0 && from && to && !OSRIsSame(from, to)) {
        c->to_grid = OCTNewCoordinateTransformation(from, to);
        if (!c->to_grid) {
            const char *a = OSRGetName(from), *b = OSRGetName(to);

            st = zm_fail(err, ZM_E_FORMAT, -1,
                         "shapes in '%s' cannot be brought into '%s' of the landscape",
                         zm_word_shown(a ? a : "?").text,
                         zm_word_shown(b ? b : "?").text);
        }
    }
    OSRDestroySpatialReference(to);
    OSRDestroySpatialReference(from);
    return st;
}

zm_status zm_geo_canvas_open(zm_geo_canvas **out, int32_t rows, int32_t cols,
                             const zm_georeference *where, const char *wkt,
                             zm_error *err)
{
    zm_geo_canvas *c = calloc(1, sizeof *c);
    zm_status st;

    *out = NULL;
    if (!c)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for shapes");
    c->rows = rows;
    c->cols = cols;
    memcpy(c->transform, where->transform, sizeof c->transform);
    zm_gdal_enter();
    st = open_transform(c, where, wkt, err);
    zm_gdal_leave();
    if (st < 0)
        zm_geo_canvas_close(c);
    else
        *out = c;
    return st;
}

void zm_geo_canvas_touch(zm_geo_canvas *c)
{
    c->touch = true;
}

void zm_geo_canvas_close(zm_geo_canvas *c)
{
    if (!c)
        return;
    zm_gdal_enter();
    OCTDestroyCoordinateTransformation(c->to_grid);
    zm_gdal_leave();
    free(c);
}

/* ---- shapes ----------------------------------------------------------------------- */

/* A geometry without curves and heights, or NULL. */
static OGRGeometryH parse(const void *bytes, size_t n)
{
    const char *text = bytes;
    OGRGeometryH given = NULL, plain;

    if (n == 0 || n > INT32_MAX)
        return NULL;
    if (*text == '{') {
        char *whole = malloc(n + 1);

        if (whole) {
            memcpy(whole, text, n);
            whole[n] = '\0';
            given = OGR_G_CreateGeometryFromJson(whole);
        }
        free(whole);
    } else if (OGR_G_CreateFromWkb(bytes, NULL, &given, (int)n) != OGRERR_NONE) {
        given = NULL;
    }
    plain = given ? OGR_G_GetLinearGeometry(given, 0, NULL) : NULL;
    OGR_G_DestroyGeometry(given);
    if (plain)
        OGR_G_FlattenTo2D(plain);
    return plain;
}

static bool is_collection(OGRGeometryH shape)
{
    return OGR_GT_Flatten(OGR_G_GetGeometryType(shape)) == wkbGeometryCollection;
}

/* The first point of the first part. */
static void first_point(OGRGeometryH shape, double *x, double *y)
{
    while (OGR_G_GetGeometryCount(shape) > 0)
        shape = OGR_G_GetGeometryRef(shape, 0);
    *x = OGR_G_GetX(shape, 0);
    *y = OGR_G_GetY(shape, 0);
}

/* Cells: how far from the grid a shape may reach.  GDAL goes along lines cell by cell, and for ever
 * where a step is less than the rounding of where it is. */
#define FARTHEST 1e7

/* From cells to a cell of an axis that has so many; also where the number is no int. */
static int32_t clamped(double cell, int32_t most)
{
    return (int32_t)fmin(fmax(cell, 0), most);
}

/* The window of a rectangle, with a cell around it, and whether the rectangle leaves the grid; grids
 * of landscapes are north up. */
static void find_window(const zm_geo_canvas *c, const OGREnvelope *e, zm_geo_drawn *out)
{
    const double *t = c->transform;
    const double left = (e->MinX - t[0]) / t[1], right = (e->MaxX - t[0]) / t[1],
                 top = (e->MaxY - t[3]) / t[5], bottom = (e->MinY - t[3]) / t[5];

    out->far = !(left >= -FARTHEST && top >= -FARTHEST && right <= c->cols + FARTHEST &&
                 bottom <= c->rows + FARTHEST);
    out->outside = !(left >= 0 && top >= 0 && right <= c->cols && bottom <= c->rows);
    out->row = clamped(floor(top) - 1, c->rows);
    out->col = clamped(floor(left) - 1, c->cols);
    out->rows = clamped(ceil(bottom) + 1, c->rows) - out->row;
    out->cols = clamped(ceil(right) + 1, c->cols) - out->col;
    if (out->rows == 0 || out->cols == 0)
        out->rows = out->cols = 0;
}

static zm_status draw_in(GDALDatasetH raster, OGRGeometryH shape, const char *name,
                         const zm_geo_drawn *w, bool touch, uint8_t *mask, zm_error *err)
{
    char **options =
        w->dimension == 1 || touch ? CSLSetNameValue(NULL, "ALL_TOUCHED", "TRUE") : NULL;
    int number = 1;
    double one = 1;
    zm_status st = ZM_OK;

    if (GDALRasterizeGeometries(raster, 1, &number, 1, &shape, NULL, NULL, &one,
                                options, NULL, NULL) != CE_None ||
        GDALRasterIO(GDALGetRasterBand(raster, 1), GF_Read, 0, 0, w->cols, w->rows,
                     mask, w->cols, w->rows, GDT_Byte, 0, 0) != CE_None)
        st = zm_gdal_fail(err, ZM_E_FORMAT, name, "cannot be drawn");
    CSLDestroy(options);
    return st;
}

static zm_status draw(const zm_geo_canvas *c, OGRGeometryH shape, const char *name,
                      const zm_geo_drawn *w, uint8_t *mask, zm_error *err)
{
    const double *t = c->transform;
    double of_window[6] = { t[0] + w->col * t[1] + w->row * t[2], t[1], t[2],
                            t[3] + w->col * t[4] + w->row * t[5], t[4], t[5] };
    GDALDatasetH raster;
    zm_status st;

    if (w->rows == 0)
        return ZM_OK;
    if (w->far)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "%s, from (%.8g, %.8g) on, reaches more than %g cells beyond the landscape",
            name, w->x, w->y, FARTHEST);
    raster =
        GDALCreate(GDALGetDriverByName("MEM"), "", w->cols, w->rows, 1, GDT_Byte, NULL);
    if (!raster)
        return zm_gdal_fail(err, ZM_E_NOMEM, name, "no memory for its cells");
    GDALSetGeoTransform(raster, of_window);
    st = draw_in(raster, shape, name, w, c->touch, mask, err);
    GDALClose(raster);
    return st;
}

static zm_status take(const zm_geo_canvas *c, OGRGeometryH shape, const char *name,
                      uint8_t *mask, zm_geo_drawn *drawn, zm_error *err)
{
    OGREnvelope e;

    if (!shape)
        return zm_fail(err, ZM_E_ARG, -1,
                       "%s is neither well-known binary nor a GeoJSON geometry", name);
    if (OGR_G_IsEmpty(shape))
        return zm_fail(err, ZM_E_ARG, -1, "%s is empty", name);
    if (is_collection(shape))
        return zm_fail(err, ZM_E_ARG, -1,
                       "%s is a collection of geometries; give them one by one", name);
    if (c->to_grid && OGR_G_Transform(shape, c->to_grid) != OGRERR_NONE)
        return zm_gdal_fail(err, ZM_E_FORMAT, name,
                            "cannot be brought into the system of the landscape");
    OGR_G_GetEnvelope(shape, &e);
    if (!(isfinite(e.MinX) && isfinite(e.MaxX) && isfinite(e.MinY) && isfinite(e.MaxY)))
        return zm_fail(err, ZM_E_ARG, -1, "%s has coordinates that are not finite",
                       name);
    *drawn = (zm_geo_drawn){ .dimension = OGR_G_GetDimension(shape) };
    first_point(shape, &drawn->x, &drawn->y);
    find_window(c, &e, drawn);
    return draw(c, shape, name, drawn, mask, err);
}

zm_status zm_geo_canvas_draw(const zm_geo_canvas *c, const void *bytes, size_t n,
                             const char *name, uint8_t *mask, zm_geo_drawn *drawn,
                             zm_error *err)
{
    OGRGeometryH shape;
    zm_status st;

    zm_gdal_enter();
    shape = parse(bytes, n);
    st = take(c, shape, name, mask, drawn, err);
    OGR_G_DestroyGeometry(shape);
    zm_gdal_leave();
    return st;
}
