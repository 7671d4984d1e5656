/* SPDX-License-Identifier: Apache-2.0
 * Checks of grids and problems, and reading of planes of either number type. */
#ifndef ZM_PROBLEM_PROBLEM_H
#define ZM_PROBLEM_PROBLEM_H

#include <math.h>
#include <stdbool.h>

#include "zermelo/problem.h"

/** *n = rows*cols; false when a side is < 1 or the product exceeds ZM_MOST_CELLS. */
bool zm_grid_cells(zm_grid grid, size_t *n);

/** ZM_OK, or ZM_E_ARG: sides, number of cells, spacing. */
zm_status zm_grid_check(zm_grid grid, zm_error *err);

/**
 * All that can be checked without reading the metric: grid, planes, sources.
 *
 * @return ZM_OK; ZM_E_ARG (grid, dtype, planes); ZM_E_SOURCE (none, outside the grid, in a
 * wall, time not finite: the message names which)
 */
zm_status zm_problem_check_shape(zm_grid grid, const zm_problem *problem,
                                 zm_error *err);

/** Problem i of the caller's array, of whatever size its structs have, into *problem.  ZM_OK,
 *  ZM_E_ARG. */
zm_status zm_problem_read_at(zm_problem *problem, const zm_problem *array, size_t i,
                             zm_error *err);

static inline zm_status zm_problem_read(zm_problem *problem, const zm_problem *given,
                                        zm_error *err)
{
    return zm_problem_read_at(problem, given, 0, err);
}

/** ZM_E_ARG unless all metrics are of this number type. */
zm_status zm_problem_check_dtype(const zm_problem *problem, zm_dtype dtype,
                                 zm_error *err);

/** ZM_OK, or ZM_E_ARG where this is none of the words. */
zm_status zm_nonfinite_check(zm_nonfinite nonfinite, zm_error *err);

/** Of these the sources: ZM_OK or ZM_E_SOURCE.  The grid must have been checked. */
zm_status zm_problem_check_sources(zm_grid grid, const zm_source *sources,
                                   size_t n_sources, const uint8_t *walls,
                                   zm_error *err);

/** Whether a place is in the grid; false for what is no number. */
static inline bool zm_place_inside(zm_grid grid, double row, double col)
{
    return row >= 0 && row <= grid.rows - 1 && col >= 0 && col <= grid.cols - 1;
}

/** Source i is in the grid, in no wall, and has a finite time: ZM_OK or ZM_E_SOURCE. */
zm_status zm_source_check(zm_grid grid, const zm_source *source, size_t i,
                          const uint8_t *walls, zm_error *err);

/** Says so of source i, which is in the grid: ZM_E_SOURCE. */
zm_status zm_source_in_wall(zm_grid grid, const zm_source *source, size_t i,
                            zm_error *err);

/** ZM_E_SOURCE unless every source is in the middle of a cell. */
zm_status zm_problem_check_whole(const zm_problem *problem, zm_error *err);

/** Time of the earliest source. */
static inline double zm_problem_start(const zm_problem *problem)
{
    double start = problem->sources[0].time;

    for (size_t i = 1; i < problem->n_sources; i++)
        start = problem->sources[i].time < start ? problem->sources[i].time : start;
    return start;
}

/** How many of n cells are targets that can be reached: no walls. */
static inline size_t zm_problem_count_targets(const zm_problem *problem,
                                              const uint8_t *targets, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += targets[i] && !(problem->walls && problem->walls[i]);
    return count;
}

/** "float32" or "float64". */
static inline const char *zm_dtype_name(zm_dtype dtype)
{
    return dtype == ZM_F32 ? "float32" : "float64";
}

/** Value i of a plane of either number type. */
static inline double zm_plane_value(const void *plane, zm_dtype dtype, size_t i)
{
    return dtype == ZM_F32 ? (double)((const float *)plane)[i]
                           : ((const double *)plane)[i];
}

static inline void zm_plane_store(void *plane, zm_dtype dtype, size_t i, double value)
{
    if (dtype == ZM_F32)
        ((float *)plane)[i] = (float)value;
    else
        ((double *)plane)[i] = value;
}

/** The value as a plane of this type holds it. */
static inline double zm_plane_round(zm_dtype dtype, double value)
{
    return dtype == ZM_F32 ? (double)(float)value : value;
}

/** Whether a time is after the limit, both as a plane of this type holds them: a limit that was
 *  read from a plane of times keeps its cell. */
static inline bool zm_time_is_after(zm_dtype dtype, double time, double limit)
{
    return zm_plane_round(dtype, time) > zm_plane_round(dtype, limit);
}

/** The limit counted from `start`, and later by what rounding may have taken: no time that
 *  counts from there and is after this is before the limit. */
static inline double zm_time_limit_from(zm_dtype dtype, double limit, double start)
{
    const double unsure = dtype == ZM_F32 ? 2.4e-7 : 4.5e-16; /* two roundings */

    return isinf(limit) ? limit : limit - start + unsure * (fabs(limit) + fabs(start));
}

/** zm_plane_value for a plane that may be left out. */
static inline double zm_plane_value_or(const void *plane, zm_dtype dtype, size_t i,
                                       double missing)
{
    return plane ? zm_plane_value(plane, dtype, i) : missing;
}

/** Cell that a source which zm_problem_check_shape has passed is in.  One that has been moved
 *  out of the grid since then is taken for the first cell. */
static inline size_t zm_source_cell(zm_grid grid, const zm_source *source)
{
    if (!zm_place_inside(grid, source->row, source->col))
        return 0;
    return (size_t)(source->row + 0.5) * (size_t)grid.cols +
           (size_t)(source->col + 0.5);
}

/** For each source cell the index of the source that counts: the earliest, of equals the
 *  first.  winner has room for every cell; the other cells keep what they had. */
void zm_source_winners(zm_grid grid, const zm_problem *problem, uint32_t *winner);

/** Metric and drift of one cell, with planes left out filled in. */
typedef struct zm_cell_metric {
    double g11, g12, g22, b1, b2;
} zm_cell_metric;

/** a += b */
static inline void zm_cell_metric_add(zm_cell_metric *a, const zm_cell_metric *b)
{
    a->g11 += b->g11;
    a->g12 += b->g12;
    a->g22 += b->g22;
    a->b1 += b->b1;
    a->b2 += b->b2;
}

/** A derivative with respect to metric and drift, times a change of these. */
static inline double zm_cell_metric_product(const zm_cell_metric *a,
                                            const zm_cell_metric *b)
{
    return a->g11 * b->g11 + a->g12 * b->g12 + a->g22 * b->g22 + a->b1 * b->b1 +
           a->b2 * b->b2;
}

static inline zm_cell_metric zm_metric_at(const zm_metric *m, size_t cell)
{
    const double g11 = zm_plane_value(m->g11, m->dtype, cell);

    return (zm_cell_metric){ g11, zm_plane_value_or(m->g12, m->dtype, cell, 0.0),
                             zm_plane_value_or(m->g22, m->dtype, cell, g11),
                             zm_plane_value_or(m->b1, m->dtype, cell, 0.0),
                             zm_plane_value_or(m->b2, m->dtype, cell, 0.0) };
}

/** Metrics (in the unit of the solve, spacing folded in) must lie within this factor of 1: what
 *  engines make of them has five factors like it. */
#define ZM_CELL_LARGEST 0x1p160

static inline bool zm_cell_in_range(const zm_cell_metric *m)
{
    return m->g11 > 1 / ZM_CELL_LARGEST && m->g22 > 1 / ZM_CELL_LARGEST &&
           m->g11 + m->g22 < ZM_CELL_LARGEST;
}

/** Whether a metric is admissible and in the range for sure; where this says no, zm_cell_check
 *  decides, which rounds with care.  The spacing may be folded in. */
static inline bool zm_cell_is_good(const zm_cell_metric *m)
{
    const double det = m->g11 * m->g22 - m->g12 * m->g12;
    const double drift =
        m->g22 * m->b1 * m->b1 - 2 * m->g12 * m->b1 * m->b2 + m->g11 * m->b2 * m->b2;

    return zm_cell_in_range(m) && det > 0 && drift < det;
}

/** ZM_OK if the metric of this cell is admissible, else ZM_E_METRIC: what, where, bound.  It
 *  takes values, not planes: what has been checked is what is used, even if another thread
 *  writes to the planes. */
zm_status zm_cell_check(zm_grid grid, zm_cell_metric m, size_t cell, zm_error *err);

/** The same, and ZM_E_METRIC if with the spacing folded in it is out of the range. */
zm_status zm_cell_check_folded(zm_grid grid, zm_cell_metric m,
                               const zm_cell_metric *folded, size_t cell,
                               zm_error *err);

#endif
