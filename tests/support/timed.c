/* SPDX-License-Identifier: Apache-2.0
 * Problems with intervals to test with. */
#include "support/timed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"

static const double pi = 3.14159265358979323846;

timed_case timed_create(int32_t rows, int32_t cols, size_t n_intervals)
{
    timed_case b = { .n_intervals = n_intervals, .n = (size_t)rows * (size_t)cols };

    for (size_t k = 0; k < n_intervals; k++) {
        b.interval[k] = case_create(rows, cols);
        b.starts[k] = (double)k;
    }
    return b;
}

void timed_free(timed_case *b)
{
    for (size_t k = 0; k < b->n_intervals; k++) {
        case_free(&b->interval[k]);
        free(b->stopped[k]);
    }
}

void timed_stop(timed_case *b, size_t interval, int64_t cell)
{
    if (!b->stopped[interval] && !(b->stopped[interval] = calloc(b->n, 1)))
        exit(1);
    for (size_t i = 0; i < b->n; i++)
        if (cell < 0 || (size_t)cell == i)
            b->stopped[interval][i] = 1;
}

static void metric_set(test_case *c, size_t i, double slow, double ratio, double angle,
                       double drift, double heading)
{
    const double u = cos(angle), v = sin(angle), a = slow * slow, d = a * ratio * ratio;
    double norm2;

    c->g11[i] = a * u * u + d * v * v;
    c->g12[i] = (a - d) * u * v;
    c->g22[i] = a * v * v + d * u * u;
    c->b1[i] = cos(heading);
    c->b2[i] = sin(heading);
    norm2 = (c->g22[i] * c->b1[i] * c->b1[i] - 2 * c->g12[i] * c->b1[i] * c->b2[i] +
             c->g11[i] * c->b2[i] * c->b2[i]) /
            (c->g11[i] * c->g22[i] - c->g12[i] * c->g12[i]);
    c->b1[i] *= drift / sqrt(norm2);
    c->b2[i] *= drift / sqrt(norm2);
}

timed_case timed_random(int32_t side, size_t n_intervals, uint64_t seed,
                        double contrast, double ratio, double drift, bool smooth)
{
    timed_case b = timed_create(side, side, n_intervals);
    uint64_t state = seed;

    for (size_t k = 0; k < n_intervals; k++) {
        const double turn = 0.9 * (double)k + zm_random_unit(&state);
        const double fast = pow(contrast, -zm_random_unit(&state));

        for (size_t i = 0; i < b.n; i++) {
            const double x = (double)(i % (size_t)side) / side;
            const double y = (double)(i / (size_t)side) / side;
            const double wave = 0.5 + 0.5 * sin(2 * pi * x + turn) * cos(2 * pi * y);
            const double r[5] = { zm_random_unit(&state), zm_random_unit(&state),
                                  zm_random_unit(&state), zm_random_unit(&state),
                                  zm_random_unit(&state) };

            if (smooth)
                metric_set(&b.interval[k], i, fast * pow(contrast, wave),
                           1 + (ratio - 1) * wave, turn + x, drift * (0.5 + 0.5 * wave),
                           2 * turn + y);
            else
                metric_set(&b.interval[k], i, pow(contrast, r[0]),
                           1 + (ratio - 1) * r[1], pi * r[2], drift * r[3],
                           2 * pi * r[4]);
        }
    }
    case_add_source(&b.interval[0], side / 2, side / 2, 0.3);
    return b;
}

zm_problem timed_problem(timed_case *b)
{
    for (size_t k = 0; k < b->n_intervals; k++)
        b->views[k] =
            (zm_interval){ case_problem(&b->interval[k]).metric, b->stopped[k] };
    return (zm_problem){ .size = sizeof(zm_problem),
                         .n_intervals = b->n_intervals,
                         .starts = b->starts,
                         .intervals = b->views,
                         .sources = b->interval[0].sources,
                         .n_sources = b->interval[0].n_sources,
                         .walls = b->interval[0].walls };
}

zm_solver *timed_solver(const timed_case *b, zm_step_cost cost)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_solver *h;
    zm_error err;

    o.cost = cost;
    o.reach = 1;
    o.stencils = ZM_STENCILS_ADAPTIVE;
    if (zm_solver_create(&h, b->interval[0].grid, ZM_F64, &o, &err) != ZM_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return h;
}

zm_status timed_solve(timed_case *b, zm_step_cost cost, double *T)
{
    zm_solver *h = timed_solver(b, cost);
    const zm_problem p = timed_problem(b);
    zm_error err = { ZM_OK, -1, "" };
    const zm_status st = zm_forward(h, &p, T, NULL, NULL, &err);

    if (st != ZM_OK)
        fprintf(stderr, "%s\n", err.text);
    zm_solver_destroy(h);
    return st;
}
