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
        time = v[TIME] == floor(v[TIME])
                   ? zm_date_numbers_hours(v[0], v[1], v[2], minutes ? v[TIME] : 100 * v[TIME])
                   : NAN;
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

        if (l.n && *l.at != '#' && (taken > 0 || !isalpha((unsigned char)*l.at))) {
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
typedef struct head {
    bool metric;
    double elevation, lines; /* NAN: not told; elevation as written */
} head;

/* "KEY: number", if the line is that. */
static zm_status take_number(const text_line *l, const char *key, const char *name,
                             size_t number, double *out, zm_error *err)
{
    const char *value = value_of(l, key);

    if (!value || zm_weather_numbers(value, l->n - (size_t)(value - l->at), out, 1) == 1)
        return ZM_OK;
    return zm_fail(err, ZM_E_FORMAT, -1, "%s, line %zu: %s must be a number",
                   zm_shown_name(name), number, key);
}

static zm_status take_head(const char *text, const char *name, head *h, zm_error *err)
{
    *h = (head){ false, NAN, NAN };
    for (size_t number = 1; *text; number++) {
        const text_line l = line_of(text);
        const char *units = value_of(&l, "RAWS_UNITS");

        if (!l.n || !isalpha((unsigned char)*l.at)) {
            text = l.next;
            continue;
        }
        if (!units && l.n >= 6 && !strncasecmp(l.at, "metric", 6))
            units = l.at;
        if (units && !strncasecmp(units, "metric", 6))
            h->metric = true;
        else if (units && strncasecmp(units, "english", 7) != 0)
            return zm_fail(err, ZM_E_FORMAT, -1,
                           "%s, line %zu: RAWS_UNITS must be English or Metric",
                           zm_shown_name(name), number);
        ZM_TRY(take_number(&l, "RAWS_ELEVATION", name, number, &h->elevation, err));
        ZM_TRY(take_number(&l, "RAWS:", name, number, &h->lines, err));
        text = l.next;
    }
    return ZM_OK;
}

zm_status zm_weather_stream_series(const char *text, const char *name,
                                   zm_weather_series *s, zm_error *err)
{
    head h;

    ZM_TRY(take_head(text, name, &h, err));
    ZM_TRY(zm_weather_stream_take(text, name, 1, SIZE_MAX, h.metric, s, NULL, err));
    if (s->n == 0)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: no line of weather", zm_shown_name(name));
    if (!isnan(h.lines) && h.lines != (double)s->n)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: has %zu lines of weather and says RAWS: %g; it may have been "
                       "cut off",
                       zm_shown_name(name), s->n, h.lines);
    s->elevation = h.elevation * (h.metric ? 1 : ZM_METRES_PER_FOOT);
    return ZM_OK;
}

zm_status zm_weather_stream_parse(const char *text, const char *name,
                                  zm_weather_stream *out, zm_error *err)
{
    zm_weather_series s = ZM_WEATHER_SERIES_INIT;
    zm_fire_weather cut = { 0 };
    zm_error why = { 0 };
    zm_status st;

    s.ahead = NAN;
    st = zm_weather_stream_series(text, name, &s, err);
    if (st >= 0 && (st = zm_fire_weather_cut(&s, NULL, 0, 0, &cut, &why)) < 0)
        st = zm_fail(err, st, -1, "%s: %s", zm_shown_name(name), why.text);
    *out = (zm_weather_stream){ cut.hours, cut.n, cut.start.month, cut.start.day,
                                cut.start.hour };
    zm_weather_series_free(&s);
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
