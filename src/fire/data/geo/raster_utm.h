/* SPDX-License-Identifier: Apache-2.0
 * Rasters in degrees, brought into the UTM zone in which their middle lies. */
#ifndef ZM_GEO_RASTER_UTM_H
#define ZM_GEO_RASTER_UTM_H

#include "zermelo/fire/geo.h"

/** Square cells of about the same size in metres, each with the value of the nearest; *zone is
 *  negative in the south.  @return ZM_OK, ZM_E_FORMAT, ZM_E_NOMEM */
zm_status zm_raster_to_utm(zm_raster *raster, const char *path, int *zone, zm_error *err);

#endif
