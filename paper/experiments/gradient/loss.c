/* SPDX-License-Identifier: Apache-2.0
 * A loss of arrival times and its derivatives, by the adjoint and by differences. */
#include "loss.h"

#include <math.h>
#include <stdlib.h>

#include "zermelo/adjoint.h"

static const double seen_earlier = 0.9; /* T_obs / T */

static void solve(experiment_run *run, const loss *l, double *T)
{
    const zm_problem problem = medium_problem(l->m);
    zm_error err;

    if (run_goes_on(run))
        run_check(run, zm_forward(l->solver, &problem, T, NULL, NULL, &err), &err);
}

/* Rounds the medium to float32, solves in float32. */
static void solve_single(experiment_run *run, const loss *l, double *T)
{
    const size_t n = l->m->cells;
    float *rounded = malloc((METRIC_PLANES + 1) * n * sizeof *rounded);
    float *times = rounded + METRIC_PLANES * n;
    zm_problem problem = medium_problem(l->m);
    zm_error err;

    if (!rounded) {
        run_fail(run, "no memory for %zu cells in float32", n);
        return;
    }
    for (size_t i = 0; i < METRIC_PLANES * n; i++)
        rounded[i] = (float)medium_parameters(l->m)[i];
    problem.metric = (zm_metric){ ZM_F32,          rounded,         rounded + n,
                                  rounded + 2 * n, rounded + 3 * n, rounded + 4 * n };
    if (run_goes_on(run))
        run_check(run, zm_forward(l->single, &problem, times, NULL, NULL, &err), &err);
    for (size_t cell = 0; cell < n; cell++)
        T[cell] = times[cell];
    free(rounded);
}

loss loss_new(experiment_run *run, medium *m)
{
    loss l = { .m = m,
               .solver = medium_solver(run, m, 1),
               .T = field_new(run, m->cells),
               .observed = field_new(run, m->cells),
               .dL_dT = field_new(run, m->cells),
               .gradient = field_new(run, METRIC_PLANES * m->cells),
               .up = field_new(run, m->cells),
               .down = field_new(run, m->cells) };

    for (size_t cell = 0; cell < m->cells; cell++)
        l.observed[cell] = NAN;
    solve(run, &l, l.T);
    return l;
}

void loss_free(loss *l)
{
    zm_solver_destroy(l->solver);
    zm_solver_destroy(l->single);
}

void loss_observe(loss *l, size_t cell)
{
    l->observed[cell] = seen_earlier * l->T[cell];
    l->dL_dT[cell] = l->T[cell] - l->observed[cell];
}

void loss_observe_all(loss *l)
{
    for (size_t cell = 0; cell < l->m->cells; cell++)
        loss_observe(l, cell);
}

void loss_gradient(experiment_run *run, loss *l)
{
    const zm_problem problem = medium_problem(l->m);
    const size_t n = l->m->cells;
    double *g = l->gradient, *starts = field_new(run, l->m->n_sources);
    const zm_gradient out = { .size = sizeof(zm_gradient),
                              .g11 = g,
                              .g12 = g + n,
                              .g22 = g + 2 * n,
                              .b1 = g + 3 * n,
                              .b2 = g + 4 * n,
                              .source_times = starts };
    zm_error err;

    solve(run, l, l->T); /* the solver may have seen another medium since */
    if (run_goes_on(run))
        run_check(run, zm_adjoint(l->solver, &problem, l->T, l->dL_dT, &out, &err),
                  &err);
    l->by_start = starts[0];
}

void loss_refresh(experiment_run *run, loss *l)
{
    solve(run, l, l->T);
    for (size_t cell = 0; cell < l->m->cells; cell++)
        if (isfinite(l->observed[cell]))
            l->dL_dT[cell] = l->T[cell] - l->observed[cell];
    loss_gradient(run, l);
}

/* L(up) - L(down): each term is (u - d) ((u + d)/2 - T_obs). */
static double fall_of_loss(const loss *l)
{
    double sum = 0;

    for (size_t cell = 0; cell < l->m->cells; cell++)
        if (isfinite(l->observed[cell]))
            sum += (l->up[cell] - l->down[cell]) *
                   ((l->up[cell] + l->down[cell]) / 2 - l->observed[cell]);
    return sum;
}

static void solve_moved(experiment_run *run, loss *l, const double *v, double h,
                        double *T)
{
    double *p = medium_parameters(l->m);

    for (size_t i = 0; i < METRIC_PLANES * l->m->cells; i++)
        p[i] += h * v[i];
    (l->single ? solve_single : solve)(run, l, T);
}

double loss_difference(experiment_run *run, loss *l, const double *v, double h)
{
    const size_t n = METRIC_PLANES * l->m->cells;
    double *p = medium_parameters(l->m), *kept = malloc(n * sizeof *kept);

    if (!kept) {
        run_fail(run, "no memory for %zu parameters", n);
        return NAN;
    }
    for (size_t i = 0; i < n; i++)
        kept[i] = p[i];
    solve_moved(run, l, v, h, l->up);
    for (size_t i = 0; i < n; i++)
        p[i] = kept[i];
    solve_moved(run, l, v, -h, l->down);
    for (size_t i = 0; i < n; i++)
        p[i] = kept[i];
    free(kept);
    return fall_of_loss(l) / (2 * h);
}

double loss_difference_by(experiment_run *run, loss *l, size_t parameter, double h)
{
    double *p = &medium_parameters(l->m)[parameter];
    const double kept = *p;

    *p = kept + h;
    solve(run, l, l->up);
    *p = kept - h;
    solve(run, l, l->down);
    *p = kept;
    return fall_of_loss(l) / (2 * h);
}

void loss_solve_in_float32(experiment_run *run, loss *l)
{
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_error err;

    opts.stencils = ZM_STENCILS_FIXED;
    if (run_goes_on(run) && !l->single)
        run_check(run, zm_solver_create(&l->single, l->m->grid, ZM_F32, &opts, &err),
                  &err);
}

void loss_magnitudes(const loss *l, double *by_G, double *by_b)
{
    const size_t n = l->m->cells;
    const double *g = l->gradient;

    for (size_t cell = 0; cell < n; cell++) {
        by_G[cell] = sqrt(g[cell] * g[cell] + g[n + cell] * g[n + cell] +
                          g[2 * n + cell] * g[2 * n + cell]);
        by_b[cell] = hypot(g[3 * n + cell], g[4 * n + cell]);
    }
}
