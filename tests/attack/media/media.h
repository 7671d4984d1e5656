/* SPDX-License-Identifier: Apache-2.0
 * What is checked of random media, and the tally. */
#ifndef ZM_ATTACK_MEDIA_H
#define ZM_ATTACK_MEDIA_H

#include "support/outcome.h"
#include "support/random_media.h"

/** What has been found in all media so far. */
typedef struct tally {
    long media, solves, refused, findings;
    long by[ZM_SOLVED_BY_REFINED_BLOCKS + 1]; /* solves of each engine */
    long derivatives, kinks, jumps;           /* cells whose derivative was looked at */
    double slowest, most_updates;             /* microseconds, updates a cell */
    double worst[4]; /* by agreement: largest share of its bound */
    bool verbose;
} tally;

/** One medium being looked at. */
typedef struct look {
    tally *sum;
    const random_medium *m;
    const char *variant;
} look;

/** Counts and prints a finding. */
__attribute__((format(printf, 2, 3))) void finding(look *l, const char *format, ...);

/** Rounding moves times by this share of them: condition of the update in needle-like metrics. */
double rounding_of(const random_medium *m);

/** Largest |a - b| over the time since the start, where both are finite; INFINITY where one is. */
double times_apart(const test_case *c, const double *a, const double *b);

/** Derivatives against differences of times (derivatives.c). */
void derivatives_check(look *l, const variant *v, uint64_t seed);

#endif
