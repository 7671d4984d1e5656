/* SPDX-License-Identifier: Apache-2.0
 * The same front with and without drift. */
#include <math.h>

#include "landscape.h"
#include "measure.h"
#include "panels.h"
#include "table.h"

/* A drift that is constant, hence a gradient, only adds -b.(x - x0) to T: exactly so in the
 * discrete equation too, where every donor's T changes by what the step costs less. */
static double *exact_difference(experiment_run *run, const medium *m)
{
    double *exact = field_new(run, m->cells);
    size_t cell = 0;

    for (int32_t row = 0; row < m->grid.rows; row++)
        for (int32_t col = 0; col < m->grid.cols; col++, cell++)
            exact[cell] = -(m->b1[cell] * (col * m->grid.dx - SIDE / 2.0) +
                            m->b2[cell] * (row * m->grid.dy - SIDE / 2.0));
    return exact;
}

static void draw(experiment_run *run, const medium *calm, const double *T_calm,
                 const medium *windy, const double *T_windy, const double *difference)
{
    static const double every_ten[] = { 10, 20, 30, 40, 50, 60, 70, 80, 90 };
    static const double every_five[] = { -15, -10, -5, 0, 5, 10, 15 };
    const double slowest = T_windy[0];
    zm_figure *figure = figure_new(run, 1, 3, NULL);

    PANEL_ARRIVAL(zm_figure_plot(figure, 0, 0), calm, T_calm, .title = "Without drift",
                  .min = 0, .max = slowest, .levels = every_ten,
                  .n_levels = sizeof every_ten / sizeof *every_ten);
    PANEL_ARRIVAL(zm_figure_plot(figure, 0, 1), windy, T_windy, .title = "With drift",
                  .min = 0, .max = slowest, .levels = every_ten,
                  .n_levels = sizeof every_ten / sizeof *every_ten, .arrows = true);
    PANEL(zm_figure_plot(figure, 0, 2), windy, difference, .title = "Difference",
          .label = "<i>T</i><sub>drift</sub> − <i>T</i>", .map = ZM_MAP_DIVERGING,
          .isochrones = true, .levels = every_five,
          .n_levels = sizeof every_five / sizeof *every_five);
    figure_save(run, figure, "wind", "Figure D2",
                "Arrival time without drift, with drift along the arrows, and their "
                "difference: earlier downwind (blue), later upwind (red).");
}

static void wind(experiment_run *run)
{
    const int32_t n = landscape_cells(run);
    const medium calm = landscape_medium(run, &(landscape){ 0 }, n);
    const medium windy = landscape_medium(run, &(landscape){ .b1 = 0.4 }, n);
    const size_t side = (size_t)n + 1, middle = calm.cells / 2;
    double *T = field_new(run, calm.cells), *T_windy = field_new(run, calm.cells);
    double *difference = field_new(run, calm.cells),
           *exact = field_new(run, calm.cells);

    medium_solve(run, &calm, T);
    medium_solve(run, &windy, T_windy);
    if (!run_goes_on(run))
        return;
    for (size_t cell = 0; cell < calm.cells; cell++)
        difference[cell] = T_windy[cell] - T[cell];
    RESULT(run, .reference = "Figure D2", .quantity = "most time gained downwind",
           .paper = "20", .ours = -difference[middle + side / 2]);
    RESULT(run, .reference = "Figure D2", .quantity = "most time lost upwind",
           .paper = "20", .ours = difference[middle - side / 2]);
    RESULT(run, .reference = "Figure D2", .better = BETTER_LOWER,
           .quantity = "largest error of the difference against −b·(x − x₀)",
           .ours =
               error_of(calm.cells, difference, exact_difference(run, &windy)).largest);
    medium_exact(&calm, exact);
    RESULT(run, .reference = "Figure D2", .unit = "%", .better = BETTER_LOWER,
           .quantity = "RMS error without drift over largest T",
           .ours = 100 * error_of(calm.cells, T, exact).rms_over_max);
    medium_exact(&windy, exact);
    RESULT(run, .reference = "Figure D2", .unit = "%", .better = BETTER_LOWER,
           .quantity = "RMS error with drift over largest T",
           .ours = 100 * error_of(calm.cells, T_windy, exact).rms_over_max);
    RESULT(run, .reference = "Figure D2", .quantity = "time upwind over time downwind",
           .ours = T_windy[middle - side / 2] / T_windy[middle + side / 2]);
    run_save(run, "T", T, side, side);
    run_save(run, "T-drift", T_windy, side, side);
    run_save(run, "difference", difference, side, side);
    draw(run, &calm, T, &windy, T_windy, difference);
}

const experiment experiment_wind = {
    .name = "wind",
    .group = "Synthetic scenarios",
    .title = "Drift-driven spread",
    .paper = "appendix Synthetic Propagation Scenarios, Figure D2",
    .about =
        "The same front on even ground with and without uniform drift.\n\n"
        "The paper gives only the largest difference, about 20 units. Here: a square "
        "of side 100, source in the middle, G = I, b = (0.4, 0). The difference is "
        "−b·(x − x₀), exactly and also in the discrete equation; b and the size make "
        "it 20 at the edge, so those two rows say nothing about the solver and get no "
        "verdict.",
    .run = wind,
};
