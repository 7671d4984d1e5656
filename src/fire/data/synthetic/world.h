/* SPDX-License-Identifier: Apache-2.0
 * A made-up landscape, its weather, and how fire spreads in it. */
#ifndef ZM_FIRE_WORLD_H
#define ZM_FIRE_WORLD_H

#include <stdbool.h>

#include "zermelo/fire/dataset.h"

/** A made-up landscape that owns its layers. */
typedef struct zm_world {
    zm_landscape land;
    float *layers[ZM_LAYERS];
    uint8_t *water; /**< rivers and lakes */
} zm_world;

/** Fractal terrain with rivers where water gathers, fuels by height, moisture and aspect. */
zm_status zm_world_make(int32_t rows, int32_t cols, double cell, uint64_t seed,
                        zm_world *out, zm_error *err);
void zm_world_free(zm_world *world);

/** Steps of zm_world_make: terrain and rivers first. */
zm_status zm_world_raise(zm_world *world, uint64_t seed, zm_error *err);
void zm_world_plant(zm_world *world, uint64_t seed);

/** Slope and aspect of an elevation (Horn 1981), in whole degrees. */
void zm_world_slope_aspect(const float *elevation, int32_t rows, int32_t cols,
                           double cell, float *slope, float *aspect);

/** Fractal noise, mean 0, about -1 to 1: octaves of gradient noise, the first with waves of
 *  `scale` units, each half as long and half as strong. */
double zm_synthetic_noise(double x, double y, double scale, int octaves, uint64_t seed);

/** Hourly weather of one fire: `hours` records. */
void zm_world_weather_draw(zm_weather_hour *weather, size_t hours, double start_hour,
                           bool constant, uint64_t *state);

/** Fire spread on a grid `fine` times finer than the world's. */
typedef struct zm_growth zm_growth;
zm_status zm_growth_create(zm_growth **out, const zm_world *world, int32_t fine,
                           zm_error *err);
void zm_growth_destroy(zm_growth *growth);

/** Arrival times of a fire on the world's own grid, hours, up to t_max or, if earlier, until
 *  about `most` of its cells have burned. */
zm_status zm_growth_run(zm_growth *growth, const zm_fire *fire, double t_max,
                        int64_t most, float *T, zm_error *err);

#endif
