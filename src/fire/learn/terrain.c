/* SPDX-License-Identifier: Apache-2.0
 * Channels of the ground: fuel, slope and canopy of each cell, normalised. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "fire/learn/channels.h"
#include "fire/science/canopy.h"
#include "fire/science/cell_fire.h"
#include "fire/science/units.h"
#include "zermelo/fire/physics.h"

/* Spread of a fuel at usual moisture in a midflame wind (km/h) and on a slope (degrees), m/h. */
static double usual_rate(const zm_fuel *fuel, double wind, double slope)
{
    const zm_fuel_moisture usual = { 6, 7, 8, 60, 90 };
    zm_surface_fire fire;

    if (zm_surface_fire_of(fuel, &usual, wind, 180, slope, 180, &fire, NULL) < 0)
        return 0;
    return 60 * fire.rate;
}

/* log(a/b), 0 where a fuel does not burn at all. */
static double log_gain(double a, double b)
{
    return a > 0 && b > 0 ? log(a / b) : 0;
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
    v[ZM_CH_WIND_GAIN_5] = log_gain(usual_rate(f, 5, 0), usual_rate(f, 0, 0));
    v[ZM_CH_WIND_GAIN_15] = log_gain(usual_rate(f, 15, 0), usual_rate(f, 0, 0));
    v[ZM_CH_RATE_USUAL] = log(1 + usual_rate(f, 5, 0));
    v[ZM_CH_SLOPE_GAIN] = log_gain(usual_rate(f, 0, 26.565), usual_rate(f, 0, 0));
}

/* A cell that does not burn has the mean of every fuel channel: nothing to go by. */
static void no_fuel_values(double *v)
{
    for (int c = ZM_CH_LOAD_1H; c <= ZM_CH_SLOPE_GAIN; c++)
        v[c] = zm_learn_channel_facts_of((zm_channel)c)->shift;
    v[ZM_CH_BURNABLE] = 0;
    v[ZM_CH_DYNAMIC] = 0;
    v[ZM_CH_RATE_USUAL] = 0;
}

/* All channels of one cell, in their units; the slope and what shelters last. */
static void cell_values(const zm_landscape *l, const zm_fuel *fuel,
                        const double *of_fuel, size_t cell, double v[ZM_CH_GROUND_END])
{
    const double tangent = tan(ZM_RADIANS * (double)l->layers[ZM_LAYER_SLOPE][cell]);
    const double aspect = ZM_RADIANS * (double)l->layers[ZM_LAYER_ASPECT][cell];
    const zm_canopy canopy = zm_canopy_at(l, cell);

    memcpy(v, of_fuel, ZM_CH_GROUND_END * sizeof *v);
    v[ZM_CH_SLOPE] = tangent;
    v[ZM_CH_UPSLOPE_X] = -tangent * sin(aspect); /* aspect points down the slope */
    v[ZM_CH_UPSLOPE_Y] = tangent * cos(aspect);  /* y runs south */
    v[ZM_CH_COVER] = canopy.cover;
    v[ZM_CH_HEIGHT] = canopy.height;
    v[ZM_CH_BASE] = canopy.base;
    v[ZM_CH_DENSITY] = canopy.density;
    v[ZM_CH_SHELTER] =
        zm_wind_reduction(fuel ? fuel->depth : 1, canopy.cover, canopy.height);
    v[ZM_CH_ELEVATION] =
        (double)l->layers[ZM_LAYER_ELEVATION][cell] - l->station_elevation;
}

static void store_cell(zm_terrain *g, size_t cell, const double v[ZM_CH_GROUND_END])
{
    for (int c = 0; c < ZM_CH_GROUND_END; c++) {
        const zm_channel_facts *f = zm_learn_channel_facts_of((zm_channel)c);

        g->planes[c][cell] = (float)((v[c] - f->shift) / f->scale);
    }
    g->upslope[0][cell] = (float)v[ZM_CH_UPSLOPE_X];
    g->upslope[1][cell] = (float)v[ZM_CH_UPSLOPE_Y];
    g->shelter[cell] = (float)v[ZM_CH_SHELTER];
    g->burnable[cell] = (float)v[ZM_CH_BURNABLE];
}

/* Place of a fuel in the terrain's list, which it joins; ZM_MOST_FUELS where nothing burns or
 * the list is full.  table: channels of each fuel by that place. */
static int32_t place_of(zm_terrain *g, const zm_fuel *fuel,
                        double (*table)[ZM_CH_GROUND_END])
{
    int32_t i = 0;

    if (!fuel || !zm_fuel_burns(fuel))
        return ZM_MOST_FUELS;
    while (i < g->n_fuels && g->fuels[i] != fuel)
        i++;
    if (i == g->n_fuels && i < ZM_MOST_FUELS) {
        zm_bed bed;

        zm_bed_make(fuel, &bed);
        g->wind_coef[i] = bed.wind_coef;
        g->wind_power[i] = bed.wind_power;
        g->slope_coef[i] = bed.slope_coef;
        g->fuels[g->n_fuels++] = fuel;
        fuel_values(fuel, table[i]);
    }
    return i;
}

static zm_status check_cell(const zm_landscape *l, size_t cell, const double *v,
                            zm_error *err)
{
    for (int c = 0; c < ZM_CH_GROUND_END; c++)
        if (!isfinite(v[c]))
            return zm_fail(
                err, ZM_E_ARG, (int64_t)cell, "%s is not finite in row %d, column %d",
                zm_learn_channel_facts_of((zm_channel)c)->name,
                (int)(cell / (size_t)l->cols), (int)(cell % (size_t)l->cols));
    return ZM_OK;
}

static zm_status fill(zm_terrain *g, const zm_landscape *l,
                      double (*table)[ZM_CH_GROUND_END], zm_error *err)
{
    const size_t n = (size_t)l->rows * (size_t)l->cols;
    double v[ZM_CH_GROUND_END];
    zm_status st = ZM_OK;

    no_fuel_values(table[ZM_MOST_FUELS]);
    for (size_t i = 0; st >= 0 && i < n; i++) {
        const int32_t number = (int32_t)lrintf(l->layers[ZM_LAYER_FUEL][i]);
        const zm_fuel *fuel = zm_landscape_fuel(l, number);
        const int32_t place = place_of(g, fuel, table);

        if (fuel && (number < 0 || number >= ZM_FUEL_NUMBERS ||
                     (float)number != l->layers[ZM_LAYER_FUEL][i]))
            return zm_fail(err, ZM_E_ARG, (int64_t)i,
                           "fuel model %g at cell %zu, must be a whole number below %d",
                           (double)l->layers[ZM_LAYER_FUEL][i], i, ZM_FUEL_NUMBERS);

        g->fuel[i] = (uint8_t)place;
        cell_values(l, fuel, table[place], i, v);
        if ((st = check_cell(l, i, v, err)) >= 0)
            store_cell(g, i, v);
    }
    return st;
}

zm_status zm_learn_terrain_create(zm_terrain **out, const zm_landscape *landscape,
                                  zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t n = (size_t)landscape->rows * (size_t)landscape->cols;
    zm_terrain *g = zm_zalloc(&mem, 1, sizeof *g);
    double(*table)[ZM_CH_GROUND_END];
    bool complete = g;
    zm_status st;

    *out = NULL;
    for (int c = 0; g && c < ZM_CH_GROUND_END; c++)
        complete = (g->planes[c] = zm_block(&mem, n, sizeof(float))) && complete;
    for (int i = 0; g && i < 2; i++)
        complete = (g->upslope[i] = zm_block(&mem, n, sizeof(float))) && complete;
    if (!complete || !(g->shelter = zm_block(&mem, n, sizeof(float))) ||
        !(g->burnable = zm_block(&mem, n, sizeof(float))) ||
        !(g->fuel = zm_block(&mem, n, 1))) {
        zm_learn_terrain_destroy(g);
        return zm_fail(err, ZM_E_NOMEM, -1, "channels of %zu cells", n);
    }
    g->rows = landscape->rows;
    g->cols = landscape->cols;
    g->cell = landscape->cell;
    g->latitude = landscape->latitude;
    table = zm_zalloc(&mem, ZM_MOST_FUELS + 1, sizeof *table);
    st = table ? fill(g, landscape, table, err)
               : zm_fail(err, ZM_E_NOMEM, -1, "channels of fuels");
    zm_release(&mem, table);
    if (st < 0)
        zm_learn_terrain_destroy(g);
    else
        *out = g;
    return st;
}

void zm_learn_terrain_destroy(zm_terrain *ground)
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
    zm_release(&mem, ground->fuel);
    zm_release(&mem, ground);
}
