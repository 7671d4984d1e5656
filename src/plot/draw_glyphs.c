/* SPDX-License-Identifier: Apache-2.0
 * Arrows and metric outlines on a thinned grid. */
#include <math.h>

#include "core/pi.h"
#include "plot/draw.h"

/* Page length of one unit along an axis, negative where it runs backwards. */
static double unit_of(const axis_map *a)
{
    return (a->to - a->from) / (a->hi - a->lo);
}

/* All arrows of one colour are one path: dark ones first where the colour is automatic. */
static void fill_arrows(const canvas *c, const panel *p, const layer *l, bool light,
                        zm_plot_rgba color)
{
    const arrows_layer *arrows = &l->arrows;
    const double x_unit = unit_of(&p->x) * arrows->scale;
    const double y_unit = unit_of(&p->y) * arrows->scale;

    cairo_new_path(c->cr);
    for (size_t i = 0; i < arrows->n; i++) {
        const arrow a = arrows->at[i];
        const double x = zm_plot_axis_place(&p->x, a.x),
                     y = zm_plot_axis_place(&p->y, a.y);
        const double half_x = 0.5 * a.u * x_unit, half_y = 0.5 * a.v * y_unit;
        double ground[3];

        zm_plot_color_below(c, p, x, y, ground);
        if (l->color || zm_plot_is_dark(ground) == light)
            zm_plot_path_arrow(c, (point){ x - half_x, y - half_y },
                               (point){ x + half_x, y + half_y });
    }
    zm_plot_set_color(c, color);
    cairo_fill(c->cr);
}

void zm_plot_draw_arrows(const canvas *c, const panel *p, const layer *l)
{
    static const double behind = 0.82; /* opacity: arrows stay behind lines */
    static const double black[3] = { 0, 0, 0 }, white[3] = { 1, 1, 1 };

    cairo_save(c->cr);
    zm_plot_clip_to_area(c, p);
    if (l->color) {
        fill_arrows(c, p, l, false, l->color);
    } else {
        fill_arrows(c, p, l, false,
                    zm_plot_fade(zm_plot_contrast_color(white), behind));
        fill_arrows(c, p, l, true, zm_plot_fade(zm_plot_contrast_color(black), behind));
    }
    cairo_restore(c->cr);
}

/* sqrt(v'Gv) <= 1 + b.v is the ellipse (v - m)' A (v - m) <= 1 + m'Am with A = G - bb' and
 * A m = b.  With A = L L', L lower triangular, it is m + r L^-T u for |u| <= 1. */
void zm_plot_path_ellipse(const canvas *c, const ellipse *e, point at, double x_unit,
                          double y_unit)
{
    const double a11 = e->g11 - e->b1 * e->b1, a12 = e->g12 - e->b1 * e->b2;
    const double a22 = e->g22 - e->b2 * e->b2, det = a11 * a22 - a12 * a12;
    const double m1 = (a22 * e->b1 - a12 * e->b2) / det;
    const double m2 = (a11 * e->b2 - a12 * e->b1) / det;
    const double r = sqrt(1 + m1 * e->b1 + m2 * e->b2);
    const double l11 = sqrt(a11), l21 = a12 / l11, l22 = sqrt(det) / l11;
    cairo_matrix_t shape;

    cairo_matrix_init(&shape, r / l11 * x_unit, 0, -r * l21 / (l11 * l22) * x_unit,
                      r / l22 * y_unit, at.x + m1 * x_unit, at.y + m2 * y_unit);
    cairo_save(c->cr);
    cairo_transform(c->cr, &shape);
    cairo_new_sub_path(c->cr);
    cairo_arc(c->cr, 0, 0, 1, 0, 2 * ZM_PI);
    cairo_close_path(c->cr);
    cairo_restore(c->cr);
}

void zm_plot_draw_ellipses(const canvas *c, const panel *p, const layer *l)
{
    const ellipses_layer *ellipses = &l->ellipses;
    const double x_unit = unit_of(&p->x) * ellipses->scale;
    const double y_unit = unit_of(&p->y) * ellipses->scale;

    cairo_save(c->cr);
    zm_plot_clip_to_area(c, p);
    zm_plot_set_dash(c, ZM_DASH_SOLID, 1);
    cairo_new_path(c->cr);
    for (size_t i = 0; i < ellipses->n; i++) {
        const ellipse *e = &ellipses->at[i];

        zm_plot_path_ellipse(
            c, e,
            (point){ zm_plot_axis_place(&p->x, e->x), zm_plot_axis_place(&p->y, e->y) },
            x_unit, y_unit);
    }
    zm_plot_set_color(c, zm_plot_fade(c->theme->paper, 0.45));
    cairo_fill_preserve(c->cr);
    zm_plot_set_color(c, zm_plot_layer_color(c, l));
    cairo_set_line_width(c->cr, 0.9);
    cairo_stroke(c->cr);
    for (size_t i = 0; i < ellipses->n; i++)
        zm_plot_path_dot(c, zm_plot_axis_place(&p->x, ellipses->at[i].x),
                         zm_plot_axis_place(&p->y, ellipses->at[i].y));
    zm_plot_stroke_dots(c, 2, zm_plot_layer_color(c, l));
    cairo_restore(c->cr);
}
