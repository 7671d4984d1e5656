/* SPDX-License-Identifier: Apache-2.0
 * What people want to know about where a grid is: names, north, longitude and latitude. */
#include <math.h>
#include <ogr_srs_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "core/pi.h"
#include "fire/data/geo/gdal_scope.h"
#include "fire/data/geo/position.h"
#include "zermelo/fire/geo.h"

/* A point of the grid, in cells from its corner, to longitude and latitude; false where it has
 * none. */
static bool globe_at(OGRCoordinateTransformationH turn, const double *t, double row, double col,
                     double *lon, double *lat)
{
    double x = t[0] + col * t[1] + row * t[2], y = t[3] + col * t[4] + row * t[5];
    const bool done = OCTTransform(turn, 1, &x, &y, NULL) && isfinite(x) && isfinite(y);

    *lon = done ? x : (double)NAN;
    *lat = done ? y : (double)NAN;
    return done;
}

/* Degrees of longitude on the equator's circle are longer than those of latitude by this much: the
 * radii of curvature of the ellipsoid WGS 84, N/M = (1 - e2 sin^2)/(1 - e2). */
static double east_over_north(double latitude)
{
    const double e2 = 0.00669437999014, s = sin(latitude * ZM_RADIANS);

    return (1 - e2 * s * s) / (1 - e2);
}

/* Where north is on the grid: the way up has a bearing, and north is as far on the other side. */
static double north_of(OGRCoordinateTransformationH turn, const double *t, int32_t rows,
                       int32_t cols)
{
    const double row = rows / 2.0, col = cols / 2.0, step = 4; /* cells */
    double lon[2], lat[2], middle, east;

    if (!globe_at(turn, t, row + step, col, &lon[0], &lat[0]) ||
        !globe_at(turn, t, row - step, col, &lon[1], &lat[1]))
        return (double)NAN;
    middle = (lat[0] + lat[1]) / 2;
    east = remainder(lon[1] - lon[0], 360) * cos(middle * ZM_RADIANS) * east_over_north(middle);
    return -atan2(east, lat[1] - lat[0]) / ZM_RADIANS;
}

/* Points along a side: evenly from the middle of the first cell to that of the last. */
static int32_t points_along(int32_t cells)
{
    return cells < ZM_CONTROL_POINTS ? cells : ZM_CONTROL_POINTS;
}

static double point_at(int32_t k, int32_t points, int32_t cells)
{
    return 0.5 + (points > 1 ? (double)k * (cells - 1) / (points - 1) : 0);
}

static void control_points(OGRCoordinateTransformationH turn, const double *t, int32_t rows,
                           int32_t cols, zm_georeference_facts *out)
{
    out->lonlat_rows = points_along(rows);
    out->lonlat_cols = points_along(cols);
    for (int32_t r = 0; r < out->lonlat_rows; r++)
        for (int32_t c = 0; c < out->lonlat_cols; c++) {
            const int32_t i = r * out->lonlat_cols + c;

            globe_at(turn, t, point_at(r, out->lonlat_rows, rows),
                     point_at(c, out->lonlat_cols, cols), &out->lon[i], &out->lat[i]);
        }
}

static void names_of(OGRSpatialReferenceH system, zm_georeference_facts *out)
{
    const char *name = OSRGetName(system), *authority, *code;

    (void)snprintf(out->crs, sizeof out->crs, "%s", name ? name : "");
    (void)OSRAutoIdentifyEPSG(system);
    authority = OSRGetAuthorityName(system, NULL);
    code = OSRGetAuthorityCode(system, NULL);
    if (authority && code && !strcmp(authority, "EPSG"))
        out->epsg = (int32_t)strtol(code, NULL, 10);
}

zm_status zm_georeference_describe(const zm_georeference *where, int32_t rows, int32_t cols,
                                   zm_georeference_facts *out, zm_error *err)
{
    OGRCoordinateTransformationH turn;
    OGRSpatialReferenceH system;
    zm_status st;

    if (!where || !out || rows < 1 || cols < 1)
        return zm_fail(err, ZM_E_ARG, -1, "georeference, facts or grid is missing");
    ZM_TRY(zm_options_check_report(out, "zm_georeference_facts", err));
    *out = (zm_georeference_facts)ZM_GEOREFERENCE_FACTS_INIT;
    zm_gdal_enter();
    st = zm_gdal_system(where, "map", &system, err);
    if (st >= 0 && system) {
        names_of(system, out);
        turn = OSRIsLocal(system) ? NULL : zm_geo_to_globe(system);
        if (turn) {
            out->north = north_of(turn, where->transform, rows, cols);
            control_points(turn, where->transform, rows, cols, out);
            OCTDestroyCoordinateTransformation(turn);
        }
    }
    if (system)
        OSRDestroySpatialReference(system);
    zm_gdal_leave();
    return st;
}

/* A millionth of a cell, at the corners farthest apart. */
static bool same_corners(const double *a, const double *b, int32_t rows, int32_t cols)
{
    const double cell = fmax(hypot(a[1], a[4]), hypot(a[2], a[5]));

    for (int k = 0; k < 4; k++) {
        const double row = k & 1 ? rows : 0, col = k & 2 ? cols : 0;
        const double x = a[0] - b[0] + col * (a[1] - b[1]) + row * (a[2] - b[2]);
        const double y = a[3] - b[3] + col * (a[4] - b[4]) + row * (a[5] - b[5]);

        if (!(hypot(x, y) <= 1e-6 * cell))
            return false;
    }
    return true;
}

int zm_georeference_same(const zm_georeference *a, const zm_georeference *b, int32_t rows,
                         int32_t cols)
{
    OGRSpatialReferenceH one = NULL, other = NULL;
    int same = 1;

    if (!same_corners(a->transform, b->transform, rows, cols))
        return 0;
    if (!*a->wkt || !*b->wkt || !strcmp(a->wkt, b->wkt))
        return 1;
    zm_gdal_enter();
    if (zm_gdal_system(a, "map", &one, NULL) < 0 || zm_gdal_system(b, "map", &other, NULL) < 0)
        same = 0;
    else if (one && other)
        same = OSRIsSame(one, other);
    if (one)
        OSRDestroySpatialReference(one);
    if (other)
        OSRDestroySpatialReference(other);
    zm_gdal_leave();
    return same;
}
