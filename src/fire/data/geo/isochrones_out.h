/* SPDX-License-Identifier: Apache-2.0
 * Burned areas on their way to a file. */
#ifndef ZM_GEO_ISOCHRONES_OUT_H
#define ZM_GEO_ISOCHRONES_OUT_H

#include <ogr_srs_api.h>

#include "fire/data/geo/date.h"
#include "zermelo/fire/geo.h"
#include "zermelo/outline.h"

/** What is written; times rise. */
typedef struct zm_area_series {
    const float *T;
    int32_t rows, cols;
    const zm_georeference *where;
    const double *times;
    size_t n;
    zm_time start; /**< year 0: not told */
} zm_area_series;

/** The moment of a time; "" where the start is not told. */
zm_date_text zm_geo_areas_moment(const zm_area_series *a, double time);

/** The whole as KML; system: that of the grid, or NULL.  @return as zm_isochrones_write */
zm_status zm_geo_isochrones_kml(const char *path, const zm_area_series *a,
                                  OGRSpatialReferenceH system, zm_error *err);

#endif
