/* SPDX-License-Identifier: Apache-2.0
 * Weather of observed fires, in the forms it comes in. */
#include "fire/data/observed_weather.h"

#include <math.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "core/csv.h"
#include "fire/data/geo/date.h"
#include "fire/science/units.h"

/* Hour of the day at which it is hottest and driest. */
#define HOTTEST_HOUR 15.0

static const zm_column_rule wind_mph = { "wind_speed_mph", 0, 250, false, true, 0 };
static const zm_column_rule wind_kmh = { "wind_speed_kmh", 0, 400, false, true, 0 };
static const zm_column_rule wind_dir = { "wind_dir_deg", 0, 360, false, true, 0 };
static const zm_column_rule cloud = { "cloud_pct", 0, 100, false, false, 0 };

/* A table with times, as columns of numbers. */
typedef struct series {
    zm_table table;
    double *hours; /* since 1970 */
    double *columns[4];
    double *memory;
    size_t skipped; /* lines without a good time */
} series;

static void series_free(series *s)
{
    zm_table_free(&s->table);
    free(s->memory);
    *s = (series){ 0 };
}

/* The time of a line; NAN where there is no such day (a 31 April occurs). */
static double time_of_line(const zm_table *t, size_t row, size_t column)
{
    zm_date date;

    if (!zm_date_parse(zm_table_word(t, row, column), &date))
        return (double)NAN;
    date.has_time = true; /* a whole day begins at midnight */
    return zm_date_hours(&date);
}

/* Times of the lines; NAN for those to be left out, which have no such day or are later than
 * the line after them. */
static zm_status read_times(series *s, const char *column, zm_error *err)
{
    const size_t n = s->table.n_rows;
    double next = INFINITY;
    size_t c;
    zm_status st = zm_table_need(&s->table, column, &c, err);

    for (size_t i = n; st >= 0 && i-- > 0;) {
        s->hours[i] = time_of_line(&s->table, i, c);
        if (!(s->hours[i] < next))
            s->hours[i] = (double)NAN;
        else
            next = s->hours[i];
        s->skipped += isnan(s->hours[i]) ? 1 : 0;
    }
    if (st >= 0 && 2 * s->skipped > n)
        return zm_table_fail(&s->table, 0, c,
                             "a date like 2013-09-02T15:00, in most lines, and rising",
                             err);
    return st;
}

static zm_status series_read(series *s, const char *path, const char *times,
                             const zm_column_rule *rules, size_t n_rules, zm_error *err)
{
    zm_status st = zm_table_read(path, &s->table, err);
    const size_t n = s->table.n_rows;

    if (st < 0)
        return st;
    if (n == 0)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: a header and no lines",
                       zm_shown_name(path));
    if (!(s->memory = calloc(n, 5 * sizeof *s->memory)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(path));
    s->hours = s->memory;
    if (times)
        st = read_times(s, times, err);
    for (size_t k = 0; st >= 0 && k < n_rules; k++) {
        s->columns[k] = s->memory + (k + 1) * n;
        st = zm_table_numbers(&s->table, &rules[k], s->columns[k], err);
    }
    return st;
}

/* The last line that is not later; the first where all are. */
static size_t line_at(const series *s, double hour)
{
    size_t found = 0;

    while (isnan(s->hours[found]))
        found++;
    for (size_t i = found; i < s->table.n_rows; i++)
        if (s->hours[i] <= hour)
            found = i;
    return found;
}

/* Between the extremes of the day as a cosine. */
static double of_the_day(double coldest, double hottest, double hour)
{
    const double phase = 2 * ZM_PI * (fmod(hour, 24) - HOTTEST_HOUR) / 24;

    return 0.5 * (hottest + coldest) + 0.5 * (hottest - coldest) * cos(phase);
}

static zm_weather_hour study_hour(const series *wind, const series *daily, double hour)
{
    const size_t w = line_at(wind, hour), d = daily ? line_at(daily, hour) : 0;
    zm_weather_hour out = { 25,
                            30,
                            wind->columns[0][w] / ZM_MPH_20FT_OF_KMH_10M,
                            wind->columns[1][w],
                            wind->columns[2][w],
                            0 };

    if (daily) {
        out.temperature = of_the_day(daily->columns[0][d], daily->columns[1][d], hour);
        out.humidity = of_the_day(daily->columns[2][d], daily->columns[3][d], hour);
    }
    return out;
}

zm_status zm_study_weather_read(const char *wind, const char *daily, double start,
                                size_t n, zm_hours *out, zm_error *err)
{
    const zm_column_rule of_wind[] = { wind_mph, wind_dir, cloud };
    const zm_column_rule of_day[] = {
        { "temperature_min_c", -60, 60, false, true, 0 },
        { "temperature_max_c", -60, 60, false, true, 0 },
        { "relative_humidity_max_pct", 0, 100, false, true, 0 },
        { "relative_humidity_min_pct", 0, 100, false, true, 0 },
    };
    series winds = { 0 }, days = { 0 };
    zm_status st = series_read(&winds, wind, "datetime", of_wind, 3, err);

    *out = (zm_hours){ 0 };
    if (st >= 0 && daily)
        st = series_read(&days, daily, "date", of_day, 4, err);
    if (st >= 0 && !(out->items = calloc(n, sizeof *out->items)))
        st = zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(wind));
    if (st >= 0) {
        out->n = n;
        out->skipped_lines = winds.skipped + days.skipped;
        for (size_t i = 0; i < n; i++) /* the middle of the hour stands for it */
            out->items[i] =
                study_hour(&winds, daily ? &days : NULL, start + (double)i + 0.5);
    }
    series_free(&winds);
    series_free(&days);
    return st;
}

zm_status zm_observed_wind_read(const char *path, double *start, zm_hours *out,
                                zm_error *err)
{
    const zm_column_rule of_wind[] = { wind_kmh, wind_dir };
    series winds = { 0 };
    zm_date date;
    zm_status st = series_read(&winds, path, NULL, of_wind, 2, err);
    const size_t n = winds.table.n_rows;

    *out = (zm_hours){ 0 };
    *start = (double)NAN;
    if (st >= 0 && !(out->items = calloc(n, sizeof *out->items)))
        st = zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(path));
    if (st >= 0) {
        const size_t label = zm_table_column(&winds.table, "datetime_label");

        out->n = n;
        for (size_t i = 0; i < n; i++)
            out->items[i] =
                (zm_weather_hour){ 25, 30, winds.columns[0][i], winds.columns[1][i],
                                   0,  0 };
        if (zm_date_parse_short(zm_table_word(&winds.table, 0, label), &date) ||
            zm_date_parse(zm_table_word(&winds.table, 0, label), &date))
            *start = zm_date_hours(&date);
    }
    series_free(&winds);
    return st;
}
