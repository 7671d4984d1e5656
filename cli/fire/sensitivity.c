/* SPDX-License-Identifier: Apache-2.0
 * What decides when a fire comes to assets: maps and a table beside its times. */
#include "fire/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/message.h"
#include "common/save_text.h"
#include "fire/folders.h"
#include "zermelo/fire/ensemble.h"

enum { MAPS = 4, TOLD = 5 };
static const double MINUTES = 60; /* of an hour */

/** One input: a line of the table. */
typedef struct line {
    const char *input, *unit;
    int32_t hour, fuel; /* -1: none */
    double value;       /* as it was */
    double slope;       /* minutes that the fire comes later for one unit more */
    double error;       /* usual error of the input, in its unit */
} line;

typedef struct table {
    line *items;
    size_t n, room;
} table;

static void add(table *t, const line *l)
{
    if (l->slope == 0)
        return;
    if (t->n == t->room) {
        t->room = 2 * t->room + 64;
        t->items = grow(t->items, t->room, sizeof *t->items);
    }
    t->items[t->n++] = *l;
}

/* Usual errors are the spreads that zermelo fire ensemble starts from. */
static const zm_ensemble_opts usual = ZM_ENSEMBLE_OPTS_INIT;

static void add_weather(table *t, const zm_physics_change *d, const zm_fire *fire)
{
    for (size_t k = 0; k < fire->hours; k++) {
        const zm_weather_hour *w = &fire->weather[k], *by = &d->weather[k];
        const int32_t hour = (int32_t)k;
        const line lines[] = {
            { "wind_speed", "km/h", hour, -1, w->wind_speed, MINUTES * by->wind_speed,
              usual.wind_speed * w->wind_speed },
            { "wind_dir", "degree", hour, -1, w->wind_dir, MINUTES * by->wind_dir,
              usual.wind_dir },
            { "temperature", "C", hour, -1, w->temperature, MINUTES * by->temperature,
              usual.temperature },
            { "humidity", "percent", hour, -1, w->humidity, MINUTES * by->humidity,
              usual.humidity },
            { "cloud", "percent", hour, -1, w->cloud, MINUTES * by->cloud, 10 },
            { "rain", "mm", hour, -1, w->rain, MINUTES * by->rain, 0.1 },
        };

        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            add(t, &lines[i]);
    }
}

static void add_moisture(table *t, const zm_physics_change *d, const zm_fire *fire)
{
    const zm_fuel_moisture *m = &fire->moisture, *by = &d->moisture;
    const line lines[] = {
        { "moisture_1h", "percent", -1, -1, m->dead_1h, MINUTES * by->dead_1h,
          usual.moisture },
        { "moisture_10h", "percent", -1, -1, m->dead_10h, MINUTES * by->dead_10h,
          usual.moisture },
        { "moisture_100h", "percent", -1, -1, m->dead_100h, MINUTES * by->dead_100h,
          usual.moisture },
        { "moisture_live_herb", "percent", -1, -1, m->live_herb,
          MINUTES * by->live_herb, usual.live_moisture * m->live_herb },
        { "moisture_live_woody", "percent", -1, -1, m->live_woody,
          MINUTES * by->live_woody, usual.live_moisture * m->live_woody },
    };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        add(t, &lines[i]);
}

static void add_factors(table *t, const zm_physics_change *d,
                        const zm_physics_params *params)
{
    const line all[] = {
        { "wind_factor", "1", -1, -1, params->wind_factor, MINUTES * d->wind_factor,
          usual.wind_speed * params->wind_factor },
        { "moisture_offset", "percent", -1, -1, params->moisture_offset,
          MINUTES * d->moisture_offset, usual.moisture },
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add(t, &all[i]);
    for (int32_t k = 0; k < ZM_FUEL_NUMBERS; k++) {
        const double factor = params->fuel_factor ? params->fuel_factor[k] : 1;
        const line l = {
            "fuel_factor",      "1", -1, k, factor, MINUTES * d->fuel_factor[k],
            usual.rate * factor
        };

        add(t, &l);
    }
}

static double shift(const line *l)
{
    return l->slope * l->error;
}

static int by_shift(const void *a, const void *b)
{
    const double x = fabs(shift(a)), y = fabs(shift(b));

    return x < y ? 1 : x > y ? -1 : 0;
}

static void number_or_nothing(zm_text *text, int32_t number)
{
    if (number >= 0)
        zm_text_print(text, "%d", (int)number);
    zm_text_add(text, ",");
}

static int save_table(const burning *b, const table *t, const char *name)
{
    const size_t room = strlen(name) + 32;
    char *file = grow(NULL, room, 1), *path;
    zm_text text = { 0 };
    int code;

    zm_text_add(&text,
                "input,hour,fuel,value,unit,minutes_per_unit,usual_error,minutes\n");
    for (size_t i = 0; i < t->n; i++) {
        const line *l = &t->items[i];

        zm_text_print(&text, "%s,", l->input);
        number_or_nothing(&text, l->hour);
        number_or_nothing(&text, l->fuel);
        zm_text_print(&text, "%.6g,%s,%.10g,%.6g,%.6g\n", l->value, l->unit, l->slope,
                      l->error, shift(l));
    }
    snprintf(file, room, "%s.sensitivity.csv", name);
    path = path_in(b->s->out, file);
    code = save_text(&text, "--out ", path);
    free(path);
    free(file);
    return code;
}

static int save_maps(const burning *b, const zm_physics_change *d, const char *name)
{
    static const char *const bands[MAPS] = { "minutes_per_10pct_rate",
                                             "minutes_per_10pct_wind",
                                             "minutes_per_1pct_dead_moisture",
                                             "minutes_per_10deg_heading" };
    const double *const from[MAPS] = { d->log_rate, d->log_wind, d->wetness,
                                       d->rotation };
    const double unit[MAPS] = { 0.1 * MINUTES, 0.1 * MINUTES, MINUTES,
                                MINUTES * 3.14159265358979323846 / 18 };
    float *memory = grow(NULL, MAPS * b->cells, sizeof *memory);
    const float *planes[MAPS];
    const size_t room = strlen(name) + 32;
    char *file = grow(NULL, room, 1);
    int code;

    for (size_t m = 0; m < MAPS; m++) {
        planes[m] = memory + m * b->cells;
        for (size_t i = 0; i < b->cells; i++)
            memory[m * b->cells + i] =
                b->whole[i] < INFINITY ? (float)(unit[m] * from[m][i]) : INFINITY;
    }
    snprintf(file, room, "%s.sensitivity.tif", name);
    code = planes_save(b->s->out, file, &b->model.land, b->where, MAPS, planes, bands);
    free(file);
    free(memory);
    return code;
}

static void tell(const table *t, const char *name, const zm_asset_arrival *a,
                 double seconds)
{
    note(
        "%s: %lld of %lld asset cells are reached, the first at %.2f h, in the mean at "
        "%.2f h; %.3f s of processor time for what decides it",
        name, (long long)a->reached, (long long)a->cells, a->first, a->mean, seconds);
    for (size_t i = 0; i < t->n && i < TOLD; i++) {
        const line *l = &t->items[i];
        char of[32] = "";

        if (l->hour >= 0)
            snprintf(of, sizeof of, " of hour %d", (int)l->hour);
        else if (l->fuel >= 0)
            snprintf(of, sizeof of, " of fuel %d", (int)l->fuel);
        note("  %s%s: %+.3g %s shifts it by %+.1f min", l->input, of, l->error,
             strcmp(l->unit, "1") ? l->unit : "(factor)", shift(l));
    }
}

/* Derivatives into d, whose planes and weather are made; seconds of processor time. */
static int derive(burning *b, const uint8_t *assets, zm_physics_change *d,
                  zm_asset_arrival *arrival, double *seconds)
{
    const clock_t started = clock();
    double *T = grow(NULL, b->cells, sizeof *T);
    zm_error err;
    int code;

    for (size_t i = 0; i < b->cells; i++)
        T[i] = (double)b->whole[i];
    code =
        checked(zm_physics_sensitivity(b->physics, T, assets, d, arrival, &err), &err);
    *seconds = (double)(clock() - started) / CLOCKS_PER_SEC;
    free(T);
    return code;
}

int sensitivity_save(burning *b, const zm_fire *fire, const char *name)
{
    zm_physics_change d = ZM_PHYSICS_CHANGE_INIT;
    double *planes = grow(NULL, MAPS * b->cells, sizeof *planes);
    zm_weather_hour *weather = grow(NULL, fire->hours, sizeof *weather);
    zm_asset_arrival arrival;
    double seconds;
    table t = { 0 };
    int code;

    memset(planes, 0, MAPS * b->cells * sizeof *planes);
    memset(weather, 0, fire->hours * sizeof *weather);
    d.weather = weather;
    d.log_rate = planes;
    d.log_wind = planes + b->cells;
    d.wetness = planes + 2 * b->cells;
    d.rotation = planes + 3 * b->cells;
    GO(derive(b, b->assets, &d, &arrival, &seconds));
    add_weather(&t, &d, fire);
    add_moisture(&t, &d, fire);
    add_factors(&t, &d, &b->model.params);
    if (t.n > 0)
        qsort(t.items, t.n, sizeof *t.items, by_shift);
    GO(save_maps(b, &d, name));
    GO(save_table(b, &t, name));
    tell(&t, name, &arrival, seconds);
done:
    free(t.items);
    free(planes);
    free(weather);
    return code;
}
