/* SPDX-License-Identifier: Apache-2.0
 * Status texts, error messages and the version. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "zermelo/version.h"

const char *zm_version(void)
{
    return ZM_VERSION;
}

const char *zm_status_text(zm_status status)
{
    switch (status) {
#define ZM_STATUS_CASE(name, value, text)                                                \
    case name:                                                                           \
        return text;
        ZM_STATUS_LIST(ZM_STATUS_CASE)
#undef ZM_STATUS_CASE
    }
    return "unknown status";
}

zm_status zm_fail(zm_error *err, zm_status code, int64_t cell, const char *format, ...)
{
    if (err) {
        va_list args;

        err->code = code;
        err->cell = cell;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return code;
}

zm_status zm_fail_errno(zm_error *err, zm_status code, const char *what)
{
    return zm_fail(err, code, -1, "%s: %s", what, strerror(errno));
}
