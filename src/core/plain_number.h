/* SPDX-License-Identifier: Apache-2.0
 * Numbers as text, with a point whatever the locale says. */
#ifndef ZM_CORE_PLAIN_NUMBER_H
#define ZM_CORE_PLAIN_NUMBER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/** The whole word, of at most 63 characters, as a finite number.  strtod alone would also
 *  take "nan", "0x1p3", and "1,5" in some locales. */
bool zm_plain_number(const char *word, double *out);

/** vsnprintf that writes numbers as in the locale "C". */
__attribute__((format(printf, 3, 0))) int
zm_plain_print(char *text, size_t size, const char *format, va_list arguments);

/** The same with its arguments in line; the text is cut where it does not fit. */
__attribute__((format(printf, 3, 4))) void zm_plain_text(char *text, size_t size,
                                                         const char *format, ...);

#endif
