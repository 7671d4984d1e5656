/* SPDX-License-Identifier: Apache-2.0
 * The unit in which times are counted inside.
 *
 * T(4^k G, 2^k b) = 2^k T, and the same where the spacing grows.  Every engine folds the spacing
 * over the unit into metric and drift, so that both are near 1 at the first source and no
 * intermediate result leaves the range of numbers, whatever the caller's units are.  Units are
 * powers of two, which change no bit of a result; they are 1 where the caller's are near enough. */
#ifndef ZM_PROBLEM_UNIT_H
#define ZM_PROBLEM_UNIT_H

#include "eikonal/problem/problem.h"

/** The unit for a metric: a cell takes about one of it to cross.  1 if the metric is not
 *  admissible or the time is no number. */
double zm_unit_of(zm_grid grid, const zm_cell_metric *m);

/** That of a problem whose metric does not change with time, by the cell of its first source.
 *  Its shape has been checked.  ZM_OK, or ZM_E_METRIC: numbers of the type cannot hold its times. */
zm_status zm_unit_find(zm_grid grid, const zm_problem *problem, double *unit,
                       zm_error *err);

/** ZM_OK, or ZM_E_METRIC: numbers of the type cannot hold times of about this unit. */
zm_status zm_unit_check(zm_dtype dtype, double unit, size_t cell, zm_error *err);

/** ZM_OK, or ZM_E_SOURCE: a start is too far away to be counted in this unit. */
zm_status zm_unit_check_sources(const zm_problem *problem, double unit, zm_error *err);

/** ZM_OK, or ZM_E_UNSUPPORTED: numbers of the type cannot hold derivatives of times with respect
 *  to the metric, or to the drift, which are about h^2/unit and h. */
zm_status zm_unit_check_derivatives(zm_dtype dtype, zm_grid grid, double unit,
                                    bool metric, bool drift, zm_error *err);

/** The grid with its spacing over the unit. */
static inline zm_grid zm_unit_grid(zm_grid grid, double unit)
{
    return (zm_grid){ grid.rows, grid.cols, grid.dx / unit, grid.dy / unit };
}

/** Stores a time that is counted in a unit; false: numbers of the type cannot hold it. */
static inline bool zm_unit_store(void *T, zm_dtype dtype, size_t cell, double time,
                                 double unit)
{
    const double value = time * unit;

    zm_plane_store(T, dtype, cell, value);
    return !(zm_plane_round(dtype, fabs(value)) == (double)INFINITY) ||
           fabs(time) == (double)INFINITY;
}

/** ZM_E_METRIC: the message for that. */
zm_status zm_unit_fail_store(zm_dtype dtype, zm_error *err);

#endif
