/* SPDX-License-Identifier: Apache-2.0
 * Grid, metric, sources and walls: what a Randers eikonal problem is made of.
 *
 * Conventions (docs/theory.md).  A field is row-major, cell = row*cols + col.  x runs
 * along columns with spacing dx, y along rows (downwards) with spacing dy.  The cost of
 * moving by v is
 *
 *     F(v) = sqrt(v' G v) - b.v,     G = [[g11, g12], [g12, g22]],  b = (b1, b2),
 *
 * so the front runs faster along +b.  Arrival times obey |grad T + b|_{G^-1} = 1.
 * Admissible: G positive definite and |b|_{G^-1} < 1 in every cell that is no wall. */
#ifndef ZM_PROBLEM_H
#define ZM_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zm_dtype { ZM_F64 = 0, ZM_F32 = 1 } zm_dtype;

/** Bytes of one value: 8 or 4. */
ZM_API size_t zm_dtype_size(zm_dtype dtype);

typedef struct zm_grid {
    int32_t rows, cols; /**< >= 1 each; rows*cols <= 2^30 - 1 */
    double dx, dy;      /**< spacing along columns and along rows, > 0 and finite */
} zm_grid;

/**
 * View of a metric field: planes of rows*cols values of type `dtype`, owned by the caller.
 * g12 NULL means 0.  g22 NULL means the same as g11 (so g11 alone is the isotropic
 * metric g I, and derivatives are then by that one scalar).  b1 and b2 NULL mean no
 * drift.  Values in wall cells are ignored.
 */
typedef struct zm_metric {
    zm_dtype dtype;
    const void *g11, *g12, *g22, *b1, *b2;
} zm_metric;

/** A source: the front starts in this cell at this time (any finite number). */
typedef struct zm_source {
    double row, col; /**< whole numbers inside the grid */
    double time;
} zm_source;

/** One problem on the solver's grid.  Every pointer is borrowed for the call only. */
typedef struct zm_problem {
    zm_metric metric;
    const zm_source *sources; /**< n_sources of them; of several in one cell the earliest counts */
    size_t n_sources;         /**< >= 1 */
    const uint8_t *walls;     /**< rows*cols, non-zero: nothing enters this cell; NULL: no walls */
} zm_problem;

/**
 * Sources from a mask.
 *
 * @param grid     in   size of the mask
 * @param mask     in   rows*cols bytes; non-zero is a source
 * @param time     in   start time given to each
 * @param sources  out  room for `capacity` sources, or NULL to count only
 * @param capacity in
 * @param count    out  number of non-zero cells, also when it exceeds `capacity`
 * @return ZM_OK, or ZM_E_ARG (grid, or capacity too small; then nothing is written)
 */
ZM_API zm_status zm_sources_from_mask(zm_grid grid, const uint8_t *mask, double time,
                                      zm_source *sources, size_t capacity, size_t *count,
                                      zm_error *err);

/**
 * First cell (row-major) that is no wall and whose metric or drift is not admissible:
 * a value that is not finite, G not positive definite, or |b|_{G^-1} >= 1.
 *
 * @return ZM_OK if there is none; ZM_E_METRIC with err->cell and a message that names
 *         cell, value and bound; ZM_E_ARG for a bad grid or a NULL g11.
 */
ZM_API zm_status zm_problem_check(zm_grid grid, const zm_problem *problem, zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
