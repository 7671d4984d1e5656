/* SPDX-License-Identifier: Apache-2.0
 * The shortest of several runs. */
#ifndef ZM_CLI_STOPWATCH_H
#define ZM_CLI_STOPWATCH_H

#include <stdbool.h>
#include <stdint.h>

/** Seconds from some fixed moment. */
double seconds_now(void);

/** Start with { .runs = n }; then while (stopwatch_next(&w)) { what is timed }. */
typedef struct stopwatch {
    int32_t runs, done;
    double started;
    double best; /**< seconds of the shortest run */
} stopwatch;

/** Ends the run before and starts the next; false when there were enough, or when the
 *  tool was asked to stop. */
bool stopwatch_next(stopwatch *w);

/** What the run did so far is not timed. */
void stopwatch_restart(stopwatch *w);

#endif
