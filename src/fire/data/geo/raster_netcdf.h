/* SPDX-License-Identifier: Apache-2.0
 * What the header of a classic netCDF file announces. */
#ifndef ZM_GEO_RASTER_NETCDF_H
#define ZM_GEO_RASTER_NETCDF_H

#include "zermelo/status.h"

/** ZM_E_FORMAT where a file begins as a classic netCDF file (CDF-1, 2 or 5) whose header announces
 *  more dimensions, attributes or variables than the file has bytes for: the netCDF library takes
 *  memory for all of them before it looks.  ZM_OK for all other files, also those that are none. */
zm_status zm_raster_netcdf_check(const char *path, zm_error *err);

#endif
