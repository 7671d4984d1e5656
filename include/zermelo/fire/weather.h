/* SPDX-License-Identifier: Apache-2.0
 * Weather with dates, from the files it comes in, and the hours of a fire cut out of it. */
#ifndef ZM_FIRE_WEATHER_H
#define ZM_FIRE_WEATHER_H

#include "dataset.h"
#include "moment.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a file of weather is, by what is in it. */
typedef enum zm_weather_form {
    ZM_WEATHER_TABLE = 0, /**< a table as of a scene: hours from the ignition on */
    ZM_WEATHER_STREAM,    /**< FARSITE's weather stream (.wxs) */
    ZM_WEATHER_INPUT,     /**< FARSITE's settings (.input), with weather, moistures and times */
    ZM_WEATHER_STATION    /**< a table of a station with dates: RAWS, MesoWest, FW21 */
} zm_weather_form;

/** This struct is frozen. */
typedef struct zm_weather_record {
    double time; /**< h; since 1970 on the clock of the series where it has dates, else from the
                      ignition on */
    zm_weather_hour air; /**< rain: mm since the record before it */
} zm_weather_record;

/** Weather of a file.  The library makes it, and may add to it at the end. */
typedef struct zm_weather_series {
    size_t size; /**< sizeof(zm_weather_series), set by the caller */
    zm_weather_form form;
    zm_weather_record *records; /**< n of them, rising in time */
    size_t n;
    int32_t dated;    /**< 0: from the ignition on */
    double ahead;     /**< h that its clock is ahead of UTC; NAN: not told */
    double elevation; /**< of the station, m; NAN: not told */
    uint32_t assumed; /**< as of zm_weather */
    zm_time start, end;        /**< of an .input: its fire; month 0: not told */
    double conditioned_from;   /**< of an .input: h since 1970; NAN: not told */
    zm_fuel_moisture moisture; /**< of an .input; dead_1h 0: not told */
    double foliar_moisture;    /**< of an .input, percent; NAN: not told */
    char unused[160];          /**< of an .input: settings that this model has no use for */
} zm_weather_series;
#define ZM_WEATHER_SERIES_INIT                                                         \
    {                                                                                  \
        .size = sizeof(zm_weather_series)                                              \
    }

/**
 * Reads weather of any of these forms.  What is something else (a landscape, fuels, fuel
 * moistures) is refused with its name, and so are a column without a unit and times that do not
 * rise.  Wind of stations and streams is that of 20 ft.
 *
 * @param out out  to be freed with zm_weather_series_free; empty after a failure
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT (names line, column and range), ZM_E_NOMEM, ZM_E_ARG
 */
ZM_API zm_status zm_weather_series_read(const char *path, zm_weather_series *out,
                                        zm_error *err);

/** Frees the records; leaves it empty. */
ZM_API void zm_weather_series_free(zm_weather_series *series);

/** Hours of a fire.  This struct is frozen. */
typedef struct zm_fire_weather {
    zm_weather_hour *hours; /**< n from the start on, after `earlier` ones before it */
    size_t n, earlier;
    zm_time start; /**< with its year; as it was told where the series has no dates */
} zm_fire_weather;

/**
 * The hours of a fire out of a series: wind, cloud and rain are means over each hour,
 * temperature and humidity those of its beginning, between records on a line.
 *
 * Of a series without dates these are its own.  Else the start must lie in it; a start without a
 * year takes that of the series.  Where the clocks of both are told, one is brought to the
 * other; where one of them alone is told that is refused.
 *
 * @param start   in   month 0 or NULL: that of an .input, else the first record of a stream; a
 *                     station needs one
 * @param hours   in   that must be there; 0: as many as there are
 * @param earlier in   at most so many hours before the start come along: conditioning; of an
 *                     .input only those of its conditioning period
 * @param out     out  to be freed with zm_fire_weather_free; zeroed after a failure
 * @return ZM_OK; ZM_E_FORMAT: no weather at the start, for all hours, or over a gap of more than
 *         three hours, which the message names; ZM_E_ARG; ZM_E_NOMEM
 */
ZM_API zm_status zm_fire_weather_cut(const zm_weather_series *series,
                                     const zm_time *start, double hours, double earlier,
                                     zm_fire_weather *out, zm_error *err);
ZM_API void zm_fire_weather_free(zm_fire_weather *weather);

/**
 * Both at once: reads weather of any form and cuts the hours of a fire out of it.  Of an .input
 * without a start of one's own, and with `hours` 0, they end where its fire does.
 *
 * @param start       in   as of zm_fire_weather_cut
 * @param clock_ahead in   h that times of the file that do not tell it are ahead of UTC; NAN: as the
 *                         start
 * @param series      out  the whole of it, to be freed with zm_weather_series_free; empty after a
 *                         failure
 * @return as both; the message begins with the name of the file
 */
ZM_API zm_status zm_fire_weather_read(const char *path, const zm_time *start,
                                      double clock_ahead, double hours, double earlier,
                                      zm_weather_series *series, zm_fire_weather *out,
                                      zm_error *err);

#ifdef __cplusplus
}
#endif

#endif
