/* SPDX-License-Identifier: Apache-2.0
 * Colours, text and small shapes on a Cairo page. */
#include "plot/canvas.h"

#include <math.h>

#include "core/pi.h"

static const theme light = { ZM_THEME_LIGHT, 0xffffffff, 0x22262cff, 0x4a5058ff,
                             0xe3e6eaff,     0xc8ccd1ff, 0x3b4048ff };
static const theme dark = { ZM_THEME_DARK, 0x16191dff, 0xe8eaedff, 0xb4bac2ff,
                            0x30353cff,    0x4c525aff, 0xc9cdd3ff };

/* Text is laid out without hinting: the same at every resolution and in every format. */
bool zm_plot_canvas_open(canvas *c, cairo_t *cr, const zm_figure_opts *opts)
{
    cairo_font_options_t *smooth = cairo_font_options_create();
    PangoContext *context;

    *c = (canvas){ .cr = cr,
                   .theme = opts->theme == ZM_THEME_DARK ? &dark : &light,
                   .em = opts->font_size };
    cairo_font_options_set_hint_style(smooth, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(smooth, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(smooth, CAIRO_ANTIALIAS_GRAY);
    c->fonts = pango_cairo_font_map_new();
    context = pango_font_map_create_context(c->fonts);
    pango_cairo_context_set_font_options(context, smooth);
    pango_cairo_context_set_resolution(context, 72); /* a point is a unit of the page */
    pango_context_set_round_glyph_positions(context, FALSE);
    c->layout = pango_layout_new(context);
    g_object_unref(context);
    cairo_font_options_destroy(smooth);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    return cairo_status(cr) == CAIRO_STATUS_SUCCESS;
}

void zm_plot_canvas_close(canvas *c)
{
    if (c->layout)
        g_object_unref(c->layout);
    if (c->fonts)
        g_object_unref(c->fonts);
}

zm_plot_rgba zm_plot_fade(zm_plot_rgba color, double opacity)
{
    return (color & 0xffffff00u) | (zm_plot_rgba)((color & 0xff) * opacity + 0.5);
}

zm_plot_rgba zm_plot_rgba_from(const double rgb[3])
{
    zm_plot_rgba packed = 0;

    for (int k = 0; k < 3; k++)
        packed = packed << 8 | (zm_plot_rgba)(rgb[k] * 255 + 0.5);
    return packed << 8 | 0xff;
}

void zm_plot_set_color(const canvas *c, zm_plot_rgba color)
{
    cairo_set_source_rgba(c->cr, (color >> 24) / 255.0, (color >> 16 & 0xff) / 255.0,
                          (color >> 8 & 0xff) / 255.0, (color & 0xff) / 255.0);
}

void zm_plot_set_dash(const canvas *c, zm_plot_dash dash, double width)
{
    const double dashed[] = { 4 * width, 2.5 * width }, dotted[] = { 0, 2.2 * width };

    cairo_set_line_cap(c->cr, dash == ZM_DASH_DOTTED ? CAIRO_LINE_CAP_ROUND
                                                     : CAIRO_LINE_CAP_BUTT);
    cairo_set_dash(c->cr, dash == ZM_DASH_DOTTED ? dotted : dashed,
                   dash == ZM_DASH_SOLID ? 0 : 2, 0);
}

void zm_plot_path_rect(const canvas *c, rect r)
{
    cairo_new_path(c->cr);
    cairo_rectangle(c->cr, r.x, r.y, r.w, r.h);
}

void zm_plot_stroke_segment(const canvas *c, double x0, double y0, double x1, double y1)
{
    cairo_new_path(c->cr);
    cairo_move_to(c->cr, x0, y0);
    cairo_line_to(c->cr, x1, y1);
    cairo_stroke(c->cr);
}

void zm_plot_pen_to(const canvas *c, pen *p, double x, double y)
{
    const bool starts = p->line.n == 0;
    point at;

    if (!zm_plot_polyline_add(&p->line, (point){ x, y }, &at))
        return;
    if (starts)
        cairo_move_to(c->cr, at.x, at.y);
    else
        cairo_line_to(c->cr, at.x, at.y);
}

void zm_plot_pen_up(const canvas *c, pen *p)
{
    point at;

    if (zm_plot_polyline_end(&p->line, &at))
        cairo_line_to(c->cr, at.x, at.y);
}

void zm_plot_path_dot(const canvas *c, double x, double y)
{
    cairo_move_to(c->cr, x, y);
    cairo_line_to(c->cr, x, y);
}

void zm_plot_stroke_dots(const canvas *c, double diameter, zm_plot_rgba color)
{
    zm_plot_set_color(c, color);
    zm_plot_set_dash(c, ZM_DASH_SOLID, 1);
    cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_width(c->cr, diameter);
    cairo_stroke(c->cr);
    cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_BUTT);
}

/* Loads the text into the layout; false where there is nothing to show. */
static bool lay_out(const canvas *c, const char *text, const text_style *style)
{
    PangoFontDescription *font;
    PangoAttrList *attributes = NULL;
    char *plain = NULL;

    if (!text || !*text)
        return false;
    font = pango_font_description_from_string("DejaVu Sans, sans");
    pango_font_description_set_absolute_size(font, style->size * PANGO_SCALE);
    if (style->bold)
        pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    pango_layout_set_font_description(c->layout, font);
    pango_font_description_free(font);
    if (pango_parse_markup(text, -1, 0, &attributes, &plain, NULL, NULL)) {
        pango_layout_set_text(c->layout, plain, -1);
        pango_layout_set_attributes(c->layout, attributes);
        pango_attr_list_unref(attributes);
        g_free(plain);
    } else {
        pango_layout_set_attributes(c->layout, NULL);
        pango_layout_set_text(c->layout, text, -1);
    }
    pango_layout_set_width(c->layout,
                           style->wrap > 0 ? (int)(style->wrap * PANGO_SCALE) : -1);
    pango_layout_set_alignment(c->layout, style->anchor_x == 0   ? PANGO_ALIGN_LEFT
                                          : style->anchor_x == 1 ? PANGO_ALIGN_RIGHT
                                                                 : PANGO_ALIGN_CENTER);
    return true;
}

static PangoRectangle logical_box(const canvas *c)
{
    PangoRectangle box;

    pango_layout_get_extents(c->layout, NULL, &box);
    return box;
}

point zm_plot_text_measure(const canvas *c, const char *text, const text_style *style)
{
    PangoRectangle box;

    if (!lay_out(c, text, style))
        return (point){ 0, 0 };
    box = logical_box(c);
    return (point){ (double)box.width / PANGO_SCALE, (double)box.height / PANGO_SCALE };
}

void zm_plot_text_draw(const canvas *c, const char *text, double x, double y,
                       const text_style *style)
{
    PangoRectangle box;

    if (!lay_out(c, text, style))
        return;
    box = logical_box(c);
    cairo_save(c->cr);
    cairo_translate(c->cr, x, y);
    cairo_rotate(c->cr, style->angle);
    cairo_translate(c->cr, -(box.x + style->anchor_x * box.width) / PANGO_SCALE,
                    -(box.y + (1 - style->anchor_y) * box.height) / PANGO_SCALE);
    cairo_new_path(c->cr);
    cairo_move_to(c->cr, 0, 0);
    if (style->halo) {
        pango_cairo_layout_path(c->cr, c->layout);
        zm_plot_set_color(c, style->halo);
        cairo_set_line_width(c->cr, 0.32 * style->size);
        zm_plot_set_dash(c, ZM_DASH_SOLID, 1);
        cairo_stroke(c->cr);
        cairo_move_to(c->cr, 0, 0);
    }
    zm_plot_set_color(c, style->color);
    pango_cairo_show_layout(c->cr, c->layout);
    cairo_restore(c->cr);
}

/* A closed path around (x, y) with `corners` at angles from the top, alternating between
 * two radii where they differ. */
static void path_star(const canvas *c, point at, int corners, double outer,
                      double inner, double turn)
{
    const int n = outer == inner ? corners : 2 * corners;

    cairo_new_path(c->cr);
    for (int i = 0; i < n; i++) {
        const double angle = 2 * ZM_PI * i / n + turn,
                     r = i % 2 && n > corners ? inner : outer;

        cairo_line_to(c->cr, at.x + r * sin(angle), at.y - r * cos(angle));
    }
    cairo_close_path(c->cr);
}

static void path_marker(const canvas *c, zm_plot_marker marker, point at, double r)
{
    switch (marker) {
    case ZM_MARKER_SQUARE:
        path_star(c, at, 4, 1.25 * r, 1.25 * r, ZM_PI / 4);
        break;
    case ZM_MARKER_TRIANGLE:
        path_star(c, at, 3, 1.3 * r, 1.3 * r, 0);
        break;
    case ZM_MARKER_DIAMOND:
        path_star(c, at, 4, 1.3 * r, 1.3 * r, 0);
        break;
    case ZM_MARKER_STAR:
        path_star(c, at, 5, 1.4 * r, 0.58 * r, 0);
        break;
    case ZM_MARKER_CROSS:
        path_star(c, at, 4, 1.35 * r, 0.24 * r, ZM_PI / 4);
        break;
    default:
        cairo_new_path(c->cr);
        cairo_arc(c->cr, at.x, at.y, r, 0, 2 * ZM_PI);
        cairo_close_path(c->cr);
        break;
    }
}

void zm_plot_draw_marker(const canvas *c, zm_plot_marker marker, double x, double y,
                         double size, zm_plot_rgba color)
{
    const double outline = fmin(0.12 * size, 1.1);

    zm_plot_set_dash(c, ZM_DASH_SOLID, 1);
    if (marker == ZM_MARKER_RING) {
        path_marker(c, marker, (point){ x, y }, 0.5 * size);
        zm_plot_set_color(c, color);
        cairo_set_line_width(c->cr, fmax(0.2 * size, 0.8));
        cairo_stroke(c->cr);
        return;
    }
    path_marker(c, marker, (point){ x, y }, 0.5 * size);
    zm_plot_set_color(c, zm_plot_fade(c->theme->paper, 0.9));
    cairo_set_line_width(c->cr, 2 * outline);
    cairo_stroke_preserve(c->cr);
    zm_plot_set_color(c, color);
    cairo_fill(c->cr);
}

/* Shaft and head as one polygon, so that they do not darken where they meet. */
void zm_plot_path_arrow(const canvas *c, point from, point to)
{
    static const double shortest = 0.3;
    const double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    const double ux = dx / length, uy = dy / length;
    const double head = fmin(0.45 * length, 5.5), half = 0.42 * head;
    const double shaft = fmin(fmax(0.045 * length, 0.25), 0.6);
    const double along[] = { 0,      length - 0.8 * head, length - head,
                             length, length - head,       length - 0.8 * head,
                             0 };
    const double aside[] = { shaft, shaft, half, 0, -half, -shaft, -shaft };

    if (!(length > shortest))
        return;
    cairo_new_sub_path(c->cr);
    for (int i = 0; i < 7; i++)
        cairo_line_to(c->cr, from.x + along[i] * ux - aside[i] * uy,
                      from.y + along[i] * uy + aside[i] * ux);
    cairo_close_path(c->cr);
}
