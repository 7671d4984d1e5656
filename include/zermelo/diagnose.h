/* SPDX-License-Identifier: Apache-2.0
 * Diagnostics of a solution: winning triangles, kinds of updates, residuals. */
#ifndef ZM_DIAGNOSE_H
#define ZM_DIAGNOSE_H

#include "forward.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Codes of zm_stencils.  Neighbours are numbered as in the paper, counter-clockwise from
 * the upper left: 0 NW, 1 W, 2 SW, 3 S, 4 SE, 5 E, 6 NE, 7 N (N is the row above).
 * Code k in 0..7: two-point update from neighbours k and (k+1) mod 8.
 * Code 8+k:       one-point update from neighbour k. */
#define ZM_STENCIL_ONE_POINT 8
#define ZM_STENCIL_WIDE 252 /* two donors, not both among the eight neighbours */
#define ZM_STENCIL_WIDE_ONE_POINT 253
#define ZM_STENCIL_SOURCE 254
#define ZM_STENCIL_UNREACHED 255

/**
 * Winning triangle of every cell in the last solve of a slot.
 *
 * @param slot    in   0, or the number of the problem in its batch
 * @param T       in   as returned by zm_forward
 * @param codes   out  rows*cols bytes, see above; or NULL
 * @param weights out  rows*cols doubles: weight of the first donor (1 for one-point, 0 where
 *                     there is none); or NULL
 * @return as zm_flow
 */
ZM_API zm_status zm_stencils(zm_solver *solver, size_t slot, const zm_problem *problem,
                             const void *T,
                             uint8_t *codes, double *weights, zm_error *err);

/** This struct is frozen. */
typedef struct zm_stencil_share {
    int64_t one_point, two_point, sources, unreached; /**< cells of each kind; they add up */
} zm_stencil_share;

/** Counts the codes of n cells. */
ZM_API zm_stencil_share zm_stencil_count(const uint8_t *codes, size_t n);

typedef enum zm_residual_kind {
    /** (T - min over the eight triangles of the update) / max(|T|, smallest step): 0 at the
     *  exact fixed point, of either sign. */
    ZM_RESIDUAL_DISCRETE = 0,
    /** | |grad T + b|_{G^-1} - 1 | with central differences (one-sided at borders, walls
     *  and unreached cells), and in metrics that change with time that of the interval T is
     *  in; NaN where nothing moves then. */
    ZM_RESIDUAL_EIKONAL = 1
} zm_residual_kind;

/**
 * Residual field of given arrival times; needs no solver.  0 in source cells, NaN where
 * T is INFINITY or no difference can be formed.
 *
 * @param T        in   rows*cols values of the metric's dtype (with `fill`: of metric.dtype)
 * @param residual out  rows*cols doubles
 * @return ZM_OK, ZM_E_ARG, ZM_E_SOURCE, ZM_E_METRIC, ZM_E_NOMEM; ZM_E_UNSUPPORTED (the discrete
 *         one where the metric changes with time); what problem->fill said
 */
ZM_API zm_status zm_residual(zm_grid grid, const zm_problem *problem, const void *T,
                             zm_residual_kind kind, double *residual, zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
