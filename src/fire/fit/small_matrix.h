/* SPDX-License-Identifier: Apache-2.0
 * Symmetric positive definite systems of a few dozen unknowns. */
#ifndef ZM_PHYSICS_SMALL_MATRIX_H
#define ZM_PHYSICS_SMALL_MATRIX_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/** Replaces the lower triangle of the row-major A (n x n) by its Cholesky factor; false where
 *  A is not positive definite. */
static inline bool zm_cholesky(double *A, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            double sum = A[i * n + j];

            for (size_t k = 0; k < j; k++)
                sum -= A[i * n + k] * A[j * n + k];
            if (i > j)
                A[i * n + j] = sum / A[j * n + j];
            else if (sum > 0)
                A[j * n + j] = sqrt(sum);
            else
                return false;
        }
    }
    return true;
}

/** x = A^-1 x, with the factor of zm_cholesky. */
static inline void zm_cholesky_solve(const double *L, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

#endif
