/* SPDX-License-Identifier: Apache-2.0
 * Media to solve in. */
#include "medium.h"

#include <math.h>

#include "random.h"

const char *const plane_names[METRIC_PLANES] = { "g₁₁", "g₁₂", "g₂₂", "b₁", "b₂" };

medium medium_on(zm_grid grid, double *planes)
{
    const size_t n = (size_t)grid.rows * (size_t)grid.cols;
    medium m = { .grid = grid,
                 .cells = n,
                 .g11 = planes,
                 .g12 = planes + n,
                 .g22 = planes + 2 * n,
                 .b1 = planes + 3 * n,
                 .b2 = planes + 4 * n };

    medium_fill(&m, (cell_metric){ .g11 = 1, .g22 = 1 });
    return m;
}

medium medium_new(experiment_run *run, int32_t rows, int32_t cols, double spacing)
{
    const size_t cells = (size_t)rows * (size_t)cols;

    return medium_on((zm_grid){ rows, cols, spacing, spacing },
                     field_new(run, METRIC_PLANES * cells));
}

cell_metric metric_of(double l1, double l2, double angle, double b1, double b2)
{
    const double c = cos(angle), s = sin(angle);

    return (cell_metric){ l1 * c * c + l2 * s * s, (l1 - l2) * c * s,
                          l1 * s * s + l2 * c * c, b1, b2 };
}

double drift_norm(cell_metric m)
{
    const double det = m.g11 * m.g22 - m.g12 * m.g12;
    const double squared =
        m.g22 * m.b1 * m.b1 - 2 * m.g12 * m.b1 * m.b2 + m.g11 * m.b2 * m.b2;

    return sqrt(squared / det);
}

double metric_cost(cell_metric m, double vx, double vy)
{
    return sqrt(m.g11 * vx * vx + 2 * m.g12 * vx * vy + m.g22 * vy * vy) - m.b1 * vx -
           m.b2 * vy;
}

double *medium_parameters(const medium *m)
{
    return m->g11;
}

cell_metric medium_at(const medium *m, size_t cell)
{
    return (cell_metric){ m->g11[cell], m->g12[cell], m->g22[cell], m->b1[cell],
                          m->b2[cell] };
}

void medium_set(medium *m, size_t cell, cell_metric value)
{
    m->g11[cell] = value.g11;
    m->g12[cell] = value.g12;
    m->g22[cell] = value.g22;
    m->b1[cell] = value.b1;
    m->b2[cell] = value.b2;
}

void medium_fill(medium *m, cell_metric value)
{
    for (size_t cell = 0; cell < m->cells; cell++)
        medium_set(m, cell, value);
}

void medium_fill_smooth(experiment_run *run, medium *m, uint64_t seed, double length)
{
    double *u = field_new(run, METRIC_PLANES * m->cells);
    const size_t n = m->cells;

    for (size_t i = 0; i < METRIC_PLANES; i++)
        if (!random_field(&seed, (size_t)m->grid.rows, (size_t)m->grid.cols, length,
                          u + i * n))
            run_fail(run, "no memory for a random field of %zu cells", n);
    for (size_t cell = 0; cell < n; cell++)
        medium_set(m, cell,
                   metric_of(exp(0.2 * u[cell]), exp(0.2 * u[n + cell]),
                             0.5 * u[2 * n + cell], 0.1 * u[3 * n + cell],
                             0.1 * u[4 * n + cell]));
}

static const double turn = 6.283185307179586;

/* A wave over the unit square, 0..1. */
static double wave(double x, double y, double phase)
{
    return 0.5 + 0.5 * sin(turn * (x + 0.7 * y + phase));
}

void medium_fill_wildfire(medium *m, uint64_t *random)
{
    const double of_angle = zm_random_unit(random), of_ratio = zm_random_unit(random);
    const double of_drift = zm_random_unit(random);
    size_t cell = 0;

    for (int32_t row = 0; row < m->grid.rows; row++) {
        for (int32_t col = 0; col < m->grid.cols; col++, cell++) {
            const double x = (double)col / m->grid.cols;
            const double y = (double)row / m->grid.rows;
            const double angle = turn / 4 * wave(x, y, of_angle);
            const double ratio = 1.5 + 0.5 * wave(-y, x, of_ratio);
            const double heading = turn * wave(y, -x, of_drift);

            medium_set(m, cell,
                       metric_of(ratio * ratio, 1, angle, WILDFIRE_DRIFT * cos(heading),
                                 WILDFIRE_DRIFT * sin(heading)));
        }
    }
}

void medium_source(experiment_run *run, medium *m, int32_t row, int32_t col,
                   double time)
{
    zm_source *more = run_memory(run, m->n_sources + 1, sizeof *more);

    for (size_t i = 0; i < m->n_sources; i++)
        more[i] = m->sources[i];
    more[m->n_sources++] = (zm_source){ row, col, time };
    m->sources = more;
}

void medium_source_block(experiment_run *run, medium *m)
{
    for (int32_t row = -1; row <= 1; row++)
        for (int32_t col = -1; col <= 1; col++)
            medium_source(run, m, m->grid.rows / 2 + row, m->grid.cols / 2 + col, 0);
}

zm_problem medium_problem(const medium *m)
{
    return (zm_problem){
        .size = sizeof(zm_problem),
        .metric = { ZM_F64, m->g11, m->g12, m->g22, m->b1, m->b2 },
        .sources = m->sources,
        .n_sources = m->n_sources,
        .walls = m->walls,
    };
}

void medium_exact(const medium *m, double *T)
{
    const cell_metric metric = medium_at(m, 0);
    size_t cell = 0;

    for (int32_t row = 0; row < m->grid.rows; row++) {
        for (int32_t col = 0; col < m->grid.cols; col++, cell++) {
            T[cell] = INFINITY;
            for (size_t i = 0; i < m->n_sources; i++) {
                const zm_source *s = &m->sources[i];

                T[cell] = fmin(
                    T[cell], s->time + metric_cost(metric, (col - s->col) * m->grid.dx,
                                                   (row - s->row) * m->grid.dy));
            }
        }
    }
}

zm_solver *medium_solver(experiment_run *run, const medium *m, int32_t batch)
{
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;

    opts.stencils = ZM_STENCILS_FIXED;
    opts.batch = batch;
    return medium_solver_with(run, m, opts);
}

zm_solver *medium_solver_with(experiment_run *run, const medium *m, zm_solver_opts opts)
{
    zm_solver *solver = NULL;
    zm_error err;

    opts.threads = run_threads(run);
    if (run_goes_on(run))
        run_check(run, zm_solver_create(&solver, m->grid, ZM_F64, &opts, &err), &err);
    return solver;
}

zm_report medium_solve(experiment_run *run, const medium *m, double *T)
{
    const zm_problem problem = medium_problem(m);
    zm_solver *solver = medium_solver(run, m, 1);
    zm_report report = ZM_REPORT_INIT;
    zm_error err;

    if (run_goes_on(run))
        run_check(run, zm_forward(solver, &problem, T, NULL, &report, &err), &err);
    zm_solver_destroy(solver);
    return report;
}
