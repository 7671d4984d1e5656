/* SPDX-License-Identifier: Apache-2.0
 * Reads tables of observed arrival times. */
#define _POSIX_C_SOURCE 200809L /* uselocale, strncasecmp */
#include "zermelo/observations.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/fail.h"
#include "core/shown_name.h"

typedef enum column { EXPERIMENT, ROW, COL, TIME, SIGMA, TIME_UPPER, N_COLUMNS } column;

static const char *const column_names[N_COLUMNS] = {
    "experiment", "row", "col", "time", "sigma", "time_upper"
};
#define ALL_COLUMNS "experiment, row, col, time, sigma, time_upper"

/* A piece of the text. */
typedef struct span {
    const char *at;
    size_t length;
} span;

typedef struct parser {
    const char *name;
    span rest;    /* lines not yet looked at */
    int64_t line; /* number of the last one taken */
    size_t n_columns;
    column columns[N_COLUMNS]; /* of the table, in its order */
    bool has[N_COLUMNS];
    zm_observations table;
    size_t room;
} parser;

/* ---- text ------------------------------------------------------------------------- */

static span trimmed(span s)
{
    while (s.length && strchr(" \t\r", s.at[0]) && s.at[0]) {
        s.at++;
        s.length--;
    }
    while (s.length && strchr(" \t\r", s.at[s.length - 1]) && s.at[s.length - 1])
        s.length--;
    return s;
}

/* Text up to the separator, which is passed over; all of it if there is none. */
static span take_until(span *rest, char separator)
{
    const char *end = rest->length ? memchr(rest->at, separator, rest->length) : NULL;
    const span piece = { rest->at, end ? (size_t)(end - rest->at) : rest->length };
    const size_t used = piece.length + (end ? 1 : 0);

    rest->at += used;
    rest->length -= used;
    return piece;
}

/* The next line that is neither empty nor a comment; false at the end. */
static bool next_line(parser *p, span *line)
{
    while (p->rest.length) {
        *line = trimmed(take_until(&p->rest, '\n'));
        p->line++;
        if (line->length && line->at[0] != '#')
            return true;
    }
    return false;
}

static size_t count_values(span line)
{
    size_t n = 1;

    for (size_t i = 0; i < line.length; i++)
        n += line.at[i] == ',';
    return n;
}

/* A value without blanks and quotes around it. */
static span next_value(span *line)
{
    span value = trimmed(take_until(line, ','));

    if (value.length >= 2 && value.at[0] == '"' && value.at[value.length - 1] == '"')
        value = trimmed((span){ value.at + 1, value.length - 2 });
    return value;
}

/* As much of a value as a message has room for, without what a terminal might obey. */
typedef struct shown {
    char text[28];
} shown;

static shown shown_of(span value)
{
    shown s;
    const size_t most = sizeof s.text - 4;
    const size_t n = value.length < most ? value.length : most;

    for (size_t i = 0; i < n; i++)
        s.text[i] = value.at[i] >= ' ' && value.at[i] <= '~' ? value.at[i] : '?';
    memcpy(s.text + n, n < value.length ? "..." : "", n < value.length ? 4 : 1);
    return s;
}

/* ---- header ----------------------------------------------------------------------- */

static zm_status add_column(parser *p, span title, zm_error *err)
{
    for (int c = 0; c < N_COLUMNS; c++) {
        if (strlen(column_names[c]) != title.length ||
            strncasecmp(column_names[c], title.at, title.length) != 0)
            continue;
        if (p->has[c])
            return zm_fail(err, ZM_E_FORMAT, -1,
                           "%s, line %lld: column %s is there twice",
                           zm_shown_name(p->name), (long long)p->line, column_names[c]);
        p->has[c] = true;
        p->columns[p->n_columns++] = (column)c;
        return ZM_OK;
    }
    return zm_fail(
        err, ZM_E_FORMAT, -1,
        "%s, line %lld: unknown column '%s'; the first line names the columns: "
        "some of " ALL_COLUMNS,
        zm_shown_name(p->name), (long long)p->line, shown_of(title).text);
}

static zm_status read_header(parser *p, zm_error *err)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF", npy[] = "\x93NUMPY";
    static const column needed[] = { ROW, COL, TIME };
    zm_status st = ZM_OK;
    span line;

    if (p->rest.length >= 3 && !memcmp(p->rest.at, byte_order_mark, 3))
        p->rest = (span){ p->rest.at + 3, p->rest.length - 3 };
    if (p->rest.length >= 6 && !memcmp(p->rest.at, npy, 6))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: an NPY array, must be a table of text",
                       zm_shown_name(p->name));
    if (!next_line(p, &line))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: empty; the first line must name the columns: " ALL_COLUMNS,
                       zm_shown_name(p->name));
    for (size_t i = 0, n = count_values(line); st == ZM_OK && i < n; i++)
        st = add_column(p, next_value(&line), err);
    for (size_t i = 0; st == ZM_OK && i < sizeof needed / sizeof *needed; i++)
        if (!p->has[needed[i]])
            st = zm_fail(err, ZM_E_FORMAT, -1,
                         "%s, line %lld: no column %s; needed are row, col and time",
                         zm_shown_name(p->name), (long long)p->line,
                         column_names[needed[i]]);
    return st;
}

/* ---- values ----------------------------------------------------------------------- */

static zm_status fail_value(const parser *p, column c, span value, const char *must,
                            zm_error *err)
{
    return zm_fail(err, ZM_E_FORMAT, -1, "%s, line %lld, column %s: '%s', must be %s",
                   zm_shown_name(p->name), (long long)p->line, column_names[c],
                   shown_of(value).text, must);
}

/* strtod alone would also take "nan" and "0x1p3". */
static bool number_of(span value, double *out)
{
    char text[64], *end;

    if (value.length == 0 || value.length >= sizeof text)
        return false;
    memcpy(text, value.at, value.length);
    text[value.length] = '\0';
    if (!strcasecmp(text, "inf") || !strcasecmp(text, "+inf")) {
        *out = INFINITY;
        return true;
    }
    if (strspn(text, "0123456789+-.eE") != value.length)
        return false;
    *out = strtod(text, &end);
    return end == text + value.length && isfinite(*out);
}

static bool whole_of(double number, int32_t *out)
{
    if (!(number >= 0 && number <= INT32_MAX && number == floor(number)))
        return false;
    *out = (int32_t)number;
    return true;
}

/* Puts a value that is not blank into its place; NULL, or what it must be. */
static const char *store(zm_observation *o, column c, double number)
{
    int32_t *const whole = c == EXPERIMENT ? &o->experiment
                           : c == ROW      ? &o->row
                                           : &o->col;

    switch (c) {
    case TIME:
        o->time = number;
        return isfinite(number) ? NULL : "finite";
    case SIGMA:
        o->sigma = number;
        return number > 0 && isfinite(number) ? NULL : "> 0 and finite";
    case TIME_UPPER:
        o->upper = number;
        return NULL;
    default:
        return whole_of(number, whole) ? NULL : "a whole number from 0 on";
    }
}

static zm_status read_value(const parser *p, column c, span value, zm_observation *o,
                            zm_error *err)
{
    const bool may_be_blank = c == SIGMA || c == TIME_UPPER;
    const char *must;
    double number;

    if (value.length == 0 && may_be_blank)
        return ZM_OK;
    if (!number_of(value, &number))
        return fail_value(p, c, value, "a number", err);
    must = store(o, c, number);
    return must ? fail_value(p, c, value, must, err) : ZM_OK;
}

static zm_status read_line(const parser *p, span line, zm_observation *o, zm_error *err)
{
    const size_t n = count_values(line);
    zm_status st = ZM_OK;

    *o = (zm_observation){ .sigma = NAN, .upper = NAN, .line = p->line };
    if (n != p->n_columns)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s, line %lld: %zu value%s, must be %zu as in the header",
                       zm_shown_name(p->name), (long long)p->line, n, n == 1 ? "" : "s",
                       p->n_columns);
    for (size_t i = 0; st == ZM_OK && i < n; i++)
        st = read_value(p, p->columns[i], next_value(&line), o, err);
    if (st < 0)
        return st;
    if (o->upper < o->time)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s, line %lld, column time_upper: %.9g, must be at least time, "
                       "%.9g",
                       zm_shown_name(p->name), (long long)p->line, o->upper, o->time);
    if (isnan(o->upper))
        o->upper = o->time;
    return ZM_OK;
}

/* ---- table ------------------------------------------------------------------------ */

static zm_status append(parser *p, const zm_observation *o, zm_error *err)
{
    if (p->table.n == p->room) {
        const size_t room = 2 * p->room + 64;
        zm_observation *more = room > SIZE_MAX / sizeof *more
                                   ? NULL
                                   : realloc(p->table.items, room * sizeof *more);

        if (!more)
            return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for %zu observations",
                           zm_shown_name(p->name), room);
        p->table.items = more;
        p->room = room;
    }
    p->table.items[p->table.n++] = *o;
    return ZM_OK;
}

static zm_status read_table(parser *p, zm_error *err)
{
    zm_status st = read_header(p, err);
    zm_observation o;
    span line;

    while (st == ZM_OK && next_line(p, &line)) {
        st = read_line(p, line, &o, err);
        if (st == ZM_OK)
            st = append(p, &o, err);
    }
    if (st == ZM_OK && p->table.n == 0)
        st = zm_fail(err, ZM_E_FORMAT, -1, "%s: a header and no observations",
                     zm_shown_name(p->name));
    p->table.has_experiment = p->has[EXPERIMENT];
    p->table.has_sigma = p->has[SIGMA];
    p->table.has_upper = p->has[TIME_UPPER];
    return st;
}

zm_status zm_observations_parse(const void *bytes, size_t n_bytes, const char *name,
                                zm_observations *out, zm_error *err)
{
    parser p = { .name = name ? name : "table", .rest = { bytes, n_bytes } };
    locale_t plain, old;
    zm_status st;

    if ((!bytes && n_bytes) || !out)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_observations_parse needs bytes and a result");
    plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0); /* of this thread alone */
    if (!plain)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for a locale",
                       zm_shown_name(p.name));
    old = uselocale(plain);
    st = read_table(&p, err);
    uselocale(old);
    freelocale(plain);
    if (st < 0)
        zm_observations_free(&p.table);
    else
        *out = p.table;
    return st;
}

/* All bytes of a file or pipe, to be freed. */
static zm_status read_all(const char *path, char **bytes, size_t *n, zm_error *err)
{
    FILE *file = fopen(path, "rb");
    size_t room = 0, got;
    zm_status st = ZM_OK;

    *bytes = NULL;
    *n = 0;
    if (!file)
        return zm_fail_errno(err, ZM_E_IO, zm_shown_name(path));
    do {
        if (*n == room) {
            char *more = realloc(*bytes, room = 2 * room + 65536);

            if (!more) {
                st = zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for %zu bytes",
                             zm_shown_name(path), room);
                break;
            }
            *bytes = more;
        }
        got = fread(*bytes + *n, 1, room - *n, file);
        *n += got;
    } while (got);
    if (st == ZM_OK && ferror(file))
        st = zm_fail_errno(err, ZM_E_IO, zm_shown_name(path));
    fclose(file);
    return st;
}

zm_status zm_observations_read(const char *path, zm_observations *out, zm_error *err)
{
    char *bytes;
    size_t n;
    zm_status st;

    if (!path || !out)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_observations_read needs a path and a result");
    st = read_all(path, &bytes, &n, err);
    if (st == ZM_OK)
        st = zm_observations_parse(bytes, n, path, out, err);
    free(bytes);
    return st;
}

void zm_observations_free(zm_observations *table)
{
    if (!table)
        return;
    free(table->items);
    *table = (zm_observations){ 0 };
}
