/* SPDX-License-Identifier: Apache-2.0
 * Arrival times from one cell over even ground: the distance to it.
 *
 *     cc 01_distance.c $(pkg-config --cflags --libs zermelo) -lm */
#include <math.h>
#include <stdio.h>
#include "zermelo/zermelo.h"

int main(void)
{
    static double g[101 * 101], T[101 * 101];
    const zm_grid grid = { .rows = 101, .cols = 101, .dx = 1.0, .dy = 1.0 };
    const zm_source start = { .row = 50, .col = 50, .time = 0.0 };
    const zm_problem problem = {
        .size = sizeof(zm_problem), .metric.g11 = g, .sources = &start, .n_sources = 1
    };
    zm_solver *solver;

    for (int i = 0; i < 101 * 101; i++)
        g[i] = 1.0; /* the metric g I: unit speed everywhere */
    if (zm_solver_create(&solver, grid, ZM_F64, NULL, NULL) != ZM_OK ||
        zm_forward(solver, &problem, T, NULL, NULL, NULL) != ZM_OK)
        return 1;
    zm_solver_destroy(solver);

    printf("30 cells to the right: %.6f\n", T[50 * 101 + 80]);
    printf("30 right and 40 down:  %.6f (exact 50)\n", T[90 * 101 + 80]);
    return fabs(T[50 * 101 + 80] - 30.0) > 1e-9 || fabs(T[90 * 101 + 80] - 50.0) > 0.5;
}
