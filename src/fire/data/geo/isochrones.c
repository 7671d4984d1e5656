/* SPDX-License-Identifier: Apache-2.0
 * Burned areas to vector files, in the format of their ending. */
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/options.h"
#include "core/shown_name.h"
#include "fire/data/geo/gdal_scope.h"
#include "fire/data/geo/gdal_tally.h"
#include "fire/data/geo/isochrones_out.h"
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

/* ---- formats ---------------------------------------------------------------------- */

typedef struct format {
    const char *ending, *driver; /* driver NULL: ours */
    bool on_globe;               /* has no other coordinates than WGS 84 */
} format;

static const format formats[] = {
    { ".geojson", "GeoJSON", true },
    { ".json", "GeoJSON", true },
    { ".gpkg", "GPKG", false },
    { ".kml", NULL, true },
    { ".shp", "ESRI Shapefile", false },
    { ".parquet", "Parquet", false },
};

static zm_status format_of(const char *path, const format **out, zm_error *err)
{
    static const char takes[] = ".geojson, .json, .gpkg, .kml, .shp or .parquet";

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const char *driver = formats[i].driver;

        if (!zm_file_ends(path, formats[i].ending))
            continue;
        *out = &formats[i];
        return !driver || GDALGetDriverByName(driver)
                   ? ZM_OK
                   : zm_fail(err, ZM_E_ARG, -1,
                             "%s: this GDAL has no driver %s; take .geojson, .gpkg, .kml or "
                             ".shp",
                             zm_shown_name(path), driver);
    }
    return zm_fail(err, ZM_E_ARG, -1, "%s: burned areas are written to a file that ends in %s",
                   zm_shown_name(path), takes);
}

zm_status zm_isochrones_path_check(const char *path, zm_error *err)
{
    const format *unused;
    zm_status st;

    if (!path)
        return zm_fail(err, ZM_E_ARG, -1, "zm_isochrones_path_check needs a path");
    zm_gdal_enter();
    st = format_of(path, &unused, err);
    zm_gdal_leave();
    return st;
}

/* ---- features --------------------------------------------------------------------- */

zm_date_text zm_geo_areas_moment(const zm_area_series *a, double time)
{
    const zm_time moment = zm_time_after(&a->start, time);
    zm_date date = { .year = moment.year, .month = moment.month, .day = moment.day };
    const long minutes = lround(moment.hour * 60);

    if (!moment.month || !a->start.year)
        return (zm_date_text){ "" };
    date.hour = (int)(minutes / 60);
    date.minute = (int)(minutes % 60);
    date.has_time = true;
    date.has_zone = !isnan(moment.ahead);
    date.ahead = date.has_zone ? moment.ahead : 0;
    return zm_date_print(&date);
}

/* Of as many digits as a shapefile keeps. */
static double kept(const char *path, double value, double parts)
{
    return zm_file_ends(path, ".shp") ? round(value * parts) / parts : value;
}

static zm_status add_feature(OGRLayerH layer, const zm_outline *o, const zm_area_series *a,
                             double time, double unit, zm_gdal_tally *tally,
                             const char *path, zm_error *err)
{
    OGRFeatureDefnH fields = OGR_L_GetLayerDefn(layer);
    OGRGeometryH area = zm_outline_geometry(o, a->where->transform);
    OGRFeatureH feature;
    OGRErr failed;

    if (!area)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", path);
    feature = OGR_F_Create(fields);
    OGR_F_SetFieldDouble(feature, 0, kept(path, time, 1e9));
    OGR_F_SetFieldDouble(
        feature, 1, kept(path, zm_outline_geometry_hectares(o, a->where, unit), 1e4));
    if (a->start.year)
        OGR_F_SetFieldString(feature, 2, zm_geo_areas_moment(a, time).text);
    OGR_F_SetGeometryDirectly(feature, area);
    zm_gdal_tally_add(tally, feature, zm_outline_geometry_points(o));
    failed = OGR_L_CreateFeature(layer, feature);
    OGR_F_Destroy(feature);
    return failed == OGRERR_NONE
               ? ZM_OK
               : zm_gdal_fail(err, ZM_E_FORMAT, path, "isochrone cannot be written");
}

static zm_status add_fields(OGRLayerH layer, bool dated, const char *path, zm_error *err)
{
    ZM_TRY(zm_gdal_add_field(layer, "time_h", OFTReal, path, err));
    ZM_TRY(zm_gdal_add_field(layer, "area_ha", OFTReal, path, err));
    return dated ? zm_gdal_add_field(layer, "datetime", OFTString, path, err) : ZM_OK;
}

static zm_status fill(GDALDatasetH file, const zm_area_series *a, bool on_globe,
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
    if (system && on_globe) /* RFC 7946 knows no other coordinates than WGS 84 */
        options = CSLSetNameValue(options, "RFC7946", "YES");
    layer =
        GDALDatasetCreateLayer(file, "isochrones", system, wkbMultiPolygon, options);
    CSLDestroy(options);
    if (!layer)
        return zm_gdal_fail(err, ZM_E_IO, path, "cannot be made");
    st = add_fields(layer, a->start.year != 0, path, err);
    if (st >= 0)
        st = zm_outline_create(&outline, NULL, err);
    for (size_t i = 0; st >= 0 && i < a->n; i++) {
        size_t n_rings;

        st = zm_outline_find(outline, (zm_grid){ a->rows, a->cols, 1, 1 }, ZM_F32, a->T,
                             a->times[i], err);
        zm_outline_rings(outline, &n_rings);
        if (st >= 0 && n_rings)
            st = add_feature(layer, outline, a, a->times[i], unit, tally, path, err);
    }
    zm_outline_destroy(outline);
    return st;
}

/* ---- files ------------------------------------------------------------------------ */

/* A shapefile is several files; that which is named comes last. */
static zm_status end_shapefile(const zm_memory_name *name, zm_status st, const char *path,
                               zm_error *err)
{
    static const char *const parts[] = { ".shx", ".dbf", ".prj", ".cpg", ".shp" };
    const size_t stem = strlen(path) - 4, of_name = strlen(name->text) - 4;
    char *to = malloc(stem + 5);

    if (!to && st >= 0)
        st = zm_fail(err, ZM_E_NOMEM, -1, "no memory for a path");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        zm_memory_name part = *name;
        vsi_l_offset n;

        memcpy(part.text + of_name, parts[i], 5);
        if (!VSIGetMemFileBuffer(part.text, &n, /* leave it */ 0))
            continue;
        if (to) {
            memcpy(to, path, stem);
            memcpy(to + stem, parts[i], 5);
        }
        st = zm_gdal_memory_file_end(&part, st, to ? to : path, err);
    }
    free(to);
    return st;
}

static zm_status write_format(const char *path, const format *f, const zm_area_series *a,
                              OGRSpatialReferenceH system, zm_error *err)
{
    const zm_memory_name name = zm_gdal_memory_name_make(a, f->ending + 1);
    GDALDatasetH file = GDALCreate(GDALGetDriverByName(f->driver), name.text, 0, 0, 0,
                                   GDT_Unknown, NULL);
    const bool keeps_system = !f->on_globe && strcmp(f->ending, ".shp") != 0;
    zm_gdal_tally tally = zm_gdal_tally_none();
    zm_status st;

    if (!file)
        return zm_gdal_fail(err, ZM_E_IO, path, "cannot be made");
    st = fill(file, a, f->on_globe, system, &tally, path, err);
    GDALClose(file);
    if (st >= 0)
        st = zm_gdal_tally_check(&tally, name.text, keeps_system ? system : NULL, path, err);
    return strcmp(f->ending, ".shp") == 0 ? end_shapefile(&name, st, path, err)
                                          : zm_gdal_memory_file_end(&name, st, path, err);
}

static zm_status write_series(const char *path, const zm_area_series *a, zm_error *err)
{
    OGRSpatialReferenceH system = NULL;
    const format *f = NULL;
    zm_status st;

    ZM_TRY(format_of(path, &f, err));
    st = zm_gdal_system(a->where, path, &system, err);
    if (st >= 0)
        st = f->driver ? write_format(path, f, a, system, err)
                       : zm_geo_isochrones_kml(path, a, system, err);
    if (system)
        OSRDestroySpatialReference(system);
    return st;
}

zm_status zm_isochrones_write(const char *path, const float *T, int32_t rows,
                              int32_t cols, const zm_georeference *where,
                              const double *times, size_t n,
                              const zm_isochrone_opts *opts, zm_error *err)
{
    zm_isochrone_opts o = ZM_ISOCHRONE_OPTS_INIT;
    zm_status st;

    if (!path || !T || !where || !times || rows < 1 || cols < 1 || n < 1)
        return zm_fail(err, ZM_E_ARG, -1, "zm_isochrones_write needs a path and times");
    ZM_TRY(zm_options_read(&o, sizeof o, opts, "zm_isochrone_opts", err));
    {
        const zm_area_series a = { T, rows, cols, where, times, n, o.start };

        zm_gdal_enter();
        st = write_series(path, &a, err);
        zm_gdal_leave();
    }
    return st;
}
