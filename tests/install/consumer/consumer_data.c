/* SPDX-License-Identifier: Apache-2.0
 * Writes and reads a map with the installed library. */
#include <math.h>
#include <stdio.h>

#include "zermelo/fire/dataset.h"

enum { ROWS = 2, COLS = 3 };

int main(void)
{
    const float values[ROWS * COLS] = { 0, 1, 2, 3, INFINITY, 5 };
    const float *const planes[1] = { values };
    const zm_georeference where = { { 500000, 30, 0, 4000000, 0, -30 }, "" };
    const zm_raster_planes map = { ROWS, COLS, 1, planes, NULL, &where };
    zm_raster back;
    zm_error err;

    if (zm_raster_write("consumer.tif", &map, &err) != ZM_OK ||
        zm_raster_read("consumer.tif", &back, &err) != ZM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    if (back.rows != ROWS || back.data[5] != 5 || !isnan(back.data[4]))
        return 1;
    zm_raster_free(&back);
    printf("map: as expected\n");
    return 0;
}
