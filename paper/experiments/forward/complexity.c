/* SPDX-License-Identifier: Apache-2.0
 * Iterations and time against the number of nodes. */
#include <math.h>

#include "measure.h"
#include "medium.h"
#include "reference/reference.h"
#include "table.h"

enum { SIZES = 5 };
static const int32_t sizes[SIZES] = { 50, 100, 200, 400, 800 };
static const char *const paper_time[SIZES] = { "2.3", "5.8", "27.2", "102.9", "445.1" };

/* One solver over all sizes. */
typedef struct curve {
    double nodes[SIZES];
    double iterations[SIZES];
    double triangles[SIZES]; /* looked at, for each node */
    double ms[SIZES];
} curve;

static void note(curve *c, int i, const medium *m, zm_report report, double seconds)
{
    c->nodes[i] = (double)m->cells;
    c->iterations[i] = (double)report.iterations;
    c->triangles[i] = 2 * (double)report.updates / (double)m->cells;
    c->ms[i] = 1e3 * seconds;
}

static medium make(experiment_run *run, int32_t side)
{
    medium m = medium_new(run, side, side, 1.0);

    medium_fill(&m, metric_of(1.8 * 1.8, 1, acos(-1) / 6, 0.02, 0));
    medium_source_block(run, &m);
    return m;
}

static void measure_ours(experiment_run *run, curve *c, int i, const medium *m,
                         double *T)
{
    timer t = { .least = run_quick(run) ? 3 : 11,
                .seconds = run_quick(run) ? 0.02 : 0.3 };
    const zm_problem problem = medium_problem(m);
    zm_solver *solver = medium_solver(run, m, 1);
    zm_report report = ZM_REPORT_INIT;
    zm_error err;

    while (run_goes_on(run) && timer_next(&t))
        run_check(run, zm_forward(solver, &problem, T, NULL, &report, &err), &err);
    zm_solver_destroy(solver);
    note(c, i, m, report, t.median);
}

/* As the paper prints it, with its rejection and its tolerance of 1e-6. */
static void measure_algorithm1(experiment_run *run, curve *c, int i, const medium *m,
                               double *T)
{
    timer t = { .least = run_quick(run) ? 1 : 3, .seconds = run_quick(run) ? 0 : 0.3 };
    const zm_problem problem = medium_problem(m);
    zm_reference_opts opts = ZM_REFERENCE_OPTS_INIT;
    zm_report report = ZM_REPORT_INIT;
    zm_error err;

    opts.causality_rejection = 1;
    while (run_goes_on(run) && timer_next(&t))
        run_check(run, zm_reference_sweep(m->grid, &problem, T, &opts, &report, &err),
                  &err);
    note(c, i, m, report, t.median);
}

static void report_size(experiment_run *run, int i, const curve *ours,
                        const curve *paper)
{
    const int n = (int)sizes[i];

    RESULT(run, .reference = "Table 10", .unit = "ms", .paper = paper_time[i],
           .quantity = run_text(run, "time, N = %d", n), .ours = ours->ms[i],
           .better = BETTER_LOWER);
    RESULT(run, .reference = "Table 10", .better = BETTER_LOWER,
           .quantity = run_text(run, "passes over the grid, N = %d", n),
           .ours = ours->iterations[i]);
    RESULT(run, .reference = "Table 10", .better = BETTER_LOWER,
           .quantity = run_text(run, "triangles looked at for each node, N = %d", n),
           .ours = ours->triangles[i]);
    if (paper->nodes[i] > 0)
        RESULT(run, .reference = "Table 10", .paper = "2", .better = BETTER_EQUAL,
               .quantity = run_text(run, "iterations of Algorithm 1, N = %d", n),
               .ours = paper->iterations[i]);
}

static void report_scaling(experiment_run *run, const curve *ours, const curve *paper,
                           int measured, const double *paper_ms)
{
    RESULT(run, .reference = "Figure A9", .paper = "≈1",
           .quantity = "exponent of time over n = N²",
           .ours = fitted_exponent(SIZES, ours->nodes, ours->ms));
    RESULT(run, .reference = "Figure A9",
           .quantity = "exponent of time over n = N², Algorithm 1 in C",
           .ours = fitted_exponent((size_t)measured, paper->nodes, paper->ms));
    RESULT(run, .reference = "Figure A9",
           .quantity = "exponent of time over n = N², from the paper's table",
           .ours = fitted_exponent(SIZES, ours->nodes, paper_ms));
    RESULT(run, .reference = "Table 10",
           .quantity = run_text(run, "Algorithm 1 in C over ours, time, N = %d",
                                (int)sizes[measured - 1]),
           .ours = paper->ms[measured - 1] / ours->ms[measured - 1],
           .better = BETTER_HIGHER);
    run_remark(
        run,
        "The paper's times are those of its machine, which it does not name, and of "
        "Numba; ours are medians of several on this one with %d thread%s. The "
        "ratio to Algorithm 1 in C, without Numba's part in it, is of one machine.",
        (int)run_threads(run), run_threads(run) == 1 ? "" : "s");
    run_remark(run,
               "Iterations of Algorithm 1 are rounds of four sweeps over all eight "
               "triangles of every node, the last of which finds that nothing "
               "changes: 64 triangles a node. A pass of ours visits only blocks and "
               "directions that can change; the number is that of the block visited "
               "most often.");
}

static void draw(experiment_run *run, const curve *ours, const curve *paper,
                 size_t measured, const double *paper_ms)
{
    zm_figure *figure = figure_new(run, 1, 2, NULL);
    zm_plot *plot = zm_figure_plot(figure, 0, 0);

    ZM_PLOT_AXES(plot, .title = "Iterations", .legend = ZM_LEGEND_BELOW,
                 .x.label = "nodes <i>n</i> = <i>N</i>²", .x.scale = ZM_SCALE_LOG,
                 .y.label = "iterations, passes", .y.min = 0, .y.max = 5);
    ZM_PLOT_LINE(plot, .x = ours->nodes, .y = ours->iterations, .n = SIZES,
                 .marker = ZM_MARKER_DOT, .label = "zm_forward, most-visited block");
    ZM_PLOT_LINE(plot, .x = paper->nodes, .y = paper->iterations, .n = measured,
                 .marker = ZM_MARKER_SQUARE,
                 .label = "Algorithm 1 (and the paper's table)");
    plot = zm_figure_plot(figure, 0, 1);
    ZM_PLOT_AXES(plot, .title = "Time", .legend = ZM_LEGEND_BELOW,
                 .x.label = "nodes <i>n</i> = <i>N</i>²", .x.scale = ZM_SCALE_LOG,
                 .y.label = "time [ms]", .y.scale = ZM_SCALE_LOG);
    ZM_PLOT_LINE(plot, .x = ours->nodes, .y = ours->ms, .n = SIZES,
                 .marker = ZM_MARKER_DOT, .label = "zm_forward");
    ZM_PLOT_LINE(plot, .x = paper->nodes, .y = paper->ms, .n = measured,
                 .marker = ZM_MARKER_SQUARE, .label = "Algorithm 1 in C");
    ZM_PLOT_LINE(plot, .x = ours->nodes, .y = paper_ms, .n = SIZES,
                 .marker = ZM_MARKER_TRIANGLE, .label = "paper (Numba, its machine)");
    ZM_PLOT_GUIDE(plot, .x = ours->nodes[0], .y = ours->ms[0] / 2, .slope = 1,
                  .dash = ZM_DASH_DASHED, .label = "∝ <i>n</i>");
    figure_save(
        run, figure, "complexity", "Figure A9",
        "Left: the number of iterations does not grow with the grid. Right: time "
        "is proportional to the number of nodes.");
}

static void complexity(experiment_run *run)
{
    const int measured = run_quick(run) ? SIZES - 1 : SIZES;
    curve ours = { 0 }, paper = { 0 };
    double paper_ms[SIZES];

    for (int i = 0; i < SIZES && run_goes_on(run); i++) {
        const medium m = make(run, sizes[i]);
        double *T = field_new(run, m.cells);

        paper_ms[i] = paper_number(paper_time[i]);
        run_step(run, exp2(2 * (i + 1 - SIZES)) / 2, "N = %d", (int)sizes[i]);
        if (i < measured)
            measure_algorithm1(run, &paper, i, &m, T);
        measure_ours(run, &ours, i, &m, T);
        report_size(run, i, &ours, &paper);
    }
    if (!run_goes_on(run))
        return;
    report_scaling(run, &ours, &paper, measured, paper_ms);
    draw(run, &ours, &paper, (size_t)measured, paper_ms);
    SAVE_CURVES(run, "ours", SIZES, { "nodes", ours.nodes },
                { "passes", ours.iterations }, { "triangles a node", ours.triangles },
                { "ms", ours.ms });
    SAVE_CURVES(run, "algorithm1", (size_t)measured, { "nodes", paper.nodes },
                { "iterations", paper.iterations },
                { "triangles a node", paper.triangles }, { "ms", paper.ms });
}

const experiment experiment_complexity = {
    .name = "complexity",
    .group = "Forward solver",
    .title = "Iterations and time against grid size",
    .paper = "appendix Forward Solver Validation, Table 10, Figure A9",
    .about =
        "One solve on N × N nodes, N = 50 to 800, by zm_forward and by the paper's "
        "Algorithm 1 as it prints it (zm_reference_sweep with causality rejection, "
        "tolerance 1e-6).\n\n"
        "The paper does not say which medium its table has. Two iterations mean a "
        "constant one; here it is that of its section Computational Efficiency: "
        "speeds in the ratio 1.8, axes turned by 30°, |b| = 0.02, a source of 3 × 3 "
        "nodes in the centre. Experiment iterations has media that vary. With --quick "
        "Algorithm 1 stops at N = 400.",
    .run = complexity,
};
