/* SPDX-License-Identifier: Apache-2.0
 * Forward and backward pass on larger and larger grids. */
#include <math.h>

#include "fires.h"
#include "table.h"

enum { SIZES = 7 };
static const int32_t sizes[SIZES] = { 50, 100, 150, 200, 300, 400, 800 };

typedef struct times {
    double N[SIZES], forward[SIZES], backward[SIZES], total[SIZES]; /* ms */
    double ratio[SIZES];
} times;

static void measure(experiment_run *run, times *t, int i)
{
    fires f = fires_new(run, FIRE_VARIED, sizes[i], 1);

    t->N[i] = sizes[i];
    t->forward[i] = 1e3 * fires_seconds(run, &f, NULL, fires_forward);
    t->backward[i] = 1e3 * fires_seconds(run, &f, fires_forward, fires_backward);
    t->total[i] = t->forward[i] + t->backward[i];
    t->ratio[i] = t->backward[i] / t->forward[i];
    fires_free(&f);
}

static void report(experiment_run *run, const times *t, int i)
{
    const int N = (int)sizes[i];

    RESULT(run, .reference = "Figure E5", .unit = "ms", .better = BETTER_LOWER,
           .quantity = run_text(run, "forward, N = %d", N), .ours = t->forward[i]);
    RESULT(run, .reference = "Figure E5", .unit = "ms", .better = BETTER_LOWER,
           .quantity = run_text(run, "backward, N = %d", N), .ours = t->backward[i]);
    RESULT(run, .reference = "Figure E5", .unit = "ms", .better = BETTER_LOWER,
           .quantity = run_text(run, "forward and backward, N = %d", N),
           .paper = N == 800 ? "~1000" : NULL, .ours = t->total[i]);
}

static void draw(experiment_run *run, const times *t)
{
    zm_figure *figure = figure_new(run, 1, 2, NULL);
    zm_plot *left = zm_figure_plot(figure, 0, 0), *right = zm_figure_plot(figure, 0, 1);

    axes_of_times(left, "Time", "time [ms]");
    ZM_PLOT_LINE(left, .x = t->N, .y = t->total, .n = SIZES, .marker = ZM_MARKER_SQUARE,
                 .label = "total");
    ZM_PLOT_LINE(left, .x = t->N, .y = t->forward, .n = SIZES, .marker = ZM_MARKER_DOT,
                 .label = "forward");
    ZM_PLOT_LINE(left, .x = t->N, .y = t->backward, .n = SIZES,
                 .marker = ZM_MARKER_TRIANGLE, .label = "backward");
    ZM_PLOT_POINTS(left, .x = &(double){ 800 }, .y = &(double){ 1000 }, .n = 1,
                   .marker = ZM_MARKER_STAR, .marker_size = 9, .label = "paper, total");
    ZM_PLOT_GUIDE(left, .x = t->N[0], .y = t->forward[0] / 2, .slope = 2,
                  .dash = ZM_DASH_DASHED, .label = "<i>N</i>²");
    ZM_PLOT_AXES(right, .title = "Backward over forward", .x.label = "<i>N</i>",
                 .x.scale = ZM_SCALE_LOG, .y.label = "ratio of times", .y.min = 0,
                 .y.max = 4.5, .aspect = 0.85, .legend = ZM_LEGEND_BELOW);
    ZM_PLOT_LINE(right, .x = t->N, .y = t->ratio, .n = SIZES, .marker = ZM_MARKER_DOT,
                 .label = "ours");
    ZM_PLOT_GUIDE(right, .x = 100, .y = 4, .dash = ZM_DASH_DASHED,
                  .label = "paper's mean");
    figure_save(run, figure, "scalability", "Figure E5",
                "Left: times of forward and backward pass on N × N cells. Right: "
                "their ratio.");
}

static void scalability(experiment_run *run)
{
    times t = { 0 };

    for (int i = 0; i < SIZES && run_goes_on(run); i++) {
        run_step(run, pow((double)sizes[i] / 900, 2), "N = %d", (int)sizes[i]);
        measure(run, &t, i);
        if (run_goes_on(run))
            report(run, &t, i);
    }
    if (!run_goes_on(run))
        return;
    RESULT(run, .reference = "Figure E5", .paper = "4", .better = BETTER_LOWER,
           .quantity = "backward over forward, mean over N",
           .ours = mean_of(SIZES, t.ratio));
    RESULT(run, .reference = "Figure E5",
           .quantity = "exponent of the forward time over N (O(n): 2)",
           .ours = fitted_exponent(SIZES, t.N, t.forward));
    RESULT(run, .reference = "Figure E5",
           .quantity = "exponent of the backward time over N (O(n): 2)",
           .ours = fitted_exponent(SIZES, t.N, t.backward));
    SAVE_CURVES(run, "milliseconds", SIZES, { "N", t.N }, { "forward", t.forward },
                { "backward", t.backward });
    draw(run, &t);
    remark_on_machines(run, MEDIANS);
}

const experiment experiment_scalability = {
    .name = "scalability",
    .group = "Efficiency",
    .title = "Forward and backward against the size",
    .paper = "appendix Computational Comparisons, Figure E5",
    .about =
        "Time of a forward solve and of the backward pass after it, by all "
        "parameters, from 50 × 50 to 800 × 800 cells.\n\n"
        "The medium is that of forward-time; the paper does not say which it takes "
        "here. Below 100 × 100 cells both times have a part that does not grow with "
        "N.",
    .run = scalability,
};
