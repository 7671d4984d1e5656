/* SPDX-License-Identifier: Apache-2.0
 * Arrival times with a border of INFINITY, so that every cell has eight neighbours. */
#ifndef ZM_REFERENCE_FIELD_H
#define ZM_REFERENCE_FIELD_H

#include "eikonal/problem/problem.h"
#include "eikonal/local/corners.h"
#include "eikonal/local/triangle.h"
#include "reference/paper_update.h"
#include "reference/reference.h"

typedef struct zm_reference_field {
    zm_grid grid;
    const zm_problem *problem;
    double *T;        /* cell (0, 0); rows `stride` apart, one more cell all around */
    uint8_t
        *blocked; /* rows*cols bytes of zm_local_blocked_corners; NULL without walls */
    ptrdiff_t stride; /* cols + 2 */
    ptrdiff_t neighbour[8]; /* distance from a cell of T to its neighbours */
    double *memory;         /* T with its border */
} zm_reference_field;

/** INFINITY everywhere.  Does not keep `grid` but does keep `problem`. */
zm_status zm_reference_field_create(zm_reference_field *f, zm_grid grid, const zm_problem *problem,
                          zm_error *err);
/** Frees what create gave, also after it failed. */
void zm_reference_field_destroy(zm_reference_field *f);

/** The earliest start time of the sources of each cell. */
void zm_reference_field_set_sources(zm_reference_field *f);

/** All cells from or to rows*cols doubles. */
void zm_reference_field_load(zm_reference_field *f, const double *T);
void zm_reference_field_store(const zm_reference_field *f, double *T);

/** T of the eight neighbours of a cell, INFINITY where there is none. */
static inline void zm_reference_field_neighbours(const zm_reference_field *f, const double *T0, size_t cell,
                                       double T[8])
{
    for (int k = 0; k < 8; k++)
        T[k] = T0[f->neighbour[k]];
    if (f->blocked)
        zm_local_block_corners(T, f->blocked[cell]);
}

/** Metric and drift of a cell with the spacing folded in; the metric is float64. */
static inline zm_cell_metric zm_reference_field_metric(const zm_reference_field *f, size_t cell)
{
    return zm_local_fold(zm_metric_at(&f->problem->metric, cell), f->grid);
}

/** Stencil of a cell for the closed form, and for the paper's formulas. */
static inline zm_local_cell zm_reference_field_stencil(const zm_reference_field *f,
                                                       size_t cell)
{
    return zm_local_cell_make(zm_reference_field_metric(f, cell));
}
static inline zm_paper_stencil zm_reference_field_paper_stencil(const zm_reference_field *f, size_t cell)
{
    return zm_paper_stencil_make(zm_reference_field_metric(f, cell));
}

/** Checks that both solvers share: result, float64, shape, metric, options. */
zm_status zm_reference_check(zm_grid grid, const zm_problem *problem, const double *T,
                             const zm_reference_opts *opts, zm_error *err);

/** *opts, or the defaults for NULL. */
zm_reference_opts zm_reference_opts_read(const zm_reference_opts *opts);

/** Fills the report (or NULL) after `iterations` of `sweeps` over the grid each. */
zm_status zm_reference_finish(zm_grid grid, int32_t iterations, int32_t sweeps,
                              bool converged, zm_report *report, zm_error *err);

#endif
