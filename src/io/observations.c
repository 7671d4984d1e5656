/* SPDX-License-Identifier: Apache-2.0
 * Reads tables of observed arrival times. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */
#include "zermelo/observations.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/plain_number.h"
#include "core/shown_name.h"
#include "core/csv.h"

typedef enum column { EXPERIMENT, ROW, COL, TIME, SIGMA, TIME_UPPER, N_COLUMNS } column;

static const char *const column_names[N_COLUMNS] = {
    "experiment", "row", "col", "time", "sigma", "time_upper"
};
#define ALL_COLUMNS "experiment, row, col, time, sigma, time_upper"

/* Where each column stands in the table, or ZM_NO_COLUMN. */
typedef size_t places[N_COLUMNS];

/* ---- header ----------------------------------------------------------------------- */

static zm_status place_column(const zm_table *t, size_t at, places place, zm_error *err)
{
    for (int c = 0; c < N_COLUMNS; c++) {
        if (strcasecmp(column_names[c], t->words[at]) != 0)
            continue;
        if (place[c] != ZM_NO_COLUMN)
            return zm_fail(err, ZM_E_FORMAT, -1,
                           "%s, line %zu: column %s is there twice",
                           zm_shown_name(t->name), t->lines[0], column_names[c]);
        place[c] = at;
        return ZM_OK;
    }
    return zm_fail(
        err, ZM_E_FORMAT, -1,
        "%s, line %zu: unknown column '%s'; the first line names the columns: "
        "some of " ALL_COLUMNS,
        zm_shown_name(t->name), t->lines[0], zm_word_shown(t->words[at]).text);
}

static zm_status read_header(const zm_table *t, places place, zm_error *err)
{
    static const column needed[] = { ROW, COL, TIME };

    for (int c = 0; c < N_COLUMNS; c++)
        place[c] = ZM_NO_COLUMN;
    for (size_t i = 0; i < t->n_columns; i++)
        ZM_TRY(place_column(t, i, place, err));
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (place[needed[i]] == ZM_NO_COLUMN)
            return zm_fail(
                err, ZM_E_FORMAT, -1,
                "%s, line %zu: no column %s; needed are row, col and time",
                zm_shown_name(t->name), t->lines[0], column_names[needed[i]]);
    return ZM_OK;
}

/* ---- values ----------------------------------------------------------------------- */

static bool number_of(const char *word, double *out)
{
    *out = INFINITY;
    return !strcasecmp(word, "inf") || !strcasecmp(word, "+inf") ||
           zm_plain_number(word, out);
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
    switch (c) {
    case ROW:
    case COL:
        *(c == ROW ? &o->row : &o->col) = number;
        return number >= 0 && isfinite(number) ? NULL : "a number from 0 on";
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
        return whole_of(number, &o->experiment) ? NULL : "a whole number from 0 on";
    }
}

static zm_status read_value(const zm_table *t, size_t row, size_t at, column c,
                            zm_observation *o, zm_error *err)
{
    const char *word = zm_table_word(t, row, at), *must;
    const bool may_be_blank = c == SIGMA || c == TIME_UPPER;
    double number;

    if (at == ZM_NO_COLUMN || (!*word && may_be_blank))
        return ZM_OK;
    must = number_of(word, &number) ? store(o, c, number) : "a number";
    return must ? zm_table_fail(t, row, at, must, err) : ZM_OK;
}

static zm_status read_row(const zm_table *t, size_t row, const places place,
                          zm_observation *o, zm_error *err)
{
    *o = (zm_observation){ .sigma = NAN,
                           .upper = NAN,
                           .line = (int64_t)t->lines[row + 1] };
    for (int c = 0; c < N_COLUMNS; c++)
        ZM_TRY(read_value(t, row, place[c], (column)c, o, err));
    if (o->upper < o->time)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s, line %lld, column time_upper: %.9g, must be at least time, "
                       "%.9g",
                       zm_shown_name(t->name), (long long)o->line, o->upper, o->time);
    if (isnan(o->upper))
        o->upper = o->time;
    return ZM_OK;
}

/* ---- table ------------------------------------------------------------------------ */

static zm_status read_rows(const zm_table *t, zm_observations *out, zm_error *err)
{
    places place;
    size_t bytes;

    ZM_TRY(read_header(t, place, err));
    if (t->n_rows == 0)
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: a header and no observations",
                       zm_shown_name(t->name));
    out->items =
        zm_mul_size(t->n_rows, sizeof *out->items, &bytes) ? malloc(bytes) : NULL;
    if (!out->items)
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for %zu observations",
                       zm_shown_name(t->name), t->n_rows);
    for (size_t row = 0; row < t->n_rows; row++)
        ZM_TRY(read_row(t, row, place, &out->items[row], err));
    out->n = t->n_rows;
    out->has_experiment = place[EXPERIMENT] != ZM_NO_COLUMN;
    out->has_sigma = place[SIGMA] != ZM_NO_COLUMN;
    out->has_upper = place[TIME_UPPER] != ZM_NO_COLUMN;
    return ZM_OK;
}

zm_status zm_observations_parse(const void *bytes, size_t n_bytes, const char *name,
                                zm_observations *out, zm_error *err)
{
    zm_observations found = { 0 };
    zm_table t = { 0 };
    zm_status st;

    if ((!bytes && n_bytes) || !out)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_observations_parse needs bytes and a result");
    name = name ? name : "table";
    if (n_bytes >= 6 && !memcmp(bytes, "\x93NUMPY", 6))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: an NPY array, must be a table of text",
                       zm_shown_name(name));
    ZM_GO(zm_table_parse(bytes, n_bytes, name, ALL_COLUMNS, &t, err));
    ZM_GO(read_rows(&t, &found, err));
    *out = found;
    found = (zm_observations){ 0 };
done:
    zm_observations_free(&found);
    zm_table_free(&t);
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
    ZM_TRY(zm_file_read(path, ZM_FILE_TEXT, &bytes, &n, err));
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
