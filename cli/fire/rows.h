/* SPDX-License-Identifier: Apache-2.0
 * Rows that the option tables of several verbs have.  FIELD is the table's own: the offset of a
 * member of its settings. */
#ifndef ZM_CLI_FIRE_ROWS_H
#define ZM_CLI_FIRE_ROWS_H

#include "common/option.h"
#include "common/value.h"

#define VALUE_ROW(name, value, field, parser, accepted, text)                          \
    {                                                                                  \
        name, value, OPTION_VALUE, FIELD(field), .parse = parser, .expects = accepted, \
                                                 .help = text                          \
    }
#define TEXT_ROW(name, value, field, accepted, text)                                   \
    VALUE_ROW(name, value, field, parse_text, accepted, text)
#define NEEDED_TEXT_ROW(name, value, field, accepted, text)                            \
    {                                                                                  \
        name, value, OPTION_VALUE, FIELD(field),                                       \
            .required = true, .parse = parse_text, .expects = accepted, .help = text   \
    }
#define COUNT_ROW(name, field, text)                                                   \
    VALUE_ROW(name, "N", field, parse_count, "a whole number >= 1", text)
#define POSITIVE_ROW(name, value, field, text)                                         \
    VALUE_ROW(name, value, field, parse_positive, "a number above 0", text)
#define NOT_NEGATIVE_ROW(name, value, field, text)                                     \
    VALUE_ROW(name, value, field, parse_tolerance, "a number >= 0", text)
#define THREADS_ROW(field, text)                                                       \
    VALUE_ROW("threads", "N", field, parse_threads, "a whole number >= 1, or all", text)
#define INPUT_ROW(name, field, text)                                                   \
    {                                                                                  \
        name, "FILE", OPTION_INPUT, FIELD(field), .help = text                         \
    }
#define OUTPUT_ROW(name, field, text)                                                  \
    {                                                                                  \
        name, "FILE", OPTION_OUTPUT, FIELD(field), .help = text                        \
    }
#define FLAG_ROW(name, field, text)                                                    \
    {                                                                                  \
        name, NULL, OPTION_FLAG, FIELD(field), .help = text                            \
    }

#define DATA_ROW                                                                       \
    NEEDED_TEXT_ROW("data", "DIR", data, "a folder", "dataset: a folder of scenes")
#define SCENES_ROW(text) TEXT_ROW("scenes", "A,B", scenes, "names of scenes", text)
#define SPLIT_ROW(text)                                                                \
    TEXT_ROW("split", "WORD", split, "a word of the column split", text)
#define FIRE_ROW(text)  TEXT_ROW("fire", "NAME", fire, "the name of a fire", text)
#define SCENE_ROW(text) TEXT_ROW("scene", "DIR", scene, "the folder of a scene", text)
#define OBSERVED_ROW(text)                                                             \
    TEXT_ROW("observed", "DIR", observed, "the folder of an observed fire", text)
#define REPORT_ROW(text) TEXT_ROW("report", "DIR", report, "a folder", text)
#define JSON_ROW(text)                                                                 \
    {                                                                                  \
        "json", "FILE", OPTION_OUTPUT, FIELD(json), .dash_allowed = true, .help = text \
    }
#define EACH_ROW        FLAG_ROW("each", each, "a line for each fire as well")
#define QUIET_ROW(text) FLAG_ROW("quiet", quiet, text)

#endif
