/* SPDX-License-Identifier: Apache-2.0
 * Made-up terrain, and rivers where its water gathers. */
#include <math.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/heap.h"
#include "core/pi.h"
#include "core/random.h"
#include "fire/data/synthetic/world.h"

/* Longest waves of the terrain, m, and their height. */
#define WAVES_M  4000.0
#define HEIGHT_M 420.0
/* A river has so much land above it, m^2, and is this wide, m. */
#define RIVER_BASIN_M2 1.2e6
#define RIVER_WIDTH_M  25.0
/* Share of the depth of hollows that is not filled. */
#define RELIEF_LEFT 0.3

void zm_world_slope_aspect(const float *elevation, int32_t rows, int32_t cols,
                           double cell, float *slope, float *aspect)
{
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            double z[3][3], east, north, degrees;
            const size_t i = (size_t)r * (size_t)cols + (size_t)c;

            for (int32_t y = -1; y <= 1; y++)
                for (int32_t x = -1; x <= 1; x++) { /* the border is repeated */
                    const int32_t rr = r + y < 0 ? 0 : r + y >= rows ? rows - 1 : r + y;
                    const int32_t cc = c + x < 0 ? 0 : c + x >= cols ? cols - 1 : c + x;

                    z[y + 1][x + 1] =
                        (double)elevation[(size_t)rr * (size_t)cols + (size_t)cc];
                }
            east = (z[0][2] + 2 * z[1][2] + z[2][2] - z[0][0] - 2 * z[1][0] - z[2][0]) /
                   (8 * cell);
            north =
                (z[0][0] + 2 * z[0][1] + z[0][2] - z[2][0] - 2 * z[2][1] - z[2][2]) /
                (8 * cell);
            slope[i] = (float)round(atan(hypot(east, north)) * 180 / ZM_PI);
            degrees =
                atan2(-east, -north) * 180 / ZM_PI; /* down the slope, from north */
            aspect[i] =
                slope[i] == 0
                    ? 0
                    : (float)fmod(round(degrees < 0 ? degrees + 360 : degrees), 360);
        }
}

/* ---- rivers ----------------------------------------------------------------------- */

typedef struct drainage {
    int32_t *to;    /* where the water of a cell goes; -1: over the border */
    int32_t *order; /* cells, each after the one its water goes to */
    float *surface; /* elevation with hollows filled */
    double *basin;  /* cells whose water comes through here */
    zm_heap heap;   /* by surface */
} drainage;

/* Fills hollows from the border inwards, lowest first (Barnes, Lehman and Mulla 2014); every
 * cell drains to the one it was reached from. */
static void drain(zm_world *w, drainage *d)
{
    const int32_t rows = w->land.rows, cols = w->land.cols;
    const float *elevation = w->layers[ZM_LAYER_ELEVATION];
    size_t n = 0;

    for (int32_t i = 0; i < rows * cols; i++) {
        const int32_t r = i / cols, c = i % cols;

        d->surface[i] = elevation[i];
        d->heap.place[i] = ZM_HEAP_ABSENT;
        if (r == 0 || c == 0 || r == rows - 1 || c == cols - 1) {
            d->to[i] = -1;
            zm_heap_push(&d->heap, (uint32_t)i, (double)d->surface[i]);
        }
    }
    while (d->heap.n) {
        const int32_t at = (int32_t)zm_heap_pop(&d->heap).cell, r = at / cols,
                      c = at % cols;

        d->order[n++] = at;
        for (int32_t y = r > 0 ? r - 1 : 0; y <= r + 1 && y < rows; y++)
            for (int32_t x = c > 0 ? c - 1 : 0; x <= c + 1 && x < cols; x++) {
                const int32_t next = y * cols + x;

                if (d->heap.place[next] != ZM_HEAP_ABSENT)
                    continue;
                d->to[next] = at;
                /* uneven, so that rivers wind through plains */
                d->surface[next] =
                    fmaxf(elevation[next],
                          d->surface[at] +
                              0.05F * (float)(zm_random_mix((uint64_t)next) >> 40) *
                                  0x1p-24F);
                zm_heap_push(&d->heap, (uint32_t)next, (double)d->surface[next]);
            }
    }
}

static void flow(const zm_world *w, drainage *d)
{
    const int32_t n = w->land.rows * w->land.cols;

    for (int32_t i = 0; i < n; i++)
        d->basin[i] = 1;
    for (int32_t k = n; k-- > 0;)
        if (d->to[d->order[k]] >= 0)
            d->basin[d->to[d->order[k]]] += d->basin[d->order[k]];
}

/* Marks cells within half the width of a river cell; larger rivers are wider. */
static void wet(zm_world *w, const drainage *d)
{
    const int32_t rows = w->land.rows, cols = w->land.cols;
    const double cell = w->land.cell, least = RIVER_BASIN_M2 / (cell * cell);

    for (int32_t i = 0; i < rows * cols; i++) {
        const double width = RIVER_WIDTH_M * sqrt(d->basin[i] / least);
        const int32_t reach = (int32_t)(0.5 * width / cell);

        if (d->basin[i] < least)
            continue;
        for (int32_t y = i / cols - reach; y <= i / cols + reach; y++)
            for (int32_t x = i % cols - reach; x <= i % cols + reach; x++)
                if (y >= 0 && x >= 0 && y < rows && x < cols)
                    w->water[y * cols + x] = 1;
    }
}

/* Hollows become plains, of which some of the relief is left. */
static void level(zm_world *w, const drainage *d)
{
    float *z = w->layers[ZM_LAYER_ELEVATION];

    for (int32_t i = 0; i < w->land.rows * w->land.cols; i++)
        z[i] = d->surface[i] - (float)RELIEF_LEFT * (d->surface[i] - z[i]);
}

static zm_status find_rivers(zm_world *w, zm_error *err)
{
    const size_t n = (size_t)w->land.rows * (size_t)w->land.cols;
    drainage d = { malloc(n * sizeof *d.to),
                   malloc(n * sizeof *d.order),
                   malloc(n * sizeof *d.surface),
                   malloc(n * sizeof *d.basin),
                   { malloc(n * sizeof *d.heap.items), malloc(n * sizeof *d.heap.place),
                     0 } };
    zm_status st = ZM_OK;

    if (d.to && d.order && d.surface && d.basin && d.heap.items && d.heap.place) {
        drain(w, &d);
        flow(w, &d);
        wet(w, &d);
        level(w, &d);
    } else {
        st = zm_fail(err, ZM_E_NOMEM, -1, "no memory for rivers");
    }
    free(d.heap.place);
    free(d.heap.items);
    free(d.basin);
    free(d.surface);
    free(d.order);
    free(d.to);
    return st;
}

/* ---- terrain ---------------------------------------------------------------------- */

zm_status zm_world_raise(zm_world *w, uint64_t seed, zm_error *err)
{
    const int32_t rows = w->land.rows, cols = w->land.cols;
    const double cell = w->land.cell;
    const double tilt = 2 * ZM_PI * (double)(zm_random_mix(seed) >> 11) * 0x1p-53;
    float *z = w->layers[ZM_LAYER_ELEVATION];

    for (int32_t i = 0; i < rows * cols; i++) {
        const double x = (i % cols) * cell, y = (i / cols) * cell;
        /* ridges where the first noise changes sign, hills from the second */
        const double ridges =
            1 - fabs(zm_synthetic_noise(x, y, WAVES_M, 5, seed + 100));
        const double hills = zm_synthetic_noise(x, y, 0.45 * WAVES_M, 6, seed + 200);

        z[i] =
            (float)(450 + HEIGHT_M * (ridges * ridges - 0.5) + 0.35 * HEIGHT_M * hills +
                    0.05 * (x * cos(tilt) + y * sin(tilt)));
    }
    ZM_TRY(find_rivers(w, err));
    for (int32_t i = 0; i < rows * cols; i++)
        z[i] = fmaxf(0, roundf(z[i]));
    zm_world_slope_aspect(z, rows, cols, cell, w->layers[ZM_LAYER_SLOPE],
                          w->layers[ZM_LAYER_ASPECT]);
    return ZM_OK;
}
