/* SPDX-License-Identifier: Apache-2.0
 * Weather from files, whichever form they have. */
#include <stdlib.h>

#include "core/fail.h"
#include "core/file.h"
#include "fire/data/scene.h"
#include "fire/data/weather_stream.h"

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
    return zm_weather_parse(text, n, name, &out->hours, &out->n, &out->assumed, err);
}

static zm_status read_stream(const char *path, zm_weather *out, zm_error *err)
{
    zm_weather_stream s;

    ZM_TRY(zm_weather_stream_read(path, &s, err));
    *out = (zm_weather){ .hours = s.hours,
                         .n = s.n,
                         .start_month = s.month,
                         .start_day = s.day,
                         .start_hour = s.hour };
    return ZM_OK;
}

zm_status zm_weather_read(const char *path, zm_weather *out, zm_error *err)
{
    char *bytes;
    size_t n;
    zm_status st;

    if (!path || !out)
        return zm_fail(err, ZM_E_ARG, -1, "zm_weather_read needs a file and a result");
    *out = (zm_weather){ 0 };
    if (!zm_file_ends(path, ".csv"))
        return read_stream(path, out, err);
    st = zm_file_read(path, ZM_FILE_TEXT, &bytes, &n, err);
    if (st >= 0)
        st = zm_weather_read_text(bytes, n, path, out, err);
    free(bytes);
    return st;
}
