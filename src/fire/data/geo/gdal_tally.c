/* SPDX-License-Identifier: Apache-2.0
 * What was given to a vector file, compared with what it holds. */
#include "fire/data/geo/gdal_tally.h"

#include <gdal.h>
#include <ogr_srs_api.h>
#include <stdbool.h>
#include <string.h>

#include "core/digest.h"
#include "fire/data/geo/gdal_scope.h"

zm_gdal_tally zm_gdal_tally_none(void)
{
    return (zm_gdal_tally){ .fields = ZM_DIGEST_INIT };
}

void zm_gdal_tally_add(zm_gdal_tally *tally, OGRFeatureH feature, size_t points)
{
    for (int i = 0; i < OGR_F_GetFieldCount(feature); i++) {
        OGRFieldDefnH field = OGR_F_GetFieldDefnRef(feature, i);
        const char *name = OGR_Fld_GetNameRef(field);
        const char *text = OGR_F_GetFieldAsString(feature, i);
        const double number = OGR_F_GetFieldAsDouble(feature, i);

        tally->fields = zm_digest_add(tally->fields, name, strlen(name));
        if (OGR_Fld_GetType(field) == OFTString)
            tally->fields = zm_digest_add(tally->fields, text, strlen(text));
        else
            tally->fields = zm_digest_add(tally->fields, &number, sizeof number);
    }
    tally->features++;
    tally->points += points;
}

size_t zm_gdal_geometry_points(OGRGeometryH geometry)
{
    const int parts = geometry ? OGR_G_GetGeometryCount(geometry) : 0;
    size_t n = geometry && parts == 0 ? (size_t)OGR_G_GetPointCount(geometry) : 0;

    for (int i = 0; i < parts; i++)
        n += zm_gdal_geometry_points(OGR_G_GetGeometryRef(geometry, i));
    return n;
}

zm_status zm_gdal_tally_check(const zm_gdal_tally *tally, const char *name,
                              OGRSpatialReferenceH system, const char *path, zm_error *err)
{
    /* GeoJSON would take texts that look like dates for dates; other formats warn of the option */
    const char *const options[] = { "DATE_AS_STRING=YES", NULL };
    GDALDatasetH file = GDALOpenEx(name, GDAL_OF_VECTOR, NULL, options, NULL);
    OGRLayerH layer = file ? GDALDatasetGetLayer(file, 0) : NULL;
    OGRSpatialReferenceH stored = layer ? OGR_L_GetSpatialRef(layer) : NULL;
    const bool placed = !system || (stored && OSRIsSame(system, stored));
    zm_gdal_tally found = zm_gdal_tally_none();
    OGRFeatureH feature;

    while (layer && (feature = OGR_L_GetNextFeature(layer))) {
        zm_gdal_tally_add(&found, feature, zm_gdal_geometry_points(OGR_F_GetGeometryRef(feature)));
        OGR_F_Destroy(feature);
    }
    if (file)
        GDALClose(file);
    if (!placed)
        return zm_gdal_fail(err, ZM_E_IO, path, "its coordinate system is not stored");
    return found.features == tally->features && found.fields == tally->fields &&
                   found.points >= tally->points
               ? ZM_OK
               : zm_gdal_fail(err, ZM_E_IO, path, "could not be made whole");
}
