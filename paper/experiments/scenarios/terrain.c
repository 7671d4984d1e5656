/* SPDX-License-Identifier: Apache-2.0
 * Down from a Gaussian hill: steep ground is slow ground. */
#include <math.h>

#include "landscape.h"
#include "measure.h"
#include "panels.h"
#include "table.h"

/* Largest difference between T and its mirror images over the largest T. */
static double asymmetry(const medium *m, const double *T)
{
    const size_t n = (size_t)m->grid.cols;
    double largest = 0;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const double t = T[i * n + j];

            largest = fmax(largest, fabs(t - T[j * n + i]));
            largest = fmax(largest, fabs(t - T[i * n + n - 1 - j]));
            largest = fmax(largest, fabs(t - T[(n - 1 - i) * n + j]));
        }
    }
    return largest / T[0];
}

static void draw(experiment_run *run, const landscape *l, const medium *m,
                 const double *T)
{
    zm_figure *figure = figure_new(run, 1, 3, NULL);

    PANEL(zm_figure_plot(figure, 0, 0), m,
          landscape_field(run, l, m, landscape_elevation), .title = "Terrain",
          .label = "elevation <i>z</i>", .map = ZM_MAP_SAND, .isochrones = true,
          .n_levels = 6, .sources = true);
    PANEL_ARRIVAL(zm_figure_plot(figure, 0, 1), m, T, .title = "Arrival time");
    PANEL(zm_figure_plot(figure, 0, 2), m, m->g11, .title = "Metric from slope",
          .label = "<i>g</i> = 1 + <i>α</i>|∇<i>z</i>|", .map = ZM_MAP_EMBER);
    figure_save(run, figure, "terrain", "Figure D1",
                "Left: elevation. Centre: arrival time from the summit; the isochrones "
                "crowd where the ground is steep. Right: metric.");
}

static void terrain(experiment_run *run)
{
    enum { SPACINGS = 4 };
    const landscape l = landscape_hill();
    double h[SPACINGS], rms[SPACINGS];

    for (int i = 0; i < SPACINGS && run_goes_on(run); i++) {
        const int32_t n = (landscape_cells(run) << i) / 4;
        const medium m = landscape_medium(run, &l, n);
        const double *exact = landscape_field(run, &l, &m, landscape_radial_time);
        double *T = field_new(run, m.cells);
        error_norms e;

        run_step(run, (double)i / SPACINGS, "%d cells", (int)n);
        medium_solve(run, &m, T);
        e = error_of(m.cells, T, exact);
        h[i] = m.grid.dx;
        rms[i] = e.rms;
        if (n != landscape_cells(run))
            continue;
        RESULT(run, .reference = "Figure D1", .unit = "%", .better = BETTER_LOWER,
               .quantity = "RMS error against the radial integral over largest T",
               .ours = 100 * e.rms_over_max);
        RESULT(run, .reference = "Figure D1", .unit = "%", .better = BETTER_LOWER,
               .quantity = "relative L2 error", .ours = 100 * e.relative);
        RESULT(run, .reference = "Figure D1", .unit = "%", .better = BETTER_LOWER,
               .quantity = "largest error over largest T",
               .ours = 100 * e.largest_over_max);
        RESULT(run, .reference = "Figure D1", .better = BETTER_LOWER,
               .quantity = "largest difference between mirror images over largest T",
               .ours = asymmetry(&m, T));
        RESULT(run, .reference = "Figure D1",
               .quantity =
                   "time to the foot, 50 units from the summit, over the time on "
                   "even ground",
               .ours = T[m.cells / 2 + (size_t)n / 2] / 50);
        run_save(run, "T", T, (size_t)n + 1, (size_t)n + 1);
        run_save(run, "exact", exact, (size_t)n + 1, (size_t)n + 1);
        run_save(run, "metric", m.g11, (size_t)n + 1, (size_t)n + 1);
        draw(run, &l, &m, T);
    }
    RESULT(run, .reference = "Figure D1", .better = BETTER_HIGHER,
           .quantity = "fitted rate of the RMS error, four spacings",
           .ours = fitted_exponent(SPACINGS, h, rms));
}

const experiment experiment_terrain = {
    .name = "terrain",
    .group = "Synthetic scenarios",
    .title = "Terrain-driven spread",
    .paper = "appendix Synthetic Propagation Scenarios, Figure D1",
    .about =
        "A front from the summit of a Gaussian hill, with g = 1 + α|∇z|: fast on the "
        "flat summit, slow on the flanks, fast again on the plain.\n\n"
        "The paper gives no size, height or α. Here: a square of side 100, z = 30 "
        "exp(−r²/(2·18²)), α = 3, so that g rises from 1 to 4 at r = 18. The metric "
        "depends on r alone, hence T(r) = ∫ √g ds exactly.",
    .run = terrain,
};
