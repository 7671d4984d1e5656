/* SPDX-License-Identifier: Apache-2.0
 * The page under construction: begun, filled, written. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "core/file.h"
#include "view/view.h"
#include "zermelo/version.h"

static const char *const role_words[] = { "arrival times",  "observed times", "probability",
                                          "the metric",     "the drift",      "obstacles",
                                          "a map",          "a gradient" };

int building_begin(building *b, const page_facts *facts)
{
    const view_settings *s = b->s;
    zm_view_opts o = ZM_VIEW_OPTS_INIT;
    zm_error err;

    o.title = s->title ? s->title
              : b->n     ? zm_file_name(b->inputs[0].path)
              : b->first ? zm_file_name(b->first)
                         : "";
    o.across = facts->across;
    o.down = facts->down;
    o.unit_time = s->unit_time ? s->unit_time : facts->unit_time;
    o.unit_length = s->unit_length ? s->unit_length : facts->unit_length;
    o.colormap = view_colormap(s, facts->colormap);
    o.command = facts->command;
    o.most_bytes = s->most_bytes;
    b->rows = facts->rows;
    b->cols = facts->cols;
    TRY(checked(zm_view_create(b->rows, b->cols, &b->page, &o, &err), &err));
    json_open(&b->report, NULL, '{');
    json_text(&b->report, "version", zm_version());
    json_text(&b->report, "verb", "view");
    json_int(&b->report, "rows", b->rows);
    json_int(&b->report, "cols", b->cols);
    json_open(&b->report, "fields", '[');
    return DONE;
}

int building_add(building *b, const zm_view_field *field, const char *from, int32_t *index)
{
    zm_error err;

    if (zm_view_add(b->page, field, index, &err) < 0)
        return failure("%s: %s", from, err.text);
    note("%s: %s", printable(from).text, role_words[field->role]);
    json_open(&b->report, NULL, '{');
    json_text(&b->report, "from", from);
    json_text(&b->report, "as", role_words[field->role]);
    json_close(&b->report, '}');
    return DONE;
}

int building_check_grid(const building *b, const char *path, size_t rows, size_t cols)
{
    return rows == (size_t)b->rows && cols == (size_t)b->cols
               ? DONE
               : failure("%s has %zu x %zu cells, %s has %d x %d; a page shows one grid: make a "
                         "page for each",
                         path, rows, cols, b->first, (int)b->rows, (int)b->cols);
}

int building_end(building *b)
{
    const bool to_stdout = !strcmp(b->s->out, "-");
    size_t bytes;
    zm_error err;

    TRY(checked(zm_view_length(b->page, &bytes, &err), &err));
    if (zm_view_write(b->page, to_stdout ? "/dev/stdout" : b->s->out, &err) < 0)
        return failure("cannot write --out %s", err.text);
    note("%s: %.1f MB, opens in any browser, without a network", printable(b->s->out).text,
         (double)bytes / 1e6);
    if (!b->s->problem.json)
        return DONE;
    json_close(&b->report, ']');
    json_int(&b->report, "bytes", (int64_t)bytes);
    json_close(&b->report, '}');
    return json_save(&b->report, "--json ", b->s->problem.json);
}

void building_free(building *b)
{
    zm_view_destroy(b->page);
#if defined(ZM_WITH_MAPS)
    free((char *)(uintptr_t)b->where.wkt);
#endif
    json_free(&b->report);
    free(b->found.items);
    free(b->inputs);
}

/* ---- what a plane is -------------------------------------------------------------------------- */

double plane_value(zm_view_type type, const void *plane, size_t i)
{
    switch (type) {
    case ZM_VIEW_F64:
        return ((const double *)plane)[i];
    case ZM_VIEW_F32:
        return (double)((const float *)plane)[i];
    case ZM_VIEW_I16:
        return ((const int16_t *)plane)[i];
    default:
        return ((const uint8_t *)plane)[i];
    }
}

/* Whether one of the eight neighbours is below the cell. */
static bool comes_from_a_neighbour(const building *b, zm_view_type type, const void *T, int32_t row,
                                   int32_t col)
{
    const double own = plane_value(type, T, (size_t)row * (size_t)b->cols + (size_t)col);

    for (int32_t r = row > 0 ? row - 1 : 0; r <= row + 1 && r < b->rows; r++)
        for (int32_t c = col > 0 ? col - 1 : 0; c <= col + 1 && c < b->cols; c++)
            if (plane_value(type, T, (size_t)r * (size_t)b->cols + (size_t)c) < own)
                return true;
    return false;
}

typedef struct plane_look {
    double min, max;
    size_t finite;
    bool odd;       /* NAN or -INFINITY */
    size_t springs; /* cells without a neighbour below them */
    size_t lowest;  /* of them, those at the minimum */
    double next;    /* least value beside those */
    size_t before;  /* cells above the minimum and below that */
} plane_look;

/* Least value above the minimum among the cell and its neighbours. */
static double least_around(const building *b, zm_view_type type, const void *plane, size_t i,
                           double min)
{
    const int32_t row = (int32_t)(i / (size_t)b->cols), col = (int32_t)(i % (size_t)b->cols);
    double least = INFINITY;

    for (int32_t r = row > 0 ? row - 1 : 0; r <= row + 1 && r < b->rows; r++)
        for (int32_t c = col > 0 ? col - 1 : 0; c <= col + 1 && c < b->cols; c++) {
            const double x = plane_value(type, plane, (size_t)r * (size_t)b->cols + (size_t)c);

            if (x > min)
                least = fmin(least, x);
        }
    return least;
}

static plane_look look_at(const building *b, zm_view_type type, const void *plane)
{
    const size_t n = (size_t)b->rows * (size_t)b->cols;
    plane_look l = { .min = INFINITY, .max = -INFINITY, .next = INFINITY };

    for (size_t i = 0; i < n; i++) {
        const double x = plane_value(type, plane, i);

        l.odd |= isnan(x) || x == -INFINITY;
        if (isfinite(x)) {
            l.finite++;
            l.min = fmin(l.min, x);
            l.max = fmax(l.max, x);
        }
    }
    for (size_t i = 0; i < n; i++) {
        const double x = plane_value(type, plane, i);
        const bool spring = isfinite(x) &&
                            !comes_from_a_neighbour(b, type, plane, (int32_t)(i / (size_t)b->cols),
                                                    (int32_t)(i % (size_t)b->cols));

        l.springs += spring;
        if (spring && x == l.min) {
            l.lowest++;
            l.next = fmin(l.next, least_around(b, type, plane, i, l.min));
        }
    }
    for (size_t i = 0; i < n; i++) {
        const double x = plane_value(type, plane, i);

        l.before += x > l.min && x < l.next;
    }
    return l;
}

/* The first time of the sources that the user gave; 0 without any. */
static double first_time(const building *b)
{
    const source_list *given = &b->s->problem.sources;
    double first = given->count ? INFINITY : 0;

    for (size_t i = 0; i < given->count; i++)
        first = fmin(first, given->items[i].time);
    return first;
}

zm_view_role plane_role(const building *b, input_role wanted, zm_view_type type, const void *plane)
{
    plane_look l;

    if (wanted != READ_AS_IT_IS)
        return wanted == READ_TIMES ? ZM_VIEW_TIMES
               : wanted == READ_MAP ? ZM_VIEW_MAP
                                    : ZM_VIEW_SIGNED;
    if (type == ZM_VIEW_U8)
        return ZM_VIEW_MAP;
    l = look_at(b, type, plane);
    /* A front comes to every cell from a neighbour, but where it starts, and to those beside its
     * start first.  Some starts may be later, and few cells have their times from farther away. */
    if (!l.odd && l.finite && l.max > l.min && l.min == first_time(b) &&
        l.springs - l.lowest <= 8 + l.finite / 1000 && l.before <= l.finite / 2)
        return ZM_VIEW_TIMES;
    return l.min < 0 && l.max > 0 ? ZM_VIEW_SIGNED : ZM_VIEW_MAP;
}

enum { MOST_FOUND = 4096 };

void building_find_sources(building *b, zm_view_type type, const void *T)
{
    if (b->first_times)
        return;
    b->first_times = true;
    for (int32_t row = 0; row < b->rows; row++)
        for (int32_t col = 0; col < b->cols; col++) {
            const double x = plane_value(type, T, (size_t)row * (size_t)b->cols + (size_t)col);

            if (!isfinite(x) || comes_from_a_neighbour(b, type, T, row, col))
                continue;
            if (b->found.count == MOST_FOUND) {
                b->found.count = 0;
                return;
            }
            b->found.items = grow(b->found.items, b->found.count + 1, sizeof *b->found.items);
            b->found.items[b->found.count++] = (zm_source){ row, col, x };
        }
}

/* ---- commands --------------------------------------------------------------------------------- */

void command_word(zm_text *command, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";

    if (command->n)
        zm_text_add(command, " ");
    if (*word && strspn(word, plain) == strlen(word)) {
        zm_text_add(command, word);
        return;
    }
    zm_text_add(command, "'");
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            zm_text_add(command, "'\\''");
        else
            zm_text_add_bytes(command, c, 1);
    zm_text_add(command, "'");
}

void command_add(zm_text *command, const char *name, const char *value)
{
    zm_text_add(command, " --");
    zm_text_add(command, name);
    if (value)
        command_word(command, value);
}

void command_number(zm_text *command, const char *name, double value)
{
    command_add(command, name, NULL);
    zm_text_add(command, " ");
    if (isfinite(value))
        zm_text_add_number(command, value);
    else
        zm_text_add(command, "inf");
}
