/* SPDX-License-Identifier: Apache-2.0
 * Where on the globe a map lies. */
#ifndef ZM_GEO_POSITION_H
#define ZM_GEO_POSITION_H

#include <stdint.h>

#include "zermelo/fire/geo.h"

/** Latitude, degrees, of a point of the grid; NAN where the map has no coordinate system or a
 *  local one.  @return ZM_OK, ZM_E_FORMAT (the system is not understood) */
zm_status zm_geo_latitude(const zm_georeference *where, double row, double col,
                          double *latitude, zm_error *err);

/** Well-known text of a coordinate system by its EPSG number, to be freed; NULL where there is
 *  none. */
char *zm_geo_wkt(int epsg);

#endif
