/* SPDX-License-Identifier: Apache-2.0
 * Derivatives by the parameters of single cells, against central differences. */
#include <math.h>

#include "loss.h"
#include "random.h"
#include "table.h"

enum { SIDE = 101, POINTS = 20, BORDER = 2 };

typedef struct configuration {
    const char *name, *title, *figure;
    double l1, l2, degrees, b1, b2;
    size_t first, last; /* planes tested */
    const char *caption;
} configuration;

static const configuration configurations[] = {
    { "isotropic", "<b>G</b> = <b>I</b>, <b>b</b> = 0", "Figure S10", 1, 1, 0, 0, 0, 0,
      4,
      "Derivatives with respect to single cells of an isotropic medium: the adjoint's "
      "against "
      "those of central differences. On the line both are the same." },
    { "anisotropic", "Eigenvalues 2 and 0.5, axes at 30°", "Figure S11", 2, 0.5, 30, 0,
      0, 0, 2,
      "The same in an anisotropic medium, by the three components of the metric." },
    { "drift", "G = I, b = (0.15, 0.08)", "Figure S12", 1, 1, 0, 0.15, 0.08, 3, 4,
      "The same with drift, by its two components." },
};
enum { CONFIGURATIONS = sizeof configurations / sizeof *configurations };

typedef struct comparison {
    double adjoint[METRIC_PLANES][POINTS], differences[METRIC_PLANES][POINTS];
    double largest[METRIC_PLANES]; /* relative difference */
} comparison;

/* Different cells of the interior, none of them the source. */
static void choose_cells(experiment_run *run, uint64_t purpose, size_t cells[POINTS])
{
    const size_t inner = SIDE - 2 * BORDER;
    uint64_t state = run_seed(run, purpose);

    zm_random_choice(&state, inner * inner - 1, POINTS, cells);
    for (size_t i = 0; i < POINTS; i++) {
        const size_t k = cells[i] + (cells[i] >= (inner * inner) / 2); /* past it */

        cells[i] = (k / inner + BORDER) * SIDE + k % inner + BORDER;
    }
}

/* Largest relative error.  Derivatives below 1 % of the mean magnitude, some of which are
 * zero by symmetry, count as 1 % of it: what differences tell of them is their rounding. */
static double largest_error(const double *adjoint, const double *differences)
{
    double mean = 0, most = 0;

    for (int i = 0; i < POINTS; i++)
        mean += fabs(adjoint[i]) / POINTS;
    for (int i = 0; i < POINTS; i++) {
        const double size = fmax(fabs(adjoint[i]), 0.01 * mean);

        most = fmax(most, fabs(adjoint[i] - differences[i]) / size);
    }
    return most;
}

static comparison compare(experiment_run *run, const configuration *c, uint64_t purpose)
{
    medium m = medium_new(run, SIDE, SIDE, 1);
    const double turn = c->degrees * acos(-1) / 180;
    comparison found = { 0 };
    size_t cells[POINTS];
    loss l;

    medium_fill(&m, metric_of(c->l1, c->l2, turn, c->b1, c->b2));
    medium_source(run, &m, SIDE / 2, SIDE / 2, 0);
    l = loss_new(run, &m);
    loss_observe_all(&l);
    loss_gradient(run, &l);
    choose_cells(run, purpose, cells);
    for (size_t plane = c->first; plane <= c->last && run_goes_on(run); plane++) {
        for (size_t i = 0; i < POINTS; i++) {
            const size_t parameter = plane * m.cells + cells[i];

            found.adjoint[plane][i] = l.gradient[parameter];
            found.differences[plane][i] =
                loss_difference_by(run, &l, parameter, PAPER_STEP);
        }
        found.largest[plane] =
            largest_error(found.adjoint[plane], found.differences[plane]);
    }
    loss_free(&l);
    return found;
}

/* One plot of the planes first..last. */
static void draw_planes(zm_plot *plot, const char *title, const comparison *found,
                        size_t first, size_t last)
{
    static const zm_plot_marker markers[] = { ZM_MARKER_RING, ZM_MARKER_CROSS,
                                              ZM_MARKER_SQUARE };

    ZM_PLOT_AXES(plot, .title = title, .x.label = "central difference",
                 .y.label = "adjoint", .aspect = 1, .legend = ZM_LEGEND_LOWER_RIGHT);
    ZM_PLOT_GUIDE(plot, .x = 0, .y = 0, .slope = 1, .dash = ZM_DASH_DASHED);
    for (size_t plane = first; plane <= last; plane++)
        ZM_PLOT_POINTS(plot, .x = found->differences[plane], .y = found->adjoint[plane],
                       .n = POINTS, .marker = markers[plane - first], .marker_size = 6,
                       .label = first < last ? plane_names[plane] : NULL);
}

static void draw(experiment_run *run, const configuration *c, const comparison *found)
{
    const bool whole = c->first == 0 && c->last == 4;
    const int32_t plots = whole ? 2 : (int32_t)(c->last - c->first + 1);
    zm_figure *figure = figure_new(run, 1, plots, c->title);

    if (whole) {
        draw_planes(zm_figure_plot(figure, 0, 0), "∂<i>L</i>/∂<b>G</b>", found, 0, 2);
        draw_planes(zm_figure_plot(figure, 0, 1), "∂<i>L</i>/∂<b>b</b>", found, 3, 4);
    } else {
        for (int32_t i = 0; i < plots; i++)
            draw_planes(
                zm_figure_plot(figure, 0, i),
                run_text(run, "∂<i>L</i>/∂%s", plane_names[c->first + (size_t)i]),
                found, c->first + (size_t)i, c->first + (size_t)i);
    }
    figure_save(run, figure, c->name, c->figure, c->caption);
}

static void report(experiment_run *run, const configuration *c, const comparison *found)
{
    saved_curve curves[2 * METRIC_PLANES + 1] = { { 0 } };
    size_t n = 0;

    for (size_t plane = c->first; plane <= c->last; plane++) {
        RESULT(run, .reference = run_text(run, "Table 2, %s", c->figure),
               .quantity = run_text(run, "largest relative error of ∂L/∂%s, %s",
                                    plane_names[plane], c->name),
               .paper = "<1e-6", .ours = found->largest[plane], .better = BETTER_LOWER);
        curves[n++] =
            (saved_curve){ run_text(run, "∂L/∂%s by differences", plane_names[plane]),
                           found->differences[plane] };
        curves[n++] = (saved_curve){ "by the adjoint", found->adjoint[plane] };
    }
    run_save_curves(run, c->name, POINTS, curves);
}

static void pointwise(experiment_run *run)
{
    for (int i = 0; i < CONFIGURATIONS && run_goes_on(run); i++) {
        const configuration *c = &configurations[i];
        comparison found;

        run_step(run, (double)i / CONFIGURATIONS, "%s", c->name);
        found = compare(run, c, (uint64_t)i);
        report(run, c, &found);
        draw(run, c, &found);
    }
    run_remark(run,
               "What is left is the error of the differences: T is rounded to about "
               "10⁻¹⁴, which a step of 10⁻⁵ magnifies, most where the derivative is "
               "small.");
}

const experiment experiment_gradient_pointwise = {
    .name = "gradient-pointwise",
    .group = "Gradients",
    .title = "Derivatives with respect to single cells",
    .paper = "section Gradient Verification, Table 2, Figures S10–S12",
    .about =
        "One adjoint gives the derivatives of a loss by all parameters of all cells. "
        "At 20 random cells each is compared with a central difference of step 10⁻⁵, "
        "that is, with two more solves.\n\n"
        "The paper leaves grid and loss open. Here the grid is 101 × 101 with "
        "spacing 1 and a source in the centre, and L = ½ Σ (T − T̂)² over all cells "
        "with observed times 10 % earlier than those of the medium. Errors are "
        "relative to the derivative or, where it is smaller, to 1 % of the mean "
        "magnitude over the points: symmetry makes some exactly zero. ∂L/∂g₁₂ moves "
        "both off-diagonal entries of G.",
    .run = pointwise,
};
