/* SPDX-License-Identifier: Apache-2.0
 * What errors of the metric do to the arrival times. */
#include <math.h>

#include "measure.h"
#include "panels.h"
#include "random.h"
#include "table.h"
#include "zermelo/adjoint.h"

enum { SIZE = 101, STEPS = 10, MOST_SAMPLES = 64, KINDS = 7 };
enum { AT_10 = 2, AT_30 = 6 }; /* steps of 5 % */
enum { NEAREST = 0, SHOWN = 5 };
static const double least_g = 0.05, most_g12 = 0.9; /* keep G positive definite */

/* Noise on G = I: white of variance 1, smoothed by a Gaussian of `length` cells. */
typedef struct noise {
    double length;
    bool renormalised; /* variance 1 again after the smoothing */
    int fields;        /* 1: on g11 = g22; 2: one for each; 3: also one on g12 */
    const char *name;
} noise;
static const noise kinds[KINDS] = {
    { 0.5, false, 3, "all entries, smoothed by ½ cell" },
    { 0, true, 2, "white, g11 and g22 apart" },
    { 0, true, 1, "white" },
    { 1, true, 1, "correlation 1 cell" },
    { 2, true, 1, "correlation 2 cells" },
    { 5, true, 1, "correlation 5 cells" },
    { 10, true, 1, "correlation 10 cells" },
};

/* Errors by level, in %: mean over the samples, and the range of the first. */
typedef struct curve {
    double level[STEPS + 1];
    double rms[STEPS + 1];                  /* over the largest T */
    double low[STEPS + 1], high[STEPS + 1]; /* of rms */
    double relative[STEPS + 1];             /* L2 */
    double raised; /* share of the values of g11 at the highest level */
} curve;

static int samples_of(const experiment_run *run)
{
    return run_quick(run) ? 8 : MOST_SAMPLES;
}

/* What smoothing leaves of the standard deviation of white noise: the sum of the squares of
 * the weights of one direction, exp(-k^2 / (2 length^2)) over their sum. */
static double smoothing_factor(double length)
{
    const int reach = (int)ceil(4 * length);
    double sum = 0, squares = 0;

    for (int k = -reach; k <= reach; k++) {
        const double w = k ? exp(-k * k / (2 * length * length)) : 1;

        sum += w;
        squares += w * w;
    }
    return squares / (sum * sum);
}

/* Three fields: for g11, g22 and g12. */
static void draw_noise(experiment_run *run, const noise *kind, uint64_t random,
                       double *fields[3])
{
    const double size = kind->renormalised ? 1 : smoothing_factor(kind->length);
    const size_t cells = (size_t)SIZE * SIZE;

    for (int k = 0; k < 3; k++) {
        const bool own = k < kind->fields;

        if (own && !random_field(&random, SIZE, SIZE, kind->length, fields[k]))
            run_fail(run, "no memory for random fields");
        for (size_t cell = 0; cell < cells; cell++)
            fields[k][cell] = own      ? size * fields[k][cell]
                              : k == 1 ? fields[0][cell]
                                       : 0;
    }
}

/* G = I + level noise, kept positive definite; the share of g11 that had to be raised. */
static double perturb(medium *m, double level, double *const fields[3])
{
    size_t raised = 0;

    for (size_t cell = 0; cell < m->cells; cell++) {
        const double g11 = 1 + level * fields[0][cell];
        const double g22 = 1 + level * fields[1][cell];
        double most;

        raised += g11 < least_g;
        m->g11[cell] = fmax(g11, least_g);
        m->g22[cell] = fmax(g22, least_g);
        most = most_g12 * sqrt(m->g11[cell] * m->g22[cell]);
        m->g12[cell] = fmin(fmax(level * fields[2][cell], -most), most);
    }
    return (double)raised / (double)m->cells;
}

/* The same noise at all levels. */
static void add_sample(experiment_run *run, medium *m, const double *T,
                       double *const fields[3], double *noisy, curve *c)
{
    const double samples = samples_of(run);

    for (int k = 1; k <= STEPS && run_goes_on(run); k++) {
        const double raised = perturb(m, c->level[k] / 100, fields);
        error_norms e;

        medium_solve(run, m, noisy);
        e = error_of(m->cells, noisy, T);
        c->rms[k] += 100 * e.rms_over_max / samples;
        c->relative[k] += 100 * e.relative / samples;
        c->low[k] = fmin(c->low[k], 100 * e.rms_over_max);
        c->high[k] = fmax(c->high[k], 100 * e.rms_over_max);
        c->raised += k == STEPS ? raised / samples : 0;
    }
}

static void measure(experiment_run *run, medium *m, const double *T, int kind,
                    double *fields[3], double *noisy, curve *c)
{
    const int samples = samples_of(run);

    for (int k = 0; k <= STEPS; k++) {
        c->level[k] = 50.0 * k / STEPS;
        c->low[k] = k ? INFINITY : 0;
    }
    for (int i = 0; i < samples && run_goes_on(run); i++) {
        run_step(run, (kind + (double)i / samples) / KINDS, "%s", kinds[kind].name);
        draw_noise(run, &kinds[kind],
                   run_seed(run, (uint64_t)(MOST_SAMPLES * kind + i)), fields);
        add_sample(run, m, T, fields, noisy, c);
    }
}

/* Slope of the line through the errors by least squares. */
static double slope_of(const curve *c)
{
    const double level = mean_of(STEPS + 1, c->level), rms = mean_of(STEPS + 1, c->rms);
    double products = 0, squares = 0;

    for (int k = 0; k <= STEPS; k++) {
        products += (c->level[k] - level) * (c->rms[k] - rms);
        squares += (c->level[k] - level) * (c->level[k] - level);
    }
    return products / squares;
}

static void report(experiment_run *run, int kind, const curve *c)
{
    static const struct {
        int step;
        const char *paper;
    } levels[] = { { AT_10, "0.4" }, { AT_30, "3.3" } };
    const char *name = kinds[kind].name;

    for (int i = 0; i < 2; i++) {
        const int k = levels[i].step;

        RESULT(run, .reference = "Figure D6", .unit = "%",
               .quantity = run_text(run, "RMS over largest T, noise %g %%, %s",
                                    c->level[k], name),
               .paper = kind == NEAREST ? levels[i].paper : NULL, .ours = c->rms[k]);
        RESULT(run, .reference = "Figure D6", .unit = "%",
               .quantity =
                   run_text(run, "relative L2, noise %g %%, %s", c->level[k], name),
               .ours = c->relative[k]);
    }
    if (kind == NEAREST)
        RESULT(run, .reference = "Figure D6", .paper = "0.2", .ours = slope_of(c),
               .quantity = run_text(run, "slope of the fitted line, %s", name));
    RESULT(run, .reference = "Figure D6",
           .quantity = run_text(run, "exponent of the error over the noise, %s", name),
           .ours = fitted_exponent(STEPS + 1, c->level, c->rms));
}

/* |dT| / |T(G + dG) - T(G)| with the derivative dT along dG, noise of 1 %. */
static void check_first_order(experiment_run *run, medium *m, const double *T,
                              double *fields[3])
{
    const zm_direction direction = { .size = sizeof(zm_direction),
                                     .g11 = fields[0],
                                     .g22 = fields[1] };
    double *dT = field_new(run, m->cells), *change = field_new(run, m->cells);
    zm_solver *solver = medium_solver(run, m, 1);
    zm_problem problem;
    zm_error err;

    draw_noise(run, &kinds[KINDS - 1], run_seed(run, MOST_SAMPLES * KINDS), fields);
    medium_fill(m, (cell_metric){ 1, 0, 1, 0, 0 });
    problem = medium_problem(m);
    if (run_goes_on(run))
        run_check(run, zm_forward(solver, &problem, change, NULL, NULL, &err), &err);
    if (run_goes_on(run))
        run_check(run, zm_tangent(solver, &problem, change, &direction, dT, &err),
                  &err);
    zm_solver_destroy(solver);
    perturb(m, 0.01, fields);
    medium_solve(run, m, change);
    for (size_t cell = 0; cell < m->cells; cell++) {
        change[cell] -= T[cell];
        dT[cell] *= 0.01;
    }
    RESULT(run, .reference = "Figure D6", .unit = "%", .better = BETTER_LOWER,
           .quantity =
               run_text(run, "first-order prediction, relative error, noise 1 %%, %s",
                        kinds[KINDS - 1].name),
           .ours = 100 * error_of(m->cells, dT, change).relative);
}

static void draw_curves(experiment_run *run, const curve *curves)
{
    static const double paper_level[] = { 10, 30 }, paper_error[] = { 0.4, 3.3 };
    zm_figure *figure = figure_new(run, 1, 1, NULL);
    zm_plot *plot = zm_figure_plot(figure, 0, 0);

    ZM_PLOT_AXES(plot, .title = "Error of the arrival times",
                 .x.label = "noise on the metric [%]",
                 .y.label = "RMS error over largest <i>T</i> [%]");
    ZM_PLOT_BAND(plot, .x = curves[NEAREST].level, .low = curves[NEAREST].low,
                 .high = curves[NEAREST].high, .n = STEPS + 1);
    for (int kind = 0; kind < KINDS; kind++)
        ZM_PLOT_LINE(plot, .x = curves[kind].level, .y = curves[kind].rms,
                     .n = STEPS + 1, .label = kinds[kind].name);
    ZM_PLOT_POINTS(plot, .x = paper_level, .y = paper_error, .n = 2,
                   .marker = ZM_MARKER_DIAMOND, .marker_size = 8, .label = "paper");
    figure_save(
        run, figure, "sensitivity", "Figure D6",
        "Error against the level of the noise for several kinds of it; the band "
        "is the range of the first over the samples.");
}

static void draw_example(experiment_run *run, medium *m, const double *T,
                         double *fields[3])
{
    zm_figure *figure = figure_new(run, 1, 2, NULL);
    double *noisy = field_new(run, m->cells);

    draw_noise(run, &kinds[SHOWN], run_seed(run, MOST_SAMPLES * SHOWN), fields);
    perturb(m, 0.3, fields);
    medium_solve(run, m, noisy);
    run_save(run, "metric", m->g11, SIZE, SIZE);
    run_save(run, "T", noisy, SIZE, SIZE);
    PANEL(zm_figure_plot(figure, 0, 0), m, m->g11, .title = "Metric with noise of 30 %",
          .label = "<i>g</i>", .map = ZM_MAP_SAND, .sources = true);
    for (size_t cell = 0; cell < m->cells; cell++)
        noisy[cell] -= T[cell];
    PANEL(zm_figure_plot(figure, 0, 1), m, noisy, .title = "Change of the arrival time",
          .label = "Δ<i>T</i>", .map = ZM_MAP_DIVERGING);
    figure_save(run, figure, "example", "",
                "Noise correlated over 5 cells, and what it does to the arrival time.");
}

static void save(experiment_run *run, const curve *curves)
{
    saved_curve saved[2 * KINDS + 2] = { { "noise [%]", curves[0].level } };

    for (int kind = 0; kind < KINDS; kind++) {
        saved[1 + 2 * kind] =
            (saved_curve){ run_text(run, "RMS over largest T [%%] (%s)",
                                    kinds[kind].name),
                           curves[kind].rms };
        saved[2 + 2 * kind] = (saved_curve){ "relative L2", curves[kind].relative };
    }
    run_save_curves(run, "errors", STEPS + 1, saved);
}

static void sensitivity(experiment_run *run)
{
    medium m = medium_new(run, SIZE, SIZE, 1);
    double *T = field_new(run, m.cells), *noisy = field_new(run, m.cells);
    double *fields[3] = { field_new(run, m.cells), field_new(run, m.cells),
                          field_new(run, m.cells) };
    curve *curves = run_memory(run, KINDS, sizeof *curves);

    medium_source(run, &m, SIZE / 2, SIZE / 2, 0);
    medium_solve(run, &m, T);
    for (int kind = 0; kind < KINDS && run_goes_on(run); kind++) {
        measure(run, &m, T, kind, fields, noisy, &curves[kind]);
        report(run, kind, &curves[kind]);
    }
    if (!run_goes_on(run))
        return;
    check_first_order(run, &m, T, fields);
    run_remark(
        run,
        "Noise that the front can run around makes it earlier, by the square of "
        "the noise; only long-range noise acts to first order. At 50 %% of white "
        "noise %.1f %% of the metric had to be raised to stay positive.",
        100 * curves[2].raised);
    save(run, curves);
    draw_curves(run, curves);
    draw_example(run, &m, T, fields);
}

const experiment experiment_sensitivity = {
    .name = "sensitivity",
    .group = "Synthetic scenarios",
    .title = "Sensitivity to errors of the metric",
    .paper = "appendix Synthetic Propagation Scenarios, Figure D6",
    .about =
        "Arrival times when Gaussian noise of 0 to 50 % is added to G = I, against "
        "those without.\n\n"
        "How much errors of the metric matter is a property of the problem, not of "
        "the solver: no verdict. The paper gives neither grid nor correlation length, "
        "nor whether the noise has its nominal variance after smoothing, nor the "
        "norm. Of several readings on 101 × 101 cells with the source in the middle "
        "the first comes nearest: white noise on g11, g12 and g22, smoothed by a "
        "Gaussian of half a cell (which leaves 0.64 of its size), RMS over largest T. "
        "All others have the nominal variance after smoothing. The values are means "
        "over 64 samples (8 with --quick); g11 and g22 are kept at 0.05 or more, "
        "|g12| below 0.9 √(g11 g22).",
    .run = sensitivity,
};
