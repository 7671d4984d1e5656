/* SPDX-License-Identifier: Apache-2.0
 * Problems with intervals to test with: a medium for each interval, all of one grid. */
#ifndef ZM_TESTS_TIMED_H
#define ZM_TESTS_TIMED_H

#include "support/cases.h"

enum { MOST_INTERVALS = 64 };

/** A problem that owns its fields; the sources and walls are those of interval[0]. */
typedef struct timed_case {
    size_t n_intervals, n;
    double starts[MOST_INTERVALS];
    test_case interval[MOST_INTERVALS];
    uint8_t *stopped[MOST_INTERVALS]; /* or NULL */
    zm_interval views[MOST_INTERVALS];
} timed_case;

/** G = I, b = 0, intervals of length 1 from time 0, no source. */
timed_case timed_create(int32_t rows, int32_t cols, size_t n_intervals);
void timed_free(timed_case *b);

/** Stops a cell (or all, cell < 0) in an interval. */
void timed_stop(timed_case *b, size_t interval, int64_t cell);

/** Every cell and interval on its own: slowness 1 to `contrast`, axis ratio up to `ratio`, drift
 *  norm up to `drift`, smooth in space and turning from interval to interval if `smooth`; a source in the
 *  middle. */
timed_case timed_random(int32_t side, size_t n_intervals, uint64_t seed,
                        double contrast, double ratio, double drift, bool smooth);

/** Borrowed view. */
zm_problem timed_problem(timed_case *b);

/** A handle with the shortest steps, or the end of the program; a solve made for this call. */
zm_solver *timed_solver(const timed_case *b, zm_step_cost cost);
zm_status timed_solve(timed_case *b, zm_step_cost cost, double *T);

#endif
