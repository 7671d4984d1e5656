/* SPDX-License-Identifier: Apache-2.0
 * Tables of comma-separated values with a header, held as words. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */
#include "core/csv.h"
#include "core/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/fail.h"
#include "core/file.h"
#include "core/plain_number.h"
#include "core/shown_name.h"

/* ---- cutting ---------------------------------------------------------------------- */

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void trim(char **begin, char **end)
{
    while (*begin < *end && blank(**begin))
        ++*begin;
    while (*begin < *end && blank((*end)[-1]))
        --*end;
}

/* The word at `begin`, of which `end` is the first byte that is no more of it. */
static const char *trimmed(char *begin, char *end)
{
    trim(&begin, &end);
    if (end - begin >= 2 && *begin == '"' && end[-1] == '"') {
        begin++;
        end--;
        trim(&begin, &end);
    }
    *end = '\0';
    return begin;
}

static size_t count_words(const char *begin, const char *end)
{
    size_t n = 1;

    for (; begin < end; begin++)
        n += *begin == ',';
    return n;
}

/* Cuts [begin, end) into words; where `words` has room for them. */
static void cut_line(char *begin, char *end, const char **words)
{
    for (char *word = begin;; word = begin + 1) {
        begin = memchr(word, ',', (size_t)(end - word));
        *words++ = trimmed(word, begin ? begin : end);
        if (!begin)
            return;
    }
}

/* What grows while a text is cut. */
typedef struct cutting {
    size_t used; /* lines, that of the header included */
    size_t room_words, room_lines;
} cutting;

static zm_status add_line(zm_table *t, char *begin, char *end, size_t line, cutting *c,
                          zm_error *err)
{
    const size_t n = count_words(begin, end);

    if (!t->n_columns)
        t->n_columns = n;
    if (n != t->n_columns)
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s, line %zu: %zu value%s, must be %zu as in the header",
                       zm_shown_name(t->name), line, n, n == 1 ? "" : "s",
                       t->n_columns);
    if (!zm_array_reserve(&t->words, &c->room_words, (c->used + 1) * n,
                          sizeof *t->words) ||
        !zm_array_reserve(&t->lines, &c->room_lines, c->used + 1, sizeof *t->lines))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for %zu lines",
                       zm_shown_name(t->name), c->used + 1);
    cut_line(begin, end, t->words + c->used * n);
    t->lines[c->used++] = line;
    return ZM_OK;
}

static zm_status cut_text(zm_table *t, size_t n, const char *columns, zm_error *err)
{
    char *at = t->text, *const end = t->text + n;
    cutting c = { 0 };
    size_t line = 0;

    if (n >= 3 && !memcmp(at, "\xEF\xBB\xBF", 3))
        at += 3;
    while (at < end) {
        char *const stop = memchr(at, '\n', (size_t)(end - at));
        char *const rest = stop ? stop : end;
        char *first = at;

        line++;
        while (first < rest && blank(*first))
            first++;
        if (first < rest && *first != '#')
            ZM_TRY(add_line(t, first, rest, line, &c, err));
        at = stop ? stop + 1 : end;
    }
    if (c.used == 0)
        return zm_fail(
            err, ZM_E_FORMAT, -1, "%s: empty; the first line must name the columns%s%s",
            zm_shown_name(t->name), columns ? ": " : "", columns ? columns : "");
    t->n_rows = c.used - 1;
    return ZM_OK;
}

zm_status zm_table_parse(const void *bytes, size_t n, const char *name,
                         const char *columns, zm_table *out, zm_error *err)
{
    zm_table t = { .name = name };
    zm_status st;

    *out = (zm_table){ 0 };
    if (n && memchr(bytes, '\0', n))
        return zm_fail(err, ZM_E_FORMAT, -1, "%s: holds a zero byte, must be text",
                       zm_shown_name(name));
    if (!(t.text = malloc(n + 1)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%s: no memory for %zu bytes",
                       zm_shown_name(name), n);
    if (n)
        memcpy(t.text, bytes, n);
    t.text[n] = '\0';
    st = cut_text(&t, n, columns, err);
    if (st < 0)
        zm_table_free(&t);
    else
        *out = t;
    return st;
}

zm_status zm_table_read(const char *path, zm_table *out, zm_error *err)
{
    char *bytes;
    size_t n;
    zm_status st;

    *out = (zm_table){ 0 };
    ZM_TRY(zm_file_read(path, ZM_FILE_TEXT, &bytes, &n, err));
    st = zm_table_parse(bytes, n, path, NULL, out, err);
    free(bytes);
    return st;
}

void zm_table_free(zm_table *table)
{
    free(table->text);
    free(table->words);
    free(table->lines);
    *table = (zm_table){ 0 };
}

/* ---- columns ---------------------------------------------------------------------- */

size_t zm_table_column(const zm_table *table, const char *column)
{
    for (size_t c = 0; c < table->n_columns; c++)
        if (!strcasecmp(table->words[c], column))
            return c;
    return ZM_NO_COLUMN;
}

zm_status zm_table_need(const zm_table *table, const char *column, size_t *out,
                        zm_error *err)
{
    *out = zm_table_column(table, column);
    if (*out != ZM_NO_COLUMN)
        return ZM_OK;
    return zm_fail(err, ZM_E_FORMAT, -1,
                   "%s, line %zu: no column %s; the first of the %zu there is '%s'",
                   zm_shown_name(table->name), table->lines[0], column,
                   table->n_columns, zm_word_shown(table->words[0]).text);
}

const char *zm_table_word(const zm_table *table, size_t row, size_t column)
{
    return column == ZM_NO_COLUMN ? ""
                                  : table->words[(row + 1) * table->n_columns + column];
}

zm_status zm_table_fail(const zm_table *table, size_t row, size_t column,
                        const char *must, zm_error *err)
{
    return zm_fail(err, ZM_E_FORMAT, -1, "%s, line %zu, column %s: '%s', must be %s",
                   zm_shown_name(table->name), table->lines[row + 1],
                   zm_word_shown(table->words[column]).text,
                   zm_word_shown(zm_table_word(table, row, column)).text, must);
}

static zm_status read_number(const zm_table *t, size_t row, size_t column,
                             const zm_column_rule *rule, double *out, zm_error *err)
{
    const char *word = zm_table_word(t, row, column);
    char must[80];

    *out = rule->missing;
    if (!*word && !rule->needed)
        return ZM_OK;
    if (!zm_plain_number(word, out))
        return zm_table_fail(t, row, column, "a number", err);
    if (*out >= rule->least && *out <= rule->most &&
        (!rule->whole || *out == floor(*out)))
        return ZM_OK;
    zm_plain_text(must, sizeof must, "%sfrom %g to %g",
                  rule->whole ? "a whole number " : "", rule->least, rule->most);
    return zm_table_fail(t, row, column, must, err);
}

zm_status zm_table_numbers(const zm_table *table, const zm_column_rule *rule,
                           double *out, zm_error *err)
{
    size_t column = zm_table_column(table, rule->column);

    if (rule->needed)
        ZM_TRY(zm_table_need(table, rule->column, &column, err));
    for (size_t row = 0; row < table->n_rows; row++)
        ZM_TRY(read_number(table, row, column, rule, out + row, err));
    return ZM_OK;
}
