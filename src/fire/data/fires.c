/* SPDX-License-Identifier: Apache-2.0
 * fires.csv and weather/FIRE.csv. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/month.h"
#include "core/shown_name.h"
#include "core/csv.h"
#include "fire/data/scene.h"

/* Longest fire, hours; more is a mistake of units. */
#define MOST_HOURS 10000.0

/* ---- fires.csv -------------------------------------------------------------------- */

typedef enum number_column {
    ROW,
    COL,
    DURATION,
    BURNED,
    DEAD_1H,
    DEAD_10H,
    DEAD_100H,
    LIVE_HERB,
    LIVE_WOODY,
    SUN_AHEAD,
    START_YEAR,
    CLOCK_AHEAD,
    NUMBER_COLUMNS
} number_column;

static const zm_fuel_moisture moisture_default = ZM_MOISTURE_DEFAULT;

static zm_column_rule rule_of(number_column c)
{
    const zm_fuel_moisture *m = &moisture_default;

    switch (c) {
    case ROW:
        return (zm_column_rule){ "ignition_row", 0, 1e6, true, true, 0 };
    case COL:
        return (zm_column_rule){ "ignition_col", 0, 1e6, true, true, 0 };
    case DURATION:
        return (zm_column_rule){ "duration_h", 0, MOST_HOURS, false, false, INFINITY };
    case BURNED:
        return (zm_column_rule){ "burned_cells", 0, 1e9, true, false, -1 };
    case DEAD_1H:
        return (
            zm_column_rule){ "moisture_1h_pct", 0.1, 100, false, false, m->dead_1h };
    case DEAD_10H:
        return (
            zm_column_rule){ "moisture_10h_pct", 0.1, 100, false, false, m->dead_10h };
    case DEAD_100H:
        return (zm_column_rule){ "moisture_100h_pct", 0.1, 100, false, false,
                                 m->dead_100h };
    case LIVE_HERB:
        return (zm_column_rule){
            "moisture_live_herb_pct", 0.1, 400, false, false, m->live_herb
        };
    case SUN_AHEAD:
        return (zm_column_rule){ "sun_ahead_h", -24, 24, false, false, 0 };
    case START_YEAR:
        return (zm_column_rule){ "start_year", 0, 9999, true, false, 0 };
    case CLOCK_AHEAD:
        return (zm_column_rule){ "clock_ahead_h", -14, 14, false, false, NAN };
    default:
        return (zm_column_rule){
            "moisture_live_woody_pct", 0.1, 400, false, false, m->live_woody
        };
    }
}

void zm_fires_free(zm_fire_line *fires, size_t n)
{
    for (size_t i = 0; fires && i < n; i++) {
        free((char *)(uintptr_t)fires[i].fire.name);
        free((zm_weather_hour *)(uintptr_t)(fires[i].fire.earlier
                                                ? fires[i].fire.earlier
                                                : fires[i].fire.weather));
        free((zm_source *)(uintptr_t)fires[i].fire.sources);
        free(fires[i].sources_file);
        free(fires[i].split);
        free(fires[i].weather_file);
    }
    free(fires);
}

/* A name becomes part of file names. */
static bool good_name(const char *name)
{
    size_t n = 0;

    for (; name[n]; n++)
        if (!isalnum((unsigned char)name[n]) && !strchr("._-", name[n]))
            return false;
    return n >= 1 && n <= 100 && name[0] != '.';
}

/* Inside the scene, whatever the table says: no part of the path is "..". */
static bool good_path(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")); at += 2)
        if ((at == path || at[-1] == '/') && (at[2] == '/' || !at[2]))
            return false;
    return path[0] != '/' && strlen(path) <= 200;
}

int zm_start_parse(const char *text, int32_t *month, int32_t *day, double *hour)
{
    int m, d, h, minute = 0, used = 0;

    if (sscanf(text, "%2d-%2dT%2d:%2d%n", &m, &d, &h, &minute, &used) < 4) {
        minute = 0;
        if (sscanf(text, "%2d-%2dT%2d%n", &m, &d, &h, &used) < 3)
            return 0;
    }
    if (text[used] || minute < 0 || minute > 59 || !zm_start_exists(m, d, h))
        return 0;
    *month = m;
    *day = d;
    *hour = h + minute / 60.0;
    return 1;
}

static zm_status read_start(const zm_table *t, size_t row, size_t column, zm_fire *fire,
                            zm_error *err)
{
    const char *word = zm_table_word(t, row, column);

    fire->start_month = 7;
    fire->start_day = 1;
    fire->start_hour = 12;
    if (!*word ||
        zm_start_parse(word, &fire->start_month, &fire->start_day, &fire->start_hour))
        return ZM_OK;
    return zm_table_fail(t, row, column, "month-dayThour:minute, like 07-03T17:00",
                         err);
}

static char *weather_path(const char *word, const char *fire)
{
    const size_t room = strlen(fire) + 16;
    char *path;

    if (*word)
        return strdup(word);
    if ((path = malloc(room)))
        (void)snprintf(path, room, "weather/%s.csv", fire);
    return path;
}

static zm_status read_words(const zm_table *t, size_t row, zm_fire_line *line,
                            zm_error *err)
{
    const size_t name = zm_table_column(t, "fire"), split = zm_table_column(t, "split");
    const size_t weather = zm_table_column(t, "weather"),
                 sources = zm_table_column(t, "sources");
    const char *word = zm_table_word(t, row, name);

    if (!good_name(word))
        return zm_table_fail(t, row, name, "letters, digits, '_', '-' and '.'", err);
    if (!good_path(zm_table_word(t, row, weather)))
        return zm_table_fail(t, row, weather, "a file inside the scene", err);
    if (!good_path(zm_table_word(t, row, sources)))
        return zm_table_fail(t, row, sources, "a file inside the scene", err);
    line->fire.size = sizeof line->fire;
    line->fire.name = strdup(word);
    line->split = strdup(zm_table_word(t, row, split));
    line->weather_file = weather_path(zm_table_word(t, row, weather), word);
    line->sources_file = strdup(zm_table_word(t, row, sources));
    if (!line->fire.name || !line->split || !line->weather_file || !line->sources_file)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(t->name));
    return read_start(t, row, zm_table_column(t, "start_local"), &line->fire, err);
}

static void store_number(zm_fire_line *line, number_column c, double value)
{
    zm_fuel_moisture *m = &line->fire.moisture;

    switch (c) {
    case ROW:
        line->fire.row = (int32_t)value;
        break;
    case COL:
        line->fire.col = (int32_t)value;
        break;
    case DURATION:
        line->fire.duration = value;
        break;
    case BURNED:
        line->burned_cells = value;
        break;
    case DEAD_1H:
        m->dead_1h = value;
        break;
    case DEAD_10H:
        m->dead_10h = value;
        break;
    case DEAD_100H:
        m->dead_100h = value;
        break;
    case LIVE_HERB:
        m->live_herb = value;
        break;
    case SUN_AHEAD:
        line->fire.sun_ahead = value;
        break;
    case START_YEAR:
        line->fire.start_year = (int32_t)value;
        break;
    case CLOCK_AHEAD:
        line->fire.clock_ahead = value;
        break;
    default:
        m->live_woody = value;
    }
}

static zm_status read_columns(const zm_table *t, zm_fire_line *fires, double *values,
                              zm_error *err)
{
    zm_status st = ZM_OK;

    for (int c = 0; st >= 0 && c < NUMBER_COLUMNS; c++) {
        const zm_column_rule rule = rule_of((number_column)c);

        st = zm_table_numbers(t, &rule, values, err);
        for (size_t i = 0; st >= 0 && i < t->n_rows; i++)
            store_number(&fires[i], (number_column)c, values[i]);
    }
    return st;
}

static const char *const *name_at(const void *p)
{
    return p;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*name_at(a), *name_at(b));
}

static zm_status check_names(const zm_fire_line *fires, size_t n, const char *name,
                             zm_error *err)
{
    const char **names = malloc(n * sizeof *names);
    zm_status st = ZM_OK;

    if (!names)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(name));
    for (size_t i = 0; i < n; i++)
        names[i] = fires[i].fire.name;
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 1; st >= 0 && i < n; i++)
        if (!strcmp(names[i - 1], names[i]))
            st = zm_fail(err, ZM_E_FORMAT, -1, "%s: fire %s is there twice",
                         zm_shown_name(name), names[i]);
    free(names);
    return st;
}

static zm_status read_fires(const zm_table *t, zm_fire_line *fires, zm_error *err)
{
    double *values = malloc(t->n_rows * sizeof *values);
    size_t name;
    zm_status st = zm_table_need(t, "fire", &name, err);

    if (!values)
        st = zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(t->name));
    for (size_t i = 0; st >= 0 && i < t->n_rows; i++)
        st = read_words(t, i, &fires[i], err);
    if (st >= 0)
        st = read_columns(t, fires, values, err);
    if (st >= 0)
        st = check_names(fires, t->n_rows, t->name, err);
    free(values);
    return st;
}

zm_status zm_fires_parse(const void *bytes, size_t n, const char *name,
                         zm_fire_line **out, size_t *n_fires, zm_error *err)
{
    zm_table t;
    zm_status st = zm_table_parse(bytes, n, name, NULL, &t, err);

    *out = NULL;
    *n_fires = 0;
    if (st < 0)
        return st;
    if (t.n_rows == 0)
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: a header and no fires",
                     zm_shown_name(name));
    else if (!(*out = calloc(t.n_rows, sizeof **out)))
        st = zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(name));
    else
        st = read_fires(&t, *out, err);
    if (st < 0) {
        zm_fires_free(*out, t.n_rows);
        *out = NULL;
    } else {
        *n_fires = t.n_rows;
    }
    zm_table_free(&t);
    return st;
}

/* ---- weather ---------------------------------------------------------------------- */

enum { HOUR, TEMPERATURE, HUMIDITY, SPEED, DIRECTION, CLOUD, RAIN, WEATHER_COLUMNS };

static const zm_column_rule weather_rules[WEATHER_COLUMNS] = {
    { "hour", -MOST_HOURS, MOST_HOURS, true, false, NAN },
    { "temperature_c", -60, 60, false, false, 25 },
    { "relative_humidity_pct", 0, 100, false, false, 30 },
    { "wind_speed_kmh", 0, 400, false, true, 0 },
    { "wind_dir_deg", 0, 360, false, true, 0 },
    { "cloud_pct", 0, 100, false, false, 0 },
    { "precip_mm", 0, 500, false, false, 0 },
};

static zm_status check_hours(const zm_table *t, const double *hour, size_t *earlier,
                             zm_error *err)
{
    const size_t column = zm_table_column(t, "hour");
    const double first = earlier && hour[0] < 0 ? hour[0] : 0;

    for (size_t i = 0; i < t->n_rows; i++)
        if (!isnan(hour[i]) && hour[i] != first + (double)i)
            return zm_table_fail(t, i, column, "0, 1, 2, ... without gaps", err);
    if (first + (double)t->n_rows < 1)
        return zm_table_fail(t, t->n_rows - 1, column,
                             "0 or more: the fire has no weather of its own", err);
    if (earlier)
        *earlier = (size_t)-first;
    return ZM_OK;
}

/* Members of zm_weather_hour are in the order of the columns after the hour. */
static uint32_t assumed_columns(const zm_table *t)
{
    uint32_t assumed = 0;

    for (int c = TEMPERATURE; c < WEATHER_COLUMNS; c++)
        if (zm_table_column(t, weather_rules[c].column) == ZM_NO_COLUMN)
            assumed |= 1U << (c - TEMPERATURE);
    return assumed;
}

static zm_status read_hours(const zm_table *t, double *columns, zm_weather_hour *hours,
                            size_t *earlier, zm_error *err)
{
    const size_t n = t->n_rows;
    zm_status st = ZM_OK;

    for (size_t c = 0; st >= 0 && c < WEATHER_COLUMNS; c++)
        st = zm_table_numbers(t, &weather_rules[c], columns + c * n, err);
    if (st >= 0)
        st = check_hours(t, columns + HOUR * n, earlier, err);
    for (size_t i = 0; st >= 0 && i < n; i++)
        hours[i] = (zm_weather_hour){
            columns[TEMPERATURE * n + i], columns[HUMIDITY * n + i],
            columns[SPEED * n + i],       columns[DIRECTION * n + i],
            columns[CLOUD * n + i],       columns[RAIN * n + i],
        };
    return st;
}

zm_status zm_weather_parse(const void *bytes, size_t n, const char *name,
                           zm_weather_hour **hours, size_t *n_hours, size_t *earlier,
                           uint32_t *assumed, zm_error *err)
{
    zm_table t;
    double *columns = NULL;
    zm_status st = zm_table_parse(bytes, n, name, NULL, &t, err);

    *hours = NULL;
    *n_hours = 0;
    if (st < 0)
        return st;
    if (t.n_rows == 0) {
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: a header and no hours",
                     zm_shown_name(name));
    } else if (!(*hours = calloc(t.n_rows, sizeof **hours)) ||
               !(columns = calloc(t.n_rows, WEATHER_COLUMNS * sizeof *columns))) {
        st = zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(name));
    } else {
        st = read_hours(&t, columns, *hours, earlier, err);
        *n_hours = t.n_rows;
        if (assumed)
            *assumed = assumed_columns(&t);
    }
    free(columns);
    zm_table_free(&t);
    if (st < 0) {
        free(*hours);
        *hours = NULL;
        *n_hours = 0;
    }
    return st;
}
