/* SPDX-License-Identifier: Apache-2.0
 * Running times of several contestants, taken in turns. */
#define _POSIX_C_SOURCE 200809L
#include "support/contest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(bench_clock clock)
{
    struct timespec t;

    clock_gettime(clock == CPU_TIME ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void take_turn(contestant *c, bench_clock clock)
{
    double begin;

    if (!c->cold)
        c->run(c->ctx);
    begin = now(clock);
    c->run(c->ctx);
    c->seconds[c->done++] = now(clock) - begin;
}

void contest(contestant *c, size_t n, bench_clock clock)
{
    int rounds = 0;

    for (size_t i = 0; i < n; i++) {
        c[i].done = 0;
        rounds = c[i].rounds > rounds ? c[i].rounds : rounds;
    }
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < n; i++) {
            const bool due = (round + 1) * c[i].rounds / rounds > c[i].done;

            if (due)
                take_turn(&c[i], clock);
        }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Value at a share of the sorted times, between neighbours where it falls there. */
static double quantile(const contestant *c, double share)
{
    double sorted[MOST_ROUNDS];
    const double at = share * (c->done - 1);
    const int i = (int)at, next = i + 1 < c->done ? i + 1 : i;

    memcpy(sorted, c->seconds, (size_t)c->done * sizeof *sorted);
    qsort(sorted, (size_t)c->done, sizeof *sorted, by_size);
    return sorted[i] + (at - i) * (sorted[next] - sorted[i]);
}

double median_seconds(const contestant *c)
{
    return quantile(c, 0.5);
}

double least_seconds(const contestant *c)
{
    return quantile(c, 0);
}

double spread_of(const contestant *c)
{
    return (quantile(c, 0.75) - quantile(c, 0.25)) / quantile(c, 0.5);
}
