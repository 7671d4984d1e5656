/* SPDX-License-Identifier: Apache-2.0
 * Intervals of fitted parameters from leaving out one group of data at a time. */
#include "fire/fit/jackknife.h"

#include <math.h>
#include <string.h>

#include "fire/fit/small_matrix.h"

void zm_jackknife_begin(zm_jackknife *k, size_t n, const double *prior, double noise)
{
    memset(k, 0, sizeof *k);
    k->n = n;
    k->noise = noise;
    for (size_t i = 0; i < n; i++)
        k->A[i * n + i] = k->prior[i] = prior[i];
}

void zm_jackknife_sum(zm_jackknife *k, const double *A)
{
    for (size_t i = 0; i < k->n * k->n; i++)
        k->A[i] += A[i];
}

void zm_jackknife_leave(zm_jackknife *k, const double *g, const double *A)
{
    const size_t n = k->n;
    double L[ZM_MOST_CALIBRATED * ZM_MOST_CALIBRATED], d[ZM_MOST_CALIBRATED];

    for (size_t i = 0; i < n * n; i++)
        L[i] = k->A[i] - A[i];
    for (size_t i = 0; i < n; i++) {
        L[i * n + i] = fmax(L[i * n + i], k->prior[i]); /* but for rounding */
        d[i] = g[i];
    }
    k->groups++;
    if (!zm_cholesky(L, n))
        return; /* by rounding: the prior alone makes it positive */
    zm_cholesky_solve(L, n, d);
    for (size_t i = 0; i < n; i++) {
        const double spread2 = k->noise * k->noise / k->prior[i], a = A[i * n + i];

        k->squares[i] += fmin(d[i] * d[i], spread2);
        k->known[i] += a;
        k->known2[i] += a * a;
    }
}

/* Variance from the prior, P noise^2 within (A^-1 . A^-1). */
static double prior_variance(const zm_jackknife *k, size_t unknown)
{
    const size_t n = k->n;
    double L[ZM_MOST_CALIBRATED * ZM_MOST_CALIBRATED], a[ZM_MOST_CALIBRATED] = { 0 };
    double sum = 0;

    memcpy(L, k->A, n * n * sizeof *L);
    a[unknown] = 1;
    if (!zm_cholesky(L, n))
        return HUGE_VAL;
    zm_cholesky_solve(L, n, a);
    for (size_t i = 0; i < n; i++)
        sum += a[i] * a[i] * k->prior[i] * k->noise * k->noise;
    return sum;
}

double zm_jackknife_deviation(const zm_jackknife *k, size_t unknown)
{
    const double G = (double)k->groups, share = G > 1 ? (G - 1) / G : 1;
    const double spread2 = k->noise * k->noise / k->prior[unknown];

    return sqrt(
        fmin(share * k->squares[unknown] + prior_variance(k, unknown), spread2));
}

double zm_jackknife_support(const zm_jackknife *k, size_t unknown)
{
    return k->known2[unknown] > 0
               ? k->known[unknown] * k->known[unknown] / k->known2[unknown]
               : 0;
}
