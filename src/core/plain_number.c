/* SPDX-License-Identifier: Apache-2.0
 * Numbers as text, with a point whatever the locale says. */
#define _POSIX_C_SOURCE 200809L /* uselocale */

#include "core/plain_number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes numbers plain in this thread alone until plain_end; costs no memory in glibc, where
 * "C" is always there.  Where it fails, numbers are as the locale says. */
typedef struct plain {
    locale_t numbers, before;
} plain;

static plain plain_begin(void)
{
    plain p = { newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), (locale_t)0 };

    if (p.numbers)
        p.before = uselocale(p.numbers);
    return p;
}

static void plain_end(plain p)
{
    if (!p.numbers)
        return;
    uselocale(p.before);
    freelocale(p.numbers);
}

bool zm_plain_number(const char *word, double *out)
{
    enum { LONGEST = 63 };
    const size_t length = strlen(word);
    plain p;
    char *end;

    if (!length || length > LONGEST || strspn(word, "0123456789+-.eE") != length)
        return false;
    p = plain_begin();
    *out = strtod(word, &end);
    plain_end(p);
    return *end == '\0' && end != word && isfinite(*out);
}

int zm_plain_print(char *text, size_t size, const char *format, va_list arguments)
{
    const plain p = plain_begin();
    const int n = vsnprintf(text, size, format, arguments);

    plain_end(p);
    return n;
}

void zm_plain_text(char *text, size_t size, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    zm_plain_print(text, size, format, arguments);
    va_end(arguments);
}
