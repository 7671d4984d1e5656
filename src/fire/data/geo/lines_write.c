/* SPDX-License-Identifier: Apache-2.0
 * Lines on a grid to GeoJSON or GeoPackage. */
#include <cpl_string.h>
#include <gdal.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/shown_name.h"
#include "fire/data/geo/gdal_scope.h"
#include "fire/data/geo/gdal_tally.h"

typedef struct format {
    const char *ending, *driver;
} format;

static const format formats[] = {
    { ".geojson", "GeoJSON" },
    { ".json", "GeoJSON" },
    { ".gpkg", "GPKG" },
};

static const format *format_of(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (zm_file_ends(path, formats[i].ending))
            return &formats[i];
    return NULL;
}

zm_status zm_geo_lines_path_check(const char *path, zm_error *err)
{
    if (!path)
        return zm_fail(err, ZM_E_ARG, -1, "lines without a path to write them to");
    return format_of(path)
               ? ZM_OK
               : zm_fail(
                     err, ZM_E_ARG, -1,
                     "%s: lines are written to a file that ends in .geojson, .json or "
                     ".gpkg",
                     zm_shown_name(path));
}

/* Maps count from the north-west corner of the first cell, lines from its middle. */
static OGRGeometryH geometry_of(const zm_geo_line *line, const double *t)
{
    OGRGeometryH g = OGR_G_CreateGeometry(wkbLineString);

    for (size_t i = 0; g && i < line->n; i++) {
        const double y = line->places[2 * i] + 0.5, x = line->places[2 * i + 1] + 0.5;

        OGR_G_AddPoint_2D(g, t[0] + x * t[1] + y * t[2], t[3] + x * t[4] + y * t[5]);
    }
    return g;
}

static zm_status add_line(OGRLayerH layer, const zm_geo_line *line, int number,
                          const double *transform, zm_gdal_tally *tally,
                          const char *path, zm_error *err)
{
    OGRGeometryH geometry = geometry_of(line, transform);
    OGRFeatureH feature;
    OGRErr failed;

    if (!geometry)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", path);
    feature = OGR_F_Create(OGR_L_GetLayerDefn(layer));
    OGR_F_SetFieldInteger(feature, 0, number);
    OGR_F_SetFieldInteger(feature, 1, line->from + 1);
    OGR_F_SetFieldDouble(feature, 2, line->flow);
    OGR_F_SetFieldDouble(feature, 3, line->time);
    OGR_F_SetGeometryDirectly(feature, geometry);
    zm_gdal_tally_add(tally, feature, line->n);
    failed = OGR_L_CreateFeature(layer, feature);
    OGR_F_Destroy(feature);
    return failed == OGRERR_NONE
               ? ZM_OK
               : zm_gdal_fail(err, ZM_E_FORMAT, path, "line cannot be written");
}

static zm_status add_fields(OGRLayerH layer, const char *path, zm_error *err)
{
    ZM_TRY(zm_gdal_add_field(layer, "way", OFTInteger, path, err));
    ZM_TRY(zm_gdal_add_field(layer, "from", OFTInteger, path, err));
    ZM_TRY(zm_gdal_add_field(layer, "flow", OFTReal, path, err));
    return zm_gdal_add_field(layer, "time_h", OFTReal, path, err);
}

static zm_status fill(GDALDatasetH file, const zm_geo_line *lines, size_t n,
                      const double *transform, OGRSpatialReferenceH system, bool wgs84,
                      zm_gdal_tally *tally, const char *path, zm_error *err)
{
    char **options = NULL;
    OGRLayerH layer;
    zm_status st;

    if (system && OSRIsLocal(system)) /* of no place on the globe */
        system = NULL;
    if (system && wgs84) /* RFC 7946 knows no other coordinates */
        options = CSLSetNameValue(options, "RFC7946", "YES");
    layer = GDALDatasetCreateLayer(file, "ways", system, wkbLineString, options);
    CSLDestroy(options);
    if (!layer)
        return zm_gdal_fail(err, ZM_E_IO, path, "cannot be made");
    st = add_fields(layer, path, err);
    for (size_t i = 0; st >= 0 && i < n; i++)
        st = add_line(layer, &lines[i], (int)i + 1, transform, tally, path, err);
    return st;
}

static zm_status write_lines(const char *path, const zm_geo_line *lines, size_t n,
                             const zm_georeference *where, zm_error *err)
{
    const format *f = format_of(path);
    const bool wgs84 = strcmp(f->driver, "GeoJSON") == 0;
    const zm_memory_name name = zm_gdal_memory_name_make(lines, f->ending + 1);
    zm_gdal_tally tally = zm_gdal_tally_none();
    OGRSpatialReferenceH system = NULL;
    GDALDatasetH file;
    zm_status st;

    ZM_TRY(zm_gdal_system(where, path, &system, err));
    file = GDALCreate(GDALGetDriverByName(f->driver), name.text, 0, 0, 0, GDT_Unknown,
                      NULL);
    st = file ? fill(file, lines, n, where->transform, system, wgs84, &tally, path, err)
              : zm_gdal_fail(err, ZM_E_IO, path, "cannot be made");
    if (file)
        GDALClose(file);
    if (st >= 0)
        st = zm_gdal_tally_check(&tally, name.text, wgs84 ? NULL : system, path, err);
    if (system)
        OSRDestroySpatialReference(system);
    return zm_gdal_memory_file_end(&name, st, path, err);
}

zm_status zm_geo_lines_write(const char *path, const zm_geo_line *lines, size_t n,
                             const zm_georeference *where, zm_error *err)
{
    zm_status st;

    ZM_TRY(zm_geo_lines_path_check(path, err));
    if (!where || (n > 0 && !lines))
        return zm_fail(err, ZM_E_ARG, -1, "zm_geo_lines_write needs lines and a place");
    for (size_t i = 0; i < n; i++)
        if (lines[i].n < 2 || !lines[i].places)
            return zm_fail(err, ZM_E_ARG, -1,
                           "line %zu has %zu points, at least 2 are "
                           "needed",
                           i, lines[i].n);
    zm_gdal_enter();
    st = write_lines(path, lines, n, where, err);
    zm_gdal_leave();
    return st;
}
