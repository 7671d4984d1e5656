/* SPDX-License-Identifier: Apache-2.0
 * What the tool says on standard error. */
#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *current_verb = "";
static bool is_quiet;

void message_verb(const char *verb)
{
    current_verb = verb;
}

void message_quiet(bool quiet)
{
    is_quiet = quiet;
}

static void print(const char *format, va_list args, const char *end)
{
    fprintf(stderr, "zermelo%s%s: ", *current_verb ? " " : "", current_verb);
    vfprintf(stderr, format, args);
    fputs(end, stderr);
}

int usage_error(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(format, args, "");
    va_end(args);
    fprintf(stderr, " (see zermelo%s%s --help)\n", *current_verb ? " " : "",
            current_verb);
    return USAGE;
}

int failure(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(format, args, "\n");
    va_end(args);
    return FAILED;
}

int library_failure(const zm_error *err)
{
    return failure("%s", err->text);
}

int checked(zm_status st, const zm_error *err)
{
    return st < 0 ? library_failure(err) : DONE;
}

void warning(const char *format, ...)
{
    va_list args;

    if (is_quiet)
        return;
    va_start(args, format);
    print(format, args, "\n");
    va_end(args);
}

void note(const char *format, ...)
{
    va_list args;

    if (is_quiet)
        return;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

int flush_output(void)
{
    if (fflush(stdout) || ferror(stdout))
        return failure("cannot write to standard output: %s", strerror(errno));
    return DONE;
}
