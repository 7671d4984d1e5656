/* SPDX-License-Identifier: Apache-2.0
 * The hours of a fire out of weather with dates. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/pi.h"
#include "fire/data/geo/date.h"
#include "fire/data/weather_form.h"

/* h: records further apart than this leave the time between them without weather. */
static const double WIDEST_GAP = 3;

static const double NEARLY = 1e-6; /* h */

typedef struct moment {
    char text[24];
} moment;

static moment moment_of(double time)
{
    const zm_date date = zm_date_of(time);
    const zm_date_text shown = zm_date_print(&date);
    moment m = { "" };

    for (size_t i = 0; i + 1 < sizeof m.text && shown.text[i]; i++)
        m.text[i] = shown.text[i];
    return m;
}

/* How long the record holds; the last as long as the one before it, at least an hour if it is
 * alone. */
static double holds(const zm_weather_series *s, size_t k)
{
    if (k + 1 < s->n)
        return s->records[k + 1].time - s->records[k].time;
    return k > 0 ? fmin(s->records[k].time - s->records[k - 1].time, WIDEST_GAP) : 1;
}

static double end_of(const zm_weather_series *s)
{
    return s->records[s->n - 1].time + holds(s, s->n - 1);
}

static double mix(double a, double b, double share)
{
    return a + share * (b - a);
}

/* Temperature and humidity on a line between records, as moisture has them between hours; means of
 * the others over the hour, those of the wind's direction by its vector.  A record's rain fell
 * since the one before it in the file's convention, and is counted where the record stands. */
static zm_weather_hour hour_at(const zm_weather_series *s, double from, size_t *first)
{
    zm_weather_hour out = { 0 };
    double x = 0, y = 0, weight = 0;
    size_t k = *first;

    while (k + 1 < s->n && s->records[k + 1].time <= from + NEARLY)
        k++;
    *first = k;
    {
        const zm_weather_hour *a = &s->records[k].air,
                              *b = &s->records[k + 1 < s->n ? k + 1 : k].air;
        const double share =
            fmin(fmax((from - s->records[k].time) / holds(s, k), 0), 1);

        out.temperature = mix(a->temperature, b->temperature, share);
        out.humidity = mix(a->humidity, b->humidity, share);
    }
    for (; k < s->n && s->records[k].time < from + 1 - NEARLY; k++) {
        const zm_weather_hour *w = &s->records[k].air;
        const double begin = s->records[k].time, last = begin + holds(s, k);
        const double part = fmin(last, from + 1) - fmax(begin, from);

        if (part <= 0)
            continue;
        weight += part;
        out.wind_speed += part * w->wind_speed;
        out.cloud += part * w->cloud;
        x += part * w->wind_speed * sin(w->wind_dir * ZM_PI / 180);
        y += part * w->wind_speed * cos(w->wind_dir * ZM_PI / 180);
        out.rain += w->rain * part / (last - begin);
    }
    if (weight > 0) {
        out.wind_speed /= weight;
        out.cloud /= weight;
    }
    out.wind_dir = s->records[*first].air.wind_dir;
    if (hypot(x, y) > 1e-9 && s->records[*first].time + holds(s, *first) < from + 1 - NEARLY) {
        const double turn = atan2(x, y) * 180 / ZM_PI;

        out.wind_dir = turn < 0 ? turn + 360 : turn;
    }
    return out;
}

static zm_status fail_missing(double from, double to, zm_error *err)
{
    return zm_fail(err, ZM_E_FORMAT, -1, "no weather from %s to %s", moment_of(from).text,
                   moment_of(to).text);
}

static zm_status check_covered(const zm_weather_series *s, double from, double to,
                               zm_error *err)
{
    const double first = s->records[0].time, last = end_of(s);

    if (from < first - NEARLY)
        return fail_missing(from, fmin(first, to), err);
    for (size_t k = 0; k + 1 < s->n; k++) {
        const double a = s->records[k].time, b = s->records[k + 1].time;

        if (b - a > WIDEST_GAP + NEARLY && b > from + NEARLY && a < to - NEARLY)
            return fail_missing(fmax(a, from), fmin(b, to), err);
    }
    if (to > last + NEARLY)
        return fail_missing(fmax(last, from), to, err);
    return ZM_OK;
}

/* ---- start ------------------------------------------------------------------------ */

/* A leap day without a year is one. */
static bool is_time(const zm_time *t)
{
    return !isnan(zm_date_numbers_hours(t->year ? t->year : 2000, t->month, t->day, 0)) &&
           t->hour >= 0 && t->hour < 24 && !(fabs(t->ahead) > 24);
}

static double time_in_year(const zm_time *t, int year)
{
    return zm_date_numbers_hours(year, t->month, t->day, 0) + t->hour;
}

static zm_status fail_day(int year, const zm_time *t, zm_error *err)
{
    return zm_fail(err, ZM_E_FORMAT, -1, "%d has no day %02d-%02d", year, (int)t->month,
                   (int)t->day);
}

/* On the clock of the series; a start without a year takes the first in which it is covered. */
static zm_status find_start(const zm_weather_series *s, const zm_time *start, double *out,
                            zm_error *err)
{
    const int first = zm_date_of(s->records[0].time).year;
    const double turn =
        isnan(start->ahead) || isnan(s->ahead) ? 0 : s->ahead - start->ahead;

    if (isnan(start->ahead) != isnan(s->ahead))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       isnan(start->ahead)
                           ? "its times have a time zone and the start has none: give it "
                             "one, as in 2013-08-17T14:30-06:00 or with Z, or --time-zone"
                           : "its times have no time zone and the start has one: give "
                             "--time-zone for the times of the file");
    if (start->year) {
        *out = time_in_year(start, start->year) + turn;
        return isnan(*out) ? fail_day(start->year, start, err) : ZM_OK;
    }
    *out = time_in_year(start, first) + turn;
    if (isnan(*out) || *out < s->records[0].time - NEARLY) {
        const double next = time_in_year(start, first + 1) + turn;

        if (!isnan(next) && next < end_of(s))
            *out = next;
    }
    return isnan(*out) ? fail_day(first, start, err) : ZM_OK;
}

/* The moment on the clock of whoever gave the start. */
static zm_time time_of(double time, double turn, double ahead)
{
    const zm_date date = zm_date_of(time - turn);

    return (zm_time){ date.year, date.month, date.day, date.hour + date.minute / 60.0,
                      ahead };
}

static double earlier_wanted(const zm_weather_series *s, double start, double earlier)
{
    double most = fmin(floor(start - s->records[0].time + NEARLY), earlier);

    if (s->form == ZM_WEATHER_INPUT)
        most = isnan(s->conditioned_from)
                   ? 0
                   : fmin(most, floor(start - s->conditioned_from + NEARLY));
    return fmin(fmax(most, 0), ZM_MOST_EARLIER_HOURS);
}

static zm_status cut_dated(const zm_weather_series *s, const zm_time *asked, double hours,
                           double earlier, zm_fire_weather *out, zm_error *err)
{
    const zm_time *start = asked && asked->month ? asked : &s->start;
    double from = s->records[0].time, ahead = s->ahead, last;
    size_t first = 0;

    if (!start->month && s->form == ZM_WEATHER_STATION)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "begins at %s, which need not be when the fire does: give --start",
                       moment_of(from).text);
    if (start->month) {
        ZM_TRY(find_start(s, start, &from, err));
        ahead = start->ahead;
    }
    out->start = time_of(from, isnan(ahead) ? 0 : s->ahead - ahead, ahead);
    last = end_of(s);
    if (from > last - NEARLY)
        return fail_missing(from, from + fmax(hours, 1), err);
    if (!(hours > 0)) {
        hours = ceil(last - from - NEARLY);
        ZM_TRY(check_covered(s, from, last, err));
    } else {
        ZM_TRY(check_covered(s, from, from + hours, err));
    }
    out->n = (size_t)ceil(hours - NEARLY);
    out->earlier = (size_t)earlier_wanted(s, from, earlier);
    ZM_TRY(check_covered(s, from - (double)out->earlier, from, err));
    out->hours = malloc((out->n + out->earlier) * sizeof *out->hours);
    if (!out->hours)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for weather");
    for (size_t k = 0; k < out->n + out->earlier; k++)
        out->hours[k] = hour_at(s, from - (double)out->earlier + (double)k, &first);
    return ZM_OK;
}

static zm_status cut_plain(const zm_weather_series *s, const zm_time *start,
                           double earlier, zm_fire_weather *out, zm_error *err)
{
    size_t first = 0, begin = 0;

    while (begin < s->n && s->records[begin].time < 0)
        begin++;
    if (begin == s->n)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "all of its %zu hours lie before the ignition", s->n);
    out->earlier = (size_t)fmin(fmin(floor(earlier), (double)begin), ZM_MOST_EARLIER_HOURS);
    out->n = s->n - begin;
    first = begin - out->earlier;
    if (!(out->hours = malloc((s->n - first) * sizeof *out->hours)))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for weather");
    if (start)
        out->start = *start;
    for (size_t k = first; k < s->n; k++)
        out->hours[k - first] = s->records[k].air;
    return ZM_OK;
}

void zm_fire_weather_free(zm_fire_weather *weather)
{
    if (!weather)
        return;
    free(weather->hours);
    *weather = (zm_fire_weather){ 0 };
}

zm_status zm_fire_weather_cut(const zm_weather_series *s, const zm_time *start,
                              double hours, double earlier, zm_fire_weather *out,
                              zm_error *err)
{
    zm_status st;

    if (!s || !out || s->n < 1 || !s->records)
        return zm_fail(err, ZM_E_ARG, -1, "zm_fire_weather_cut needs weather and a result");
    *out = (zm_fire_weather){ 0 };
    if (start && start->month && !is_time(start))
        return zm_fail(err, ZM_E_ARG, -1,
                       "the fire starts in year %d, month %d, on day %d at hour %g, %g h "
                       "ahead of UTC: no such time",
                       (int)start->year, (int)start->month, (int)start->day, start->hour,
                       start->ahead);
    if (fabs(s->ahead) > 24)
        return zm_fail(err, ZM_E_ARG, -1,
                       "its clock is %g h ahead of UTC, must be within 24 or nan", s->ahead);
    if (!(hours >= 0 && hours <= 1e5) || !(earlier >= 0))
        return zm_fail(err, ZM_E_ARG, -1,
                       "%g hours of weather and %g before them, must be at least 0 and "
                       "the first at most 100000",
                       hours, earlier);
    st = s->dated ? cut_dated(s, start, hours, earlier, out, err)
                  : cut_plain(s, start, earlier, out, err);
    if (st < 0)
        zm_fire_weather_free(out);
    return st;
}
