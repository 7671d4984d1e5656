/* SPDX-License-Identifier: Apache-2.0
 * The block of 3 x 3 cells about an ignition, which burns at time 0 as FARSITE lights a fire. */
#ifndef ZM_SCIENCE_IGNITION_H
#define ZM_SCIENCE_IGNITION_H

#include <stdint.h>

/** Numbers of the cells of the block that are on a grid of rows x cols; how many.  None where the
 *  ignition is not known (row or col < 0). */
static inline int zm_ignition_block(int32_t rows, int32_t cols, int32_t row,
                                    int32_t col, int32_t cells[9])
{
    int n = 0;

    for (int32_t r = row - 1; r <= row + 1 && row >= 0 && col >= 0; r++)
        for (int32_t c = col - 1; c <= col + 1; c++)
            if (r >= 0 && c >= 0 && r < rows && c < cols)
                cells[n++] = r * cols + c;
    return n;
}

#endif
