/* SPDX-License-Identifier: Apache-2.0
 * Ctrl-C and the progress bar. */
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <stdio.h>
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

int interrupt_check(void)
{
    enum { SIGNAL_EXIT = 128 }; /* as shells count */
    const int number = (int)caught;

    if (!number)
        return DONE;
    failure("interrupted; no file was changed");
    return SIGNAL_EXIT + number;
}

progress progress_begin(bool quiet)
{
    return (progress){ .started = seconds_now(),
                       .show = !quiet && isatty(STDERR_FILENO) };
}

int progress_step(void *ctx, double fraction)
{
    const double patience = 0.5, interval = 0.1; /* seconds */
    enum { BAR = 40 };
    static const char full[] = "########################################";
    progress *p = ctx;
    double now;
    int n;

    if (caught)
        return 1;
    if (!p->show || (now = seconds_now()) - p->started < patience ||
        now - p->last < interval)
        return 0;
    n = (int)(BAR * fraction);
    fprintf(stderr, "\r[%.*s%*s] %3.0f %% of the grid", n, full, BAR - n, "",
            100 * fraction);
    fflush(stderr);
    p->last = now;
    p->drawn = true;
    return 0;
}

void progress_end(progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
