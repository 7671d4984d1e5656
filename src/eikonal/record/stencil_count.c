/* SPDX-License-Identifier: Apache-2.0
 * Shares of one-point and two-point updates. */
#include "zermelo/diagnose.h"

zm_stencil_share zm_stencil_count(const uint8_t *codes, size_t n)
{
    zm_stencil_share share = { 0 };

    for (size_t i = 0; i < n; i++) {
        if (codes[i] == ZM_STENCIL_UNREACHED)
            share.unreached++;
        else if (codes[i] == ZM_STENCIL_SOURCE)
            share.sources++;
        else if (codes[i] >= ZM_STENCIL_ONE_POINT && codes[i] != ZM_STENCIL_WIDE)
            share.one_point++;
        else
            share.two_point++;
    }
    return share;
}
