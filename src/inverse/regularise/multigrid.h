/* SPDX-License-Identifier: Apache-2.0
 * Multigrid for zm_laplacian with strongly varying weights: a preconditioner and a
 * solver.  One thread at a time per handle; nothing is allocated after create. */
#ifndef ZM_REG_MULTIGRID_H
#define ZM_REG_MULTIGRID_H

#include "inverse/regularise/laplacian.h"
#include "zermelo/alloc.h"

typedef struct zm_multigrid zm_multigrid;

/** @param mem in  NULL: malloc and free */
zm_status zm_multigrid_create(zm_multigrid **out, zm_grid grid, const zm_alloc *mem,
                              zm_error *err);
void zm_multigrid_destroy(zm_multigrid *mg);

/**
 * Takes a new operator (copied; op's arrays are not needed afterwards).
 *
 * @return ZM_OK, ZM_E_ARG (another grid; a weight, shift or diagonal that is negative
 *         or not finite: err->cell)
 */
zm_status zm_multigrid_update(zm_multigrid *mg, const zm_laplacian *op, zm_error *err);

/** x = B rhs with B near A^-1, symmetric and positive definite: one V-cycle from 0.
 *  x is 0 in walls; rhs is ignored there.  May be the same array. */
void zm_multigrid_cycle(zm_multigrid *mg, const double *rhs, double *x);

typedef struct zm_multigrid_report {
    int32_t iterations;
    double residual; /* |rhs - A x| / |rhs|, Euclidean */
} zm_multigrid_report;

/**
 * Solves A x = rhs by conjugate gradients preconditioned by cycles.  Where A is
 * singular (no shift, no diagonal in a connected part) rhs must be orthogonal to
 * constants there.
 *
 * @param x         in,out  start; the solution.  Not overlapping rhs
 * @param tolerance in      stop when |rhs - A x| <= tolerance |rhs|
 * @param report    out     NULL: not wanted
 * @return ZM_OK; ZM_NOT_CONVERGED (x usable); ZM_E_ARG (rhs or x not finite)
 */
zm_status zm_multigrid_solve(zm_multigrid *mg, const double *rhs, double *x,
                             double tolerance, int32_t max_iterations,
                             zm_multigrid_report *report, zm_error *err);

#endif
