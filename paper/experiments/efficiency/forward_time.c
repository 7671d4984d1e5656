/* SPDX-License-Identifier: Apache-2.0
 * Time of a forward solve against N, alone and in batches. */
#include <math.h>

#include "fires.h"
#include "table.h"

enum { SIZES = 7, BATCHES = 3 };
static const int32_t sizes[SIZES] = { 50, 100, 150, 200, 250, 300, 400 };
static const size_t batches[BATCHES] = { 1, 8, 64 };
static const char *const batch_names[BATCHES] = { "one at a time", "batches of 8",
                                                  "batches of 64" };

/* The paper's times in ms where it tells them: one problem on the CPU, 64 on the GPU. */
static const char *const paper_single[SIZES] = { "0.89", NULL, NULL,  NULL,
                                                 "23.3", NULL, "58.7" };
static const char *const paper_64[SIZES] = { [4] = "10.1" };

typedef struct times {
    double N[SIZES], ours[BATCHES][SIZES], algorithm_1[SIZES]; /* ms for one problem */
    int n;                                                     /* sizes measured */
} times;

static void measure(experiment_run *run, times *t, int32_t size)
{
    t->N[t->n] = size;
    for (int b = 0; b < BATCHES && run_goes_on(run); b++) {
        fires f = fires_new(run, FIRE_VARIED, size, batches[b]);

        t->ours[b][t->n] = 1e3 * fires_seconds(run, &f, NULL, fires_forward);
        if (b == 0)
            t->algorithm_1[t->n] =
                1e3 * fires_seconds(run, &f, NULL, fires_algorithm_1);
        fires_free(&f);
    }
    t->n++;
}

static void report(experiment_run *run, const times *t, int row, int i)
{
    const int N = (int)t->N[row];

    RESULT(run, .reference = "Figure 4", .unit = "ms", .better = BETTER_LOWER,
           .quantity = run_text(run, "one problem, N = %d", N),
           .paper = paper_single[i], .ours = t->ours[0][row]);
    RESULT(run, .reference = "Figure 4", .unit = "ms", .better = BETTER_LOWER,
           .quantity = run_text(run, "one of a batch of 8, N = %d", N),
           .ours = t->ours[1][row]);
    RESULT(run, .reference = "Figure 4", .unit = "ms", .better = BETTER_LOWER,
           .quantity = run_text(run, "one of a batch of 64 (paper: GPU), N = %d", N),
           .paper = paper_64[i], .ours = t->ours[2][row]);
    RESULT(run, .reference = "Figure 4",
           .quantity =
               run_text(run, "Algorithm 1 on this machine over ours, N = %d", N),
           .ours = t->algorithm_1[row] / t->ours[0][row]);
    if (N == 250)
        RESULT(run, .reference = "Figure 4", .paper = "2.31",
               .quantity = "one problem alone over one of a batch of 64, N = 250",
               .ours = t->ours[0][row] / t->ours[2][row]);
}

static void draw(experiment_run *run, const times *t)
{
    static const double N[] = { 50, 250, 400 }, cpu[] = { 0.89, 23.3, 58.7 };
    zm_figure *figure = figure_new(run, 1, 1, NULL);
    zm_plot *plot = zm_figure_plot(figure, 0, 0);
    const size_t n = (size_t)t->n;

    axes_of_times(plot, "Forward solve", "time for one problem [ms]");
    for (int b = 0; b < BATCHES; b++)
        ZM_PLOT_LINE(plot, .x = t->N, .y = t->ours[b], .n = n,
                     .marker = (zm_plot_marker[]){ ZM_MARKER_DOT, ZM_MARKER_SQUARE,
                                                   ZM_MARKER_TRIANGLE }[b],
                     .label = run_text(run, "ours, %s", batch_names[b]));
    ZM_PLOT_LINE(plot, .x = t->N, .y = t->algorithm_1, .n = n,
                 .marker = ZM_MARKER_DIAMOND,
                 .label = "Algorithm 1 in C, this machine");
    ZM_PLOT_POINTS(plot, .x = N, .y = cpu, .n = 3, .marker = ZM_MARKER_STAR,
                   .marker_size = 9, .label = "paper, CPU");
    ZM_PLOT_POINTS(plot, .x = &N[1], .y = &(double){ 10.1 }, .n = 1,
                   .marker = ZM_MARKER_TRIANGLE, .marker_size = 8,
                   .label = "paper, GPU, batches of 64");
    ZM_PLOT_GUIDE(plot, .x = t->N[0], .y = t->ours[0][0] / 2, .slope = 2,
                  .dash = ZM_DASH_DASHED, .label = "<i>N</i>²");
    figure_save(run, figure, "forward-time", "Figure 4",
                "Time of a forward solve for one problem on N × N cells.");
}

static void forward_time(experiment_run *run)
{
    times t = { 0 };

    for (int i = 0; i < SIZES && run_goes_on(run); i++) {
        if (!size_wanted(run, sizes[i]))
            continue;
        run_step(run, pow((double)sizes[i] / 450, 2), "N = %d", (int)sizes[i]);
        measure(run, &t, sizes[i]);
        if (run_goes_on(run))
            report(run, &t, t.n - 1, i);
    }
    if (!run_goes_on(run))
        return;
    RESULT(run, .reference = "Figure 4",
           .quantity = "exponent of the time of one problem over N (O(n): 2)",
           .ours = fitted_exponent((size_t)t.n, t.N, t.ours[0]));
    SAVE_CURVES(run, "milliseconds", (size_t)t.n, { "N", t.N },
                { "one at a time", t.ours[0] }, { "batches of 8", t.ours[1] },
                { "batches of 64", t.ours[2] }, { "Algorithm 1", t.algorithm_1 });
    draw(run, &t);
    remark_on_machines(run, MEDIANS);
    run_remark(run, "A batch gains by sharing its problems among threads (--threads), "
                    "where the paper's gains by filling a GPU. On one thread it gains "
                    "nothing, so the paper's ratio of 2.31 is not reached.");
}

const experiment experiment_forward_time = {
    .name = "forward-time",
    .group = "Efficiency",
    .title = "Time of the forward solve",
    .paper = "section Computational Efficiency, Figure 4",
    .about =
        "Arrival times on N × N cells, one problem at a time and in batches of 8 and "
        "64.\n\n"
        "As in the paper the metric is turned by 0 to π/2 with an axis ratio of 1.5 "
        "to 2, the drift has the size 0.02, and 3 × 3 cells in the centre are the "
        "source. The paper does not say over what they vary; here they do over the "
        "grid, as waves, and from problem to problem. Algorithm 1 is the paper's, in "
        "C, with its causality test and a tolerance of 10⁻⁶; ours solves to "
        "rounding.",
    .run = forward_time,
};
