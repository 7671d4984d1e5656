/* SPDX-License-Identifier: Apache-2.0
 * Scenes to files. */
#include "fire/data/scene_write.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/folder.h"
#include "core/pi.h"
#include "core/random.h"
#include "core/text.h"

/* Cells around the burned area in arrival files. */
enum { MARGIN = 8 };

/* ---- landscape -------------------------------------------------------------------- */

static zm_status write_layers(const char *folder, const zm_landscape *land,
                              const zm_georeference *where, zm_error *err)
{
    const float *planes[ZM_LAYERS];
    const char *names[ZM_LAYERS];
    zm_raster_planes map = { land->rows, land->cols, 0, planes, names, where };
    char *path = zm_folder_join(folder, "landscape.tif");
    zm_status st;

    for (int layer = 0; layer < ZM_LAYERS; layer++)
        if (land->layers[layer]) {
            planes[map.bands] = land->layers[layer];
            names[map.bands++] = zm_scene_layer_band((zm_layer)layer);
        }
    st = path ? zm_raster_write(path, &map, err)
              : zm_fail(err, ZM_E_NOMEM, -1, "no memory for a path");
    free(path);
    return st;
}

/* A space or comma, and the number. */
static void add_number(zm_text *t, const char *before, double value)
{
    zm_text_add(t, before);
    zm_text_add_number(t, value);
}

static void add_fuel(zm_text *t, const zm_fuel *f)
{
    const double rest[4] = { f->depth, f->extinction, f->heat[0], f->heat[1] };

    zm_text_print(t, "\"%d\": \"%d FM%d", (int)f->number, (int)f->number,
                  (int)f->number);
    for (int i = 0; i < 5; i++)
        add_number(t, " ", f->load[i]);
    zm_text_print(t, " %s", f->dynamic ? "dynamic" : "static");
    for (int i = 0; i < 3; i++)
        add_number(t, " ", f->surface_to_volume[i]);
    for (int i = 0; i < 4; i++)
        add_number(t, " ", rest[i]);
    zm_text_print(t, " FM%d\"", (int)f->number);
}

zm_status zm_scene_ground_write(const char *folder, const char *scene,
                                const zm_landscape *land, const zm_georeference *where,
                                zm_error *err)
{
    zm_status st = zm_folder_make(folder, err);

    if (st >= 0)
        st = write_layers(folder, land, where, err);
    return st < 0 ? st : zm_scene_facts_write(folder, scene, land, err);
}

zm_status zm_scene_facts_write(const char *folder, const char *scene,
                               const zm_landscape *land, zm_error *err)
{
    zm_text t = { 0 };

    zm_text_print(&t, "{\n \"scene\": ");
    zm_text_add_quoted(&t, scene);
    add_number(&t, ",\n \"latitude_deg\": ", land->latitude);
    add_number(&t, ",\n \"weather_station_elevation_m\": ", land->station_elevation);
    zm_text_add(&t, ",\n \"custom_fuels\": {");
    for (size_t i = 0; i < land->n_custom_fuels; i++) {
        zm_text_print(&t, "%s\n  ", i ? "," : "");
        add_fuel(&t, &land->custom_fuels[i]);
    }
    zm_text_print(&t, "%s}\n}\n", land->n_custom_fuels ? "\n " : "");
    return zm_text_save(&t, folder, "scene.json", err);
}

/* ---- fires ------------------------------------------------------------------------ */

zm_status zm_weather_write(const char *folder, const char *name,
                           const zm_weather_hour *hours, size_t n, size_t earlier,
                           zm_error *err)
{
    zm_text t = { 0 };

    zm_text_print(&t, "hour,temperature_c,relative_humidity_pct,wind_speed_kmh,"
                      "wind_dir_deg,cloud_pct,precip_mm\n");
    for (size_t k = 0; k < n; k++) {
        const double values[6] = { hours[k].temperature, hours[k].humidity,
                                   hours[k].wind_speed,  hours[k].wind_dir,
                                   hours[k].cloud,       hours[k].rain };

        zm_text_print(&t, "%lld", (long long)k - (long long)earlier);
        for (int c = 0; c < 6; c++)
            add_number(&t, ",", values[c]);
        zm_text_add(&t, "\n");
    }
    return zm_text_save(&t, folder, name, err);
}

static zm_status write_weather(const char *folder, const zm_fire *fire, zm_error *err)
{
    char name[160];

    (void)snprintf(name, sizeof name, "weather/%s.csv", fire->name);
    return zm_weather_write(folder, name,
                            fire->earlier_hours ? fire->earlier : fire->weather,
                            fire->earlier_hours + fire->hours, fire->earlier_hours, err);
}

/* Cells and times of a fire that has more than its ignition. */
static zm_status write_sources(const char *folder, const zm_fire *fire, zm_error *err)
{
    char *inside, name[160];
    zm_text t = { 0 };
    zm_status st;

    if (fire->n_sources == 0)
        return ZM_OK;
    inside = zm_folder_join(folder, "sources");
    st = inside ? zm_folder_make(inside, err)
                : zm_fail(err, ZM_E_NOMEM, -1, "no memory for a path");
    free(inside);
    if (st < 0)
        return st;
    zm_text_add(&t, "row,col,time_h\n");
    for (size_t i = 0; i < fire->n_sources; i++) {
        zm_text_print(&t, "%d,%d", (int)fire->sources[i].row, (int)fire->sources[i].col);
        add_number(&t, ",", fire->sources[i].time);
        zm_text_add(&t, "\n");
    }
    (void)snprintf(name, sizeof name, "sources/%s.csv", fire->name);
    return zm_text_save(&t, folder, name, err);
}

/* Means over the hours of the fire; that of directions is circular. */
typedef struct means {
    double wind, direction, temperature, humidity;
    bool constant;
} means;

static means means_of(const zm_fire *fire)
{
    const double degree = ZM_RADIANS;
    const double hours = isfinite(fire->duration) ? ceil(fire->duration) : 1e9;
    const size_t n = hours < (double)fire->hours ? (size_t)fmax(hours, 1) : fire->hours;
    means m = { 0, 0, 0, 0, true };
    double x = 0, y = 0;

    for (size_t k = 0; k < n; k++) {
        const zm_weather_hour *w = &fire->weather[k];

        m.wind += w->wind_speed / (double)n;
        m.temperature += w->temperature / (double)n;
        m.humidity += w->humidity / (double)n;
        x += cos(w->wind_dir * degree);
        y += sin(w->wind_dir * degree);
        m.constant &= w->wind_speed == fire->weather[0].wind_speed &&
                      w->wind_dir == fire->weather[0].wind_dir &&
                      w->temperature == fire->weather[0].temperature;
    }
    m.direction = fmod(atan2(y, x) / degree + 360, 360);
    return m;
}

static void add_line(zm_text *t, const zm_fire_record *r)
{
    const zm_fire *f = &r->fire;
    const means m = means_of(f);
    const int minutes = (int)lround(f->start_hour * 60) % (24 * 60);
    const zm_fuel_moisture *dry = &f->moisture;
    const double moisture[5] = { dry->dead_1h, dry->dead_10h, dry->dead_100h,
                                 dry->live_herb, dry->live_woody };

    zm_text_print(t, "%s,%s,%d,%d,", f->name, r->split, (int)f->row, (int)f->col);
    if (isfinite(f->duration))
        zm_text_add_number(t, f->duration);
    zm_text_print(t, ",");
    if (r->burned >= 0)
        zm_text_print(t, "%lld", (long long)r->burned);
    zm_text_print(t, ",%.2f,%.1f,%.1f,%.1f", m.wind, m.direction, m.temperature,
                  m.humidity);
    for (int i = 0; i < 5; i++)
        add_number(t, ",", moisture[i]);
    zm_text_print(t, ",weather/%s.csv,%s,%02d-%02dT%02d:%02d", f->name,
                  m.constant ? "constant" : "varying", (int)f->start_month,
                  (int)f->start_day, minutes / 60, minutes % 60);
    add_number(t, ",", f->sun_ahead);
    zm_text_add(t, ",");
    if (f->start_year > 0)
        zm_text_print(t, "%d", (int)f->start_year);
    zm_text_add(t, ",");
    if (f->start_year > 0 && isfinite(f->clock_ahead))
        zm_text_add_number(t, f->clock_ahead);
    zm_text_add(t, ",");
    if (f->n_sources > 0)
        zm_text_print(t, "sources/%s.csv", f->name);
    zm_text_add(t, "\n");
}

zm_status zm_fires_write(const char *folder, const zm_fire_record *fires, size_t n,
                         zm_error *err)
{
    zm_text t = { 0 };
    char *weather = zm_folder_join(folder, "weather");
    zm_status st = weather ? zm_folder_make(weather, err)
                           : zm_fail(err, ZM_E_NOMEM, -1, "no memory for a path");

    free(weather);
    for (size_t i = 0; st >= 0 && i < n; i++)
        st = write_weather(folder, &fires[i].fire, err);
    for (size_t i = 0; st >= 0 && i < n; i++)
        st = write_sources(folder, &fires[i].fire, err);
    if (st < 0)
        return st;
    zm_text_print(&t,
                  "fire,split,ignition_row,ignition_col,duration_h,burned_cells,"
                  "wind_speed_kmh_mean,wind_dir_deg_mean,temperature_c_mean,"
                  "relative_humidity_pct_mean,moisture_1h_pct,moisture_10h_pct,"
                  "moisture_100h_pct,moisture_live_herb_pct,moisture_live_woody_pct,"
                  "weather,weather_kind,start_local,sun_ahead_h,start_year,clock_ahead_h,"
                  "sources\n");
    for (size_t i = 0; i < n; i++)
        add_line(&t, &fires[i]);
    return zm_text_save(&t, folder, "fires.csv", err);
}

void zm_scene_splits_draw(size_t n, uint64_t seed, const char **words)
{
    const size_t test = n >= 3 ? (n * 15 + 50) / 100 + (n < 7) : 0;
    const size_t val = n >= 3 ? (n * 15 + 50) / 100 + (n < 4) : 0;

    for (size_t i = 0; i < n; i++)
        words[i] = i < test ? "test" : i < test + val ? "val" : "train";
    for (size_t i = n; i > 1; i--) { /* Fisher and Yates */
        const size_t k = zm_random_below(&seed, i);
        const char *word = words[i - 1];

        words[i - 1] = words[k];
        words[k] = word;
    }
}

/* ---- arrival ---------------------------------------------------------------------- */

typedef struct window {
    int32_t row, col, rows, cols;
} window;

static window burned_window(const float *T, int32_t rows, int32_t cols)
{
    int32_t top = rows, bottom = -1, left = cols, right = -1;

    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++)
            if (isfinite(T[(size_t)r * (size_t)cols + (size_t)c])) {
                top = r < top ? r : top;
                bottom = r;
                left = c < left ? c : left;
                right = c > right ? c : right;
            }
    if (bottom < 0)
        return (window){ 0, 0, rows, cols };
    top = top > MARGIN ? top - MARGIN : 0;
    left = left > MARGIN ? left - MARGIN : 0;
    bottom = bottom + MARGIN < rows ? bottom + MARGIN : rows - 1;
    right = right + MARGIN < cols ? right + MARGIN : cols - 1;
    return (window){ top, left, bottom - top + 1, right - left + 1 };
}

zm_status zm_scene_arrival_write(const char *folder, const char *fire, const float *T,
                                 const zm_landscape *land, const zm_georeference *where,
                                 zm_error *err)
{
    const window w = burned_window(T, land->rows, land->cols);
    static const char *const names[1] = { "arrival_time_h" };
    zm_georeference there = *where;
    float *part = malloc((size_t)w.rows * (size_t)w.cols * sizeof *part);
    const float *const planes[1] = { part };
    const zm_raster_planes map = { w.rows, w.cols, 1, planes, names, &there };
    char *arrival = zm_folder_join(folder, "arrival"), path[512];
    zm_status st = part && arrival ? zm_folder_make(arrival, err)
                                   : zm_fail(err, ZM_E_NOMEM, -1, "no memory");

    if (st >= 0) {
        const double *t = where->transform;

        there.transform[0] = t[0] + w.col * t[1] + w.row * t[2];
        there.transform[3] = t[3] + w.col * t[4] + w.row * t[5];
        for (int32_t r = 0; r < w.rows; r++)
            memcpy(part + (size_t)r * (size_t)w.cols,
                   T + (size_t)(w.row + r) * (size_t)land->cols + (size_t)w.col,
                   (size_t)w.cols * sizeof *part);
        st = snprintf(path, sizeof path, "%s/%s.tif", arrival, fire) < (int)sizeof path
                 ? zm_raster_write(path, &map, err)
                 : zm_fail(err, ZM_E_ARG, -1, "path too long");
    }
    free(arrival);
    free(part);
    return st;
}
