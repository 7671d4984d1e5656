/* SPDX-License-Identifier: Apache-2.0
 * Vectors of 2 doubles for WebAssembly.  The operations are listed in vec_scalar.h. */
#ifndef ZM_KERNELS_VEC_H
#define ZM_KERNELS_VEC_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wasm_simd128.h>

#define ZM_ISA_NAME "wasm"
#define ISA wasm_f64
typedef double real;
typedef v128_t vec, vmsk, wide;
enum { VL = 2, HALVES = 2, WL = VL * HALVES };

#define V(operation) wasm_f64x2_##operation
#include "vec_wasm.h"

static inline vec vrsqrt_rough(vec a) /* 3e-7 relative, in the range of float */
{
    return wasm_f64x2_promote_low_f32x4(wrsqrt(wasm_f32x4_demote_f64x2_zero(a)));
}
static inline unsigned vbits(vmsk m) { return (unsigned)wasm_i64x2_bitmask(m); }
static inline vmsk vmsk_of_bits(unsigned bits)
{
    const v128_t lane = wasm_i64x2_const(1, 2);

    return wasm_i64x2_eq(wasm_v128_and(wasm_i64x2_splat((int64_t)bits), lane), lane);
}
static inline vec vld_float(const float *p)
{
    return wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(p));
}
static inline vec vld_double(const double *p) { return vld(p); }
static inline vmsk vmsk_of_code(const uint8_t *code, int bit)
{
    return wasm_i64x2_make(-(int64_t)(code[0] >> bit & 1), -(int64_t)(code[1] >> bit & 1));
}
static inline void vst_code(uint8_t *code, vec small)
{
    const v128_t words = wasm_i32x4_trunc_sat_f64x2_zero(small);

    code[0] = (uint8_t)wasm_i32x4_extract_lane(words, 0);
    code[1] = (uint8_t)wasm_i32x4_extract_lane(words, 1);
}
static inline void vtranspose(const real *s, size_t s_stride, real *d, size_t d_stride)
{
    const vec r0 = vld(s), r1 = vld(s + s_stride);

    vst(d, wasm_i64x2_shuffle(r0, r1, 0, 2));
    vst(d + d_stride, wasm_i64x2_shuffle(r0, r1, 1, 3));
}
static inline wide wnarrow(const vec *a)
{
    return wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(a[0]),
                              wasm_f32x4_demote_f64x2_zero(a[1]), 0, 2);
}
static inline void wst_half(float *p, wide a, int half)
{
    if (half)
        wasm_v128_store64_lane(p, a, 1);
    else
        wasm_v128_store64_lane(p, a, 0);
}

#endif
