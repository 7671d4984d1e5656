/* SPDX-License-Identifier: Apache-2.0
 * The paper's methods, small and obvious, in double: for tests and comparisons.
 * All of them take the same problems and give the same fixed point as zm_forward
 * (except where the paper's causality rejection is switched on).  Algorithms 1 and 2 use
 * the paper's own update, the larger root of its quadratic with a test of validity; the
 * Jacobi iteration uses the closed form of docs/theory.md, section 2, as zm_forward. */
#ifndef ZM_REFERENCE_H
#define ZM_REFERENCE_H

#include "zermelo/adjoint.h"

typedef struct zm_reference_opts {
    size_t size;
    double tol;             /**< stop when no T changes by more in one iteration; paper: 1e-6 */
    int32_t max_iterations; /**< >= 1 */
    /** Algorithm 1 only: 1 rejects two-point updates that are earlier than one of their
     *  donors and falls back on one-point updates, as the paper prints it; the fixed point
     *  is then not unique.  0: only the geometric test, which makes it the minimum that
     *  zm_forward computes. */
    int32_t causality_rejection;
    /** Algorithm 1 only: 1 takes the closed form of zm_forward instead of the paper's
     *  quadratic; the same values to rounding. */
    int32_t closed_form;
} zm_reference_opts;
#define ZM_REFERENCE_OPTS_INIT { sizeof(zm_reference_opts), 1e-6, 100000, 0, 0 }

/**
 * Algorithm 1 of the paper: Gauss-Seidel over all nodes and all eight triangles in four
 * alternating orders until no value changes by more than tol.
 *
 * @param T      out  rows*cols doubles
 * @param report out  or NULL; iterations counts rounds of four sweeps
 * @return ZM_OK, ZM_NOT_CONVERGED, ZM_E_ARG (also for a float32 metric), ZM_E_SOURCE, ZM_E_METRIC
 */
zm_status zm_reference_sweep(zm_grid grid, const zm_problem *problem, double *T,
                             const zm_reference_opts *opts, zm_report *report,
                             zm_error *err);

/** Jacobi iteration: every node from the values of the iteration before.  Allocates a
 *  second field for the call.  Otherwise as zm_reference_sweep. */
zm_status zm_reference_jacobi(zm_grid grid, const zm_problem *problem, double *T,
                              const zm_reference_opts *opts, zm_report *report,
                              zm_error *err);

/**
 * Algorithm 2 of the paper: searches the active stencil of every node with the paper's
 * update (without causality rejection), sorts nodes by decreasing T and substitutes back
 * once.  Wrong where a donor is later than its node
 * (docs/theory.md, section 5); kept to show that, and to be timed.
 * Allocates its order for the call.
 */
zm_status zm_reference_adjoint(zm_grid grid, const zm_problem *problem, const double *T,
                               const double *dL_dT, const zm_gradient *out,
                               zm_error *err);

#endif
