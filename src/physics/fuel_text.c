/* SPDX-License-Identifier: Apache-2.0
 * Fuel models from text in FARSITE's form. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp, uselocale */
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "core/fail.h"
#include "core/plain_number.h"
#include "core/shown_name.h"
#include "zermelo/physics.h"

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

/* What a number of a line must be. */
typedef struct field_rule {
    const char *name;
    double least, most; /* both 0: no number */
    bool whole;
} field_rule;

static zm_status number(const char *text, size_t line, const field_rule *rule,
                        double *out, zm_error *err)
{
    if (!zm_plain_number(text, out) || !(*out >= rule->least && *out <= rule->most) ||
        (rule->whole && *out != floor(*out)))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "fuel models, line %zu: %s is \"%s\", must be a %snumber from "
                       "%g to %g",
                       line, rule->name, zm_word_shown(text).text,
                       rule->whole ? "whole " : "", rule->least, rule->most);
    return ZM_OK;
}

static zm_status read_model(char **word, size_t line, zm_fuel *fuel, zm_error *err)
{
    static const field_rule field[FIELDS] = {
        { "number", 1, ZM_FUEL_NUMBERS - 1, true },
        { "code", 0, 0, false },
        { "1 h load", 0, 200, false },
        { "10 h load", 0, 200, false },
        { "100 h load", 0, 200, false },
        { "live herb load", 0, 200, false },
        { "live woody load", 0, 200, false },
        { "type", 0, 0, false },
        { "1 h surface to volume", 16, 20000, false },
        { "live herb surface to volume", 16, 20000, false },
        { "live woody surface to volume", 16, 20000, false },
        { "depth", 0.001, 100, false },
        { "moisture of extinction", 1, 300, false },
        { "heat of dead fuel", 1, 50000, false },
        { "heat of live fuel", 1, 50000, false }
    };
    double x[FIELDS] = { 0 };

    for (int i = 0; i < FIELDS; i++)
        if (field[i].most > 0) {
            const zm_status st = number(word[i], line, &field[i], &x[i], err);

            if (st != ZM_OK)
                return st;
        }
    if (strcasecmp(word[7], "static") != 0 && strcasecmp(word[7], "dynamic") != 0)
        return zm_fail(
            err, ZM_E_FORMAT, -1,
            "fuel models, line %zu: type is \"%s\", must be static or dynamic", line,
            zm_word_shown(word[7]).text);
    if (!(x[2] + x[3] + x[4] > 0))
        return zm_fail(
            err, ZM_E_FORMAT, -1,
            "fuel models, line %zu: has no dead fuel: one of the loads of 1 h, "
            "10 h and 100 h must be positive",
            line);
    *fuel = (zm_fuel){ .number = (int32_t)x[0],
                       .dynamic = strcasecmp(word[7], "dynamic") == 0,
                       .load = { x[2], x[3], x[4], x[5], x[6] },
                       .surface_to_volume = { x[8], x[9], x[10] },
                       .depth = x[11],
                       .extinction = x[12],
                       .heat = { x[13], x[14] } };
    return ZM_OK;
}

static zm_status read_line(char *text, size_t line, zm_fuel *fuel, bool *has_model,
                           zm_error *err)
{
    char *word[FIELDS];
    const int n = split(text, word, FIELDS);

    *has_model = false;
    if (n == 0 || word[0][0] == '#' || (n == 1 && strcmp(word[0], "ENGLISH") == 0))
        return ZM_OK;
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
        zm_status st;

        line++;
        if (end - at >= LINE || memchr(text + at, 0, end - at))
            return zm_fail(
                err, ZM_E_FORMAT, -1,
                "fuel models, line %zu: is no text of less than %d characters", line,
                LINE);
        memcpy(copy, text + at, end - at);
        copy[end - at] = 0;
        st = read_line(copy, line, &fuel, &has_model, err);
        if (st != ZM_OK)
            return st;
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
