/* SPDX-License-Identifier: Apache-2.0
 * Terrain, patches and drift at once. */
#include <math.h>

#include "landscape.h"
#include "measure.h"
#include "panels.h"
#include "table.h"

/* Mean |T - T without one of the causes| over the mean T, in %. */
static void report_share(experiment_run *run, const landscape *without, const medium *m,
                         const double *T, const char *what)
{
    const medium other = landscape_medium(run, without, m->grid.cols - 1);
    double *T_other = field_new(run, m->cells), sum = 0;

    medium_solve(run, &other, T_other);
    for (size_t cell = 0; cell < m->cells; cell++)
        sum += fabs(T[cell] - T_other[cell]);
    RESULT(run, .reference = "Figure D4", .unit = "%",
           .quantity = run_text(run, "mean change of T without %s over mean T", what),
           .ours = 100 * sum / (double)m->cells / mean_of(m->cells, T));
}

static void report_shares(experiment_run *run, const landscape *l, const medium *m,
                          const double *T)
{
    landscape flat = *l, even = *l, calm = *l;

    flat.n_waves = 0;
    even.n_patches = 0;
    calm.b1 = calm.b2 = 0;
    report_share(run, &flat, m, T, "terrain");
    report_share(run, &even, m, T, "patches");
    report_share(run, &calm, m, T, "drift");
}

static double largest_drift_norm(const medium *m)
{
    double largest = 0;

    for (size_t cell = 0; cell < m->cells; cell++)
        largest = fmax(largest, drift_norm(medium_at(m, cell)));
    return largest;
}

static void draw(experiment_run *run, const landscape *l, const medium *m,
                 const double *T)
{
    zm_figure *figure = figure_new(run, 2, 2, NULL);

    PANEL(zm_figure_plot(figure, 0, 0), m,
          landscape_field(run, l, m, landscape_elevation), .title = "Terrain",
          .label = "elevation <i>z</i>", .map = ZM_MAP_SAND, .isochrones = true,
          .n_levels = 8, .sources = true);
    PANEL(zm_figure_plot(figure, 0, 1), m,
          landscape_field(run, l, m, landscape_resistance),
          .title = "Resistance of the fuel", .label = "factor of <i>g</i>",
          .map = ZM_MAP_SAND, .scale = ZM_SCALE_LOG, .sources = true);
    PANEL_ARRIVAL(zm_figure_plot(figure, 1, 0), m, T, .title = "Arrival time",
                  .arrows = true);
    PANEL(zm_figure_plot(figure, 1, 1), m, m->g11, .title = "Effective metric",
          .label = "<i>g</i>", .map = ZM_MAP_SAND, .scale = ZM_SCALE_LOG,
          .ellipses = true);
    figure_save(
        run, figure, "combined-scenario", "Figure D4",
        "Terrain, fuel, arrival time with the drift as arrows, and effective "
        "metric with the outlines that a front reaches in unit time: small where "
        "it is slow, off-centre through the drift.");
}

static void combined(experiment_run *run)
{
    uint64_t random = run_seed(run, 1);
    const int32_t n = landscape_cells(run);
    const size_t side = (size_t)n + 1;
    landscape l = { .slope_cost = 2, .b1 = 0.35, .b2 = -0.2 };
    medium m;
    double *T;

    landscape_add_waves(&l, &random, 3);
    landscape_add_patches(&l, &random, 18, 13);
    m = landscape_medium(run, &l, n);
    T = field_new(run, m.cells);
    medium_solve(run, &m, T);
    landscape_check(run, &l, &m, T, "Figure D4");
    report_shares(run, &l, &m, T);
    RESULT(run, .reference = "Figure D4",
           .quantity = "largest drift norm, admissible below 1",
           .ours = largest_drift_norm(&m));
    run_save(run, "T", T, side, side);
    run_save(run, "metric", m.g11, side, side);
    if (run_goes_on(run))
        draw(run, &l, &m, T);
}

const experiment experiment_combined_scenario = {
    .name = "combined-scenario",
    .group = "Synthetic scenarios",
    .title = "Terrain, patches and drift combined",
    .paper = "appendix Synthetic Propagation Scenarios, Figure D4",
    .about =
        "Ridges and valleys, patches of fuel and uniform drift at once; the metric is "
        "the product of what slope and fuel make of it.\n\n"
        "The paper gives no numbers. Here: a square of side 100, source in the "
        "middle; three waves of length 30 to 60 and height 0.06 of that in random "
        "directions, g = (1 + 2|∇z|) × fuel; 13 patches with 2 to 5 times the "
        "resistance and 5 with half of it; b = (0.35, −0.2). Leaving out one cause at "
        "a time shows what each contributes.",
    .run = combined,
};
