/* SPDX-License-Identifier: Apache-2.0
 * Burned areas as GeoJSON. */
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdlib.h>

#include "core/fail.h"
#include "fire/data/geo/gdal_scope.h"
#include "fire/data/geo/gdal_tally.h"
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

/* Maps count from the north-west corner of the first cell, outlines from its middle. */
static OGRGeometryH ring_of(const zm_outline_point *points, size_t n, const double *t)
{
    OGRGeometryH line = OGR_G_CreateGeometry(wkbLinearRing);

    for (size_t i = 0; i <= n; i++) { /* closed: the first point again */
        const double x = points[i % n].col + 0.5, y = points[i % n].row + 0.5;

        OGR_G_AddPoint_2D(line, t[0] + x * t[1] + y * t[2], t[3] + x * t[4] + y * t[5]);
    }
    return line;
}

/* A hole comes after its shell: polygon number which[ring] has both. */
OGRGeometryH zm_outline_geometry(const zm_outline *o, const double *transform)
{
    size_t n, n_points;
    const zm_outline_ring *rings = zm_outline_rings(o, &n);
    const zm_outline_point *points = zm_outline_points(o, &n_points);
    int *which = malloc((n + 1) * sizeof *which), polygons = 0;
    OGRGeometryH all = which ? OGR_G_CreateGeometry(wkbMultiPolygon) : NULL;

    for (size_t i = 0; all && i < n; i++) {
        OGRGeometryH polygon;

        if (rings[i].shell == i) {
            OGR_G_AddGeometryDirectly(all, OGR_G_CreateGeometry(wkbPolygon));
            which[i] = polygons++;
        }
        polygon = OGR_G_GetGeometryRef(all, which[rings[i].shell]);
        OGR_G_AddGeometryDirectly(
            polygon, ring_of(points + rings[i].begin, rings[i].n, transform));
    }
    free(which);
    return all;
}

double zm_outline_geometry_hectares(const zm_outline *o, const zm_georeference *where,
                                    double unit)
{
    const double cell = fabs(where->transform[1] * where->transform[5] -
                             where->transform[2] * where->transform[4]);
    double cells = 0;
    size_t n;
    const zm_outline_ring *rings = zm_outline_rings(o, &n);

    for (size_t i = 0; i < n; i++)
        cells += rings[i].area;
    return cells * cell * unit * unit / 1e4;
}

double zm_geo_unit(OGRSpatialReferenceH system)
{
    return system && !OSRIsGeographic(system) ? OSRGetLinearUnits(system, NULL) : 1;
}

size_t zm_outline_geometry_points(const zm_outline *outline)
{
    size_t n_rings, n_points;

    zm_outline_rings(outline, &n_rings);
    zm_outline_points(outline, &n_points);
    return n_points + n_rings;
}

static zm_status add_feature(OGRLayerH layer, const zm_outline *o,
                             const zm_georeference *where, double time, double unit,
                             zm_gdal_tally *tally, const char *path, zm_error *err)
{
    OGRFeatureDefnH fields = OGR_L_GetLayerDefn(layer);
    OGRGeometryH area = zm_outline_geometry(o, where->transform);
    OGRFeatureH feature;
    OGRErr failed;

    if (!area)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", path);
    feature = OGR_F_Create(fields);
    OGR_F_SetFieldDouble(feature, 0, time);
    OGR_F_SetFieldDouble(feature, 1, zm_outline_geometry_hectares(o, where, unit));
    OGR_F_SetGeometryDirectly(feature, area);
    zm_gdal_tally_add(tally, feature, zm_outline_geometry_points(o));
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

typedef struct area_series {
    const float *T;
    int32_t rows, cols;
    const zm_georeference *where;
    const double *times;
    size_t n;
} area_series;

static zm_status fill(GDALDatasetH file, const area_series *a,
                      OGRSpatialReferenceH system, zm_gdal_tally *tally,
                      const char *path, zm_error *err)
{
    const double unit = zm_geo_unit(system);
    char **options = NULL;
    zm_outline *outline = NULL;
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
    if (st >= 0)
        st = zm_outline_create(&outline, NULL, err);
    for (size_t i = 0; st >= 0 && i < a->n; i++) {
        size_t n_rings;

        st = zm_outline_find(outline, (zm_grid){ a->rows, a->cols, 1, 1 }, ZM_F32, a->T,
                             a->times[i], err);
        zm_outline_rings(outline, &n_rings);
        if (st >= 0 && n_rings)
            st = add_feature(layer, outline, a->where, a->times[i], unit, tally, path,
                             err);
    }
    zm_outline_destroy(outline);
    return st;
}

static zm_status write_series(const char *path, const area_series *a, zm_error *err)
{
    const zm_memory_name name = zm_gdal_memory_name_make(a, "geojson");
    OGRSpatialReferenceH system = NULL;
    GDALDatasetH file = GDALCreate(GDALGetDriverByName("GeoJSON"), name.text, 0, 0, 0,
                                   GDT_Unknown, NULL);
    zm_gdal_tally tally = zm_gdal_tally_none();
    zm_status st;

    if (!file)
        return zm_gdal_fail(err, ZM_E_IO, path, "cannot be made");
    st = zm_gdal_system(a->where, path, &system, err);
    if (st >= 0)
        st = fill(file, a, system, &tally, path, err);
    GDALClose(file);
    if (st >= 0)
        st = zm_gdal_tally_check(&tally, name.text, NULL, path, err);
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
