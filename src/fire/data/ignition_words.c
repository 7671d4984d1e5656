/* SPDX-License-Identifier: Apache-2.0
 * Ignitions in words: cells, points of the map or the globe, files, each with its time. */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "core/shown_name.h"
#include "fire/data/geo/position.h"
#include "fire/data/geo/shapes.h"
#include "fire/data/ignition_cells.h"
#include "zermelo/fire/ignition.h"

enum { WGS_84 = 4326, POINT_BYTES = 21, MOST_WORD = 4000 };

typedef enum place_kind { CELL, GLOBE, MAP, NAMED_FILE } place_kind;

/** A word taken apart. */
typedef struct place {
    const char *word; /* for messages */
    place_kind kind;
    double first, second; /* row, col; latitude, longitude; x, y */
    char file[MOST_WORD];
    double hours; /* NAN: not told */
    zm_time time; /* month 0: not told */
} place;

/* ---- words ------------------------------------------------------------------------ */

static zm_status fail_word(const char *word, const char *what, zm_error *err)
{
    return zm_fail(err, ZM_E_ARG, -1, "ignition %s: %s", zm_word_shown(word).text, what);
}

static bool is_whole(const char *text, size_t n)
{
    return n > 0 && n < 10 && strspn(text, "0123456789") >= n;
}

/* A number, perhaps with one letter behind it; all of the n characters. */
static bool number_of(const char *text, size_t n, const char *letters, double *value,
                      char *letter)
{
    char copy[40], *end;

    *letter = '\0';
    if (n == 0 || n >= sizeof copy || isspace((unsigned char)*text))
        return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    *value = strtod(copy, &end);
    if (end == copy || !isfinite(*value))
        return false;
    if (*end && strchr(letters, toupper((unsigned char)*end)))
        *letter = (char)toupper((unsigned char)*end++);
    return !*end;
}

static bool named(const char **text, size_t *n, const char *name)
{
    const size_t length = strlen(name);

    if (*n <= length || strncmp(*text, name, length) != 0)
        return false;
    *text += length;
    *n -= length;
    return true;
}

static zm_status take_globe(place *p, double latitude, double longitude, zm_error *err)
{
    if (!(fabs(latitude) <= 90 && fabs(longitude) <= 360))
        return fail_word(p->word, "latitude must be within 90 degrees, longitude within 360",
                         err);
    p->kind = GLOBE;
    p->first = latitude;
    p->second = longitude;
    return ZM_OK;
}

static zm_status fail_readings(const char *word, double a, double b, zm_error *err)
{
    return zm_fail(err, ZM_E_ARG, -1,
                   "ignition %s: a cell has whole numbers from 0; degrees are "
                   "lat=%.10g,lon=%.10g, coordinates of the landscape x=%.10g,y=%.10g",
                   zm_word_shown(word).text, a, b, a, b);
}

/* Two values with a comma between them, n characters; *found is false where it is none. */
static zm_status take_pair(place *p, const char *text, size_t n, bool *found, zm_error *err)
{
    const char *comma = memchr(text, ',', n), *second;
    size_t n_first, n_second;
    double a, b;
    char of_a, of_b;
    bool degrees, map;

    *found = false;
    if (!comma)
        return ZM_OK;
    second = comma + 1;
    n_first = (size_t)(comma - text);
    n_second = n - n_first - 1;
    degrees = named(&text, &n_first, "lat=") && named(&second, &n_second, "lon=");
    map = !degrees && named(&text, &n_first, "x=") && named(&second, &n_second, "y=");
    if (!number_of(text, n_first, degrees || map ? "" : "NS", &a, &of_a) ||
        !number_of(second, n_second, degrees || map ? "" : "EW", &b, &of_b))
        return ZM_OK;
    *found = true;
    if (degrees)
        return take_globe(p, a, b, err);
    if (of_a && of_b)
        return take_globe(p, of_a == 'S' ? -a : a, of_b == 'W' ? -b : b, err);
    if (!map && !(is_whole(text, n_first) && is_whole(second, n_second)))
        return fail_readings(p->word, a, b, err);
    p->kind = map ? MAP : CELL;
    p->first = a;
    p->second = b;
    return ZM_OK;
}

/* What is behind the last @, if that is a time; *n is the length of what is before it. */
static zm_status take_time(place *p, size_t *n, zm_error *err)
{
    const char *at = strrchr(p->word, '@');
    char unused;

    *n = strlen(p->word);
    p->hours = (double)NAN;
    p->time = (zm_time){ 0 };
    if (!at)
        return ZM_OK;
    if (number_of(at + 1, strlen(at + 1), "", &p->hours, &unused)) {
        if (!(p->hours >= 0))
            return fail_word(p->word, "burns before the start; hours must be at least 0",
                             err);
    } else if (!zm_time_parse(at + 1, &p->time)) {
        p->hours = (double)NAN;
        return ZM_OK; /* part of a name, perhaps */
    }
    *n = (size_t)(at - p->word);
    return ZM_OK;
}

static zm_status parse(const char *word, place *p, zm_error *err)
{
    size_t n;
    bool pair;

    *p = (place){ .word = word };
    if (!word || !*word || strlen(word) >= MOST_WORD)
        return zm_fail(err, ZM_E_ARG, -1, "an ignition is empty, or too long");
    ZM_TRY(take_time(p, &n, err));
    ZM_TRY(take_pair(p, word, n, &pair, err));
    if (pair)
        return ZM_OK;
    p->kind = NAMED_FILE;
    memcpy(p->file, word, n);
    p->file[n] = '\0';
    {
        FILE *file = fopen(p->file, "rb");

        if (!file)
            return fail_word(word,
                             "neither a file nor ROW,COL, 44.7N,110.3W, lat=44.7,lon=-110.3 "
                             "or x=512340,y=4951220, perhaps with @ and a time",
                             err);
        fclose(file);
    }
    return ZM_OK;
}

zm_status zm_ignition_word_check(const char *word, zm_error *err)
{
    place p;

    return parse(word, &p, err);
}

/* ---- times ------------------------------------------------------------------------ */

static zm_time time_of_date(const zm_date *d)
{
    return (zm_time){ d->year, d->month, d->day,
                      d->has_time ? d->hour + d->minute / 60.0 : 12,
                      d->has_zone ? d->ahead : (double)NAN };
}

static zm_status hours_between(const char *word, const zm_time *start, zm_time t,
                               double *hours, int32_t *assumed, zm_error *err)
{
    if (!start || !start->month)
        return fail_word(word, "has a date, and the fire no start", err);
    if (!start->year)
        return fail_word(word, "has a date, and the start of the fire no year", err);
    if (!t.year)
        t.year = start->year;
    if (!isnan(t.ahead) && isnan(start->ahead))
        return fail_word(word,
                         "its date has a time zone and the start of the fire has none: give "
                         "it one, as in 2013-08-17T14:30-06:00, or --time-zone",
                         err);
    *assumed |= isnan(t.ahead) && !isnan(start->ahead);
    *hours = zm_time_hours(&t) - zm_time_hours(start);
    if (!isnan(t.ahead))
        *hours -= t.ahead - start->ahead;
    return ZM_OK;
}

zm_status zm_data_hours_after(const char *word, const zm_time *start, const zm_date *date,
                              double *hours, int32_t *assumed, zm_error *err)
{
    return hours_between(word, start, time_of_date(date), hours, assumed, err);
}

static zm_status hours_of_time(const char *word, const zm_time *start, zm_time t,
                               double *hours, int32_t *assumed, zm_error *err)
{
    ZM_TRY(hours_between(word, start, t, hours, assumed, err));
    if (!(*hours >= -1e-9))
        return zm_fail(err, ZM_E_ARG, -1, "ignition %s burns %.4g h before the fire starts",
                       zm_word_shown(word).text, -*hours);
    *hours = fmax(*hours, 0);
    return ZM_OK;
}

/* Hours after the start of a shape: its own time, else that of the word, else 0. */
static zm_status hours_of(const place *p, const zm_feature *f, const zm_time *start,
                          double *hours, int32_t *assumed, zm_error *err)
{
    if (f && !isnan(f->hours)) {
        *hours = f->hours;
        return *hours >= 0 ? ZM_OK : fail_word(p->word, "its time_h is below 0", err);
    }
    if (f && f->dated)
        return hours_of_time(p->word, start, time_of_date(&f->date), hours, assumed, err);
    if (p->time.month)
        return hours_of_time(p->word, start, p->time, hours, assumed, err);
    *hours = isnan(p->hours) ? 0 : p->hours;
    return ZM_OK;
}

static zm_status take_earlier(zm_time t, const char *word, zm_time *first, zm_error *err)
{
    if (!t.year)
        return ZM_OK;
    if (first->month && isnan(first->ahead) != isnan(t.ahead))
        return fail_word(word, "some dates have a time zone and some have none", err);
    if (!first->month || zm_time_hours(&t) - (isnan(t.ahead) ? 0 : t.ahead) <
                             zm_time_hours(first) - (isnan(t.ahead) ? 0 : first->ahead))
        *first = t;
    return ZM_OK;
}

static const char *const no_numbers[] = { NULL };

zm_status zm_ignition_words_start(const char *const *words, size_t n, zm_time *out,
                                  zm_error *err)
{
    zm_status st = ZM_OK;

    if (!words || !out)
        return zm_fail(err, ZM_E_ARG, -1, "zm_ignition_words_start needs words and a result");
    *out = (zm_time){ .ahead = (double)NAN };
    for (size_t i = 0; st >= 0 && i < n; i++) {
        zm_shapes shapes = { 0 };
        place p;

        st = parse(words[i], &p, err);
        if (st >= 0 && p.kind == NAMED_FILE)
            st = zm_geo_shapes_read(p.file, no_numbers, &shapes, err);
        for (size_t k = 0; st >= 0 && k < shapes.n; k++)
            if (shapes.items[k].dated && isnan(shapes.items[k].hours))
                st = take_earlier(time_of_date(&shapes.items[k].date), words[i], out, err);
        if (st >= 0 && p.time.month)
            st = take_earlier(p.time, words[i], out, err);
        zm_geo_shapes_free(&shapes);
    }
    return st;
}

/* ---- cells ------------------------------------------------------------------------ */

/** Cells that are found so far. */
typedef struct collection {
    const zm_time *start;
    const zm_landscape *land;
    const zm_georeference *where;
    double *times; /* by cell; INFINITY: not lit */
    zm_ignition_report report;
} collection;

static void point_bytes(double x, double y, unsigned char out[POINT_BYTES])
{
    const uint16_t one = 1;
    const uint32_t type = 1; /* a point */

    out[0] = *(const unsigned char *)&one; /* 1: this machine puts the low byte first */
    memcpy(out + 1, &type, 4);
    memcpy(out + 5, &x, 8);
    memcpy(out + 13, &y, 8);
}

static zm_status light(collection *c, const char *word, const zm_shape *shapes, size_t n,
                       const char *wkt, zm_error *err)
{
    zm_ignition_report r = ZM_IGNITION_REPORT_INIT;
    zm_source *sources;
    size_t n_sources;
    zm_error own = { 0 };
    const zm_status st = zm_ignition_cells(shapes, n, wkt, c->land, c->where, &sources,
                                           &n_sources, &r, &own);

    if (st < 0)
        return zm_fail(err, st, own.cell, "%s: %s", zm_word_shown(word).text, own.text);
    for (size_t i = 0; i < n_sources; i++) {
        double *t = &c->times[(size_t)sources[i].row * (size_t)c->land->cols +
                              (size_t)sources[i].col];

        *t = fmin(*t, sources[i].time);
    }
    free(sources);
    c->report.not_burnable += r.not_burnable;
    c->report.outside += r.outside;
    c->report.one_point = r.one_point;
    return ZM_OK;
}

static zm_status light_point(collection *c, const place *p, zm_error *err)
{
    const double *t = c->where->transform;
    const bool globe = p->kind == GLOBE;
    double x = globe ? p->second : p->first, y = globe ? p->first : p->second;
    unsigned char bytes[POINT_BYTES];
    zm_shape shape = { bytes, sizeof bytes, 0 };
    char *wkt = NULL;
    zm_status st;

    if (globe && (!c->where->wkt || !c->where->wkt[0]))
        return fail_word(p->word,
                         "the landscape has no coordinate system: give row and column, or "
                         "coordinates of the landscape as x=...,y=...",
                         err);
    if (p->kind == CELL) {
        if (!(p->first < c->land->rows && p->second < c->land->cols))
            return zm_fail(err, ZM_E_SOURCE, -1,
                           "ignition at row %.0f, column %.0f, outside the landscape of %d "
                           "x %d",
                           p->first, p->second, (int)c->land->rows, (int)c->land->cols);
        x = t[0] + (p->second + 0.5) * t[1] + (p->first + 0.5) * t[2];
        y = t[3] + (p->second + 0.5) * t[4] + (p->first + 0.5) * t[5];
    }
    ZM_TRY(hours_of(p, NULL, c->start, &shape.time, &c->report.clock_assumed, err));
    point_bytes(x, y, bytes);
    if (globe && !(wkt = zm_geo_wkt(WGS_84)))
        return zm_fail(err, ZM_E_FORMAT, -1, "WGS 84 is not known to GDAL");
    st = light(c, p->word, &shape, 1, wkt, err);
    free(wkt);
    return st;
}

static zm_status light_file(collection *c, const place *p, zm_error *err)
{
    zm_shapes from;
    zm_shape *shapes = NULL;
    zm_status st;

    ZM_GO(zm_geo_shapes_read(p->file, no_numbers, &from, err));
    if (!(shapes = malloc(from.n * sizeof *shapes)))
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory", zm_shown_name(p->file)));
    for (size_t i = 0; i < from.n; i++) {
        shapes[i] = (zm_shape){ from.items[i].bytes, from.items[i].n, 0 };
        ZM_GO(hours_of(p, &from.items[i], c->start, &shapes[i].time,
                       &c->report.clock_assumed, err));
    }
    ZM_GO(light(c, p->word, shapes, from.n, from.wkt, err));
done:
    free(shapes);
    zm_geo_shapes_free(&from);
    return st;
}

zm_status zm_ignition_words_cells(const char *const *words, size_t n, const zm_time *start,
                                  const zm_landscape *landscape,
                                  const zm_georeference *where, zm_source **sources,
                                  size_t *n_sources, zm_ignition_report *report,
                                  zm_error *err)
{
    collection c = { start, landscape, where, NULL, ZM_IGNITION_REPORT_INIT };
    size_t cells;
    zm_status st;

    if (!words || !n || !landscape || !where || !sources || !n_sources)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_ignition_words_cells needs words, a landscape and results");
    *sources = NULL;
    *n_sources = 0;
    ZM_TRY(zm_options_check_report(report, "zm_ignition_report", err));
    cells = (size_t)landscape->rows * (size_t)landscape->cols;
    if (!(c.times = malloc(cells * sizeof *c.times)))
        return zm_fail(err, ZM_E_NOMEM, -1, "ignition on %zu cells", cells);
    for (size_t k = 0; k < cells; k++)
        c.times[k] = INFINITY;
    for (size_t i = 0; i < n; i++) {
        place p;

        ZM_GO(parse(words[i], &p, err));
        ZM_GO(p.kind == NAMED_FILE ? light_file(&c, &p, err) : light_point(&c, &p, err));
    }
    c.report.one_point &= n == 1;
    ZM_GO(zm_data_ignition_sources(c.times, landscape, sources, n_sources, err));
    c.report.cells = (int64_t)*n_sources;
    zm_options_write_report(report, &c.report, sizeof c.report);
done:
    free(c.times);
    return st;
}
