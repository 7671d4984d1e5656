/* SPDX-License-Identifier: Apache-2.0
 * Channels of the ground: fuel, slope and canopy of each cell, normalised. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "learn/channels.h"
#include "zermelo/physics.h"

/* Canopy that FARSITE assumes where crown layers are missing. */
static const double ASSUMED_HEIGHT = 15, ASSUMED_BASE = 4, ASSUMED_DENSITY = 0.2;
static const double RADIANS = 3.14159265358979323846 / 180;

/* Midflame wind over the wind 20 ft above the vegetation (Albini and Baughman 1979, in the form
 * of FARSITE): unsheltered below 5 % cover, else sheltered by the canopy. */
static double wind_reduction(double depth_ft, double cover, double height_m)
{
    const double h = height_m / 0.3048;

    if (cover <= 5 || h <= 0) {
        const double d = depth_ft > 0.05 ? depth_ft : 0.05;

        return 1.36 / log((20 + 0.36 * d) / (0.13 * d)) * (log(1.36 / 0.13) - 1);
    }
    const double filled = cover / 100 / 3 * 3.14159265358979323846 / 4;

    return fmin(1, 0.555 / (sqrt(h * filled) * log((20 + 0.36 * h) / (0.13 * h))));
}

static void fuel_values(const zm_fuel *f, double *v)
{
    double total = 0;

    for (int i = 0; i < 5; i++) {
        v[ZM_CH_LOAD_1H + i] = log(1 + f->load[i]);
        total += f->load[i];
    }
    v[ZM_CH_BURNABLE] = 1;
    v[ZM_CH_SAV_1H] = f->surface_to_volume[0];
    v[ZM_CH_SAV_HERB] = f->surface_to_volume[1];
    v[ZM_CH_SAV_WOODY] = f->surface_to_volume[2];
    v[ZM_CH_DEPTH] = log(f->depth);
    v[ZM_CH_EXTINCTION] = f->extinction;
    v[ZM_CH_PACKING] = log(total / f->depth);
    v[ZM_CH_DYNAMIC] = f->dynamic ? 1 : 0;
}

/* A cell that does not burn has the mean of every fuel channel: nothing to go by. */
static void no_fuel_values(double *v)
{
    for (int c = ZM_CH_LOAD_1H; c <= ZM_CH_DYNAMIC; c++)
        v[c] = zm_channel_facts_of((zm_channel)c)->shift;
    v[ZM_CH_BURNABLE] = 0;
    v[ZM_CH_DYNAMIC] = 0;
}

static double layer_or(const zm_landscape *l, zm_layer layer, size_t cell, double missing)
{
    return l->layers[layer] ? (double)l->layers[layer][cell] : missing;
}

/* All channels of one cell, in their units; the slope and what shelters last. */
static void cell_values(const zm_landscape *l, const zm_fuel *fuel, size_t cell,
                        double v[ZM_CH_GROUND_END])
{
    const double tangent = tan(RADIANS * (double)l->layers[ZM_LAYER_SLOPE][cell]);
    const double aspect = RADIANS * (double)l->layers[ZM_LAYER_ASPECT][cell];

    if (fuel && fuel->depth > 0)
        fuel_values(fuel, v);
    else
        no_fuel_values(v);
    v[ZM_CH_SLOPE] = tangent;
    v[ZM_CH_UPSLOPE_X] = -tangent * sin(aspect); /* aspect points down the slope */
    v[ZM_CH_UPSLOPE_Y] = tangent * cos(aspect);  /* y runs south */
    v[ZM_CH_COVER] = (double)l->layers[ZM_LAYER_COVER][cell];
    v[ZM_CH_HEIGHT] = layer_or(l, ZM_LAYER_HEIGHT, cell, ASSUMED_HEIGHT);
    v[ZM_CH_BASE] = layer_or(l, ZM_LAYER_BASE, cell, ASSUMED_BASE);
    v[ZM_CH_DENSITY] = layer_or(l, ZM_LAYER_DENSITY, cell, ASSUMED_DENSITY);
    v[ZM_CH_SHELTER] =
        wind_reduction(fuel ? fuel->depth : 1, v[ZM_CH_COVER], v[ZM_CH_HEIGHT]);
    v[ZM_CH_ELEVATION] =
        (double)l->layers[ZM_LAYER_ELEVATION][cell] - l->station_elevation;
}

static void store_cell(zm_ground *g, size_t cell, const double v[ZM_CH_GROUND_END])
{
    for (int c = 0; c < ZM_CH_GROUND_END; c++) {
        const zm_channel_facts *f = zm_channel_facts_of((zm_channel)c);

        g->planes[c][cell] = (float)((v[c] - f->shift) / f->scale);
    }
    g->upslope[0][cell] = (float)v[ZM_CH_UPSLOPE_X];
    g->upslope[1][cell] = (float)v[ZM_CH_UPSLOPE_Y];
    g->shelter[cell] = (float)v[ZM_CH_SHELTER];
    g->burnable[cell] = (float)v[ZM_CH_BURNABLE];
}

static zm_status fill(zm_ground *g, const zm_landscape *l, zm_error *err)
{
    const size_t n = (size_t)l->rows * (size_t)l->cols;
    double v[ZM_CH_GROUND_END];

    for (size_t i = 0; i < n; i++) {
        const int32_t number = (int32_t)lrintf(l->layers[ZM_LAYER_FUEL][i]);

        cell_values(l, zm_landscape_fuel(l, number), i, v);
        for (int c = 0; c < ZM_CH_GROUND_END; c++)
            if (!isfinite(v[c]))
                return zm_fail(err, ZM_E_ARG, (int64_t)i,
                               "%s is not finite in row %d, column %d",
                               zm_channel_facts_of((zm_channel)c)->name,
                               (int)(i / (size_t)l->cols), (int)(i % (size_t)l->cols));
        store_cell(g, i, v);
    }
    return ZM_OK;
}

zm_status zm_ground_create(zm_ground **out, const zm_landscape *landscape, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t n = (size_t)landscape->rows * (size_t)landscape->cols;
    zm_ground *g = zm_zalloc(&mem, 1, sizeof *g);
    bool complete = g;
    zm_status st;

    *out = NULL;
    for (int c = 0; g && c < ZM_CH_GROUND_END; c++)
        complete = (g->planes[c] = zm_block(&mem, n, sizeof(float))) && complete;
    for (int i = 0; g && i < 2; i++)
        complete = (g->upslope[i] = zm_block(&mem, n, sizeof(float))) && complete;
    if (!complete || !(g->shelter = zm_block(&mem, n, sizeof(float))) ||
        !(g->burnable = zm_block(&mem, n, sizeof(float)))) {
        zm_ground_destroy(g);
        return zm_fail(err, ZM_E_NOMEM, -1, "channels of %zu cells", n);
    }
    g->rows = landscape->rows;
    g->cols = landscape->cols;
    g->cell = landscape->cell;
    g->latitude = landscape->latitude;
    if ((st = fill(g, landscape, err)) < 0) {
        zm_ground_destroy(g);
        return st;
    }
    *out = g;
    return ZM_OK;
}

void zm_ground_destroy(zm_ground *ground)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (!ground)
        return;
    for (int c = 0; c < ZM_CH_GROUND_END; c++)
        zm_release(&mem, ground->planes[c]);
    zm_release(&mem, ground->upslope[0]);
    zm_release(&mem, ground->upslope[1]);
    zm_release(&mem, ground->shelter);
    zm_release(&mem, ground->burnable);
    zm_release(&mem, ground);
}
