/* SPDX-License-Identifier: Apache-2.0
 * Burned areas as polygons in memory. */
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/fail.h"
#include "fire/data/geo/gdal_scope.h"
#include "fire/data/geo/gdal_tally.h"
#include "fire/data/geo/outline_geometry.h"

void zm_isochrone_free(zm_isochrone *isochrone)
{
    if (!isochrone)
        return;
    free(isochrone->shape);
    *isochrone = (zm_isochrone){ 0 };
}

/* GDAL leaves out points that it had no memory for, without a word. */
static zm_status take_shape(const zm_outline *o, const double *transform,
                            zm_isochrone *out, zm_error *err)
{
    OGRGeometryH shape = zm_outline_geometry(o, transform);
    const size_t n = zm_outline_geometry_points(o);

    if (shape && zm_gdal_geometry_points(shape) >= n) {
        out->bytes = (size_t)OGR_G_WkbSize(shape);
        out->shape = malloc(out->bytes);
    }
    if (out->shape && OGR_G_ExportToWkb(shape, wkbNDR, out->shape) != OGRERR_NONE)
        zm_isochrone_free(out);
    OGR_G_DestroyGeometry(shape);
    return out->shape ? ZM_OK
                      : zm_fail(err, ZM_E_NOMEM, -1, "polygons of %zu points", n);
}

static zm_status find_all(const float *T, zm_grid grid, const zm_georeference *where,
                          double unit, const double *times, size_t n, zm_isochrone *out,
                          zm_error *err)
{
    zm_outline *outline;
    zm_status st;

    ZM_TRY(zm_outline_create(&outline, NULL, err));
    for (size_t i = 0; i < n; i++) {
        ZM_GO(zm_outline_find(outline, grid, ZM_F32, T, times[i], err));
        ZM_GO(take_shape(outline, where->transform, &out[i], err));
        out[i].time = times[i];
        out[i].area = zm_outline_geometry_hectares(outline, where, unit);
    }
done:
    zm_outline_destroy(outline);
    return st;
}

zm_status zm_isochrones_find(const float *T, int32_t rows, int32_t cols,
                             const zm_georeference *where, const double *times,
                             size_t n, zm_isochrone *out, zm_error *err)
{
    OGRSpatialReferenceH system = NULL;
    zm_status st;

    if (!out || !T || !where || !times || rows < 1 || cols < 1 || n < 1)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_isochrones_find needs a grid, times and results");
    for (size_t i = 0; i < n; i++)
        out[i] = (zm_isochrone){ 0 };
    zm_gdal_enter();
    st = zm_gdal_system(where, "map", &system, err);
    if (st >= 0)
        st = find_all(T, (zm_grid){ rows, cols, 1, 1 }, where, zm_geo_unit(system),
                      times, n, out, err);
    if (system)
        OSRDestroySpatialReference(system);
    zm_gdal_leave();
    for (size_t i = 0; st < 0 && i < n; i++)
        zm_isochrone_free(&out[i]);
    return st;
}
