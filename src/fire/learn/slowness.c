/* SPDX-License-Identifier: Apache-2.0
 * The isotropic slowness that explains given arrival times. */
#include "fire/learn/slowness.h"

#include <math.h>

static double time_at(const float *T, int32_t rows, int32_t cols, int32_t row,
                      int32_t col)
{
    return row >= 0 && row < rows && col >= 0 && col < cols
               ? (double)T[row * cols + col]
               : HUGE_VAL;
}

/* The slowness with which donors beside (at distance h) and across the corner give the time t.
 * A front from within the triangle has t = beside + sqrt(s^2 h^2 - (beside - across)^2). */
static double slowness_of(double beside, double across, double h, double t)
{
    const double lead = beside - across, rest = t - beside;

    if (beside <= across)
        return rest / h;
    if (isfinite(beside) && rest >= lead) /* less than 45 degrees from the axis */
        return sqrt(rest * rest + lead * lead) / h;
    return (t - across) / (h * sqrt(2.0));
}

/* The update is the least of all triangles, and each grows with the slowness: the largest of
 * what each asks for. */
double zm_field_slowness_at(const float *T, int32_t rows, int32_t cols,
                            double cell_size, int32_t row, int32_t col)
{
    static const int32_t beside[4][2] = { { 0, 1 }, { 1, 0 }, { 0, -1 }, { -1, 0 } };
    const double t = time_at(T, rows, cols, row, col);
    double most = 0;

    for (int k = 0; k < 4; k++)
        for (int side = -1; side <= 1; side += 2) {
            const int32_t r = row + beside[k][0], c = col + beside[k][1];
            const double a = time_at(T, rows, cols, r, c);
            const double b = time_at(T, rows, cols, r + side * beside[k][1],
                                     c + side * beside[k][0]);

            if (a < t || b < t)
                most = fmax(most, slowness_of(a, b, cell_size, t));
        }
    return most;
}
