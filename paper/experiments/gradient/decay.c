/* SPDX-License-Identifier: Apache-2.0
 * How the gradient of one observation falls with the distance from it, and what does not. */
#include <math.h>

#include "loss.h"
#include "panels.h"
#include "profile.h"
#include "table.h"

enum { SIDE = 161, ROW = SIDE / 2, COL = SIDE / 2, SOURCE_ROW = 37, SOURCE_COL = 18 };
static const double farthest = 72; /* of the rings; the source is at 75 */
static const double half_way = 38;

static void draw(experiment_run *run, const medium *m, const double *by_G,
                 const profile *p)
{
    zm_figure *figure = figure_new(run, 1, 2, NULL);
    zm_plot *map = zm_figure_plot(figure, 0, 0), *curve = zm_figure_plot(figure, 0, 1);

    panel_magnitude(run, map, m, by_G, /* decades */ 6, "|∂<i>L</i>/∂<b>G</b>|");
    ZM_PLOT_AXES(map, .title = "|∂<i>L</i>/∂<b>G</b>|",
                 .x = { .label = "<i>x</i>", .min = 5, .max = 95 },
                 .y = { .label = "<i>y</i>", .min = 15, .max = 105 });
    panel_sources(map, m, "source");
    ZM_PLOT_POINTS(map, .x = &(double){ COL }, .y = &(double){ ROW }, .n = 1,
                   .marker = ZM_MARKER_RING, .marker_size = 9, .color = 0x30A0FFFFu,
                   .label = "observation");
    ZM_PLOT_AXES(curve, .title = "On rings around the observation",
                 .x.label = "distance from the observation", .x.scale = ZM_SCALE_LOG,
                 .y.label = "|∂<i>L</i>/∂<b>G</b>|", .y.scale = ZM_SCALE_LOG,
                 .aspect = 1, .legend = ZM_LEGEND_LOWER_LEFT);
    ZM_PLOT_LINE(curve, .x = p->distance, .y = p->sum, .n = p->n,
                 .marker = ZM_MARKER_SQUARE, .label = "sum");
    ZM_PLOT_LINE(curve, .x = p->distance, .y = p->largest, .n = p->n,
                 .marker = ZM_MARKER_TRIANGLE, .label = "largest");
    ZM_PLOT_LINE(curve, .x = p->distance, .y = p->mean, .n = p->n,
                 .marker = ZM_MARKER_DOT, .label = "mean");
    ZM_PLOT_GUIDE(curve, .x = 2, .y = p->mean[1] * 0.6, .slope = -1,
                  .dash = ZM_DASH_DASHED, .label = "1/<i>d</i>");
    figure_save(
        run, figure, "decay", "Figure S14",
        "Gradient of one observation; grey is zero. The mean over a ring falls as "
        "1/d and the largest value on it as the beam widens; the sum does not fall: "
        "all of the derivative is carried to the source.");
}

static void decay(experiment_run *run)
{
    medium m = medium_new(run, SIDE, SIDE, 1);
    double *by_G = field_new(run, m.cells), *by_b = field_new(run, m.cells);
    profile p, near;
    loss l;

    medium_source(run, &m, SOURCE_ROW, SOURCE_COL, 0);
    l = loss_new(run, &m);
    loss_observe(&l, (size_t)ROW * SIDE + COL);
    loss_gradient(run, &l);
    loss_magnitudes(&l, by_G, by_b);
    p = profile_of(&m, by_G, ROW, COL, farthest);
    near = profile_of(&m, by_G, ROW, COL, half_way);
    RESULT(run, .reference = "Figure S14",
           .ours = fitted_exponent(near.n, near.distance, near.mean),
           .quantity = "exponent of the mean of |∂L/∂G| over rings, distances 1–38");
    RESULT(run, .reference = "Figure S14",
           .ours = fitted_exponent(near.n, near.distance, near.largest),
           .quantity = "exponent of the largest |∂L/∂G| on rings, distances 1–38");
    RESULT(run, .reference = "Figure S14",
           .ours = fitted_exponent(near.n, near.distance, near.sum),
           .quantity = "exponent of the sum of |∂L/∂G| over rings, distances 1–38");
    RESULT(run, .reference = "Figure S14",
           .ours = l.by_start / l.dL_dT[ROW * SIDE + COL],
           .quantity = "what arrives at the source over ∂L/∂T of the observation");
    run_save(run, "by-G", by_G, SIDE, SIDE);
    run_remark(run,
               "The paper reads the decay as a localised influence of parameters. It "
               "is one of averaging: a circle of any size is crossed by the whole "
               "derivative, in a beam whose width grows with the square root of the "
               "distance (the diffusion of a first-order scheme) and shrinks again "
               "towards the source.");
    draw(run, &m, by_G, &p);
    loss_free(&l);
}

const experiment experiment_decay = {
    .name = "decay",
    .group = "Gradients",
    .title = "Gradient of one observation",
    .paper = "appendix Gradient Verification, Figure S14",
    .about =
        "|∂L/∂G| of one observed arrival time, against the distance from the "
        "observed cell. The paper shows that it falls.\n\n"
        "Medium, places and what is plotted of all cells at one distance are left "
        "open there: here G = I on 161 × 161 cells of spacing 1, the source at (x, y) "
        "= (18, 37), the observation in the centre, and mean, largest value and sum "
        "over rings around it, one cell wide and, farther out, a sixth of their "
        "radius; sums are for a width of one cell.",
    .run = decay,
};
