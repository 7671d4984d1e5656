/* SPDX-License-Identifier: Apache-2.0
 * Figures of inverse problems. */
#include "draw.h"

#include <math.h>

#include "panels.h"

static const zm_plot_rgba green = 0x1B9E4BFFu;
enum { MOST_POINTS = 900 }; /* more observations hide what is below them */

/* One field is g, not g11. */
static const char *plane_label(const problem *p, int plane)
{
    return p->d.unknown == ZM_UNKNOWN_ISOTROPIC ? "<i>g</i>" : plane_names[plane];
}

static void range_of(const double *values, size_t n, double *min, double *max)
{
    *min = INFINITY;
    *max = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        *min = fmin(*min, values[i]);
        *max = fmax(*max, values[i]);
    }
}

/* The true field's and a little more; a constant one gets a range about it. */
static void range_of_truth(const problem *p, int plane, double *min, double *max)
{
    double more;

    range_of(medium_plane(&p->truth, plane), p->truth.cells, min, max);
    more = *max - *min > 1e-9 ? 0.1 * (*max - *min) : 0.2 * fabs(*max) + 0.02;
    *min -= more;
    *max += more;
}

static void plot_in_range(zm_plot *plot, const problem *p, const double *values,
                          int plane, const char *title)
{
    double min, max;

    range_of_truth(p, plane, &min, &max);
    PANEL(plot, &p->truth, values, .title = title, .label = plane_label(p, plane),
          .min = min, .max = max, .sources = true);
}

void plot_true(zm_plot *plot, const problem *p, int plane, const char *title)
{
    plot_in_range(plot, p, medium_plane(&p->truth, plane), plane, title);
}

void plot_found(zm_plot *plot, const problem *p, const medium *found, int plane,
                const char *title)
{
    plot_in_range(plot, p, medium_plane(found, plane), plane, title);
}

/* Where the fronts were seen; not where that is everywhere. */
static void plot_observations(experiment_run *run, zm_plot *plot, const problem *p)
{
    const size_t cols = (size_t)p->truth.grid.cols;
    size_t all = 0;

    for (size_t e = 0; e < p->n_fronts; e++)
        all += p->fronts[e].n;
    for (size_t e = 0; e < p->n_fronts; e++) {
        const sighting *s = &p->fronts[e];
        double *x = field_new(run, s->n), *y = field_new(run, s->n);

        for (size_t i = 0; i < s->n; i++) {
            x[i] = (double)((size_t)s->cells[i] % cols);
            y[i] = (double)((size_t)s->cells[i] / cols);
        }
        if (all <= MOST_POINTS)
            ZM_PLOT_POINTS(plot, .x = x, .y = y, .n = s->n, .color = green,
                           .marker_size = 2);
    }
}

static void plot_error(experiment_run *run, zm_plot *plot, const problem *p,
                       const medium *found, int plane)
{
    const double *f = medium_plane(found, plane), *t = medium_plane(&p->truth, plane);
    double *e = field_new(run, p->truth.cells), min, max;

    for (size_t i = 0; i < p->truth.cells; i++)
        e[i] = f[i] - t[i];
    range_of(e, p->truth.cells, &min, &max);
    PANEL(plot, &p->truth, e, .title = "Error", .map = ZM_MAP_DIVERGING,
          .label = "found − true", .clip = max - min > 0.02 ? 0.002 : 0);
    plot_observations(run, plot, p);
}

static void plot_profile(zm_plot *plot, const problem *p, const medium *found,
                         int plane, const char *title)
{
    const size_t cols = (size_t)p->truth.grid.cols, row = cols / 2 * cols;
    double min, max, low, high;

    range_of_truth(p, plane, &min, &max);
    range_of(medium_plane(found, plane) + row, cols, &low, &high);
    ZM_PLOT_AXES(plot, .title = title, .x.label = "<i>x</i>",
                 .y = { .label = plane_label(p, plane),
                        .min = fmin(min, low),
                        .max = fmax(max, high) },
                 .aspect = 0.85, .legend = ZM_LEGEND_BELOW);
    ZM_PLOT_LINE(plot, .y = medium_plane(&p->truth, plane) + row, .n = cols, .width = 3,
                 .color = 0xB8B8B8FFu, .label = "true");
    ZM_PLOT_LINE(plot, .y = medium_plane(found, plane) + row, .n = cols,
                 .label = "found");
}

static void plot_way(zm_plot *plot, const recovery *r)
{
    const trace *t = &r->steps;

    ZM_PLOT_AXES(
        plot, .title = "Way of the run", .aspect = 0.85,
        .x = { .label = "solves", .min = 0, .max = t->n ? t->solves[t->n - 1] + 1 : 0 },
        .y.label = "χ², error [%]", .y.scale = ZM_SCALE_LOG, .legend = ZM_LEGEND_BELOW);
    ZM_PLOT_LINE(plot, .x = t->solves, .y = t->chi2, .n = t->n, .marker = ZM_MARKER_DOT,
                 .label = "χ² a datum");
    ZM_PLOT_LINE(plot, .x = t->solves, .y = t->error, .n = t->n,
                 .marker = ZM_MARKER_SQUARE, .label = "error of g [%]");
}

static void plot_times(experiment_run *run, zm_plot *plot, const problem *p)
{
    const sighting *s = &p->fronts[0];
    double *seen = field_new(run, p->truth.cells);
    medium first = p->truth;

    first.sources = s->sources;
    first.n_sources = s->n_sources;
    for (size_t i = 0; i < p->truth.cells; i++)
        seen[i] = s->n <= MOST_POINTS ? NAN : 0;
    for (size_t i = 0; i < s->n; i++)
        seen[s->cells[i]] = s->times[i];
    PANEL(plot, &first, seen, .sources = true,
          .title = p->n_fronts > 1 ? "Observed times, first front" : "Observed times");
}

void draw_field(experiment_run *run, const problem *p, const recovery *r,
                const char *name, const char *reference, const char *caption)
{
    zm_figure *figure;

    if (!run_goes_on(run))
        return;
    figure = figure_new(run, 2, 3, NULL);
    plot_true(zm_figure_plot(figure, 0, 0), p, 0, "True");
    plot_found(zm_figure_plot(figure, 0, 1), p, &r->found, 0, "Found");
    plot_error(run, zm_figure_plot(figure, 0, 2), p, &r->found, 0);
    plot_times(run, zm_figure_plot(figure, 1, 0), p);
    plot_way(zm_figure_plot(figure, 1, 1), r);
    plot_profile(zm_figure_plot(figure, 1, 2), p, &r->found, 0, "Along the middle row");
    figure_save(run, figure, name, reference, caption);
}

void draw_planes(experiment_run *run, const problem *p, const recovery *r,
                 const int *planes, int n, const char *name, const char *reference,
                 const char *caption)
{
    zm_figure *figure;

    if (!run_goes_on(run))
        return;
    figure = figure_new(run, n, 4, NULL);
    for (int i = 0; i < n; i++) {
        plot_true(zm_figure_plot(figure, i, 0), p, planes[i], "True");
        plot_found(zm_figure_plot(figure, i, 1), p, &r->found, planes[i], "Found");
        plot_error(run, zm_figure_plot(figure, i, 2), p, &r->found, planes[i]);
        plot_profile(zm_figure_plot(figure, i, 3), p, &r->found, planes[i],
                     "Along the middle row");
    }
    figure_save(run, figure, name, reference, caption);
}

void plot_error_axes(zm_plot *plot, const error_axes *axes)
{
    ZM_PLOT_AXES(plot, .title = axes->title, .aspect = 0.85, .legend = ZM_LEGEND_BELOW,
                 .x = { .label = axes->x_label,
                        .scale = axes->x_linear ? ZM_SCALE_LINEAR : ZM_SCALE_LOG },
                 .y = { .label = "relative <i>L</i><sub>2</sub> error [%]",
                        .scale = ZM_SCALE_LOG,
                        .min = axes->y_min,
                        .max = axes->y_max },
                 .x_ticks = axes->x_ticks, .n_x_ticks = axes->n_x_ticks);
}

void plot_series(zm_plot *plot, const double *x, series *const *s, size_t n,
                 zm_plot_marker marker, const char *label)
{
    enum { MOST = 32 };
    double worst[MOST], best[MOST];

    for (size_t i = 0; i < n && i < MOST; i++) {
        worst[i] = best[i] = s[i]->error;
        for (int k = 0; k < s[i]->n; k++)
            best[i] = fmin(best[i], s[i]->all[k].error);
    }
    ZM_PLOT_BAND(plot, .x = x, .low = best, .high = worst, .n = n);
    ZM_PLOT_LINE(plot, .x = x, .y = worst, .n = n, .marker = marker, .label = label);
}
