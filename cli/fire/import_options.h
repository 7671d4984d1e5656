/* SPDX-License-Identifier: Apache-2.0
 * What verbs that import a landscape of others are told, and what they tell. */
#ifndef ZM_CLI_FIRE_IMPORT_OPTIONS_H
#define ZM_CLI_FIRE_IMPORT_OPTIONS_H

#include <stdbool.h>

#include "common/option.h"
#include "zermelo/fire/dataset.h"

typedef struct fire_start {
    int32_t month, day; /* month 0: not given */
    double hour;
} fire_start;

/** MM-DDThh[:mm]; fire_start. */
bool parse_start(const char *text, void *field);
#define START_OPTION(field)                                                            \
    {                                                                                  \
        "start", "MM-DDThh:mm", OPTION_VALUE, field,                                   \
            .parse = parse_start, .expects = "MM-DDThh:mm, e.g. 07-21T14:30",          \
            .help =                                                                    \
                "when the fire starts, for the sun; default that of a weather stream " \
                "(.wxs), else 07-01T12:00"                                             \
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

/** Whether --fuel-moisture was given: no fuel has 0 %. */
static inline bool moisture_given(const zm_fuel_moisture *moisture)
{
    return moisture->dead_1h > 0;
}

/** Options of the importers for these choices; fuels are borrowed. */
zm_import_opts import_opts(const fire_start *start, const zm_fuel_moisture *moisture,
                           const zm_fuel *fuels, size_t n_fuels);

/** Says what had to be changed. */
void tell_import(const zm_import_report *report);

#endif
