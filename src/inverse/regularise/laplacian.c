/* SPDX-License-Identifier: Apache-2.0
 * The operator of a lagged regulariser as a five-point stencil. */
#include "inverse/regularise/laplacian.h"

#include "inverse/regularise/difference.h"

void zm_laplacian_edges(zm_grid grid, const uint8_t *walls, const double *w,
                        double scale, double *right, double *below)
{
    const double x = scale / (grid.dx * grid.dx), y = scale / (grid.dy * grid.dy);
    size_t i = 0;

    for (int32_t row = 0; row < grid.rows; row++)
        for (int32_t col = 0; col < grid.cols; col++, i++) {
            const zm_cell_edges open = zm_edges_of(grid, walls, row, col);
            const double weight = w ? w[i] : 1;

            right[i] = open.right ? x * weight : 0;
            below[i] = open.below ? y * weight : 0;
        }
}

/* diagonal, shift and the edges within the row; y is overwritten */
static void apply_row(const zm_laplacian *op, const double *x, double *y, size_t start)
{
    const size_t cols = (size_t)op->grid.cols;
    const double *right = op->right + start;

    x += start;
    y += start;
    for (size_t i = 0; i < cols; i++)
        y[i] = (op->diagonal ? op->diagonal[start + i] + op->shift : op->shift) * x[i];
    for (size_t i = 0; i + 1 < cols; i++) {
        const double flow = right[i] * (x[i] - x[i + 1]);

        y[i] += flow;
        y[i + 1] -= flow;
    }
}

void zm_laplacian_apply(const zm_laplacian *op, const double *x, double *y)
{
    const size_t cols = (size_t)op->grid.cols, n = (size_t)op->grid.rows * cols;

    apply_row(op, x, y, 0);
    for (size_t start = 0; start + cols < n; start += cols) {
        apply_row(op, x, y, start + cols);
        for (size_t i = start; i < start + cols; i++) {
            const double flow = op->below[i] * (x[i] - x[i + cols]);

            y[i] += flow;
            y[i + cols] -= flow;
        }
    }
    for (size_t i = 0; op->walls && i < n; i++)
        if (op->walls[i])
            y[i] = 0;
}
