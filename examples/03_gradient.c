/* SPDX-License-Identifier: Apache-2.0
 * Derivatives: how the arrival time at one cell depends on the ground everywhere.
 *
 * One zm_adjoint gives dL/dg in every cell; here L = T at a target.  A central difference
 * along a random direction d checks it: (L(g + h d) - L(g - h d)) / 2h = sum dL/dg d. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "zermelo/zermelo.h"

enum { ROWS = 60, COLS = 80, N = ROWS * COLS, TARGET = 51 * COLS + 67 };

static double g[N], moved[N], direction[N], T[N], dL_dT[N], dL_dg[N];

static double unit_random(void)
{
    return rand() / (RAND_MAX + 1.0);
}

/* Arrival time at the target over the ground `g + h direction`. */
static double loss(zm_solver *solver, zm_problem problem, double h)
{
    for (int i = 0; i < N; i++)
        moved[i] = g[i] + h * direction[i];
    problem.metric.g11 = moved;
    return zm_forward(solver, &problem, T, NULL, NULL, NULL) == ZM_OK ? T[TARGET] : NAN;
}

int main(void)
{
    const zm_grid grid = { ROWS, COLS, 1.0, 1.0 };
    const zm_source start = { 9, 7, 0.0 };
    const zm_problem problem = {
        .size = sizeof(zm_problem), .metric.g11 = g, .sources = &start, .n_sources = 1
    };
    const double h = 1e-6;
    double by_adjoint = 0.0, by_difference;
    zm_solver *solver;

    for (int i = 0; i < N; i++) {
        g[i] = 1.5 + sin(0.11 * (i % COLS)) * cos(0.13 * (i / COLS));
        direction[i] = 2.0 * unit_random() - 1.0;
    }
    dL_dT[TARGET] = 1.0;
    if (zm_solver_create(&solver, grid, ZM_F64, NULL, NULL) != ZM_OK ||
        zm_forward(solver, &problem, T, NULL, NULL, NULL) != ZM_OK ||
        zm_adjoint(solver, &problem, T, dL_dT,
                   &(zm_gradient){ .size = sizeof(zm_gradient), .g11 = dL_dg },
                   NULL) != ZM_OK)
        return 1;
    for (int i = 0; i < N; i++)
        by_adjoint += dL_dg[i] * direction[i];
    by_difference = (loss(solver, problem, h) - loss(solver, problem, -h)) / (2.0 * h);
    zm_solver_destroy(solver);

    printf("directional derivative, adjoint:           %.10f\n", by_adjoint);
    printf("directional derivative, finite difference: %.10f\n", by_difference);
    return !(fabs(by_adjoint - by_difference) <= 1e-6 * fabs(by_difference));
}
