/* SPDX-License-Identifier: Apache-2.0
 * Which values an axis spans, and where they lie on the page. */
#include "plot/range.h"

#include <math.h>

#include "plot/ticks.h"

/* Air around curves and points, as a share of the range. */
static const double air = 0.045;
/* Cairo keeps coordinates in 24 bits before the point; nothing this far out is seen. */
static const double farthest = 50000;

double zm_plot_axis_place(const axis_map *a, double value)
{
    double share;

    if (a->scale == ZM_SCALE_LOG)
        share = value > 0 ? (log(value) - log(a->lo)) / (log(a->hi) - log(a->lo)) : NAN;
    else
        share = (value - a->lo) / (a->hi - a->lo);
    if (!isfinite(value) || isnan(share))
        return NAN;
    return fmax(fmin(a->from + share * (a->to - a->from), farthest), -farthest);
}

double zm_plot_axis_value(const axis_map *a, double place)
{
    const double share = (place - a->from) / (a->to - a->from);

    if (a->scale == ZM_SCALE_LOG)
        return exp(log(a->lo) + share * (log(a->hi) - log(a->lo)));
    return a->lo + share * (a->hi - a->lo);
}

typedef struct extent {
    zm_plot_scale scale;
    double lo, hi;
    bool floor_at_zero; /* the data stand on zero: no air below it */
    bool is_tight;      /* no air at all */
    double foot;        /* > 0: where bars stand on a log axis */
} extent;

static bool fits(zm_plot_scale scale, double value)
{
    return isfinite(value) && (scale != ZM_SCALE_LOG || value > 0);
}

static void include(extent *e, double value)
{
    if (fits(e->scale, value)) {
        e->lo = fmin(e->lo, value);
        e->hi = fmax(e->hi, value);
    }
}

static void include_points(extent *e, zm_plot_scale other_scale, const double *along,
                           const double *other, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fits(other_scale, other[i]))
            include(e, along[i]);
}

static void include_curve(extent *e, const zm_plot *plot, bool along_x, const double *x,
                          const double *y, size_t n)
{
    if (along_x)
        include_points(e, plot->axes.y.scale, x, y, n);
    else
        include_points(e, plot->axes.x.scale, y, x, n);
}

static void include_bins(extent *e, bool along_x, const bins_layer *bins)
{
    if (bins->n == 0)
        return;
    if (along_x) {
        include(e, bins->edges[0]);
        include(e, bins->edges[bins->n]);
        return;
    }
    e->floor_at_zero = true;
    include(e, 0);
    for (size_t i = 0; i < bins->n; i++)
        include(e, bins->heights[i]);
}

/* Ends of error bars and bands; where they do not fit they are left out. */
static void include_all(extent *e, const double *values, size_t n)
{
    for (size_t i = 0; values && i < n; i++)
        include(e, values[i]);
}

static void include_errors(extent *e, bool along_x, const error_ends *errors, size_t n)
{
    if (along_x)
        return;
    include_all(e, errors->low, n);
    include_all(e, errors->high, n);
}

static void include_band(extent *e, bool along_x, const band_layer *band)
{
    include_all(e, along_x ? band->x : band->low, band->n);
    include_all(e, along_x ? band->x : band->high, band->n);
}

/* Bars stand on zero, on a log axis on a round number that leaves them some height. */
static void include_bars(extent *e, bool along_x, const bars_layer *bars)
{
    static const double lowest_bar = 1.5; /* over the foot */
    const double few = 3, n = (double)bars->n;
    const double side = 0.5 + fmax(0.25 * (few - n), 0); /* one bar alone is no wall */

    if (along_x) {
        e->is_tight = true;
        include(e, -side);
        include(e, n - 1 + side);
        return;
    }
    e->floor_at_zero = true;
    include(e, 0);
    include_all(e, bars->heights, bars->n);
    include_errors(e, false, &bars->errors, bars->n);
    if (e->scale == ZM_SCALE_LOG && e->lo <= e->hi)
        e->foot = zm_plot_ticks_round_below(e->lo / lowest_bar);
}

static void include_steps(extent *e, bool along_x, const steps_layer *steps)
{
    if (along_x && steps->n > 0) {
        include(e, steps->sorted[0]);
        include(e, steps->sorted[steps->n - 1]);
    } else if (!along_x) {
        e->floor_at_zero = true;
        include(e, 0);
        include(e, 1);
        if (steps->n > 0)
            include(e, 1 / (double)steps->n);
    }
}

static void include_layer(extent *e, const zm_plot *plot, bool along_x, const layer *l)
{
    switch (l->kind) {
    case LAYER_POINTS:
        include_curve(e, plot, along_x, l->points.x, l->points.y, l->points.n);
        include_errors(e, along_x, &l->points.errors, l->points.n);
        break;
    case LAYER_LINE:
        include_curve(e, plot, along_x, l->line.x, l->line.y, l->line.n);
        include_errors(e, along_x, &l->line.errors, l->line.n);
        break;
    case LAYER_BAND:
        include_band(e, along_x, &l->band);
        break;
    case LAYER_BARS:
        include_bars(e, along_x, &l->bars);
        break;
    case LAYER_BINS:
        include_bins(e, along_x, &l->bins);
        break;
    case LAYER_STEPS:
        include_steps(e, along_x, &l->steps);
        break;
    default:
        break;
    }
}

static void include_field(extent *e, bool along_x, const placement *p)
{
    const double start = along_x ? p->x0 : p->y0,
                 step = along_x ? p->grid.dx : p->grid.dy;
    const double n = along_x ? p->grid.cols : p->grid.rows;

    include(e, start - 0.5 * step);
    include(e, start + (n - 0.5) * step);
}

static void add_air(extent *e)
{
    if (e->is_tight)
        return;
    if (e->scale == ZM_SCALE_LOG) {
        const double room = air * (log(e->hi) - log(e->lo));

        e->lo = e->foot > 0 ? fmin(e->foot, e->lo) : exp(log(e->lo) - room);
        e->hi = exp(log(e->hi) + room);
        zm_plot_ticks_make_range(e->scale, &e->lo,
                                 &e->hi); /* still a range to divide */
    } else {
        const double room = air * (e->hi - e->lo);

        e->lo -= e->floor_at_zero && e->lo == 0 ? 0 : room;
        e->hi += e->floor_at_zero && e->hi == 0 ? 0 : room;
    }
}

axis_map zm_plot_range(const zm_plot *plot, bool along_x)
{
    const zm_plot_axis *axis = along_x ? &plot->axes.x : &plot->axes.y;
    const bool has_field = zm_plot_has_field(plot), is_fixed = axis->min < axis->max;
    const bool is_linear = has_field || (along_x && zm_plot_categories(plot) > 0);
    extent e = { .scale = is_linear ? ZM_SCALE_LINEAR : axis->scale,
                 .lo = INFINITY,
                 .hi = -INFINITY };
    placement place;

    for (const layer *l = plot->first; l; l = l->next) {
        if (zm_plot_layer_has_field(l, &place))
            include_field(&e, along_x, &place);
        else if (!has_field)
            include_layer(&e, plot, along_x, l);
    }
    if (is_fixed || !(e.lo <= e.hi)) {
        e.lo = is_fixed ? axis->min : e.scale == ZM_SCALE_LOG ? 1 : 0;
        e.hi = is_fixed ? axis->max : e.scale == ZM_SCALE_LOG ? 10 : 1;
    }
    zm_plot_ticks_make_range(e.scale, &e.lo, &e.hi);
    if (!has_field && !is_fixed)
        add_air(&e);
    return (axis_map){ .scale = e.scale, .lo = e.lo, .hi = e.hi };
}
