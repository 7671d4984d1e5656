/* SPDX-License-Identifier: Apache-2.0
 * Where on the globe a map lies. */
#ifndef ZM_GEO_POSITION_H
#define ZM_GEO_POSITION_H

#include <stdint.h>

#include "zermelo/fire/geo.h"

/** From a coordinate system, an OGRSpatialReferenceH, to longitude and latitude in degrees: an
 *  OGRCoordinateTransformationH to be destroyed; NULL where that cannot be. */
void *zm_geo_to_globe(void *system);

/** Well-known text of a coordinate system by its EPSG number, to be freed; NULL where there is
 *  none. */
char *zm_geo_wkt(int epsg);

#endif
