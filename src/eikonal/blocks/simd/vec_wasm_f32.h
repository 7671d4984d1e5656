/* SPDX-License-Identifier: Apache-2.0
 * Vectors of 4 floats for WebAssembly.  The operations are listed in vec_scalar.h. */
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
#define ISA wasm_f32
typedef float real;
typedef v128_t vec, vmsk, wide;
enum { VL = 4, HALVES = 1, WL = VL * HALVES };

#define V(operation) wasm_f32x4_##operation
#include "vec_wasm.h"

static inline unsigned vbits(vmsk m) { return (unsigned)wasm_i32x4_bitmask(m); }
static inline vmsk vmsk_of_bits(unsigned bits) { return four_of_bits(bits); }
static inline vec vld_float(const float *p) { return vld(p); }
static inline vec vld_double(const double *p)
{
    const v128_t low = wasm_f32x4_demote_f64x2_zero(wasm_v128_load(p));
    const v128_t high = wasm_f32x4_demote_f64x2_zero(wasm_v128_load(p + 2));

    return wasm_i32x4_shuffle(low, high, 0, 1, 4, 5);
}
static inline vmsk vmsk_of_code(const uint8_t *code, int bit)
{
    const v128_t words = wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(
        wasm_v128_load32_zero(code)));
    const v128_t lane = wasm_i32x4_splat(1 << bit);

    return wasm_i32x4_eq(wasm_v128_and(words, lane), lane);
}
static inline void vst_code(uint8_t *code, vec small)
{
    const v128_t words = wasm_i32x4_trunc_sat_f32x4(small);
    const v128_t halves = wasm_u16x8_narrow_i32x4(words, words);
    const int32_t four = wasm_i32x4_extract_lane(wasm_u8x16_narrow_i16x8(halves, halves), 0);

    memcpy(code, &four, sizeof four);
}
static inline void vtranspose(const real *s, size_t s_stride, real *d, size_t d_stride)
{
    const vec r0 = vld(s), r1 = vld(s + s_stride);
    const vec r2 = vld(s + 2 * s_stride), r3 = vld(s + 3 * s_stride);
    const vec t0 = wasm_i32x4_shuffle(r0, r1, 0, 4, 1, 5);
    const vec t1 = wasm_i32x4_shuffle(r0, r1, 2, 6, 3, 7);
    const vec t2 = wasm_i32x4_shuffle(r2, r3, 0, 4, 1, 5);
    const vec t3 = wasm_i32x4_shuffle(r2, r3, 2, 6, 3, 7);

    vst(d, wasm_i64x2_shuffle(t0, t2, 0, 2));
    vst(d + d_stride, wasm_i64x2_shuffle(t0, t2, 1, 3));
    vst(d + 2 * d_stride, wasm_i64x2_shuffle(t1, t3, 0, 2));
    vst(d + 3 * d_stride, wasm_i64x2_shuffle(t1, t3, 1, 3));
}
static inline wide wnarrow(const vec *a) { return a[0]; }
static inline void wst_half(float *p, wide a, int half)
{
    (void)half;
    vst(p, a);
}

#endif
