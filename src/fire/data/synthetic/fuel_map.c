/* SPDX-License-Identifier: Apache-2.0
 * What grows on made-up terrain. */
#include <math.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/pi.h"
#include "fire/data/synthetic/world.h"

/* Patches of vegetation and of fields, m. */
#define PATCH_M 900.0
#define FIELD_M 700.0

enum { WATER = 98, ROCK = 99, FIELD = 93, URBAN = 91 };

/* Scott and Burgan's models from dry and open to moist and closed. */
static const struct plant {
    double wetter_than; /* index from about -1 to 1 */
    float fuel, cover;  /* cover: percent */
} plants[] = {
    { -9.0, 101, 0 },  /* short, sparse grass */
    { -0.62, 102, 0 }, /* grass */
    { -0.25, 122, 5 }, /* grass and shrub */
    { 0.02, 142, 10 }, /* low shrub */
    { 0.20, 145, 15 }, /* tall shrub */
    { 0.38, 165, 45 }, /* timber over shrub */
    { 0.58, 188, 60 }, /* pine litter */
    { 0.82, 183, 75 }, /* conifer litter */
};

/* Moist in hollows and on northern slopes, dry on crests and southern ones. */
static double moisture_of(const zm_world *w, int32_t i, uint64_t seed)
{
    const double cell = w->land.cell;
    const double x = (i % w->land.cols) * cell, y = (i / w->land.cols) * cell;
    const double slope = (double)w->layers[ZM_LAYER_SLOPE][i] * ZM_PI / 180;
    const double aspect = (double)w->layers[ZM_LAYER_ASPECT][i] * ZM_PI / 180;

    return zm_synthetic_noise(x, y, PATCH_M, 4, seed) + 0.9 * sin(slope) * cos(aspect) +
           0.25 * zm_synthetic_noise(x, y, 4 * PATCH_M, 2, seed + 31);
}

static void plant_one(zm_world *w, int32_t i, uint64_t seed)
{
    const double cell = w->land.cell;
    const double x = (i % w->land.cols) * cell, y = (i / w->land.cols) * cell;
    const double wetness = moisture_of(w, i, seed);
    const double thick =
        1 + 0.4 * zm_synthetic_noise(x, y, 0.4 * PATCH_M, 3, seed + 57);
    size_t k = sizeof plants / sizeof *plants - 1;
    float cover;

    while (k > 0 && wetness < plants[k].wetter_than)
        k--;
    cover = roundf(fminf(95, fmaxf(0, plants[k].cover * (float)thick)));
    w->layers[ZM_LAYER_FUEL][i] = plants[k].fuel;
    w->layers[ZM_LAYER_COVER][i] = cover;
    w->layers[ZM_LAYER_HEIGHT][i] = cover > 20 ? roundf((60 + 2 * cover)) / 10 : 0;
    w->layers[ZM_LAYER_BASE][i] = cover > 20 ? roundf(5 + cover / 3) / 10 : 0;
    w->layers[ZM_LAYER_DENSITY][i] = cover > 20 ? roundf(4 + cover / 8) / 100 : 0;
}

/* What does not burn: water, steep rock, fields and villages on flat ground. */
static float barren(const zm_world *w, int32_t i, uint64_t seed)
{
    const double cell = w->land.cell;
    const double x = (i % w->land.cols) * cell, y = (i / w->land.cols) * cell;
    const double slope = (double)w->layers[ZM_LAYER_SLOPE][i];
    /* fields are rectangles: a hash of the block they lie in */
    const double block = zm_synthetic_noise(floor(x / 150) * 150, floor(y / 120) * 120,
                                            FIELD_M, 2, seed + 71);

    if (w->water[i])
        return WATER;
    if (slope > 36 && zm_synthetic_noise(x, y, 300, 3, seed + 83) > 0)
        return ROCK;
    if (slope < 9 && block > 0.75)
        return URBAN;
    return slope < 9 && block > 0.5 ? FIELD : 0;
}

void zm_world_plant(zm_world *w, uint64_t seed)
{
    for (int32_t i = 0; i < w->land.rows * w->land.cols; i++) {
        const float bare = barren(w, i, seed);

        plant_one(w, i, seed);
        if (bare == 0)
            continue;
        w->layers[ZM_LAYER_FUEL][i] = bare;
        for (int layer = ZM_LAYER_COVER; layer < ZM_LAYERS; layer++)
            w->layers[layer][i] = 0;
    }
}

void zm_world_free(zm_world *world)
{
    for (int layer = 0; layer < ZM_LAYERS; layer++)
        free(world->layers[layer]);
    free(world->water);
    *world = (zm_world){ 0 };
}

zm_status zm_world_make(int32_t rows, int32_t cols, double cell, uint64_t seed,
                        zm_world *out, zm_error *err)
{
    const size_t n = (size_t)rows * (size_t)cols;
    zm_world w = { .land = { .rows = rows, .cols = cols, .cell = cell } };
    double sum = 0;
    zm_status st = ZM_OK;

    *out = w;
    w.water = calloc(n, 1);
    for (int layer = 0; layer < ZM_LAYERS; layer++) {
        w.layers[layer] = calloc(n, sizeof(float));
        w.land.layers[layer] = w.layers[layer];
        if (!w.layers[layer] || !w.water)
            st = zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu cells", n);
    }
    if (st >= 0)
        st = zm_world_raise(&w, seed, err);
    if (st < 0) {
        zm_world_free(&w);
        return st;
    }
    zm_world_plant(&w, seed + 1000);
    for (size_t i = 0; i < n; i++)
        sum += (double)w.layers[ZM_LAYER_ELEVATION][i];
    w.land.station_elevation = round(sum / (double)n);
    *out = w;
    return ZM_OK;
}
