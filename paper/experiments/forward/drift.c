/* SPDX-License-Identifier: Apache-2.0
 * Constant drift: how much earlier the front arrives with it than against it. */
#include "comparison.h"
#include "panels.h"
#include "table.h"

enum { SIDE = 200, REACH = 30 };
static const double drift_speed = 0.3;

static double time_at(const comparison *c, int32_t offset)
{
    return c->T[(size_t)(SIDE / 2) * SIDE + (size_t)(SIDE / 2 + offset)];
}

static void report(experiment_run *run, const comparison *c)
{
    const double with = time_at(c, REACH), against = time_at(c, -REACH);

    RESULT(run, .reference = "Figure A4", .quantity = "T(+30, 0)", .paper = "21.0",
           .ours = with, .better = BETTER_EQUAL);
    RESULT(run, .reference = "Figure A4", .quantity = "T(−30, 0)", .paper = "39.0",
           .ours = against, .better = BETTER_EQUAL);
    RESULT(run, .reference = "Figure A4",
           .quantity = "asymmetry, (T₋ − T₊) / (T₋ + T₊) at 30", .paper = "0.30",
           .ours = (against - with) / (against + with), .better = BETTER_EQUAL);
    comparison_report(run, c, "Figure A4", NULL);
}

static void draw_profile(experiment_run *run, zm_plot *plot, const comparison *c)
{
    const double *row = c->T + (size_t)(SIDE / 2) * SIDE;
    const double *exact = c->exact + (size_t)(SIDE / 2) * SIDE;
    const double at_x[2] = { -REACH, REACH };
    const double at_T[2] = { time_at(c, -REACH), time_at(c, REACH) };
    const char *const texts[2] = { run_text(run, "%.4g", at_T[0]),
                                   run_text(run, "%.4g", at_T[1]) };
    double x[SIDE];

    for (int i = 0; i < SIDE; i++)
        x[i] = i - SIDE / 2;
    ZM_PLOT_AXES(plot, .title = "Profile through the source", .aspect = 1,
                 .x.label = "<i>x</i> − <i>x</i><sub>0</sub>",
                 .y.label = "arrival time <i>T</i>");
    ZM_PLOT_LINE(plot, .x = x, .y = row, .n = SIDE, .width = 3, .label = "computed");
    ZM_PLOT_LINE(plot, .x = x, .y = exact, .n = SIDE, .dash = ZM_DASH_DASHED,
                 .label = "exact, |<i>x</i>| − 0.3 <i>x</i>");
    ZM_PLOT_POINTS(plot, .x = at_x, .y = at_T, .n = 2, .marker_size = 7, .names = texts,
                   .label = "at ±30");
}

static void drift(experiment_run *run)
{
    medium m = medium_new(run, SIDE, SIDE, 1.0);
    zm_figure *figure = figure_new(run, 1, 3, NULL);
    comparison c;

    medium_fill(&m, metric_of(1, 1, 0, drift_speed, 0));
    medium_source(run, &m, SIDE / 2, SIDE / 2, 0);
    c = compare_with_closed_form(run, &m, PAPER_BORDER);
    report(run, &c);
    run_remark(run,
               "Along the axis the eight triangles are exact: both times are right to "
               "rounding. The paper's caption has the fronts elongated against the "
               "drift; its numbers, like ours, say along it.");
    PANEL_ARRIVAL(zm_figure_plot(figure, 0, 0), &m, c.T, .title = "Computed",
                  .arrows = true);
    PANEL(zm_figure_plot(figure, 0, 1), &m, c.error, .title = "Error",
          .label = "<i>T</i> − exact [% of largest <i>T</i>]", .map = ZM_MAP_EMBER,
          .sources = true);
    draw_profile(run, zm_figure_plot(figure, 0, 2), &c);
    figure_save(
        run, figure, "drift", "Figure A4",
        "Isochrones are ellipses with the source in their rear focus; arrows show the "
        "drift. Middle: error against |x| − b·x. Right: horizontal profile through "
        "the source.");
}

const experiment experiment_drift = {
    .name = "drift",
    .group = "Forward solver",
    .title = "Constant drift",
    .paper = "appendix Forward Solver Validation, Figure A4",
    .about =
        "G = I and b = (0.3, 0): at equal distances the front arrives in the ratio "
        "0.7 : 1.3 with and against the drift. The exact solution is |x| − b·x.\n\n"
        "The grid is 200 × 200 with unit spacing, the source its node (100, 100); two "
        "rows and columns at each edge are left out of the norms.",
    .run = drift,
};
