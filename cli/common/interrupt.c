/* SPDX-License-Identifier: Apache-2.0
 * Ctrl-C and the progress bar. */
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "message.h"
#include "stopwatch.h"

static volatile sig_atomic_t caught;

static void remember(int number)
{
    caught = number;
}

void interrupt_catch(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action = { .sa_flags = SA_RESTART | (int)SA_RESETHAND }, old;

    sigemptyset(&action.sa_mask);
    action.sa_handler = remember;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        /* Whoever started us in the background or under nohup ignores some: keep that. */
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    action.sa_handler = SIG_IGN;
    action.sa_flags = 0;
    sigaction(SIGPIPE, &action, NULL);
}

bool interrupt_pending(void)
{
    return caught != 0;
}

int interrupt_status(const char *format, ...)
{
    enum { SIGNAL_EXIT = 128 }; /* as shells count */
    va_list arguments;
    char text[512];

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    failure("%s", text);
    return SIGNAL_EXIT + (int)caught;
}

int interrupt_check(void)
{
    return caught ? interrupt_status("interrupted; no file was changed") : DONE;
}

progress progress_begin(bool quiet)
{
    return (progress){ .started = seconds_now(),
                       .show = !quiet && isatty(STDERR_FILENO),
                       .of = "the grid" };
}

static size_t columns(void)
{
    struct winsize size;

    return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

/* Bytes of the longest start of a UTF-8 text with at most n characters. */
static int bytes_of(const char *text, size_t n)
{
    const char *end = text;

    while (*end && ((*end & 0xC0) == 0x80 || n-- > 0))
        end++;
    return (int)(end - text);
}

/* Prints the text where it is time to draw again; false: it is not. */
static bool print_when_due(progress *p, char text[256], const char *format,
                           va_list arguments)
{
    const double patience = 0.5, interval = 0.1; /* seconds */
    const double now = seconds_now();

    if (!p->show || now - p->started < patience || now - p->last < interval)
        return false;
    p->last = now;
    p->drawn = true;
    vsnprintf(text, 256, format, arguments);
    return true;
}

void progress_line(progress *p, const char *format, ...)
{
    va_list arguments;
    char text[256];

    va_start(arguments, format);
    if (print_when_due(p, text, format, arguments)) {
        fprintf(stderr, "\r\033[K%.*s", bytes_of(text, columns() - 1), text);
        fflush(stderr);
    }
    va_end(arguments);
}

void progress_show(progress *p, double fraction, const char *format, ...)
{
    enum { BAR = 24, FRAME = 10 };
    static const char full[] = "########################";
    const int n = (int)(BAR * fraction);
    va_list arguments;
    char text[256];

    va_start(arguments, format);
    if (print_when_due(p, text, format, arguments)) {
        const size_t room = columns() > BAR + FRAME ? columns() - BAR - FRAME : 0;

        fprintf(stderr, "\r\033[K[%.*s%*s] %3.0f %% %.*s", n, full, BAR - n, "",
                100 * fraction, bytes_of(text, room), text);
        fflush(stderr);
    }
    va_end(arguments);
}

int progress_step(void *ctx, double fraction)
{
    progress *p = ctx;

    if (caught)
        return 1;
    progress_show(p, fraction, "of %s", p->of);
    return 0;
}

void progress_end(progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
