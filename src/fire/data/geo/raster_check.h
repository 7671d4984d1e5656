/* SPDX-License-Identifier: Apache-2.0
 * Whether a raster that was written is the one that was given. */
#ifndef ZM_GEO_RASTER_CHECK_H
#define ZM_GEO_RASTER_CHECK_H

#include "zermelo/fire/geo.h"

/** ZM_E_IO unless the file that GDAL knows by `name` has size, place, names, nodata and all values
 *  of the raster: where GDAL lacks memory it leaves out some of it without a word.  `path` is
 *  for messages. */
zm_status zm_raster_check(const char *name, const zm_raster_planes *raster,
                          const char *path, zm_error *err);

/** Puts transform and coordinate system into a GDALDatasetH.  @return ZM_OK, ZM_E_IO */
zm_status zm_raster_set_place(void *file, const zm_georeference *where, const char *path,
                              zm_error *err);

/** What stands in the file for a value. */
float zm_raster_stored(float value);

#endif
