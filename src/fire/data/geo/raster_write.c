/* SPDX-License-Identifier: Apache-2.0
 * Rasters to GeoTIFF. */
#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "fire/data/geo/gdal_scope.h"
#include "fire/data/geo/raster_check.h"
#include "zermelo/fire/geo.h"

static const char SIDE_FILES[] = "GDAL_PAM_ENABLED";

static zm_status write_band(GDALDatasetH file, const zm_raster_planes *raster,
                            const char *const *units, int32_t b, const char *path,
                            zm_error *err)
{
    const size_t n = (size_t)raster->rows * (size_t)raster->cols;
    GDALRasterBandH band = GDALGetRasterBand(file, b + 1);
    float *copy = malloc(n * sizeof *copy);
    CPLErr failed;

    if (!copy)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for %zu values",
                       zm_shown_name(path), n);
    for (size_t i = 0; i < n; i++)
        copy[i] = zm_raster_stored(raster->planes[b][i]);
    if (raster->names)
        GDALSetDescription(band, raster->names[b]);
    if (units && units[b][0])
        GDALSetRasterUnitType(band, units[b]);
    GDALSetRasterNoDataValue(band, ZM_RASTER_NODATA);
    failed = GDALRasterIO(band, GF_Write, 0, 0, raster->cols, raster->rows, copy,
                          raster->cols, raster->rows, GDT_Float32, 0, 0);
    free(copy);
    return failed == CE_None ? ZM_OK
                             : zm_gdal_fail(err, ZM_E_IO, path, "cannot be made");
}

static zm_status fill(GDALDatasetH file, const zm_raster_planes *raster,
                      const char *const *units, const char *path, zm_error *err)
{
    zm_status st = zm_raster_set_place(file, raster->where, path, err);

    for (int32_t b = 0; st >= 0 && b < raster->bands; b++)
        st = write_band(file, raster, units, b, path, err);
    return st;
}

zm_status zm_raster_write(const char *path, const zm_raster_planes *raster,
                          zm_error *err)
{
    return zm_raster_write_units(path, raster, NULL, err);
}

zm_status zm_raster_write_units(const char *path, const zm_raster_planes *raster,
                                const char *const *units, zm_error *err)
{
    const zm_memory_name name = zm_gdal_memory_name_make(&raster, "tif");
    char **options = NULL;
    GDALDatasetH file;
    zm_status st;

    if (!path || !raster || !raster->planes || raster->rows < 1 || raster->cols < 1 ||
        raster->bands < 1)
        return zm_fail(err, ZM_E_ARG, -1, "zm_raster_write needs a path and planes");
    zm_gdal_enter();
    options = CSLSetNameValue(options, "COMPRESS", "DEFLATE");
    options = CSLSetNameValue(options, "INTERLEAVE", "BAND");
    CPLSetThreadLocalConfigOption(SIDE_FILES, "NO"); /* all of it in the one file */
    file = GDALCreate(GDALGetDriverByName("GTiff"), name.text, raster->cols,
                      raster->rows, raster->bands, GDT_Float32, options);
    CSLDestroy(options);
    if (!file) {
        st = zm_gdal_fail(err, ZM_E_IO, path, "cannot be made");
    } else {
        st = fill(file, raster, units, path, err);
        GDALClose(file);
        if (st >= 0)
            st = zm_raster_check(name.text, raster, path, err);
        st = zm_gdal_memory_file_end(&name, st, path, err);
    }
    CPLSetThreadLocalConfigOption(SIDE_FILES, NULL);
    zm_gdal_leave();
    return st;
}
