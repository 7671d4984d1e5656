/* SPDX-License-Identifier: Apache-2.0
 * The 16 floats in which AVX-512 kernels compute thresholds and bounds. */
#ifndef ZM_KERNELS_VEC_WIDE_AVX512_H
#define ZM_KERNELS_VEC_WIDE_AVX512_H

static inline wide wset(float x) { return _mm512_set1_ps(x); }
static inline wide wadd(wide a, wide b) { return _mm512_add_ps(a, b); }
static inline wide wsub(wide a, wide b) { return _mm512_sub_ps(a, b); }
static inline wide wmul(wide a, wide b) { return _mm512_mul_ps(a, b); }
static inline wide wmin(wide a, wide b) { return _mm512_min_ps(a, b); }
static inline wide wmax(wide a, wide b) { return _mm512_max_ps(a, b); }
static inline wide wrsqrt_rough(wide a) { return _mm512_rsqrt14_ps(a); }
/* The estimate and one step of Newton's method: 512-bit square roots and divisions would
 * take half the time of a line. */
static inline wide wrsqrt(wide a)
{
    const wide r = wrsqrt_rough(a), half = _mm512_mul_ps(a, _mm512_set1_ps(0.5f));

    return _mm512_mul_ps(r, _mm512_fnmadd_ps(_mm512_mul_ps(half, r), r, _mm512_set1_ps(1.5f)));
}
static inline wide wabs(wide a) { return _mm512_abs_ps(a); }
static inline wide wfms(wide a, wide b, wide c) { return _mm512_fmsub_ps(a, b, c); }
static inline wide wfnma(wide a, wide b, wide c) { return _mm512_fnmadd_ps(a, b, c); }
static inline void wst(float *p, wide a) { _mm512_storeu_ps(p, a); }

/** bad, with the lanes added where a > least does not hold (a NaN included). */
static inline wide wbad_unless_above(wide bad, wide a, wide least)
{
    return _mm512_mask_mov_ps(bad, _mm512_cmp_ps_mask(a, least, _CMP_NGT_UQ),
                              _mm512_set1_ps(1.0f));
}
static inline bool wbad_any(wide bad)
{
    return _mm512_cmp_ps_mask(bad, _mm512_setzero_ps(), _CMP_NEQ_UQ) != 0;
}

static inline uint32_t wge_bits(wide a, wide b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ);
}
static inline wide wsel_bits(uint32_t bits, wide yes, wide no)
{
    return _mm512_mask_blend_ps((__mmask16)bits, no, yes);
}
static inline float wleast(wide a) { return _mm512_reduce_min_ps(a); }
static inline float wmost(wide a) { return _mm512_reduce_max_ps(a); }

#endif
