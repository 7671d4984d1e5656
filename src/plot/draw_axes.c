/* SPDX-License-Identifier: Apache-2.0
 * Frame, ticks, numbers, labels and title of a panel. */
#include <math.h>

#include "core/pi.h"
#include "plot/draw.h"

static const double frame_width = 0.7, grid_line_width = 0.7;

void zm_plot_clip_to_area(const canvas *c, const panel *p)
{
    zm_plot_path_rect(c, p->area);
    cairo_clip(c->cr);
}

bool zm_plot_is_in_area(const panel *p, double x, double y)
{
    static const double slack = 0.01; /* points */

    return x >= p->area.x - slack && x <= p->area.x + p->area.w + slack &&
           y >= p->area.y - slack && y <= p->area.y + p->area.h + slack;
}

zm_plot_rgba zm_plot_layer_color(const canvas *c, const layer *l)
{
    if (l->color)
        return l->color;
    if (l->series)
        return zm_plot_colormap_series(c->theme->name, l->series - 1);
    if (l->kind == LAYER_WALLS)
        return c->theme->wall;
    return l->kind == LAYER_GUIDE ? c->theme->soft : c->theme->ink;
}

void zm_plot_draw_grid_lines(const canvas *c, const panel *p)
{
    zm_plot_set_color(c, c->theme->faint);
    cairo_set_line_width(c->cr, grid_line_width);
    zm_plot_set_dash(c, ZM_DASH_SOLID, 1);
    for (int i = 0; i < p->x_ticks.n; i++)
        if (p->x_ticks.at[i].text[0]) {
            const double x = zm_plot_axis_place(&p->x, p->x_ticks.at[i].value);

            zm_plot_stroke_segment(c, x, p->area.y, x, p->area.y + p->area.h);
        }
    for (int i = 0; i < p->y_ticks.n; i++)
        if (p->y_ticks.at[i].text[0]) {
            const double y = zm_plot_axis_place(&p->y, p->y_ticks.at[i].value);

            zm_plot_stroke_segment(c, p->area.x, y, p->area.x + p->area.w, y);
        }
}

/* Fields are framed; curves stand on two axes. */
static void draw_frame(const canvas *c, const panel *p)
{
    const rect a = p->area;

    zm_plot_set_color(c, c->theme->soft);
    zm_plot_set_dash(c, ZM_DASH_SOLID, 1);
    cairo_set_line_width(c->cr, frame_width);
    if (p->has_field) {
        zm_plot_path_rect(c, a);
        cairo_stroke(c->cr);
        return;
    }
    cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_SQUARE);
    zm_plot_stroke_segment(c, a.x, a.y + a.h, a.x + a.w, a.y + a.h);
    zm_plot_stroke_segment(c, a.x, a.y, a.x, a.y + a.h);
    cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_BUTT);
}

static double tick_length(const canvas *c, const tick *t)
{
    return (t->text[0] ? 1 : 0.55) * zm_plot_space.tick * c->em;
}

static void draw_x_ticks(const canvas *c, const panel *p)
{
    const text_style style = zm_plot_number_text(c, 0.5, 1);
    const double bottom = p->area.y + p->area.h;

    for (int i = 0; i < p->x_ticks.n; i++) {
        const tick *t = &p->x_ticks.at[i];
        const double x = zm_plot_axis_place(&p->x, t->value);

        zm_plot_set_color(c, c->theme->soft);
        cairo_set_line_width(c->cr, frame_width);
        zm_plot_stroke_segment(c, x, bottom, x, bottom + tick_length(c, t));
        zm_plot_text_draw(c, t->text, x,
                          bottom + (zm_plot_space.tick + 0.6 * zm_plot_space.tick_gap) *
                                       c->em,
                          &style);
    }
}

static void draw_y_ticks(const canvas *c, const panel *p)
{
    const text_style style = zm_plot_number_text(c, 1, 0.5);

    for (int i = 0; i < p->y_ticks.n; i++) {
        const tick *t = &p->y_ticks.at[i];
        const double y = zm_plot_axis_place(&p->y, t->value);

        zm_plot_set_color(c, c->theme->soft);
        cairo_set_line_width(c->cr, frame_width);
        zm_plot_stroke_segment(c, p->area.x - tick_length(c, t), y, p->area.x, y);
        zm_plot_text_draw(c, t->text,
                          p->area.x -
                              (zm_plot_space.tick + zm_plot_space.tick_gap) * c->em,
                          y, &style);
    }
}

static double x_label_top(const canvas *c, const panel *p)
{
    return p->area.y + p->area.h + 0.5 * zm_plot_space.label_gap * c->em +
           zm_plot_x_numbers_height(c, p);
}

static void draw_labels(const canvas *c, const panel *p)
{
    const text_style below = zm_plot_label_text(c, 1, p->area.w);
    const text_style factor_x = zm_plot_number_text(c, 1, 1);
    const text_style factor_y = zm_plot_number_text(c, 1, 0);
    text_style beside = zm_plot_label_text(c, 1, p->area.h);
    const double middle_x = p->area.x + 0.5 * p->area.w;

    beside.angle = -ZM_PI / 2;
    zm_plot_text_draw(c, p->plot->axes.x.label, middle_x, x_label_top(c, p), &below);
    zm_plot_text_draw(c, p->plot->axes.y.label, p->area.x - p->need.left,
                      p->area.y + 0.5 * p->area.h, &beside);
    zm_plot_text_draw(c, p->x_ticks.factor, p->area.x + p->area.w, x_label_top(c, p),
                      &factor_x);
    zm_plot_text_draw(c, p->y_ticks.factor, p->area.x, p->area.y - 0.2 * c->em,
                      &factor_y);
}

static void draw_title(const canvas *c, const panel *p)
{
    const text_style style = zm_plot_title_text(c, p->area.w);

    zm_plot_text_draw(c, p->plot->axes.title, p->area.x + 0.5 * p->area.w,
                      p->area.y - 0.5 * c->em, &style);
}

void zm_plot_draw_axes(const canvas *c, const panel *p)
{
    draw_frame(c, p);
    draw_x_ticks(c, p);
    if (p->has_categories)
        zm_plot_draw_categories(
            c, p,
            p->area.y + p->area.h +
                (zm_plot_space.tick + 0.6 * zm_plot_space.tick_gap) * c->em);
    draw_y_ticks(c, p);
    draw_labels(c, p);
    draw_title(c, p);
}
