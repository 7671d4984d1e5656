/* SPDX-License-Identifier: Apache-2.0
 * Forward differences of a field and their adjoint.
 *
 *     (Dx u)_i = (u_right - u_i) / dx,     (Dy u)_i = (u_below - u_i) / dy,
 *
 * 0 in the last column (Dx) or row (Dy), and where cell or neighbour is a wall.  Values
 * in walls are never read. */
#ifndef ZM_REG_DIFFERENCE_H
#define ZM_REG_DIFFERENCE_H

#include <stdbool.h>

#include "zermelo/problem.h"

/** Whether the edges from cell i to the right and downwards have a difference. */
typedef struct zm_cell_edges {
    bool right, below;
} zm_cell_edges;

static inline zm_cell_edges zm_edges_of(zm_grid grid, const uint8_t *walls, int32_t row,
                                        int32_t col)
{
    const size_t i = (size_t)row * (size_t)grid.cols + (size_t)col;
    const bool open = !walls || !walls[i];

    return (zm_cell_edges){ open && col + 1 < grid.cols && (!walls || !walls[i + 1]),
                            open && row + 1 < grid.rows &&
                                (!walls || !walls[i + (size_t)grid.cols]) };
}

/** px = Dx u, py = Dy u; rows*cols values each, not overlapping u. */
void zm_regularise_difference(zm_grid grid, const uint8_t *walls, const double *u,
                              double *px, double *py);

/** u = Dx' px + Dy' py, overwritten; 0 in walls. */
void zm_regularise_difference_adjoint(zm_grid grid, const uint8_t *walls,
                                      const double *px, const double *py, double *u);

#endif
