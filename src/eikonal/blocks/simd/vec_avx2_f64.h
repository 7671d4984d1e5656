/* SPDX-License-Identifier: Apache-2.0
 * Vectors of 4 doubles for AVX2 + FMA.  The operations are listed in vec_scalar.h. */
#ifndef ZM_KERNELS_VEC_H
#define ZM_KERNELS_VEC_H

#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ZM_ISA_NAME "avx2"
#define ISA avx2_f64
typedef double real;
typedef __m256d vec;
typedef __m256d vmsk; /* the sign bit of a lane counts */
typedef __m256 wide;
enum { VL = 4, HALVES = 2, WL = VL * HALVES };

#define V(operation) _mm256_##operation##_pd
#include "vec_avx2.h"

static inline vec vrsqrt_rough(vec a) /* 3e-7 relative, in the range of float */
{
    const __m128 x = _mm256_cvtpd_ps(a), r = _mm_rsqrt_ps(x);
    const __m128 half = _mm_mul_ps(x, _mm_set1_ps(0.5f));

    return _mm256_cvtps_pd(
        _mm_mul_ps(r, _mm_fnmadd_ps(_mm_mul_ps(half, r), r, _mm_set1_ps(1.5f))));
}

static inline vmsk vmsk_of_bits(unsigned bits)
{
    const __m256i lane = _mm256_setr_epi64x(1, 2, 4, 8);

    return _mm256_castsi256_pd(
        _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x((int64_t)bits), lane), lane));
}

static inline vec vld_float(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
static inline vec vld_double(const double *p) { return vld(p); }

static inline vmsk vmsk_of_code(const uint8_t *code, int bit)
{
    int32_t four;

    memcpy(&four, code, sizeof four);
    return _mm256_castsi256_pd(
        _mm256_slli_epi64(_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four)), 63 - bit));
}

static inline void vst_code(uint8_t *code, vec small)
{
    const __m128i words = _mm256_cvttpd_epi32(small);
    const __m128i bytes = _mm_packus_epi16(_mm_packus_epi32(words, words), words);
    const int32_t four = _mm_cvtsi128_si32(bytes);

    memcpy(code, &four, sizeof four);
}

static inline void vtranspose(const real *s, size_t s_stride, real *d, size_t d_stride)
{
    const vec r0 = vld(s), r1 = vld(s + s_stride);
    const vec r2 = vld(s + 2 * s_stride), r3 = vld(s + 3 * s_stride);
    const vec t0 = _mm256_unpacklo_pd(r0, r1), t1 = _mm256_unpackhi_pd(r0, r1);
    const vec t2 = _mm256_unpacklo_pd(r2, r3), t3 = _mm256_unpackhi_pd(r2, r3);

    vst(d, _mm256_permute2f128_pd(t0, t2, 0x20));
    vst(d + d_stride, _mm256_permute2f128_pd(t1, t3, 0x20));
    vst(d + 2 * d_stride, _mm256_permute2f128_pd(t0, t2, 0x31));
    vst(d + 3 * d_stride, _mm256_permute2f128_pd(t1, t3, 0x31));
}

static inline wide wnarrow(const vec *a)
{
    return _mm256_set_m128(_mm256_cvtpd_ps(a[1]), _mm256_cvtpd_ps(a[0]));
}
static inline void wst_half(float *p, wide a, int half)
{
    _mm_storeu_ps(p, half ? _mm256_extractf128_ps(a, 1) : _mm256_castps256_ps128(a));
}
#include "vec_wide_avx2.h"

#endif
