/* SPDX-License-Identifier: Apache-2.0
 * Patches of dense and of light fuel. */
#include <math.h>

#include "landscape.h"
#include "measure.h"
#include "panels.h"
#include "table.h"

/* Latest over earliest arrival on the circle of radius r about the source: 1 where the
 * front is round. */
static double irregularity(const medium *m, const double *T, double r)
{
    double first = INFINITY, last = 0;
    size_t cell = 0;

    for (int32_t row = 0; row < m->grid.rows; row++) {
        for (int32_t col = 0; col < m->grid.cols; col++, cell++) {
            const double d =
                hypot(col * m->grid.dx - SIDE / 2.0, row * m->grid.dy - SIDE / 2.0);

            if (fabs(d - r) < m->grid.dx / 2) {
                first = fmin(first, T[cell]);
                last = fmax(last, T[cell]);
            }
        }
    }
    return last / first;
}

static void draw(experiment_run *run, const medium *m, const double *T)
{
    zm_figure *figure = figure_new(run, 1, 2, NULL);

    PANEL(zm_figure_plot(figure, 0, 0), m, m->g11, .title = "Resistance of the fuel",
          .label = "<i>g</i>", .map = ZM_MAP_SAND, .scale = ZM_SCALE_LOG,
          .sources = true);
    PANEL_ARRIVAL(zm_figure_plot(figure, 0, 1), m, T, .title = "Arrival time");
    figure_save(
        run, figure, "patches", "Figure D3",
        "Left: dense patches (dark) and light ones (pale). Right: the front runs "
        "around the dense patches and ahead through the light ones.");
}

static void patches(experiment_run *run)
{
    uint64_t random = run_seed(run, 1);
    const int32_t n = landscape_cells(run);
    const size_t side = (size_t)n + 1;
    landscape l = { 0 };
    medium m;
    double *T;

    landscape_add_patches(&l, &random, 18, 13);
    m = landscape_medium(run, &l, n);
    T = field_new(run, m.cells);
    medium_solve(run, &m, T);
    landscape_check(run, &l, &m, T, "Figure D3");
    RESULT(run, .reference = "Figure D3",
           .quantity = "latest over earliest arrival at distance 45 from the source",
           .ours = irregularity(&m, T, 45));
    run_save(run, "T", T, side, side);
    run_save(run, "metric", m.g11, side, side);
    if (run_goes_on(run))
        draw(run, &m, T);
}

const experiment experiment_patches = {
    .name = "patches",
    .group = "Synthetic scenarios",
    .title = "Heterogeneous patches",
    .paper = "appendix Synthetic Propagation Scenarios, Figure D3",
    .about =
        "A front among patches of fuel that resist more, and a few that resist "
        "less.\n\n"
        "The paper says only that they are random. Here: a square of side 100, source "
        "in the middle; 13 patches with 2 to 5 times the resistance g and 5 with half "
        "of it, radii 5 to 10, edges exp(−(d/r)⁸), none over another. There is no "
        "closed form: the rows show that T solves the discrete equation, that the "
        "paper's Algorithm 1 gives the same, and how far it is from a finer grid.",
    .run = patches,
};
