/* SPDX-License-Identifier: Apache-2.0
 * Points, curves, guides, histograms, cumulative curves and texts. */
#include <math.h>

#include "plot/draw.h"

const double zm_plot_band_opacity = 0.25;

static point place_of(const panel *p, double x, double y)
{
    return (point){ zm_plot_axis_place(&p->x, x), zm_plot_axis_place(&p->y, y) };
}

static bool is_shown(point at)
{
    return !isnan(at.x) && !isnan(at.y);
}

/* Dark or light against what lies below the middle of the text, with some of that laid
 * around it, which dims lines and arrows behind. */
static void set_off(const canvas *c, const panel *p, point middle, text_style *style)
{
    double ground[3];

    zm_plot_color_below(c, p, middle.x, middle.y, ground);
    style->color = zm_plot_contrast_color(ground) | 0xff;
    style->halo = zm_plot_fade(zm_plot_rgba_from(ground), 0.85);
}

static text_style name_style(const canvas *c)
{
    text_style style = zm_plot_plain_text(c, 0, 0.5);

    style.bold = true;
    return style;
}

double zm_plot_name_gap(const canvas *c, double marker_size)
{
    return 0.5 * marker_size + 0.35 * c->em;
}

/* To the right of its point, or to the left where the area ends. */
double zm_plot_name_side(const canvas *c, const panel *p, const char *name, double x,
                         double marker_size)
{
    const text_style style = name_style(c);
    const double end =
        x + zm_plot_name_gap(c, marker_size) + zm_plot_text_measure(c, name, &style).x;

    return end > p->area.x + p->area.w ? -1 : 1;
}

static void draw_name(const canvas *c, const panel *p, const char *name, point at,
                      double marker_size)
{
    const double side = zm_plot_name_side(c, p, name, at.x, marker_size);
    const double gap = zm_plot_name_gap(c, marker_size);
    text_style style = name_style(c);
    const double half = 0.5 * zm_plot_text_measure(c, name, &style).x;

    style.anchor_x = side < 0;
    set_off(c, p, (point){ at.x + side * (gap + half), at.y }, &style);
    zm_plot_text_draw(c, name, at.x + side * gap, at.y, &style);
}

double zm_plot_base_line(const panel *p)
{
    const double zero = zm_plot_axis_place(&p->y, 0);

    return isnan(zero) ? p->y.from : zero;
}

/* Ends that a log axis cannot show lie on its end. */
static double place_end(const panel *p, double value)
{
    const double at = zm_plot_axis_place(&p->y, value);

    return isnan(at) && isfinite(value) ? p->y.from : at;
}

void zm_plot_draw_error_bar(const canvas *c, const panel *p, double x, double low,
                            double high, zm_plot_rgba color)
{
    const double cap = 0.22 * c->em, width = 1;
    const double ends[2] = { place_end(p, low), place_end(p, high) };

    if (isnan(x) || isnan(ends[0]) || isnan(ends[1]))
        return;
    cairo_save(c->cr);
    zm_plot_clip_to_area(c, p);
    zm_plot_set_color(c, color);
    cairo_set_line_width(c->cr, width);
    zm_plot_set_dash(c, ZM_DASH_SOLID, width);
    zm_plot_stroke_segment(c, x, ends[0], x, ends[1]);
    for (int k = 0; k < 2; k++)
        zm_plot_stroke_segment(c, x - cap, ends[k], x + cap, ends[k]);
    cairo_restore(c->cr);
}

static void draw_errors(const canvas *c, const panel *p, const layer *l,
                        const error_ends *errors, const double *x, size_t n)
{
    for (size_t i = 0; errors->low && i < n; i++)
        zm_plot_draw_error_bar(c, p, zm_plot_axis_place(&p->x, x[i]), errors->low[i],
                               errors->high[i], zm_plot_layer_color(c, l));
}

static zm_plot_rgba point_color(const canvas *c, const layer *l, size_t i)
{
    const points_layer *points = &l->points;
    const double *rgb = points->values
                            ? zm_plot_color_scale_at(&points->scale, points->values[i])
                            : NULL;

    if (!points->values)
        return zm_plot_layer_color(c, l);
    return rgb ? zm_plot_rgba_from(rgb) : c->theme->missing;
}

/* A faint rim around the points of a map's end that would not be seen on the paper. */
static void draw_rims(const canvas *c, const panel *p, const layer *l)
{
    const points_layer *points = &l->points;

    cairo_new_path(c->cr);
    for (size_t i = 0; points->values && i < points->n; i++) {
        const point at = place_of(p, points->x[i], points->y[i]);

        if (is_shown(at) && zm_plot_is_in_area(p, at.x, at.y) &&
            zm_plot_looks_like_paper(c, point_color(c, l, i)))
            zm_plot_path_dot(c, at.x, at.y);
    }
    zm_plot_stroke_dots(c, points->size + 0.8, c->theme->soft);
}

/* Many dots, without outlines that would cover their neighbours: one path for each run of
 * the same colour. */
static void draw_dots(const canvas *c, const panel *p, const layer *l)
{
    const points_layer *points = &l->points;

    draw_rims(c, p, l);
    for (size_t i = 0, end; i < points->n; i = end) {
        const zm_plot_rgba color = point_color(c, l, i);

        cairo_new_path(c->cr);
        for (end = i; end < points->n && point_color(c, l, end) == color; end++) {
            const point at = place_of(p, points->x[end], points->y[end]);

            if (is_shown(at) && zm_plot_is_in_area(p, at.x, at.y))
                zm_plot_path_dot(c, at.x, at.y);
        }
        zm_plot_stroke_dots(c, points->size, color);
    }
}

/* Not clipped: a point on the border is shown whole. */
static void draw_markers(const canvas *c, const panel *p, const layer *l)
{
    const points_layer *points = &l->points;

    for (size_t i = 0; i < points->n; i++) {
        const point at = place_of(p, points->x[i], points->y[i]);

        if (!is_shown(at) || !zm_plot_is_in_area(p, at.x, at.y))
            continue;
        zm_plot_draw_marker(c, points->marker, at.x, at.y, points->size,
                            point_color(c, l, i));
        if (points->names && points->names[i])
            draw_name(c, p, points->names[i], at, points->size);
    }
}

void zm_plot_draw_points(const canvas *c, const panel *p, const layer *l)
{
    enum { MANY = 200 };
    const points_layer *points = &l->points;

    draw_errors(c, p, l, &points->errors, points->x, points->n);
    if (points->n > MANY && points->marker == ZM_MARKER_DOT && !points->names)
        draw_dots(c, p, l);
    else
        draw_markers(c, p, l);
}

static void stroke_curve(const canvas *c, zm_plot_rgba color, double width,
                         zm_plot_dash dash)
{
    zm_plot_set_color(c, color);
    cairo_set_line_width(c->cr, width);
    zm_plot_set_dash(c, dash, width);
    cairo_stroke(c->cr);
}

/* Some paper around the curve on the path, which sets it off from the field below. */
static void draw_casing(const canvas *c, double width)
{
    zm_plot_set_color(c, zm_plot_fade(c->theme->paper, 0.7));
    zm_plot_set_dash(c, ZM_DASH_SOLID, 1);
    cairo_set_line_width(c->cr, width + 1.6);
    cairo_stroke_preserve(c->cr);
}

/* The markers of a line; a single point, which makes no line, has one in any case. */
static void draw_line_markers(const canvas *c, const panel *p, const layer *l)
{
    const line_layer *line = &l->line;
    size_t shown = 0;

    for (size_t i = 0; i < line->n; i++)
        shown += is_shown(place_of(p, line->x[i], line->y[i]));
    for (size_t i = 0; (line->marker || shown == 1) && i < line->n; i++) {
        const point at = place_of(p, line->x[i], line->y[i]);

        if (is_shown(at) && zm_plot_is_in_area(p, at.x, at.y))
            zm_plot_draw_marker(c, line->marker, at.x, at.y, 3 + 2 * line->width,
                                zm_plot_layer_color(c, l));
    }
}

void zm_plot_draw_line(const canvas *c, const panel *p, const layer *l)
{
    const line_layer *line = &l->line;
    pen drawing = { 0 };

    cairo_save(c->cr);
    zm_plot_clip_to_area(c, p);
    cairo_new_path(c->cr);
    for (size_t i = 0; i < line->n; i++) {
        const point at = place_of(p, line->x[i], line->y[i]);

        if (is_shown(at))
            zm_plot_pen_to(c, &drawing, at.x, at.y);
        else
            zm_plot_pen_up(c, &drawing);
    }
    zm_plot_pen_up(c, &drawing);
    if (p->has_field)
        draw_casing(c, line->width);
    stroke_curve(c, zm_plot_layer_color(c, l), line->width, line->dash);
    cairo_restore(c->cr);
    draw_errors(c, p, l, &line->errors, line->x, line->n);
    draw_line_markers(c, p, l);
}

/* One polygon for each run of points that can be shown: along the upper curve, back along
 * the lower one. */
void zm_plot_draw_band(const canvas *c, const panel *p, const layer *l)
{
    const band_layer *band = &l->band;

    cairo_save(c->cr);
    zm_plot_clip_to_area(c, p);
    cairo_new_path(c->cr);
    for (size_t i = 0, end; i < band->n; i = end) {
        for (end = i; end < band->n; end++) {
            const point at = { zm_plot_axis_place(&p->x, band->x[end]),
                               zm_plot_axis_place(&p->y, band->high[end]) };

            if (!is_shown(at) || isnan(place_end(p, band->low[end])))
                break;
            cairo_line_to(c->cr, at.x, at.y);
        }
        for (size_t k = end; k > i; k--)
            cairo_line_to(c->cr, zm_plot_axis_place(&p->x, band->x[k - 1]),
                          place_end(p, band->low[k - 1]));
        if (end > i)
            cairo_close_path(c->cr);
        cairo_new_sub_path(c->cr);
        end += end == i;
    }
    zm_plot_set_color(c, zm_plot_fade(zm_plot_layer_color(c, l), zm_plot_band_opacity));
    cairo_fill(c->cr);
    cairo_restore(c->cr);
}

static double guide_value(const panel *p, const guide_layer *g, double x)
{
    if (p->x.scale == ZM_SCALE_LOG && p->y.scale == ZM_SCALE_LOG)
        return g->y * pow(x / g->x, g->slope);
    return g->y + g->slope * (x - g->x);
}

void zm_plot_draw_guide(const canvas *c, const panel *p, const layer *l)
{
    enum { PIECES = 96 }; /* straight on equal scales, else a curve */
    const guide_layer *guide = &l->guide;
    const double width = 1;
    pen drawing = { 0 };

    cairo_save(c->cr);
    zm_plot_clip_to_area(c, p);
    cairo_new_path(c->cr);
    for (int i = 0; i <= PIECES; i++) {
        const double share = (double)i / PIECES, page_x = p->area.x + share * p->area.w;
        const point at =
            guide->vertical
                ? (point){ zm_plot_axis_place(&p->x, guide->x),
                           p->area.y + share * p->area.h }
                : (point){ page_x,
                           zm_plot_axis_place(
                               &p->y, guide_value(p, guide,
                                                  zm_plot_axis_value(&p->x, page_x))) };

        if (is_shown(at))
            zm_plot_pen_to(c, &drawing, at.x, at.y);
    }
    zm_plot_pen_up(c, &drawing);
    stroke_curve(c, zm_plot_layer_color(c, l), width, guide->dash);
    cairo_restore(c->cr);
}

void zm_plot_draw_bins(const canvas *c, const panel *p, const layer *l)
{
    const bins_layer *bins = &l->bins;
    const double base = zm_plot_base_line(p);

    cairo_save(c->cr);
    zm_plot_clip_to_area(c, p);
    cairo_new_path(c->cr);
    for (size_t i = 0; i < bins->n; i++) {
        const double left = zm_plot_axis_place(&p->x, bins->edges[i]);
        const double right = zm_plot_axis_place(&p->x, bins->edges[i + 1]);
        const double top = zm_plot_axis_place(&p->y, bins->heights[i]);

        if (bins->heights[i] > 0 && !isnan(left) && !isnan(right))
            cairo_rectangle(c->cr, left, top, right - left, base - top);
    }
    zm_plot_set_color(c, zm_plot_fade(zm_plot_layer_color(c, l), 0.55));
    cairo_fill_preserve(c->cr);
    stroke_curve(c, zm_plot_fade(zm_plot_layer_color(c, l), 0.9), 0.6, ZM_DASH_SOLID);
    cairo_restore(c->cr);
}

void zm_plot_draw_steps(const canvas *c, const panel *p, const layer *l)
{
    const steps_layer *steps = &l->steps;
    const double end = p->x.to;
    pen drawing = { 0 };

    if (steps->n == 0)
        return;
    cairo_save(c->cr);
    zm_plot_clip_to_area(c, p);
    cairo_new_path(c->cr);
    zm_plot_pen_to(c, &drawing, p->x.from, zm_plot_base_line(p));
    zm_plot_pen_to(c, &drawing, zm_plot_axis_place(&p->x, steps->sorted[0]),
                   zm_plot_base_line(p));
    for (size_t i = 0; i < steps->n; i++) {
        const double next =
            i + 1 < steps->n ? zm_plot_axis_place(&p->x, steps->sorted[i + 1]) : end;
        const double y = zm_plot_axis_place(&p->y, (double)(i + 1) / (double)steps->n);

        zm_plot_pen_to(c, &drawing, zm_plot_axis_place(&p->x, steps->sorted[i]), y);
        zm_plot_pen_to(c, &drawing, next, y);
    }
    zm_plot_pen_up(c, &drawing);
    stroke_curve(c, zm_plot_layer_color(c, l), steps->width, steps->dash);
    cairo_restore(c->cr);
}

void zm_plot_draw_text(const canvas *c, const panel *p, const layer *l)
{
    const point at = place_of(p, l->text.x, l->text.y);
    text_style style = zm_plot_plain_text(c, l->text.anchor_x, l->text.anchor_y);

    set_off(c, p, at, &style);
    if (l->color)
        style.color = l->color;
    if (is_shown(at) && zm_plot_is_in_area(p, at.x, at.y))
        zm_plot_text_draw(c, l->text.string, at.x, at.y, &style);
}
