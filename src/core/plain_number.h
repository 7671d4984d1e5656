/* SPDX-License-Identifier: Apache-2.0
 * Decimal numbers in files, with a point whatever the locale says.  Needs _POSIX_C_SOURCE. */
#ifndef ZM_CORE_PLAIN_NUMBER_H
#define ZM_CORE_PLAIN_NUMBER_H

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** The whole word, of at most 63 characters, as a finite number.  strtod alone would also
 *  take "nan", "0x1p3", and "1,5" in some locales. */
static inline bool zm_plain_number(const char *word, double *out)
{
    enum { LONGEST = 63 };
    const size_t length = strlen(word);
    locale_t plain, old;
    char *end;

    if (!length || length > LONGEST || strspn(word, "0123456789+-.eE") != length)
        return false;
    plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!plain)
        return false;
    old = uselocale(plain); /* of this thread alone */
    *out = strtod(word, &end);
    uselocale(old);
    freelocale(plain);
    return *end == '\0' && end != word && isfinite(*out);
}

#endif
