/* SPDX-License-Identifier: Apache-2.0
 * Vectors of one number: the reference instance, always built.  ZM_SCALAR_F32 selects
 * float.  This list is what a vec_<isa>_<type>.h must provide:
 *
 *   vld vst            load and store VL reals, no alignment asked
 *   vld_before         the VL reals from p - 1, given those at p; p - VL may be read
 *   vld_after          the VL reals from p + 1, given those at p; up to p + 2 VL may be read
 *   vset vadd .. vneg  lane by lane; vmin(a, b) = a < b ? a : b and vmax(a, b) = a > b ? a : b
 *                      (so a NaN in either operand gives b); vfma(a,b,c) = a b + c,
 *                      vfms = a b - c, vfnma = c - a b, each rounded once
 *   vrsqrt_rough       1/sqrt to 3e-7 relative (double only)
 *   vlt vle vsel       masks; vsel(m, yes, no); vmsk_and, vmsk_or, vmsk_not
 *   vany vany_both     any lane set (in both masks)
 *   vbits vmsk_of_bits mask <-> one bit a lane
 *   vld_float          VL floats to a vec;  vld_double  VL doubles to a vec
 *   vmsk_of_code       bit `bit` of VL bytes;  vst_code  VL small whole numbers to bytes
 *   vtranspose         VL x VL block of reals
 *   wrsqrt             1/sqrt to 2e-7 relative; wrsqrt_rough to 5e-4
 *   wge_bits wsel_bits a >= b as one bit a lane; lanes by such bits
 *   wide, w*           WL = VL*HALVES floats for thresholds and bounds; wnarrow joins
 *                      HALVES vecs, wst_half stores the VL floats of one of them, wleast
 *                      and wmost go over the lanes */
#ifndef ZM_KERNELS_VEC_H
#define ZM_KERNELS_VEC_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ZM_ISA_NAME "scalar"
#if defined(ZM_SCALAR_F32)
#define ISA scalar_f32
typedef float real;
#define REAL_SQRT sqrtf
#define REAL_FMA fmaf
#else
#define ISA scalar_f64
typedef double real;
#define REAL_SQRT sqrt
#define REAL_FMA fma
#endif
typedef real vec;
typedef bool vmsk;
typedef float wide;
enum { VL = 1, HALVES = 1, WL = 1 };

static inline vec vld(const real *p) { return *p; }
static inline vec vld_before(const real *p, vec at_p)
{
    (void)at_p;
    return p[-1];
}
static inline vec vld_after(const real *p, vec at_p)
{
    (void)at_p;
    return p[1];
}
static inline void vst(real *p, vec a) { *p = a; }
static inline vec vset(double x) { return (real)x; }
static inline vec vadd(vec a, vec b) { return a + b; }
static inline vec vsub(vec a, vec b) { return a - b; }
static inline vec vmul(vec a, vec b) { return a * b; }
static inline vec vdiv(vec a, vec b) { return a / b; }
static inline vec vmin(vec a, vec b) { return a < b ? a : b; }
static inline vec vmax(vec a, vec b) { return a > b ? a : b; }
static inline vec vsqrt(vec a) { return REAL_SQRT(a); }
static inline vec vfma(vec a, vec b, vec c) { return REAL_FMA(a, b, c); }
static inline vec vfms(vec a, vec b, vec c) { return REAL_FMA(a, b, -c); }
static inline vec vfnma(vec a, vec b, vec c) { return REAL_FMA(-a, b, c); }
static inline vec vneg(vec a) { return -a; }

static inline vec vrsqrt_rough(vec a) { return 1 / REAL_SQRT(a); }

static inline vmsk vlt(vec a, vec b) { return a < b; }
static inline vmsk vle(vec a, vec b) { return a <= b; }
static inline vmsk vmsk_and(vmsk a, vmsk b) { return a && b; }
static inline vmsk vmsk_or(vmsk a, vmsk b) { return a || b; }
static inline vmsk vmsk_not(vmsk a) { return !a; }
static inline vec vsel(vmsk m, vec yes, vec no) { return m ? yes : no; }
static inline vmsk vsel_msk(vmsk m, vmsk yes, vmsk no) { return m ? yes : no; }
static inline bool vany(vmsk m) { return m; }
static inline bool vany_both(vmsk a, vmsk b) { return a && b; }
static inline unsigned vbits(vmsk m) { return m; }
static inline vmsk vmsk_of_bits(unsigned bits) { return bits & 1u; }
static inline vec vld_float(const float *p) { return *p; }
static inline vec vld_double(const double *p) { return (real)*p; }
static inline vmsk vmsk_of_code(const uint8_t *code, int bit) { return *code >> bit & 1; }
static inline void vst_code(uint8_t *code, vec small) { *code = (uint8_t)small; }
static inline void vtranspose(const real *s, size_t s_stride, real *d, size_t d_stride)
{
    (void)s_stride;
    (void)d_stride;
    *d = *s;
}
static inline wide wset(float x) { return x; }
static inline wide wadd(wide a, wide b) { return a + b; }
static inline wide wsub(wide a, wide b) { return a - b; }
static inline wide wmul(wide a, wide b) { return a * b; }
static inline wide wmin(wide a, wide b) { return a < b ? a : b; }
static inline wide wmax(wide a, wide b) { return a > b ? a : b; }
static inline wide wrsqrt_rough(wide a) { return 1.0f / sqrtf(a); }
static inline wide wrsqrt(wide a) { return 1.0f / sqrtf(a); }
static inline wide wabs(wide a) { return fabsf(a); }
static inline wide wfms(wide a, wide b, wide c) { return fmaf(a, b, -c); }
static inline wide wfnma(wide a, wide b, wide c) { return fmaf(-a, b, c); }
static inline void wst(float *p, wide a) { *p = a; }
static inline uint32_t wge_bits(wide a, wide b) { return a >= b; }
static inline wide wsel_bits(uint32_t bits, wide yes, wide no) { return bits & 1u ? yes : no; }
static inline float wleast(wide a) { return a; }
static inline float wmost(wide a) { return a; }
static inline wide wbad_unless_above(wide bad, wide a, wide least)
{
    return a > least ? bad : 1.0f;
}
static inline bool wbad_any(wide bad) { return bad != 0; }
static inline wide wnarrow(const vec *a) { return (float)a[0]; }
static inline void wst_half(float *p, wide a, int half)
{
    (void)half;
    *p = a;
}

#endif
