/* SPDX-License-Identifier: Apache-2.0
 * Four cells at a time; the same as lanes_scalar.h.  Operators of C act on vectors too. */
#ifndef ZM_PROBLEM_LANES_AVX2_H
#define ZM_PROBLEM_LANES_AVX2_H

#include <immintrin.h>

enum { LANES = 4 };
typedef __m256d lane;

static inline lane lane_all(double x)
{
    return _mm256_set1_pd(x);
}

static inline lane lane_load(const double *p)
{
    return _mm256_loadu_pd(p);
}

static inline void lane_store(double *p, lane x)
{
    _mm256_storeu_pd(p, x);
}

static inline lane lane_sqrt(lane x)
{
    return _mm256_sqrt_pd(x);
}

static inline lane lane_abs(lane x)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

static inline lane lane_fma(lane a, lane b, lane c)
{
    return _mm256_fmadd_pd(a, b, c);
}

static inline lane lane_if_greater(lane a, lane b, lane x, lane y)
{
    return _mm256_blendv_pd(y, x, _mm256_cmp_pd(a, b, _CMP_GT_OQ));
}

static inline lane lane_two_to(lane shifted)
{
    const __m256i bits = _mm256_castpd_si256(shifted);

    return _mm256_castsi256_pd(
        _mm256_slli_epi64(_mm256_add_epi64(bits, _mm256_set1_epi64x(1023)), 52));
}

#endif
