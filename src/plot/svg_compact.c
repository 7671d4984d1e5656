/* SPDX-License-Identifier: Apache-2.0
 * SVG files of Cairo in fewer bytes.  Nothing is ever written beyond what has been read:
 * each piece is replaced by one that is not longer. */
#include "plot/svg_compact.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct text {
    const char *in, *end; /* still to be read */
    char *out;            /* where to write */
} text;

/* A point in hundredths. */
typedef struct spot {
    int64_t x, y;
} spot;

enum { NUMBER = 24, PIECE = 8 * NUMBER };

/* Defaults of SVG; joins are round, so that their limit has no effect. */
static const char *const idle[] = {
    "fill-opacity:1;",           "stroke-opacity:1;",      "fill-rule:nonzero;",
    "stroke-linecap:butt;",      "stroke-miterlimit:10;",  " fill-opacity=\"1\"",
    " stroke-opacity=\"1\"",     " fill-rule=\"nonzero\"", " stroke-linecap=\"butt\"",
    " stroke-miterlimit=\"10\"",
};

static bool starts_with(const text *t, const char *word)
{
    const size_t n = strlen(word);

    return (size_t)(t->end - t->in) >= n && !memcmp(t->in, word, n);
}

static void write_text(text *t, const char *string)
{
    const size_t n = strlen(string);

    memcpy(t->out, string, n);
    t->out += n;
}

/* Reads a decimal number after blanks, whatever the locale; false, at the same place,
 * where there is none. */
static bool read_number(text *t, double *value)
{
    const char *at = t->in;
    double sign = 1, unit = 1;
    int digits = 0;

    *value = 0;
    while (at < t->end && (*at == ' ' || *at == ','))
        at++;
    if (at < t->end && *at == '-') {
        sign = -1;
        at++;
    }
    for (; at < t->end && *at >= '0' && *at <= '9'; at++, digits++)
        *value = 10 * *value + (*at - '0');
    if (at < t->end && *at == '.')
        for (at++; at < t->end && *at >= '0' && *at <= '9'; at++, digits++)
            *value += (*at - '0') * (unit /= 10);
    *value *= sign;
    if (digits > 0)
        t->in = at;
    return digits > 0;
}

static bool read_spot(text *t, spot *out)
{
    double x, y;

    if (!read_number(t, &x) || !read_number(t, &y) || fabs(x) > 1e9 || fabs(y) > 1e9)
        return false;
    *out = (spot){ llround(100 * x), llround(100 * y) };
    return true;
}

/* Hundredths as a decimal number without zeros that say nothing: -.5, 12.25, 3. */
static void append_number(char *piece, int64_t hundredths)
{
    const int64_t size = hundredths < 0 ? -hundredths : hundredths;
    char digits[NUMBER];
    size_t n = strlen(piece);

    if (n > 0 && hundredths >= 0 && piece[n - 1] >= '0' && piece[n - 1] <= '9')
        piece[n++] = ' ';
    if (hundredths < 0)
        piece[n++] = '-';
    piece[n] = '\0';
    if (size >= 100 || size == 0)
        snprintf(digits, sizeof digits, "%lld", (long long)(size / 100));
    else
        digits[0] = '\0';
    strcat(piece, digits);
    if (size % 100) {
        snprintf(digits, sizeof digits, size % 10 ? ".%02d" : ".%d",
                 (int)(size % 10 ? size % 100 : size % 100 / 10));
        strcat(piece, digits);
    }
}

/* A command with its points relative to `from`; its letter is left out where the last one
 * holds on. */
static void make_piece(char letter, char last, const spot *points, int n, spot from,
                       char piece[PIECE])
{
    piece[0] = '\0';
    if (letter != last || letter == 'M' || letter == 'm') {
        piece[0] = letter;
        piece[1] = '\0';
    } else if (points[0].x >= from.x) {
        strcpy(piece, " ");
    }
    for (int i = 0; i < n; i++) {
        append_number(piece, points[i].x - from.x);
        append_number(piece, points[i].y - from.y);
    }
}

/* The pen of a path: where it is, where its line began, the last command written. */
typedef struct path_pen {
    spot at, start;
    char last;
} path_pen;

/* Whether a line follows, not the end of the path or another move. */
static bool draws_on(const text *t)
{
    const char *at = t->in;

    while (at < t->end && *at == ' ')
        at++;
    return at < t->end && *at != '"' && *at != 'M';
}

/* The shortest of: the points themselves, steps from the last one, a level or upright
 * step. */
static void write_command(text *t, path_pen *pen, char command, const spot *points,
                          int n)
{
    const spot origin = { 0, 0 };
    const int64_t dx = points[0].x - pen->at.x, dy = points[0].y - pen->at.y;
    char pieces[3][PIECE];
    const char letters[3] = { command, (char)(command - 'A' + 'a'), dy ? 'v' : 'h' };
    int best = 0;

    make_piece(letters[0], pen->last, points, n, origin, pieces[0]);
    make_piece(letters[1], pen->last, points, n, pen->at, pieces[1]);
    snprintf(pieces[2], PIECE, "%c", letters[2]);
    append_number(pieces[2], dy ? dy : dx);
    for (int i = 1; i < (command == 'L' && (!dx || !dy) ? 3 : 2); i++)
        if (strlen(pieces[i]) < strlen(pieces[best]))
            best = i;
    write_text(t, pieces[best]);
    pen->last = letters[best];
}

/* One command; false, with nothing read or written, where it is not a known one. */
static bool copy_command(text *t, path_pen *pen)
{
    const char *before = t->in, command = *t->in;
    const int n = command == 'C' ? 3 : 1;
    spot points[3] = { { 0, 0 } };

    if (!strchr("MLCZ", command))
        return false;
    t->in++;
    if (command == 'Z') {
        *t->out++ = pen->last = 'Z';
        pen->at = pen->start;
        return true;
    }
    for (int i = 0; i < n; i++)
        if (!read_spot(t, &points[i])) {
            t->in = before;
            return false;
        }
    if (command == 'M' && !draws_on(t)) /* nothing begins there */
        return true;
    write_command(t, pen, command, points, n);
    pen->at = points[n - 1];
    if (command == 'M')
        pen->start = pen->at;
    return true;
}

/* The data of a path, up to its quotation mark; from what is not known on as it is. */
static void copy_path(text *t)
{
    path_pen pen = { .last = '\0' };
    bool is_known = true, skipped = false; /* a blank before what follows */

    while (is_known && t->in < t->end && *t->in != '"') {
        if (*t->in == ' ') {
            skipped = true;
            t->in++;
        } else if ((is_known = copy_command(t, &pen))) {
            skipped = false;
        }
    }
    if (!is_known && skipped)
        *t->out++ = ' ';
    while (t->in < t->end && *t->in != '"')
        *t->out++ = *t->in++;
}

/* rgb(20%,40%,60%) as #336699. */
static bool copy_color(text *t)
{
    unsigned channels[3];
    char hex[8];

    t->in += strlen("rgb(");
    for (int k = 0; k < 3; k++) {
        double percent;

        if (!read_number(t, &percent) || t->in == t->end || *t->in++ != '%' ||
            percent < 0 || percent > 100)
            return false;
        channels[k] = (unsigned)lround(2.55 * percent);
    }
    if (t->in == t->end || *t->in++ != ')')
        return false;
    snprintf(hex, sizeof hex, "#%02x%02x%02x", channels[0], channels[1], channels[2]);
    write_text(t, hex);
    return true;
}

/* The value of an attribute x or y. */
static bool copy_place(text *t)
{
    char piece[PIECE] = "";
    double value;

    if (!read_number(t, &value) || t->in == t->end || *t->in != '"' ||
        fabs(value) > 1e9)
        return false;
    append_number(piece, llround(100 * value));
    write_text(t, piece);
    return true;
}

/* Tries to replace what follows by something written at the end; false leaves everything as
 * it was. */
static bool replace(text *t, bool (*copy)(text *))
{
    const text before = *t;

    if (copy(t))
        return true;
    *t = before;
    return false;
}

static bool skip_idle(text *t)
{
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (starts_with(t, idle[i])) {
            t->in += strlen(idle[i]);
            return true;
        }
    return false;
}

static void copy_prefix(text *t, const char *prefix)
{
    memmove(t->out, t->in, strlen(prefix));
    t->out += strlen(prefix);
    t->in += strlen(prefix);
}

size_t zm_plot_svg_compact(char *svg, size_t size)
{
    text t = { svg, svg + size, svg };

    while (t.in < t.end) {
        bool done = true;

        if (starts_with(&t, " d=\"")) {
            copy_prefix(&t, " d=\"");
            copy_path(&t);
        } else if (starts_with(&t, " x=\"") || starts_with(&t, " y=\"")) {
            copy_prefix(&t, " x=\"");
            done = replace(&t, copy_place);
        } else if (starts_with(&t, "rgb(")) {
            done = replace(&t, copy_color);
        } else {
            done = skip_idle(&t);
        }
        if (!done)
            *t.out++ = *t.in++;
    }
    return (size_t)(t.out - svg);
}
