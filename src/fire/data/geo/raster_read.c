/* SPDX-License-Identifier: Apache-2.0
 * Rasters from files. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <gdal.h>
#include <math.h>
#include <ogr_srs_api.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/shown_name.h"
#include "fire/data/geo/gdal_scope.h"
#include "zermelo/fire/geo.h"
#include "zermelo/metric.h"

void zm_raster_free(zm_raster *raster)
{
    if (!raster)
        return;
    if (raster->names)
        for (int32_t b = 0; b < raster->bands; b++)
            free(raster->names[b]);
    free(raster->names);
    free((char *)(uintptr_t)raster->where.wkt);
    free(raster->data);
    *raster = (zm_raster){ 0 };
}

static zm_status take_memory(zm_raster *r, const char *path, zm_error *err)
{
    size_t cells, values, bytes;

    if (!zm_mul_size((size_t)r->rows, (size_t)r->cols, &cells) ||
        !zm_mul_size(cells, (size_t)r->bands, &values) ||
        !zm_mul_size(values, sizeof *r->data, &bytes))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: %d bands of %d x %d cells, too large",
                       zm_shown_name(path), r->bands, r->rows, r->cols);
    ZM_TRY(zm_file_expands_within_limit(path, bytes, err));
    if (cells > ZM_MOST_CELLS)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: %d x %d cells, must be at most %zu",
                       zm_shown_name(path), r->rows, r->cols, (size_t)ZM_MOST_CELLS);
    r->data = malloc(bytes);
    r->names = calloc((size_t)r->bands, sizeof *r->names);
    if (!r->data || !r->names)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for %zu values",
                       zm_shown_name(path), values);
    return ZM_OK;
}

/* Nodata becomes NAN; the comparison is made in float, as the file stores it. */
static void mark_missing(GDALRasterBandH band, float *values, size_t n)
{
    int has = 0;
    const double nodata = GDALGetRasterNoDataValue(band, &has);
    const float missing = (float)nodata;

    for (size_t i = 0; has && i < n; i++)
        if (values[i] == missing)
            values[i] = NAN;
}

static zm_status read_band(GDALDatasetH file, zm_raster *r, int32_t b, const char *path,
                           zm_error *err)
{
    const size_t n = (size_t)r->rows * (size_t)r->cols;
    GDALRasterBandH band = GDALGetRasterBand(file, b + 1);
    float *values = r->data + (size_t)b * n;

    if (!band || GDALRasterIO(band, GF_Read, 0, 0, r->cols, r->rows, values, r->cols,
                              r->rows, GDT_Float32, 0, 0) != CE_None)
        return zm_gdal_fail(err, ZM_E_FORMAT, path, "cannot be read to its end");
    mark_missing(band, values, n);
    if (!(r->names[b] = strdup(GDALGetDescription(band))))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(path));
    return ZM_OK;
}

/* Metres in a unit of the map. */
static double unit_of(GDALDatasetH file)
{
    OGRSpatialReferenceH system = GDALGetSpatialRef(file);

    if (!system)
        return 1;
    return OSRIsGeographic(system) ? NAN : OSRGetLinearUnits(system, NULL);
}

static zm_status read_place(GDALDatasetH file, zm_raster *r, const char *path,
                            zm_error *err)
{
    const char *wkt = GDALGetProjectionRef(file);

    if (GDALGetGeoTransform(file, r->where.transform) != CE_None)
        memset(r->where.transform, 0, sizeof r->where.transform);
    r->unit = unit_of(file);
    if (!(r->where.wkt = strdup(wkt ? wkt : "")))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(path));
    return ZM_OK;
}

static zm_status read_opened(GDALDatasetH file, zm_raster *r, const char *path,
                             zm_error *err)
{
    zm_status st;

    r->rows = GDALGetRasterYSize(file);
    r->cols = GDALGetRasterXSize(file);
    r->bands = GDALGetRasterCount(file);
    if (r->rows < 1 || r->cols < 1 || r->bands < 1)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: has no bands, must be one raster",
                       zm_shown_name(path));
    st = take_memory(r, path, err);
    if (st >= 0)
        st = read_place(file, r, path, err);
    for (int32_t b = 0; st >= 0 && b < r->bands; b++)
        st = read_band(file, r, b, path, err);
    return st;
}

zm_status zm_raster_read(const char *path, zm_raster *out, zm_error *err)
{
    zm_raster r = { 0 };
    GDALDatasetH file;
    zm_status st;

    if (!path || !out)
        return zm_fail(err, ZM_E_ARG, -1, "zm_raster_read needs a path and a result");
    *out = r;
    zm_gdal_enter();
    st = zm_gdal_open(&file, path, ZM_GDAL_RASTER, err);
    if (st >= 0) {
        st = read_opened(file, &r, path, err);
        GDALClose(file);
    }
    zm_gdal_leave();
    if (st < 0)
        zm_raster_free(&r);
    *out = r;
    return st;
}
