/* SPDX-License-Identifier: Apache-2.0
 * The operator of a lagged regulariser,  A = diag(diagonal) + shift + D' W D,  as a
 * five-point stencil: with edge weights e_ij >= 0
 *
 *     (A x)_i = (diagonal_i + shift) x_i + sum_j e_ij (x_i - x_j). */
#ifndef ZM_REG_LAPLACIAN_H
#define ZM_REG_LAPLACIAN_H

#include "zermelo/problem.h"

/** Borrowed arrays of rows*cols values.  Cells that are walls have no equation: A x
 *  is 0 there, whatever x is (but x must be finite). */
typedef struct zm_laplacian {
    zm_grid grid;
    const double *right, *below; /* weight of the edge to the next column, next row */
    const double *diagonal;      /* >= 0; NULL: 0 */
    double shift;                /* >= 0 */
    const uint8_t *walls;        /* NULL: none */
} zm_laplacian;

/**
 * Edge weights of scale * D' W D: right_i = scale w_i / dx^2, below_i = scale w_i / dy^2;
 * 0 where there is no difference.  Neither output may overlap w.
 *
 * @param w in  weights of the cells, as of zm_reg_lagged; NULL: all 1
 */
void zm_laplacian_edges(zm_grid grid, const uint8_t *walls, const double *w,
                        double scale, double *right, double *below);

/** y = A x; not overlapping. */
void zm_laplacian_apply(const zm_laplacian *op, const double *x, double *y);

#endif
