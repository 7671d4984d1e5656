/* SPDX-License-Identifier: Apache-2.0
 * The paper's fires to take the time of. */
#include "fires.h"

#include <math.h>
#include <stdlib.h>

#include "random.h"
#include "reference/reference.h"
#include "zermelo/diagnose.h"

static const double observed_share = 0.3, seen_earlier = 0.9;

/* Metric, T, dL/dT, gradient. */
enum { FIELDS = METRIC_PLANES + 2 + METRIC_PLANES };

static void fill(medium *m, fire_kind kind, uint64_t *state)
{
    const double angle = acos(-1) / 6;

    if (kind == FIRE_VARIED)
        medium_fill_wildfire(m, state);
    else
        medium_fill(m, metric_of(1.8 * 1.8, 1, angle, WILDFIRE_DRIFT * cos(angle),
                                 WILDFIRE_DRIFT * sin(angle)));
}

/* dL/dT of half the mean squared error. */
static void observe(fires *f, size_t i, uint64_t *state)
{
    const double all = observed_share * (double)f->media[i].cells;

    for (size_t cell = 0; cell < f->media[i].cells; cell++)
        f->dL_dT[i][cell] = zm_random_unit(state) < observed_share
                                ? (1 - seen_earlier) * f->T[i][cell] / all
                                : 0;
}

/* Problem i in its part of the block. */
static void place(experiment_run *run, fires *f, size_t i, fire_kind kind, int32_t side,
                  uint64_t *state)
{
    const size_t n = (size_t)side * (size_t)side;
    double *p = f->block + i * FIELDS * n;
    medium *m = &f->media[i];

    *m = medium_on((zm_grid){ side, side, 1, 1 }, p);
    fill(m, kind, state);
    medium_source_block(run, m);
    f->problems[i] = medium_problem(m);
    f->T[i] = p + 5 * n;
    f->dL_dT[i] = p + 6 * n;
    p += 7 * n;
    f->gradients[i] = (zm_gradient){ .size = sizeof(zm_gradient),
                                     .g11 = p,
                                     .g12 = p + n,
                                     .g22 = p + 2 * n,
                                     .b1 = p + 3 * n,
                                     .b2 = p + 4 * n };
}

fires fires_new(experiment_run *run, fire_kind kind, int32_t side, size_t n)
{
    const size_t cells = (size_t)side * (size_t)side;
    uint64_t state = run_seed(run, (uint64_t)kind);
    fires f = { .n = n,
                .media = run_memory(run, n, sizeof *f.media),
                .problems = run_memory(run, n, sizeof *f.problems),
                .T = run_memory(run, n, sizeof *f.T),
                .dL_dT = run_memory(run, n, sizeof *f.dL_dT),
                .gradients = run_memory(run, n, sizeof *f.gradients),
                .block = malloc((n * FIELDS + 1) * cells * sizeof *f.block) };

    if (!f.block)
        run_fail(run, "no memory for %zu problems of %zu cells", n, cells);
    if (!run_goes_on(run))
        return f;
    f.spare = f.block + n * FIELDS * cells;
    for (size_t i = 0; i < n; i++)
        place(run, &f, i, kind, side, &state);
    f.solver = medium_solver(run, &f.media[0], (int32_t)n);
    fires_forward(run, &f);
    for (size_t i = 0; i < n; i++)
        observe(&f, i, &state);
    return f;
}

void fires_free(fires *f)
{
    zm_solver_destroy(f->solver);
    free(f->block);
    *f = (fires){ 0 };
}

void fires_forward(experiment_run *run, const fires *f)
{
    zm_status st;
    zm_error err;

    if (!run_goes_on(run))
        return;
    st = f->n == 1 ? zm_forward(f->solver, f->problems, f->T[0], NULL, NULL, &err)
                   : zm_forward_batch(f->solver, f->problems, f->n, (void *const *)f->T,
                                      NULL, NULL, &err);
    run_check(run, st, &err);
}

void fires_backward(experiment_run *run, const fires *f)
{
    zm_status st;
    zm_error err;

    if (!run_goes_on(run))
        return;
    st = f->n == 1
             ? zm_adjoint(f->solver, f->problems, f->T[0], f->dL_dT[0], f->gradients,
                          &err)
             : zm_adjoint_batch(f->solver, f->problems, f->n, (const void *const *)f->T,
                                (const void *const *)f->dL_dT, f->gradients, &err);
    run_check(run, st, &err);
}

void fires_transport(experiment_run *run, const fires *f)
{
    double by_start[9]; /* all sources: the 3 x 3 cells */
    const zm_gradient out = { .size = sizeof(zm_gradient), .source_times = by_start };
    zm_error err;

    if (run_goes_on(run))
        run_check(run,
                  zm_adjoint(f->solver, f->problems, f->T[0], f->dL_dT[0], &out, &err),
                  &err);
}

void fires_stencils(experiment_run *run, const fires *f)
{
    zm_error err;

    if (run_goes_on(run))
        run_check(run,
                  zm_stencils(f->solver, 0, f->problems, f->T[0], NULL, NULL, &err),
                  &err);
}

void fires_up_to_stencils(experiment_run *run, const fires *f)
{
    fires_forward(run, f);
    fires_stencils(run, f);
}

/* As the paper prints it: with rejection, to a tolerance of 1e-6. */
void fires_algorithm_1(experiment_run *run, const fires *f)
{
    zm_reference_opts opts = ZM_REFERENCE_OPTS_INIT;
    zm_error err;

    opts.causality_rejection = 1;
    if (run_goes_on(run))
        run_check(run,
                  zm_reference_sweep(f->media[0].grid, f->problems, f->spare, &opts,
                                     NULL, &err),
                  &err);
}

void fires_algorithm_2(experiment_run *run, const fires *f)
{
    zm_error err;

    if (run_goes_on(run))
        run_check(run,
                  zm_reference_adjoint(f->media[0].grid, f->problems, f->T[0],
                                       f->dL_dT[0], f->gradients, &err),
                  &err);
}

timer timer_for(const experiment_run *run)
{
    const bool quick = run_quick(run);

    return (timer){ .least = quick ? 3 : 7,
                    .seconds = quick ? 0.05 : 0.3,
                    .processor = run_threads(run) == 1 };
}

double fires_seconds(experiment_run *run, const fires *f, fires_act *before,
                     fires_act *timed)
{
    timer t = timer_for(run);

    while (run_goes_on(run) && timer_next(&t)) {
        if (before) {
            before(run, f);
            timer_from_here(&t);
        }
        timed(run, f);
    }
    return t.median / (double)f->n;
}

bool size_wanted(const experiment_run *run, int32_t side)
{
    return !run_quick(run) || side == 50 || side == 100 || side == 250;
}

void axes_of_times(zm_plot *plot, const char *title, const char *y_label)
{
    ZM_PLOT_AXES(plot, .title = title, .x.label = "<i>N</i>", .x.scale = ZM_SCALE_LOG,
                 .y.label = y_label, .y.scale = ZM_SCALE_LOG, .aspect = 0.85,
                 .legend = ZM_LEGEND_BELOW);
}

void remark_on_machines(experiment_run *run, const char *kind_of_times)
{
    const int threads = (int)run_threads(run);

    run_remark(
        run,
        "The paper's times are those of its machine, which it does not name, and of "
        "Numba; ours are of this machine, C, float64: %s with warm caches, %s. Only "
        "ratios of times taken on the same machine mean much.",
        kind_of_times,
        threads == 1 ? "in processor time of one thread"
                     : run_text(run, "by the clock, on %d threads", threads));
}
