/* SPDX-License-Identifier: Apache-2.0
 * What the backward pass spends its time on. */
#include <math.h>

#include "fires.h"
#include "table.h"

enum { SIDE = 250 };

typedef enum part { STENCILS, ORDER, SOLVE, PARAMETERS, PARTS } part;
static const char *const part_names[PARTS] = { "stencils", "order", "adjoint",
                                               "parameters" };

static double now(const experiment_run *run)
{
    return run_threads(run) == 1 ? processor_seconds() : clock_seconds();
}

/* Milliseconds of the parts: the shortest of many rounds, all parts in each round, because
 * differences of longer times drown in what disturbs them. */
static void measure(experiment_run *run, const fires *f, double ms[PARTS])
{
    static fires_act *const acts[PARTS] = { fires_stencils, fires_transport,
                                            fires_transport, fires_backward };
    const int rounds = run_quick(run) ? 20 : 200;
    double shortest[PARTS] = { INFINITY, INFINITY, INFINITY, INFINITY };

    for (int i = 0; i < rounds && run_goes_on(run); i++) {
        fires_forward(run, f);
        for (int k = 0; k < PARTS; k++) {
            const double start = now(run);

            acts[k](run, f);
            shortest[k] = fmin(shortest[k], now(run) - start);
        }
    }
    ms[STENCILS] = 1e3 * shortest[0];
    ms[ORDER] = 1e3 * (shortest[1] - shortest[2]);
    ms[SOLVE] = 1e3 * shortest[2];
    ms[PARAMETERS] = 1e3 * (shortest[3] - shortest[2]);
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

    run_step(run, 0, "Algorithm 2");
    algorithm_2 = 1e3 * fires_seconds(run, &f, NULL, fires_algorithm_2);
    run_step(run, 0.3, "parts");
    measure(run, &f, ms);
    fires_free(&f);
    if (!run_goes_on(run))
        return;
    report(run, ms);
    SAVE_CURVES(run, "milliseconds", 1, { "stencils", &ms[STENCILS] },
                { "order", &ms[ORDER] }, { "adjoint", &ms[SOLVE] },
                { "parameters", &ms[PARAMETERS] });
    draw(run, ms, algorithm_2);
    remark_on_machines(run, "the shortest of repeated rounds");
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
        "parameters (adjoint); with all five less without (parameters), the shortest "
        "times of many rounds. Since the "
        "paper has no part for the order, which must be somewhere, ours is added to "
        "the adjoint solve.",
    .run = breakdown,
};
