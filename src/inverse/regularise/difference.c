/* SPDX-License-Identifier: Apache-2.0
 * Forward differences of a field and their adjoint. */
#include "inverse/regularise/difference.h"

void zm_regularise_difference(zm_grid grid, const uint8_t *walls, const double *u,
                              double *px, double *py)
{
    const size_t cols = (size_t)grid.cols;
    size_t i = 0;

    for (int32_t row = 0; row < grid.rows; row++)
        for (int32_t col = 0; col < grid.cols; col++, i++) {
            const zm_cell_edges open = zm_edges_of(grid, walls, row, col);

            px[i] = open.right ? (u[i + 1] - u[i]) / grid.dx : 0;
            py[i] = open.below ? (u[i + cols] - u[i]) / grid.dy : 0;
        }
}

void zm_regularise_difference_adjoint(zm_grid grid, const uint8_t *walls,
                                      const double *px, const double *py, double *u)
{
    const size_t cols = (size_t)grid.cols;
    size_t i = 0;

    for (int32_t row = 0; row < grid.rows; row++)
        for (int32_t col = 0; col < grid.cols; col++, i++) {
            const zm_cell_edges open = zm_edges_of(grid, walls, row, col);
            const bool left = col > 0 && zm_edges_of(grid, walls, row, col - 1).right;
            const bool above = row > 0 && zm_edges_of(grid, walls, row - 1, col).below;

            u[i] = ((left ? px[i - 1] : 0) - (open.right ? px[i] : 0)) / grid.dx +
                   ((above ? py[i - cols] : 0) - (open.below ? py[i] : 0)) / grid.dy;
        }
}
