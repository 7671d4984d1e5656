/* SPDX-License-Identifier: Apache-2.0
 * Values of options: numbers, pairs, choices. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "value.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

/* strtod alone would also take "nan", "0x1p3", "12abc" and leading blanks. */
static bool parse_number(const char *text, double *out)
{
    char *end;

    if (!strcmp(text, "inf")) {
        *out = HUGE_VAL;
        return true;
    }
    if (!*text || text[strspn(text, "0123456789+-.eE")])
        return false;
    *out = strtod(text, &end);
    return end != text && *end == '\0';
}

static bool parse_finite(const char *text, double *out)
{
    double value;

    if (!parse_number(text, &value) || !isfinite(value))
        return false;
    *out = value;
    return true;
}

static bool parse_whole(const char *text, int32_t low, int32_t high, int32_t *out)
{
    enum { MOST_DIGITS = 10 };
    const size_t length = strlen(text);
    long long value;

    if (length == 0 || length > MOST_DIGITS || strspn(text, "0123456789") != length)
        return false;
    value = strtoll(text, NULL, 10);
    if (value < low || value > high)
        return false;
    *out = (int32_t)value;
    return true;
}

bool parse_text(const char *text, void *field)
{
    *(const char **)field = text;
    return *text != '\0';
}

bool parse_file(const char *text, void *field)
{
    file_list *list = field;

    if (!*text)
        return false;
    list->items = grow(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = text;
    return true;
}

bool parse_time(const char *text, void *field)
{
    return parse_number(text, field);
}

bool parse_tolerance(const char *text, void *field)
{
    double *out = field;

    return parse_finite(text, out) && *out >= 0;
}

bool parse_share(const char *text, void *field)
{
    double *out = field;

    return parse_tolerance(text, out) && *out < 1;
}

bool parse_positive(const char *text, void *field)
{
    double *out = field;

    return parse_finite(text, out) && *out > 0;
}

bool parse_count(const char *text, void *field)
{
    return parse_whole(text, 1, INT32_MAX, field);
}

bool parse_seed(const char *text, void *field)
{
    int32_t value;

    if (!parse_whole(text, 0, INT32_MAX, &value))
        return false;
    *(uint64_t *)field = (uint64_t)value;
    return true;
}

bool parse_threads(const char *text, void *field)
{
    int32_t *out = field;

    if (!strcmp(text, "all")) {
        *out = processors();
        return true;
    }
    return parse_whole(text, 1, MOST_THREADS, out);
}

const option_choice dtype_choices[] = { { "float32", DTYPE_FLOAT32 },
                                        { "float64", DTYPE_FLOAT64 },
                                        { 0 } };
const option_choice stencil_choices[] = { { "adaptive", ZM_STENCILS_ADAPTIVE },
                                          { "fixed", ZM_STENCILS_FIXED },
                                          { 0 } };

enum { MOST_PIECES = 3, PIECE_ROOM = 64 };

/* Pieces between commas; 0 when there are too many or one is too long. */
static int split(const char *text, char pieces[MOST_PIECES][PIECE_ROOM])
{
    int n = 0;

    for (;;) {
        const size_t length = strcspn(text, ",");

        if (n == MOST_PIECES || length >= PIECE_ROOM)
            return 0;
        memcpy(pieces[n], text, length);
        pieces[n++][length] = '\0';
        if (!text[length])
            return n;
        text += length + 1;
    }
}

bool parse_spacing(const char *text, void *field)
{
    char pieces[MOST_PIECES][PIECE_ROOM];
    const int n = split(text, pieces);
    spacing *out = field;

    if (n < 1 || n > 2 || !parse_finite(pieces[0], &out->dx) ||
        !parse_finite(pieces[n - 1], &out->dy))
        return false;
    return out->dx > 0 && out->dy > 0;
}

bool parse_bytes(const char *text, void *field)
{
    static const char units[] = "KMGT"; /* powers of 1024 */
    const size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] ? strchr(units, text[digits]) : NULL;
    size_t bytes = 0;

    if (digits == 0 || digits > 18 || (text[digits] && (!unit || text[digits + 1])))
        return false;
    for (size_t i = 0; i < digits; i++)
        bytes = 10 * bytes + (size_t)(text[i] - '0');
    for (; unit && unit >= units; unit--) {
        if (bytes > SIZE_MAX / 1024)
            return false;
        bytes *= 1024;
    }
    *(size_t *)field = bytes;
    return bytes > 0;
}

bool parse_shape(const char *text, void *field)
{
    char pieces[MOST_PIECES][PIECE_ROOM];
    grid_shape *out = field;

    return split(text, pieces) == 2 &&
           parse_whole(pieces[0], 1, INT32_MAX, &out->rows) &&
           parse_whole(pieces[1], 1, INT32_MAX, &out->cols) &&
           (int64_t)out->rows * out->cols <= ZM_MOST_CELLS;
}

bool parse_positive_list(const char *text, number_list *list)
{
    char piece[PIECE_ROOM];
    double value;

    for (;; text++) {
        const size_t length = strcspn(text, ",");

        if (length >= PIECE_ROOM)
            return false;
        memcpy(piece, text, length);
        piece[length] = '\0';
        if (!parse_positive(piece, &value))
            return false;
        list->items = grow(list->items, list->count + 1, sizeof *list->items);
        list->items[list->count++] = value;
        text += length;
        if (!*text)
            return true;
    }
}

const char *after_number(const char *text, int32_t *K)
{
    const size_t length = strcspn(text, ":");
    char number[PIECE_ROOM];

    if (!text[length] || length >= PIECE_ROOM)
        return text;
    memcpy(number, text, length);
    number[length] = '\0';
    return parse_whole(number, 0, INT32_MAX, K) ? text + length + 1 : text;
}

/* ROW,COL[,TIME] with at most `most` pieces. */
static bool append_source(const char *text, source_list *list, bool whole, int most)
{
    char pieces[MOST_PIECES][PIECE_ROOM];
    const int n = split(text, pieces);
    zm_source source = { 0, 0, 0 };
    double *const place[2] = { &source.row, &source.col };

    if (n < 2 || n > most || (n == 3 && !parse_finite(pieces[2], &source.time)))
        return false;
    for (int i = 0; i < 2; i++) {
        int32_t cell;

        if (whole && !parse_whole(pieces[i], 0, INT32_MAX, &cell))
            return false;
        if (!parse_tolerance(pieces[i], place[i]))
            return false;
    }
    list->items = grow(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = source;
    return true;
}

bool parse_place(const char *text, void *field)
{
    return append_source(text, field, false, 3);
}

bool parse_cell(const char *text, void *field)
{
    return append_source(text, field, true, 2);
}

bool parse_point(const char *text, void *field)
{
    return append_source(text, field, false, 2);
}

bool parse_order(const char *text, void *field)
{
    return parse_whole(text, 1, 3, field);
}

bool parse_factor(const char *text, void *field)
{
    double *out = field;

    if (!strcmp(text, "none"))
        *out = 0;
    else if (!strcmp(text, "all"))
        *out = HUGE_VAL;
    else
        return parse_positive(text, out);
    return true;
}

bool parse_periodic(const char *text, void *field)
{
    int32_t *out = field;

    *out = 0;
    for (; *text; text++) {
        const int32_t bit = *text == 'x'   ? ZM_PERIODIC_X
                            : *text == 'y' ? ZM_PERIODIC_Y
                                           : 0;

        if (!bit || (*out & bit))
            return false;
        *out |= bit;
    }
    return *out != 0;
}

bool parse_cells(const char *text, void *field)
{
    int32_t value;

    if (!parse_count(text, &value))
        return false;
    *(int64_t *)field = value;
    return true;
}

int32_t processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
#if defined(__linux__)
    cpu_set_t mine;

    if (!sched_getaffinity(0, sizeof mine, &mine))
        n = CPU_COUNT(&mine);
#endif
    return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (int32_t)n;
}

void *grow(void *old, size_t n, size_t size)
{
    void *bigger = size && n > SIZE_MAX / size ? NULL : realloc(old, n ? n * size : 1);

    if (!bigger)
        exit(failure("not enough memory for %zu values of %zu bytes", n, size));
    return bigger;
}
