/* SPDX-License-Identifier: Apache-2.0
 * The arrival-time field, and its isochrones, from scattered observations. */
#include <math.h>

#include "ignition.h"
#include "isochrones.h"
#include "landscape.h"
#include "measure.h"
#include "panels.h"
#include "random.h"
#include "scattered.h"
#include "table.h"

enum { OBSERVATIONS = 878, CELLS = 100, LEVELS = 4 };
enum { EVEN, HILL, PATCHES, COMBINED, SCENES };

typedef enum method {
    INVERSE_DISTANCE,
    PLANES,
    SPLINE,
    EIKONAL,
    FACTORED,
    METHODS
} method;
static const char *const method_names[METHODS] = { "inverse distance weighting",
                                                   "local planes", "thin-plate spline",
                                                   "eikonal, observations as sources",
                                                   "factored eikonal" };
static const char *const scene_names[SCENES] = { "even ground", "hill", "patches",
                                                 "terrain, patches and drift" };

static const char *const file_names[SCENES] = { "even", "hill", "patches", "combined" };

typedef struct scene {
    landscape ground;
    medium m;
    double *truth;
    scattered seen;
    ignition origin;
    double *T[METHODS];
} scene;

static landscape scene_ground(experiment_run *run, int i)
{
    uint64_t random = run_seed(run, 1);
    landscape l = { 0 };

    if (i == HILL)
        return landscape_hill();
    if (i == COMBINED) {
        l = (landscape){ .slope_cost = 2, .b1 = 0.35, .b2 = -0.2 };
        landscape_add_waves(&l, &random, 3);
    }
    if (i == PATCHES || i == COMBINED)
        landscape_add_patches(&l, &random, 18, 13);
    return l;
}

/* Times in random cells but the source, without error; the same cells in all scenes. */
static scattered observe(experiment_run *run, const medium *m, const double *T)
{
    uint64_t random = run_seed(run, 2);
    size_t *cells = run_memory(run, OBSERVATIONS, sizeof *cells);
    double *x = field_new(run, OBSERVATIONS), *y = field_new(run, OBSERVATIONS);
    double *v = field_new(run, OBSERVATIONS);
    const size_t cols = (size_t)m->grid.cols, source = m->cells / 2;

    zm_random_choice(&random, m->cells - 1, OBSERVATIONS, cells);
    for (size_t i = 0; i < OBSERVATIONS; i++) {
        const size_t cell = cells[i] < source ? cells[i] : cells[i] + 1;

        x[i] = (double)(cell % cols) * m->grid.dx;
        y[i] = (double)(cell / cols) * m->grid.dy;
        v[i] = T[cell];
    }
    return (scattered){ x, y, v, OBSERVATIONS };
}

static void set_up(experiment_run *run, int i, scene *s)
{
    s->ground = scene_ground(run, i);
    s->m = landscape_medium(run, &s->ground, CELLS);
    s->truth =
        i == EVEN || i == HILL
            ? landscape_field(run, &s->ground, &s->m, landscape_radial_time)
            : landscape_fine_times(run, &s->ground, &s->m, run_quick(run) ? 4 : 8);
    s->seen = observe(run, &s->m, s->truth);
    s->origin = ignition_fit(run, &s->seen);
    for (int k = 0; k < METHODS; k++)
        s->T[k] = field_new(run, s->m.cells);
}

/* Splines through the times, and T = tau F(x - x0): F is the eikonal's solution in the
 * constant metric fitted around the ignition, which has the singularity; tau, the ratio, is
 * smooth: a spline through the observed ones. */
static void splines_and_factored(experiment_run *run, scene *scenes)
{
    scattered through[2 * SCENES];
    double *out[2 * SCENES];
    size_t cell = 0;

    for (int i = 0; i < SCENES; i++) {
        const scene *s = &scenes[i];
        double *ratios = field_new(run, OBSERVATIONS);

        for (size_t k = 0; k < OBSERVATIONS; k++)
            ratios[k] =
                s->seen.v[k] / ignition_time(&s->origin, s->seen.x[k], s->seen.y[k]);
        through[i] = through[SCENES + i] = s->seen;
        through[SCENES + i].v = ratios;
        out[i] = s->T[SPLINE];
        out[SCENES + i] = s->T[FACTORED];
    }
    scattered_splines(run, through, 2 * SCENES, &scenes[0].m, out);
    for (int32_t row = 0; row <= CELLS; row++)
        for (int32_t col = 0; col <= CELLS; col++, cell++)
            for (int i = 0; i < SCENES; i++)
                scenes[i].T[FACTORED][cell] *=
                    ignition_time(&scenes[i].origin, col * scenes[i].m.grid.dx,
                                  row * scenes[i].m.grid.dy);
}

static double difference(const double *T, size_t i, size_t n, size_t stride, double h)
{
    const size_t before = i > 0 ? 1 : 0, after = i + 1 < n ? 1 : 0;

    return (T[after * stride] - *(T - before * stride)) /
           ((double)(before + after) * h);
}

/* The front starts in every observation at its time, in the metric g I with the fitted
 * drift, g = |grad T + b|^2 of given arrival times. */
static void eikonal(experiment_run *run, const scene *s, const double *given, double *T)
{
    const size_t rows = (size_t)s->m.grid.rows, cols = (size_t)s->m.grid.cols;
    medium m = medium_new(run, s->m.grid.rows, s->m.grid.cols, s->m.grid.dx);
    const cell_metric origin = s->origin.metric;
    const double least = 1.01 * (origin.b1 * origin.b1 + origin.b2 * origin.b2) + 1e-6;

    for (size_t cell = 0; cell < m.cells; cell++) {
        const double *t = given + cell;
        const double p1 = difference(t, cell % cols, cols, 1, m.grid.dx) + origin.b1;
        const double p2 = difference(t, cell / cols, rows, cols, m.grid.dy) + origin.b2;
        const double g = fmax(p1 * p1 + p2 * p2, least); /* admissible */

        medium_set(&m, cell, (cell_metric){ g, 0, g, origin.b1, origin.b2 });
    }
    m.sources = run_memory(run, s->seen.n, sizeof *m.sources);
    m.n_sources = s->seen.n;
    for (size_t i = 0; i < s->seen.n; i++)
        m.sources[i] = (zm_source){ s->seen.y[i] / m.grid.dy, s->seen.x[i] / m.grid.dx,
                                    s->seen.v[i] };
    medium_solve(run, &m, T);
}

/* Largest |T - truth| at least 10 units from the source. */
static double largest_far_error(const scene *s, const double *T)
{
    double largest = 0;
    size_t cell = 0;

    for (int32_t row = 0; row <= CELLS; row++)
        for (int32_t col = 0; col <= CELLS; col++, cell++)
            if (hypot(col - CELLS / 2, row - CELLS / 2) * s->m.grid.dx >= 10)
                largest = fmax(largest, fabs(T[cell] - s->truth[cell]));
    return largest;
}

static void report_isochrones(experiment_run *run, const scene *s, const char *name)
{
    isochrone_gap all = { 0 };
    double latest = 0;

    for (size_t cell = 0; cell < s->m.cells; cell++)
        latest = fmax(latest, s->truth[cell]);
    for (int k = 1; k <= LEVELS; k++) {
        const isochrone_gap gap = isochrone_distance(
            run, &s->m, s->T[FACTORED], s->truth, latest * k / (LEVELS + 1));

        all.mean += gap.mean / LEVELS;
        all.largest = fmax(all.largest, gap.largest);
    }
    RESULT(run, .reference = "Figure D5", .better = BETTER_LOWER, .unit = "cells",
           .quantity = run_text(run, "mean distance of isochrones, %s", name),
           .ours = all.mean / s->m.grid.dx);
    RESULT(run, .reference = "Figure D5", .better = BETTER_LOWER, .unit = "cells",
           .quantity = run_text(run, "largest distance of isochrones, %s", name),
           .ours = all.largest / s->m.grid.dx);
}

/* The paper's values are those of a concentric pattern. */
static void report(experiment_run *run, const scene *s, int i, double errors[METHODS])
{
    const char *name = scene_names[i];
    const bool concentric = i == EVEN || i == HILL;

    for (int k = METHODS; k-- > 0;) {
        errors[k] = 100 * error_of(s->m.cells, s->T[k], s->truth).relative;
        RESULT(run, .reference = "Figure D5", .better = BETTER_LOWER, .unit = "%",
               .quantity = run_text(run, "relative L2, %s, %s", name, method_names[k]),
               .paper = k >= EIKONAL && concentric ? "12" : NULL, .ours = errors[k]);
    }
    RESULT(run, .reference = "Figure D5", .better = BETTER_LOWER, .unit = "%",
           .quantity = run_text(run, "RMS over largest T, %s", name),
           .paper = concentric ? "12" : NULL,
           .ours = 100 * error_of(s->m.cells, s->T[FACTORED], s->truth).rms_over_max);
    RESULT(run, .reference = "Figure D5", .better = BETTER_LOWER,
           .quantity = run_text(run, "largest error away from the source, %s", name),
           .paper = concentric ? "<2" : NULL,
           .ours = largest_far_error(s, s->T[FACTORED]));
    report_isochrones(run, s, name);
    RESULT(run, .reference = "Figure D5", .better = BETTER_LOWER, .unit = "cells",
           .quantity = run_text(run, "error of the ignition point, %s", name),
           .ours = hypot(s->origin.x - SIDE / 2.0, s->origin.y - SIDE / 2.0) /
                   s->m.grid.dx);
}

static void save(experiment_run *run, const scene *s, const char *name)
{
    double *table = field_new(run, 3 * OBSERVATIONS);

    for (size_t i = 0; i < OBSERVATIONS; i++) {
        table[3 * i] = s->seen.x[i];
        table[3 * i + 1] = s->seen.y[i];
        table[3 * i + 2] = s->seen.v[i];
    }
    run_save(run, run_text(run, "observed-%s", name), table, OBSERVATIONS, 3);
    run_save(run, run_text(run, "true-%s", name), s->truth, CELLS + 1, CELLS + 1);
    run_save(run, run_text(run, "reconstructed-%s", name), s->T[FACTORED], CELLS + 1,
             CELLS + 1);
}

static void draw_scene(experiment_run *run, const scene *s, int i)
{
    static const zm_plot_rgba red = 0xE02020FFu;
    zm_figure *figure = figure_new(run, 1, 3, NULL);
    double *error = field_new(run, s->m.cells);
    zm_plot *plot;

    for (size_t cell = 0; cell < s->m.cells; cell++)
        error[cell] = s->T[FACTORED][cell] - s->truth[cell];
    plot = zm_figure_plot(figure, 0, 0);
    PANEL(plot, &s->m, s->truth, .title = "True, with observations");
    ZM_PLOT_POINTS(plot, .x = s->seen.x, .y = s->seen.y, .n = s->seen.n, .color = red,
                   .marker_size = 2);
    plot = zm_figure_plot(figure, 0, 1);
    PANEL(plot, &s->m, s->T[FACTORED], .title = "Reconstructed", .isochrones = true);
    ZM_PLOT_POINTS(plot, .x = &s->origin.x, .y = &s->origin.y, .n = 1,
                   .marker = ZM_MARKER_STAR, .marker_size = 10, .color = red);
    PANEL(zm_figure_plot(figure, 0, 2), &s->m, error, .title = "Error",
          .label = "reconstructed − true", .map = ZM_MAP_DIVERGING, .clip = 0.002);
    figure_save(
        run, figure, file_names[i], "Figure D5",
        run_text(run,
                 "%s: true arrival time with 878 observations, the field "
                 "reconstructed from them with its isochrones and ignition point, "
                 "and the error.",
                 i == HILL ? "Hill" : "Terrain, patches and drift"));
}

static void draw_methods(experiment_run *run, double errors[SCENES][METHODS])
{
    zm_figure *figure = figure_new(run, 1, 1, NULL);
    zm_plot *plot = zm_figure_plot(figure, 0, 0);

    ZM_PLOT_AXES(plot, .title = "Reconstruction from 878 observations",
                 .y = { .label = "relative <i>L</i><sub>2</sub> error [%]",
                        .scale = ZM_SCALE_LOG,
                        .min = 1e-3,
                        .max = 100 });
    for (int k = 0; k < METHODS; k++) {
        double heights[SCENES];

        for (int i = 0; i < SCENES; i++)
            heights[i] = errors[i][k];
        ZM_PLOT_BARS(plot, .heights = heights, .names = scene_names, .n = SCENES,
                     .label = method_names[k]);
    }
    ZM_PLOT_GUIDE(plot, .y = 12, .dash = ZM_DASH_DASHED, .label = "paper: 12 %");
    figure_save(
        run, figure, "methods", "Figure D5",
        "Error of the arrival times by landscape and method. The first three know "
        "nothing of fronts; on even ground the factored eikonal is exact.");
}

static void wavefront(experiment_run *run)
{
    scene *scenes = run_memory(run, SCENES, sizeof *scenes);
    double errors[SCENES][METHODS];

    for (int i = 0; i < SCENES && run_goes_on(run); i++) {
        run_step(run, 0.1 * i, "%s", scene_names[i]);
        set_up(run, i, &scenes[i]);
    }
    if (!run_goes_on(run))
        return;
    run_step(run, 0.4, "splines");
    splines_and_factored(run, scenes);
    for (int i = 0; i < SCENES && run_goes_on(run); i++) {
        scene *s = &scenes[i];

        run_step(run, 0.7 + 0.05 * i, "%s", scene_names[i]);
        scattered_inverse_distance(&s->seen, &s->m, s->T[INVERSE_DISTANCE]);
        scattered_planes(&s->seen, &s->m, s->T[PLANES]);
        eikonal(run, s, s->T[FACTORED], s->T[EIKONAL]);
        if (run_goes_on(run))
            report(run, s, i, errors[i]);
        save(run, s, file_names[i]);
        if (i == HILL || i == COMBINED)
            draw_scene(run, s, i);
    }
    if (run_goes_on(run))
        draw_methods(run, errors);
}

const experiment experiment_wavefront = {
    .name = "wavefront",
    .group = "Synthetic scenarios",
    .title = "Wavefront reconstruction",
    .paper = "appendix Synthetic Propagation Scenarios, Figure D5",
    .about =
        "The arrival-time field, and its isochrones, from 878 exact observations in "
        "random cells of a 101 × 101 grid, without solving for the metric.\n\n"
        "Factored eikonal: the earliest 24 observations give the ignition point and a "
        "constant metric and drift around it, hence F(x − x₀), the eikonal's solution "
        "with its singularity; the ratio of the observed times to F is smooth and "
        "interpolated by a thin-plate spline. Observations as sources: from F times "
        "that ratio comes a local slowness, in which the front starts in every "
        "observation at its time; every time then has a cause, but where a ray passes "
        "between observations it is late. Beside them three ways that know nothing of "
        "fronts.\n\n"
        "The paper says neither how it chose the slowness nor in which medium; its "
        "pattern is concentric, as the first two here are, whose true times are the "
        "radial integral of the slowness; those of the others come from a grid 8 times "
        "finer (4 with --quick). In patches the error is that of the spline at their "
        "edges, which only solving for the metric would find.",
    .run = wavefront,
};
