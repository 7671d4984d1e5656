/* SPDX-License-Identifier: Apache-2.0
 * Arrows and metric outlines on a thinned grid. */
#include <math.h>

#include "plot/draw.h"

/* Page length of one unit along an axis, negative where it runs backwards. */
static double unit_of(const axis_map *a)
{
    return (a->to - a->from) / (a->hi - a->lo);
}

static zm_plot_rgba color_against(const canvas *c, const panel *p, double x, double y)
{
    double rgb[3];

    color_below(c, p, x, y, rgb);
    return fade(contrast_color(rgb), 0.72); /* arrows stay behind lines */
}

void draw_arrows(const canvas *c, const panel *p, const layer *l)
{
    const arrows_layer *arrows = &l->arrows;
    const double x_unit = unit_of(&p->x) * arrows->scale;
    const double y_unit = unit_of(&p->y) * arrows->scale;

    cairo_save(c->cr);
    clip_to_area(c, p);
    for (size_t i = 0; i < arrows->n; i++) {
        const arrow a = arrows->at[i];
        const double x = axis_place(&p->x, a.x), y = axis_place(&p->y, a.y);
        const double half_x = 0.5 * a.u * x_unit, half_y = 0.5 * a.v * y_unit;

        draw_arrow(c, (point){ x - half_x, y - half_y },
                   (point){ x + half_x, y + half_y },
                   l->color ? l->color : color_against(c, p, x, y));
    }
    cairo_restore(c->cr);
}

/* In the direction e the boundary lies at e / (sqrt(e'Ge) - b.e). */
void path_ellipse(const canvas *c, const ellipse *e, point at, double x_unit,
                  double y_unit)
{
    enum { CORNERS = 72 };

    cairo_new_path(c->cr);
    for (int i = 0; i < CORNERS; i++) {
        const double angle = 6.283185307179586 * i / CORNERS;
        const double x = cos(angle), y = sin(angle);
        const double length2 = e->g11 * x * x + 2 * e->g12 * x * y + e->g22 * y * y;
        const double cost = sqrt(length2) - e->b1 * x - e->b2 * y;

        cairo_line_to(c->cr, at.x + x / cost * x_unit, at.y + y / cost * y_unit);
    }
    cairo_close_path(c->cr);
}

void draw_ellipses(const canvas *c, const panel *p, const layer *l)
{
    const ellipses_layer *ellipses = &l->ellipses;
    const double x_unit = unit_of(&p->x) * ellipses->scale;
    const double y_unit = unit_of(&p->y) * ellipses->scale;

    cairo_save(c->cr);
    clip_to_area(c, p);
    set_dash(c, ZM_DASH_SOLID, 1);
    for (size_t i = 0; i < ellipses->n; i++) {
        const ellipse *e = &ellipses->at[i];
        const point at = { axis_place(&p->x, e->x), axis_place(&p->y, e->y) };

        path_ellipse(c, e, at, x_unit, y_unit);
        set_color(c, fade(c->theme->paper, 0.45));
        cairo_fill_preserve(c->cr);
        set_color(c, layer_color(c, l));
        cairo_set_line_width(c->cr, 0.9);
        cairo_stroke(c->cr);
        cairo_arc(c->cr, at.x, at.y, 1, 0, 6.283185307179586);
        cairo_fill(c->cr);
    }
    cairo_restore(c->cr);
}
