/* SPDX-License-Identifier: Apache-2.0
 * Where on the globe a map lies. */
#ifndef ZM_GEO_POSITION_H
#define ZM_GEO_POSITION_H

#include <stdbool.h>
#include <stdint.h>

#include "zermelo/fire/geo.h"

/** Latitude and longitude, degrees, of a point of the grid; false where the coordinate
 *  system is unknown or does not tell. */
bool zm_geo_position(const zm_georeference *where, double row, double col,
                     double *latitude, double *longitude);

/** Well-known text of a coordinate system by its EPSG number, to be freed; NULL where there is
 *  none. */
char *zm_geo_wkt(int epsg);

#endif
