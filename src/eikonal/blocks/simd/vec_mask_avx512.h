/* SPDX-License-Identifier: Apache-2.0
 * Masks of AVX-512: one bit a lane in a register of their own. */
#ifndef ZM_KERNELS_VEC_MASK_AVX512_H
#define ZM_KERNELS_VEC_MASK_AVX512_H

static inline vmsk vmsk_and(vmsk a, vmsk b) { return (vmsk)(a & b); }
static inline vmsk vmsk_or(vmsk a, vmsk b) { return (vmsk)(a | b); }
static inline vmsk vmsk_not(vmsk a) { return (vmsk)~a; }
static inline vmsk vsel_msk(vmsk m, vmsk yes, vmsk no)
{
    return (vmsk)((m & yes) | (~m & no));
}
static inline bool vany(vmsk m) { return m != 0; }
static inline bool vany_both(vmsk a, vmsk b) { return (a & b) != 0; }
static inline unsigned vbits(vmsk m) { return m; }
static inline vmsk vmsk_of_bits(unsigned bits) { return (vmsk)bits; }

#endif
