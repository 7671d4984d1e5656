/* SPDX-License-Identifier: Apache-2.0
 * What changes a landscape: barriers and treatments of a map. */
#ifndef ZM_FIRE_EDITS_H
#define ZM_FIRE_EDITS_H

#include <stddef.h>
#include <stdint.h>

#include "../export.h"
#include "../status.h"
#include "geo.h"
#include "landscape.h"
#include "moment.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Barriers of a vector file (GeoJSON, GeoPackage, Shapefile, KML; any coordinate system), as
 * zm_physics_params takes them: cells that points lie in and that lines and polygons touch, so that
 * a road or river that is narrower than a cell has no gap.  Each holds from its time on: a field time_h,
 * hours after the start, or a date as of zermelo/fire/ignition.h; from the beginning where it tells
 * none.  Of two in one cell the earlier counts.
 *
 * @param start in   of the fire, on whose clock dates count; NULL or month 0: dates are refused
 * @param from  out  rows*cols, h; INFINITY: no barrier
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT (no shapes, none on the landscape), ZM_E_ARG (times),
 *         ZM_E_NOMEM
 */
ZM_API zm_status zm_barriers_read(const char *path, const zm_time *start,
                                  const zm_landscape *landscape,
                                  const zm_georeference *where, double *from,
                                  zm_error *err);

/**
 * Treatments of a vector file: cells whose centres its polygons hold, that lines touch and points lie in
 * get the values that fields tell, fuel (number of a model), cover_pct, height_m, base_m and
 * density_kgm3; what a feature does not tell stays.  Later features go over earlier ones.
 *
 * @param layers in,out  copies of those of the landscape, rows*cols each, or NULL where it has none
 * @param cells  out     cells that were changed, or NULL
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT (no such fields, values out of range, fuels nobody knows, a layer
 *         that the landscape has not, no cell covered), ZM_E_ARG, ZM_E_NOMEM
 */
ZM_API zm_status zm_treatments_apply(const char *path, const zm_landscape *landscape,
                                     const zm_georeference *where,
                                     float *const layers[ZM_LAYERS], int64_t *cells,
                                     zm_error *err);

#ifdef __cplusplus
}
#endif

#endif
