/* SPDX-License-Identifier: Apache-2.0
 * Fuel models from text in FARSITE's form. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "core/fail.h"
#include "core/plain_number.h"
#include "core/shown_name.h"
#include "fire/science/fuel_check.h"

enum { FIELDS = 15, LINE = 512 };

/* Splits a line at blanks; the number of words, at most `room`. */
static int split(char *line, char **word, int room)
{
    static const char blanks[] = " \t\r";
    int n = 0;

    for (line += strspn(line, blanks); *line && n < room;
         line += strspn(line, blanks)) {
        word[n++] = line;
        line += strcspn(line, blanks);
        if (*line)
            *line++ = 0;
    }
    return n;
}

static zm_status number(const char *text, size_t line, const zm_value_rule *rule,
                        bool whole, double *out, zm_error *err)
{
    if (!zm_plain_number(text, out) || !(*out >= rule->least && *out <= rule->most) ||
        (whole && *out != floor(*out)))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "fuel models, line %zu: %s is \"%s\", must be a %snumber from "
                       "%g to %g",
                       line, rule->name, zm_word_shown(text).text,
                       whole ? "whole " : "", rule->least, rule->most);
    return ZM_OK;
}

static zm_status read_model(char **word, size_t line, zm_fuel *fuel, zm_error *err)
{
    static const zm_value_rule numbers = { "number", 1, ZM_FUEL_NUMBERS - 1 };
    static const int place[ZM_FUEL_VALUES] = {
        2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14
    };
    double which = 0, x[ZM_FUEL_VALUES] = { 0 };
    zm_status st = number(word[0], line, &numbers, true, &which, err);

    for (int i = 0; st == ZM_OK && i < ZM_FUEL_VALUES; i++)
        st = number(word[place[i]], line, &zm_fuel_rules[i], false, &x[i], err);
    if (st != ZM_OK)
        return st;
    if (strcasecmp(word[7], "static") != 0 && strcasecmp(word[7], "dynamic") != 0)
        return zm_fail(
            err, ZM_E_FORMAT, -1,
            "fuel models, line %zu: type is \"%s\", must be static or dynamic", line,
            zm_word_shown(word[7]).text);
    if (!(x[0] + x[1] + x[2] > 0))
        return zm_fail(
            err, ZM_E_FORMAT, -1,
            "fuel models, line %zu: has no dead fuel: one of the loads of 1 h, "
            "10 h and 100 h must be positive",
            line);
    *fuel = (zm_fuel){ .number = (int32_t)which,
                       .dynamic = strcasecmp(word[7], "dynamic") == 0,
                       .load = { x[0], x[1], x[2], x[3], x[4] },
                       .surface_to_volume = { x[5], x[6], x[7] },
                       .depth = x[8],
                       .extinction = x[9],
                       .heat = { x[10], x[11] } };
    return ZM_OK;
}

static zm_status read_line(char *text, size_t line, zm_fuel *fuel, bool *has_model,
                           zm_error *err)
{
    char *word[FIELDS];
    const int n = split(text, word, FIELDS);

    *has_model = false;
    if (n == 0 || word[0][0] == '#' || (n == 1 && strcasecmp(word[0], "ENGLISH") == 0))
        return ZM_OK;
    if (n == 1 && strcasecmp(word[0], "METRIC") == 0)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "fuel models, line %zu: METRIC units, must be ENGLISH: t/acre, "
                       "1/ft, ft, BTU/lb",
                       line);
    if (n < FIELDS)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "fuel models, line %zu: has %d fields, must have at least %d",
                       line, n, FIELDS);
    *has_model = true;
    return read_model(word, line, fuel, err);
}

zm_status zm_fuels_parse(const char *text, size_t length, zm_fuel *fuels,
                         size_t capacity, size_t *count, zm_error *err)
{
    size_t line = 0;

    *count = 0;
    for (size_t at = 0; at < length;) {
        const char *newline = memchr(text + at, '\n', length - at);
        const size_t end = newline ? (size_t)(newline - text) : length;
        char copy[LINE];
        bool has_model;
        zm_fuel fuel;

        line++;
        if (end - at >= LINE || memchr(text + at, 0, end - at))
            return zm_fail(
                err, ZM_E_FORMAT, -1,
                "fuel models, line %zu: is no text of less than %d characters", line,
                LINE);
        memcpy(copy, text + at, end - at);
        copy[end - at] = 0;
        ZM_TRY(read_line(copy, line, &fuel, &has_model, err));
        if (has_model && fuels && *count < capacity)
            fuels[*count] = fuel;
        *count += has_model;
        at = end + 1;
    }
    if (fuels && *count > capacity)
        return zm_fail(err, ZM_E_ARG, -1, "%zu fuel models, room for %zu", *count,
                       capacity);
    return ZM_OK;
}
