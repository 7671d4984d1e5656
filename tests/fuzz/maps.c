/* SPDX-License-Identifier: Apache-2.0
 * Rasters that seeds name instead of holding them. */
#include "maps.h"

#include <gdal.h>
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "zermelo/fire/geo.h"
#include "zermelo/fire/landscape.h"

enum { CELLS = MAPS_ROWS * MAPS_COLS };

/* In metres on no known place, so that perimeters need no transformation either. */
static const zm_georeference place = { { 500000, 30, 0, 4500000, 0, -30 }, "" };

static void write_landscape(void)
{
    static const char *const names[8] = {
        "elevation_m",          "slope_deg",
        "aspect_deg",           "fuel_model",
        "canopy_cover_pct",     "canopy_height_m",
        "canopy_base_height_m", "canopy_bulk_density_kgm3"
    };
    static const float values[8] = { 400, 10, 90, 102, 30, 10, 2, 0.1F };
    static float planes[8][CELLS];
    const float *of[8];
    const zm_raster_planes raster = { MAPS_ROWS, MAPS_COLS, 8, of, names, &place };

    for (int b = 0; b < 8; b++) {
        for (int i = 0; i < CELLS; i++)
            planes[b][i] = values[b];
        of[b] = planes[b];
    }
    require(zm_raster_write(fuzz_path("landscape.tif"), &raster, NULL) >= 0);
}

static void write_arrival(void)
{
    static const char *const name = "arrival_h";
    static float T[CELLS];
    const float *of = T;
    const zm_raster_planes raster = { MAPS_ROWS, MAPS_COLS, 1, &of, &name, &place };

    for (int i = 0; i < CELLS; i++)
        T[i] = hypotf((float)(i / MAPS_COLS) - 6, (float)(i % MAPS_COLS) - 7);
    require(zm_raster_write(fuzz_path("arrival.tif"), &raster, NULL) >= 0);
}

/* White where nearer to the middle than `radius`. */
static void write_mask(const char *name, double radius)
{
    uint8_t pixels[CELLS];
    GDALDatasetH memory = GDALCreate(GDALGetDriverByName("MEM"), "", MAPS_COLS,
                                     MAPS_ROWS, 1, GDT_Byte, NULL),
                 file;

    for (int i = 0; i < CELLS; i++)
        pixels[i] = hypot(i / MAPS_COLS - 6, i % MAPS_COLS - 7) < radius ? 255 : 0;
    require(GDALRasterIO(GDALGetRasterBand(memory, 1), GF_Write, 0, 0, MAPS_COLS,
                         MAPS_ROWS, pixels, MAPS_COLS, MAPS_ROWS, GDT_Byte, 0,
                         0) == CE_None);
    file = GDALCreateCopy(GDALGetDriverByName("PNG"), fuzz_path(name), memory, 0, NULL,
                          NULL, NULL);
    require(file != NULL);
    GDALClose(file);
    GDALClose(memory);
}

void maps_make(void)
{
    static bool made;

    if (made)
        return;
    made = true;
    write_landscape();
    write_arrival();
    write_mask("none.png", 0);
    write_mask("some.png", 2);
    write_mask("more.png", 5);
}
