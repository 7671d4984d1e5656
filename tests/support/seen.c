/* SPDX-License-Identifier: Apache-2.0
 * Observations to invert, made from a case whose metric is known. */
#include "support/seen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

static void *must_have(void *memory)
{
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

static void must_do(zm_status status, const zm_error *err)
{
    if (status != ZM_OK) {
        fprintf(stderr, "%s\n", err->text);
        exit(1);
    }
}

/* Over the cells that were reached. */
static double deviation(const double *x, size_t n)
{
    double sum = 0.0, squares = 0.0, count = 0.0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(x[i])) {
            sum += x[i];
            count++;
        }
    for (size_t i = 0; i < n; i++)
        if (isfinite(x[i]))
            squares += (x[i] - sum / count) * (x[i] - sum / count);
    return sqrt(squares / count);
}

static bool is_source(const test_case *c, size_t cell)
{
    const size_t cols = (size_t)c->grid.cols;

    for (size_t k = 0; k < c->n_sources; k++)
        if (cell == (size_t)c->sources[k].row * cols + (size_t)c->sources[k].col)
            return true;
    return false;
}

seen seen_make(const test_case *c, size_t every, double noise, uint64_t seed)
{
    const zm_error failed = { .text = "the case has no times" };
    const zm_solver_opts opts = ZM_SOLVER_OPTS_INIT; /* adaptive, as an inversion */
    double *T = nan_doubles(c->n);
    seen s = { .experiment = ZM_EXPERIMENT_INIT };
    size_t n = 0;
    double sigma;

    s.cells = must_have(malloc(c->n * sizeof *s.cells));
    s.times = must_have(malloc(c->n * sizeof *s.times));
    must_do(case_solve_with(c, T, &opts), &failed);
    sigma = noise * deviation(T, c->n);
    for (size_t first = 0; first + every <= c->n; first += every) {
        const size_t cell = first + zm_random_below(&seed, every);

        if (is_source(c, cell) || !isfinite(T[cell]))
            continue;
        s.cells[n] = (int64_t)cell;
        s.times[n++] = T[cell] + sigma * zm_random_normal(&seed);
    }
    s.experiment.sources = c->sources;
    s.experiment.n_sources = c->n_sources;
    s.experiment.n = n;
    s.experiment.cells = s.cells;
    s.experiment.times = s.times;
    s.experiment.sigma = sigma;
    free(T);
    return s;
}

void seen_free(seen *s)
{
    free(s->cells);
    free(s->times);
}

zm_inversion *seen_inversion(zm_grid grid, const zm_invert_opts *opts, const seen *list,
                             size_t count)
{
    zm_inversion *inversion;
    zm_error err;

    must_do(zm_inversion_create(&inversion, grid, opts, &err), &err);
    for (size_t i = 0; i < count; i++)
        must_do(zm_inversion_add(inversion, &list[i].experiment, &err), &err);
    return inversion;
}

zm_invert_report report_of(const zm_inversion *inversion)
{
    zm_invert_report report = ZM_INVERT_REPORT_INIT;

    if (zm_inversion_report(inversion, &report, NULL) < 0)
        abort();
    return report;
}

test_case found_case(const zm_inversion *inversion, zm_grid grid)
{
    test_case c = case_create(grid.rows, grid.cols);
    const zm_metric_out out = {
        .g11 = c.g11, .g12 = c.g12, .g22 = c.g22, .b1 = c.b1, .b2 = c.b2
    };
    zm_error err;

    c.grid = grid;
    must_do(zm_inversion_metric(inversion, &out, &err), &err);
    return c;
}

/* Planes from..to-1 with their weights. */
static double planes_error(const test_case *found, const test_case *truth, int from,
                           int to)
{
    double error2 = 0.0, size2 = 0.0;

    for (int k = from; k < to; k++) {
        const double *x = case_plane(found, k), *y = case_plane(truth, k);
        const double weight = k == 1 ? 2.0 : 1.0;

        for (size_t i = 0; i < truth->n; i++) {
            error2 += weight * (x[i] - y[i]) * (x[i] - y[i]);
            size2 += weight * y[i] * y[i];
        }
    }
    return sqrt(error2 / size2);
}

double metric_error(const test_case *found, const test_case *truth)
{
    return planes_error(found, truth, 0, 3);
}

double drift_error(const test_case *found, const test_case *truth)
{
    return planes_error(found, truth, 3, 5);
}

void fill_halves(test_case *c, double left, double right)
{
    fill_constant(c, 1, 0, 1, 0, 0);
    for (size_t i = 0; i < c->n; i++)
        c->g11[i] = c->g22[i] =
            (int32_t)(i % (size_t)c->grid.cols) < c->grid.cols / 2 ? left : right;
}
