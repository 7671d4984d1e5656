/* SPDX-License-Identifier: Apache-2.0
 * Small landscapes and fires to test fire models with. */
#ifndef ZM_TESTS_LANDSCAPES_H
#define ZM_TESTS_LANDSCAPES_H

#include "zermelo/fire/landscape.h"

/** A landscape that owns its layers.  Free with test_land_free. */
typedef struct test_land {
    zm_landscape land;
    float *layers; /* ZM_LAYERS planes */
} test_land;

/** Level ground of one fuel, no canopy, cells of 30 m. */
test_land test_land_level(int32_t rows, int32_t cols, int32_t fuel);

/** Hills with several fuels in patches, some of them not burnable, and a canopy in places. */
test_land test_land_hills(int32_t rows, int32_t cols, uint64_t seed);

void test_land_free(test_land *land);
float *test_land_layer(test_land *land, zm_layer layer);

enum { TEST_HOURS = 12 };

/** A fire in the middle, on 15 July at 14 h, in a wind that turns. */
zm_fire test_fire(const test_land *land, zm_weather_hour weather[TEST_HOURS]);

#endif
