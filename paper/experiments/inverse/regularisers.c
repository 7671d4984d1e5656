/* SPDX-License-Identifier: Apache-2.0
 * Regularisers beside each other on the same data. */
#include "draw.h"
#include "table.h"

enum { KINDS = 5, FIELDS = 2 };

typedef struct kind {
    const char *name, *paper;
    zm_reg_kind regulariser;
    zm_invert_method method;
    bool nothing; /* lambda as good as 0 */
    bool fails;   /* shown for that: no verdict */
} kind;
static const kind kinds[KINDS] = {
    { .name = "None",
      .paper = "24",
      .method = ZM_INVERT_GAUSS_NEWTON,
      .nothing = true,
      .fails = true },
    { .name = "TV", .paper = "21", .method = ZM_INVERT_GAUSS_NEWTON },
    { .name = "Tikhonov (magnitude)",
      .paper = "210",
      .regulariser = ZM_REG_TIKHONOV,
      .method = ZM_INVERT_GAUSS_NEWTON,
      .fails = true },
    { .name = "H1 (squared gradient)",
      .regulariser = ZM_REG_H1,
      .method = ZM_INVERT_GAUSS_NEWTON },
    { .name = "LOG after TV", .paper = "21", .method = ZM_INVERT_GNC },
};
static const char *const fields[FIELDS] = { "half/half", "smooth" };

static zm_invert_opts options(const kind *k)
{
    zm_invert_opts opts = ZM_INVERT_OPTS_INIT;

    opts.regulariser = k->regulariser;
    opts.method = k->method;
    if (k->nothing)
        opts.lambda = 1e-9;
    return opts;
}

static void draw(experiment_run *run, series *s[KINDS], const char *name,
                 const char *caption)
{
    zm_figure *figure = figure_new(run, 2, 3, NULL);

    plot_true(zm_figure_plot(figure, 0, 0), &s[0]->problems[0], 0, "True");
    for (int k = 0; k < KINDS; k++)
        plot_found(zm_figure_plot(figure, (k + 1) / 3, (k + 1) % 3), &s[k]->problems[0],
                   &s[k]->all[s[k]->worst].found, 0, kinds[k].name);
    figure_save(run, figure, name, "Figure E3", caption);
}

static void regulariser_comparison(experiment_run *run)
{
    series *s[FIELDS][KINDS];

    for (int f = 0; f < FIELDS; f++) {
        for (int k = 0; k < KINDS && run_goes_on(run); k++) {
            const zm_invert_opts opts = options(&kinds[k]);
            const design d = { .name =
                                   run_text(run, "%s, %s", fields[f], kinds[k].name),
                               .progress = (f * KINDS + k) / (double)(FIELDS * KINDS),
                               .truth = f == 0 ? TRUTH_HALF : TRUTH_SMOOTH,
                               .share = 0.07,
                               .noise = 0.01,
                               .purpose = (uint64_t)f };

            s[f][k] = recover_series(run, &d, &opts);
            RESULT(run, .reference = "Figure E3", .unit = "%", .ours = s[f][k]->error,
                   .paper = f == 0 ? kinds[k].paper : NULL,
                   .better = kinds[k].fails ? BETTER_NONE : BETTER_LOWER,
                   .quantity = run_text(run, "error of g, %s%s", d.name,
                                        series_suffix(run, s[f][k])));
            report_solves(run, s[f][k], "Figure E3", NULL);
        }
        if (run_goes_on(run))
            report_constant(run, &s[f][0]->problems[0], "Figure E3", fields[f]);
    }
    if (!run_goes_on(run))
        return;
    draw(run, s[0], "half",
         "Half/half from 7 % of the cells with noise of 1 %, by regulariser; the worst "
         "seed.");
    draw(run, s[1], "smooth", "The same for a smooth field.");
    run_remark(
        run, "Without regulariser, and with one that knows no neighbours, only the "
             "cells on the paths to observations learn anything: rays from the source. "
             "The paper's Tikhonov pulls towards a start it does not tell; towards "
             "the best uniform slowness it does no harm, and no good.");
}

const experiment experiment_regulariser_comparison = {
    .name = "regulariser-comparison",
    .group = "Inverse problem",
    .title = "Regularisers",
    .paper = "appendix Computational Comparisons, Figure E3",
    .about =
        "The same data, 7 % of the cells with noise of 1 %, under no regulariser, TV, "
        "squared distance from the start (Tikhonov), squared gradient (H1), and the "
        "non-convex LOG begun from TV, the library's default. λ is automatic: for "
        "Tikhonov and H1 by the discrepancy principle. Half/half, and a smooth field, "
        "for which edges are the wrong idea.\n\n"
        "The paper does not tell data and strengths.",
    .run = regulariser_comparison,
};
