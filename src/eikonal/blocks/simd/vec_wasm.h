/* SPDX-License-Identifier: Apache-2.0
 * The operations that WebAssembly's SIMD128 spells alike for floats and doubles: with V(op) as
 * wasm_f32x4_##op, V(add) is wasm_f32x4_add.  Every lane of a mask is all ones or all zeros.
 * There is no fused multiplication and addition: a b + c is rounded twice. */
static inline vec vld(const real *p) { return wasm_v128_load(p); }
static inline void vst(real *p, vec a) { wasm_v128_store(p, a); }
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
static inline vec vset(double x) { return V(splat)((real)x); }
static inline vec vadd(vec a, vec b) { return V(add)(a, b); }
static inline vec vsub(vec a, vec b) { return V(sub)(a, b); }
static inline vec vmul(vec a, vec b) { return V(mul)(a, b); }
static inline vec vdiv(vec a, vec b) { return V(div)(a, b); }
static inline vec vmin(vec a, vec b) { return V(pmin)(b, a); } /* pmin(b, a) = a < b ? a : b */
static inline vec vmax(vec a, vec b) { return V(pmax)(b, a); }
static inline vec vsqrt(vec a) { return V(sqrt)(a); }
static inline vec vfma(vec a, vec b, vec c) { return vadd(vmul(a, b), c); }
static inline vec vfms(vec a, vec b, vec c) { return vsub(vmul(a, b), c); }
static inline vec vfnma(vec a, vec b, vec c) { return vsub(c, vmul(a, b)); }
static inline vec vneg(vec a) { return V(neg)(a); }

static inline vmsk vlt(vec a, vec b) { return V(lt)(a, b); }
static inline vmsk vle(vec a, vec b) { return V(le)(a, b); }
static inline vmsk vmsk_and(vmsk a, vmsk b) { return wasm_v128_and(a, b); }
static inline vmsk vmsk_or(vmsk a, vmsk b) { return wasm_v128_or(a, b); }
static inline vmsk vmsk_not(vmsk a) { return wasm_v128_not(a); }
static inline vec vsel(vmsk m, vec yes, vec no) { return wasm_v128_bitselect(yes, no, m); }
static inline vmsk vsel_msk(vmsk m, vmsk yes, vmsk no) { return vsel(m, yes, no); }
static inline bool vany(vmsk m) { return wasm_v128_any_true(m); }
static inline bool vany_both(vmsk a, vmsk b) { return vany(vmsk_and(a, b)); }

/* Four floats for thresholds and bounds. */
static inline wide wset(float x) { return wasm_f32x4_splat(x); }
static inline wide wadd(wide a, wide b) { return wasm_f32x4_add(a, b); }
static inline wide wsub(wide a, wide b) { return wasm_f32x4_sub(a, b); }
static inline wide wmul(wide a, wide b) { return wasm_f32x4_mul(a, b); }
static inline wide wmin(wide a, wide b) { return wasm_f32x4_pmin(b, a); }
static inline wide wmax(wide a, wide b) { return wasm_f32x4_pmax(b, a); }
static inline wide wsqrt(wide a) { return wasm_f32x4_sqrt(a); }
static inline wide wrsqrt(wide a) { return wasm_f32x4_div(wset(1.0f), wsqrt(a)); }
static inline wide wrsqrt_rough(wide a) { return wrsqrt(a); }
static inline wide wabs(wide a) { return wasm_f32x4_abs(a); }
static inline wide wfms(wide a, wide b, wide c) { return wsub(wmul(a, b), c); }
static inline wide wfnma(wide a, wide b, wide c) { return wsub(c, wmul(a, b)); }
static inline void wst(float *p, wide a) { wasm_v128_store(p, a); }

/** bad, with the lanes added where a > least does not hold (a NaN included). */
static inline wide wbad_unless_above(wide bad, wide a, wide least)
{
    return wasm_v128_or(bad, wasm_v128_not(wasm_f32x4_gt(a, least)));
}
static inline bool wbad_any(wide bad) { return wasm_v128_any_true(bad); }
static inline uint32_t wge_bits(wide a, wide b)
{
    return (uint32_t)wasm_i32x4_bitmask(wasm_f32x4_ge(a, b));
}
static inline v128_t four_of_bits(uint32_t bits)
{
    const v128_t lane = wasm_i32x4_const(1, 2, 4, 8);

    return wasm_i32x4_eq(wasm_v128_and(wasm_i32x4_splat((int32_t)bits), lane), lane);
}
static inline wide wsel_bits(uint32_t bits, wide yes, wide no)
{
    return wasm_v128_bitselect(yes, no, four_of_bits(bits));
}
static inline float wleast(wide a)
{
    const wide two = wmin(a, wasm_i32x4_shuffle(a, a, 2, 3, 0, 1));

    return wasm_f32x4_extract_lane(wmin(two, wasm_i32x4_shuffle(two, two, 1, 0, 3, 2)), 0);
}
static inline float wmost(wide a) { return -wleast(wasm_f32x4_neg(a)); }
