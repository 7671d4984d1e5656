/* SPDX-License-Identifier: Apache-2.0
 * Weather with dates: which form a file has, and what all forms share. */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/options.h"
#include "core/shown_name.h"
#include "fire/data/geo/date.h"
#include "fire/data/scene.h"
#include "fire/data/weather_form.h"
#include "fire/data/weather_stream.h"

/* ---- forms ------------------------------------------------------------------------ */

/* The first line that says something, and whether any line begins with the word. */
static const char *first_line(const char *text)
{
    while (*text) {
        const char *at = text + strspn(text, " \t\r");

        if (*at && *at != '\n' && *at != '#')
            return at;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

static bool some_line_begins(const char *text, const char *word)
{
    const size_t n = strlen(word);

    while (*text) {
        const char *at = text + strspn(text, " \t\r");

        if (!strncasecmp(at, word, n))
            return true;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return false;
}

static bool line_has(const char *line, const char *word)
{
    const size_t n = strlen(word);

    for (; *line && *line != '\n'; line++)
        if (!strncasecmp(line, word, n))
            return true;
    return false;
}

/* Numbers of fuels, 0 or 1 and on by whole ones, with five moistures behind each. */
static bool is_fuel_moisture(const char *text)
{
    double v[6], last = -1;
    size_t lines = 0;

    for (text = first_line(text); *text; text = first_line(text)) {
        const size_t n = strcspn(text, "\n");

        if (zm_weather_numbers(text, n, v, 6) != 6 || v[0] != floor(v[0]) || v[0] <= last ||
            v[0] >= 257 || (lines == 0 && v[0] > 1))
            return false;
        last = v[0];
        lines++;
        text += n;
    }
    return lines > 0;
}

static bool is_fuels(const char *line)
{
    double number;
    const size_t word = strcspn(line, " \t\n");

    return zm_weather_numbers(line, word, &number, 1) == 1 &&
           (line_has(line, " static") || line_has(line, " dynamic"));
}

zm_weather_form zm_weather_form_of(const char *text, size_t n, const char **other)
{
    const char *line = first_line(text);
    const int32_t lcp = n > 4 ? (unsigned char)text[0] : 0;

    *other = NULL;
    if (memchr(text, '\0', n)) {
        *other = lcp == 20 || lcp == 21 ? "a FARSITE landscape (.lcp): it goes with --landscape"
                                        : "no text, and so no weather";
        return ZM_WEATHER_TABLE;
    }
    if (some_line_begins(text, "FARSITE_START_TIME") ||
        some_line_begins(text, "FUEL_MOISTURES_DATA") ||
        some_line_begins(text, "CONDITIONING_PERIOD_END"))
        return ZM_WEATHER_INPUT;
    if (is_fuels(line) || (!strncasecmp(line, "english", 7) &&
                           is_fuels(first_line(line + strcspn(line, "\n")))))
        *other = "custom fuels (.fmd): they go with --fuels";
    else if (!strncasecmp(line, "english", 7) || !strncasecmp(line, "metric", 6))
        *other = "a .wtr or .wnd file of FARSITE 4: give the weather as a stream (.wxs)";
    else if (is_fuel_moisture(text))
        *other = "fuel moistures (.fms): they go with --fuel-moisture";
    if (*other || !line_has(line, ",") || isdigit((unsigned char)*line) || *line == '-')
        return ZM_WEATHER_STREAM;
    if (line_has(line, "date") || line_has(line, "time"))
        return ZM_WEATHER_STATION;
    return ZM_WEATHER_TABLE;
}

/* ---- series ----------------------------------------------------------------------- */

static bool in_range(const zm_weather_hour *w)
{
    return w->temperature >= -60 && w->temperature <= 60 && w->humidity >= 0 &&
           w->humidity <= 100 && w->wind_speed >= 0 && w->wind_speed <= 400 &&
           w->wind_dir >= 0 && w->wind_dir <= 360 && w->cloud >= 0 && w->cloud <= 100 &&
           w->rain >= 0 && w->rain <= 500;
}

zm_status zm_weather_series_add(zm_weather_series *s, size_t *room, double time,
                                const zm_weather_hour *w, const char *name, size_t line,
                                zm_error *err)
{
    if (!in_range(w))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s, line %zu: weather out of range: %.4g C, %.4g %%, %.4g km/h "
                       "from %.4g degrees",
                       zm_shown_name(name), line, w->temperature, w->humidity,
                       w->wind_speed, w->wind_dir);
    if (s->n > 0 && !(time > s->records[s->n - 1].time))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s, line %zu: its time is not later than that of the line before",
                       zm_shown_name(name), line);
    if (!zm_array_reserve(&s->records, room, s->n + 1, sizeof *s->records))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for weather");
    s->records[s->n++] = (zm_weather_record){ time, *w };
    return ZM_OK;
}

static zm_status take_table(const char *text, size_t n, const char *name,
                            zm_weather_series *s, zm_error *err)
{
    zm_weather_hour *hours;
    size_t count, earlier = 0, room = 0;
    zm_status st = zm_weather_parse(text, n, name, &hours, &count, &earlier,
                                    &s->assumed, err);

    for (size_t k = 0; st >= 0 && k < count; k++)
        st = zm_weather_series_add(s, &room, (double)k - (double)earlier, &hours[k], name,
                                   k + 2, err);
    free(hours);
    return st;
}

static zm_status take_text(const char *text, size_t n, const char *name,
                           zm_weather_series *s, zm_error *err)
{
    const char *other;
    const size_t mark = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;

    text += mark;
    n -= mark;
    s->form = zm_weather_form_of(text, n, &other);
    if (other)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: is no weather but %s",
                       zm_shown_name(name), other);
    switch (s->form) {
    case ZM_WEATHER_STREAM:
        return zm_weather_stream_series(text, name, s, err);
    case ZM_WEATHER_INPUT:
        return zm_weather_input_parse(text, name, s, err);
    case ZM_WEATHER_STATION:
        return zm_weather_station_parse(text, n, name, s, err);
    default:
        return take_table(text, n, name, s, err);
    }
}

void zm_weather_series_free(zm_weather_series *s)
{
    if (!s)
        return;
    free(s->records);
    *s = (zm_weather_series){ .size = s->size };
}

zm_status zm_weather_series_read(const char *path, zm_weather_series *out, zm_error *err)
{
    zm_weather_series s = ZM_WEATHER_SERIES_INIT;
    char *bytes;
    size_t n;
    zm_status st;

    if (!path || !out)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_weather_series_read needs a file and a result");
    ZM_TRY(zm_options_check_report(out, "zm_weather_series", err));
    s.ahead = s.elevation = s.conditioned_from = s.foliar_moisture = NAN;
    st = zm_file_read(path, ZM_FILE_TEXT, &bytes, &n, err);
    if (st >= 0)
        st = take_text(bytes, n, path, &s, err);
    free(bytes);
    if (st < 0)
        zm_weather_series_free(&s);
    zm_options_write_report(out, &s, sizeof s);
    return st;
}
