/* SPDX-License-Identifier: Apache-2.0
 * Refraction at the interface of two half planes, against Snell's law. */
#include <math.h>

#include "comparison.h"
#include "panels.h"
#include "table.h"

enum { SIDE = 200, INTERFACE = SIDE / 2, SOURCE_ROW = SIDE / 2, SOURCE_COL = SIDE / 4 };
static const double slow = 2.0; /* slowness beyond the interface: G = 4 I */

/* Where the ray from the source (x0, y0) to (x, y) in the slow half crosses the interface:
 *
 *     T = min over y_c of |(x_I, y_c) - (x0, y0)| + slow |(x, y) - (x_I, y_c)|
 *
 * is convex in y_c and the best lies between y0 and y: bisection of its derivative, which
 * is Snell's law sin(theta_1) = slow sin(theta_2). */
static double crossing_to(double x, double y)
{
    const double to = INTERFACE - SOURCE_COL, on = x - INTERFACE;
    double a = SOURCE_ROW, b = y;

    for (int i = 0; i < 60; i++) {
        const double c = (a + b) / 2;
        const double excess = (c - SOURCE_ROW) / hypot(to, c - SOURCE_ROW) -
                              slow * (y - c) / hypot(on, y - c);

        if ((excess > 0) == (y > SOURCE_ROW))
            b = c;
        else
            a = c;
    }
    return a;
}

static double refracted(double x, double y)
{
    const double crossing = crossing_to(x, y);

    return hypot(INTERFACE - SOURCE_COL, crossing - SOURCE_ROW) +
           slow * hypot(x - INTERFACE, y - crossing);
}

static double *exact_times(experiment_run *run)
{
    double *exact = field_new(run, (size_t)SIDE * SIDE);

    for (int row = 0; row < SIDE; row++)
        for (int col = 0; col < SIDE; col++)
            exact[row * SIDE + col] = col <= INTERFACE
                                          ? hypot(col - SOURCE_COL, row - SOURCE_ROW)
                                          : refracted(col, row);
    return exact;
}

/* Goes back from a node of the slow half, against the gradient of T (central
 * differences), to the interface: sin(theta_1) / sin(theta_2) of the ray that it finds,
 * NaN for rays within 3 degrees of the normal. */
static double ratio_of_sines(const double *T, int row, int col)
{
    const double *t = T + row * SIDE + col;
    const double gx = t[1] - t[-1], gy = t[SIDE] - t[-SIDE];
    const double crossing = row - (col - INTERFACE) * gy / gx - SOURCE_ROW;
    const double sine = fabs(gy) / hypot(gx, gy);

    return sine < 0.05
               ? NAN
               : fabs(crossing) / hypot(INTERFACE - SOURCE_COL, crossing) / sine;
}

/* Quartiles of that over the slow half, borders left out. */
static void report_sines(experiment_run *run, const double *T)
{
    enum { AWAY = 10 };
    double *ratios = field_new(run, (size_t)SIDE * SIDE);
    size_t n = 0;

    for (int row = PAPER_BORDER; row < SIDE - PAPER_BORDER; row++) {
        for (int col = INTERFACE + AWAY; col < SIDE - PAPER_BORDER; col++) {
            const double ratio = ratio_of_sines(T, row, col);

            if (isfinite(ratio))
                ratios[n++] = ratio;
        }
    }
    sort_values(n, ratios);
    RESULT(run, .reference = "Figure A6", .ours = quantile(n, ratios, 0.5),
           .quantity = "sin θ₁ / sin θ₂ of traced rays, median (Snell: 2)");
    RESULT(run, .reference = "Figure A6",
           .ours = quantile(n, ratios, 0.75) - quantile(n, ratios, 0.25),
           .quantity = "sin θ₁ / sin θ₂ of traced rays, interquartile range",
           .better = BETTER_LOWER);
}

static void report(experiment_run *run, const comparison *c)
{
    const double *row = c->T + (size_t)SOURCE_ROW * SIDE;
    const int first = INTERFACE + 10, last = SIDE - 10;

    RESULT(run, .reference = "Figure A6", .paper = "2.0",
           .quantity = "dT/dx beyond the interface, through the source",
           .ours = (row[last] - row[first]) / (last - first), .better = BETTER_EQUAL);
    report_sines(run, c->T);
    comparison_report(run, c, "Figure A6", NULL);
    comparison_report_largest(run, c, "Figure A6", NULL);
    run_remark(run,
               "The paper calls 2.0 a speed of grid units per unit time; it is the "
               "slowness √4, the speed is 0.5.");
}

/* Exact rays to the right edge. */
static void draw_rays(zm_plot *plot)
{
    enum { RAYS = 9, END = SIDE - 1 };

    for (int i = 0; i < RAYS; i++) {
        const double y_end = 12 + i * (END - 24.0) / (RAYS - 1);
        const double x[3] = { SOURCE_COL, INTERFACE, END };
        const double y[3] = { SOURCE_ROW, crossing_to(END, y_end), y_end };

        ZM_PLOT_LINE(plot, .x = x, .y = y, .n = 3, .color = 0xFFFFFFC0u, .width = 0.9,
                     .dash = ZM_DASH_DASHED);
    }
}

static void draw(experiment_run *run, const comparison *c)
{
    zm_figure *figure = figure_new(run, 1, 3, NULL);
    zm_plot *plot = zm_figure_plot(figure, 0, 0);

    PANEL(plot, c->m, c->T, .title = "Computed, with exact rays", .isochrones = true);
    draw_rays(plot);
    panel_sources(plot, c->m, NULL);
    ZM_PLOT_GUIDE(plot, .x = INTERFACE, .vertical = 1, .color = 0xFFFFFFFFu);
    plot = zm_figure_plot(figure, 0, 1);
    PANEL(plot, c->m, c->m->g11, .title = "Metric",
          .label = "<i>g</i><sub>11</sub> = <i>g</i><sub>22</sub>", .map = ZM_MAP_SAND,
          .sources = true);
    ZM_PLOT_GUIDE(plot, .x = INTERFACE, .vertical = 1, .dash = ZM_DASH_DASHED);
    PANEL(zm_figure_plot(figure, 0, 2), c->m, c->error, .title = "Error",
          .label = "<i>T</i> − exact [% of largest <i>T</i>]", .map = ZM_MAP_EMBER,
          .sources = true);
    figure_save(run, figure, "piecewise", "Figure A6",
                "Left: fronts bend at the interface; dashed, rays after Snell's law. "
                "Middle: metric. Right: error against the exact refracted solution.");
}

static void piecewise(experiment_run *run)
{
    medium m = medium_new(run, SIDE, SIDE, 1.0);
    comparison c;

    for (int row = 0; row < SIDE; row++)
        for (int col = INTERFACE + 1; col < SIDE; col++)
            medium_set(&m, (size_t)(row * SIDE + col),
                       metric_of(slow * slow, slow * slow, 0, 0, 0));
    medium_source(run, &m, SOURCE_ROW, SOURCE_COL, 0);
    c = compare_with(run, &m, exact_times(run), PAPER_BORDER);
    report(run, &c);
    draw(run, &c);
}

const experiment experiment_piecewise = {
    .name = "piecewise",
    .group = "Forward solver",
    .title = "Refraction at an interface",
    .paper = "appendix Forward Solver Validation, Figure A6",
    .about =
        "G = I for x ≤ N/2 and G = 4 I beyond: the front slows down to one half and "
        "is refracted. The paper checks the slowness of 2 and gives no error. But two "
        "half planes have an exact solution, the minimum of the travel time over the "
        "point of crossing, and the error is measured against it.\n\n"
        "N = 200, unit spacing; the source, which the paper leaves open, is the node "
        "(N/2, N/4) in the fast half. The nodes of the column x = N/2 itself belong "
        "to the fast half: a step into a node is charged with that node's metric, so "
        "the interface lies exactly there. Rays are traced from nodes ten columns and "
        "more beyond the interface back along the gradient of T.",
    .run = piecewise,
};
