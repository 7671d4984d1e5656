/* SPDX-License-Identifier: Apache-2.0
 * Diagonal neighbours that obstacles cut off. */
#ifndef ZM_EIKONAL_LOCAL_CORNERS_H
#define ZM_EIKONAL_LOCAL_CORNERS_H

#include <math.h>

#include "eikonal/problem/problem.h"

/** A front does not slip between two walls that touch at a corner: bit k is set when
 *  neighbour k is diagonal and the two cells that touch both it and this cell are
 * walls. Cells outside the grid are no walls.  walls may be NULL. */
uint8_t zm_local_blocked_corners(zm_grid grid, const uint8_t *walls, int32_t row,
                                 int32_t col);

/** T[k] = INFINITY where bit k of `blocked` is set. */
static inline void zm_local_block_corners(double T[8], uint8_t blocked)
{
    for (int k = 0; k < 8; k += 2)
        if (blocked >> k & 1)
            T[k] = INFINITY;
}

#endif
