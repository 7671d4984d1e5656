/* SPDX-License-Identifier: Apache-2.0
 * Rasters in degrees, brought into the UTM zone in which their middle lies. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "fire/data/geo/raster_utm.h"

#include <cpl_conv.h>
#include <gdal.h>
#include <gdal_alg.h>
#include <gdalwarper.h>
#include <math.h>
#include <ogr_srs_api.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/shown_name.h"
#include "fire/data/geo/gdal_scope.h"

/* A dataset over planes that somebody owns. */
static GDALDatasetH over_planes(float *data, int rows, int cols, int bands,
                                const double transform[6], const char *wkt)
{
    GDALDatasetH file =
        GDALCreate(GDALGetDriverByName("MEM"), "", cols, rows, 0, GDT_Float32, NULL);
    double copy[6];

    memcpy(copy, transform, sizeof copy);
    for (int b = 0; file && b < bands; b++) {
        char text[64] = "", *options[] = { text, NULL };
        float *plane = data + (size_t)b * (size_t)rows * (size_t)cols;

        memcpy(text, "DATAPOINTER=", 12);
        text[12 + CPLPrintPointer(text + 12, plane, 40)] = '\0';
        if (GDALAddBand(file, GDT_Float32, options) != CE_None) {
            GDALClose(file);
            return NULL;
        }
        GDALSetRasterNoDataValue(GDALGetRasterBand(file, b + 1), (double)NAN);
    }
    if (file) {
        GDALSetGeoTransform(file, copy);
        GDALSetProjection(file, wkt);
    }
    return file;
}

/* Longitude and latitude of the middle, and the system of its zone as text to be freed with
 * CPLFree; NULL: none. */
static char *zone_system(const zm_raster *r, int *zone)
{
    OGRSpatialReferenceH system = OSRNewSpatialReference(NULL);
    double latitude, longitude;
    char *wkt = NULL;

    *zone = 0;
    if (zm_georeference_place(&r->where, r->rows / 2.0, r->cols / 2.0, &latitude, &longitude,
                              NULL) >= 0 &&
        isfinite(longitude) && fabs(latitude) < 84) {
        const int n = (int)fmin(floor((longitude + 180) / 6), 59) + 1;

        *zone = latitude < 0 ? -n : n;
        if (OSRImportFromEPSG(system, (latitude < 0 ? 32700 : 32600) + n) != OGRERR_NONE ||
            OSRExportToWkt(system, &wkt) != OGRERR_NONE)
            *zone = 0;
    }
    OSRDestroySpatialReference(system);
    return wkt;
}

/* The nearest cell counts: fuels and aspects cannot be averaged. */
static zm_status warp(GDALDatasetH from, zm_raster *r, const char *wkt, const char *path,
                      zm_error *err)
{
    double place[6];
    int rows, cols;
    size_t cells, values;
    void *turn = GDALCreateGenImgProjTransformer(from, NULL, NULL, wkt, FALSE, 0, 1);
    GDALDatasetH to = NULL;
    float *data = NULL;
    zm_status st = ZM_OK;

    if (!turn || GDALSuggestedWarpOutput(from, GDALGenImgProjTransform, turn, place, &cols,
                                         &rows) != CE_None)
        st = zm_gdal_fail(err, ZM_E_FORMAT, path, "cannot be brought into metres");
    if (turn)
        GDALDestroyGenImgProjTransformer(turn);
    if (st >= 0 && (!zm_mul_size((size_t)rows, (size_t)cols, &cells) ||
                    !zm_mul_size(cells, (size_t)r->bands, &values) ||
                    !(data = malloc(values * sizeof *data))))
        st = zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory in metres", zm_shown_name(path));
    for (size_t i = 0; st >= 0 && i < values; i++)
        data[i] = NAN;
    if (st >= 0 && (!(to = over_planes(data, rows, cols, r->bands, place, wkt)) ||
                    GDALReprojectImage(from, NULL, to, NULL, GRA_NearestNeighbour, 0, 0, NULL,
                                       NULL, NULL) != CE_None))
        st = zm_gdal_fail(err, ZM_E_FORMAT, path, "cannot be brought into metres");
    if (to)
        GDALClose(to);
    if (st < 0) {
        free(data);
        return st;
    }
    free(r->data);
    r->data = data;
    r->rows = rows;
    r->cols = cols;
    memcpy(r->where.transform, place, sizeof place);
    return ZM_OK;
}

zm_status zm_raster_to_utm(zm_raster *r, const char *path, int *zone, zm_error *err)
{
    GDALDatasetH from = NULL;
    char *wkt = NULL, *own = NULL;
    zm_status st;

    zm_gdal_enter();
    wkt = zone_system(r, zone);
    if (wkt)
        from = over_planes(r->data, r->rows, r->cols, r->bands, r->where.transform,
                           r->where.wkt);
    if (!from)
        st = zm_gdal_fail(err, ZM_E_FORMAT, path,
                          "is in degrees and its UTM zone cannot be told");
    else
        st = warp(from, r, wkt, path, err);
    if (from)
        GDALClose(from);
    if (st >= 0 && !(own = strdup(wkt)))
        st = zm_fail(err, ZM_E_NOMEM, -1, "no memory");
    CPLFree(wkt);
    zm_gdal_leave();
    if (own) {
        free((char *)(uintptr_t)r->where.wkt);
        r->where.wkt = own;
        r->unit = 1;
    }
    return st;
}
