/* SPDX-License-Identifier: Apache-2.0
 * Weather from files, whichever form they have. */
#include <stdlib.h>

#include "core/fail.h"
#include "fire/data/geo/date.h"
#include "fire/data/scene.h"
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
