/* SPDX-License-Identifier: Apache-2.0
 * The colour bar beside a panel. */
#include <math.h>
#include <stdio.h>

#include "core/pi.h"
#include "plot/draw.h"

static const double frame_width = 0.7;

/* The bar proper: what its pointed ends leave. */
static rect straight_part(const canvas *c, const panel *p)
{
    const double point_height = 0.9 * zm_plot_space.bar_width * c->em;
    rect r = p->bar;

    if (p->scale->above) {
        r.y += point_height;
        r.h -= point_height;
    }
    if (p->scale->below)
        r.h -= point_height;
    return r;
}

/* Outline, pointed where values lie beyond the range. */
static void path_bar(const canvas *c, const panel *p)
{
    const rect r = straight_part(c, p), all = p->bar;

    cairo_new_path(c->cr);
    cairo_move_to(c->cr, r.x, r.y);
    if (p->scale->above)
        cairo_line_to(c->cr, r.x + 0.5 * r.w, all.y);
    cairo_line_to(c->cr, r.x + r.w, r.y);
    cairo_line_to(c->cr, r.x + r.w, r.y + r.h);
    if (p->scale->below)
        cairo_line_to(c->cr, r.x + 0.5 * r.w, all.y + all.h);
    cairo_line_to(c->cr, r.x, r.y + r.h);
    cairo_close_path(c->cr);
}

static void fill_gradient(const canvas *c, const panel *p)
{
    enum { STOPS = 64 };
    const rect r = straight_part(c, p);
    cairo_pattern_t *gradient = cairo_pattern_create_linear(0, r.y + r.h, 0, r.y);

    for (int i = 0; i <= STOPS; i++) {
        const double t = (double)i / STOPS,
                     *rgb = zm_plot_colormap_at(&p->scale->table, t);

        cairo_pattern_add_color_stop_rgb(gradient, t, rgb[0], rgb[1], rgb[2]);
    }
    path_bar(c, p);
    cairo_set_source(c->cr, gradient);
    cairo_fill(c->cr);
    cairo_pattern_destroy(gradient);
}

static double numbers_left(const canvas *c, const panel *p)
{
    return p->bar.x + p->bar.w + (zm_plot_space.tick + zm_plot_space.tick_gap) * c->em;
}

static void draw_bar_ticks(const canvas *c, const panel *p)
{
    const rect r = straight_part(c, p);
    const axis_map axis = { p->scale->spec.scale, p->scale->lo, p->scale->hi, r.y + r.h,
                            r.y };
    const text_style style = zm_plot_number_text(c, 0, 0.5);

    cairo_set_line_width(c->cr, frame_width);
    for (int i = 0; i < p->bar_ticks.n; i++) {
        const tick *t = &p->bar_ticks.at[i];
        const double y = zm_plot_axis_place(&axis, t->value), x = r.x + r.w;

        zm_plot_set_color(c, c->theme->soft);
        zm_plot_stroke_segment(
            c, x, y, x + (t->text[0] ? 1 : 0.55) * zm_plot_space.tick * c->em, y);
        zm_plot_text_draw(c, t->text, numbers_left(c, p), y, &style);
    }
}

/* One block for each class, with its name or number, the first at the bottom. */
static void draw_classes(const canvas *c, const panel *p)
{
    const zm_plot_colors *colors = &p->scale->spec;
    const double h = p->bar.h / colors->n_classes;
    const text_style style = zm_plot_number_text(c, 0, 0.5);

    for (int32_t i = 0; i < colors->n_classes; i++) {
        const double y = p->bar.y + p->bar.h - (i + 1) * h;
        char number[16];

        zm_plot_path_rect(c, (rect){ p->bar.x, y, p->bar.w, h });
        zm_plot_set_color(c, zm_plot_rgba_from(zm_plot_color_scale_at(p->scale, i)));
        cairo_fill(c->cr);
        (void)snprintf(number, sizeof number, "%d", (int)i);
        zm_plot_text_draw(c, colors->class_names ? colors->class_names[i] : number,
                          numbers_left(c, p), y + 0.5 * h, &style);
    }
}

static void draw_bar_texts(const canvas *c, const panel *p)
{
    text_style beside = zm_plot_label_text(c, 0, p->area.h),
               factor = zm_plot_number_text(c, 0, 0.5);

    beside.angle = -ZM_PI / 2;
    zm_plot_text_draw(c, p->scale->spec.label, p->area.x + p->area.w + p->need.right,
                      p->bar.y + 0.5 * p->bar.h, &beside);
    factor.anchor_y = 0;
    zm_plot_text_draw(c, p->bar_ticks.factor, p->bar.x, p->bar.y - 0.2 * c->em,
                      &factor);
}

void zm_plot_draw_bar(const canvas *c, const panel *p)
{
    if (!p->scale)
        return;
    zm_plot_set_dash(c, ZM_DASH_SOLID, 1);
    if (p->scale->spec.n_classes > 0) {
        draw_classes(c, p);
    } else {
        fill_gradient(c, p);
        draw_bar_ticks(c, p);
    }
    path_bar(c, p);
    zm_plot_set_color(c, c->theme->soft);
    cairo_set_line_width(c->cr, frame_width);
    cairo_stroke(c->cr);
    draw_bar_texts(c, p);
}
