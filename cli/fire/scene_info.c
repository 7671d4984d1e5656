/* SPDX-License-Identifier: Apache-2.0
 * What is in landscapes and fires, as text and as JSON. */
#include "fire/scene_info.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/value.h"

static const char *const layer_names[ZM_LAYERS] = {
    "elevation, m",    "slope, degrees",   "aspect, degrees", "fuel model",
    "canopy cover, %", "canopy height, m", "canopy base, m",  "canopy density, kg/m3"
};

/* ---- landscape -------------------------------------------------------------------- */

double burnable_share(const zm_landscape *land)
{
    const size_t n = (size_t)land->rows * (size_t)land->cols;
    uint8_t *mask = grow(NULL, n, 1);
    size_t burns = 0;

    zm_landscape_burnable(land, mask);
    for (size_t i = 0; i < n; i++)
        burns += mask[i];
    free(mask);
    return (double)burns / (double)n;
}

static void describe_layer(description *d, const char *name, const float *values,
                           size_t n)
{
    double least = INFINITY, most = -INFINITY, sum = 0;

    for (size_t i = 0; i < n; i++) {
        least = fmin(least, (double)values[i]);
        most = fmax(most, (double)values[i]);
        sum += (double)values[i];
    }
    if (d->print)
        printf("  %-24s %8.6g to %8.6g, mean %.6g\n", name, least, most,
               sum / (double)n);
    json_open(&d->j, NULL, '{');
    json_text(&d->j, "name", name);
    json_number(&d->j, "min", least);
    json_number(&d->j, "max", most);
    json_number(&d->j, "mean", sum / (double)n);
    json_close(&d->j, '}');
}

static void describe_fuels(description *d, const zm_landscape *land)
{
    enum { MOST = 1000 };
    const size_t n = (size_t)land->rows * (size_t)land->cols;
    size_t *count = grow(NULL, MOST, sizeof *count);

    memset(count, 0, MOST * sizeof *count);
    for (size_t i = 0; i < n; i++)
        count[(size_t)land->layers[ZM_LAYER_FUEL][i] % MOST]++;
    if (d->print)
        printf("  fuels:");
    json_open(&d->j, "fuels", '{');
    for (int32_t k = 0; k < MOST; k++)
        if (count[k]) {
            const double share = (double)count[k] / (double)n;
            char key[16];

            snprintf(key, sizeof key, "%d", (int)k);
            json_number(&d->j, key, share);
            if (d->print)
                printf(" %d%s %.1f %%", (int)k, zm_fuel_burnable(land, k) ? "" : "*",
                       100 * share);
        }
    json_close(&d->j, '}');
    if (d->print)
        printf("\n  (* does not burn)\n");
    free(count);
}

void describe_landscape(description *d, const zm_landscape *land,
                        const zm_georeference *where)
{
    const size_t n = (size_t)land->rows * (size_t)land->cols;
    const double share = burnable_share(land);

    if (d->print)
        printf("  %d x %d cells of %g m (%.4g x %.4g km), latitude %.2f, %s, %.0f %% "
               "can burn\n",
               land->rows, land->cols, land->cell, land->rows * land->cell / 1000,
               land->cols * land->cell / 1000, land->latitude,
               *where->wkt ? "coordinate system known" : "coordinate system unknown",
               100 * share);
    json_int(&d->j, "rows", land->rows);
    json_int(&d->j, "cols", land->cols);
    json_number(&d->j, "cell_m", land->cell);
    json_number(&d->j, "latitude", land->latitude);
    json_number(&d->j, "station_elevation_m", land->station_elevation);
    json_bool(&d->j, "coordinate_system", *where->wkt != '\0');
    json_number(&d->j, "burnable", share);
    json_int(&d->j, "custom_fuels", (int64_t)land->n_custom_fuels);
    json_open(&d->j, "layers", '[');
    for (int layer = 0; layer < ZM_LAYERS; layer++)
        if (land->layers[layer])
            describe_layer(d, layer_names[layer], land->layers[layer], n);
    json_close(&d->j, ']');
    describe_fuels(d, land);
}

/* ---- fires ------------------------------------------------------------------------ */

void count_splits(const zm_scene *scene, size_t counts[ZM_SPLITS])
{
    memset(counts, 0, ZM_SPLITS * sizeof *counts);
    for (size_t i = 0; i < zm_scene_count(scene); i++)
        counts[zm_scene_split(scene, i)]++;
}

void describe_fires(description *d, const zm_scene *scene)
{
    size_t counts[ZM_SPLITS], arrivals = 0;
    const size_t n = zm_scene_count(scene);
    double shortest = INFINITY, longest = 0;

    count_splits(scene, counts);
    for (size_t i = 0; i < n; i++) {
        const double hours = zm_scene_fire(scene, i)->duration;

        arrivals += (size_t)zm_scene_has_arrival(scene, i);
        if (isfinite(hours)) {
            shortest = fmin(shortest, hours);
            longest = fmax(longest, hours);
        }
    }
    json_int(&d->j, "fires", (int64_t)n);
    json_int(&d->j, "train", (int64_t)counts[ZM_SPLIT_TRAIN]);
    json_int(&d->j, "val", (int64_t)counts[ZM_SPLIT_VAL]);
    json_int(&d->j, "test", (int64_t)counts[ZM_SPLIT_TEST]);
    json_int(&d->j, "other", (int64_t)counts[ZM_SPLIT_OTHER]);
    json_int(&d->j, "with_arrival", (int64_t)arrivals);
    json_int(&d->j, "cells_without_data", zm_scene_cells_without_data(scene));
    if (!d->print)
        return;
    printf(
        "  %zu fire%s: %zu train, %zu val, %zu test, %zu other; %zu with arrival times",
        n, n == 1 ? "" : "s", counts[ZM_SPLIT_TRAIN], counts[ZM_SPLIT_VAL],
        counts[ZM_SPLIT_TEST], counts[ZM_SPLIT_OTHER], arrivals);
    if (longest > 0)
        printf("; %.3g to %.3g h long", shortest, longest);
    printf("\n");
    if (zm_scene_cells_without_data(scene))
        printf("  %lld cells without data, taken as non-burnable\n",
               (long long)zm_scene_cells_without_data(scene));
}

void describe_weather(description *d, const zm_fire *fire, size_t most)
{
    if (d->print)
        printf("  hour  temperature C  humidity %%  wind km/h  from deg  cloud %%  "
               "rain mm\n");
    json_open(&d->j, "weather", '[');
    for (size_t k = 0; k < fire->hours && k < most; k++) {
        const zm_weather_hour *w = &fire->weather[k];

        if (d->print)
            printf("  %4zu %14.1f %11.0f %10.1f %9.0f %8.0f %8.1f\n", k, w->temperature,
                   w->humidity, w->wind_speed, w->wind_dir, w->cloud, w->rain);
        json_open(&d->j, NULL, '{');
        json_number(&d->j, "temperature_c", w->temperature);
        json_number(&d->j, "relative_humidity_pct", w->humidity);
        json_number(&d->j, "wind_speed_kmh", w->wind_speed);
        json_number(&d->j, "wind_dir_deg", w->wind_dir);
        json_close(&d->j, '}');
    }
    json_close(&d->j, ']');
}

void describe_start(description *d, const zm_fire *fire)
{
    const zm_fuel_moisture *m = &fire->moisture;

    if (d->print)
        printf("  ignition row %d, column %d; %02d-%02d %.2f h local; %g h long\n"
               "  fuel moisture %%: 1 h %g, 10 h %g, 100 h %g, herb %g, woody %g\n",
               fire->row, fire->col, fire->start_month, fire->start_day,
               fire->start_hour, fire->duration, m->dead_1h, m->dead_10h, m->dead_100h,
               m->live_herb, m->live_woody);
    json_int(&d->j, "row", fire->row);
    json_int(&d->j, "col", fire->col);
    json_number(&d->j, "duration_h", fire->duration);
    json_number(&d->j, "start_hour", fire->start_hour);
}

/* Area burned at quarters of the duration. */
void describe_growth(description *d, const zm_landscape *land, const float *T)
{
    const size_t n = (size_t)land->rows * (size_t)land->cols;
    const double hectares = land->cell * land->cell / 1e4;
    size_t cells = 0;
    double latest = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(T[i])) {
            latest = fmax(latest, (double)T[i]);
            cells++;
        }
    json_int(&d->j, "burned_cells", (int64_t)cells);
    json_number(&d->j, "latest_h", latest);
    if (d->print)
        printf("  burned %zu cells, %.4g ha, the last after %.2f h\n", cells,
               (double)cells * hectares, latest);
    for (int k = 1; d->print && k <= 4; k++) {
        size_t by_then = 0;

        for (size_t i = 0; i < n; i++)
            by_then += (double)T[i] <= latest * k / 4;
        printf("    after %6.2f h: %.4g ha\n", latest * k / 4,
               (double)by_then * hectares);
    }
}
