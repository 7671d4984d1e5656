/* SPDX-License-Identifier: Apache-2.0
 * The header of an NPY file: a Python dictionary with 'descr', 'fortran_order',
 * 'shape'. */
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/shown_name.h"
#include "io/npy_format.h"

typedef struct scanner {
    const char *at, *end;
    const char *name; /* of the file, for messages */
    zm_error *err;
} scanner;

typedef struct word {
    const char *text;
    size_t length;
} word;

enum { SHOWN = 24 }; /* most characters of a strange header quoted in a message */

/* ctype.h would ask the locale. */
static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_space(scanner *s)
{
    while (s->at < s->end && is_space(*s->at))
        s->at++;
}

/* Next character after white space, or 0 at the end. */
static char peek(scanner *s)
{
    skip_space(s);
    return s->at < s->end ? *s->at : '\0';
}

static bool accept(scanner *s, char c)
{
    if (peek(s) != c || s->at == s->end)
        return false;
    s->at++;
    return true;
}

/* Printable start of what stands at the scanner, for messages. */
static const char *excerpt(const scanner *s, char text[SHOWN + 1])
{
    size_t n = 0;

    for (; n < SHOWN && s->at + n < s->end && s->at[n] != '\n'; n++)
        text[n] = s->at[n] >= ' ' && s->at[n] <= '~' ? s->at[n] : '?';
    text[n] = '\0';
    return n ? text : "the end";
}

static zm_status fail_expected(scanner *s, const char *expected)
{
    char found[SHOWN + 1];

    return zm_fail(s->err, ZM_E_FORMAT, -1, "%s: NPY header has %s where %s should be",
                   zm_shown_name(s->name), excerpt(s, found), expected);
}

/* A quoted string without escapes. */
static zm_status scan_string(scanner *s, word *out, const char *expected)
{
    const char quote = peek(s);
    const char *close;

    if (quote != '\'' && quote != '"')
        return fail_expected(s, expected);
    close = memchr(s->at + 1, quote, (size_t)(s->end - s->at - 1));
    if (!close)
        return fail_expected(s, "a closed string");
    *out = (word){ s->at + 1, (size_t)(close - s->at - 1) };
    s->at = close + 1;
    return ZM_OK;
}

static bool is_word(word w, const char *text)
{
    return w.length == strlen(text) && !memcmp(w.text, text, w.length);
}

static zm_status fail_type(scanner *s, word descr)
{
    const int shown = descr.length < SHOWN ? (int)descr.length : SHOWN;

    return zm_fail(
        s->err, ZM_E_UNSUPPORTED, -1,
        "%s: values of type '%.*s' cannot be read; save floats (f2, f4, f8), "
        "integers or bool",
        zm_shown_name(s->name), shown, descr.text);
}

/* Byte order, kind and size, e.g. "<f8". */
static zm_status decode_type(scanner *s, word descr, zm_npy_head *head)
{
    static const char *const known[] = { "f2", "f4", "f8", "i1", "i2", "i4",
                                         "i8", "u1", "u2", "u4", "u8", "b1" };
    word type = descr;
    char order = '=';

    if (type.length == 3 && memchr("<>=|", type.text[0], 4)) {
        order = type.text[0];
        type = (word){ type.text + 1, 2 };
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (is_word(type, known[i])) {
            head->kind = type.text[0];
            head->size = (uint8_t)(type.text[1] - '0');
            head->swapped = (order == '<' || order == '>') && head->size > 1 &&
                            order != zm_npy_native_order();
            return ZM_OK;
        }
    }
    return fail_type(s, descr);
}

static zm_status scan_type(scanner *s, zm_npy_head *head)
{
    word descr;

    if (peek(s) == '[')
        return zm_fail(s->err, ZM_E_UNSUPPORTED, -1,
                       "%s: a structured array cannot be read; save one field of it",
                       zm_shown_name(s->name));
    ZM_TRY(scan_string(s, &descr, "a type string such as '<f8'"));
    return decode_type(s, descr, head);
}

static zm_status scan_bool(scanner *s, bool *out)
{
    static const char *const names[] = { "False", "True" };

    skip_space(s);
    for (int value = 0; value < 2; value++) {
        const size_t length = strlen(names[value]);

        if ((size_t)(s->end - s->at) >= length &&
            !memcmp(s->at, names[value], length)) {
            s->at += length;
            *out = value;
            return ZM_OK;
        }
    }
    return fail_expected(s, "True or False");
}

/* A size, perhaps with the L that Python 2 wrote after long integers. */
static zm_status scan_size(scanner *s, size_t *out)
{
    size_t value = 0;

    if (!is_digit(peek(s)))
        return fail_expected(s, "a size in the shape");
    while (s->at < s->end && is_digit(*s->at)) {
        const size_t digit = (size_t)(*s->at++ - '0');

        if (value > (SIZE_MAX - digit) / 10)
            return zm_fail(s->err, ZM_E_FORMAT, -1,
                           "%s: NPY header has a size too large for this machine",
                           zm_shown_name(s->name));
        value = 10 * value + digit;
    }
    accept(s, 'L');
    *out = value;
    return ZM_OK;
}

/* A tuple of sizes; () is a single number and becomes shape (1). */
static zm_status scan_shape(scanner *s, zm_npy_head *head)
{
    if (!accept(s, '('))
        return fail_expected(s, "a shape such as (3, 100, 200)");
    while (!accept(s, ')')) {
        if (head->ndim == ZM_NPY_MAX_DIMS)
            return zm_fail(s->err, ZM_E_UNSUPPORTED, -1,
                           "%s: array has more than %d dimensions, at most %d are read",
                           zm_shown_name(s->name), ZM_NPY_MAX_DIMS, ZM_NPY_MAX_DIMS);
        ZM_TRY(scan_size(s, &head->shape[head->ndim++]));
        if (!accept(s, ',') && peek(s) != ')')
            return fail_expected(s, "',' or ')' in the shape");
    }
    if (head->ndim == 0)
        head->shape[head->ndim++] = 1;
    return ZM_OK;
}

enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

static zm_status scan_entry(scanner *s, zm_npy_head *head, int *seen)
{
    word key;
    int which;

    ZM_TRY(scan_string(s, &key, "a key in quotes"));
    which = is_word(key, "descr")           ? HAS_DESCR
            : is_word(key, "fortran_order") ? HAS_ORDER
            : is_word(key, "shape")         ? HAS_SHAPE
                                            : 0;
    if (!which || (*seen & which))
        return zm_fail(s->err, ZM_E_FORMAT, -1, "%s: NPY header has %s key '%.*s'",
                       zm_shown_name(s->name), which ? "twice the" : "an unknown",
                       key.length < SHOWN ? (int)key.length : SHOWN, key.text);
    *seen |= which;
    if (!accept(s, ':'))
        return fail_expected(s, "':'");
    return which == HAS_DESCR   ? scan_type(s, head)
           : which == HAS_ORDER ? scan_bool(s, &head->fortran)
                                : scan_shape(s, head);
}

static zm_status scan_dictionary(scanner *s, zm_npy_head *head)
{
    int seen = 0;

    if (!accept(s, '{'))
        return fail_expected(s, "'{'");
    while (!accept(s, '}')) {
        ZM_TRY(scan_entry(s, head, &seen));
        if (!accept(s, ',') && peek(s) != '}')
            return fail_expected(s, "',' or '}'");
    }
    if (seen != HAS_ALL)
        return zm_fail(s->err, ZM_E_FORMAT, -1, "%s: NPY header lacks '%s'",
                       zm_shown_name(s->name),
                       !(seen & HAS_DESCR)   ? "descr"
                       : !(seen & HAS_ORDER) ? "fortran_order"
                                             : "shape");
    skip_space(s);
    return s->at == s->end ? ZM_OK : fail_expected(s, "the end");
}

/* Also when one size is 0 the product of the others must fit, so that no later product
 * of some of them can overflow. */
static zm_status multiply_shape(scanner *s, zm_npy_head *head)
{
    size_t bytes = head->size;
    bool empty = false;

    for (int32_t d = 0; d < head->ndim; d++) {
        const size_t side = head->shape[d];

        empty |= side == 0;
        if (side > 1 && bytes > PTRDIFF_MAX / side)
            return zm_fail(s->err, ZM_E_FORMAT, -1,
                           "%s: NPY header has a shape whose size overflows",
                           zm_shown_name(s->name));
        bytes *= side > 1 ? side : 1;
    }
    head->count = empty ? 0 : bytes / head->size;
    return ZM_OK;
}

zm_status zm_npy_head_parse(const char *text, size_t n, const char *name,
                            zm_npy_head *head, zm_error *err)
{
    scanner s = { text, text + n, name, err };
    zm_npy_head h = { .shape = { 1, 1, 1, 1 } };

    ZM_TRY(scan_dictionary(&s, &h));
    ZM_TRY(multiply_shape(&s, &h));
    *head = h;
    return ZM_OK;
}
