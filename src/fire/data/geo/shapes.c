/* SPDX-License-Identifier: Apache-2.0
 * Points, lines and polygons of a vector file, with their times and numbers. */
#include "fire/data/geo/shapes.h"

#include <cpl_conv.h>
#include <gdal.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/shown_name.h"
#include "fire/data/geo/feature_date.h"
#include "fire/data/geo/gdal_scope.h"

/** Fields of a layer; -1: not there. */
typedef struct fields {
    int hours, date, n_numbers, numbers[ZM_MOST_SHAPE_NUMBERS];
} fields;

void zm_geo_shapes_free(zm_shapes *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->items[i].bytes);
    free(s->items);
    free(s->wkt);
    *s = (zm_shapes){ 0 };
}

static fields fields_of(OGRLayerH layer, const char *const *numbers)
{
    static const char *const hours[] = { "time_h", NULL };
    fields f = { .hours = -1, .date = -1 };

    if (!numbers)
        return f;
    f.hours = zm_geo_feature_field(layer, hours);
    f.date = zm_geo_date_field(layer);
    for (; numbers[f.n_numbers]; f.n_numbers++) {
        const char *const name[] = { numbers[f.n_numbers], NULL };

        f.numbers[f.n_numbers] = zm_geo_feature_field(layer, name);
    }
    return f;
}

static zm_status number_of(OGRFeatureH feature, int field, const char *path, double *out,
                           zm_error *err)
{
    const char *text;
    char *end;

    *out = (double)NAN;
    if (field < 0 || !OGR_F_IsFieldSetAndNotNull(feature, field))
        return ZM_OK;
    text = OGR_F_GetFieldAsString(feature, field);
    if (!text[strspn(text, " ")])
        return ZM_OK;
    *out = strtod(text, &end);
    if (end == text || end[strspn(end, " ")] || !isfinite(*out))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: '%s' in field %s, must be a number",
                       zm_shown_name(path), zm_word_shown(text).text,
                       OGR_Fld_GetNameRef(OGR_F_GetFieldDefnRef(feature, field)));
    return ZM_OK;
}

static zm_status take_fields(const zm_shapes *s, OGRFeatureH feature, const fields *f,
                             zm_feature *to, zm_error *err)
{
    ZM_TRY(number_of(feature, f->hours, s->path, &to->hours, err));
    for (int k = 0; k < f->n_numbers; k++)
        ZM_TRY(number_of(feature, f->numbers[k], s->path, &to->numbers[k], err));
    return zm_geo_feature_date(feature, f->date, s->path, &to->date, &to->dated, err);
}

static zm_status take_shape(zm_shapes *s, OGRGeometryH shape, OGRFeatureH feature,
                            const fields *f, zm_error *err)
{
    zm_feature *added;

    if (!zm_array_reserve(&s->items, &s->room, s->n + 1, sizeof *added))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(s->path));
    added = &s->items[s->n];
    *added = (zm_feature){ .n = (size_t)OGR_G_WkbSize(shape) };
    s->memory += added->n + sizeof *added;
    ZM_TRY(zm_file_within_limit(s->path, s->memory, err));
    if (!(added->bytes = malloc(added->n + 1)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(s->path));
    s->n++;
    if (OGR_G_ExportToWkb(shape, wkbNDR, added->bytes) != OGRERR_NONE)
        return zm_gdal_fail(err, ZM_E_FORMAT, s->path,
                            "has a shape that cannot be used");
    return take_fields(s, feature, f, added, err);
}

static zm_status take_system(zm_shapes *s, OGRLayerH layer, zm_error *err)
{
    OGRSpatialReferenceH system = OGR_L_GetSpatialRef(layer);
    char *text = NULL;

    if (!system)
        return ZM_OK;
    if (OSRExportToWkt(system, &text) == OGRERR_NONE && text &&
        (s->wkt = malloc(strlen(text) + 1)))
        memcpy(s->wkt, text, strlen(text) + 1);
    CPLFree(text);
    return s->wkt ? ZM_OK
                  : zm_gdal_fail(err, ZM_E_FORMAT, s->path,
                                 "has a coordinate system that is not understood");
}

static zm_status take_layer(zm_shapes *s, OGRLayerH layer, const char *const *numbers,
                            zm_error *err)
{
    const int before = zm_gdal_failures();
    const fields f = fields_of(layer, numbers);
    OGRFeatureH feature;
    zm_status st = take_system(s, layer, err);

    OGR_L_ResetReading(layer);
    while (st >= 0 && (feature = OGR_L_GetNextFeature(layer))) {
        OGRGeometryH shape = OGR_F_GetGeometryRef(feature);

        if (shape && !OGR_G_IsEmpty(shape))
            st = take_shape(s, shape, feature, &f, err);
        OGR_F_Destroy(feature);
    }
    if (st >= 0 && zm_gdal_failures() > before)
        st = zm_gdal_fail(err, ZM_E_FORMAT, s->path, "cannot be read to its end");
    return st;
}

zm_status zm_geo_shapes_read(const char *path, const char *const *numbers, zm_shapes *s,
                         zm_error *err)
{
    GDALDatasetH file;
    OGRLayerH layer;
    zm_status st;

    *s = (zm_shapes){ .path = path };
    zm_gdal_enter();
    st = zm_gdal_open(&file, path, ZM_GDAL_VECTOR, err);
    if (st >= 0) {
        layer = GDALDatasetGetLayer(file, 0);
        st = layer ? take_layer(s, layer, numbers, err)
                   : zm_fail(err, ZM_E_FORMAT, -1, "%s: has no layer",
                             zm_shown_name(s->path));
        GDALClose(file);
    }
    zm_gdal_leave();
    if (st >= 0 && s->n == 0)
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: has no points, lines or polygons",
                     zm_shown_name(s->path));
    return st;
}

