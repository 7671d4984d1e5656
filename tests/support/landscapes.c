/* SPDX-License-Identifier: Apache-2.0
 * Small landscapes and fires to test fire models with. */
#include "support/landscapes.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"

float *test_land_layer(test_land *land, zm_layer layer)
{
    return land->layers +
           (size_t)layer * (size_t)land->land.rows * (size_t)land->land.cols;
}

test_land test_land_level(int32_t rows, int32_t cols, int32_t fuel)
{
    const size_t n = (size_t)rows * (size_t)cols;
    test_land l = { .land = { .size = sizeof(zm_landscape),
                              .rows = rows,
                              .cols = cols,
                              .cell = 30,
                              .latitude = 40,
                              .station_elevation = 500 } };

    l.layers = calloc(n * ZM_LAYERS, sizeof *l.layers);
    for (int k = 0; k < ZM_LAYERS; k++)
        l.land.layers[k] = l.layers + (size_t)k * n;
    for (size_t i = 0; i < n; i++) {
        test_land_layer(&l, ZM_LAYER_ELEVATION)[i] = 500;
        test_land_layer(&l, ZM_LAYER_FUEL)[i] = (float)fuel;
    }
    return l;
}

/* Fuels 2, 102, 122, 145, 165, 183 in patches of 5 x 5 cells, every ninth patch bare. */
test_land test_land_hills(int32_t rows, int32_t cols, uint64_t seed)
{
    static const float fuels[] = { 2, 102, 122, 145, 165, 183 };
    test_land l = test_land_level(rows, cols, 2);
    const double turn = 180 / 3.14159265358979323846;

    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            const size_t i = (size_t)r * (size_t)cols + (size_t)c;
            uint64_t patch = seed + (uint64_t)(r / 5) * 1000 + (uint64_t)(c / 5);
            const uint64_t draw = zm_random_bits(&patch);
            /* z = 60 sin(x/300 m) cos(y/400 m); its gradient along east and south */
            const double x = 30.0 * c / 300, y = 30.0 * r / 400;
            const double east = 60.0 / 300 * cos(x) * cos(y);
            const double south = -60.0 / 400 * sin(x) * sin(y);

            test_land_layer(&l, ZM_LAYER_ELEVATION)[i] =
                (float)(500 + 60 * sin(x) * cos(y));
            test_land_layer(&l, ZM_LAYER_SLOPE)[i] =
                (float)(turn * atan(hypot(east, south)));
            test_land_layer(&l, ZM_LAYER_ASPECT)[i] =
                (float)fmod(turn * atan2(-east, south) + 360, 360);
            test_land_layer(&l, ZM_LAYER_FUEL)[i] =
                draw % 9 == 0 ? 99 : fuels[draw % 6];
            test_land_layer(&l, ZM_LAYER_COVER)[i] = draw % 4 == 0 ? 45 : 0;
            test_land_layer(&l, ZM_LAYER_HEIGHT)[i] = 12;
            test_land_layer(&l, ZM_LAYER_BASE)[i] = 0.4f;
            test_land_layer(&l, ZM_LAYER_DENSITY)[i] = 0.25f;
        }
    return l;
}

void test_land_free(test_land *land)
{
    free(land->layers);
    land->layers = NULL;
}

zm_fire test_fire(const test_land *land, zm_weather_hour weather[TEST_HOURS])
{
    for (int k = 0; k < TEST_HOURS; k++)
        weather[k] = (zm_weather_hour){ 28 - 0.7 * k,  30 + 2.1 * k, 16 + 1.3 * (k % 4),
                                        230 + 9.0 * k, 10.0 + 3 * k, 0 };
    return (zm_fire){ .size = sizeof(zm_fire),
                      .name = "test",
                      .row = land->land.rows / 2,
                      .col = land->land.cols / 2,
                      .duration = 6,
                      .start_month = 7,
                      .start_day = 15,
                      .start_hour = 14,
                      .moisture = { 5, 6, 8, 70, 90 },
                      .weather = weather,
                      .hours = TEST_HOURS };
}
