/* SPDX-License-Identifier: Apache-2.0
 * Writes JSON, one value at a time. */
#ifndef ZM_CLI_JSON_H
#define ZM_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text.h"

/** A text under construction; start with { 0 }. */
typedef struct json {
    zm_text text;
    int depth;
    bool has_items; /**< in the innermost object or array */
} json;

/** Opens and closes: '{' or '[' ... '}' or ']'.  key is NULL inside arrays and on top. */
void json_open(json *j, const char *key, char bracket);
void json_close(json *j, char bracket);

void json_text(json *j, const char *key, const char *value);
void json_int(json *j, const char *key, int64_t value);
void json_number(json *j, const char *key, double value); /* null unless finite */
void json_bool(json *j, const char *key, bool value);

/** Writes the text to a file, or to standard output when path is "-", and frees it; a
 *  message names the path after the option it came from ("--json ", or "" for none). */
int json_save(json *j, const char *option, const char *path);

void json_free(json *j);

#endif
