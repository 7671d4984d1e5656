/* SPDX-License-Identifier: Apache-2.0
 * Bars with the texts above them, and the names of their categories below the axis. */
#include <math.h>

#include "core/pi.h"
#include "plot/draw.h"

/* Names that do not fit side by side are set at this angle. */
static const double slant = -0.61;   /* 35 degrees, rising to the right */
static const double text_gap = 0.18; /* font sizes between a bar and its text */

static double category_width(const panel *p)
{
    return p->area.w / (p->x.hi - p->x.lo);
}

/* How the names are set, and which of them: every stride-th. */
typedef struct names_plan {
    text_style style;
    bool is_level;
    size_t stride;
} names_plan;

static double widest_name(const canvas *c, const panel *p, const text_style *style)
{
    double widest = 0;

    for (size_t i = 0; i < zm_plot_categories(p->plot); i++)
        widest = fmax(widest,
                      zm_plot_text_measure(c, zm_plot_category(p->plot, i), style).x);
    return widest;
}

/* Side by side, broken between words, where that fits; else every few of short ones; else
 * slanted, as close as their lines allow. */
static names_plan plan_names(const canvas *c, const panel *p)
{
    const double slot = category_width(p), gap = 0.6 * c->em, short_name = 4 * c->em;
    names_plan plan = { zm_plot_number_text(c, 0.5, 1), true, 1 };
    double widest;

    plan.style.wrap = fmax(slot - gap, c->em);
    if (widest_name(c, p, &plan.style) <= slot - gap)
        return plan;
    plan.style.wrap = 0;
    widest = widest_name(c, p, &plan.style);
    plan.is_level = widest <= short_name;
    if (!plan.is_level) {
        plan.style.angle = slant;
        plan.style.anchor_x = 1;
        plan.style.anchor_y = 0.5;
        widest = 1.3 * plan.style.size / fabs(sin(slant)) - gap;
    }
    plan.stride = (size_t)fmax(ceil((widest + gap) / slot), 1);
    return plan;
}

names_room zm_plot_categories_room(const canvas *c, const panel *p)
{
    const names_plan plan = plan_names(c, p);
    names_room room = { 0, 0 };

    for (size_t i = 0; i < zm_plot_categories(p->plot); i += plan.stride) {
        const point size =
            zm_plot_text_measure(c, zm_plot_category(p->plot, i), &plan.style);
        const double from_left = ((double)i - p->x.lo) * category_width(p);
        const double below =
            plan.is_level ? size.y : size.x * -sin(slant) + size.y * cos(slant);
        const double left = size.x * (plan.is_level ? 0.5 : cos(slant)) - from_left;

        room.below = fmax(room.below, below);
        room.left = fmax(room.left, left);
    }
    return room;
}

void zm_plot_draw_categories(const canvas *c, const panel *p, double y)
{
    const names_plan plan = plan_names(c, p);

    if (!plan.is_level)
        y += 0.4 * plan.style.size;
    for (size_t i = 0; i < zm_plot_categories(p->plot); i += plan.stride)
        zm_plot_text_draw(c, zm_plot_category(p->plot, i),
                          zm_plot_axis_place(&p->x, (double)i), y, &plan.style);
}

static text_style bar_text(const canvas *c, double anchor_y)
{
    text_style style = zm_plot_number_text(c, 0.5, anchor_y);

    style.size = 0.8 * c->em;
    return style;
}

/* The texts above bars are level unless one is wider than its bar. */
static bool texts_fit_level(const canvas *c, const panel *p)
{
    const text_style style = bar_text(c, 0);

    for (const layer *l = p->plot->first; l; l = l->next) {
        const bool has_texts = l->kind == LAYER_BARS && l->bars.texts;
        const bar_span span =
            has_texts ? zm_plot_bar_place(p->plot, &l->bars, 0) : (bar_span){ 0, 0 };
        const double room =
            p->plot->n_bars == 1 ? 0.95 : 1.1 * (span.right - span.left);

        for (size_t i = 0; has_texts && i < l->bars.n; i++)
            if (zm_plot_text_measure(c, l->bars.texts[i], &style).x >
                room * category_width(p))
                return false;
    }
    return true;
}

/* The end of a bar away from its foot, error bar included. */
static double bar_end(const bars_layer *bars, size_t i)
{
    const double height = bars->heights[i];

    if (!bars->errors.low)
        return height;
    return height < 0 ? fmin(height, bars->errors.low[i])
                      : fmax(height, bars->errors.high[i]);
}

static double warp(const axis_map *a, double value)
{
    return a->scale == ZM_SCALE_LOG ? log(value) : value;
}

static double unwarp(const axis_map *a, double value)
{
    return a->scale == ZM_SCALE_LOG ? exp(value) : value;
}

/* Moves the end of the axis so that `room` of its `length` is left beyond a value. */
static void leave_room(axis_map *a, double value, double room, double length)
{
    const double lo = warp(a, a->lo), hi = warp(a, a->hi), at = warp(a, value);
    const double share = 1 - fmin(room / length, 0.8);

    if (!isfinite(at))
        return;
    if (value >= 0 || a->scale == ZM_SCALE_LOG)
        a->hi = unwarp(a, fmax(hi, lo + (at - lo) / share));
    else
        a->lo = unwarp(a, fmin(lo, hi - (hi - at) / share));
}

void zm_plot_make_room_for_bar_texts(const canvas *c, panel *p)
{
    const text_style style = bar_text(c, 0);
    const bool level = texts_fit_level(c, p);

    if (p->plot->axes.y.min < p->plot->axes.y.max)
        return;
    for (const layer *l = p->plot->first; l; l = l->next)
        for (size_t i = 0; l->kind == LAYER_BARS && l->bars.texts && i < l->bars.n;
             i++) {
            const point size = zm_plot_text_measure(c, l->bars.texts[i], &style);

            leave_room(&p->y, bar_end(&l->bars, i),
                       (level ? size.y : size.x) + 2 * text_gap * c->em, p->area.h);
        }
    zm_plot_ticks_make_range(p->y.scale, &p->y.lo, &p->y.hi);
}

rect zm_plot_bar_box(const panel *p, const bars_layer *bars, size_t i)
{
    const bar_span span = zm_plot_bar_place(p->plot, bars, i);
    const double left = zm_plot_axis_place(&p->x, span.left);
    const double right = zm_plot_axis_place(&p->x, span.right);
    const double foot = zm_plot_base_line(p);
    double top = zm_plot_axis_place(&p->y, bars->heights[i]);

    if (isnan(top)) /* zero on a log axis, or a gap */
        top = foot;
    return (rect){ fmin(left, right), fmin(top, foot), fabs(right - left),
                   fabs(foot - top) };
}

static void draw_bar_text(const canvas *c, const panel *p, const bars_layer *bars,
                          size_t i, bool level)
{
    const rect box = zm_plot_bar_box(p, bars, i);
    const bool hangs = bars->heights[i] < 0;
    const double end = zm_plot_axis_place(&p->y, bar_end(bars, i));
    text_style style = bar_text(c, hangs ? 1 : 0);
    double y = isnan(end) ? zm_plot_base_line(p) : end;

    y += (hangs ? 1 : -1) * text_gap * c->em;
    if (!level) {
        style.angle = -ZM_PI / 2;
        style.anchor_x = hangs ? 1 : 0;
        style.anchor_y = 0.5;
    }
    if (!isnan(bars->heights[i]) && zm_plot_is_in_area(p, box.x + 0.5 * box.w, y))
        zm_plot_text_draw(c, bars->texts[i], box.x + 0.5 * box.w, y, &style);
}

void zm_plot_draw_bars(const canvas *c, const panel *p, const layer *l)
{
    const bars_layer *bars = &l->bars;
    const bool level = texts_fit_level(c, p);

    cairo_save(c->cr);
    zm_plot_clip_to_area(c, p);
    cairo_new_path(c->cr);
    for (size_t i = 0; i < bars->n; i++) {
        const rect box = zm_plot_bar_box(p, bars, i);

        if (isfinite(bars->heights[i]))
            cairo_rectangle(c->cr, box.x, box.y, box.w, box.h);
    }
    zm_plot_set_color(c, zm_plot_layer_color(c, l));
    cairo_fill(c->cr);
    cairo_restore(c->cr);
    for (size_t i = 0; i < bars->n; i++) {
        const rect box = zm_plot_bar_box(p, bars, i);

        if (bars->errors.low)
            zm_plot_draw_error_bar(c, p, box.x + 0.5 * box.w, bars->errors.low[i],
                                   bars->errors.high[i], c->theme->ink);
    }
    for (size_t i = 0; bars->texts && i < bars->n; i++)
        draw_bar_text(c, p, bars, i, level);
}
