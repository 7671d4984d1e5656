/* SPDX-License-Identifier: Apache-2.0
 * Whether a raster that was written is the one that was given. */
#include "fire/data/geo/raster_check.h"

#include <cpl_conv.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <math.h>
#include <ogr_srs_api.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "fire/data/geo/gdal_scope.h"

float zm_raster_stored(float value)
{
    return isfinite(value) ? value : ZM_RASTER_NODATA;
}

zm_status zm_raster_set_place(void *file, const zm_georeference *where, const char *path,
                              zm_error *err)
{
    double transform[6];

    if (!where)
        return ZM_OK;
    memcpy(transform, where->transform, sizeof transform);
    if (GDALSetGeoTransform(file, transform) != CE_None ||
        (where->wkt && where->wkt[0] && GDALSetProjection(file, where->wkt) != CE_None))
        return zm_gdal_fail(err, ZM_E_IO, path, "its place cannot be stored");
    return ZM_OK;
}

/* Where a file lies, as it tells. */
typedef struct place {
    bool moved;
    double transform[6];
    char *system; /* text, to be freed with CPLFree; NULL: none */
} place;

static place place_of(GDALDatasetH file)
{
    OGRSpatialReferenceH system = GDALGetSpatialRef(file);
    place p = { .moved = GDALGetGeoTransform(file, p.transform) == CE_None };

    if (system)
        OSRExportToWkt(system, &p.system);
    return p;
}

static bool same_transform(const double *a, const double *b)
{
    int i = 0;

    while (i < 6 && a[i] == b[i])
        i++;
    return i == 6;
}

static bool same_place(const place *a, const place *b)
{
    return a->moved == b->moved &&
           (!a->moved || same_transform(a->transform, b->transform)) &&
           !a->system == !b->system && (!a->system || !strcmp(a->system, b->system));
}

/* The place is compared with that of a second file, of one cell, in the same place: a format need
 * not give a coordinate system back word for word. */
static zm_status check_place(GDALDatasetH file, const zm_georeference *where,
                             const char *path, zm_error *err)
{
    const zm_memory_name name = zm_gdal_memory_name_make(&name, "cell.tif");
    place found = place_of(file), wanted = { 0 };
    GDALDatasetH cell = GDALCreate(GDALGetDriverByName("GTiff"), name.text, 1, 1, 1,
                                   GDT_Float32, NULL);
    zm_status st = cell ? zm_raster_set_place(cell, where, path, err)
                        : zm_gdal_fail(err, ZM_E_IO, path, "cannot be made");

    if (cell)
        GDALClose(cell);
    cell = st >= 0 ? GDALOpen(name.text, GA_ReadOnly) : NULL;
    if (cell) {
        wanted = place_of(cell);
        GDALClose(cell);
    }
    if (st >= 0 && (!cell || !same_place(&found, &wanted) ||
                    (where && where->wkt && where->wkt[0] && !found.system)))
        st = zm_gdal_fail(err, ZM_E_IO, path, "its place is not stored");
    CPLFree(found.system);
    CPLFree(wanted.system);
    VSIUnlink(name.text);
    return st;
}

/* Whole blocks of rows at once, some MB. */
static int32_t rows_at_once(GDALRasterBandH band, int32_t rows, int32_t cols)
{
    enum { VALUES = 1 << 18 };
    const int32_t some = 1 + VALUES / cols;
    int width, height;

    GDALGetBlockSize(band, &width, &height);
    return some < height ? (height < rows ? height : rows) : some < rows ? some : rows;
}

static bool same_values(const float *read, const float *given, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (read[i] != zm_raster_stored(given[i]))
            return false;
    return true;
}

static zm_status check_values(GDALRasterBandH band, const zm_raster_planes *raster,
                              int32_t b, const char *path, zm_error *err)
{
    const int32_t cols = raster->cols, most = rows_at_once(band, raster->rows, cols);
    float *some = malloc((size_t)most * (size_t)cols * sizeof *some);
    bool same = true;

    if (!some)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory to read it back",
                       zm_shown_name(path));
    for (int32_t row = 0; same && row < raster->rows; row += most) {
        const int32_t n = raster->rows - row < most ? raster->rows - row : most;

        same = GDALRasterIO(band, GF_Read, 0, row, cols, n, some, cols, n, GDT_Float32, 0,
                            0) == CE_None &&
               same_values(some, raster->planes[b] + (size_t)row * (size_t)cols,
                           (size_t)n * (size_t)cols);
    }
    free(some);
    return same ? ZM_OK
                : zm_gdal_fail(err, ZM_E_IO, path, "its values are not stored");
}

static zm_status check_band(GDALDatasetH file, const zm_raster_planes *raster, int32_t b,
                            const char *path, zm_error *err)
{
    GDALRasterBandH band = GDALGetRasterBand(file, b + 1);
    int has = 0;
    const double nodata = band ? GDALGetRasterNoDataValue(band, &has) : 0;

    if (!has || nodata != (double)ZM_RASTER_NODATA ||
        GDALGetRasterDataType(band) != GDT_Float32 ||
        (raster->names && strcmp(GDALGetDescription(band), raster->names[b]) != 0))
        return zm_gdal_fail(err, ZM_E_IO, path, "names of its bands are not stored");
    return check_values(band, raster, b, path, err);
}

zm_status zm_raster_check(const char *name, const zm_raster_planes *raster,
                          const char *path, zm_error *err)
{
    GDALDatasetH file = GDALOpen(name, GA_ReadOnly);
    zm_status st = ZM_OK;

    if (!file || GDALGetRasterXSize(file) != raster->cols ||
        GDALGetRasterYSize(file) != raster->rows ||
        GDALGetRasterCount(file) != raster->bands)
        st = zm_gdal_fail(err, ZM_E_IO, path, "could not be made whole");
    if (st >= 0)
        st = check_place(file, raster->where, path, err);
    for (int32_t b = 0; st >= 0 && b < raster->bands; b++)
        st = check_band(file, raster, b, path, err);
    if (file)
        GDALClose(file);
    return st;
}
