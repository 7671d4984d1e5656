/* SPDX-License-Identifier: Apache-2.0
 * Accuracy: how far the arrival times are from the exact ones.
 *
 * Where G and b are constant the exact solution from the origin is T = |x|_G - b.x.  The
 * error is |e|/|T|, the true relative L2 norm, from one source cell in the middle: with the
 * eight neighbours of each cell, with stencils adapted to the metric, and with these, second
 * order and the source factored out.
 *
 *     cc 06_accuracy.c $(pkg-config --cflags --libs zermelo) -lm */
#include <math.h>
#include <stdio.h>
#include "zermelo/zermelo.h"

enum { LARGEST = 401, N = LARGEST * LARGEST, N_SIDES = 4, SIDE_201 = 2 };
static const int sides[N_SIDES] = { 51, 101, 201, 401 };
static double g11[N], g12[N], g22[N], b1[N], b2[N], T[N];

typedef struct medium { /* constant, G with eigenvalues sqrt(ratio) and 1/sqrt(ratio) */
    const char *name;
    double ratio, degrees; /* of the eigenvector of the larger one */
    double drift;          /* |b|_{G^-1}, along x */
} medium;

static const medium media[] = {
    { "G = I, no drift", 1, 0, 0 },
    { "G = I, drift 0.3", 1, 0, 0.3 },
    { "G = I, drift 0.6", 1, 0, 0.6 },
    { "G = I, drift 0.9", 1, 0, 0.9 },
    { "G = I, drift 0.95", 1, 0, 0.95 },
    { "eigenvalues 4:1 at 30 deg", 4, 30, 0 },
    { "eigenvalues 16:1 at 30 deg", 16, 30, 0 },
    { "eigenvalues 64:1 at 30 deg", 64, 30, 0 },
    { "4:1 at 30 deg, drift 0.6", 4, 30, 0.6 },
};

static void fill(const medium *m, int n)
{
    const double angle = m->degrees * 3.14159265358979323846 / 180;
    const double c = cos(angle), s = sin(angle), big = sqrt(m->ratio), small = 1 / big;
    const double xx = big * c * c + small * s * s, yy = big * s * s + small * c * c;

    for (int i = 0; i < n; i++) {
        g11[i] = xx;
        g12[i] = (big - small) * c * s;
        g22[i] = yy;
        b1[i] = m->drift / sqrt(yy); /* |b|_{G^-1}^2 = b1^2 g22 / det, and det = 1 */
        b2[i] = 0.0;
    }
}

static double relative_error(int side)
{
    double error2 = 0.0, size2 = 0.0;

    for (int row = 0; row < side; row++)
        for (int col = 0; col < side; col++) {
            const int i = row * side + col;
            const double x = col - side / 2, y = row - side / 2;
            const double exact = sqrt(g11[i] * x * x + 2 * g12[i] * x * y + g22[i] * y * y) -
                                 b1[i] * x - b2[i] * y;

            error2 += (T[i] - exact) * (T[i] - exact);
            size2 += exact * exact;
        }
    return sqrt(error2 / size2);
}

typedef enum scheme { FIXED, ADAPTIVE, SECOND_ORDER } scheme;

/* NAN if the solve fails. */
static double error_of(const medium *m, int side, scheme how)
{
    const zm_grid grid = { side, side, 1.0, 1.0 };
    const zm_source start = { side / 2, side / 2, 0.0 };
    const zm_problem problem = { .size = sizeof(zm_problem),
                                 .metric = { ZM_F64, g11, g12, g22, b1, b2 },
                                 .sources = &start,
                                 .n_sources = 1 };
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_solver *solver = NULL;
    zm_status status;

    fill(m, side * side);
    opts.stencils = how == FIXED ? ZM_STENCILS_FIXED : ZM_STENCILS_ADAPTIVE;
    opts.order = how == SECOND_ORDER ? 2 : 1;
    opts.factor_radius = how == SECOND_ORDER ? HUGE_VAL : 0.0;
    status = zm_solver_create(&solver, grid, ZM_F64, &opts, NULL);
    if (status == ZM_OK)
        status = zm_forward(solver, &problem, T, NULL, NULL, NULL);
    zm_solver_destroy(solver);
    return status == ZM_OK ? relative_error(side) : NAN;
}

int main(void)
{
    int failures = 0;

    printf("%-30s %7s %7s %7s %7s %9s %9s\n", "error in % on N x N cells, N =", "51",
           "101", "201", "401", "adaptive", "2, fact.");
    for (size_t k = 0; k < sizeof media / sizeof media[0]; k++) {
        double error[N_SIDES];

        printf("%-30s", media[k].name);
        for (int i = 0; i < N_SIDES; i++) {
            error[i] = error_of(&media[k], sides[i], FIXED);
            printf(" %7.3f", 100 * error[i]);
            failures += i > 0 && !(error[i] < error[i - 1]); /* falls with refinement */
        }
        const double adaptive = error_of(&media[k], sides[SIDE_201], ADAPTIVE);
        const double exact = error_of(&media[k], sides[SIDE_201], SECOND_ORDER);

        printf(" %9.3f %9.0e\n", 100 * adaptive, 100 * exact);
        failures += !(adaptive < 4e-3) || !(exact < 1e-10);
    }
    return failures != 0;
}
