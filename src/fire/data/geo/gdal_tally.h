/* SPDX-License-Identifier: Apache-2.0
 * What was given to a vector file, to compare with what it holds: where GDAL or a library below it
 * lacks memory it leaves out features, fields, points or the coordinate system without a word. */
#ifndef ZM_GEO_GDAL_TALLY_H
#define ZM_GEO_GDAL_TALLY_H

#include <ogr_api.h>
#include <stdint.h>

#include "zermelo/status.h"

typedef struct zm_gdal_tally {
    uint64_t fields; /**< digest of names and values */
    size_t features, points;
} zm_gdal_tally;
zm_gdal_tally zm_gdal_tally_none(void);

/** Points of all parts of a geometry. */
size_t zm_gdal_geometry_points(OGRGeometryH geometry);

/** Counts a feature with the points that its geometry has to have. */
void zm_gdal_tally_add(zm_gdal_tally *tally, OGRFeatureH feature, size_t points);

/** ZM_E_IO unless the first layer of a file has these features, no fewer points, and this
 *  coordinate system (NULL: any).  `path` is for messages. */
zm_status zm_gdal_tally_check(const zm_gdal_tally *tally, const char *name,
                              OGRSpatialReferenceH system, const char *path, zm_error *err);

#endif
