/* SPDX-License-Identifier: Apache-2.0
 * Burned areas as polygons: in GeoJSON, and in memory. */
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/fail.h"
#include "fire/data/geo/gdal_scope.h"
#include "fire/data/geo/outline.h"
#include "fire/data/geo/outline_geometry.h"
#include "zermelo/fire/geo.h"

double zm_isochrone_step(double latest)
{
    static const double steps[] = { 0.05, 0.1, 0.25, 0.5, 1,  2,  3,
                                    6,    12,  24,   48,  72, 168 };
    const size_t n = sizeof steps / sizeof *steps;

    for (size_t i = 0; i < n; i++)
        if (latest <= 12 * steps[i])
            return steps[i];
    return steps[n - 1] * ceil(latest / (12 * steps[n - 1]));
}

size_t zm_isochrone_times(double latest, double times[ZM_MOST_ISOCHRONES])
{
    const double step = zm_isochrone_step(latest);
    size_t n = 0;

    for (double t = step; t < latest * (1 + 1e-9) && n < ZM_MOST_ISOCHRONES; t += step)
        times[n++] = t;
    if (n == 0)
        times[n++] = latest;
    return n;
}

static OGRGeometryH ring_of(const zm_outline *o, const zm_ring *ring, const double *t)
{
    OGRGeometryH line = OGR_G_CreateGeometry(wkbLinearRing);

    for (size_t i = 0; i <= ring->n; i++) { /* closed: the first point again */
        const zm_outline_point p = o->points[ring->begin + i % ring->n];

        OGR_G_AddPoint_2D(line, t[0] + p.x * t[1] + p.y * t[2],
                          t[3] + p.x * t[4] + p.y * t[5]);
    }
    return line;
}

OGRGeometryH zm_outline_geometry(const zm_outline *o, const double *transform)
{
    OGRGeometryH all = OGR_G_CreateGeometry(wkbMultiPolygon);

    for (size_t s = 0; s < o->n_rings; s++) {
        OGRGeometryH polygon;

        if (o->rings[s].area < 0)
            continue;
        polygon = OGR_G_CreateGeometry(wkbPolygon);
        OGR_G_AddGeometryDirectly(polygon, ring_of(o, &o->rings[s], transform));
        for (size_t h = 0; h < o->n_rings; h++)
            if (o->rings[h].area < 0 && o->rings[h].shell == s)
                OGR_G_AddGeometryDirectly(polygon, ring_of(o, &o->rings[h], transform));
        OGR_G_AddGeometryDirectly(all, polygon);
    }
    return all;
}

static double hectares(const zm_outline *o, const zm_georeference *where, double unit)
{
    const double cell = fabs(where->transform[1] * where->transform[5] -
                             where->transform[2] * where->transform[4]);
    double cells = 0;

    for (size_t i = 0; i < o->n_rings; i++)
        cells += o->rings[i].area;
    return cells * cell * unit * unit / 1e4;
}

/* Metres in a unit of the map. */
static double unit_of(OGRSpatialReferenceH system)
{
    return system && !OSRIsGeographic(system) ? OSRGetLinearUnits(system, NULL) : 1;
}

static zm_status add_feature(OGRLayerH layer, const zm_outline *o,
                             const zm_georeference *where, double time, double unit,
                             const char *path, zm_error *err)
{
    OGRFeatureDefnH fields = OGR_L_GetLayerDefn(layer);
    OGRFeatureH feature = OGR_F_Create(fields);
    OGRErr failed;

    OGR_F_SetFieldDouble(feature, 0, time);
    OGR_F_SetFieldDouble(feature, 1, hectares(o, where, unit));
    OGR_F_SetGeometryDirectly(feature, zm_outline_geometry(o, where->transform));
    failed = OGR_L_CreateFeature(layer, feature);
    OGR_F_Destroy(feature);
    return failed == OGRERR_NONE
               ? ZM_OK
               : zm_gdal_fail(err, ZM_E_FORMAT, path, "isochrone cannot be written");
}

static zm_status add_fields(OGRLayerH layer, const char *path, zm_error *err)
{
    ZM_TRY(zm_gdal_add_field(layer, "time_h", OFTReal, path, err));
    return zm_gdal_add_field(layer, "area_ha", OFTReal, path, err);
}

static size_t points_of(OGRGeometryH geometry)
{
    const int parts = geometry ? OGR_G_GetGeometryCount(geometry) : 0;
    size_t n = geometry && parts == 0 ? (size_t)OGR_G_GetPointCount(geometry) : 0;

    for (int i = 0; i < parts; i++)
        n += points_of(OGR_G_GetGeometryRef(geometry, i));
    return n;
}

/* GDAL leaves out points and features that it had no memory for, without a word. */
static zm_status check_points(const char *name, size_t points, const char *path,
                              zm_error *err)
{
    GDALDatasetH file = GDALOpenEx(name, GDAL_OF_VECTOR, NULL, NULL, NULL);
    OGRLayerH layer = file ? GDALDatasetGetLayer(file, 0) : NULL;
    OGRFeatureH feature;
    size_t found = 0;

    while (layer && (feature = OGR_L_GetNextFeature(layer))) {
        found += points_of(OGR_F_GetGeometryRef(feature));
        OGR_F_Destroy(feature);
    }
    if (file)
        GDALClose(file);
    return found >= points ? ZM_OK
                           : zm_gdal_fail(err, ZM_E_IO, path, "could not be made whole");
}

typedef struct area_series {
    const float *T;
    int32_t rows, cols;
    const zm_georeference *where;
    const double *times;
    size_t n;
} area_series;

/* *points: of all rings, the first one of each counted twice because it closes it. */
static zm_status fill(GDALDatasetH file, const area_series *a,
                      OGRSpatialReferenceH system, size_t *points, const char *path,
                      zm_error *err)
{
    const double unit = unit_of(system);
    char **options = NULL;
    OGRLayerH layer;
    zm_status st;

    if (system && OSRIsLocal(system)) /* of no place on the globe */
        system = NULL;
    if (system) /* RFC 7946 knows no other coordinates than WGS 84 */
        options = CSLSetNameValue(options, "RFC7946", "YES");
    layer =
        GDALDatasetCreateLayer(file, "isochrones", system, wkbMultiPolygon, options);
    CSLDestroy(options);
    if (!layer)
        return zm_gdal_fail(err, ZM_E_IO, path, "cannot be made");
    st = add_fields(layer, path, err);
    for (size_t i = 0; st >= 0 && i < a->n; i++) {
        zm_outline outline;

        st = zm_outline_find(a->T, a->rows, a->cols, a->times[i], &outline, err);
        if (st >= 0 && outline.n_rings)
            st = add_feature(layer, &outline, a->where, a->times[i], unit, path, err);
        *points += outline.n_points + outline.n_rings;
        zm_outline_free(&outline);
    }
    return st;
}

static zm_status write_series(const char *path, const area_series *a, zm_error *err)
{
    const zm_memory_name name = zm_gdal_memory_name_make(a, "geojson");
    OGRSpatialReferenceH system = NULL;
    GDALDatasetH file = GDALCreate(GDALGetDriverByName("GeoJSON"), name.text, 0, 0, 0,
                                   GDT_Unknown, NULL);
    size_t points = 0;
    zm_status st;

    if (!file)
        return zm_gdal_fail(err, ZM_E_IO, path, "cannot be made");
    st = zm_gdal_system(a->where, path, &system, err);
    if (st >= 0)
        st = fill(file, a, system, &points, path, err);
    GDALClose(file);
    if (st >= 0)
        st = check_points(name.text, points, path, err);
    if (system)
        OSRDestroySpatialReference(system);
    return zm_gdal_memory_file_end(&name, st, path, err);
}

zm_status zm_isochrones_write(const char *path, const float *T, int32_t rows,
                              int32_t cols, const zm_georeference *where,
                              const double *times, size_t n, zm_error *err)
{
    const area_series a = { T, rows, cols, where, times, n };
    zm_status st;

    if (!path || !T || !where || !times || rows < 1 || cols < 1 || n < 1)
        return zm_fail(err, ZM_E_ARG, -1, "zm_isochrones_write needs a path and times");
    zm_gdal_enter();
    st = write_series(path, &a, err);
    zm_gdal_leave();
    return st;
}

/* ---- in memory -------------------------------------------------------------------- */

void zm_isochrone_free(zm_isochrone *isochrone)
{
    if (!isochrone)
        return;
    free(isochrone->shape);
    *isochrone = (zm_isochrone){ 0 };
}

/* GDAL leaves out points that it had no memory for, without a word. */
static zm_status shape_of(const zm_outline *o, const double *transform,
                          zm_isochrone *out, zm_error *err)
{
    OGRGeometryH shape = zm_outline_geometry(o, transform);
    const bool whole = shape && points_of(shape) >= o->n_points + o->n_rings;

    out->bytes = whole ? (size_t)OGR_G_WkbSize(shape) : 0;
    out->shape = whole ? malloc(out->bytes) : NULL;
    if (out->shape && OGR_G_ExportToWkb(shape, wkbNDR, out->shape) != OGRERR_NONE) {
        free(out->shape);
        out->shape = NULL;
    }
    OGR_G_DestroyGeometry(shape);
    return out->shape ? ZM_OK
                      : zm_fail(err, ZM_E_NOMEM, -1, "polygons of %zu points",
                                o->n_points);
}

static zm_status find_series(const area_series *a, zm_isochrone *out, zm_error *err)
{
    OGRSpatialReferenceH system;
    zm_status st = zm_gdal_system(a->where, "map", &system, err);
    const double unit = st < 0 ? 1 : unit_of(system);

    for (size_t i = 0; st >= 0 && i < a->n; i++) {
        zm_outline outline;

        st = zm_outline_find(a->T, a->rows, a->cols, a->times[i], &outline, err);
        if (st >= 0) {
            out[i].time = a->times[i];
            out[i].area = hectares(&outline, a->where, unit);
            st = shape_of(&outline, a->where->transform, &out[i], err);
        }
        zm_outline_free(&outline);
    }
    if (system)
        OSRDestroySpatialReference(system);
    return st;
}

zm_status zm_isochrones_find(const float *T, int32_t rows, int32_t cols,
                             const zm_georeference *where, const double *times,
                             size_t n, zm_isochrone *out, zm_error *err)
{
    const area_series a = { T, rows, cols, where, times, n };
    zm_status st;

    if (!out || !T || !where || !times || rows < 1 || cols < 1 || n < 1)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_isochrones_find needs a grid, times and results");
    for (size_t i = 0; i < n; i++)
        out[i] = (zm_isochrone){ 0 };
    zm_gdal_enter();
    st = find_series(&a, out, err);
    zm_gdal_leave();
    for (size_t i = 0; st < 0 && i < n; i++)
        zm_isochrone_free(&out[i]);
    return st;
}
