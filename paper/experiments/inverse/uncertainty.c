/* SPDX-License-Identifier: Apache-2.0
 * Posterior standard deviation of the metric, and whether errors are as large as it says. */
#include <math.h>

#include "draw.h"
#include "panels.h"
#include "table.h"

enum { DRAWS = 6, SAMPLES = 64 };

/* Errors in units of the posterior deviation, of one run after the other. */
typedef struct scores {
    double *z; /* |error| / deviation */
    size_t n;
} scores;

typedef struct estimate {
    problem p;
    recovery r;
    double *std;
} estimate;

static estimate estimate_with_std(experiment_run *run, const design *d, uint64_t seed,
                                  const zm_invert_opts *opts)
{
    estimate e = { .p = problem_new(run, d, seed) };
    zm_invert_std_opts std_opts = ZM_INVERT_STD_OPTS_INIT;
    attempt *a = attempt_new(run, &e.p, opts);
    zm_metric_out out = { NULL, NULL, NULL, NULL, NULL };
    zm_error err;

    e.std = out.g11 = field_new(run, e.p.truth.cells);
    std_opts.samples = SAMPLES;
    std_opts.seed = run_seed(run, 500 + seed);
    attempt_run(a);
    e.r = attempt_recovery(a);
    if (run_goes_on(run))
        attempt_check(a, zm_invert_std(a->inversion, &out, &std_opts, &err), &err);
    attempt_free(a);
    return e;
}

static void add_scores(scores *s, const estimate *e)
{
    for (size_t i = 0; i < e->p.truth.cells; i++)
        s->z[s->n++] = fabs(e->r.found.g11[i] - e->p.truth.g11[i]) / e->std[i];
}

static double share_within(const scores *s, double limit)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->z[i] <= limit;
    return 100 * (double)n / (double)s->n;
}

static void report(experiment_run *run, const scores *s, const char *name)
{
    RESULT(run, .unit = "%", .ours = share_within(s, 1),
           .quantity = run_text(run, "cells within one deviation (68.3), %s", name));
    RESULT(run, .unit = "%", .ours = share_within(s, 2),
           .quantity = run_text(run, "cells within two deviations (95.4), %s", name));
}

static void plot_scores(zm_plot *plot, const scores *s, const char *label)
{
    enum { POINTS = 41 };
    double x[POINTS], share[POINTS];

    for (int i = 0; i < POINTS; i++) {
        x[i] = 0.1 * i;
        share[i] = erf(x[i] / sqrt(2));
    }
    ZM_PLOT_AXES(plot, .title = "Calibration", .aspect = 0.85,
                 .legend = ZM_LEGEND_BELOW,
                 .x = { .label = "|error| / deviation", .min = 0, .max = 4 },
                 .y = { .label = "share of cells below", .min = 0, .max = 1 });
    ZM_PLOT_LINE(plot, .x = x, .y = share, .n = POINTS, .color = 0xB8B8B8FFu,
                 .width = 3, .label = "normal distribution");
    ZM_PLOT_CUMULATIVE(plot, .values = s->z, .n = s->n, .label = label);
}

static void draw_row(experiment_run *run, zm_figure *figure, int row, const estimate *e,
                     const scores *s, const char *label)
{
    double *error = field_new(run, e->p.truth.cells);

    for (size_t i = 0; i < e->p.truth.cells; i++)
        error[i] = e->r.found.g11[i] - e->p.truth.g11[i];
    plot_found(zm_figure_plot(figure, row, 0), &e->p, &e->r.found, 0, "Found");
    PANEL(zm_figure_plot(figure, row, 1), &e->p.truth, e->std, .label = "deviation",
          .title = "Posterior deviation", .sources = true, .map = ZM_MAP_EMBER);
    PANEL(zm_figure_plot(figure, row, 2), &e->p.truth, error, .label = "found − true",
          .title = "Error", .map = ZM_MAP_DIVERGING, .clip = 0.002);
    plot_scores(zm_figure_plot(figure, row, 3), s, label);
}

static void uncertainty(experiment_run *run)
{
    const int draws = run_quick(run) ? 2 : DRAWS;
    const design of_prior = { .name = "field drawn from the prior",
                              .truth = TRUTH_ROUGH,
                              .share = 0.2,
                              .noise = 0.02 };
    const design half = {
        .name = "half/half", .share = 1, .noise = 0.05, .progress = 0.8
    };
    zm_invert_opts opts = ZM_INVERT_OPTS_INIT;
    const size_t cells = (size_t)inverse_side(run) * (size_t)inverse_side(run);
    scores own = { .z = field_new(run, cells * DRAWS) };
    scores edge = { .z = field_new(run, cells) };
    estimate smooth = { 0 }, sharp;
    zm_figure *figure;

    opts.regulariser = ZM_REG_H1;
    opts.lambda_rule = ZM_LAMBDA_FIXED;
    opts.lambda = ROUGH_PRECISION;
    for (int i = draws; i-- > 0 && run_goes_on(run);) {
        smooth = estimate_with_std(run, &of_prior, (uint64_t)i, &opts);
        add_scores(&own, &smooth);
    }
    sharp = estimate_with_std(run, &half, 0, NULL);
    if (!run_goes_on(run))
        return;
    add_scores(&edge, &sharp);
    report(run, &own,
           run_text(run, "fields drawn from the prior, H1, %d draws", draws));
    report(run, &edge, "half/half, library's default");
    figure = figure_new(run, 2, 4, NULL);
    draw_row(run, figure, 0, &smooth, &own,
             run_text(run, "H1, %d draws from its prior", draws));
    draw_row(run, figure, 1, &sharp, &edge, "half/half, TV and LOG");
    figure_save(run, figure, "uncertainty", NULL,
                "Top: a field drawn from the prior, from 20 % of the cells with noise "
                "of 2 %. Below: half/half, all cells, noise of 5 %. Right: how often "
                "errors were smaller than so many deviations.");
    run_remark(run,
               "What is missing from the nominal shares is the nonlinearity, which "
               "Laplace's approximation leaves out. For half/half the deviation is too "
               "large: the regulariser, frozen as a quadratic at the result, allows "
               "changes in the even parts that it would in fact resist.");
}

const experiment experiment_uncertainty = {
    .name = "uncertainty",
    .group = "Inverse problem",
    .title = "Posterior deviation and its calibration",
    .paper = "beyond the paper",
    .about =
        "The standard deviation of g from the Gauss-Newton Hessian (Laplace's "
        "approximation, 64 samples). It is right where the regulariser is the "
        "logarithm "
        "of the distribution that the truth comes from: so slownesses are drawn from "
        "the normal distribution that H1 with a given λ stands for, observed in 20 % "
        "of "
        "the cells with noise of 2 %, and found again with that λ. Over all cells of "
        "several draws, errors should be below one deviation in 68.3 % and below two "
        "in 95.4 %.\n\n"
        "Below it, half/half with the library's default, whose regulariser is no "
        "normal "
        "distribution's: the deviation is then a guide, not a promise, and does not "
        "tell whether an edge might run elsewhere.",
    .run = uncertainty,
};
