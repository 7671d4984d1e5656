/* SPDX-License-Identifier: Apache-2.0
 * Vectors of 8 floats for AVX2 + FMA.  The operations are listed in vec_scalar.h. */
#ifndef ZM_KERNELS_VEC_H
#define ZM_KERNELS_VEC_H

#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ZM_ISA_NAME "avx2"
#define ISA avx2_f32
typedef float real;
typedef __m256 vec;
typedef __m256 vmsk; /* the sign bit of a lane counts */
typedef __m256 wide;
enum { VL = 8, HALVES = 1, WL = VL * HALVES };

static inline vec vld(const real *p) { return _mm256_loadu_ps(p); }
static inline vec vld_before(const real *p, vec at_p)
{
    (void)at_p;
    return vld(p - 1);
}
static inline vec vld_after(const real *p, vec at_p)
{
    (void)at_p;
    return vld(p + 1);
}
static inline void vst(real *p, vec a) { _mm256_storeu_ps(p, a); }
static inline vec vset(double x) { return _mm256_set1_ps((float)x); }
static inline vec vadd(vec a, vec b) { return _mm256_add_ps(a, b); }
static inline vec vsub(vec a, vec b) { return _mm256_sub_ps(a, b); }
static inline vec vmul(vec a, vec b) { return _mm256_mul_ps(a, b); }
static inline vec vdiv(vec a, vec b) { return _mm256_div_ps(a, b); }
static inline vec vmin(vec a, vec b) { return _mm256_min_ps(a, b); }
static inline vec vmax(vec a, vec b) { return _mm256_max_ps(a, b); }
static inline vec vsqrt(vec a) { return _mm256_sqrt_ps(a); }
static inline vec vfma(vec a, vec b, vec c) { return _mm256_fmadd_ps(a, b, c); }
static inline vec vfms(vec a, vec b, vec c) { return _mm256_fmsub_ps(a, b, c); }
static inline vec vfnma(vec a, vec b, vec c) { return _mm256_fnmadd_ps(a, b, c); }
static inline vec vneg(vec a) { return _mm256_xor_ps(_mm256_set1_ps(-0.0f), a); }

static inline vmsk vlt(vec a, vec b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
static inline vmsk vle(vec a, vec b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
static inline vmsk vmsk_and(vmsk a, vmsk b) { return _mm256_and_ps(a, b); }
static inline vec vsel(vmsk m, vec yes, vec no) { return _mm256_blendv_ps(no, yes, m); }
static inline vmsk vsel_msk(vmsk m, vmsk yes, vmsk no) { return _mm256_blendv_ps(no, yes, m); }
static inline bool vany(vmsk m) { return !_mm256_testz_ps(m, m); }
static inline bool vany_both(vmsk a, vmsk b) { return !_mm256_testz_ps(a, b); }
static inline unsigned vbits(vmsk m) { return (unsigned)_mm256_movemask_ps(m); }
static inline vmsk vmsk_of_bits(unsigned bits)
{
    const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);

    return _mm256_castsi256_ps(
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int32_t)bits), lane), lane));
}

static inline vec vld_float(const float *p) { return vld(p); }
static inline vec vld_double(const double *p)
{
    return _mm256_set_m128(_mm256_cvtpd_ps(_mm256_loadu_pd(p + 4)),
                           _mm256_cvtpd_ps(_mm256_loadu_pd(p)));
}

static inline vmsk vmsk_of_code(const uint8_t *code, int bit)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(
        _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)code)), 31 - bit));
}

static inline void vst_code(uint8_t *code, vec small)
{
    const __m256i words = _mm256_cvttps_epi32(small);
    const __m128i halves = _mm_packus_epi32(_mm256_castsi256_si128(words),
                                            _mm256_extracti128_si256(words, 1));

    _mm_storel_epi64((__m128i *)(void *)code, _mm_packus_epi16(halves, halves));
}

#include "vec_transpose8_f32.h"
static inline void vtranspose(const real *s, size_t s_stride, real *d, size_t d_stride)
{
    transpose8_f32(s, s_stride, d, d_stride);
}

static inline wide wnarrow(const vec *a) { return a[0]; }
static inline void wst_half(float *p, wide a, int half)
{
    (void)half;
    vst(p, a);
}
#include "vec_wide_avx2.h"

#endif
