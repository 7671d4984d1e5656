/* SPDX-License-Identifier: Apache-2.0
 * The operations that AVX2 and AVX-512 spell alike for floats and doubles: with V(op) as
 * _mm256_##op##_ps, V(add) is _mm256_add_ps. */
static inline vec vld(const real *p) { return V(loadu)(p); }
static inline void vst(real *p, vec a) { V(storeu)(p, a); }
static inline vec vset(double x) { return V(set1)((real)x); }
static inline vec vadd(vec a, vec b) { return V(add)(a, b); }
static inline vec vsub(vec a, vec b) { return V(sub)(a, b); }
static inline vec vmul(vec a, vec b) { return V(mul)(a, b); }
static inline vec vdiv(vec a, vec b) { return V(div)(a, b); }
static inline vec vmin(vec a, vec b) { return V(min)(a, b); }
static inline vec vmax(vec a, vec b) { return V(max)(a, b); }
static inline vec vsqrt(vec a) { return V(sqrt)(a); }
static inline vec vfma(vec a, vec b, vec c) { return V(fmadd)(a, b, c); }
static inline vec vfms(vec a, vec b, vec c) { return V(fmsub)(a, b, c); }
static inline vec vfnma(vec a, vec b, vec c) { return V(fnmadd)(a, b, c); }
static inline vec vneg(vec a) { return V(xor)(V(set1)((real)-0.0), a); }
