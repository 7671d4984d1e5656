/* SPDX-License-Identifier: Apache-2.0
 * Outlines as OGR geometries. */
#ifndef ZM_GEO_OUTLINE_GEOMETRY_H
#define ZM_GEO_OUTLINE_GEOMETRY_H

#include <ogr_api.h>

#include "zermelo/outline.h"

/** All shells with their holes in map coordinates, a multipolygon of the caller's;
 *  NULL when out of memory. */
OGRGeometryH zm_outline_geometry(const zm_outline *outline, const double *transform);

/** Points of that: of each ring the first one twice, because it closes it. */
size_t zm_outline_geometry_points(const zm_outline *outline);

#endif
