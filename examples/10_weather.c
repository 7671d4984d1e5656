/* SPDX-License-Identifier: Apache-2.0
 * Weather: a fire through a day and a night, with a wind that turns.
 *
 * Every hour has its own metric, which a callback gives where the fire comes and nowhere
 * else: an ellipse with the ignition in its rear focus (docs/convert.md), faster in the
 * afternoon, turning from west to south; from 22 to 7 o'clock the fuel is wet and nothing
 * burns.  Then which hours the time of one place depends on: the gradient through all of
 * them.
 *
 *     cc 10_weather.c $(pkg-config --cflags --libs zermelo) -lm */
#include "zermelo/zermelo.h"
#include <math.h>
#include <stdio.h>

enum { SIDE = 240, N = SIDE * SIDE, HOURS = 30, FIRST = 10, NIGHT = 22, MORNING = 7 };
static double T[N], dL_dT[N], of_hour[HOURS];

static int clock_of(size_t hour)
{
    return (int)((FIRST + hour) % 24);
}

static int is_night(size_t hour)
{
    return clock_of(hour) >= NIGHT || clock_of(hour) < MORNING;
}

/* Rate of spread along the wind in cells an hour: a hill of faster fuel in the middle. */
static double head_rate(size_t hour, int row, int col)
{
    const double x = (col - SIDE / 2) / 40.0, y = (row - SIDE / 2) / 40.0;
    const double sun = 1 + 0.5 * cos(2 * 3.14159265 * (clock_of(hour) - 15) / 24.0);

    return 6 * sun * (1 + exp(-x * x - y * y));
}

/* The metric of one hour in one window: G = I / p^2, b = (e/p) u with p = rate (1 - e). */
static zm_status weather(void *ctx, size_t hour, zm_window window,
                         zm_window_values *out, zm_error *err)
{
    const double e = 0.75,
                 heading = -0.06 * (double)hour; /* to the east, later the north */
    int i = 0;

    (void)ctx;
    (void)err;
    for (int row = window.row; row < window.row + window.rows; row++)
        for (int col = window.col; col < window.col + window.cols; col++, i++) {
            const double p = head_rate(hour, row, col) * (1 - e);

            out->stopped[i] = (uint8_t)is_night(hour);
            out->g11[i] = out->g22[i] = 1 / (p * p);
            out->b1[i] = e / p * cos(heading);
            out->b2[i] = e / p * sin(heading);
        }
    return ZM_OK;
}

/* What a fire slower by one percent in this hour would change: G and b scale with 1 / rate. */
static zm_status sensitivity(void *ctx, size_t hour, zm_window window,
                             const zm_window_values *by, zm_error *err)
{
    int i = 0;

    (void)ctx;
    (void)err;
    for (int row = window.row; row < window.row + window.rows; row++)
        for (int col = window.col; col < window.col + window.cols; col++, i++) {
            const double e = 0.75, heading = -0.06 * (double)hour;
            const double p = head_rate(hour, row, col) * (1 - e);

            of_hour[hour] +=
                0.02 * (by->g11[i] + by->g22[i]) / (p * p) +
                0.01 * (by->b1[i] * cos(heading) + by->b2[i] * sin(heading)) * e / p;
        }
    return ZM_OK;
}

static void show_growth(void)
{
    printf("hour  cells burnt\n");
    for (int hour = 0; hour < HOURS; hour += 3) {
        int burnt = 0;

        for (int i = 0; i < N; i++)
            burnt += T[i] <= hour + 1;
        printf("%02d-%02d %8d%s\n", clock_of((size_t)hour), clock_of((size_t)hour + 1),
               burnt, is_night((size_t)hour) ? "  night" : "");
    }
}

int main(void)
{
    const zm_grid grid = { SIDE, SIDE, 1, 1 };
    const zm_source start = { 200, 30, 0.5 };
    const int place = 130 * SIDE + 110;
    zm_forward_opts opts = ZM_FORWARD_OPTS_INIT;
    const zm_gradient out = { .size = sizeof out, .take = sensitivity };
    double hours[HOURS], sum = 0, nightly = 0;
    zm_problem problem = { .size = sizeof problem,
                           .n_intervals = HOURS,
                           .starts = hours,
                           .fill = weather,
                           .sources = &start,
                           .n_sources = 1 };
    zm_solver *solver = NULL;
    zm_report report = ZM_REPORT_INIT;
    zm_error err;

    for (int k = 0; k < HOURS; k++)
        hours[k] = k;
    opts.t_max = HOURS;
    if (zm_solver_create(&solver, grid, ZM_F64, NULL, &err) != ZM_OK ||
        zm_forward(solver, &problem, T, &opts, &report, &err) != ZM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    show_growth();
    printf("%lld cells, %lld windows looked at\n", (long long)report.cells,
           (long long)report.windows);
    dL_dT[place] = 1;
    if (zm_adjoint(solver, &problem, T, dL_dT, &out, &err) != ZM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("arrival at row 130, col 110: hour %.3f\n", T[place]);
    for (size_t k = 0; k < HOURS; k++) {
        sum += of_hour[k];
        nightly += is_night(k) ? fabs(of_hour[k]) : 0;
        if (of_hour[k] > 0.0005)
            printf("%02d-%02d 1 %% slower: %.2f minutes later\n", clock_of(k),
                   clock_of(k + 1), 60 * of_hour[k]);
    }
    zm_solver_destroy(solver);
    /* the night has no part in it */
    return !(nightly == 0 && isfinite(T[place]) && sum > 0);
}
