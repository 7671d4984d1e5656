/* SPDX-License-Identifier: Apache-2.0
 * Burned areas to a GeoPackage. */
#include <cpl_vsi.h>
#include <gdal.h>
#include <math.h>
#include <ogr_srs_api.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "fire/data/geo/gdal_scope.h"
#include "fire/data/geo/gdal_tally.h"
#include "fire/data/geo/outline_geometry.h"
#include "zermelo/fire/geo.h"

/* 0 where the mask is set, else INFINITY: an outline's times. */
static float *times_of(const uint8_t *mask, size_t n)
{
    float *T = malloc(n * sizeof *T);

    for (size_t i = 0; T && i < n; i++)
        T[i] = mask[i] ? 0 : INFINITY;
    return T;
}

static zm_status add_feature(OGRLayerH layer, const zm_perimeter *p,
                             const zm_outline *outline, const zm_georeference *where,
                             zm_gdal_tally *tally, const char *path, zm_error *err)
{
    OGRGeometryH area = zm_outline_geometry(outline, where->transform);
    OGRFeatureH feature;
    OGRErr failed;

    if (!area)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(path));
    feature = OGR_F_Create(OGR_L_GetLayerDefn(layer));
    OGR_F_SetFieldInteger(feature, 0, p->sequence);
    OGR_F_SetFieldString(feature, 1, p->observed);
    OGR_F_SetFieldDouble(feature, 2, p->area / 1e4);
    OGR_F_SetGeometryDirectly(feature, area);
    zm_gdal_tally_add(tally, feature, zm_outline_geometry_points(outline));
    failed = strcmp(OGR_F_GetFieldAsString(feature, 1), p->observed) != 0
                 ? OGRERR_NOT_ENOUGH_MEMORY
                 : OGR_L_CreateFeature(layer, feature);
    OGR_F_Destroy(feature);
    return failed == OGRERR_NONE ? ZM_OK
                                 : zm_gdal_fail(err, ZM_E_IO, path, "cannot be made");
}

static zm_status add_fields(OGRLayerH layer, const char *path, zm_error *err)
{
    ZM_TRY(zm_gdal_add_field(layer, "seq", OFTInteger, path, err));
    ZM_TRY(zm_gdal_add_field(layer, "observed", OFTString, path, err));
    return zm_gdal_add_field(layer, "area_ha", OFTReal, path, err);
}

static zm_status fill(OGRLayerH layer, const zm_perimeters *perimeters, int32_t rows,
                      int32_t cols, const zm_georeference *where, zm_gdal_tally *tally,
                      const char *path, zm_error *err)
{
    zm_outline *outline = NULL;
    zm_status st = add_fields(layer, path, err);

    if (st >= 0)
        st = zm_outline_create(&outline, NULL, err);
    for (size_t i = 0; st >= 0 && i < perimeters->n; i++) {
        float *T = times_of(perimeters->items[i].mask, (size_t)rows * (size_t)cols);

        st = T ? zm_outline_find(outline, (zm_grid){ rows, cols, 1, 1 }, ZM_F32, T, 1,
                                 err)
               : zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(path));
        if (st >= 0)
            st = add_feature(layer, &perimeters->items[i], outline, where, tally, path,
                             err);
        free(T);
    }
    zm_outline_destroy(outline);
    return st;
}

zm_status zm_perimeters_write(const char *path, const zm_perimeters *perimeters,
                              int32_t rows, int32_t cols, const zm_georeference *where,
                              zm_error *err)
{
    const zm_memory_name name = zm_gdal_memory_name_make(&perimeters, "gpkg");
    zm_gdal_tally tally = zm_gdal_tally_none();
    OGRSpatialReferenceH system = NULL;
    GDALDatasetH file;
    OGRLayerH layer;
    zm_status st;

    if (!path || !perimeters || !where || rows < 1 || cols < 1)
        return zm_fail(err, ZM_E_ARG, -1, "zm_perimeters_write needs a path and masks");
    zm_gdal_enter();
    file =
        GDALCreate(GDALGetDriverByName("GPKG"), name.text, 0, 0, 0, GDT_Unknown, NULL);
    if (!file)
        ZM_GO(zm_gdal_fail(err, ZM_E_IO, path, "cannot be made"));
    ZM_GO(zm_gdal_system(where, path, &system, err));
    layer = GDALDatasetCreateLayer(file, "perimeters", system, wkbMultiPolygon, NULL);
    if (!layer)
        ZM_GO(zm_gdal_fail(err, ZM_E_IO, path, "cannot be made"));
    ZM_GO(fill(layer, perimeters, rows, cols, where, &tally, path, err));
done:
    if (file)
        GDALClose(file);
    if (st >= 0)
        st = zm_gdal_tally_check(&tally, name.text, system, path, err);
    if (system)
        OSRDestroySpatialReference(system);
    st = zm_gdal_memory_file_end(&name, st, path, err);
    zm_gdal_leave();
    return st;
}
