/* SPDX-License-Identifier: Apache-2.0
 * Wind: a drift b makes the front faster along b and slower against it.
 *
 * With G = I the cost of a step v is |v| - b.v, so 30 cells along b = (0.3, 0) take
 * 30 (1 - 0.3) = 21 and 30 cells against it take 39. */
#include <math.h>
#include <stdio.h>
#include "zermelo/zermelo.h"

enum { ROWS = 81, COLS = 81, N = ROWS * COLS };

static double at(const double *T, int row, int col)
{
    return T[row * COLS + col];
}

int main(void)
{
    static double g[N], b1[N], b2[N], T[N];
    const zm_grid grid = { ROWS, COLS, 1.0, 1.0 };
    const zm_source start = { 40, 40, 0.0 };
    const zm_problem problem = { .size = sizeof(zm_problem),
                                 .metric = { .g11 = g, .b1 = b1, .b2 = b2 },
                                 .sources = &start,
                                 .n_sources = 1 };
    zm_solver *solver = NULL;
    zm_error err;

    for (int i = 0; i < N; i++) {
        g[i] = 1.0;
        b1[i] = 0.3;
        b2[i] = 0.0;
    }
    if (zm_solver_create(&solver, grid, ZM_F64, NULL, &err) != ZM_OK ||
        zm_forward(solver, &problem, T, NULL, NULL, &err) != ZM_OK) {
        fprintf(stderr, "02_wind: %s\n", err.text);
        zm_solver_destroy(solver);
        return 1;
    }
    zm_solver_destroy(solver);

    printf("T(+30) = %.9f (21: downwind)\n", at(T, 40, 70));
    printf("T(-30) = %.9f (39: upwind)\n", at(T, 40, 10));
    return fabs(at(T, 40, 70) - 21.0) > 1e-9 || fabs(at(T, 40, 10) - 39.0) > 1e-9;
}
