/* SPDX-License-Identifier: Apache-2.0
 * Exact derivatives of the discrete arrival times, in reverse and in forward mode.
 *
 * Both use what the last zm_forward on the same solver has recorded: pass the same problem
 * and the T it returned, unchanged.  They work after every engine.  The first derivative after
 * a solve works out the donors and their order, and may allocate where the solve was not one
 * on active blocks with the eight neighbours.  By the envelope theorem, with winning donors 1
 * and 2, weight w and v = -(w m1 + (1-w) m2),
 *
 *     dT0 = w dT1 + (1-w) dT2 + dF(v),   dF/dG = v v' / (2 sqrt(v' G v)),   dF/db = -v.
 *
 * dL/dg12 is the derivative with respect to the one scalar g12: both off-diagonal entries move.
 * In float32 the weights come from times rounded to float32: keep source times near 0.
 * Derivatives are 0 in cells that are not reached, and so are those with respect to the metric
 * of a cell that a source is in the middle of, unless that source is factored out.
 *
 * A change of any array since the solve is refused with ZM_E_STATE where it is noticed, and else
 * makes the derivatives wrong; nothing is ever read or written outside of the arrays. */
#ifndef ZM_ADJOINT_H
#define ZM_ADJOINT_H

#include "forward.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where derivatives go: rows*cols values of the solver's dtype each; NULL: not wanted.
 *  Where the metric has g22 NULL, g11 receives the derivative with respect to the shared
 *  scalar and g22 must be NULL; planes the metric leaves out as zero (g12, b) may still be asked
 *  for. */
typedef struct zm_gradient {
    size_t size; /**< sizeof(zm_gradient): lets the struct grow later */
    void *g11, *g12, *g22, *b1, *b2;
    double *source_times; /**< n_sources values, or NULL */
    double *source_rows;  /**< with respect to the position of each source that lies between
                               cells, 0 for the others, where T has a kink; n_sources values,
                               or NULL */
    double *source_cols;
    /** Of problems with time intervals, whose own planes above must be NULL: n_intervals sets
     *  of planes, their source_* NULL; or NULL: not wanted. */
    const struct zm_gradient *intervals;
    /** Or window by window; where an interval is given as planes with g22 NULL, values->g11
     *  has the derivative with respect to the shared scalar and g22 is 0.  Or NULL. */
    zm_interval_take *take;
    void *take_ctx;
    zm_nonfinite nonfinite; /**< values of dL_dT that are not finite, in reached cells */
} zm_gradient;
#define ZM_GRADIENT_INIT                                                                 \
    { sizeof(zm_gradient), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
      ZM_NONFINITE_REFUSE }

/**
 * Vector-Jacobian product: from dL/dT to dL/dG, dL/db and dL/d(source times).
 *
 * @param solver  in,out  after zm_forward on the same problem
 * @param problem in      as given to zm_forward
 * @param T       in      as returned by zm_forward
 * @param dL_dT   in      rows*cols values of the solver's dtype; ignored where T is INFINITY
 * @param out     out     overwritten, not added to; must not overlap inputs
 * @return ZM_OK; ZM_NOT_CONVERGED (after a solve with tol > 0: cells that are donors of each
 *         other did not settle); ZM_E_STATE (no record, the last solve failed, or the problem
 *         or T is seen to have changed since); ZM_E_SOURCE; ZM_E_NOMEM; ZM_E_ARG (a
 *         value of dL_dT at a reached cell is not finite and out->nonfinite refuses that:
 *         err->cell; missing arrays, wrong dtype); ZM_E_UNSUPPORTED (source_rows or
 *         source_cols where every source is in the middle of a cell; derivatives that
 *         numbers of the dtype cannot hold); what problem->fill or out->take said.
 *         After a failure outputs are unspecified.
 */
ZM_API zm_status zm_adjoint(zm_solver *solver, const zm_problem *problem, const void *T,
                            const void *dL_dT, const zm_gradient *out, zm_error *err);

/** A direction in parameter space: planes as in zm_metric, NULL means zero.  Where the
 *  metric has g22 NULL, g11 moves both and g22 must be NULL. */
typedef struct zm_direction {
    size_t size; /**< sizeof(zm_direction): lets the struct grow later */
    const void *g11, *g12, *g22, *b1, *b2;
    const double *source_times; /**< n_sources values, or NULL */
    const double *source_rows;  /**< the same, moves of the sources */
    const double *source_cols;
    const struct zm_direction *intervals; /**< n_intervals sets of planes, source_* NULL */
    zm_interval_fill *fill; /**< or window by window, `stopped` left out; or NULL */
    void *fill_ctx;
    zm_nonfinite nonfinite; /**< values that are not finite, where T depends on them */
} zm_direction;
#define ZM_DIRECTION_INIT                                                                \
    { sizeof(zm_direction), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
      ZM_NONFINITE_REFUSE }

/**
 * Jacobian-vector product: from (dG, db, d source times) to dT; 0 where T is INFINITY.
 *
 * @param dT out  rows*cols values of the solver's dtype
 * Otherwise as zm_adjoint; ZM_E_ARG also where a value of the direction makes dT not finite and
 * direction->nonfinite refuses that, and what direction->fill said.
 */
ZM_API zm_status zm_tangent(zm_solver *solver, const zm_problem *problem, const void *T,
                            const zm_direction *direction, void *dT, zm_error *err);

/** The same for the first n problems of the last zm_forward_batch, over the threads. */
ZM_API zm_status zm_adjoint_batch(zm_solver *solver, const zm_problem *problems, size_t n,
                                  const void *const *T, const void *const *dL_dT,
                                  const zm_gradient *out, zm_error *err);
ZM_API zm_status zm_tangent_batch(zm_solver *solver, const zm_problem *problems, size_t n,
                                  const void *const *T, const zm_direction *directions,
                                  void *const *dT, zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
