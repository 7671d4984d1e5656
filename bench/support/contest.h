/* SPDX-License-Identifier: Apache-2.0
 * Running times of several contestants, taken in turns: A B C A B C ..., so that a change
 * of the machine's load meets all of them. */
#ifndef ZM_BENCH_CONTEST_H
#define ZM_BENCH_CONTEST_H

#include <stddef.h>

enum { MOST_ROUNDS = 101, SLOW_ROUNDS = 3 };

typedef enum bench_clock {
    CPU_TIME,  /* of the calling thread: other work on the machine does not count */
    WALL_TIME, /* for several threads */
} bench_clock;

typedef struct contestant {
    const char *name;
    void (*run)(void *ctx);
    void *ctx;
    int rounds; /* how often it takes part, 1..MOST_ROUNDS */
    int cold;   /* 0: every timed run follows an untimed one */
    int done;   /* how often it did */
    double seconds[MOST_ROUNDS];
} contestant;

/** Runs all of them in turns; one with fewer rounds than others is spread evenly over
 *  theirs.  The untimed runs let everyone find his own data in the cache, not what the
 *  one before has left. */
void contest(contestant *c, size_t n, bench_clock clock);

double median_seconds(const contestant *c);
double least_seconds(const contestant *c);
/** Distance of the quartiles over the median. */
double spread_of(const contestant *c);

#endif
