/* SPDX-License-Identifier: Apache-2.0
 * The 8 floats in which AVX2 kernels compute thresholds and bounds. */
#ifndef ZM_KERNELS_VEC_WIDE_AVX2_H
#define ZM_KERNELS_VEC_WIDE_AVX2_H

static inline wide wset(float x) { return _mm256_set1_ps(x); }
static inline wide wadd(wide a, wide b) { return _mm256_add_ps(a, b); }
static inline wide wsub(wide a, wide b) { return _mm256_sub_ps(a, b); }
static inline wide wmul(wide a, wide b) { return _mm256_mul_ps(a, b); }
static inline wide wmin(wide a, wide b) { return _mm256_min_ps(a, b); }
static inline wide wmax(wide a, wide b) { return _mm256_max_ps(a, b); }
static inline wide wsqrt(wide a) { return _mm256_sqrt_ps(a); }
static inline wide wrsqrt_rough(wide a) { return _mm256_rsqrt_ps(a); }
static inline wide wrsqrt(wide a) { return _mm256_div_ps(_mm256_set1_ps(1.0f), wsqrt(a)); }
static inline wide wabs(wide a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
static inline wide wfms(wide a, wide b, wide c) { return _mm256_fmsub_ps(a, b, c); }
static inline wide wfnma(wide a, wide b, wide c) { return _mm256_fnmadd_ps(a, b, c); }
static inline void wst(float *p, wide a) { _mm256_storeu_ps(p, a); }

/** bad, with the lanes added where a > least does not hold (a NaN included). */
static inline wide wbad_unless_above(wide bad, wide a, wide least)
{
    return _mm256_or_ps(bad, _mm256_cmp_ps(a, least, _CMP_NGT_UQ));
}
static inline bool wbad_any(wide bad) { return _mm256_movemask_ps(bad) != 0; }

static inline uint32_t wge_bits(wide a, wide b)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GE_OQ));
}
static inline wide wsel_bits(uint32_t bits, wide yes, wide no)
{
    const __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i set = _mm256_and_si256(_mm256_set1_epi32((int)bits), each);

    return _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, each)));
}
static inline float wleast(wide a)
{
    __m128 m = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));

    m = _mm_min_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_min_ss(m, _mm_shuffle_ps(m, m, 1)));
}
static inline float wmost(wide a) { return -wleast(wsub(_mm256_setzero_ps(), a)); }

#endif
