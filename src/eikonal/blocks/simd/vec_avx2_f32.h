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

#define V(operation) _mm256_##operation##_ps
#include "vec_avx2.h"

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
