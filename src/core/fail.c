/* SPDX-License-Identifier: Apache-2.0
 * The one place where error messages are made. */
#include "core/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "core/plain_number.h"
#include "core/shown_name.h"

zm_status zm_fail(zm_error *err, zm_status code, int64_t cell, const char *format, ...)
{
    if (err) {
        va_list args;

        err->code = code;
        err->cell = cell;
        va_start(args, format);
        zm_plain_print(err->text, sizeof err->text, format, args);
        va_end(args);
        zm_make_printable(err->text); /* names and words of files may hold anything */
    }
    return code;
}

zm_status zm_fail_errno(zm_error *err, zm_status code, const char *what)
{
    return zm_fail(err, code, -1, "%s: %s", what, strerror(errno));
}
