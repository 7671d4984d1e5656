/* SPDX-License-Identifier: Apache-2.0
 * Small scenes for tests, and the shared data set where it is there. */
#define _XOPEN_SOURCE 700
#include "support/scenes.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "zermelo/fire/dataset.h"

enum { ROWS = 20, COLS = 30, CELLS = ROWS * COLS };

void scene_put(const folder *f, const char *name, const char *text)
{
    char path[400];
    FILE *file;

    snprintf(path, sizeof path, "%s", folder_path(f, name));
    for (char *c = path + strlen(f->path) + 1; *c; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(path, 0777);
            *c = '/';
        }
    file = fopen(path, "wb");
    if (!file)
        exit(2);
    fputs(text, file);
    fclose(file);
}

void scene_put_raster(const folder *f, const char *name, const char *const *names,
                      const float *values, int bands)
{
    const zm_georeference where = { { 2000, 30, 0, 9000, 0, -30 }, "" };
    float layers[8][SCENE_RASTER_ROWS * SCENE_RASTER_COLS];
    const float *planes[8];
    const zm_raster_planes map = {
        SCENE_RASTER_ROWS, SCENE_RASTER_COLS, bands, planes, names, &where
    };

    for (int b = 0; b < bands; b++) {
        planes[b] = layers[b];
        for (int i = 0; i < SCENE_RASTER_ROWS * SCENE_RASTER_COLS; i++)
            layers[b][i] = values[b];
    }
    scene_put(f, name, "");
    if (zm_raster_write(folder_path(f, name), &map, NULL) != ZM_OK)
        exit(2);
}

const char scene_weather_stream[] =
    "RAWS_ELEVATION: 4000\nRAWS_UNITS: English\nRAWS: 3\n"
    "2020 8 17 1300 86 20 0.00 10 225 15\n"
    "2020 8 17 1400 88 18 0.00 12 230 10\n"
    "2020 8 17 1500 88 18 0.10 12 230 10\n";

void scene_make(const folder *f, const char *name)
{
    static const char *const names[5] = { "elevation_m", "slope_deg", "aspect_deg",
                                          "fuel_model", "canopy_cover_pct" };
    static const float values[5] = { 300, 5, 90, 102, 0 };
    const zm_georeference where = { { 1000, 30, 0, 5000, 0, -30 }, "" };
    float layers[5][CELLS];
    const float *planes[5];
    const zm_raster_planes map = { ROWS, COLS, 5, planes, names, &where };
    char path[200];

    for (int k = 0; k < 5; k++) {
        planes[k] = layers[k];
        for (int i = 0; i < CELLS; i++)
            layers[k][i] =
                k == 3 && (i % COLS == 10 || i % COLS == 11) ? 98 : values[k];
    }
    snprintf(path, sizeof path, "%s/fires.csv", name);
    scene_put(f, path, "fire,ignition_row,ignition_col\na,8,20\n");
    snprintf(path, sizeof path, "%s/weather/a.csv", name);
    scene_put(f, path, "wind_speed_kmh,wind_dir_deg\n12,270\n14,280\n");
    snprintf(path, sizeof path, "%s/landscape.tif", name);
    if (zm_raster_write(folder_path(f, path), &map, NULL) != ZM_OK)
        exit(2);
}

static int remove_one(const char *path, const struct stat *info, int kind,
                      struct FTW *where)
{
    (void)info, (void)kind, (void)where;
    return remove(path);
}

void scene_remove(const folder *f)
{
    nftw(f->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *farsite_data(void)
{
    static char path[1000];
    const char *given = getenv("ZM_FARSITE_DATA"), *root = getenv("ZM_SOURCE_DIR");
    struct stat info;

    if (given)
        snprintf(path, sizeof path, "%s", given);
    else
        snprintf(path, sizeof path, "%s/../shared/data/farsite", root ? root : ".");
    return stat(path, &info) ? NULL : path;
}
