/* SPDX-License-Identifier: Apache-2.0
 * The shortest of several runs. */
#define _POSIX_C_SOURCE 200809L
#include "stopwatch.h"

#include <time.h>

#include "interrupt.h"

double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool stopwatch_next(stopwatch *w)
{
    const double seconds = seconds_now() - w->started;

    if (w->done > 0 && (w->done == 1 || seconds < w->best))
        w->best = seconds;
    if (w->done == w->runs || interrupt_pending())
        return false;
    w->done++;
    w->started = seconds_now();
    return true;
}

void stopwatch_restart(stopwatch *w)
{
    w->started = seconds_now();
}
