/* SPDX-License-Identifier: Apache-2.0
 * Where on the globe a map lies. */
#ifndef ZM_GEO_POSITION_H
#define ZM_GEO_POSITION_H

#include <stdint.h>

#include "zermelo/fire/geo.h"

/** Well-known text of a coordinate system by its EPSG number, to be freed; NULL where there is
 *  none. */
char *zm_geo_wkt(int epsg);

#endif
