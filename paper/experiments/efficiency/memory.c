/* SPDX-License-Identifier: Apache-2.0
 * Memory of the adjoint against what unrolled differentiation would store. */
#include <math.h>

#include "fires.h"
#include "table.h"
#include "reference/reference.h"

enum { SIZES = 5 };
static const int32_t sizes[SIZES] = { 50, 100, 200, 400, 800 };

/* What reverse mode keeps of one visit of Algorithm 1 to one cell.  At the least the value
 * that is overwritten and the stencil that won.  A tape of operations keeps the results of
 * every one: for each of 8 triangles 2 donor values less drift, 3 products m'Gm, 4 entries
 * of the inverse, 3 coefficients of the quadratic, its discriminant, root and solution, 2
 * multipliers for the test of causality, 2 one-point updates and the minimum. */
enum { OPERATIONS = 20, TRIANGLES = 8, SWEEPS = 4 };
static const double least_bytes = sizeof(double) + 1;
static const double tape_bytes = sizeof(double) * OPERATIONS * TRIANGLES;

typedef struct sizes_of {
    double N[SIZES], ours[SIZES], least[SIZES], tape[SIZES]; /* bytes a cell */
    double rounds[SIZES];
} sizes_of;

static size_t solver_bytes(experiment_run *run, zm_grid grid, int32_t batch)
{
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_solver *solver = NULL;
    size_t bytes = 0;
    zm_error err;

    opts.stencils = ZM_STENCILS_FIXED;
    opts.batch = batch;
    opts.threads = run_threads(run);
    if (run_goes_on(run))
        run_check(run, zm_solver_create(&solver, grid, ZM_F64, &opts, &err), &err);
    if (solver)
        bytes = zm_solver_bytes(solver);
    zm_solver_destroy(solver);
    return bytes;
}

static double rounds_of_algorithm_1(experiment_run *run, const fires *f)
{
    zm_report report = ZM_REPORT_INIT;
    zm_error err;

    if (run_goes_on(run))
        run_check(run,
                  zm_reference_sweep(f->media[0].grid, f->problems, f->spare, NULL,
                                     &report, &err),
                  &err);
    return (double)report.iterations;
}

static void measure(experiment_run *run, sizes_of *s, int i)
{
    fires f = fires_new(run, FIRE_VARIED, sizes[i], 1);
    const double cells = (double)f.media[0].cells;

    s->N[i] = sizes[i];
    s->ours[i] = (double)solver_bytes(run, f.media[0].grid, 1) / cells;
    s->rounds[i] = rounds_of_algorithm_1(run, &f);
    s->least[i] = least_bytes * SWEEPS * s->rounds[i];
    s->tape[i] = tape_bytes * SWEEPS * s->rounds[i];
    fires_free(&f);
}

static void report(experiment_run *run, const sizes_of *s, int i)
{
    const int N = (int)sizes[i];

    RESULT(run, .reference = "appendix, Baseline Selection", .unit = "bytes a cell",
           .quantity = run_text(run, "ours, solver and record, N = %d", N),
           .ours = s->ours[i], .better = BETTER_LOWER);
    RESULT(run, .reference = "appendix, Baseline Selection", .unit = "bytes a cell",
           .quantity = run_text(run, "unrolled Algorithm 1, a tape, N = %d", N),
           .ours = s->tape[i]);
}

/* The paper's own grid, in its largest batch. */
static void report_fires(experiment_run *run, const sizes_of *s)
{
    enum { ROWS = 300, COLS = 500, BATCH = 64 };
    const double cells = (double)ROWS * COLS, rounds = s->rounds[SIZES - 1];
    const double one =
        (double)solver_bytes(run, (zm_grid){ ROWS, COLS, 1, 1 }, 1) * 1e-9;
    const double many =
        (double)solver_bytes(run, (zm_grid){ ROWS, COLS, 1, 1 }, BATCH) * 1e-9;
    const double tape = tape_bytes * SWEEPS * rounds * cells * 1e-9;
    const char *reference = "appendix, Baseline Selection";

    RESULT(run, .reference = reference, .unit = "GB", .ours = one,
           .quantity = "ours, 300 × 500 cells, one problem", .better = BETTER_LOWER);
    RESULT(run, .reference = reference, .unit = "GB", .ours = many,
           .quantity = "ours, 300 × 500 cells, batch of 64", .better = BETTER_LOWER);
    RESULT(run, .reference = reference, .unit = "GB", .ours = tape,
           .quantity = "unrolled, a tape, 300 × 500 cells, one problem");
    RESULT(run, .reference = reference, .unit = "GB", .ours = tape * BATCH,
           .quantity = "unrolled, a tape, 300 × 500 cells, batch of 64",
           .paper = ">48");
}

static void draw(experiment_run *run, const sizes_of *s)
{
    zm_figure *figure = figure_new(run, 1, 1, NULL);
    zm_plot *plot = zm_figure_plot(figure, 0, 0);

    axes_of_times(plot, "Memory for one problem", "bytes a cell");
    ZM_PLOT_LINE(plot, .x = s->N, .y = s->ours, .n = SIZES, .marker = ZM_MARKER_DOT,
                 .label = "ours, solver and record");
    ZM_PLOT_LINE(plot, .x = s->N, .y = s->tape, .n = SIZES, .marker = ZM_MARKER_SQUARE,
                 .label = "unrolled Algorithm 1, a tape of operations");
    ZM_PLOT_LINE(plot, .x = s->N, .y = s->least, .n = SIZES,
                 .marker = ZM_MARKER_TRIANGLE,
                 .label = "unrolled Algorithm 1, least that could do");
    figure_save(run, figure, "memory", "appendix, Baseline Selection",
                "What derivatives need beside the fields themselves. Small grids "
                "share the fixed part of our work memory among few cells.");
}

static void memory(experiment_run *run)
{
    sizes_of s = { 0 };

    for (int i = 0; i < SIZES && run_goes_on(run); i++) {
        run_step(run, (double)i / SIZES, "N = %d", (int)sizes[i]);
        measure(run, &s, i);
        if (run_goes_on(run))
            report(run, &s, i);
    }
    if (!run_goes_on(run))
        return;
    report_fires(run, &s);
    SAVE_CURVES(run, "bytes-a-cell", SIZES, { "N", s.N }, { "ours", s.ours },
                { "unrolled, least", s.least }, { "unrolled, a tape", s.tape });
    draw(run, &s);
    run_remark(
        run,
        "Unrolled memory is counted, not measured: visits (cells × 4 sweeps × the %d "
        "iterations Algorithm 1 takes here) times what is kept of each. A tape of "
        "operations, as automatic differentiation writes it, keeps about %d numbers "
        "for each of 8 triangles, %g bytes a visit; the least any method could do "
        "with is the overwritten value and the stencil, %g bytes, which on small "
        "grids is less than the fixed part of ours. Ours does not grow with the "
        "iterations, since only the last update of a cell counts, and serves the "
        "forward solve too.",
        (int)s.rounds[SIZES - 1], OPERATIONS, tape_bytes, least_bytes);
}

const experiment experiment_memory = {
    .name = "memory",
    .group = "Efficiency",
    .title = "Memory against unrolled differentiation",
    .paper = "appendix Computational Comparisons, Baseline Selection",
    .about =
        "Unrolled automatic differentiation keeps every intermediate value of every "
        "sweep. The paper does without it because it needed more than 48 GB on 300 × "
        "500 cells, in batches of a size it does not tell. Here the work memory of a "
        "solver with its record for the adjoint (zm_solver_bytes) stands beside a "
        "count of what unrolled differentiation of Algorithm 1 would keep.",
    .run = memory,
};
