/* SPDX-License-Identifier: Apache-2.0
 * Maps: georeferenced rasters as float planes. */
#ifndef ZM_GEO_H
#define ZM_GEO_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Value of cells without data in the rasters that are written here. */
#define ZM_RASTER_NODATA (-9999.0F)

/** Where a grid lies: a cell (row, col) has its north-west corner at
 *  x = t[0] + col t[1] + row t[2], y = t[3] + col t[4] + row t[5]. */
typedef struct zm_georeference {
    double transform[6];
    const char *wkt; /**< coordinate system, well-known text; "" where unknown */
} zm_georeference;

/** A raster in memory.  Free with zm_raster_free. */
typedef struct zm_raster {
    int32_t rows, cols, bands;
    float *
        data; /**< bands planes of rows*cols, row 0 first; NAN where there is no data */
    char **names;          /**< descriptions of the bands; "" where there is none */
    zm_georeference where; /**< transform all 0 where the file has none */
    double unit; /**< metres in a unit of the map; NAN where it is in degrees; 1 where
                           the coordinate system is unknown */
} zm_raster;

/**
 * Reads all bands of any raster GDAL knows.
 *
 * @param out out  zeroed after a failure
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT (too large, damaged), ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_raster_read(const char *path, zm_raster *out, zm_error *err);

/** Frees what zm_raster_read gave; zeroes it. */
ZM_API void zm_raster_free(zm_raster *raster);

/** A raster to be written. */
typedef struct zm_raster_planes {
    int32_t rows, cols, bands; /**< >= 1 */
    const float *const
        *planes;              /**< rows*cols each; what is not finite becomes nodata */
    const char *const *names; /**< of the bands; NULL: none */
    const zm_georeference *where; /**< NULL: none */
} zm_raster_planes;

/**
 * Writes a GeoTIFF: float32, nodata ZM_RASTER_NODATA, compressed.  The file is replaced at
 * once, or left as it was.
 *
 * @return ZM_OK, ZM_E_IO, ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_raster_write(const char *path, const zm_raster_planes *raster,
                                 zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
