/* SPDX-License-Identifier: Apache-2.0
 * Vectors of 8 doubles for AVX-512.  The operations are listed in vec_scalar.h. */
#ifndef ZM_KERNELS_VEC_H
#define ZM_KERNELS_VEC_H

#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ZM_ISA_NAME "avx512"
#define ISA avx512_f64
typedef double real;
typedef __m512d vec;
typedef __mmask8 vmsk;
typedef __m512 wide;
enum { VL = 8, HALVES = 2, WL = VL * HALVES };

#define V(operation) _mm512_##operation##_pd
#include "vec_intel.h"

/* From aligned vectors: a load that straddles two vectors just stored must wait for both to
 * reach the cache. */
static inline vec vld_before(const real *p, vec at_p)
{
    return _mm512_castsi512_pd(_mm512_alignr_epi64(
        _mm512_castpd_si512(at_p), _mm512_castpd_si512(vld(p - VL)), 7));
}
static inline vec vld_after(const real *p, vec at_p)
{
    return _mm512_castsi512_pd(_mm512_alignr_epi64(
        _mm512_castpd_si512(vld(p + VL)), _mm512_castpd_si512(at_p), 1));
}

static inline vec vrsqrt_rough(vec a) /* 7e-9 relative */
{
    const vec r = _mm512_rsqrt14_pd(a), half = vmul(a, vset(0.5));

    return vmul(r, vfnma(vmul(half, r), r, vset(1.5)));
}

static inline vmsk vlt(vec a, vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
static inline vmsk vle(vec a, vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
static inline vec vsel(vmsk m, vec yes, vec no) { return _mm512_mask_blend_pd(m, no, yes); }
#include "vec_mask_avx512.h"

static inline vec vld_float(const float *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
static inline vec vld_double(const double *p) { return vld(p); }

static inline vmsk vmsk_of_code(const uint8_t *code, int bit)
{
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)code);

    return (vmsk)_mm_test_epi8_mask(bytes, _mm_set1_epi8((char)(1 << bit)));
}

static inline void vst_code(uint8_t *code, vec small)
{
    const __m128i bytes = _mm512_cvtepi64_epi8(_mm512_cvttpd_epi64(small));

    _mm_storel_epi64((__m128i *)(void *)code, bytes);
}

static inline void vtranspose(const real *s, size_t s_stride, real *d, size_t d_stride)
{
    vec a[8], b[8];

    for (int i = 0; i < 8; i += 2) { /* pairs of rows */
        const vec r0 = vld(s + (size_t)i * s_stride), r1 = vld(s + (size_t)(i + 1) * s_stride);

        a[i] = _mm512_unpacklo_pd(r0, r1);
        a[i + 1] = _mm512_unpackhi_pd(r0, r1);
    }
    for (int i = 0; i < 8; i += 4) /* fours */
        for (int k = 0; k < 2; k++) {
            b[i + k] = _mm512_shuffle_f64x2(a[i + k], a[i + k + 2], 0x88);
            b[i + k + 2] = _mm512_shuffle_f64x2(a[i + k], a[i + k + 2], 0xDD);
        }
    for (int k = 0; k < 4; k++) { /* eights: b[k] holds columns k and k + 4 */
        vst(d + (size_t)k * d_stride, _mm512_shuffle_f64x2(b[k], b[k + 4], 0x88));
        vst(d + (size_t)(k + 4) * d_stride, _mm512_shuffle_f64x2(b[k], b[k + 4], 0xDD));
    }
}

static inline wide wnarrow(const vec *a)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a[0])),
                              _mm512_cvtpd_ps(a[1]), 1);
}
static inline void wst_half(float *p, wide a, int half)
{
    _mm256_storeu_ps(p, half ? _mm512_extractf32x8_ps(a, 1) : _mm512_castps512_ps256(a));
}
#include "vec_wide_avx512.h"

#endif
