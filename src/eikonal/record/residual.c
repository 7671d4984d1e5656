/* SPDX-License-Identifier: Apache-2.0
 * How well given arrival times obey the discrete and the continuous equation. */
#include <math.h>

#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/local/corners.h"
#include "eikonal/local/triangle.h"
#include "eikonal/problem/intervals.h"
#include "eikonal/problem/metric_cache.h"
#include "eikonal/problem/unit.h"
#include "zermelo/diagnose.h"

typedef struct times {
    zm_grid grid;
    const zm_problem *problem;
    const void *T;
    zm_metric_cache *cache; /* of metrics that change with time */
} times;

static size_t cell_at(const times *t, int32_t row, int32_t col)
{
    return (size_t)row * (size_t)t->grid.cols + (size_t)col;
}

/* T of a cell; INFINITY outside the grid and in walls. */
static double time_at(const times *t, int32_t row, int32_t col)
{
    if (row < 0 || row >= t->grid.rows || col < 0 || col >= t->grid.cols ||
        (t->problem->walls && t->problem->walls[cell_at(t, row, col)]))
        return INFINITY;
    return zm_plane_value(t->T, zm_intervals_dtype(t->problem), cell_at(t, row, col));
}

/* Cost of the cheapest step to a neighbour, sqrt(m' G m) + m.b. */
static double smallest_step(const zm_local_cell *s)
{
    double least = INFINITY;

    for (int k = 0; k < 8; k++)
        least = fmin(least, s->shape[k & 3].length1 + s->drift[k]);
    return least;
}

/* (T - min of the eight triangles) / max(|T|, smallest step). */
static double discrete_residual(const times *t, int32_t row, int32_t col)
{
    const size_t cell = cell_at(t, row, col);
    const zm_cell_metric m = zm_metric_at(&t->problem->metric, cell);
    const double unit = zm_unit_of(t->grid, &m);
    const zm_local_cell s =
        zm_local_cell_make(zm_local_fold(m, zm_unit_grid(t->grid, unit)));
    const double T0 = time_at(t, row, col) / unit;
    double T[8];

    for (int k = 0; k < 8; k++)
        T[k] = time_at(t, row + zm_local_neighbour_y[k],
                       col + zm_local_neighbour_x[k]) /
               unit;
    zm_local_block_corners(
        T, zm_local_blocked_corners(t->grid, t->problem->walls, row, col));
    return (T0 - zm_local_best(&s, T, INFINITY).update.T0) /
           fmax(fabs(T0), smallest_step(&s));
}

/* Central difference, one-sided where a neighbour is missing, NaN where both are. */
static double difference(double before, double here, double after)
{
    if (isinf(before))
        return isinf(after) ? NAN : after - here;
    return isinf(after) ? here - before : (after - before) / 2;
}

/* | |grad T + b|_{G^-1} - 1 |, with |p|_{G^-1}^2 = (p1^2 g22 - 2 p1 p2 g12 + p2^2
 * g11)/det, and the metric of the time interval that T is in; NaN where nothing moves then. */
static double eikonal_residual(const times *t, int32_t row, int32_t col)
{
    const zm_problem *p = t->problem;
    const double T0 = time_at(t, row, col);
    const size_t interval =
        p->n_intervals > 0 ? zm_intervals_at(p->starts, p->n_intervals, T0) : 0;
    zm_cell_metric g;

    if (!zm_metric_in(t->grid, p, t->cache, interval, cell_at(t, row, col), &g))
        return NAN;
    /* over a step, in the unit of the cell: h^2 G, h b, h grad T */
    const double unit = zm_unit_of(t->grid, &g);
    const zm_cell_metric m = zm_local_fold(g, zm_unit_grid(t->grid, unit));
    const double det = m.g11 * m.g22 - m.g12 * m.g12;
    const double p1 = m.b1 + difference(time_at(t, row, col - 1), T0,
                                        time_at(t, row, col + 1)) / unit;
    const double p2 = m.b2 + difference(time_at(t, row - 1, col), T0,
                                        time_at(t, row + 1, col)) / unit;

    return fabs(sqrt((p1 * p1 * m.g22 - 2 * p1 * p2 * m.g12 + p2 * p2 * m.g11) / det) -
                1);
}

static zm_status check(const times *t, zm_residual_kind kind, const double *residual,
                       zm_error *err)
{
    ZM_TRY(zm_problem_check_shape(t->grid, t->problem, err));
    if (!t->T || !residual)
        return zm_fail(err, ZM_E_ARG, -1, "%s is NULL", t->T ? "residual" : "T");
    if (kind != ZM_RESIDUAL_DISCRETE && kind != ZM_RESIDUAL_EIKONAL)
        return zm_fail(err, ZM_E_ARG, -1, "residual kind %d is not known", (int)kind);
    if (kind == ZM_RESIDUAL_DISCRETE && t->problem->n_intervals > 0)
        return zm_fail(
            err, ZM_E_UNSUPPORTED, -1,
            "the discrete residual is that of eight triangles in one metric, and "
            "this one changes with time: use ZM_RESIDUAL_EIKONAL");
    return zm_problem_check(t->grid, t->problem, err);
}

zm_status zm_residual(zm_grid grid, const zm_problem *given, const void *T,
                      zm_residual_kind kind, double *residual, zm_error *err)
{
    zm_problem full, *problem = &full;
    const zm_alloc mem = zm_alloc_or_default(NULL);
    times t = { grid, problem, T, NULL };
    zm_status st = zm_problem_read(problem, given, err);
    size_t cell = 0;

    if (st < 0 || (st = check(&t, kind, residual, err)) < 0 ||
        (st = zm_metric_cache_create(&t.cache, problem, &mem, err)) < 0)
        return st;
    for (int32_t row = 0; row < grid.rows; row++)
        for (int32_t col = 0; col < grid.cols; col++)
            residual[cell++] = isinf(time_at(&t, row, col)) ? NAN
                               : kind == ZM_RESIDUAL_DISCRETE
                                   ? discrete_residual(&t, row, col)
                                   : eikonal_residual(&t, row, col);
    for (size_t i = 0; i < problem->n_sources; i++)
        residual[zm_source_cell(grid, &problem->sources[i])] = 0;
    return zm_metric_cache_destroy(t.cache, &mem, ZM_OK, err);
}
