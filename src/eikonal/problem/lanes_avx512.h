/* SPDX-License-Identifier: Apache-2.0
 * Eight cells at a time; the same as lanes_scalar.h.  Operators of C act on vectors too. */
#ifndef ZM_PROBLEM_LANES_AVX512_H
#define ZM_PROBLEM_LANES_AVX512_H

#include <immintrin.h>

enum { LANES = 8 };
typedef __m512d lane;

static inline lane lane_all(double x)
{
    return _mm512_set1_pd(x);
}

static inline lane lane_load(const double *p)
{
    return _mm512_loadu_pd(p);
}

static inline void lane_store(double *p, lane x)
{
    _mm512_storeu_pd(p, x);
}

static inline lane lane_sqrt(lane x)
{
    return _mm512_sqrt_pd(x);
}

static inline lane lane_abs(lane x)
{
    return _mm512_abs_pd(x);
}

static inline lane lane_fma(lane a, lane b, lane c)
{
    return _mm512_fmadd_pd(a, b, c);
}

static inline lane lane_if_greater(lane a, lane b, lane x, lane y)
{
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_GT_OQ), y, x);
}

static inline lane lane_two_to(lane shifted)
{
    const __m512i bits = _mm512_castpd_si512(shifted);

    return _mm512_castsi512_pd(
        _mm512_slli_epi64(_mm512_add_epi64(bits, _mm512_set1_epi64(1023)), 52));
}

#endif
