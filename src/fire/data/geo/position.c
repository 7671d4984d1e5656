/* SPDX-License-Identifier: Apache-2.0
 * Where on the globe a map lies. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "fire/data/geo/position.h"

#include <cpl_conv.h>
#include <math.h>
#include <ogr_srs_api.h>
#include <string.h>

#include "fire/data/geo/gdal_scope.h"

static bool transformed(OGRSpatialReferenceH from, double *x, double *y)
{
    OGRSpatialReferenceH globe = OSRNewSpatialReference(NULL);
    OGRCoordinateTransformationH to_globe;
    bool done = false;

    OSRSetAxisMappingStrategy(from, OAMS_TRADITIONAL_GIS_ORDER);
    OSRSetAxisMappingStrategy(globe, OAMS_TRADITIONAL_GIS_ORDER);
    if (OSRImportFromEPSG(globe, 4326) == OGRERR_NONE &&
        (to_globe = OCTNewCoordinateTransformation(from, globe))) {
        done = OCTTransform(to_globe, 1, x, y, NULL) && isfinite(*x) && isfinite(*y);
        OCTDestroyCoordinateTransformation(to_globe);
    }
    OSRDestroySpatialReference(globe);
    return done;
}

bool zm_geo_position(const zm_georeference *where, double row, double col,
                     double *latitude, double *longitude)
{
    const double *t = where->transform;
    double x = t[0] + col * t[1] + row * t[2], y = t[3] + col * t[4] + row * t[5];
    OGRSpatialReferenceH system;
    bool done = false;

    if (!where->wkt || !where->wkt[0])
        return false;
    zm_gdal_enter();
    if ((system = OSRNewSpatialReference(where->wkt))) {
        done = transformed(system, &x, &y);
        OSRDestroySpatialReference(system);
    }
    zm_gdal_leave();
    *longitude = x;
    *latitude = y;
    return done;
}

char *zm_geo_wkt(int epsg)
{
    OGRSpatialReferenceH system;
    char *wkt = NULL, *copy = NULL;

    zm_gdal_enter();
    system = OSRNewSpatialReference(NULL);
    if (OSRImportFromEPSG(system, epsg) == OGRERR_NONE &&
        OSRExportToWkt(system, &wkt) == OGRERR_NONE)
        copy = strdup(wkt);
    CPLFree(wkt);
    OSRDestroySpatialReference(system);
    zm_gdal_leave();
    return copy;
}
