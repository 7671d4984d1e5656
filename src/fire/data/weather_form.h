/* SPDX-License-Identifier: Apache-2.0
 * Readers of weather with dates, one for each form. */
#ifndef ZM_FIRE_WEATHER_FORM_H
#define ZM_FIRE_WEATHER_FORM_H

#include "fire/data/geo/date.h"
#include "zermelo/fire/weather.h"

/** The form of a text; *other is what it is instead where it is no weather, else NULL. */
zm_weather_form zm_weather_form_of(const char *text, size_t n, const char **other);

/** Appends a record that is later than the last and in range. */
zm_status zm_weather_series_add(zm_weather_series *s, size_t *room, double time,
                                const zm_weather_hour *air, const char *name,
                                size_t line, zm_error *err);

zm_status zm_weather_station_parse(const char *text, size_t n, const char *name,
                                   zm_weather_series *out, zm_error *err);
zm_status zm_weather_input_parse(const char *text, const char *name,
                                 zm_weather_series *out, zm_error *err);

/** Lines of a weather stream, to where a line is none of it; *end is the text after them. */
zm_status zm_weather_stream_take(const char *text, const char *name, size_t line,
                                 size_t most, int metric, zm_weather_series *out,
                                 const char **end, zm_error *err);

/** Numbers of a line of n characters; how many, or -1 where a word is none or they are too
 *  many. */
int zm_weather_numbers(const char *line, size_t n, double *values, int most);

#endif
