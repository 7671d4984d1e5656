/* SPDX-License-Identifier: Apache-2.0
 * A boat in a current: the quickest way round two breakwaters, against the stream.
 *
 * The boat makes 1 through still water; the current W runs along x, fastest (0.8) in the
 * middle of the river.  As metric and drift (zm_convert) this is a Randers problem, the
 * arrival times are those of a fleet that sets out in all directions at once, and the path
 * back from the goal is the quickest course: it keeps to the banks where it goes upstream.
 *
 *     cc 07_path.c $(pkg-config --cflags --libs zermelo) -lm */
#include <math.h>
#include <stdio.h>
#include "zermelo/zermelo.h"

enum { ROWS = 121, COLS = 161, N = ROWS * COLS, MOST_POINTS = 4000 };
static double h[N], W1[N], W2[N], g11[N], g12[N], g22[N], b1[N], b2[N], T[N];
static uint8_t walls[N];
static zm_path_point course[MOST_POINTS];

static double current_at(double row)
{
    return 0.8 * sin(row / (ROWS - 1) * 3.14159265358979323846);
}

static void fill_river(void)
{
    for (int i = 0; i < N; i++) {
        const int row = i / COLS, col = i % COLS;

        h[i] = 1.0; /* |speed through the water| = 1 */
        W1[i] = current_at(row);
        W2[i] = 0.0;
        walls[i] = (col == 50 && row > 40) || (col == 110 && row < 80);
    }
}

/* Speed through the water on each piece of the course: that over the ground less the
 * current.  It must be 1 wherever the boat is. */
static double worst_speed(size_t n)
{
    double worst = 0;

    for (size_t i = 20; i + 21 < n; i++) { /* ends: times are off near the start */
        const zm_path_point *a = &course[i - 10], *b = &course[i + 10];
        const double dt = b->time - a->time, middle = course[i].row;
        const double x = (b->col - a->col) / dt - current_at(middle);
        const double y = (b->row - a->row) / dt;

        worst = fmax(worst, fabs(hypot(x, y) - 1));
    }
    return worst;
}

int main(void)
{
    const zm_grid grid = { ROWS, COLS, 1.0, 1.0 };
    const zm_source harbour = { 60, 150, 0.0 };
    const zm_problem problem = { .size = sizeof(zm_problem),
                                 .metric = { ZM_F64, g11, g12, g22, b1, b2 },
                                 .sources = &harbour,
                                 .n_sources = 1,
                                 .walls = walls };
    const zm_form_in boat = { ZM_F64, { h, NULL, NULL, W1, W2 } };
    const zm_form_out randers = { { g11, g12, g22, b1, b2 } };
    /* straight from corner to corner, without a thought for the current */
    const zm_path_point naive[] = {
        { 60, 150, 0 }, { 81, 110, 0 }, { 39, 50, 0 }, { 60, 10, 0 }
    };
    zm_solver_opts accurate = ZM_SOLVER_OPTS_INIT;
    double by_course = NAN, by_naive = NAN, speed;
    zm_solver *solver = NULL;
    zm_error err;
    size_t n = 0;

    accurate.stencils = ZM_STENCILS_ADAPTIVE;
    accurate.order = 2;
    accurate.factor_radius = 10;
    fill_river();
    if (zm_convert(ZM_FORM_ZERMELO, &boat, ZM_FORM_RANDERS, N, &randers, NULL, &err) <
            0 ||
        zm_solver_create(&solver, grid, ZM_F64, &accurate, &err) < 0 ||
        zm_forward(solver, &problem, T, NULL, NULL, &err) < 0 ||
        zm_path(solver, 0, &problem, T, 60, 10, course, MOST_POINTS, &n, NULL, NULL,
                &err) < 0 ||
        zm_path_cost(grid, &problem, 0, course, n, &by_course, &err) < 0 ||
        zm_path_cost(grid, &problem, 0, naive, 4, &by_naive, &err) < 0) {
        fprintf(stderr, "07_path: %s\n", err.text);
        zm_solver_destroy(solver);
        return 1;
    }
    zm_solver_destroy(solver);

    for (size_t i = 0; i < n; i += n / 10)
        printf("at %6.1f in row %5.1f, col %5.1f\n", course[i].time, course[i].row,
               course[i].col);
    speed = worst_speed(n);
    printf("arrives at %.2f; the course takes %.2f, from corner to corner %.2f\n",
           course[n - 1].time, by_course, by_naive);
    printf("speed through the water is 1 to %.3f\n", speed);
    return !(fabs(by_course / course[n - 1].time - 1) < 0.01 &&
             by_course < 0.9 * by_naive && speed < 0.1);
}
