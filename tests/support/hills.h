/* SPDX-License-Identifier: Apache-2.0
 * A small landscape with hills, patches of fuel and a river, and a fire in changing weather. */
#ifndef ZM_TESTS_HILLS_H
#define ZM_TESTS_HILLS_H

#include <stdint.h>

#include "zermelo/fire/landscape.h"

enum { HILLS_HOURS = 5 };

typedef struct hills {
    zm_landscape landscape;
    float *memory;
    zm_weather_hour weather[HILLS_HOURS];
    zm_fire fire;
} hills;

/** rows x cols cells of 30 m; ignition in the middle, which burns. */
hills *hills_make(uint64_t seed, int32_t rows, int32_t cols);
void hills_free(hills *h);

/** Times of a front that runs at 60 m/h one way and twice as fast the other, by distance from the
 *  ignition; INFINITY after 4 h.  rows*cols. */
void hills_times(const hills *h, float *times);

#endif
