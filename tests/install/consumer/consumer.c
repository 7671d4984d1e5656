/* SPDX-License-Identifier: Apache-2.0
 * Solves and differentiates one problem with nothing but the installed library. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "zermelo/zermelo.h"

enum { ROWS = 5, COLS = 61, CELLS = ROWS * COLS };

/* Constant G = I and b = (0.3, 0): along the row of the source T = 0.7 |x| downwind and
 * 1.3 |x| upwind, which the discrete equation meets exactly. */
int main(void)
{
    static double g[CELLS], b1[CELLS], b2[CELLS], T[CELLS], ones[CELLS];
    double dT_source = 0;
    const zm_source source = { ROWS / 2, COLS / 2, 0 };
    const zm_problem problem = { .size = sizeof(zm_problem),
                                 .metric = { ZM_F64, g, NULL, NULL, b1, b2 },
                                 .sources = &source,
                                 .n_sources = 1 };
    const zm_grid grid = { ROWS, COLS, 1, 1 };
    const zm_gradient gradient = { .size = sizeof(zm_gradient),
                                   .source_times = &dT_source };
    zm_solver *solver;
    zm_error err;
    int ok;

    for (int i = 0; i < CELLS; i++) {
        g[i] = ones[i] = 1;
        b1[i] = 0.3;
    }
    if (zm_solver_create(&solver, grid, ZM_F64, NULL, &err) != ZM_OK ||
        zm_forward(solver, &problem, T, NULL, NULL, &err) != ZM_OK ||
        zm_adjoint(solver, &problem, T, ones, &gradient, &err) != ZM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    zm_solver_destroy(solver);
    ok = fabs(T[ROWS / 2 * COLS + COLS - 1] - 21) < 1e-9 &&
         fabs(T[ROWS / 2 * COLS] - 39) < 1e-9 &&
         fabs(dT_source - CELLS) < 1e-9 * CELLS &&
         strcmp(zm_version(), ZM_VERSION) == 0;
    printf("%s: %s\n", zm_version(), ok ? "as expected" : "wrong");
    return !ok;
}
