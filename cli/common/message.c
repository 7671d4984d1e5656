/* SPDX-License-Identifier: Apache-2.0
 * What the tool says on standard error. */
#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/shown_name.h"

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

/* One line at once, so that lines of several programs or of a killed one are whole, without
 * what a terminal might obey: names of files may hold anything. */
static void print_line(const char *begin, const char *format, va_list args,
                       const char *end)
{
    char text[4096], line[4352];
    int n;

    vsnprintf(text, sizeof text, format, args);
    zm_make_printable(text);
    n = snprintf(line, sizeof line, "%s%s%s\n", begin, text, end);
    if (n > 0)
        fwrite(line, 1, (size_t)n, stderr);
}

/* The same behind the name of the verb. */
static void print(const char *format, va_list args, const char *end)
{
    char begin[80];

    snprintf(begin, sizeof begin, "zermelo%s%s: ", *current_verb ? " " : "",
             current_verb);
    print_line(begin, format, args, end);
}

int usage_error(const char *format, ...)
{
    char hint[80];
    va_list args;

    snprintf(hint, sizeof hint, " (see zermelo%s%s --help)", *current_verb ? " " : "",
             current_verb);
    va_start(args, format);
    print(format, args, hint);
    va_end(args);
    return USAGE;
}

int failure(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(format, args, "");
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
    print(format, args, "");
    va_end(args);
}

void note(const char *format, ...)
{
    va_list args;

    if (is_quiet)
        return;
    va_start(args, format);
    print_line("", format, args, "");
    va_end(args);
}

printable_name printable(const char *name)
{
    printable_name p;
    const size_t length = strlen(name), most = sizeof p.text - 1;

    snprintf(p.text, sizeof p.text, "%s", length > most ? name + length - most : name);
    zm_make_printable(p.text);
    return p;
}

int flush_output(void)
{
    if (fflush(stdout) || ferror(stdout))
        return failure("cannot write to standard output: %s", strerror(errno));
    return DONE;
}
