/* SPDX-License-Identifier: Apache-2.0
 * Sets of cells of a block, a bit each. */
#ifndef ZM_BLOCKS_BITS_H
#define ZM_BLOCKS_BITS_H

#include <stdint.h>
#include <string.h>

#include "eikonal/blocks/kernel.h"

/** Rows of bits to columns of bits. */
static inline void zm_blocks_transpose(const uint32_t in[ZM_BLOCK], uint32_t out[ZM_BLOCK])
{
    memcpy(out, in, ZM_BLOCK * sizeof *out);
    for (unsigned half = ZM_BLOCK / 2; half; half /= 2) {
        /* the lanes without bit `half`: 0x0000FFFF, 0x00FF00FF, 0x0F0F0F0F, ... */
        const uint32_t low = 0xFFFFFFFFu / ((1u << half) + 1u);

        for (unsigned base = 0; base < ZM_BLOCK; base += 2 * half)
            for (unsigned k = base; k < base + half; k++) {
                const uint32_t swap = (out[k] >> half ^ out[k + half]) & low;

                out[k] ^= swap << half;
                out[k + half] ^= swap;
            }
    }
}

#endif
