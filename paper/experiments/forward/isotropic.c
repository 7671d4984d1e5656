/* SPDX-License-Identifier: Apache-2.0
 * Convergence in the plane, G = I: the errors of the paper's first table and their rate. */
#include "measure.h"
#include "medium.h"
#include "table.h"

enum { SIZES = 5 };
static const int32_t sizes[SIZES] = { 25, 50, 100, 200, 400 };
static const char *const paper_rms[SIZES] = { "4.77e-3", "3.13e-3", "1.96e-3",
                                              "1.19e-3", "6.99e-4" };
static const char *const paper_largest[SIZES] = { "7.73e-3", "5.18e-3", "3.22e-3",
                                                  "1.93e-3", "1.15e-3" };
static const char *const paper_relative[SIZES] = { "0.84", "0.48", "0.29", "0.17",
                                                   "0.10" };

static error_norms error_at(experiment_run *run, int32_t size)
{
    medium m = medium_new(run, size, size, 1.0 / size);
    double *T = field_new(run, m.cells), *exact = field_new(run, m.cells);

    medium_source(run, &m, size / 2, size / 2, 0);
    medium_solve(run, &m, T);
    medium_exact(&m, exact);
    run_save(run, run_text(run, "T-%d", (int)size), T, (size_t)size, (size_t)size);
    return error_inside((size_t)size, (size_t)size, PAPER_BORDER, T, exact);
}

static void report(experiment_run *run, int i, error_norms e)
{
    const int n = (int)sizes[i];

    RESULT(run, .reference = "Table 1", .better = BETTER_LOWER, .ours = e.rms,
           .quantity = run_text(run, "L2 error (RMS), N = %d", n),
           .paper = paper_rms[i]);
    RESULT(run, .reference = "Table 1", .better = BETTER_LOWER, .ours = e.largest,
           .quantity = run_text(run, "L∞ error, N = %d", n), .paper = paper_largest[i]);
    RESULT(run, .reference = "Table 1", .better = BETTER_LOWER, .unit = "%",
           .quantity = run_text(run, "RMS over largest T, N = %d", n),
           .paper = paper_relative[i], .ours = 100 * e.rms_over_max);
    RESULT(run, .reference = "Table 1", .better = BETTER_LOWER, .unit = "%",
           .quantity = run_text(run, "relative L2, N = %d", n),
           .ours = 100 * e.relative);
}

static void draw(experiment_run *run, const double *h, const double *rms,
                 const double *largest, double rate)
{
    zm_figure *figure = figure_new(run, 1, 1, NULL);
    zm_plot *plot = zm_figure_plot(figure, 0, 0);

    ZM_PLOT_AXES(plot, .title = "Isotropic convergence", .x.label = "spacing <i>h</i>",
                 .x.scale = ZM_SCALE_LOG, .y.label = "error", .y.scale = ZM_SCALE_LOG);
    ZM_PLOT_LINE(plot, .x = h, .y = largest, .n = SIZES, .marker = ZM_MARKER_SQUARE,
                 .label = "<i>L</i><sub>∞</sub>");
    ZM_PLOT_LINE(plot, .x = h, .y = rms, .n = SIZES, .marker = ZM_MARKER_DOT,
                 .label = "<i>L</i><sub>2</sub> (RMS)");
    ZM_PLOT_GUIDE(plot, .x = h[0], .y = rms[0] / 2, .slope = 1, .dash = ZM_DASH_DASHED,
                  .label = "first order");
    figure_save(run, figure, "convergence", "Figure A1",
                run_text(run,
                         "Errors against |x − x₀| fall at the rate %.2f: first order, "
                         "less the logarithm that the source singularity costs.",
                         rate));
}

static void isotropic(experiment_run *run)
{
    double h[SIZES], rms[SIZES], largest[SIZES], rate;

    for (int i = 0; i < SIZES && run_goes_on(run); i++) {
        error_norms e;

        run_step(run, (double)i / SIZES, "N = %d", (int)sizes[i]);
        e = error_at(run, sizes[i]);
        h[i] = 1.0 / sizes[i];
        rms[i] = e.rms;
        largest[i] = e.largest;
        report(run, i, e);
    }
    if (!run_goes_on(run))
        return;
    rate = fitted_exponent(SIZES, h, rms);
    RESULT(run, .reference = "Figure A1", .quantity = "fitted rate of the L2 error",
           .paper = "0.69", .ours = rate, .better = BETTER_HIGHER);
    draw(run, h, rms, largest, rate);
}

const experiment experiment_isotropic = {
    .name = "isotropic",
    .group = "Forward solver",
    .title = "Isotropic convergence",
    .paper = "section Forward Solver Accuracy, Table 1, Figure A1",
    .about =
        "Arrival times from a point in the unit square with G = I, against |x − "
        "x₀|.\n\n"
        "The source is the node (N/2, N/2), rounded down, and the spacing 1/N. The "
        "paper's \"relative L2\" is the root mean square over the largest T; the true "
        "relative L2 norm |e|/|T| stands beside it. Two rows and columns at each edge "
        "are left out: the paper does not say so, but only then do its largest errors "
        "and its ratios come out.",
    .run = isotropic,
};
