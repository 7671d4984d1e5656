/* SPDX-License-Identifier: Apache-2.0
 * Burned areas from vector files, as masks on a grid. */
#include <gdal.h>
#include <gdal_alg.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/shown_name.h"
#include "fire/data/geo/feature_date.h"
#include "fire/data/geo/gdal_scope.h"
#include "zermelo/fire/geo.h"

typedef struct reader {
    const char *path;
    OGRLayerH layer;
    OGRCoordinateTransformationH to_grid; /* NULL: same system */
    GDALDatasetH canvas;                  /* rows x cols bytes */
    int sequence_field, date_field;       /* -1: none */
    bool dated, in_utc;                   /* dates have come, with time zones */
    zm_perimeters found;
    size_t room; /* for perimeters */
} reader;

void zm_perimeters_free(zm_perimeters *perimeters)
{
    if (!perimeters)
        return;
    for (size_t i = 0; i < perimeters->n; i++)
        free(perimeters->items[i].mask);
    free(perimeters->items);
    *perimeters = (zm_perimeters){ 0 };
}

static OGRLayerH find_layer(GDALDatasetH file)
{
    OGRLayerH layer = GDALDatasetGetLayerByName(file, "perimeters");

    return layer ? layer : GDALDatasetGetLayer(file, 0);
}

static zm_status prepare_transform(reader *r, const zm_georeference *where,
                                   zm_error *err)
{
    OGRSpatialReferenceH from = OGR_L_GetSpatialRef(r->layer), to;
    zm_status st = ZM_OK;

    if (!from)
        return ZM_OK;
    ZM_TRY(zm_gdal_system(where, r->path, &to, err));
    if (!to)
        return ZM_OK;
    if (!OSRIsSame(from, to)) {
        r->to_grid = OCTNewCoordinateTransformation(from, to);
        if (!r->to_grid)
            st = zm_gdal_fail(err, ZM_E_FORMAT, r->path,
                              "cannot be brought into the system of the grid");
    }
    OSRDestroySpatialReference(to);
    return st;
}

static zm_status prepare(reader *r, GDALDatasetH file, int32_t rows, int32_t cols,
                         const zm_georeference *where, zm_error *err)
{
    static const char *const sequences[] = { "seq", "sequence", NULL };
    double transform[6];

    if (!(r->layer = find_layer(file)))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: has no layer",
                       zm_shown_name(r->path));
    r->sequence_field = zm_geo_feature_field(r->layer, sequences);
    r->date_field = zm_geo_date_field(r->layer);
    r->canvas =
        GDALCreate(GDALGetDriverByName("MEM"), "", cols, rows, 1, GDT_Byte, NULL);
    if (!r->canvas)
        return zm_gdal_fail(err, ZM_E_NOMEM, r->path, "no memory for the grid");
    memcpy(transform, where->transform, sizeof transform);
    GDALSetGeoTransform(r->canvas, transform);
    return prepare_transform(r, where, err);
}

/* The date of a feature as ISO text, in UTC where it has a zone; "" where there is none. */
static zm_status read_date(reader *r, OGRFeatureH feature, char *iso, size_t room,
                           zm_error *err)
{
    zm_date date;
    bool known;

    iso[0] = '\0';
    ZM_TRY(zm_geo_feature_date(feature, r->date_field, r->path, &date, &known, err));
    if (!known)
        return ZM_OK;
    if (r->dated && r->in_utc != date.has_zone)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: some dates have a time zone and some have none: give all of them "
                       "one, or none",
                       zm_shown_name(r->path));
    r->dated = true;
    r->in_utc = date.has_zone;
    date = zm_date_in_utc(&date);
    (void)snprintf(iso, room, "%s", zm_date_print(&date).text);
    return ZM_OK;
}

static zm_status add_perimeter(reader *r, const zm_perimeter *key, zm_perimeter **out,
                               zm_error *err)
{
    const size_t cells =
        (size_t)GDALGetRasterXSize(r->canvas) * (size_t)GDALGetRasterYSize(r->canvas);
    zm_perimeter *added;

    for (size_t i = 0; i < r->found.n; i++) {
        zm_perimeter *p = &r->found.items[i];

        if (r->sequence_field >= 0 ? p->sequence == key->sequence
                                   : !strcmp(p->observed, key->observed)) {
            *out = p;
            return ZM_OK;
        }
    }
    ZM_TRY(zm_file_within_limit(r->path, (r->found.n + 1) * cells, err));
    if (!zm_array_reserve(&r->found.items, &r->room, r->found.n + 1, sizeof *added))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(r->path));
    added = &r->found.items[r->found.n];
    *added = *key;
    if (!(added->mask = calloc(cells, 1)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(r->path));
    r->found.n++;
    *out = added;
    return ZM_OK;
}

/* Adds the polygon's cells to the mask. */
static zm_status burn(reader *r, OGRGeometryH polygon, zm_perimeter *p, zm_error *err)
{
    const int cols = GDALGetRasterXSize(r->canvas),
              rows = GDALGetRasterYSize(r->canvas);
    GDALRasterBandH band = GDALGetRasterBand(r->canvas, 1);
    int band_number = 1;
    double one = 1;
    zm_status st = ZM_OK;

    if (GDALRasterIO(band, GF_Write, 0, 0, cols, rows, p->mask, cols, rows, GDT_Byte, 0,
                     0) != CE_None ||
        GDALRasterizeGeometries(r->canvas, 1, &band_number, 1, &polygon, NULL, NULL,
                                &one, NULL, NULL, NULL) != CE_None ||
        GDALRasterIO(band, GF_Read, 0, 0, cols, rows, p->mask, cols, rows, GDT_Byte, 0,
                     0) != CE_None)
        st = zm_gdal_fail(err, ZM_E_FORMAT, r->path, "polygon cannot be drawn");
    p->area += OGR_G_Area(polygon);
    return st;
}

static zm_status take_feature(reader *r, OGRFeatureH feature, zm_error *err)
{
    OGRGeometryH given = OGR_F_GetGeometryRef(feature), polygon;
    zm_perimeter key = { 0 }, *p = NULL;
    zm_status st;

    if (!given || OGR_G_IsEmpty(given) || OGR_G_GetDimension(given) != 2)
        return ZM_OK; /* a point or a line burned nothing */
    if (r->sequence_field >= 0)
        key.sequence = OGR_F_GetFieldAsInteger(feature, r->sequence_field);
    st = read_date(r, feature, key.observed, sizeof key.observed, err);
    if (st >= 0)
        st = add_perimeter(r, &key, &p, err);
    if (st < 0)
        return st;
    if (!(polygon = OGR_G_GetLinearGeometry(given, 0, NULL)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(r->path));
    if (r->to_grid && OGR_G_Transform(polygon, r->to_grid) != OGRERR_NONE)
        st = zm_gdal_fail(err, ZM_E_FORMAT, r->path,
                          "cannot be brought into the system of the grid");
    if (st >= 0)
        st = burn(r, polygon, p, err);
    OGR_G_DestroyGeometry(polygon);
    return st;
}

static int in_order(const void *a, const void *b)
{
    const zm_perimeter *x = a, *y = b;

    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return strcmp(x->observed, y->observed);
}

static zm_status finish(reader *r, int32_t rows, int32_t cols, zm_error *err)
{
    const size_t cells = (size_t)rows * (size_t)cols;
    int64_t inside = 0;

    if (r->found.n == 0)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: has no polygons",
                       zm_shown_name(r->path));
    qsort(r->found.items, r->found.n, sizeof *r->found.items, in_order);
    for (size_t i = 0; i < r->found.n; i++) {
        zm_perimeter *p = &r->found.items[i];

        for (size_t k = 0; k < cells; k++)
            p->cells += p->mask[k];
        inside += p->cells;
        if (r->sequence_field < 0)
            p->sequence = (int32_t)i + 1;
        if (i > 0 && strcmp(p->observed, p[-1].observed) < 0)
            return zm_fail(
                err, ZM_E_FORMAT, -1, "%s: perimeter %d of %s comes after that of %s",
                zm_shown_name(r->path), p->sequence, p->observed, p[-1].observed);
    }
    if (inside == 0)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: all polygons lie outside the landscape",
                       zm_shown_name(r->path));
    return ZM_OK;
}

static zm_status read_features(reader *r, zm_error *err)
{
    zm_status st = ZM_OK;
    OGRFeatureH feature;

    OGR_L_ResetReading(r->layer);
    while (st >= 0) {
        const int before = zm_gdal_failures();

        feature = OGR_L_GetNextFeature(r->layer);
        /* the end of the file and a part that cannot be read look alike but for this */
        if (zm_gdal_failures() > before)
            st = zm_gdal_fail(err, ZM_E_FORMAT, r->path, "cannot be read to its end");
        else if (feature)
            st = take_feature(r, feature, err);
        OGR_F_Destroy(feature);
        if (!feature)
            break;
    }
    return st;
}

zm_status zm_perimeters_read(const char *path, int32_t rows, int32_t cols,
                             const zm_georeference *where, zm_perimeters *out,
                             zm_error *err)
{
    reader r = { .path = path };
    GDALDatasetH file;
    zm_status st;

    if (!path || !where || !out || rows < 1 || cols < 1)
        return zm_fail(err, ZM_E_ARG, -1, "zm_perimeters_read needs a path and a grid");
    *out = (zm_perimeters){ 0 };
    zm_gdal_enter();
    st = zm_gdal_open(&file, path, ZM_GDAL_VECTOR, err);
    if (st >= 0) {
        st = prepare(&r, file, rows, cols, where, err);
        if (st >= 0)
            st = read_features(&r, err);
        if (st >= 0)
            st = finish(&r, rows, cols, err);
        OCTDestroyCoordinateTransformation(r.to_grid);
        if (r.canvas)
            GDALClose(r.canvas);
        GDALClose(file);
    }
    zm_gdal_leave();
    if (st < 0)
        zm_perimeters_free(&r.found);
    *out = r.found;
    return st;
}
