/* SPDX-License-Identifier: Apache-2.0
 * GDAL without its printing: every call goes between enter and leave, which keep its messages
 * for ours. */
#ifndef ZM_GEO_GDAL_SCOPE_H
#define ZM_GEO_GDAL_SCOPE_H

#include <stddef.h>

#include "zermelo/fire/geo.h"

/** Registers the drivers once and holds back messages of this thread. */
void zm_gdal_enter(void);
void zm_gdal_leave(void);

/** How many failures GDAL has told of in this thread since zm_gdal_enter. */
int zm_gdal_failures(void);

typedef enum zm_gdal_kind { ZM_GDAL_RASTER, ZM_GDAL_VECTOR } zm_gdal_kind;

/** Opens a file or folder to be read, by its contents, with the formats that are documented and
 *  no others: nothing that it refers to is opened or asked over a network.  *file is a
 *  GDALDatasetH, NULL after a failure.  @return ZM_OK, ZM_E_IO, ZM_E_FORMAT */
zm_status zm_gdal_open(void **file, const char *path, zm_gdal_kind kind, zm_error *err);

/** zm_fail with "<name>: <what>" and what GDAL said last, if anything. */
zm_status zm_gdal_fail(zm_error *err, zm_status code, const char *name,
                       const char *what);

/** The coordinate system of a grid, an OGRSpatialReferenceH with x before y; NULL where it has
 *  none.  @return ZM_OK, ZM_E_FORMAT */
zm_status zm_gdal_system(const zm_georeference *where, const char *path, void **system,
                         zm_error *err);

/** Adds a field of an OGRFieldType to an OGRLayerH.  @return ZM_OK, ZM_E_IO */
zm_status zm_gdal_add_field(void *layer, const char *name, int type, const char *path,
                            zm_error *err);

/** Metadata item of a band (from 1) of a raster, e.g. "SLOPE_UNIT", as a number; -1 where there
 *  is none. */
int zm_gdal_band_metadata(const char *path, int band, const char *item);

/** A name in memory for a file under construction, not used by anybody else. */
typedef struct zm_memory_name {
    char text[96];
} zm_memory_name;
zm_memory_name zm_gdal_memory_name_make(const void *unique, const char *extension);

/** Ends a memory file that GDAL has closed: where st is good and GDAL has told of no failure since
 *  zm_gdal_enter moves it to `path`, replacing what is there at once; else drops it. */
zm_status zm_gdal_memory_file_end(const zm_memory_name *name, zm_status st,
                                  const char *path, zm_error *err);

#endif
