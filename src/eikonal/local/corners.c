/* SPDX-License-Identifier: Apache-2.0
 * Diagonal neighbours that obstacles cut off. */
#include "eikonal/local/corners.h"

#include <stdbool.h>

#include "eikonal/local/triangle.h"

static bool is_wall(zm_grid grid, const uint8_t *walls, int32_t row, int32_t col)
{
    return row >= 0 && row < grid.rows && col >= 0 && col < grid.cols &&
           walls[(size_t)row * (size_t)grid.cols + (size_t)col];
}

uint8_t zm_local_blocked_corners(zm_grid grid, const uint8_t *walls, int32_t row,
                                 int32_t col)
{
    unsigned blocked = 0;

    for (int k = 0; walls && k < 8; k += 2)
        if (is_wall(grid, walls, row + zm_local_neighbour_y[k], col) &&
            is_wall(grid, walls, row, col + zm_local_neighbour_x[k]))
            blocked |= 1u << k;
    return (uint8_t)blocked;
}
