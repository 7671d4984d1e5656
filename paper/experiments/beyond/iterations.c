/* SPDX-License-Identifier: Apache-2.0
 * How often the grid must be gone over in media that are not constant. */
#include <math.h>

#include "measure.h"
#include "medium.h"
#include "panels.h"
#include "random.h"
#include "reference/reference.h"
#include "table.h"

enum { SMOOTH, CONTRAST, MAZE, PIXELS, MEDIA };
static const char *const names[MEDIA] = { "smooth", "contrast", "maze", "pixels" };
static const char *const titles[MEDIA] = { "Smooth", "High contrast", "Maze",
                                           "Pixel-random" };

enum { SIZES = 4 };
static const int32_t sizes[SIZES] = { 50, 100, 200, 400 };

/* Slowness from 1/sqrt(10) to sqrt(10) in hills of one size, others on each grid. */
static void fill_contrast(experiment_run *run, medium *m, uint64_t seed)
{
    const size_t rows = (size_t)m->grid.rows, cols = (size_t)m->grid.cols;
    double *u = field_new(run, m->cells);

    if (!random_field(&seed, rows, cols, (double)cols / 16, u))
        run_fail(run, "no memory for a random field of %zu cells", m->cells);
    for (size_t cell = 0; cell < m->cells; cell++) {
        const double g = pow(10, tanh(1.5 * u[cell])); /* slowness squared */

        medium_set(m, cell, metric_of(g, g, 0, 0, 0));
    }
}

/* Walls across, open at one end in turn. */
enum { WALLS = 16 };
static void fill_maze(experiment_run *run, medium *m)
{
    const int32_t side = m->grid.rows, gap = side / WALLS / 2;

    m->walls = run_memory(run, m->cells, 1);
    for (int32_t k = 0; k < WALLS; k++) {
        const int32_t row = (2 * k + 1) * side / (2 * WALLS);

        for (int32_t col = 0; col < side; col++)
            m->walls[row * side + col] = k % 2 ? col >= gap : col < side - gap;
    }
}

/* Every node on its own: slowness 1 to 10, speeds up to 1:3, drift norm up to 0.8. */
static void fill_pixels(medium *m, uint64_t seed)
{
    const double pi = acos(-1);

    for (size_t cell = 0; cell < m->cells; cell++) {
        const double slow = zm_random_between(&seed, 1, 10);
        const double ratio = zm_random_between(&seed, 1, 3);
        const double turn = zm_random_between(&seed, 0, pi);
        const double heading = zm_random_between(&seed, 0, 2 * pi);
        const double norm = zm_random_between(&seed, 0, 0.8);
        cell_metric c = metric_of(slow * slow * ratio * ratio, slow * slow, turn,
                                  cos(heading), sin(heading));
        const double scale = norm / drift_norm(c);

        c.b1 *= scale;
        c.b2 *= scale;
        medium_set(m, cell, c);
    }
}

static medium make(experiment_run *run, int kind, int32_t side)
{
    medium m = medium_new(run, side, side, 1.0 / side);
    uint64_t seed = run_seed(run, (uint64_t)kind);

    switch (kind) {
    case SMOOTH:
        medium_fill_wildfire(&m, &seed);
        break;
    case CONTRAST:
        fill_contrast(run, &m, seed);
        break;
    case MAZE:
        fill_maze(run, &m);
        break;
    default:
        fill_pixels(&m, seed);
    }
    if (kind == MAZE)
        medium_source(run, &m, side - 1, side - 1, 0);
    else
        medium_source(run, &m, side / 2, side / 2, 0);
    return m;
}

/* Rounds or passes, and triangles looked at for each node, over the sizes. */
typedef struct counts {
    double iterations[SIZES], triangles[SIZES];
} counts;

static void note(counts *c, int i, const medium *m, zm_report report)
{
    c->iterations[i] = (double)report.iterations;
    c->triangles[i] = 2 * (double)report.updates / (double)m->cells;
}

static zm_report algorithm1(experiment_run *run, const medium *m, double *T)
{
    const zm_problem problem = medium_problem(m);
    zm_reference_opts opts = ZM_REFERENCE_OPTS_INIT;
    zm_report report = ZM_REPORT_INIT;
    zm_error err;

    opts.causality_rejection = 1;
    opts.tol *= m->grid.dx; /* 1e-6 at the paper's unit spacing */
    if (run_goes_on(run))
        run_check(run, zm_reference_sweep(m->grid, &problem, T, &opts, &report, &err),
                  &err);
    return report;
}

static void report_medium(experiment_run *run, int kind, const counts *ours,
                          const counts *theirs, int n_sizes)
{
    for (int i = 0; i < n_sizes; i++)
        RESULT(run, .reference = "section Forward Solver Accuracy", .paper = "2–3",
               .quantity = run_text(run, "iterations of Algorithm 1, %s, N = %d",
                                    names[kind], (int)sizes[i]),
               .ours = theirs->iterations[i]);
    for (int i = 0; i < n_sizes; i++)
        RESULT(run, .reference = "beyond the paper", .better = BETTER_LOWER,
               .quantity = run_text(run, "passes of zm_forward, %s, N = %d",
                                    names[kind], (int)sizes[i]),
               .ours = ours->iterations[i]);
    RESULT(run, .reference = "beyond the paper", .better = BETTER_LOWER,
           .quantity = run_text(run, "triangles for each node, %s, N = %d, zm_forward",
                                names[kind], (int)sizes[n_sizes - 1]),
           .ours = ours->triangles[n_sizes - 1]);
    RESULT(run, .reference = "beyond the paper", .better = BETTER_LOWER,
           .quantity = run_text(run, "triangles for each node, %s, N = %d, Algorithm 1",
                                names[kind], (int)sizes[n_sizes - 1]),
           .ours = theirs->triangles[n_sizes - 1]);
}

static void draw_counts(experiment_run *run, const counts ours[MEDIA],
                        const counts theirs[MEDIA], size_t n_sizes)
{
    zm_figure *figure = figure_new(run, 1, 2, NULL);
    zm_plot *rounds = zm_figure_plot(figure, 0, 0),
            *work = zm_figure_plot(figure, 0, 1);
    double x[SIZES], last_ours[MEDIA], last_theirs[MEDIA];

    for (size_t i = 0; i < n_sizes; i++)
        x[i] = sizes[i];
    ZM_PLOT_AXES(rounds, .title = "Iterations of Algorithm 1", .x.label = "<i>N</i>",
                 .x.scale = ZM_SCALE_LOG, .y.label = "rounds of four sweeps",
                 .y.scale = ZM_SCALE_LOG, .legend = ZM_LEGEND_BELOW);
    for (int k = 0; k < MEDIA; k++) {
        ZM_PLOT_LINE(rounds, .x = x, .y = theirs[k].iterations, .n = n_sizes,
                     .marker = (zm_plot_marker)(ZM_MARKER_DOT + k), .label = names[k]);
        last_ours[k] = ours[k].triangles[n_sizes - 1];
        last_theirs[k] = theirs[k].triangles[n_sizes - 1];
    }
    ZM_PLOT_AXES(
        work, .title = run_text(run, "Work at <i>N</i> = %d", (int)sizes[n_sizes - 1]),
        .y.label = "triangles looked at for each node", .y.scale = ZM_SCALE_LOG,
        .legend = ZM_LEGEND_BELOW);
    ZM_PLOT_BARS(work, .heights = last_ours, .names = names, .n = MEDIA,
                 .show_values = 1, .label = "zm_forward");
    ZM_PLOT_BARS(work, .heights = last_theirs, .n = MEDIA, .show_values = 1,
                 .label = "Algorithm 1");
    figure_save(run, figure, "counts", "",
                "Left: rounds until nothing changes, the last one included. Right: "
                "triangles looked at until then; eight is the least.");
}

static void iterations(experiment_run *run)
{
    const int n_sizes = run_quick(run) ? SIZES - 1 : SIZES;
    zm_figure *figure = figure_new(run, 2, 2, NULL);
    counts ours[MEDIA], theirs[MEDIA];

    for (int k = 0; k < MEDIA && run_goes_on(run); k++) {
        for (int i = 0; i < n_sizes && run_goes_on(run); i++) {
            const medium m = make(run, k, sizes[i]);
            double *T = field_new(run, m.cells);

            run_step(run, (k + (double)i / n_sizes) / MEDIA, "%s, N = %d", names[k],
                     (int)sizes[i]);
            note(&theirs[k], i, &m, algorithm1(run, &m, T));
            note(&ours[k], i, &m, medium_solve(run, &m, T));
            if (i < n_sizes - 1)
                continue;
            PANEL_ARRIVAL(zm_figure_plot(figure, k / 2, k % 2), &m, T,
                          .title = titles[k]);
            run_save(run, run_text(run, "T-%s", names[k]), T, (size_t)sizes[i],
                     (size_t)sizes[i]);
        }
        if (run_goes_on(run))
            report_medium(run, k, &ours[k], &theirs[k], n_sizes);
    }
    if (run_goes_on(run))
        draw_counts(run, ours, theirs, (size_t)n_sizes);
    figure_save(run, figure, "media", "",
                "The four media and their arrival times, on the largest grid.");
}

const experiment experiment_iterations = {
    .name = "iterations",
    .group = "Beyond the paper",
    .title = "Iterations in varying media",
    .paper =
        "beyond the paper; its claim of \"2–3 iterations independent of grid size\"",
    .about =
        "How often the grid must be gone over where rays bend: in a smooth medium "
        "(that of the paper's timings), with slowness between 1/√10 and √10, in a "
        "maze of 16 walls, and where every node is drawn on its own (slowness 1 to "
        "10, speeds up to 1:3, drift norm up to 0.8). The source is the node in the "
        "centre of the unit square, in the maze its last corner.\n\n"
        "An iteration of Algorithm 1 is a round of four sweeps over all nodes and all "
        "eight triangles, and the last one finds that nothing changes by more than "
        "1e-6 of a spacing. zm_forward visits blocks of 32 × 32 nodes in the order of "
        "arrival, only as long as something changes, here to rounding; a pass is a "
        "visit of the block that is visited most often.",
    .run = iterations,
};
