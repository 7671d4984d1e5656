/* SPDX-License-Identifier: Apache-2.0
 * FARSITE's weather streams (.wxs). */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include "fire/data/weather_stream.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/plain_number.h"
#include "core/shown_name.h"
#include "fire/data/geo/date.h"
#include "fire/data/weather_form.h"
#include "fire/science/units.h"

enum { WITH_DATE = 10, WITHOUT_DATE = 6, TIME = 3 };

int zm_weather_numbers(const char *line, size_t length, double *values, int most)
{
    int n = 0;

    for (size_t i = 0; i < length;) {
        char word[40];
        const size_t skip = strspn(line + i, " \t\r,"), rest = i + skip;
        const size_t size = rest < length ? strcspn(line + rest, " \t\r,\n") : 0;

        if (size == 0)
            return n;
        if (n == most || size >= sizeof word)
            return -1;
        memcpy(word, line + rest, size);
        word[size] = '\0';
        if (!zm_plain_number(word, &values[n++]))
            return -1;
        i = rest + size;
    }
    return n;
}

static zm_weather_hour hour_from(const double v[WITHOUT_DATE], bool metric)
{
    zm_weather_hour w = { v[0], v[1], v[3], v[4], v[5], v[2] };

    if (!metric) {
        w.temperature = (w.temperature - 32) / 1.8;
        w.wind_speed /= ZM_MPH_20FT_OF_KMH_10M;
        w.rain *= ZM_MM_PER_INCH;
    }
    return w;
}

/* A line of the text without the blanks before it. */
typedef struct text_line {
    const char *at, *next;
    size_t n;
} text_line;

static text_line line_of(const char *text)
{
    const size_t length = strcspn(text, "\n");
    const char *at = text + strspn(text, " \t\r");
    const size_t n = at < text + length ? length - (size_t)(at - text) : 0;

    return (text_line){ at, text + length + (text[length] == '\n'), n };
}

/* Times are 0 to 24, or hour and minute as one number: 45 may be a quarter to one.  One that no
 * hour can be tells for all. */
static bool has_minutes(const char *text, size_t most)
{
    double v[WITH_DATE];

    for (size_t k = 0; *text && k < most; k++) {
        const text_line l = line_of(text);

        if (zm_weather_numbers(l.at, l.n, v, WITH_DATE) == WITH_DATE && v[TIME] > 24)
            return true;
        text = l.next;
    }
    return false;
}

static zm_status take_line(zm_weather_series *s, const text_line *l, size_t number,
                           bool metric, bool minutes, size_t *room, const char *name,
                           zm_error *err)
{
    double v[WITH_DATE], time = (double)s->n;
    const int n = zm_weather_numbers(l->at, l->n, v, WITH_DATE);
    const bool dated = n == WITH_DATE && v[1] != 0;
    zm_weather_hour w;

    if (n != WITH_DATE && n != WITHOUT_DATE)
        return zm_fail(
            err, ZM_E_FORMAT, -1,
            "%s, line %zu: must be ten numbers: year month day time temperature "
            "humidity rain wind direction cloud",
            zm_shown_name(name), number);
    if (dated)
        time = zm_weather_time(v[0], v[1], v[2], minutes ? v[TIME] : 100 * v[TIME]);
    if (isnan(time) || (s->n > 0 && dated != (s->dated != 0)))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s, line %zu: year %g, month %g, day %g, time %g is no date, or "
                       "other lines have none",
                       zm_shown_name(name), number, v[0], v[1], v[2], v[TIME]);
    s->dated = dated;
    w = hour_from(v + n - WITHOUT_DATE, metric);
    return zm_weather_series_add(s, room, time, &w, name, number, err);
}

/* "KEY: value" into the value of the key, else NULL. */
static const char *value_of(const text_line *l, const char *key)
{
    const size_t n = strlen(key);
    const char *at = l->at + n;

    if (l->n <= n || strncasecmp(l->at, key, n) != 0)
        return NULL;
    return at + strspn(at, ": \t");
}

zm_status zm_weather_stream_take(const char *text, const char *name, size_t line,
                                 size_t most, int metric, zm_weather_series *s,
                                 const char **end, zm_error *err)
{
    const bool minutes = has_minutes(text, most);
    size_t room = 0;

    for (size_t taken = 0; *text && taken < most; line++) {
        const text_line l = line_of(text);

        if (l.n && !isalpha((unsigned char)*l.at) && *l.at != '#') {
            ZM_TRY(take_line(s, &l, line, metric != 0, minutes, &room, name, err));
            taken++;
        }
        text = l.next;
    }
    if (end)
        *end = text;
    return ZM_OK;
}

/* What stands above the lines. */
static zm_status take_head(const char *text, const char *name, bool *metric,
                           double *elevation, zm_error *err)
{
    *metric = false;
    *elevation = NAN;
    for (size_t number = 1; *text; number++) {
        const text_line l = line_of(text);
        const char *units = value_of(&l, "RAWS_UNITS");
        const char *height = value_of(&l, "RAWS_ELEVATION");
        double v[1];

        if (units && !strncasecmp(units, "metric", 6))
            *metric = true;
        else if (units && strncasecmp(units, "english", 7) != 0)
            return zm_fail(err, ZM_E_FORMAT, -1,
                           "%s, line %zu: RAWS_UNITS must be English or Metric",
                           zm_shown_name(name), number);
        if (height && zm_weather_numbers(height, l.n - (size_t)(height - l.at), v, 1) != 1)
            return zm_fail(err, ZM_E_FORMAT, -1,
                           "%s, line %zu: RAWS_ELEVATION must be a number",
                           zm_shown_name(name), number);
        if (height)
            *elevation = v[0];
        text = l.next;
    }
    if (!*metric)
        *elevation *= ZM_METRES_PER_FOOT;
    return ZM_OK;
}

zm_status zm_weather_stream_series(const char *text, const char *name,
                                   zm_weather_series *s, zm_error *err)
{
    bool metric;

    ZM_TRY(take_head(text, name, &metric, &s->elevation, err));
    ZM_TRY(zm_weather_stream_take(text, name, 1, SIZE_MAX, metric, s, NULL, err));
    return s->n ? ZM_OK
                : zm_fail(err, ZM_E_FORMAT, -1, "%s: no line of weather",
                          zm_shown_name(name));
}

zm_status zm_weather_stream_parse(const char *text, const char *name,
                                  zm_weather_stream *out, zm_error *err)
{
    zm_weather_series s = ZM_WEATHER_SERIES_INIT;
    zm_weather_stream w = { 0 };
    zm_status st = zm_weather_stream_series(text, name, &s, err);

    if (st >= 0 && !(w.hours = malloc(s.n * sizeof *w.hours)))
        st = zm_fail(err, ZM_E_NOMEM, -1, "no memory for weather");
    for (size_t k = 0; st >= 0 && k < s.n; k++)
        w.hours[w.n++] = s.records[k].air;
    if (st >= 0 && s.dated) {
        const zm_date date = zm_date_of(s.records[0].time);

        w.month = date.month;
        w.day = date.day;
        w.hour = date.hour + date.minute / 60.0;
    }
    zm_weather_series_free(&s);
    *out = w;
    return st;
}

zm_status zm_weather_stream_read(const char *path, zm_weather_stream *out,
                                 zm_error *err)
{
    char *bytes;
    size_t n;
    zm_status st = zm_file_read(path, ZM_FILE_TEXT, &bytes, &n, err);

    *out = (zm_weather_stream){ 0 };
    if (st >= 0)
        st = zm_weather_stream_parse(bytes, path, out, err);
    free(bytes);
    return st;
}
