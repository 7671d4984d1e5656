/* SPDX-License-Identifier: Apache-2.0
 * Several sources: of one front, and of several fronts. */
#include "draw.h"
#include "panels.h"
#include "table.h"

/* ---- one front -------------------------------------------------------------------- */

enum { IGNITIONS = 3 };

static void draw_ignitions(experiment_run *run, series **exact, series **noisy)
{
    static const double count[IGNITIONS] = { 1, 2, 3 };
    zm_figure *figure = figure_new(run, 1, 3, NULL);
    zm_plot *errors = zm_figure_plot(figure, 0, 2);
    const series *last = noisy[IGNITIONS - 1];

    PANEL_ARRIVAL(zm_figure_plot(figure, 0, 0), &last->problems[0].truth,
                  last->problems[0].fronts[0].T, .title = "Three ignitions");
    plot_found(zm_figure_plot(figure, 0, 1), &last->problems[0],
               &last->all[last->worst].found, 0, "Found, noise 1 %");
    plot_error_axes(errors, &(error_axes){ .title = "Error",
                                           .x_label = "ignitions",
                                           .x_linear = true,
                                           .x_ticks = count,
                                           .n_x_ticks = IGNITIONS });
    plot_series(errors, count, exact, IGNITIONS, ZM_MARKER_DOT, "exact times");
    plot_series(errors, count, noisy, IGNITIONS, ZM_MARKER_SQUARE, "noise 1 %");
    ZM_PLOT_LINE(errors, .x = (double[]){ 1, 3 }, .y = (double[]){ 29.2, 26.4 }, .n = 2,
                 .dash = ZM_DASH_DASHED, .label = "paper");
    figure_save(
        run, figure, "ignitions", "Figure C10",
        "One front from three ignitions, the field found from 7 % of its times, "
        "and the error against the number of ignitions, from best to worst "
        "seed.");
}

static void several_ignitions(experiment_run *run)
{
    static const char *const paper[IGNITIONS] = { "29.2", NULL, "26.4" };
    series *exact[IGNITIONS], *noisy[IGNITIONS];

    for (int i = 0; i < IGNITIONS && run_goes_on(run); i++) {
        design d = { .name = run_text(run, "%d ignition%s", i + 1, i ? "s" : ""),
                     .progress = (double)i / IGNITIONS,
                     .fronts = (size_t)i + 1,
                     .together = true,
                     .share = 0.07,
                     .purpose = (uint64_t)i };

        exact[i] = recover_series(run, &d, NULL);
        report_series(run, exact[i], "Figure C10", paper[i]);
        d.name = run_text(run, "%s, noise 1 %%", d.name);
        d.noise = 0.01;
        noisy[i] = recover_series(run, &d, NULL);
        report_series(run, noisy[i], "Figure C10", paper[i]);
    }
    if (!run_goes_on(run))
        return;
    report_constant(run, &exact[0]->problems[0], "Figure C10", "half/half");
    draw_ignitions(run, exact, noisy);
    run_remark(
        run, "More ignitions help little by themselves: paths to the observations "
             "become shorter, so that noise, which is given relative to the spread of "
             "T, becomes less too.");
}

const experiment experiment_several_ignitions = {
    .name = "several-ignitions",
    .group = "Inverse problem",
    .title = "One front from several ignitions",
    .paper = "appendix Inverse Problem Experiments, Figure C10",
    .about =
        "Half/half, one front that starts in one, two or three places at once, 7 % of "
        "the cells observed, exact and with noise of 1 %. Where parts of the front "
        "meet, times come from both sides, but every cell still has one time only. The "
        "paper leaves open how much it observes.",
    .run = several_ignitions,
};

/* ---- several fronts --------------------------------------------------------------- */

enum { COUNTS = 4 };
static const double counts[COUNTS] = { 1, 2, 3, 5 };

static void draw_fronts(experiment_run *run, series **exact, series **noisy,
                        series **one)
{
    static const double of_paper[COUNTS] = { 18.6, 17.5, 12.4, 10.1 };
    zm_figure *figure = figure_new(run, 1, 3, NULL);
    zm_plot *errors = zm_figure_plot(figure, 0, 2);

    plot_found(zm_figure_plot(figure, 0, 0), &noisy[0]->problems[0],
               &noisy[0]->all[noisy[0]->worst].found, 0, "One source, noise 1 %");
    plot_found(zm_figure_plot(figure, 0, 1), &noisy[3]->problems[0],
               &noisy[3]->all[noisy[3]->worst].found, 0, "Five sources, noise 1 %");
    plot_error_axes(errors, &(error_axes){ .title = "Error",
                                           .x_label = "sources (or as many data)",
                                           .x_linear = true,
                                           .x_ticks = counts,
                                           .n_x_ticks = COUNTS });
    plot_series(errors, counts, exact, COUNTS, ZM_MARKER_DOT, "exact times");
    plot_series(errors, counts, noisy, COUNTS, ZM_MARKER_SQUARE, "noise 1 %");
    plot_series(errors, counts, one, COUNTS, ZM_MARKER_TRIANGLE,
                "noise 1 %, all from one source");
    ZM_PLOT_LINE(errors, .x = counts, .y = of_paper, .n = COUNTS,
                 .dash = ZM_DASH_DASHED, .marker = ZM_MARKER_DIAMOND, .label = "paper");
    figure_save(
        run, figure, "sources", "Figure C11",
        "Fields found under noise from one and from five sources, and the error "
        "against their number, from best to worst seed.");
}

static void multi_source(experiment_run *run)
{
    static const char *const paper[COUNTS] = { "18.6", "17.5", "12.4", "10.1" };
    const bool quick = run_quick(run);
    series *exact[COUNTS], *noisy[COUNTS], *one[COUNTS];

    for (int i = 0; i < COUNTS && run_goes_on(run); i++) {
        const size_t n = (size_t)counts[i];
        design d = { .name = run_text(run, "%zu source%s", n, n > 1 ? "s" : ""),
                     .progress = (double)i / COUNTS,
                     .side = quick ? 32 : 64,
                     .fronts = n,
                     .observations = quick ? 72 : 286,
                     .purpose = (uint64_t)i };

        exact[i] = recover_series(run, &d, NULL);
        report_series(run, exact[i], "Table 3", paper[i]);
        d.noise = 0.01;
        d.name = run_text(run, "%s, noise 1 %%", d.name);
        noisy[i] = recover_series(run, &d, NULL);
        report_series(run, noisy[i], "Figure C11", paper[i]);
        one[i] = noisy[i];
        if (i == 0)
            continue;
        d.observations *= n;
        d.fronts = 1;
        d.name = run_text(run, "1 source, data of %zu, noise 1 %%", n);
        one[i] = recover_series(run, &d, NULL);
        report_series(run, one[i], "Figure C11", NULL);
    }
    if (!run_goes_on(run))
        return;
    report_constant(run, &exact[0]->problems[0], "Table 3", "half/half");
    draw_fronts(run, exact, noisy, one);
    run_remark(
        run, "As many observations of a single front do about as well as those of "
             "several: of an isotropic metric, one equation a cell is enough, and "
             "what counts is the number of data. Other directions matter where one "
             "front leaves something open: see recover-diagonal and recover-drift. "
             "Where the error of exact times is not some tenths of a percent but some "
             "percent, a stretch of the edge has come to lie a column beside the true "
             "one, which so few data allow.");
}

const experiment experiment_multi_source = {
    .name = "multi-source",
    .group = "Inverse problem",
    .title = "Several fronts, one metric",
    .paper = "section Inverse Metric Problem, Table 3, Figure C11",
    .about =
        "Half/half on 64 × 64 cells, of which 286 is 7 %: 286 observations of each of "
        "one to five fronts from different sources, exact and with noise of 1 %. "
        "Beside them as many observations of a single front, to tell the gain by other "
        "directions from that by more data.",
    .run = multi_source,
};
