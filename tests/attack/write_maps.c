/* SPDX-License-Identifier: Apache-2.0
 * Writes a raster, isochrones and perimeters into a folder, and exits with 1 and a message where
 * that fails: to be run under inject.c.  With `same A B` it tells whether two such files say the
 * same: a GeoTIFF names its ellipsoid twice, for instance, and one of both may be missing. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <gdal.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fire/data/geo/position.h"
#include "zermelo/fire/geo.h"

enum { ROWS = 40, COLS = 50 };

static int write_maps(const char *folder, const float *T, const zm_georeference *where,
                      zm_error *err)
{
    static uint8_t mask[ROWS * COLS];
    const char *const names[1] = { "arrival_h" };
    const double times[2] = { 5, 15 };
    zm_perimeter one = { .sequence = 1, .mask = mask, .area = 9e4 };
    const zm_perimeters perimeters = { .items = &one, .n = 1 };
    const zm_raster_planes raster = { ROWS, COLS, 1, &T, names, where };
    char path[512];

    for (size_t i = 0; i < ROWS * COLS; i++)
        mask[i] = T[i] < 12;
    snprintf(path, sizeof path, "%s/T.tif", folder);
    if (zm_raster_write(path, &raster, err) < 0)
        return 1;
    snprintf(path, sizeof path, "%s/i.geojson", folder);
    if (zm_isochrones_write(path, T, ROWS, COLS, where, times, 2, NULL, err) < 0)
        return 1;
    snprintf(path, sizeof path, "%s/p.gpkg", folder);
    return zm_perimeters_write(path, &perimeters, ROWS, COLS, where, err) < 0;
}

static bool same_rasters(const char *a, const char *b)
{
    zm_raster one, two;
    bool same = zm_raster_read(a, &one, NULL) >= 0;

    same &= zm_raster_read(b, &two, NULL) >= 0;
    same = same && one.rows == two.rows && one.cols == two.cols && one.bands == two.bands &&
           !memcmp(&one.where.transform, &two.where.transform, sizeof one.where.transform) &&
           !strcmp(one.where.wkt, two.where.wkt) && !strcmp(one.names[0], two.names[0]);
    for (int i = 0; same && i < ROWS * COLS; i++)
        same = one.data[i] == two.data[i];
    zm_raster_free(&one);
    zm_raster_free(&two);
    return same;
}

/* All that the first layer of a file tells, as text. */
static void tell(const char *path, FILE *to)
{
    GDALDatasetH file = GDALOpenEx(path, GDAL_OF_VECTOR, NULL, NULL, NULL);
    OGRLayerH layer = file ? GDALDatasetGetLayer(file, 0) : NULL;
    OGRSpatialReferenceH system = layer ? OGR_L_GetSpatialRef(layer) : NULL;
    OGRFeatureH feature;
    char *text = NULL;

    if (system && OSRExportToWkt(system, &text) == OGRERR_NONE)
        fprintf(to, "%s\n", text);
    VSIFree(text);
    while (layer && (feature = OGR_L_GetNextFeature(layer))) {
        OGR_F_DumpReadable(feature, to);
        OGR_F_Destroy(feature);
    }
    if (file)
        GDALClose(file);
}

static bool same_layers(const char *a, const char *b)
{
    char *texts[2] = { NULL, NULL };
    size_t n[2];
    bool same;

    GDALAllRegister();
    for (int i = 0; i < 2; i++) {
        FILE *to = open_memstream(&texts[i], &n[i]);

        tell(i ? b : a, to);
        fclose(to);
    }
    same = n[0] > 0 && n[0] == n[1] && !memcmp(texts[0], texts[1], n[0]);
    free(texts[0]);
    free(texts[1]);
    return same;
}

int main(int argc, char **argv)
{
    static float T[ROWS * COLS];
    zm_georeference where = { { 500000, 30, 0, 4500000, 0, -30 }, NULL };
    zm_error err = { .text = "no coordinate system" };
    char *wkt = zm_geo_wkt(32629);
    int status;

    if (argc == 4 && !strcmp(argv[1], "same"))
        return strstr(argv[2], ".tif") ? !same_rasters(argv[2], argv[3])
                                       : !same_layers(argv[2], argv[3]);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            T[r * COLS + c] = (float)((r - 20) * (r - 20) + (c - 25) * (c - 25)) / 20;
    where.wkt = wkt;
    status = argc != 2 || !wkt || write_maps(argv[1], T, &where, &err);
    if (status)
        fprintf(stderr, "zermelo: %s\n", err.text);
    free(wkt);
    return status;
}
