/* SPDX-License-Identifier: Apache-2.0
 * Weather of observed fires, in the forms it comes in. */
#ifndef ZM_FIRE_OBSERVED_WEATHER_H
#define ZM_FIRE_OBSERVED_WEATHER_H

#include "zermelo/fire/dataset.h"

/** Hourly weather to be freed. */
typedef struct zm_hours {
    zm_weather_hour *items;
    size_t n;
    size_t skipped_lines; /**< of the files: no such day, or later than the next line */
} zm_hours;

/** wind_study.csv and daily_study.csv (may be NULL), hourly from `start` (hours since 1970) on
 *  for n hours. */
zm_status zm_study_weather_read(const char *wind, const char *daily, double start,
                                size_t n, zm_hours *out, zm_error *err);

/** wind.csv: one record an hour; `start` is its time label, NAN where it has none. */
zm_status zm_observed_wind_read(const char *path, double *start, zm_hours *out,
                                zm_error *err);

#endif
