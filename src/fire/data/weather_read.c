/* SPDX-License-Identifier: Apache-2.0
 * Weather from files, whichever form they have. */
#include <math.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "fire/data/geo/date.h"
#include "fire/data/scene.h"
#include "fire/data/weather_form.h"
#include "zermelo/fire/weather.h"

void zm_weather_free(zm_weather *weather)
{
    if (!weather)
        return;
    free(weather->hours);
    *weather = (zm_weather){ 0 };
}

zm_status zm_weather_read_text(const char *text, size_t n, const char *name,
                               zm_weather *out, zm_error *err)
{
    if (!text || !name || !out)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_weather_read_text needs a text, its name and a result");
    *out = (zm_weather){ 0 };
    return zm_weather_parse(text, n, name, &out->hours, &out->n, NULL, &out->assumed,
                            err);
}

zm_status zm_weather_read(const char *path, zm_weather *out, zm_error *err)
{
    const zm_time first = { 0 };
    zm_weather_series s = ZM_WEATHER_SERIES_INIT;
    zm_fire_weather cut = { 0 };
    zm_status st;

    if (!path || !out)
        return zm_fail(err, ZM_E_ARG, -1, "zm_weather_read needs a file and a result");
    *out = (zm_weather){ 0 };
    st = zm_weather_series_read(path, &s, err);
    if (st >= 0 && s.form == ZM_WEATHER_STATION) {
        const zm_date date = zm_date_of(s.records[0].time);

        s.start = (zm_time){ date.year, date.month, date.day,
                             date.hour + date.minute / 60.0, s.ahead };
    }
    if (st >= 0)
        st = zm_fire_weather_cut(&s, &first, 0, 0, &cut, err);
    if (st >= 0)
        *out = (zm_weather){ .hours = cut.hours,
                             .n = cut.n,
                             .start_month = cut.start.month,
                             .start_day = cut.start.day,
                             .start_hour = cut.start.hour,
                             .assumed = s.assumed };
    zm_weather_series_free(&s);
    return st;
}

/* ---- hours of a fire -------------------------------------------------------------- */

static double time_of_start(const zm_time *t)
{
    return zm_date_numbers_hours(t->year, t->month, t->day, 0) + t->hour;
}

/* From the start to the end that an .input tells. */
static zm_status hours_of_input(const zm_weather_series *s, double *hours, zm_error *err)
{
    if (!s->start.month || !s->end.month)
        return ZM_OK;
    *hours = time_of_start(&s->end) - time_of_start(&s->start);
    return *hours > 0 ? ZM_OK
                      : zm_fail(err, ZM_E_FORMAT, -1,
                                "FARSITE_END_TIME is not after FARSITE_START_TIME");
}

static zm_status cut_own(zm_weather_series *s, const zm_time *start, double clock_ahead,
                         double hours, double earlier, zm_fire_weather *out,
                         zm_error *err)
{
    if (isnan(s->ahead) && s->dated)
        s->ahead = isnan(clock_ahead) ? start->ahead : clock_ahead;
    if (s->form == ZM_WEATHER_INPUT) {
        s->start.ahead = s->end.ahead = s->ahead;
        if (hours == 0 && !start->month)
            ZM_TRY(hours_of_input(s, &hours, err));
    }
    return zm_fire_weather_cut(s, start, hours, earlier, out, err);
}

zm_status zm_fire_weather_read(const char *path, const zm_time *start, double clock_ahead,
                               double hours, double earlier, zm_weather_series *series,
                               zm_fire_weather *out, zm_error *err)
{
    const zm_time none = { .ahead = NAN };
    zm_error own = { 0 };
    zm_status st;

    if (!out)
        return zm_fail(err, ZM_E_ARG, -1, "zm_fire_weather_read needs a result");
    *out = (zm_fire_weather){ 0 };
    ZM_TRY(zm_weather_series_read(path, series, err));
    st = cut_own(series, start ? start : &none, clock_ahead, hours, earlier, out, &own);
    if (st >= 0)
        return ZM_OK;
    zm_weather_series_free(series);
    return zm_fail(err, st, -1, "%s: %s", zm_shown_name(path), own.text);
}
