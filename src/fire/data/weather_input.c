/* SPDX-License-Identifier: Apache-2.0
 * FARSITE's settings (.input): sections "KEY: value", some with so many lines below. */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/fail.h"
#include "core/plain_number.h"
#include "core/shown_name.h"
#include "fire/data/geo/date.h"
#include "fire/data/weather_form.h"
#include "fire/science/units.h"

enum { MOST_VALUES = 8, FM_VALUES = 6 };

typedef struct section {
    const char *at, *next; /* the line after it */
    size_t line;           /* its number */
    size_t key;            /* length of the name */
    const char *value;
    size_t n; /* of the value, without blanks at its end */
} section;

typedef struct input {
    const char *name;
    zm_weather_series *s;
    bool metric;
    double elevation; /* as written */
    const char *records;
    size_t n_records, records_line;
    zm_time start, end, conditioning; /* without years; conditioning: its end */
    bool has_moistures;
} input;

static zm_status fail_line(const input *in, size_t line, const char *must, zm_error *err)
{
    return zm_fail(err, ZM_E_FORMAT, -1, "%s, line %zu: %s", zm_shown_name(in->name), line,
                   must);
}

static bool is_key(const section *c, const char *key)
{
    return strlen(key) == c->key && !strncasecmp(c->at, key, c->key);
}

static bool is_word(const section *c, const char *word)
{
    return strlen(word) == c->n && !strncasecmp(c->value, word, c->n);
}

/* The next line that has a name before a colon, or false. */
static bool next_section(section *c)
{
    while (*c->next) {
        const char *text = c->next;
        const size_t length = strcspn(text, "\n");
        const char *colon = memchr(text, ':', length);

        c->line++;
        c->next = text + length + (text[length] == '\n');
        text += strspn(text, " \t");
        if (!isalpha((unsigned char)*text) || !colon || colon < text)
            continue;
        c->at = text;
        c->key = (size_t)(colon - text);
        c->value = colon + 1 + strspn(colon + 1, " \t");
        c->n = (size_t)(c->next - c->value);
        while (c->n > 0 && strchr(" \t\r\n", c->value[c->n - 1]))
            c->n--;
        if (c->value > c->next)
            c->n = 0;
        return true;
    }
    return false;
}

static zm_status number(const input *in, const section *c, double *out, zm_error *err)
{
    return zm_weather_numbers(c->value, c->n, out, 1) == 1
               ? ZM_OK
               : fail_line(in, c->line, "must be a number", err);
}

/* month day time, time as hour and minute in one number. */
static zm_status moment(const input *in, const section *c, zm_time *out, zm_error *err)
{
    double v[3];

    if (zm_weather_numbers(c->value, c->n, v, 3) != 3 ||
        isnan(zm_date_numbers_hours(2000, v[0], v[1], v[2])))
        return fail_line(in, c->line, "must be month, day and time, like 04 27 0800", err);
    *out = (zm_time){ 0, (int32_t)v[0], (int32_t)v[1],
                      floor(v[2] / 100) + fmod(v[2], 100) / 60, NAN };
    return ZM_OK;
}

/* Where the line begins that is so many below. */
static zm_status skip_lines(const input *in, section *c, size_t n, zm_error *err)
{
    for (size_t k = 0; k < n; k++) {
        const size_t length = strcspn(c->next, "\n");

        if (!*c->next)
            return fail_line(in, c->line, "the file ends before its lines do", err);
        c->next += length + (c->next[length] == '\n');
        c->line++;
    }
    return ZM_OK;
}

/* One set of moistures serves all fuels of this model. */
static zm_status moistures(input *in, section *c, size_t n, zm_error *err)
{
    const char *text = c->next;
    double first[FM_VALUES] = { 0 }, v[FM_VALUES];

    for (size_t k = 0; k < n; k++) {
        const size_t length = strcspn(text, "\n"), line = c->line + k + 1;

        if (zm_weather_numbers(text, length, v, FM_VALUES) != FM_VALUES)
            return fail_line(in, line,
                             "must be fuel, moisture of 1, 10 and 100 h, live herbs, live "
                             "wood",
                             err);
        for (int i = 1; k > 0 && i < FM_VALUES; i++)
            if (v[i] != first[i])
                return zm_fail(err, ZM_E_FORMAT, -1,
                               "%s, line %zu: moistures of fuel %g are not those of fuel "
                               "%g: this model has one set for all fuels, give "
                               "--fuel-moisture",
                               zm_shown_name(in->name), line, v[0], first[0]);
        if (k == 0)
            memcpy(first, v, sizeof v);
        text += length + (text[length] == '\n');
    }
    for (int i = 1; n > 0 && i < FM_VALUES; i++)
        if (!(first[i] >= 0.1 && first[i] <= (i < 4 ? 100 : 400)))
            return fail_line(in, c->line + 1,
                             "moistures must be 0.1 to 100, of live fuel to 400", err);
    if (n > 0)
        in->s->moisture =
            (zm_fuel_moisture){ first[1], first[2], first[3], first[4], first[5] };
    return skip_lines(in, c, n, err);
}

static zm_status count(const input *in, const section *c, size_t *n, zm_error *err)
{
    double v;

    ZM_TRY(number(in, c, &v, err));
    if (!(v >= 0 && v <= 1e6 && v == floor(v)))
        return fail_line(in, c->line, "must be a number of lines", err);
    *n = (size_t)v;
    return ZM_OK;
}

static void add_unused(zm_weather_series *s, const section *c)
{
    const size_t used = strlen(s->unused), room = sizeof s->unused - used;

    (void)snprintf(s->unused + used, room, "%s%.*s", used ? ", " : "", (int)c->key, c->at);
}

/* Settings of FARSITE's own engine: steps and resolutions, processors. */
static bool is_of_engine(const section *c)
{
    static const char *const keys[] = { "FARSITE_TIMESTEP",
                                        "FARSITE_DISTANCE_RES",
                                        "FARSITE_PERIMETER_RES",
                                        "FARSITE_MIN_IGNITION_VERTEX_DISTANCE",
                                        "FARSITE_SPOT_GRID_RESOLUTION",
                                        "FARSITE_SPOT_IGNITION_DELAY",
                                        "FARSITE_MINIMUM_SPOT_DISTANCE",
                                        "FARSITE_ACCELERATION_ON",
                                        "FARSITE_FILL_BARRIERS",
                                        "NUMBER_PROCESSORS",
                                        NULL };

    for (size_t k = 0; keys[k]; k++)
        if (is_key(c, keys[k]))
            return true;
    return false;
}

static zm_status take_times(input *in, const section *c, zm_error *err)
{
    zm_time *out = is_key(c, "FARSITE_START_TIME") ? &in->start
                   : is_key(c, "FARSITE_END_TIME") ? &in->end
                                                   : &in->conditioning;

    return out->month ? fail_line(in, c->line, "this time is there twice", err)
                      : moment(in, c, out, err);
}

static zm_status take(input *in, section *c, zm_error *err)
{
    size_t n = 0;

    if (is_key(c, "FARSITE_START_TIME") || is_key(c, "FARSITE_END_TIME") ||
        is_key(c, "CONDITIONING_PERIOD_END"))
        return take_times(in, c, err);
    if (is_key(c, "RAWS_ELEVATION"))
        return number(in, c, &in->elevation, err);
    if (is_key(c, "FOLIAR_MOISTURE_CONTENT"))
        return number(in, c, &in->s->foliar_moisture, err);
    if (is_key(c, "RAWS_UNITS")) {
        in->metric = is_word(c, "Metric");
        return in->metric || is_word(c, "English")
                   ? ZM_OK
                   : fail_line(in, c->line, "must be English or Metric", err);
    }
    if (is_key(c, "RAWS_FILE") || is_key(c, "FUEL_MOISTURE_FILE") ||
        is_key(c, "WEATHER_DATA") || is_key(c, "WIND_DATA"))
        return fail_line(in, c->line,
                         "refers to another file, or has FARSITE 4's weather: put its "
                         "lines below RAWS or FUEL_MOISTURES_DATA",
                         err);
    if (is_key(c, "FUEL_MOISTURES_DATA")) {
        if (in->has_moistures)
            return fail_line(in, c->line, "FUEL_MOISTURES_DATA is there twice", err);
        in->has_moistures = true;
        ZM_TRY(count(in, c, &n, err));
        return moistures(in, c, n, err);
    }
    if (is_key(c, "RAWS")) {
        if (in->records)
            return fail_line(in, c->line, "RAWS is there twice", err);
        ZM_TRY(count(in, c, &n, err));
        in->records = c->next;
        in->n_records = n;
        in->records_line = c->line + 1;
        return skip_lines(in, c, n, err);
    }
    if (is_key(c, "FARSITE_BURN_PERIODS")) {
        ZM_TRY(count(in, c, &n, err));
        add_unused(in->s, c);
        return skip_lines(in, c, n, err);
    }
    if (!is_of_engine(c))
        add_unused(in->s, c);
    return ZM_OK;
}

/* In the year of the weather, or the next where the month came before. */
static void set_year(const zm_weather_series *s, zm_time *t)
{
    const zm_date first = zm_date_of(s->records[0].time);

    if (t->month)
        t->year = first.year + (t->month < first.month);
}

/* FARSITE conditions the fuels from the first record to the start, or to the end of its
 * conditioning period, which is the start. */
zm_status zm_weather_input_parse(const char *text, const char *name, zm_weather_series *s,
                                 zm_error *err)
{
    input in = { .name = name, .s = s, .elevation = NAN };
    section c = { .next = text };

    while (next_section(&c))
        ZM_TRY(take(&in, &c, err));
    if (!in.n_records)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: has no weather below RAWS",
                       zm_shown_name(name));
    ZM_TRY(zm_weather_stream_take(in.records, name, in.records_line, in.n_records,
                                  in.metric, s, NULL, err));
    if (s->n < in.n_records || !s->dated)
        return fail_line(&in, in.records_line,
                         "RAWS must have as many lines with dates as it says", err);
    s->elevation = in.elevation * (in.metric ? 1 : ZM_METRES_PER_FOOT);
    s->start = in.start;
    s->end = in.end;
    set_year(s, &s->start);
    set_year(s, &s->end);
    if (in.conditioning.month)
        s->conditioned_from = s->records[0].time;
    return ZM_OK;
}
