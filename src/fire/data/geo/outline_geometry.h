/* SPDX-License-Identifier: Apache-2.0
 * Outlines as OGR geometries. */
#ifndef ZM_GEO_OUTLINE_GEOMETRY_H
#define ZM_GEO_OUTLINE_GEOMETRY_H

#include <ogr_api.h>
#include <ogr_srs_api.h>

#include "zermelo/fire/geo.h"
#include "zermelo/outline.h"

/** All shells with their holes in map coordinates, a multipolygon of the caller's;
 *  NULL when out of memory. */
OGRGeometryH zm_outline_geometry(const zm_outline *outline, const double *transform);

/** What its rings enclose, ha; `unit`: metres in a unit of the map. */
double zm_outline_geometry_hectares(const zm_outline *outline,
                                    const zm_georeference *where, double unit);

/** Metres in a unit of the map; 1 for degrees, and where there is no system (NULL). */
double zm_geo_unit(OGRSpatialReferenceH system);

/** Points of that: of each ring the first one twice, because it closes it. */
size_t zm_outline_geometry_points(const zm_outline *outline);

#endif
