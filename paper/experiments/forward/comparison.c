/* SPDX-License-Identifier: Apache-2.0
 * Arrival times of a medium beside those that should come out. */
#include "comparison.h"

#include <math.h>

#include "panels.h"

static void find_error(comparison *c)
{
    double largest = 0;

    for (size_t i = 0; i < c->m->cells; i++)
        largest = fmax(largest, c->exact[i]);
    for (size_t i = 0; i < c->m->cells; i++)
        c->error[i] = 100 * (c->T[i] - c->exact[i]) / largest;
}

comparison compare_with(experiment_run *run, const medium *m, double *exact,
                        size_t border)
{
    const size_t rows = (size_t)m->grid.rows, cols = (size_t)m->grid.cols;
    comparison c = { .m = m,
                     .T = field_new(run, m->cells),
                     .exact = exact,
                     .error = field_new(run, m->cells),
                     .border = border };

    medium_solve(run, m, c.T);
    c.norms = error_inside(rows, cols, border, c.T, exact);
    find_error(&c);
    run_save(run, "T", c.T, rows, cols);
    run_save(run, "exact", exact, rows, cols);
    return c;
}

comparison compare_with_closed_form(experiment_run *run, const medium *m, size_t border)
{
    double *exact = field_new(run, m->cells);

    medium_exact(m, exact);
    return compare_with(run, m, exact, border);
}

void comparison_report(experiment_run *run, const comparison *c, const char *reference,
                       const char *paper)
{
    RESULT(run, .reference = reference, .quantity = "RMS error over largest T",
           .unit = "%", .paper = paper, .ours = 100 * c->norms.rms_over_max,
           .better = BETTER_LOWER);
    RESULT(run, .reference = reference, .quantity = "relative L2 error", .unit = "%",
           .ours = 100 * c->norms.relative, .better = BETTER_LOWER);
    RESULT(run, .reference = reference, .unit = "%",
           .quantity = "relative L2 error, no edge left out",
           .ours = 100 * error_of(c->m->cells, c->T, c->exact).relative,
           .better = BETTER_LOWER);
}

void comparison_report_largest(experiment_run *run, const comparison *c,
                               const char *reference, const char *paper)
{
    RESULT(run, .reference = reference, .quantity = "largest error over largest T",
           .unit = "%", .paper = paper, .ours = 100 * c->norms.largest_over_max,
           .better = BETTER_LOWER);
}

zm_figure *comparison_draw(experiment_run *run, const comparison *c,
                           const comparison_look *look)
{
    zm_figure *figure = figure_new(run, 1, 3, NULL);

    PANEL_ARRIVAL(zm_figure_plot(figure, 0, 0), c->m, c->T, .title = "Computed",
                  .ellipses = look->ellipses, .arrows = look->arrows);
    PANEL_ARRIVAL(zm_figure_plot(figure, 0, 1), c->m, c->exact,
                  .title = look->exact_title);
    PANEL(zm_figure_plot(figure, 0, 2), c->m, c->error, .title = "Error",
          .label = "<i>T</i> − exact [% of largest <i>T</i>]", .map = ZM_MAP_EMBER,
          .sources = true);
    return figure;
}
