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

#include "core/array.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/plain_number.h"
#include "core/shown_name.h"
#include "fire/science/units.h"

enum { WITH_DATE = 10, WITHOUT_DATE = 6 };

/* Numbers of a line; how many, or -1 where a word is none. */
static int numbers_of(const char *line, size_t length, double *values, int most)
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

static bool in_range(const zm_weather_hour *w)
{
    return w->temperature >= -60 && w->temperature <= 60 && w->humidity >= 0 &&
           w->humidity <= 100 && w->wind_speed >= 0 && w->wind_speed <= 400 &&
           w->wind_dir >= 0 && w->wind_dir <= 360 && w->cloud >= 0 && w->cloud <= 100 &&
           w->rain >= 0 && w->rain <= 500;
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

static zm_status add_hour(zm_weather_stream *s, const zm_weather_hour *w, size_t *room,
                          zm_error *err)
{
    if (!zm_array_reserve(&s->hours, room, s->n + 1, sizeof *s->hours))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for weather");
    s->hours[s->n++] = *w;
    return ZM_OK;
}

/* Time 1530, or 15: an hour of the day. */
static double hour_of_day(double time)
{
    return time >= 100 ? floor(time / 100) + fmod(time, 100) / 60 : fmod(time, 24);
}

static zm_status take_line(zm_weather_stream *s, const char *line, size_t length,
                           size_t number, bool metric, size_t *room, const char *name,
                           zm_error *err)
{
    double v[WITH_DATE];
    const int n = numbers_of(line, length, v, WITH_DATE);
    zm_weather_hour w;

    if (n != WITH_DATE && n != WITHOUT_DATE)
        return zm_fail(
            err, ZM_E_FORMAT, -1,
            "%s, line %zu: must be ten numbers: year month day time temperature "
            "humidity rain wind direction cloud",
            zm_shown_name(name), number);
    w = hour_from(v + n - WITHOUT_DATE, metric);
    if (!in_range(&w))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s, line %zu: weather out of range: %.4g C, %.4g %%, %.4g km/h "
                       "from %.4g degrees",
                       zm_shown_name(name), number, w.temperature, w.humidity,
                       w.wind_speed, w.wind_dir);
    if (s->n == 0 && n == WITH_DATE && v[1] >= 1 && v[1] <= 12 && v[2] >= 1 &&
        v[2] <= 31 && v[3] >= 0 && v[3] < 2400) {
        s->month = (int32_t)v[1];
        s->day = (int32_t)v[2];
        s->hour = hour_of_day(v[3]);
    }
    return add_hour(s, &w, room, err);
}

zm_status zm_weather_stream_parse(const char *text, const char *name,
                                  zm_weather_stream *out, zm_error *err)
{
    zm_weather_stream s = { 0 };
    size_t room = 0, number = 0;
    bool metric = false;
    zm_status st = ZM_OK;

    while (st >= 0 && *text) {
        const size_t length = strcspn(text, "\n");
        const char *line = text + strspn(text, " \t\r");
        const size_t rest = line < text + length ? length - (size_t)(line - text) : 0;

        number++;
        if (rest && !strncasecmp(line, "RAWS_UNITS", 10))
            metric = strstr(line, "etric") && strstr(line, "etric") < line + rest;
        else if (rest && !isalpha((unsigned char)*line) && *line != '#')
            st = take_line(&s, line, rest, number, metric, &room, name, err);
        text += length + (text[length] == '\n');
    }
    if (st >= 0 && s.n == 0)
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: no line of weather",
                     zm_shown_name(name));
    if (st < 0) {
        free(s.hours);
        s = (zm_weather_stream){ 0 };
    }
    *out = s;
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
