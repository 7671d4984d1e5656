/* SPDX-License-Identifier: Apache-2.0
 * A globe: distances on a grid of latitudes and longitudes.
 *
 * Rows are latitudes from north to south, columns longitudes, a degree apart, with cells of
 * half a degree on either side.  A move by (x, y) degrees has the length
 *
 *     sqrt(x^2 cos^2(latitude) + y^2) R pi / 180,
 *
 * so the metric is g11 = cos^2(latitude), g22 = 1 in units of a degree squared, and the
 * grid is closed along x.  Near the poles steps to the east are short, the metric is strong
 * (13000 : 1 in the rows next to them), and stencils reach several columns: without these
 * the times would be wrong there.  Times are distances and are compared with those along
 * great circles.
 *
 *     cc 08_latitude_longitude.c $(pkg-config --cflags --libs zermelo) -lm */
#include <math.h>
#include <stdio.h>
#include "zermelo/zermelo.h"

enum { ROWS = 180, COLS = 360, N = ROWS * COLS };
static const double degree = 3.14159265358979323846 / 180,
                    km_a_degree = 6371.0 * degree;
static double g11[N], g22[N], T[N];

static double latitude(double row)
{
    return 89.5 - row;
}

static double longitude(double col)
{
    return col - 179.5;
}

static void fill_metric(void)
{
    for (int i = 0; i < N; i++) {
        const double c = cos(latitude(i / COLS) * degree);

        g11[i] = km_a_degree * km_a_degree * c * c;
        g22[i] = km_a_degree * km_a_degree;
    }
}

typedef struct place {
    const char *name;
    double latitude, longitude;
} place;

static double great_circle(const place *a, double lat, double lon)
{
    const double p = a->latitude * degree, q = lat * degree;
    const double s = sin((q - p) / 2), t = sin((lon - a->longitude) * degree / 2);

    return 2 * 6371.0 * asin(sqrt(s * s + cos(p) * cos(q) * t * t));
}

/* Kilometres from a place to every cell; 0 if that fails. */
static int measure(const place *from, int order, int periodic)
{
    const zm_grid grid = { ROWS, COLS, 1.0, 1.0 };
    const zm_source start = { 89.5 - from->latitude, from->longitude + 179.5, 0.0 };
    const zm_problem problem = { .size = sizeof(zm_problem),
                                 .metric = { .dtype = ZM_F64, .g11 = g11, .g22 = g22 },
                                 .sources = &start,
                                 .n_sources = 1 };
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_solver *solver;
    zm_error err;
    zm_status st;

    opts.stencils = ZM_STENCILS_ADAPTIVE;
    opts.order = order;
    opts.factor_radius = order > 1 ? HUGE_VAL : 0.0;
    opts.periodic = periodic;
    st = zm_solver_create(&solver, grid, ZM_F64, &opts, &err);
    if (st == ZM_OK)
        st = zm_forward(solver, &problem, T, NULL, NULL, &err);
    zm_solver_destroy(solver);
    if (st != ZM_OK)
        fprintf(stderr, "%s\n", err.text);
    return st == ZM_OK;
}

static double error_from(const place *from)
{
    double error2 = 0.0, size2 = 0.0;

    for (int i = 0; i < N; i++) {
        const double exact =
            great_circle(from, latitude(i / COLS), longitude(i % COLS));

        error2 += (T[i] - exact) * (T[i] - exact);
        size2 += exact * exact;
    }
    return sqrt(error2 / size2);
}

/* Distance to a place, between the four cells around it. */
static double distance_to(const place *to)
{
    const double row = 89.5 - to->latitude, col = to->longitude + 179.5;
    const int r = (int)row, c = (int)col;
    const double y = row - r, x = col - c;

    return (1 - y) * ((1 - x) * T[r * COLS + c] + x * T[r * COLS + c + 1]) +
           y * ((1 - x) * T[(r + 1) * COLS + c] + x * T[(r + 1) * COLS + c + 1]);
}

int main(void)
{
    static const place tokyo = { "Tokyo", 35.68, 139.69 };
    static const place towns[] = { { "Berlin", 52.52, 13.40 },
                                   { "San Francisco", 37.77, -122.42 },
                                   { "Sydney", -33.87, 151.21 },
                                   { "Santiago", -33.45, -70.67 } };
    double first, second, open;
    int failures = 0;

    fill_metric();
    if (!measure(&tokyo, 1, ZM_PERIODIC_X))
        return 1;
    first = error_from(&tokyo);
    if (!measure(&tokyo, 2, 0)) /* as if there were a wall along the date line */
        return 1;
    open = distance_to(&towns[1]);
    if (!measure(&tokyo, 2, ZM_PERIODIC_X))
        return 1;
    second = error_from(&tokyo);
    printf("km from Tokyo            solver   great circle\n");
    for (size_t i = 0; i < sizeof towns / sizeof towns[0]; i++) {
        const double exact =
            great_circle(&tokyo, towns[i].latitude, towns[i].longitude);
        const double ours = distance_to(&towns[i]);

        printf("  %-20s %8.1f %14.1f\n", towns[i].name, ours, exact);
        failures += !(fabs(ours - exact) < 1e-3 * exact);
    }
    printf("without crossing the date line it is %.0f km to San Francisco\n", open);
    printf("error on all cells: %.3f %% of first order, %.3f %% of second\n",
           100 * first, 100 * second);
    failures += !(first < 4e-3) || !(second < 3e-4) || !(open > 11000);
    return failures != 0;
}
