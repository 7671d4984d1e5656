/* SPDX-License-Identifier: Apache-2.0
 * Sums of products that stay accurate where they cancel: fma gives the rounding error of a
 * product exactly. */
#ifndef ZM_CORE_PRODUCTS_H
#define ZM_CORE_PRODUCTS_H

#include <math.h>
#include <stddef.h>

/** x y - z w to a rounding or two, also where it cancels (Kahan). */
static inline double zm_difference_of_products(double x, double y, double z, double w)
{
    const double zw = z * w;

    return fma(x, y, -zw) - fma(z, w, -zw);
}

/** A number as the sum of two doubles, lo at most a rounding of hi: about 32 digits. */
typedef struct zm_pair {
    double hi, lo;
} zm_pair;

/** x y, exactly. */
static inline zm_pair zm_pair_product(double x, double y)
{
    const double hi = x * y;

    return (zm_pair){ hi, fma(x, y, -hi) };
}

/** a + b (Knuth's two-sum of the heads; the tails are added in double). */
static inline zm_pair zm_pair_sum(zm_pair a, zm_pair b)
{
    const double hi = a.hi + b.hi, part = hi - a.hi;
    const double error = (a.hi - (hi - part)) + (b.hi - part);

    return (zm_pair){ hi, error + (a.lo + b.lo) };
}

/** x a. */
static inline zm_pair zm_pair_scaled(double x, zm_pair a)
{
    const zm_pair p = zm_pair_product(x, a.hi);

    return (zm_pair){ p.hi, p.lo + x * a.lo };
}

/** a.b in four partial sums, always in the same order. */
static inline double zm_products_dot(size_t n, const double *a, const double *b)
{
    double sum[4] = { 0 };
    size_t i = 0;

    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

#endif
