/* SPDX-License-Identifier: Apache-2.0
 * Sources and walls on a metric: what a Randers eikonal problem is made of.
 *
 * Structs that may grow begin with their own size: start from their _INIT macro, or write
 * .size = sizeof(zm_problem).  In an array all elements have the size of the first. */
#ifndef ZM_PROBLEM_H
#define ZM_PROBLEM_H

#include "interval.h"
#include "metric.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A source: the front starts here at this time (any finite number).  This struct is
 *  frozen. */
typedef struct zm_source {
    double row, col; /**< in 0..rows-1 and 0..cols-1; whole numbers are the middles of cells,
                          fractions need adaptive stencils and a metric that does not change */
    double time;
} zm_source;

/** One problem on the solver's grid.  Every pointer is borrowed for the call only. */
typedef struct zm_problem {
    size_t size;              /**< sizeof(zm_problem): lets the struct grow later */
    zm_metric metric;         /**< for all times; its planes are NULL if n_intervals > 0 */
    const zm_source *sources; /**< n_sources of them; of several in one cell the earliest counts */
    size_t n_sources;         /**< >= 1 */
    const uint8_t *walls;     /**< rows*cols, non-zero: nothing enters this cell; NULL: no walls */
    size_t n_intervals;       /**< 0: the metric does not change with time */
    const double *starts;     /**< n_intervals finite times, increasing.  Interval k lasts from
                                   starts[k] to starts[k + 1]; the first counts before its start
                                   too, the last for ever */
    const zm_interval *intervals; /**< n_intervals, or NULL: `fill` gives them */
    zm_interval_fill *fill;
    void *fill_ctx;
} zm_problem;
#define ZM_PROBLEM_INIT                                                                  \
    { sizeof(zm_problem), { ZM_F64, NULL, NULL, NULL, NULL, NULL }, NULL, 0, NULL, 0,     \
      NULL, NULL, NULL, NULL }

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
 * a value that is not finite, G not positive definite, or |b|_{G^-1} >= 1.  Where the metric
 * changes with time the first interval that has one, cells that are stopped left out.
 *
 * @return ZM_OK if there is none; ZM_E_METRIC with err->cell and a message that names
 *         cell, value and bound; ZM_E_ARG for a bad grid or a NULL g11; ZM_E_NOMEM and what
 *         problem->fill said where the metric changes with time
 */
ZM_API zm_status zm_problem_check(zm_grid grid, const zm_problem *problem, zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
