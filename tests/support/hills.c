/* SPDX-License-Identifier: Apache-2.0
 * A small landscape with hills, patches of fuel and a river, and a fire in changing weather. */
#include "hills.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/random.h"

static const double PI = 3.14159265358979323846;

/* Elevation is a sum of waves; slope and aspect are its own. */
static void shape(hills *h, uint64_t *state, float *const *layer)
{
    const zm_landscape *l = &h->landscape;
    double k[3][2], phase[3];

    for (int w = 0; w < 3; w++) {
        k[w][0] = (zm_random_unit(state) - 0.5) * 0.01;
        k[w][1] = (zm_random_unit(state) - 0.5) * 0.01;
        phase[w] = 2 * PI * zm_random_unit(state);
    }
    for (int32_t row = 0; row < l->rows; row++)
        for (int32_t col = 0; col < l->cols; col++) {
            const double x = col * l->cell, y = row * l->cell;
            const size_t i = (size_t)row * (size_t)l->cols + (size_t)col;
            double z = 400, zx = 0, zy = 0;

            for (int w = 0; w < 3; w++) {
                const double a = k[w][0] * x + k[w][1] * y + phase[w];

                z += 30 * sin(a);
                zx += 30 * k[w][0] * cos(a);
                zy += 30 * k[w][1] * cos(a);
            }
            layer[ZM_LAYER_ELEVATION][i] = (float)z;
            layer[ZM_LAYER_SLOPE][i] = (float)(atan(hypot(zx, zy)) * 180 / PI);
            /* down the slope, clockwise from north: (-zx, -zy) with y south */
            layer[ZM_LAYER_ASPECT][i] =
                (float)fmod(atan2(-zx, zy) * 180 / PI + 360, 360);
        }
}

static void cover(const hills *h, uint64_t *state, float *const *layer)
{
    static const float fuels[] = { 1, 2, 102, 122, 165, 8 };
    const zm_landscape *l = &h->landscape;

    for (int32_t row = 0; row < l->rows; row++)
        for (int32_t col = 0; col < l->cols; col++) {
            const size_t i = (size_t)row * (size_t)l->cols + (size_t)col;
            const bool river = col == l->cols / 4 && row != l->rows / 3;

            layer[ZM_LAYER_FUEL][i] = river ? 98 : fuels[(row / 5 + 2 * (col / 6)) % 6];
            layer[ZM_LAYER_COVER][i] = (float)(70 * zm_random_unit(state));
        }
}

hills *hills_make(uint64_t seed, int32_t rows, int32_t cols)
{
    const size_t n = (size_t)rows * (size_t)cols;
    hills *h = calloc(1, sizeof *h);
    float *layer[ZM_LAYERS] = { NULL };
    uint64_t state = seed;

    if (!h || !(h->memory = calloc(5 * n, sizeof(float))))
        abort();
    h->landscape = (zm_landscape){ .size = sizeof(zm_landscape),
                                   .rows = rows,
                                   .cols = cols,
                                   .cell = 30,
                                   .latitude = 40,
                                   .station_elevation = 400 };
    for (int i = 0; i < 5; i++)
        h->landscape.layers[i] = layer[i] = h->memory + (size_t)i * n;
    shape(h, &state, layer);
    cover(h, &state, layer);
    for (int k = 0; k < HILLS_HOURS; k++)
        h->weather[k] =
            (zm_weather_hour){ .temperature = 20 + 10 * zm_random_unit(&state),
                               .humidity = 20 + 30 * zm_random_unit(&state),
                               .wind_speed = 5 + 20 * zm_random_unit(&state),
                               .wind_dir = 360 * zm_random_unit(&state),
                               .cloud = 50 * zm_random_unit(&state) };
    h->fire = (zm_fire){ .size = sizeof(zm_fire),
                         .name = "hill",
                         .row = rows / 2,
                         .col = cols / 2,
                         .duration = INFINITY,
                         .start_month = 7,
                         .start_day = 12,
                         .start_hour = 13,
                         .moisture = { 6, 7, 8, 60, 90 },
                         .weather = h->weather,
                         .hours = HILLS_HOURS };
    return h;
}

void hills_times(const hills *h, float *times)
{
    const int32_t rows = h->landscape.rows, cols = h->landscape.cols;

    for (int32_t row = 0; row < rows; row++)
        for (int32_t col = 0; col < cols; col++) {
            const double x = 30.0 * (col - h->fire.col), y = 30.0 * (row - h->fire.row);
            const double hours = hypot(x, y) / (x > 0 ? 120 : 60);

            times[row * cols + col] = hours < 4 ? (float)hours : INFINITY;
        }
}

void hills_free(hills *h)
{
    free(h->memory);
    free(h);
}
