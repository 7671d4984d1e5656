/* SPDX-License-Identifier: Apache-2.0
 * Small dense linear systems. */
#include "dense.h"

#include <math.h>

static void swap_rows(double *M, size_t columns, size_t i, size_t k)
{
    for (size_t j = 0; j < columns; j++) {
        const double kept = M[i * columns + j];

        M[i * columns + j] = M[k * columns + j];
        M[k * columns + j] = kept;
    }
}

static size_t pivot_row(size_t n, const double *A, size_t k)
{
    size_t best = k;

    for (size_t i = k + 1; i < n; i++)
        if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
            best = i;
    return best;
}

/* Row i of M minus f times row k, from column `from`. */
static void subtract(double *M, size_t columns, size_t from, size_t i, size_t k,
                     double f)
{
    for (size_t j = from; j < columns; j++)
        M[i * columns + j] -= f * M[k * columns + j];
}

bool dense_solve(size_t n, double *A, size_t columns, double *B)
{
    for (size_t k = 0; k < n; k++) {
        const size_t best = pivot_row(n, A, k);

        if (!(fabs(A[best * n + k]) > 0))
            return false;
        swap_rows(A, n, k, best);
        swap_rows(B, columns, k, best);
        for (size_t i = k + 1; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];

            subtract(A, n, k, i, k, f);
            subtract(B, columns, 0, i, k, f);
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t i = k + 1; i < n; i++)
            subtract(B, columns, 0, k, i, A[k * n + i]);
        for (size_t j = 0; j < columns; j++)
            B[k * columns + j] /= A[k * n + k];
    }
    return true;
}
