/* SPDX-License-Identifier: Apache-2.0
 * Optimisers beside each other on the same problem: errors against forward solves. */
#include <math.h>

#include "draw.h"
#include "table.h"

enum { METHODS = 7 };

typedef struct method {
    const char *name, *paper;
    zm_invert_method method;
    bool theirs;     /* the paper's own: no verdict */
    bool fixed_rate; /* as the paper: g itself, a learning rate of 0.01 */
    zm_plot_dash dash;
    double width; /* of its curve; 0: the usual */
} method;
static const method methods[METHODS] = {
    { .name = "gradient descent, fixed rate",
      .paper = "414",
      .theirs = true,
      .method = ZM_INVERT_GRADIENT,
      .fixed_rate = true,
      .dash = ZM_DASH_DOTTED },
    { .name = "gradient descent, line search",
      .method = ZM_INVERT_GRADIENT,
      .dash = ZM_DASH_DOTTED },
    { .name = "Adam",
      .paper = "20",
      .theirs = true,
      .method = ZM_INVERT_ADAM,
      .fixed_rate = true,
      .dash = ZM_DASH_DASHED },
    { .name = "L-BFGS", .method = ZM_INVERT_LBFGS, .dash = ZM_DASH_DASHED },
    { .name = "ADMM", .method = ZM_INVERT_ADMM },
    /* The first part of the next one: drawn below it. */
    { .name = "Gauss-Newton", .method = ZM_INVERT_GAUSS_NEWTON, .width = 4 },
    { .name = "Gauss-Newton, then LOG", .paper = "20", .method = ZM_INVERT_GNC },
};

static zm_invert_opts options(const method *m)
{
    zm_invert_opts opts = ZM_INVERT_OPTS_INIT;

    opts.method = m->method;
    if (m->fixed_rate) {
        opts.metric_map = ZM_METRIC_PLAIN;
        opts.rate = 0.01;
        opts.line_search = 0;
    }
    return opts;
}

static void draw(experiment_run *run, const problem *p, const recovery *r)
{
    zm_figure *figure = figure_new(run, 2, 3, NULL);
    zm_plot *loss = zm_figure_plot(figure, 0, 0), *error = zm_figure_plot(figure, 0, 1);

    ZM_PLOT_AXES(loss, .title = "Misfit", .aspect = 0.85, .legend = ZM_LEGEND_NONE,
                 .x = { .label = "forward solves", .scale = ZM_SCALE_LOG },
                 .y = { .label = "χ² a datum", .scale = ZM_SCALE_LOG });
    plot_error_axes(error, &(error_axes){ .title = "Error of <i>g</i>",
                                          .x_label = "forward solves",
                                          .y_min = 0.5,
                                          .y_max = 1000 });
    for (int i = 0; i < METHODS; i++) {
        const trace *t = &r[i].steps;

        ZM_PLOT_LINE(loss, .x = t->solves, .y = t->chi2, .n = t->n,
                     .dash = methods[i].dash, .width = methods[i].width);
        ZM_PLOT_LINE(error, .x = t->solves, .y = t->error, .n = t->n,
                     .dash = methods[i].dash, .width = methods[i].width,
                     .label = methods[i].name);
    }
    plot_found(zm_figure_plot(figure, 0, 2), p, &r[2].found, 0, methods[2].name);
    plot_found(zm_figure_plot(figure, 1, 0), p, &r[3].found, 0, methods[3].name);
    plot_found(zm_figure_plot(figure, 1, 1), p, &r[4].found, 0, methods[4].name);
    plot_found(zm_figure_plot(figure, 1, 2), p, &r[6].found, 0, methods[6].name);
    figure_save(run, figure, "optimisers", "Figure E4",
                "Misfit and error against forward solves, and what some methods end "
                "with. First seed.");
}

static void optimiser_comparison(experiment_run *run)
{
    recovery shown[METHODS];
    problem p = { 0 };

    for (int i = 0; i < METHODS && run_goes_on(run); i++) {
        const zm_invert_opts opts = options(&methods[i]);
        const design d = { .name = methods[i].name,
                           .progress = (double)i / METHODS,
                           .share = 0.07,
                           .noise = 0.01 };
        const series *s = recover_series(run, &d, &opts);

        RESULT(run, .reference = "Figure E4", .unit = "%", .ours = s->error,
               .paper = methods[i].paper,
               .better = methods[i].theirs ? BETTER_NONE : BETTER_LOWER,
               .quantity =
                   run_text(run, "error of g, %s%s", d.name, series_suffix(run, s)));
        report_solves(run, s, "Figure E4", NULL);
        RESULT(run, .reference = "Figure E4", .better = BETTER_LOWER,
               .ours = s->all[s->worst].report.chi2,
               .quantity =
                   run_text(run, "χ² a datum, %s%s", d.name, series_suffix(run, s)));
        shown[i] = s->all[0];
        p = s->problems[0];
    }
    if (!run_goes_on(run))
        return;
    report_constant(run, &p, "Figure E4", "half/half");
    draw(run, &p, shown);
    run_remark(
        run, "A fixed rate is too large where the gradient is large and too small "
             "elsewhere; g runs to its bounds and stays there. With a line search the "
             "same direction works, slowly. Adam with exact gradients and a good "
             "start does better than the paper's and needs ten times the solves of "
             "Gauss-Newton to blur the edge, which its stiff TV term keeps it from "
             "sharpening.");
}

const experiment experiment_optimiser_comparison = {
    .name = "optimiser-comparison",
    .group = "Inverse problem",
    .title = "Optimisers",
    .paper = "appendix Computational Comparisons, Figure E4",
    .about =
        "Half/half, 7 % of the cells, noise of 1 %, one objective: misfit and TV with "
        "the automatic λ (the last method ends with LOG). First the paper's: gradient "
        "descent and Adam with a learning rate of 0.01 on g itself; then ours. "
        "First-order methods make 300 iterations, the others their schedule. What "
        "counts is forward solves: a step of Gauss-Newton also takes up to some "
        "hundred "
        "products with the Jacobian or its transpose, each some twentieth of a solve "
        "or "
        "less.",
    .run = optimiser_comparison,
};
