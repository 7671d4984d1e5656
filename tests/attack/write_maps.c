/* SPDX-License-Identifier: Apache-2.0
 * Writes a raster, isochrones and perimeters into a folder, and exits with 1 and a message where
 * that fails: to be run under inject.c. */
#include <stdio.h>
#include <stdlib.h>

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
    if (zm_isochrones_write(path, T, ROWS, COLS, where, times, 2, err) < 0)
        return 1;
    snprintf(path, sizeof path, "%s/p.gpkg", folder);
    return zm_perimeters_write(path, &perimeters, ROWS, COLS, where, err) < 0;
}

int main(int argc, char **argv)
{
    static float T[ROWS * COLS];
    zm_georeference where = { { 500000, 30, 0, 4500000, 0, -30 }, NULL };
    zm_error err = { .text = "no coordinate system" };
    char *wkt = zm_geo_wkt(32629);
    int status;

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
