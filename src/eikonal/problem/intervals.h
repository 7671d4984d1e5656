/* SPDX-License-Identifier: Apache-2.0
 * Time intervals of a problem. */
#ifndef ZM_PROBLEM_INTERVALS_H
#define ZM_PROBLEM_INTERVALS_H

#include <stdbool.h>

#include "zermelo/problem.h"

/** What zm_problem_check_shape checks of a problem with intervals: starts and planes. */
zm_status zm_intervals_check(const zm_problem *problem, zm_error *err);

/** zm_problem_check of a problem with intervals, whose shape has been checked. */
zm_status zm_intervals_check_metrics(zm_grid grid, const zm_problem *problem,
                                     zm_error *err);

/** ZM_E_ARG unless all planes are of the number type. */
zm_status zm_intervals_check_dtype(const zm_problem *problem, zm_dtype dtype,
                                   zm_error *err);

/** The one of n >= 1 intervals that a time is in. */
static inline size_t zm_intervals_at(const double *starts, size_t n, double time)
{
    size_t low = 0, high = n - 1;

    while (low < high) {
        const size_t middle = (low + high + 1) / 2;

        if (starts[middle] <= time)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/** Number type of times where there is no solver: that of the planes. */
static inline zm_dtype zm_intervals_dtype(const zm_problem *problem)
{
    return problem->n_intervals > 0 && problem->intervals
               ? problem->intervals[0].metric.dtype
               : problem->metric.dtype;
}

/** Whether an interval has a scalar metric: g22 is that of g11. */
static inline bool zm_intervals_is_scalar(const zm_problem *problem, size_t interval)
{
    return problem->intervals && !problem->intervals[interval].metric.g22;
}

#endif
