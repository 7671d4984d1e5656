/* SPDX-License-Identifier: Apache-2.0
 * Small dense linear systems. */
#ifndef ZM_EXPERIMENTS_DENSE_H
#define ZM_EXPERIMENTS_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/** Solves A X = B by elimination with row pivoting: A is n x n, B is n x columns and becomes
 *  X; A is overwritten.  False where A is singular. */
bool dense_solve(size_t n, double *A, size_t columns, double *B);

#endif
