/* SPDX-License-Identifier: Apache-2.0
 * Stops other than by time, for solvers that do not accept cells one by one: the time at
 * which they would stop, from the times of a full solve. */
#include "eikonal/stops.h"

#include <math.h>

/* The latest of the targets that are no walls; INFINITY if one is not reached. */
static double last_target(const zm_solver *s, const zm_problem *problem,
                          const uint8_t *targets, const void *T)
{
    double last = -(double)INFINITY;

    for (size_t i = 0; i < s->cells; i++)
        if (targets[i] && !(problem->walls && problem->walls[i]))
            last = fmax(last, zm_plane_value(T, s->dtype, i));
    return last;
}

/* The k-th smallest of n values, k from 0; reorders them (Hoare's selection). */
static double smallest(double *values, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;

    while (low < high) {
        const double pivot = values[low + (high - low) / 2];
        size_t i = low, j = high;

        for (;;) {
            while (values[i] < pivot)
                i++;
            while (pivot < values[j])
                j--;
            if (i >= j)
                break;
            const double swap = values[i];

            values[i++] = values[j];
            values[j--] = swap;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return values[k];
}

double zm_engine_stop_time(const zm_engine_run *run, const zm_forward_opts *opts)
{
    const zm_solver *s = run->s;
    double limit = opts->t_max, *times = run->workspaces->scratch;

    if (opts->targets)
        limit = fmin(limit, last_target(s, run->problem, opts->targets, run->T));
    if (opts->max_cells > 0 && (size_t)opts->max_cells < s->cells) {
        for (size_t i = 0; i < s->cells; i++)
            times[i] = zm_plane_value(run->T, s->dtype, i);
        limit = fmin(limit, smallest(times, s->cells, (size_t)opts->max_cells - 1));
    }
    return limit;
}
