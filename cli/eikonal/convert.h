/* SPDX-License-Identifier: Apache-2.0
 * Settings of zermelo convert, and which option has which planes of a form. */
#ifndef ZM_CLI_CONVERT_H
#define ZM_CLI_CONVERT_H

#include "common/option.h"
#include "common/value.h"
#include "zermelo/convert.h"

enum { NO_FORM = -1, NO_CONVENTION = -1 };

typedef struct convert_settings {
    int from, to;   /**< zm_form */
    int convention; /**< zm_heading, or NO_CONVENTION */
    double tilt;    /**< < 0: not given */
    const char *metric, *drift, *head, *flank, *back, *length_to_breadth, *heading;
    const char *walls;
    grid_shape shape; /**< rows = 0: not given */
    dtype_choice dtype;
    bool quiet;
    const char *out_metric, *out_drift, *out_head, *out_flank, *out_back, *out_heading;
} convert_settings;

extern const option_table convert_form_options, convert_given_options,
    convert_wanted_options;

/** Name of a zm_form. */
const char *form_name(int form);

/** An option that gives, or gets, planes of a form. */
typedef struct part {
    zm_form form;
    const char *option;
    size_t offset; /**< of its file in the settings */
    size_t first, planes;
    bool optional;
} part;

enum { N_GIVEN = 11, N_WANTED = 8 };
extern const part given_parts[N_GIVEN], wanted_parts[N_WANTED];

/** The file or number of a part, or NULL. */
const char *part_value(const convert_settings *s, const part *p);

/** DONE, or USAGE after a message where options do not go together. */
int convert_settings_check(const convert_settings *s);

#endif
