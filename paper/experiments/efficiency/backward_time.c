/* SPDX-License-Identifier: Apache-2.0
 * Time of the backward pass against N, alone and in batches. */
#include <math.h>

#include "fires.h"
#include "table.h"

enum { SIZES = 6, BATCHES = 3 };
static const int32_t sizes[SIZES] = { 50, 100, 150, 200, 250, 300 };
static const size_t batches[BATCHES] = { 1, 8, 64 };

/* The paper's times in ms where it tells them. */
static const char *const paper_solve[SIZES] = { "0.18", NULL, NULL, NULL, NULL, "9.2" };
static const char *const paper_whole[SIZES] = { [4] = "67.9" };
static const char *const paper_batches[BATCHES] = { "73.5", NULL, "19.5" };

typedef struct times {
    double N[SIZES], solve[SIZES], whole[BATCHES][SIZES], algorithm_2[SIZES]; /* ms */
    double forward[SIZES];
    int n;
} times;

static void measure(experiment_run *run, times *t, int32_t size)
{
    t->N[t->n] = size;
    for (int b = 0; b < BATCHES && run_goes_on(run); b++) {
        fires f = fires_new(run, FIRE_TILTED, size, batches[b]);

        t->whole[b][t->n] = 1e3 * fires_seconds(run, &f, fires_forward, fires_backward);
        if (b == 0) {
            t->forward[t->n] = 1e3 * fires_seconds(run, &f, NULL, fires_forward);
            t->solve[t->n] =
                1e3 * fires_seconds(run, &f, fires_up_to_stencils, fires_transport);
            t->algorithm_2[t->n] =
                1e3 * fires_seconds(run, &f, NULL, fires_algorithm_2);
        }
        fires_free(&f);
    }
    t->n++;
}

/* The rows of N = 250, for which the paper tells most. */
static void report_250(experiment_run *run, const times *t, int row)
{
    for (int b = 0; b < BATCHES; b++)
        RESULT(run, .reference = "Figure 5", .unit = "ms", .better = BETTER_LOWER,
               .quantity = run_text(
                   run, "whole backward pass of one of a batch of %zu, N = 250",
                   batches[b]),
               .paper = paper_batches[b], .ours = t->whole[b][row]);
    RESULT(run, .reference = "Figure 5", .paper = "3.8",
           .quantity = "alone over one of a batch of 64, N = 250",
           .ours = t->whole[0][row] / t->whole[2][row]);
    RESULT(run, .reference = "Figure 5", .paper = "2.9", .better = BETTER_LOWER,
           .quantity = "backward over forward, N = 250 (paper: 67.9 ms / 23.3 ms)",
           .ours = t->whole[0][row] / t->forward[row]);
}

static void report(experiment_run *run, const times *t, int row, int i)
{
    const int N = (int)t->N[row];

    RESULT(run, .reference = "Figure 5", .unit = "ms", .better = BETTER_LOWER,
           .quantity = run_text(run, "order and adjoint solve, N = %d", N),
           .paper = paper_solve[i], .ours = t->solve[row]);
    RESULT(run, .reference = "Figure 5", .unit = "ms", .better = BETTER_LOWER,
           .quantity = run_text(run, "whole backward pass, N = %d", N),
           .paper = paper_whole[i], .ours = t->whole[0][row]);
    RESULT(run, .reference = "Figure 5",
           .quantity =
               run_text(run, "Algorithm 2 on this machine over ours, N = %d", N),
           .ours = t->algorithm_2[row] / t->whole[0][row]);
    if (N == 250)
        report_250(run, t, row);
}

static void draw(experiment_run *run, const times *t)
{
    static const double N[] = { 50, 300 }, solve[] = { 0.18, 9.2 };
    static const double python[] = { 786, 31.1e3 };
    static const zm_plot_marker markers[BATCHES] = { ZM_MARKER_DOT, ZM_MARKER_SQUARE,
                                                     ZM_MARKER_TRIANGLE };
    zm_figure *figure = figure_new(run, 1, 2, NULL);
    zm_plot *one = zm_figure_plot(figure, 0, 0), *many = zm_figure_plot(figure, 0, 1);
    const size_t n = (size_t)t->n;

    axes_of_times(one, "One problem", "time [ms]");
    ZM_PLOT_LINE(one, .x = t->N, .y = t->whole[0], .n = n, .marker = ZM_MARKER_DOT,
                 .label = "ours, whole");
    ZM_PLOT_LINE(one, .x = t->N, .y = t->algorithm_2, .n = n,
                 .marker = ZM_MARKER_DIAMOND, .label = "Algorithm 2 in C, whole");
    ZM_PLOT_LINE(one, .x = t->N, .y = t->solve, .n = n, .marker = ZM_MARKER_RING,
                 .label = "ours, order and adjoint solve");
    ZM_PLOT_LINE(one, .x = N, .y = solve, .n = 2, .marker = ZM_MARKER_STAR,
                 .dash = ZM_DASH_DOTTED, .label = "paper, adjoint solve, Numba");
    ZM_PLOT_LINE(one, .x = N, .y = python, .n = 2, .marker = ZM_MARKER_CROSS,
                 .dash = ZM_DASH_DOTTED, .label = "paper, adjoint solve, Python");
    axes_of_times(many, "Batches", "whole backward pass, per problem [ms]");
    for (int b = 0; b < BATCHES; b++)
        ZM_PLOT_LINE(many, .x = t->N, .y = t->whole[b], .n = n, .marker = markers[b],
                     .label = run_text(run, "ours, <i>B</i> = %zu", batches[b]));
    ZM_PLOT_POINTS(many, .x = (double[]){ 250, 250 }, .y = (double[]){ 73.5, 19.5 },
                   .n = 2, .marker = ZM_MARKER_STAR, .marker_size = 9,
                   .label = "paper, <i>B</i> = 1 and 64");
    figure_save(run, figure, "backward-time", "Figure 5",
                "Left: time of the backward pass of one problem, and of its adjoint "
                "solve alone. Right: the whole backward pass, per problem of a "
                "batch.");
}

static void backward_time(experiment_run *run)
{
    times t = { 0 };

    for (int i = 0; i < SIZES && run_goes_on(run); i++) {
        if (!size_wanted(run, sizes[i]))
            continue;
        run_step(run, pow((double)sizes[i] / 340, 2), "N = %d", (int)sizes[i]);
        measure(run, &t, sizes[i]);
        if (run_goes_on(run))
            report(run, &t, t.n - 1, i);
    }
    if (!run_goes_on(run))
        return;
    SAVE_CURVES(run, "milliseconds", (size_t)t.n, { "N", t.N },
                { "order and adjoint solve", t.solve }, { "whole", t.whole[0] },
                { "whole, batches of 8", t.whole[1] },
                { "whole, batches of 64", t.whole[2] },
                { "Algorithm 2", t.algorithm_2 }, { "forward", t.forward });
    draw(run, &t);
    remark_on_machines(run, MEDIANS);
    run_remark(run,
               "Algorithm 2 searches the stencil of every cell again; ours has one "
               "byte a cell from the forward solve. Batches gain by threads "
               "(--threads), not on one thread, so the paper's ratio of 3.8 is not "
               "reached.");
}

const experiment experiment_backward_time = {
    .name = "backward-time",
    .group = "Efficiency",
    .title = "Time of the backward pass",
    .paper = "section Computational Efficiency, Figure 5, left and centre",
    .about =
        "From ∂L/∂T to the derivatives with respect to all five parameters of every "
        "cell. The "
        "medium is the paper's: axes at 30° with a ratio of 1.8, a drift of 0.02, a "
        "source of 3 × 3 cells, ∂L/∂T of a mean squared error at 30 % of the "
        "cells.\n\n"
        "The whole pass is zm_adjoint right after a solve. The adjoint solve, with "
        "the order that it needs, is zm_adjoint without asking for parameters once "
        "zm_stencils has found the stencils; the paper does not say whether its times "
        "have the sorting in them. Algorithm 2 is the paper's, in C. There is no "
        "counterpart to its naive Python.",
    .run = backward_time,
};
