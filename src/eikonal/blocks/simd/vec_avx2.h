/* SPDX-License-Identifier: Apache-2.0
 * What AVX2 does alike for floats and doubles. */
#include "vec_intel.h"

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

static inline vmsk vlt(vec a, vec b) { return V(cmp)(a, b, _CMP_LT_OQ); }
static inline vmsk vle(vec a, vec b) { return V(cmp)(a, b, _CMP_LE_OQ); }
static inline vmsk vmsk_and(vmsk a, vmsk b) { return V(and)(a, b); }
static inline vmsk vmsk_or(vmsk a, vmsk b) { return V(or)(a, b); }
static inline vmsk vmsk_not(vmsk a) { return vneg(a); }
static inline vec vsel(vmsk m, vec yes, vec no) { return V(blendv)(no, yes, m); }
static inline vmsk vsel_msk(vmsk m, vmsk yes, vmsk no) { return V(blendv)(no, yes, m); }
static inline bool vany(vmsk m) { return !V(testz)(m, m); }
static inline bool vany_both(vmsk a, vmsk b) { return !V(testz)(a, b); }
static inline unsigned vbits(vmsk m) { return (unsigned)V(movemask)(m); }
