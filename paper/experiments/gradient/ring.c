/* SPDX-License-Identifier: Apache-2.0
 * Where the gradient of observations on a ring lives: between the ring and the source. */
#include <math.h>

#include "loss.h"
#include "panels.h"
#include "profile.h"
#include "table.h"

enum { SIDE = 71, CENTRE = SIDE / 2, RADIUS = 25 };

static void observe_ring(loss *l)
{
    for (size_t cell = 0; cell < l->m->cells; cell++) {
        const double dx = (double)(cell % SIDE) - CENTRE;
        const double dy = (double)(cell / SIDE) - CENTRE;

        if (fabs(hypot(dx, dy) - RADIUS) < 0.5)
            loss_observe(l, cell);
    }
}

static void draw_map(experiment_run *run, zm_plot *plot, const medium *m,
                     const double *values, const char *title)
{
    panel_magnitude(run, plot, m, values, /* decades */ 2, title);
    panel_sources(plot, m, "source");
    panel_circle(plot, CENTRE, CENTRE, RADIUS, "observations");
}

static void draw_profile(zm_plot *plot, const profile *p, double total)
{
    double expected[PROFILE_RINGS];

    for (size_t i = 0; i < p->n; i++)
        expected[i] = total / (2 * acos(-1) * p->distance[i]);
    ZM_PLOT_AXES(plot, .title = "Mean over rings around the source",
                 .x.label = "distance from the source", .x.scale = ZM_SCALE_LOG,
                 .y.label = "|∂<i>L</i>/∂<b>b</b>|", .y.scale = ZM_SCALE_LOG,
                 .aspect = 1);
    ZM_PLOT_LINE(plot, .x = p->distance, .y = p->mean, .n = p->n,
                 .marker = ZM_MARKER_DOT, .label = "mean of the cells");
    ZM_PLOT_LINE(plot, .x = p->distance, .y = expected, .n = p->n,
                 .dash = ZM_DASH_DASHED, .label = "Λ / 2π<i>r</i>");
}

static void ring(experiment_run *run)
{
    medium m = medium_new(run, SIDE, SIDE, 1);
    double *by_G = field_new(run, m.cells), *by_b = field_new(run, m.cells);
    double total = 0, outside, all;
    zm_figure *figure;
    profile p;
    loss l;

    medium_source(run, &m, CENTRE, CENTRE, 0);
    l = loss_new(run, &m);
    observe_ring(&l);
    loss_gradient(run, &l);
    loss_magnitudes(&l, by_G, by_b);
    for (size_t cell = 0; cell < m.cells; cell++)
        total += l.dL_dT[cell];
    all = profile_sum_beyond(&m, by_G, CENTRE, CENTRE, -1);
    outside = profile_sum_beyond(&m, by_G, CENTRE, CENTRE, RADIUS + 0.5);
    p = profile_of(&m, by_b, CENTRE, CENTRE, RADIUS - 0.5); /* all paths cross them */
    RESULT(run, .reference = "Figure S13", .unit = "%", .ours = 100 * outside / all,
           .quantity = "share of |∂L/∂G| outside the ring");
    RESULT(run, .reference = "Figure S13", .ours = l.by_start / total,
           .quantity = "what arrives at the source over what the ring sends, λ(x₀) / "
                       "Σ ∂L/∂T");
    RESULT(run, .reference = "Figure S13",
           .ours = fitted_exponent(p.n, p.distance, p.mean),
           .quantity = "exponent of mean |∂L/∂b| over the distance from the source");
    run_save(run, "by-G", by_G, SIDE, SIDE);
    run_save(run, "by-b", by_b, SIDE, SIDE);
    figure = figure_new(run, 1, 3, NULL);
    draw_map(run, zm_figure_plot(figure, 0, 0), &m, by_G, "|∂<i>L</i>/∂<b>G</b>|");
    draw_map(run, zm_figure_plot(figure, 0, 1), &m, by_b, "|∂<i>L</i>/∂<b>b</b>|");
    draw_profile(zm_figure_plot(figure, 0, 2), &p, total);
    figure_save(
        run, figure, "ring", "Figure S13",
        "Magnitude of the gradient of observations on a ring. Outside of it, and "
        "where no path to it passes (grey), it is zero. Inside, what the "
        "observations send is carried along the paths to the source; the circles it "
        "crosses become shorter, so it grows as 1/r.");
    loss_free(&l);
}

const experiment experiment_adjoint_ring = {
    .name = "adjoint-ring",
    .group = "Gradients",
    .title = "Adjoint of observations on a ring",
    .paper = "appendix Gradient Verification, Figure S13",
    .about =
        "The adjoint carries ∂L/∂T against time, from each cell to the two cells it "
        "was updated from. With observations on a ring of radius 25 around the "
        "source the gradient must fill the disk within, and nothing else; and no "
        "part of it may get lost, so that all of it arrives at the source.\n\n"
        "The paper gives no numbers and no medium. Here G = I on 71 × 71 cells of "
        "spacing 1, and the times observed at the cells nearest to the ring are 10 % "
        "early. If Λ = Σ ∂L/∂T crosses every circle, the mean of |∂L/∂b| = λ|v| over "
        "the circle of radius r is Λ/2πr.",
    .run = ring,
};
