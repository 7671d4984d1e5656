/* SPDX-License-Identifier: Apache-2.0
 * What verbs that import a landscape of others are told, and what they tell. */
#ifndef ZM_CLI_FIRE_IMPORT_OPTIONS_H
#define ZM_CLI_FIRE_IMPORT_OPTIONS_H

#include <stdbool.h>

#include "common/option.h"
#include "common/value.h"
#include "zermelo/fire/weather.h"

/** zm_time; month 0: not given. */
typedef zm_time fire_start;

/** What verbs that take weather with dates are told about its times. */
typedef struct weather_times {
    fire_start start;
    const char *zone;    /* of --time-zone; NULL: not given */
    double conditioning; /* h; negative: not given */
    double hours;        /* that must be there; 0: not told */
} weather_times;
#define WEATHER_TIMES_DEFAULT                                                          \
    {                                                                                  \
        .conditioning = -1                                                             \
    }
/** Places where a fire starts, zermelo/fire/ignition.h; a file_list. */
#define IGNITION_OPTION(field, text)                                                   \
    {                                                                                  \
        "ignition", "PLACE", OPTION_VALUE, field, .repeatable = true,                  \
            .parse = parse_ignition, .expects = "a place",                             \
            .help = text ": ROW,COL, 44.71N,110.32W, lat=44.71,lon=-110.32, "          \
                         "x=512340,y=4951220 (of the landscape), or FILE of points, "  \
                         "lines and polygons (GeoJSON, GeoPackage, Shapefile, KML) "   \
                         "with their times in a field time_h or date; behind it "      \
                         "perhaps @HOURS or @DATE"                                     \
    }
#define ZONE_OPTION(field)                                                             \
    {                                                                                  \
        "time-zone", "ZONE", OPTION_VALUE, field, .parse = parse_zone_name,            \
            .expects = "Z, a distance like -06:00, or a name like America/Denver",     \
            .help = "of times that do not tell theirs, --start and the weather's; "    \
                    "daylight saving counts; without any the clock is the sun's"       \
    }
#define CONDITIONING_OPTION(field)                                                     \
    {                                                                                  \
        "conditioning", "H", OPTION_VALUE, field, .parse = parse_tolerance,         \
            .expects = "a number >= 0",                                                \
            .help = "of the weather before --start that dead fuel goes through first; " \
                    "default all there are, of an .input its conditioning period"      \
    }

/** A time zone; const char *. */
bool parse_zone_name(const char *text, void *field);

/** Whether the options of weather are given. */
bool times_given(const weather_times *times);

/** MM-DDThh[:mm], with a year and a zone or without; fire_start. */
bool parse_start(const char *text, void *field);
#define START_OPTION(field)                                                            \
    {                                                                                  \
        "start", "TIME", OPTION_VALUE, field,                                   \
            .parse = parse_start, .expects = "MM-DDThh:mm, e.g. 07-21T14:30, or "                            \
                       "YYYY-MM-DDThh:mm, perhaps with Z or -06:00 behind it",                     \
            .help =                                                                    \
                "when the fire starts, for the sun and the weather of its dates; "     \
                "default that of a stream (.wxs, .input), else 07-01T12:00"                                             \
    }

/** Five numbers between commas; zm_fuel_moisture. */
bool parse_moisture(const char *text, void *field);
#define MOISTURE_OPTION(field, rest)                                                   \
    {                                                                                  \
        "fuel-moisture", "A,B,C,D,E", OPTION_VALUE, field,                             \
            .parse = parse_moisture,                                                   \
            .expects = "five percentages, e.g. 6,7,8,60,90: dead fuel 0.1 to 100, "    \
                       "live fuel 0.1 to 400",                                         \
            .help =                                                                    \
                "fuel moisture at the start, percent: dead of 1, 10 and 100 h, live "  \
                "herbs, live wood; " rest                                              \
    }

/** Appends to a file_list; check_ignition says whether it is right. */
bool parse_ignition(const char *text, void *field);
/** DONE, or a usage error that names the word. */
int check_ignition(const file_list *words);

/** Whether --fuel-moisture was given: no fuel has 0 %. */
static inline bool moisture_given(const zm_fuel_moisture *moisture)
{
    return moisture->dead_1h > 0;
}

/** Options of the importers for these choices; fuels are borrowed.  DONE, or a usage error. */
int import_opts(const weather_times *times, const zm_fuel_moisture *moisture,
                const file_list *ignition, const zm_fuel *fuels, size_t n_fuels,
                zm_import_opts *out);

/** Says what had to be changed. */
void tell_import(const zm_import_report *report);

#endif
