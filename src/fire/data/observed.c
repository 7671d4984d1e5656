/* SPDX-License-Identifier: Apache-2.0
 * Observed fires: landscape, perimeters, ignition and weather. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/options.h"
#include "core/shown_name.h"
#include "fire/data/geo/date.h"
#include "fire/data/observed_weather.h"
#include "zermelo/fire/weather.h"
#include "fire/data/scene.h"
#include "fire/science/ignition.h"

/* Weather is given for so long after the last perimeter, h. */
#define HOURS_AFTER 24
/* For a single perimeter of unknown duration, h. */
#define HOURS_UNKNOWN 48
/* Longest time between perimeters, h: about a year. */
#define MOST_HOURS 9000.0

struct zm_observed {
    char *folder, *name;
    zm_scene_ground ground;
    zm_perimeters perimeters;
    const uint8_t **masks; /* those of the perimeters */
    double *hours;
    double start; /* hours since 1970; NAN: not known */
    bool in_utc;  /* the dates of the perimeters have a time zone: they are UTC */
    size_t earlier; /* hours of the weather before the start, the first of them */
    zm_fire fire;
    zm_hours weather;
};

/* Path of the first of the names that is in the folder, to be freed; NULL: none. */
static zm_status find_file(const zm_observed *o, const char *const *names, char **path,
                           zm_error *err)
{
    for (; *names; names++) {
        if (!(*path = zm_folder_join(o->folder, *names)))
            return zm_fail(err, ZM_E_NOMEM, -1, "no memory for a path");
        if (zm_file_exists(*path))
            return ZM_OK;
        free(*path);
    }
    *path = NULL;
    return ZM_OK;
}

static zm_status read_ground(zm_observed *o, const zm_fuel *fuels, size_t n_fuels,
                             zm_error *err)
{
    char *tif = zm_folder_join(o->folder, "landscape.tif");
    char *json = zm_folder_join(o->folder, "scene.json");
    zm_status st =
        tif && json ? zm_scene_ground_read(tif, json, fuels, n_fuels, &o->ground, err)
                    : zm_fail(err, ZM_E_NOMEM, -1, "no memory");

    free(tif);
    free(json);
    return st;
}

/* Hours since the first perimeter; NAN where there is one alone or no date. */
static zm_status count_hours(zm_observed *o, zm_error *err)
{
    const zm_perimeter *p = o->perimeters.items;
    const size_t n = o->perimeters.n;
    zm_date date;

    o->hours = calloc(n, sizeof *o->hours);
    o->masks = calloc(n, sizeof *o->masks);
    if (!o->hours || !o->masks)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory");
    for (size_t i = 0; i < n; i++)
        o->masks[i] = p[i].mask;
    o->start = zm_date_parse(p[0].observed, &date) ? zm_date_hours(&date) : (double)NAN;
    o->in_utc = !isnan(o->start) && date.has_zone;
    o->hours[0] = n > 1 ? 0 : (double)NAN;
    for (size_t i = 1; i < n; i++) {
        if (!zm_date_parse(p[i].observed, &date) || isnan(o->start))
            return zm_fail(
                err, ZM_E_FORMAT, -1,
                "%s: perimeter %d has no date, needed where there are several",
                zm_shown_name(o->folder), p[isnan(o->start) ? 0 : i].sequence);
        o->hours[i] = zm_date_hours(&date) - o->start;
        if (!(o->hours[i] > o->hours[i - 1] && o->hours[i] < MOST_HOURS))
            return zm_fail(
                err, ZM_E_FORMAT, -1,
                "%s: perimeter %d of %s must be after %s, by less than a year",
                zm_shown_name(o->folder), p[i].sequence, p[i].observed,
                p[i - 1].observed);
    }
    return ZM_OK;
}

static zm_status read_perimeters(zm_observed *o, zm_error *err)
{
    static const char *const names[] = { "perimeters.gpkg", "perimeters.geojson",
                                         "perimeters.shp", NULL };
    const zm_landscape *land = &o->ground.landscape;
    char *path;
    zm_status st;

    ZM_TRY(find_file(o, names, &path, err));
    if (!path)
        return zm_fail(err, ZM_E_IO, -1,
                       "%s: no perimeters.gpkg, perimeters.geojson or perimeters.shp",
                       zm_shown_name(o->folder));
    st = zm_perimeters_read(path, land->rows, land->cols, &o->ground.raster.where,
                            &o->perimeters, err);
    free(path);
    return st >= 0 ? count_hours(o, err) : st;
}

/* ---- ignition --------------------------------------------------------------------- */

static zm_status take_ignition(zm_observed *o, const json_t *root, const char *path,
                               zm_error *err)
{
    const json_t *row = json_object_get(root, "ignition_row");
    const json_t *col = json_object_get(root, "ignition_col");
    const zm_landscape *land = &o->ground.landscape;

    if (!json_is_integer(row) || !json_is_integer(col) || json_integer_value(row) < 0 ||
        json_integer_value(col) < 0 || json_integer_value(row) >= land->rows ||
        json_integer_value(col) >= land->cols)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: ignition_row and ignition_col must be a cell of the "
                       "landscape of %d x %d",
                       zm_shown_name(path), land->rows, land->cols);
    o->fire.row = (int32_t)json_integer_value(row);
    o->fire.col = (int32_t)json_integer_value(col);
    return ZM_OK;
}

static zm_status read_ignition(zm_observed *o, zm_error *err)
{
    static const char *const names[] = { "ignition.json", NULL };
    char *path, *bytes = NULL;
    size_t n;
    json_error_t why;
    json_t *root = NULL;
    zm_status st;

    o->fire.row = o->fire.col = -1;
    ZM_TRY(find_file(o, names, &path, err));
    if (!path)
        return ZM_OK;
    st = zm_file_read(path, ZM_FILE_TEXT, &bytes, &n, err);
    if (st >= 0 && !(root = json_loadb(bytes, n, 0, &why)))
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s, line %d: %s", zm_shown_name(path),
                     why.line, zm_word_shown(why.text).text);
    if (st >= 0)
        st = take_ignition(o, root, path, err);
    json_decref(root);
    free(bytes);
    free(path);
    return st;
}

/* ---- weather ---------------------------------------------------------------------- */

/* The moment of the first perimeter. */
static zm_time start_of(const zm_observed *o)
{
    zm_time t = { 0, 0, 0, 0, o->in_utc ? 0 : (double)NAN };

    if (!isnan(o->start)) {
        const zm_date date = zm_date_of(o->start);

        t = (zm_time){ date.year, date.month, date.day, date.hour + date.minute / 60.0,
                       t.ahead };
    }
    return t;
}

/* Weather of any form: with dates it goes by that of the first perimeter. */
static zm_status read_hourly(zm_observed *o, const char *path, zm_error *err)
{
    const size_t last = o->perimeters.n - 1;
    const zm_time start = start_of(o);
    zm_weather_series s = ZM_WEATHER_SERIES_INIT;
    zm_fire_weather cut = { 0 };
    zm_error own = { 0 };
    zm_status st = zm_weather_series_read(path, &s, err);

    if (st >= 0) {
        /* a clock that one of perimeters and weather alone tells is refused here */
        st = zm_fire_weather_cut(&s, start.month ? &start : NULL, last ? o->hours[last] : 0,
                                 HUGE_VAL, &cut, &own);
        if (st < 0)
            st = zm_fail(err, st, -1, "%s: %s", zm_shown_name(path), own.text);
    }
    zm_weather_series_free(&s);
    o->weather.items = cut.hours;
    o->weather.n = cut.n + cut.earlier;
    o->earlier = cut.earlier;
    return st;
}

static zm_status read_study(zm_observed *o, const char *path, zm_error *err)
{
    static const char *const names[] = { "daily_study.csv", NULL };
    const size_t last = o->perimeters.n - 1;
    const size_t n = last ? (size_t)ceil(o->hours[last]) + HOURS_AFTER : HOURS_UNKNOWN;
    char *daily;
    zm_status st;

    if (isnan(o->start))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: needs perimeters with dates",
                       zm_shown_name(path));
    if (o->in_utc)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: its times have no time zone, and those of the perimeters are UTC: "
                       "give weather.csv, whose dates may have one or whose hours count from "
                       "the first perimeter on",
                       zm_shown_name(path));
    ZM_TRY(find_file(o, names, &daily, err));
    st = zm_study_weather_read(path, daily, o->start, n, &o->weather, err);

    free(daily);
    return st;
}

static zm_status read_series(zm_observed *o, const char *path, zm_error *err)
{
    double start;
    zm_status st = zm_observed_wind_read(path, &start, &o->weather, err);

    if (st >= 0 && !isnan(start) && o->perimeters.n == 1)
        o->start = start;
    return st;
}

static zm_status read_weather(zm_observed *o, zm_error *err)
{
    static const char *const names[] = { "weather.csv", "wind_study.csv", "wind.csv",
                                         NULL };
    char *path;
    const char *end;
    zm_status st;

    ZM_TRY(find_file(o, names, &path, err));
    if (!path)
        return zm_fail(err, ZM_E_IO, -1,
                       "%s: no weather.csv, wind_study.csv or wind.csv",
                       zm_shown_name(o->folder));
    end = strrchr(path, '/') + 1;
    st = !strcmp(end, names[0])   ? read_hourly(o, path, err)
         : !strcmp(end, names[1]) ? read_study(o, path, err)
                                  : read_series(o, path, err);
    free(path);
    return st;
}

static void set_fire(zm_observed *o, const zm_fuel_moisture *moisture)
{
    const zm_fuel_moisture dry = ZM_MOISTURE_DEFAULT;
    const size_t last = o->perimeters.n - 1;
    double latitude, longitude;
    zm_date date = { .month = 7, .day = 1, .hour = 12, .has_time = true };

    if (!isnan(o->start))
        date = zm_date_of(o->start);
    o->fire.size = sizeof o->fire;
    o->fire.name = o->name;
    o->fire.duration = last ? o->hours[last] : INFINITY;
    o->fire.start_year = date.year;
    o->fire.clock_ahead = o->in_utc ? 0 : (double)NAN;
    o->fire.start_month = date.month;
    o->fire.start_day = date.day;
    o->fire.start_hour = date.hour + date.minute / 60.0;
    o->fire.moisture = moisture ? *moisture : dry;
    o->fire.weather = o->weather.items + o->earlier;
    o->fire.hours = o->weather.n - o->earlier;
    o->fire.earlier = o->earlier ? o->weather.items : NULL;
    o->fire.earlier_hours = o->earlier;
    if (o->in_utc &&
        zm_georeference_place(&o->ground.raster.where, o->ground.raster.rows / 2.0,
                              o->ground.raster.cols / 2.0, &latitude, &longitude,
                              NULL) >= 0)
        o->fire.sun_ahead = zm_sun_ahead(longitude, 0);
}

/* ---- the whole -------------------------------------------------------------------- */

static zm_status set_names(zm_observed *o, const char *folder, zm_error *err)
{
    const char *slash;

    if (!(o->folder = strdup(folder)))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory");
    for (size_t n = strlen(o->folder); n > 1 && o->folder[n - 1] == '/'; n--)
        o->folder[n - 1] = '\0';
    slash = strrchr(o->folder, '/');
    o->name = strdup(slash && slash[1] ? slash + 1 : o->folder);
    return o->name ? ZM_OK : zm_fail(err, ZM_E_NOMEM, -1, "no memory");
}

zm_status zm_observed_open(const char *folder, zm_observed **out,
                           const zm_open_opts *opts, zm_error *err)
{
    zm_open_opts use = ZM_OPEN_OPTS_INIT;
    zm_observed *o;
    zm_status st;

    if (!folder || !*folder || !out)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_observed_open needs a folder and a result");
    *out = NULL;
    if (!(o = calloc(1, sizeof *o)))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory");
    ZM_GO(zm_options_read(&use, sizeof use, opts, "zm_open_opts", err));
    ZM_GO(set_names(o, folder, err));
    ZM_GO(read_ground(o, use.fuels, use.n_fuels, err));
    ZM_GO(read_perimeters(o, err));
    ZM_GO(read_ignition(o, err));
    ZM_GO(read_weather(o, err));
    set_fire(o, use.moisture);
    *out = o;
done:
    if (st < 0)
        zm_observed_close(o);
    return st;
}

void zm_observed_close(zm_observed *observed)
{
    if (!observed)
        return;
    zm_scene_ground_free(&observed->ground);
    zm_perimeters_free(&observed->perimeters);
    free(observed->weather.items);
    free(observed->hours);
    free(observed->masks);
    free(observed->folder);
    free(observed->name);
    free(observed);
}

const zm_landscape *zm_observed_landscape(const zm_observed *observed)
{
    return &observed->ground.landscape;
}

const zm_georeference *zm_observed_georeference(const zm_observed *observed)
{
    return &observed->ground.raster.where;
}

const zm_fire *zm_observed_fire(const zm_observed *observed)
{
    return &observed->fire;
}

const zm_perimeter *zm_observed_perimeters(const zm_observed *observed, size_t *n)
{
    *n = observed->perimeters.n;
    return observed->perimeters.items;
}

const uint8_t *const *zm_observed_masks(const zm_observed *observed)
{
    return observed->masks;
}

const double *zm_observed_hours(const zm_observed *observed)
{
    return observed->hours;
}

int zm_observed_has_start(const zm_observed *observed)
{
    return observed->perimeters.n > 1;
}

size_t zm_observed_skipped_lines(const zm_observed *observed)
{
    return observed->weather.skipped_lines;
}

size_t zm_observed_start(const zm_observed *observed, uint8_t *mask)
{
    const zm_landscape *land = &observed->ground.landscape;
    const size_t n = (size_t)land->rows * (size_t)land->cols;
    const zm_fire *fire = &observed->fire;
    int32_t block[9];
    size_t lit = 0;

    memset(mask, 0, n);
    if (observed->perimeters.n > 1) {
        memcpy(mask, observed->perimeters.items[0].mask, n);
    } else if (fire->row >= 0) {
        const int cells =
            zm_ignition_block(land->rows, land->cols, fire->row, fire->col, block);

        for (int i = 0; i < cells; i++)
            mask[block[i]] = 1;
    }
    for (size_t i = 0; i < n; i++)
        lit += mask[i];
    return lit;
}
