/* SPDX-License-Identifier: Apache-2.0
 * What the backward pass spends its time on. */
#include <math.h>

#include "fires.h"
#include "table.h"
#include "zermelo/diagnose.h"

enum { SIDE = 250 };

typedef enum part { STENCILS, ORDER, SOLVE, PARAMETERS, PARTS } part;
static const char *const part_names[PARTS] = { "stencils", "order", "adjoint",
                                               "parameters" };

/* zm_stencils right after a solve: works out stencils and weights, not yet the order. */
static double seconds_stencils(experiment_run *run, const fires *f)
{
    timer t = timer_for(run);
    zm_error err;

    while (run_goes_on(run) && timer_next(&t)) {
        fires_forward(run, f);
        timer_from_here(&t);
        run_check(run, zm_stencils(f->solver, f->problems, f->T[0], NULL, NULL, &err),
                  &err);
    }
    return t.median;
}

/* The first adjoint after that. */
static double seconds_order_and_solve(experiment_run *run, const fires *f)
{
    timer t = timer_for(run);
    zm_error err;

    while (run_goes_on(run) && timer_next(&t)) {
        fires_forward(run, f);
        run_check(run, zm_stencils(f->solver, f->problems, f->T[0], NULL, NULL, &err),
                  &err);
        timer_from_here(&t);
        fires_transport(run, f);
    }
    return t.median;
}

static void report(experiment_run *run, const double ms[PARTS])
{
    const double whole = ms[STENCILS] + ms[ORDER] + ms[SOLVE] + ms[PARAMETERS];
    const struct {
        const char *quantity, *paper_ms, *paper_share;
        double ms;
    } rows[] = {
        { "stencil identification", "56.1", "83", ms[STENCILS] },
        { "order and adjoint solve", "9.5", "14", ms[ORDER] + ms[SOLVE] },
        { "parameter gradients", "2.3", "3", ms[PARAMETERS] },
        { "sum of the three", "67.9", NULL, whole },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        RESULT(run, .reference = "Figure 5", .unit = "ms", .better = BETTER_LOWER,
               .quantity = rows[i].quantity, .paper = rows[i].paper_ms,
               .ours = rows[i].ms);
        if (rows[i].paper_share)
            RESULT(run, .reference = "Figure 5", .unit = "%",
                   .quantity = run_text(run, "%s, share", rows[i].quantity),
                   .paper = rows[i].paper_share, .ours = 100 * rows[i].ms / whole);
    }
    RESULT(run, .reference = "Figure 5", .unit = "ms", .quantity = "order alone",
           .ours = ms[ORDER]);
}

static void draw(experiment_run *run, const double ms[PARTS], double algorithm_2)
{
    static const double paper[PARTS] = { 56.1, NAN, 9.5, 2.3 };
    zm_figure *figure = figure_new(run, 1, 1, NULL);
    zm_plot *plot = zm_figure_plot(figure, 0, 0);
    double shown[PARTS]; /* a difference of two times can come out negative */

    for (int i = 0; i < PARTS; i++)
        shown[i] = ms[i] > 0 ? ms[i] : NAN;
    ZM_PLOT_AXES(plot, .title = "Parts of the backward pass, <i>N</i> = 250",
                 .y.label = "time [ms]", .y.scale = ZM_SCALE_LOG,
                 .legend = ZM_LEGEND_UPPER_RIGHT);
    ZM_PLOT_BARS(plot, .heights = paper, .names = part_names, .n = PARTS,
                 .show_values = 1, .label = "paper, Numba");
    ZM_PLOT_BARS(plot, .heights = shown, .n = PARTS, .show_values = 1, .label = "ours");
    figure_save(run, figure, "breakdown", "Figure 5",
                run_text(run,
                         "The parts of the backward pass on 250 × 250 cells. The "
                         "paper tells no time for the order, which its adjoint solve "
                         "needs too. Its Algorithm 2 takes %.1f ms in C on this "
                         "machine.",
                         algorithm_2));
}

static void breakdown(experiment_run *run)
{
    fires f = fires_new(run, FIRE_TILTED, SIDE, 1);
    double ms[PARTS], algorithm_2;

    ms[STENCILS] = 1e3 * seconds_stencils(run, &f);
    ms[ORDER] = 1e3 * seconds_order_and_solve(run, &f);
    ms[SOLVE] = 1e3 * seconds_transport(run, &f);
    ms[PARAMETERS] = 1e3 * seconds_backward_again(run, &f) - ms[SOLVE];
    ms[ORDER] -= ms[SOLVE];
    algorithm_2 = 1e3 * seconds_algorithm_2(run, &f);
    fires_free(&f);
    if (!run_goes_on(run))
        return;
    report(run, ms);
    run_save(run, "milliseconds", ms, 1, PARTS);
    draw(run, ms, algorithm_2);
    remark_on_machines(run);
}

const experiment experiment_backward_breakdown = {
    .name = "backward-breakdown",
    .group = "Efficiency",
    .title = "Parts of the backward pass",
    .paper = "section Computational Efficiency, Figure 5, right",
    .about =
        "The paper spends 83 % of its backward pass on finding the active stencil of "
        "every cell. Here the forward solve notes which sweep won (one byte a cell), "
        "and only the weights are worked out again.\n\n"
        "The parts are told apart through the public interface, on the medium of "
        "backward-time: zm_stencils right after a solve (stencils); the first "
        "zm_adjoint after that less the next one (order); zm_adjoint again without "
        "parameters (adjoint); with all five less without (parameters). Since the "
        "paper has no part for the order, which must be somewhere, ours is added to "
        "the adjoint solve.",
    .run = breakdown,
};
