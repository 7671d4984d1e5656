/* SPDX-License-Identifier: Apache-2.0
 * FARSITE's weather streams (.wxs). */
#ifndef ZM_FIRE_WEATHER_STREAM_H
#define ZM_FIRE_WEATHER_STREAM_H

#include "zermelo/fire/weather.h"

typedef struct zm_weather_stream {
    zm_weather_hour *hours; /**< to be freed */
    size_t n;
    int32_t month, day; /**< of the first; 0 where it does not tell */
    double hour;
} zm_weather_stream;

/** Lines of ten numbers: year month day time temperature humidity rain wind direction cloud; or
 *  of the last six alone.  RAWS_UNITS: Metric (C, mm, km/h at 10 m) or English (F, inches, mph
 *  at 20 ft), which it is without that line.  RAWS: n, where it is there, is their number.
 *  Other lines above them that begin with a letter, and all with #, are passed over.  Lines with
 *  dates are brought to hours as by zm_fire_weather_cut. */
zm_status zm_weather_stream_parse(const char *text, const char *name,
                                  zm_weather_stream *out, zm_error *err);
/** The same with all that it tells, into an empty series. */
zm_status zm_weather_stream_series(const char *text, const char *name,
                                   zm_weather_series *out, zm_error *err);
zm_status zm_weather_stream_read(const char *path, zm_weather_stream *out,
                                 zm_error *err);

#endif
