/* SPDX-License-Identifier: Apache-2.0
 * Vectors of 16 floats for AVX-512.  The operations are listed in vec_scalar.h. */
#ifndef ZM_KERNELS_VEC_H
#define ZM_KERNELS_VEC_H

#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ZM_ISA_NAME "avx512"
#define ISA avx512_f32
typedef float real;
typedef __m512 vec;
typedef __mmask16 vmsk;
typedef __m512 wide;
enum { VL = 16, HALVES = 1, WL = VL * HALVES };

#define V(operation) _mm512_##operation##_ps
#include "vec_intel.h"

/* From aligned vectors: a load that straddles two vectors just stored must wait for both to
 * reach the cache. */
static inline vec vld_before(const real *p, vec at_p)
{
    return _mm512_castsi512_ps(_mm512_alignr_epi32(
        _mm512_castps_si512(at_p), _mm512_castps_si512(vld(p - VL)), 15));
}
static inline vec vld_after(const real *p, vec at_p)
{
    return _mm512_castsi512_ps(_mm512_alignr_epi32(
        _mm512_castps_si512(vld(p + VL)), _mm512_castps_si512(at_p), 1));
}

static inline vmsk vlt(vec a, vec b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline vmsk vle(vec a, vec b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
static inline vec vsel(vmsk m, vec yes, vec no) { return _mm512_mask_blend_ps(m, no, yes); }
#include "vec_mask_avx512.h"

static inline vec vld_float(const float *p) { return vld(p); }
static inline vec vld_double(const double *p)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(_mm512_loadu_pd(p))),
                              _mm512_cvtpd_ps(_mm512_loadu_pd(p + 8)), 1);
}

static inline vmsk vmsk_of_code(const uint8_t *code, int bit)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)code);

    return (vmsk)_mm_test_epi8_mask(bytes, _mm_set1_epi8((char)(1 << bit)));
}

static inline void vst_code(uint8_t *code, vec small)
{
    _mm_storeu_si128((__m128i *)(void *)code, _mm512_cvtepi32_epi8(_mm512_cvttps_epi32(small)));
}

#include "vec_transpose8_f32.h"
static inline void vtranspose(const real *s, size_t s_stride, real *d, size_t d_stride)
{
    for (size_t r = 0; r < VL; r += 8)
        for (size_t c = 0; c < VL; c += 8)
            transpose8_f32(s + r * s_stride + c, s_stride, d + c * d_stride + r, d_stride);
}
static inline wide wnarrow(const vec *a) { return a[0]; }
static inline void wst_half(float *p, wide a, int half)
{
    (void)half;
    vst(p, a);
}
#include "vec_wide_avx512.h"

#endif
