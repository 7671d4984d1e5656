/* SPDX-License-Identifier: Apache-2.0
 * Tables of weather stations with dates: RAWS, MesoWest (Synoptic), FireFamily FW21.  Columns are
 * known by words in their names, units by what stands in the name, in brackets behind it, or in
 * a line of units below the names. */
#define _GNU_SOURCE /* strcasecmp, memmem */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/csv.h"
#include "core/fail.h"
#include "core/plain_number.h"
#include "core/shown_name.h"
#include "fire/data/weather_form.h"
#include "fire/science/units.h"

typedef enum quantity { TEMPERATURE, HUMIDITY, SPEED, DIRECTION, CLOUD, RAIN, QUANTITIES } quantity;

/* A unit, and ours = factor (value - zero). */
typedef struct unit {
    const char *name;
    double factor, zero;
} unit;

/* Percent: sensors in fog say a little more than 100; what is beyond is another quantity. */
static const double MOST_HUMIDITY = 110;

static const double MPH = 1 / ZM_MPH_20FT_OF_KMH_10M; /* of 20 ft, in km/h of 10 m */

/* Words that name a column, and its units; a unit "" holds where none is told. */
static const struct kind {
    const char *words[6], *not_word;
    unit units[9];
} kinds[QUANTITIES] = {
    { { "temperature", "air_temp", "temp", NULL },
      "dew",
      { { "f", 1 / 1.8, 32 }, { "fahrenheit", 1 / 1.8, 32 }, { "degf", 1 / 1.8, 32 },
        { "c", 1, 0 }, { "celsius", 1, 0 }, { "degc", 1, 0 }, { "k", 1, 273.15 }, { 0 } } },
    { { "humidity", "relhum", "rh", NULL },
      NULL,
      { { "pct", 1, 0 }, { "%", 1, 0 }, { "percent", 1, 0 }, { "", 1, 0 }, { 0 } } },
    { { "windspeed", "wind_speed", "wind speed", "windspd", "wind_spd", NULL },
      "gust",
      { { "mph", 1, 0 }, { "mi/h", 1, 0 }, { "miles/hour", 1, 0 }, { "kmh", 0.621371192, 0 },
        { "km/h", 0.621371192, 0 }, { "m/s", 2.236936292, 0 }, { "ms", 2.236936292, 0 },
        { "knots", 1.150779448, 0 }, { 0 } } },
    { { "winddir", "wind_dir", "wind dir", "windazimuth", "wind_az", NULL },
      "gust",
      { { "deg", 1, 0 }, { "degrees", 1, 0 }, { "\xc2\xb0", 1, 0 }, { "", 1, 0 }, { 0 } } },
    { { "cloud", NULL },
      NULL,
      { { "pct", 1, 0 }, { "%", 1, 0 }, { "percent", 1, 0 }, { "", 1, 0 }, { 0 } } },
    { { "precip", "rain", NULL },
      "accum_since",
      { { "in", ZM_MM_PER_INCH, 0 }, { "inches", ZM_MM_PER_INCH, 0 }, { "mm", 1, 0 },
        { "millimeters", 1, 0 }, { 0 } } },
};

/* Where "fire/science/units.h" has mph of 20 ft, speeds are brought to it first. */
static double to_ours(quantity q, const unit *u, double value)
{
    return (q == SPEED ? MPH : 1) * u->factor * (value - u->zero);
}

typedef struct column {
    size_t at;     /* ZM_NO_COLUMN: none */
    const unit *u;
} column;

typedef struct station {
    zm_table table;
    column columns[QUANTITIES];
    size_t date, time; /* time: ZM_NO_COLUMN where the date has it */
    size_t first_row;  /* 1 where a line of units comes first */
    double ahead;      /* told by the name of the column; NAN */
} station;

static bool has(const char *text, const char *word)
{
    const size_t n = strlen(word);

    for (; *text; text++)
        if (!strncasecmp(text, word, n))
            return true;
    return false;
}

static const char *header(const station *t, size_t c)
{
    return t->table.words[c];
}

/* The unit: what stands in brackets, or the last word of the name. */
static void unit_text(const char *name, char *out, size_t room)
{
    const char *open = strpbrk(name, "([");
    const char *last = strrchr(name, '_');
    const char *from = open ? open + 1 : last ? last + 1 : name + strlen(name);
    size_t n = 0;

    for (; from[n] && n + 1 < room && !(open && strchr(")]", from[n])); n++)
        out[n] = from[n];
    out[n] = '\0';
}

static const unit *find_unit(const struct kind *k, const char *text)
{
    for (const unit *u = k->units; u->name; u++)
        if (!strcasecmp(u->name, text))
            return u;
    return NULL;
}

/* A first row without any number that names a unit at all. */
static bool is_row_of_units(const station *t)
{
    double unused;
    bool any = false;

    if (t->table.n_rows == 0)
        return false;
    for (size_t c = 0; c < t->table.n_columns; c++) {
        const char *word = zm_table_word(&t->table, 0, c);

        if (zm_plain_number(word, &unused))
            return false;
        for (int q = 0; q < QUANTITIES; q++)
            any |= *word && find_unit(&kinds[q], word) != NULL;
    }
    return any;
}

static bool names(const struct kind *k, const char *name)
{
    if (k->not_word && has(name, k->not_word))
        return false;
    for (size_t i = 0; k->words[i]; i++)
        if (has(name, k->words[i]) &&
            (strlen(k->words[i]) > 2 || !isalpha((unsigned char)name[strlen(k->words[i])])))
            return true;
    return false;
}

static zm_status find_column(station *t, quantity q, zm_error *err)
{
    char text[24];
    column *out = &t->columns[q];

    *out = (column){ ZM_NO_COLUMN, NULL };
    for (size_t c = 0; c < t->table.n_columns && out->at == ZM_NO_COLUMN; c++)
        if (names(&kinds[q], header(t, c)))
            out->at = c;
    if (out->at == ZM_NO_COLUMN)
        return q <= DIRECTION
                   ? zm_fail(err, ZM_E_FORMAT, -1,
                             "%s: no column of %s; there must be temperature, relative "
                             "humidity, wind speed and wind direction",
                             zm_shown_name(t->table.name), kinds[q].words[0])
                   : ZM_OK;
    unit_text(header(t, out->at), text, sizeof text);
    if (t->first_row && *zm_table_word(&t->table, 0, out->at))
        (void)snprintf(text, sizeof text, "%s", zm_table_word(&t->table, 0, out->at));
    out->u = find_unit(&kinds[q], text);
    if (!out->u && !t->first_row)
        out->u = find_unit(&kinds[q], "");
    if (!out->u)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: column '%s' tells no unit that is known: it must be like "
                       "temperature_f, wind_speed_mph or precip (mm)",
                       zm_shown_name(t->table.name), zm_word_shown(header(t, out->at)).text);
    return ZM_OK;
}

/* The clock of an abbreviation of n letters; NAN: none of these. */
static double zone_of(const char *word, size_t n)
{
    static const struct {
        const char *word;
        double ahead;
    } zones[] = { { "utc", 0 },  { "gmt", 0 },  { "edt", -4 }, { "est", -5 }, { "cdt", -5 },
                  { "cst", -6 }, { "mdt", -6 }, { "mst", -7 }, { "pdt", -7 }, { "pst", -8 },
                  { "akdt", -8 }, { "akst", -9 } };

    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (strlen(zones[i].word) == n && !strncasecmp(word, zones[i].word, n))
            return zones[i].ahead;
    return NAN;
}

/* An abbreviation in the name of a column is that of its clock; "timestamp" has none. */
static double zone_in(const char *name)
{
    double ahead = NAN;

    while (*name && isnan(ahead)) {
        size_t n = 0;

        while (isalpha((unsigned char)name[n]))
            n++;
        ahead = zone_of(name, n);
        name += n + (n == 0);
    }
    return ahead;
}

static zm_status find_times(station *t, zm_error *err)
{
    t->date = t->time = ZM_NO_COLUMN;
    for (size_t c = 0; c < t->table.n_columns; c++) {
        if (t->date == ZM_NO_COLUMN && has(header(t, c), "date"))
            t->date = c;
        else if (t->time == ZM_NO_COLUMN && has(header(t, c), "time"))
            t->time = c;
    }
    if (t->date == ZM_NO_COLUMN) {
        t->date = t->time;
        t->time = ZM_NO_COLUMN;
    }
    if (t->date == ZM_NO_COLUMN)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: no column with dates",
                       zm_shown_name(t->table.name));
    if (has(header(t, t->date), "time"))
        t->time = ZM_NO_COLUMN;
    t->ahead = zone_in(header(t, t->date));
    if (isnan(t->ahead) && t->time != ZM_NO_COLUMN)
        t->ahead = zone_in(header(t, t->time));
    return ZM_OK;
}

/* What stands behind a time: nothing, an abbreviation, Z or a distance from UTC. */
static bool read_zone(const char *text, double *ahead)
{
    char iso[64];
    zm_time t;

    *ahead = zone_of(text, strlen(text));
    if (!*text || !isnan(*ahead))
        return true;
    (void)snprintf(iso, sizeof iso, "2000-01-01T00:00%.16s", text);
    if (!zm_time_parse(iso, &t))
        return false;
    *ahead = t.ahead;
    return true;
}

/* 2013-08-17 and 8/17/2013; then a blank or T and hh:mm or hhmm, then seconds, zone. */
static bool read_moment(const char *text, const char *time, double *hours, double *ahead)
{
    int year, month, day, hour = 0, minute = 0, used = 0;

    if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &used) != 3 &&
        sscanf(text, "%4d/%2d/%2d%n", &year, &month, &day, &used) != 3 &&
        sscanf(text, "%2d/%2d/%4d%n", &month, &day, &year, &used) != 3)
        return false;
    text += used;
    if (!time) {
        text += *text == 'T' || *text == ' ';
        time = text;
    } else if (*text) {
        return false;
    }
    if (sscanf(time, "%2d:%2d%n", &hour, &minute, &used) != 2 &&
        sscanf(time, "%2d%2d%n", &hour, &minute, &used) != 2)
        return false;
    time += used;
    if (*time == ':')
        time += 1 + strspn(time + 1, "0123456789.");
    time += strspn(time, " ");
    *hours = zm_date_numbers_hours(year, month, day, 100 * hour + minute);
    if (hour < 0 || isnan(*hours))
        return false;
    if (!strncasecmp(time, "am", 2) || !strncasecmp(time, "pm", 2)) {
        if (hour < 1 || hour > 12)
            return false;
        *hours += (toupper((unsigned char)*time) == 'P') * 12 - (hour == 12) * 12;
        time += 2 + strspn(time + 2, " ");
    }
    return read_zone(time, ahead);
}

static zm_status read_value(const station *t, size_t row, quantity q, double *out,
                            bool *missing, zm_error *err)
{
    const column *c = &t->columns[q];
    const char *word;
    double value;

    if (c->at == ZM_NO_COLUMN)
        return ZM_OK;
    word = zm_table_word(&t->table, row, c->at);
    if (!*word || !strcasecmp(word, "NA") || !strcasecmp(word, "null")) {
        *missing |= q <= DIRECTION;
        return ZM_OK;
    }
    if (!zm_plain_number(word, &value))
        return zm_table_fail(&t->table, row, c->at, "a number", err);
    *out = to_ours(q, c->u, value);
    return ZM_OK;
}

/* Records with a gap in what is needed are left out; a gap of time is found where it matters. */
static zm_status take_row(station *t, size_t row, zm_weather_series *s, size_t *room,
                          zm_error *err)
{
    const char *time =
        t->time == ZM_NO_COLUMN ? NULL : zm_table_word(&t->table, row, t->time);
    double v[QUANTITIES] = { 0 }, hours, ahead;
    bool missing = false;
    zm_weather_hour w;

    if (!read_moment(zm_table_word(&t->table, row, t->date), time, &hours, &ahead))
        return zm_table_fail(&t->table, row, t->date,
                             "a date and time like 2013-08-17T14:30, perhaps with Z or "
                             "-06:00",
                             err);
    for (int q = 0; q < QUANTITIES; q++)
        ZM_TRY(read_value(t, row, (quantity)q, &v[q], &missing, err));
    if (missing)
        return ZM_OK;
    if (isnan(ahead))
        ahead = t->ahead;
    if (s->n == 0)
        s->ahead = ahead;
    else if (isnan(ahead) != isnan(s->ahead))
        return zm_table_fail(&t->table, row, t->date, "with a time zone in all lines or in none",
                             err);
    if (!isnan(ahead)) /* clocks change within a file */
        hours += s->ahead - ahead;
    if (v[HUMIDITY] > 100 && v[HUMIDITY] <= MOST_HUMIDITY)
        v[HUMIDITY] = 100;
    w = (zm_weather_hour){ v[TEMPERATURE], v[HUMIDITY], v[SPEED],
                           v[DIRECTION],   v[CLOUD],    v[RAIN] };
    return zm_weather_series_add(s, room, hours, &w, t->table.name, t->table.lines[row + 1],
                                 err);
}

/* The number in front of the blank, unit or end of the line behind a colon; NAN: none. */
static double number_behind(const char *colon)
{
    const char *from = colon + 1 + strspn(colon + 1, " \t");
    const size_t n = strspn(from, "0123456789.+-");
    char word[32] = "";
    double value;

    if (n >= sizeof word)
        return NAN;
    memcpy(word, from, n);
    return zm_plain_number(word, &value) ? value : NAN;
}

/* "# ELEVATION: 5400 ft" above the table; NAN: no such line. */
static double elevation_of(const char *text)
{
    for (size_t n; *text == '#'; text += n + (text[n] == '\n')) {
        const char *colon;

        n = strcspn(text, "\n");
        colon = memchr(text, ':', n);
        if (colon && !strncasecmp(text + 1 + strspn(text + 1, " \t"), "elevation", 9))
            return number_behind(colon) *
                   (memmem(text, n, "ft", 2) ? ZM_METRES_PER_FOOT : 1);
    }
    return NAN;
}

zm_status zm_weather_station_parse(const char *text, size_t n, const char *name,
                                   zm_weather_series *s, zm_error *err)
{
    station t = { 0 };
    size_t room = 0;
    zm_status st = zm_table_parse(text, n, name, NULL, &t.table, err);

    if (st < 0)
        return st;
    t.first_row = is_row_of_units(&t);
    st = find_times(&t, err);
    for (int q = 0; st >= 0 && q < QUANTITIES; q++)
        st = find_column(&t, (quantity)q, err);
    for (size_t row = t.first_row; st >= 0 && row < t.table.n_rows; row++)
        st = take_row(&t, row, s, &room, err);
    if (st >= 0 && s->n == 0)
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: no line with weather", zm_shown_name(name));
    s->dated = 1;
    s->elevation = elevation_of(text);
    for (int q = CLOUD; q < QUANTITIES; q++)
        if (t.columns[q].at == ZM_NO_COLUMN)
            s->assumed |= 1U << q;
    zm_table_free(&t.table);
    return st;
}
