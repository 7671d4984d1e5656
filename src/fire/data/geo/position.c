/* SPDX-License-Identifier: Apache-2.0
 * Where on the globe a map lies. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "fire/data/geo/position.h"

#include <cpl_conv.h>
#include <math.h>
#include <ogr_srs_api.h>
#include <string.h>

#include "fire/data/geo/gdal_scope.h"

void *zm_geo_to_globe(void *system)
{
    OGRSpatialReferenceH globe = OSRNewSpatialReference(NULL);
    OGRCoordinateTransformationH turn = NULL;

    OSRSetAxisMappingStrategy(globe, OAMS_TRADITIONAL_GIS_ORDER);
    if (OSRImportFromEPSG(globe, 4326) == OGRERR_NONE)
        turn = OCTNewCoordinateTransformation(system, globe);
    OSRDestroySpatialReference(globe);
    return turn;
}

/* From the map's coordinates to longitude and latitude. */
static bool to_globe(OGRSpatialReferenceH from, double *x, double *y)
{
    OGRCoordinateTransformationH turn = zm_geo_to_globe(from);
    const bool done =
        turn && OCTTransform(turn, 1, x, y, NULL) && isfinite(*x) && isfinite(*y);

    OCTDestroyCoordinateTransformation(turn);
    return done;
}

zm_status zm_georeference_place(const zm_georeference *where, double row, double col,
                                double *latitude, double *longitude, zm_error *err)
{
    const double *t = where->transform;
    double x = t[0] + col * t[1] + row * t[2], y = t[3] + col * t[4] + row * t[5];
    OGRSpatialReferenceH system;
    zm_status st;

    *latitude = *longitude = NAN;
    zm_gdal_enter();
    st = zm_gdal_system(where, "map", &system, err);
    if (st >= 0 && system && !OSRIsLocal(system)) {
        if (to_globe(system, &x, &y)) {
            *latitude = y;
            *longitude = x;
        } else {
            st = zm_gdal_fail(err, ZM_E_FORMAT, "map",
                              "where it lies on the globe cannot be told; latitude_deg in "
                              "scene.json can");
        }
    }
    if (system)
        OSRDestroySpatialReference(system);
    zm_gdal_leave();
    return st;
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
