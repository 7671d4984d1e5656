/* SPDX-License-Identifier: Apache-2.0
 * The legend: below the area in rows, or in the corner that hides the least. */
#include <math.h>
#include <stdint.h>

#include "plot/draw.h"

/* Multiples of the font size. */
static const double swatch_gap = 0.5, entry_gap = 1.4, padding = 0.5, corner_gap = 0.7;

/* Text of an entry, broken where it would be wider than the room for the whole entry. */
static text_style entry_text(const canvas *c, double room)
{
    text_style style = zm_plot_plain_text(c, 0, 0.5);

    style.wrap = fmax(room - (zm_plot_space.swatch + swatch_gap) * c->em, 4 * c->em);
    return style;
}

static point entry_size(const canvas *c, const layer *l, double room)
{
    const text_style style = entry_text(c, room);
    const point size = zm_plot_text_measure(c, l->label, &style);

    return (point){ (zm_plot_space.swatch + swatch_gap) * c->em + size.x,
                    fmax(zm_plot_space.legend_line * c->em, size.y + 0.3 * c->em) };
}

static void swatch_line(const canvas *c, rect box, zm_plot_rgba color, double width,
                        zm_plot_dash dash)
{
    zm_plot_set_color(c, color);
    cairo_set_line_width(c->cr, width);
    zm_plot_set_dash(c, dash, width);
    zm_plot_stroke_segment(c, box.x, box.y + 0.5 * box.h, box.x + box.w,
                           box.y + 0.5 * box.h);
}

static void swatch_box(const canvas *c, rect box, zm_plot_rgba color)
{
    zm_plot_path_rect(c, (rect){ box.x + 0.2 * box.w, box.y, 0.6 * box.w, box.h });
    zm_plot_set_color(c, color);
    cairo_fill(c->cr);
}

static void swatch_ellipse(const canvas *c, rect box, zm_plot_rgba color)
{
    const ellipse sample = { .g11 = 1, .g22 = 2.6, .b1 = 0.45 };
    const point at = { box.x + 0.32 * box.w, box.y + 0.5 * box.h };

    cairo_new_path(c->cr);
    zm_plot_path_ellipse(c, &sample, at, 0.36 * box.w, 0.36 * box.w);
    zm_plot_set_color(c, color);
    zm_plot_set_dash(c, ZM_DASH_SOLID, 1);
    cairo_set_line_width(c->cr, 0.9);
    cairo_stroke(c->cr);
    zm_plot_path_dot(c, at.x, at.y);
    zm_plot_stroke_dots(c, 2, color);
}

static zm_plot_rgba middle_color(const points_layer *points)
{
    return zm_plot_rgba_from(zm_plot_colormap_at(&points->scale.table, 0.5));
}

static void draw_swatch(const canvas *c, const layer *l, rect box)
{
    const zm_plot_rgba color = zm_plot_layer_color(c, l);
    const point middle = { box.x + 0.5 * box.w, box.y + 0.5 * box.h };

    switch (l->kind) {
    case LAYER_LINE:
        swatch_line(c, box, color, l->line.width, l->line.dash);
        if (l->line.marker)
            zm_plot_draw_marker(c, l->line.marker, middle.x, middle.y,
                                3 + 2 * l->line.width, color);
        break;
    case LAYER_STEPS:
        swatch_line(c, box, color, l->steps.width, l->steps.dash);
        break;
    case LAYER_GUIDE:
        swatch_line(c, box, color, 1, l->guide.dash);
        break;
    case LAYER_CONTOURS:
        if (zm_plot_looks_like_paper(c, color))
            swatch_box(c, box, c->theme->soft);
        swatch_line(c, box, color, l->contours.width, ZM_DASH_SOLID);
        break;
    case LAYER_POINTS:
        zm_plot_draw_marker(c, l->points.marker, middle.x, middle.y,
                            fmin(fmax(l->points.size, 4), 0.9 * c->em),
                            l->points.values ? middle_color(&l->points) : color);
        break;
    case LAYER_ARROWS:
        cairo_new_path(c->cr);
        zm_plot_path_arrow(c, (point){ box.x, middle.y },
                           (point){ box.x + box.w, middle.y });
        zm_plot_set_color(c, color);
        cairo_fill(c->cr);
        break;
    case LAYER_ELLIPSES:
        swatch_ellipse(c, box, color);
        break;
    case LAYER_BAND:
        swatch_box(c, box, zm_plot_fade(color, zm_plot_band_opacity));
        break;
    case LAYER_BINS:
        swatch_box(c, box, zm_plot_fade(color, 0.6));
        break;
    default:
        swatch_box(c, box, color);
        break;
    }
}

/* An entry centred at y. */
static void draw_entry(const canvas *c, const layer *l, double x, double y, double room)
{
    const double h = 0.75 * c->em, w = zm_plot_space.swatch * c->em;
    const text_style style = entry_text(c, room);

    draw_swatch(c, l, (rect){ x, y - 0.5 * h, w, h });
    zm_plot_text_draw(c, l->label, x + w + swatch_gap * c->em, y, &style);
}

static const layer *labelled(const layer *l)
{
    while (l && !l->label)
        l = l->next;
    return l;
}

/* Rows of a legend below: entries one after the other, or in columns of one width. */
typedef struct legend_rows {
    double room;
    int columns;  /* 0: one after the other */
    double pitch; /* of the columns */
} legend_rows;

typedef struct legend_row {
    const layer *first, *end; /* the entries from first on, before end */
    double width, height;
} legend_row;

static legend_row row_from(const canvas *c, const legend_rows *rows, const layer *first)
{
    legend_row row = { .first = first, .width = -entry_gap * c->em };
    int n = 0;

    for (row.end = first; row.end; row.end = labelled(row.end->next), n++) {
        const point size = entry_size(c, row.end, rows->room);
        const double more = rows->columns ? rows->pitch : entry_gap * c->em + size.x;

        if (n > 0 &&
            (rows->columns ? n == rows->columns : row.width + more > rows->room))
            break;
        row.width += more;
        row.height = fmax(row.height, size.y);
    }
    return row;
}

static int count_rows(const canvas *c, const panel *p, const legend_rows *rows)
{
    int n = 0;

    for (const layer *l = labelled(p->plot->first); l; l = row_from(c, rows, l).end)
        n++;
    return n;
}

/* In columns where they take no more rows, else one after the other. */
static legend_rows plan_rows(const canvas *c, const panel *p, double room)
{
    const legend_rows flow = { .room = room };
    legend_rows columns = flow;
    int n = 0, rows;

    for (const layer *l = labelled(p->plot->first); l; l = labelled(l->next), n++)
        columns.pitch =
            fmax(columns.pitch, entry_size(c, l, room).x + entry_gap * c->em);
    rows = count_rows(c, p, &flow);
    if (rows < 2)
        return flow;
    columns.columns = (n + rows - 1) / rows;
    return columns.columns * columns.pitch - entry_gap * c->em <= room ? columns : flow;
}

double zm_plot_legend_height_below(const canvas *c, const panel *p, double width)
{
    const legend_rows rows = plan_rows(c, p, width);
    const layer *first = labelled(p->plot->first);
    double height = 0;

    while (first) {
        const legend_row row = row_from(c, &rows, first);

        height += row.height;
        first = row.end;
    }
    return height;
}

static void draw_row(const canvas *c, const legend_rows *rows, const legend_row *row,
                     double x, double y)
{
    for (const layer *l = row->first; l != row->end; l = labelled(l->next)) {
        draw_entry(c, l, x, y, rows->room);
        x += rows->columns ? rows->pitch
                           : entry_size(c, l, rows->room).x + entry_gap * c->em;
    }
}

static void draw_below(const canvas *c, const panel *p)
{
    const legend_rows rows = plan_rows(c, p, p->area.w);
    const layer *first = labelled(p->plot->first);
    const double whole = rows.columns * rows.pitch - entry_gap * c->em;
    double y = p->area.y + p->area.h + p->need.bottom -
               zm_plot_legend_height_below(c, p, p->area.w);

    while (first) {
        const legend_row row = row_from(c, &rows, first);
        const double width = rows.columns ? whole : row.width;

        draw_row(c, &rows, &row, p->area.x + 0.5 * (p->area.w - width),
                 y + 0.5 * row.height);
        first = row.end;
        y += row.height;
    }
}

static bool is_inside(rect r, double x, double y)
{
    return x >= r.x && x <= r.x + r.w && y >= r.y && y <= r.y + r.h;
}

/* How many of the places a curve goes through, corners and between, lie in a box. */
static size_t count_curve(const panel *p, const double *x, const double *y, size_t n,
                          rect box)
{
    enum { BETWEEN = 8 };
    size_t hidden = 0;
    double last_x = NAN, last_y = NAN;

    for (size_t i = 0; i < n; i++) {
        const double here_x = zm_plot_axis_place(&p->x, x[i]),
                     here_y = zm_plot_axis_place(&p->y, y[i]);

        for (int k = 1; k <= BETWEEN; k++) {
            const double share =
                isnan(last_x) || isnan(last_y) ? 1 : (double)k / BETWEEN;

            hidden +=
                is_inside(box, share == 1 ? here_x : last_x + share * (here_x - last_x),
                          share == 1 ? here_y : last_y + share * (here_y - last_y));
        }
        last_x = here_x;
        last_y = here_y;
    }
    return hidden;
}

static size_t count_bins(const panel *p, const bins_layer *bins, rect box)
{
    size_t hidden = 0;

    for (size_t i = 0; i < bins->n; i++) {
        const double top = zm_plot_axis_place(&p->y, bins->heights[i]);
        const double x =
            zm_plot_axis_place(&p->x, 0.5 * (bins->edges[i] + bins->edges[i + 1]));

        if (x >= box.x && x <= box.x + box.w && top < box.y + box.h)
            hidden += 4;
    }
    return hidden;
}

static size_t count_steps(const panel *p, const steps_layer *steps, rect box)
{
    size_t hidden = 0;

    for (int k = 0; k <= 64; k++) {
        const double x = p->area.x + p->area.w * k / 64,
                     value = zm_plot_axis_value(&p->x, x);
        size_t low = 0, high = steps->n; /* number of values <= value */

        while (low < high) {
            const size_t middle = (low + high) / 2;

            if (steps->sorted[middle] <= value)
                low = middle + 1;
            else
                high = middle;
        }
        if (is_inside(box, x,
                      zm_plot_axis_place(&p->y, (double)low / (double)steps->n)))
            hidden += 4;
    }
    return hidden;
}

static size_t count_bars(const panel *p, const bars_layer *bars, rect box)
{
    enum { WEIGHT = 8 }; /* a bar counts like a point of a curve */
    size_t hidden = 0;

    for (size_t i = 0; i < bars->n; i++) {
        const rect bar = zm_plot_bar_box(p, bars, i);
        const double text = bars->texts ? 0.15 * p->area.h : 0; /* above it, roughly */

        if (bar.x < box.x + box.w && bar.x + bar.w > box.x &&
            bar.y - text < box.y + box.h && bar.y + bar.h > box.y)
            hidden += WEIGHT;
    }
    return hidden;
}

static size_t count_hidden(const panel *p, rect box)
{
    size_t hidden = 0;

    for (const layer *l = p->plot->first; l; l = l->next) {
        if (l->kind == LAYER_LINE)
            hidden += count_curve(p, l->line.x, l->line.y, l->line.n, box);
        else if (l->kind == LAYER_POINTS)
            hidden += count_curve(p, l->points.x, l->points.y, l->points.n, box);
        else if (l->kind == LAYER_BAND)
            hidden += count_curve(p, l->band.x, l->band.high, l->band.n, box) +
                      count_curve(p, l->band.x, l->band.low, l->band.n, box);
        else if (l->kind == LAYER_BARS)
            hidden += count_bars(p, &l->bars, box);
        else if (l->kind == LAYER_BINS)
            hidden += count_bins(p, &l->bins, box);
        else if (l->kind == LAYER_STEPS && l->steps.n > 0)
            hidden += count_steps(p, &l->steps, box);
    }
    return hidden;
}

static rect corner_box(const canvas *c, const panel *p, zm_plot_legend corner,
                       point size)
{
    const double gap = corner_gap * c->em;
    const bool right =
        corner == ZM_LEGEND_UPPER_RIGHT || corner == ZM_LEGEND_LOWER_RIGHT;
    const bool lower =
        corner == ZM_LEGEND_LOWER_LEFT || corner == ZM_LEGEND_LOWER_RIGHT;

    return (rect){ right ? p->area.x + p->area.w - gap - size.x : p->area.x + gap,
                   lower ? p->area.y + p->area.h - gap - size.y : p->area.y + gap,
                   size.x, size.y };
}

/* The corner asked for, or the one that hides the least; *hidden is how much. */
static rect choose_box(const canvas *c, const panel *p, point size, size_t *hidden)
{
    static const zm_plot_legend corners[] = { ZM_LEGEND_UPPER_RIGHT,
                                              ZM_LEGEND_UPPER_LEFT,
                                              ZM_LEGEND_LOWER_RIGHT,
                                              ZM_LEGEND_LOWER_LEFT };
    rect best = corner_box(c, p, p->plot->axes.legend, size);

    *hidden = SIZE_MAX;
    for (int i = 0; i < 4 && p->plot->axes.legend == ZM_LEGEND_AUTO; i++) {
        const rect box = corner_box(c, p, corners[i], size);
        const size_t count = count_hidden(p, box);

        if (count < *hidden) {
            best = box;
            *hidden = count;
        }
    }
    return best;
}

/* Widest entry of a legend in a corner. */
static double inside_room(const panel *p)
{
    return 0.6 * p->area.w;
}

static point box_size(const canvas *c, const panel *p)
{
    point size = { 0, padding * c->em };

    for (const layer *l = labelled(p->plot->first); l; l = labelled(l->next)) {
        const point entry = entry_size(c, l, inside_room(p));

        size.x = fmax(size.x, entry.x + 2 * padding * c->em);
        size.y += entry.y;
    }
    return size;
}

/* In a corner of curves unless that would hide more than one per cent of them. */
static bool fits_inside(const canvas *c, const panel *p)
{
    static const size_t bearable = 100; /* one in so many */
    const point size = box_size(c, p);
    size_t hidden;

    if (size.x > p->area.w || size.y > p->area.h)
        return false;
    choose_box(c, p, size, &hidden);
    return hidden <= count_hidden(p, p->area) / bearable;
}

void zm_plot_legend_decide(const canvas *c, panel *p)
{
    const zm_plot_legend where = p->plot->axes.legend;

    if (where == ZM_LEGEND_NONE || !labelled(p->plot->first))
        p->legend = LEGEND_NOWHERE;
    else if (where == ZM_LEGEND_AUTO)
        p->legend = !p->has_field && fits_inside(c, p) ? LEGEND_INSIDE : LEGEND_BELOW;
    else
        p->legend = where == ZM_LEGEND_BELOW ? LEGEND_BELOW : LEGEND_INSIDE;
}

static void draw_inside(const canvas *c, const panel *p)
{
    const double pad = padding * c->em;
    size_t hidden;
    const rect box = choose_box(c, p, box_size(c, p), &hidden);
    double y = box.y + 0.5 * pad;

    zm_plot_path_rect(c, box);
    zm_plot_set_color(c, zm_plot_fade(c->theme->paper, 0.85));
    cairo_fill_preserve(c->cr);
    zm_plot_set_color(c, c->theme->faint);
    cairo_set_line_width(c->cr, 0.7);
    zm_plot_set_dash(c, ZM_DASH_SOLID, 1);
    cairo_stroke(c->cr);
    for (const layer *l = labelled(p->plot->first); l; l = labelled(l->next)) {
        const double height = entry_size(c, l, inside_room(p)).y;

        draw_entry(c, l, box.x + pad, y + 0.5 * height, inside_room(p));
        y += height;
    }
}

void zm_plot_draw_legend(const canvas *c, const panel *p)
{
    if (p->legend == LEGEND_BELOW)
        draw_below(c, p);
    else if (p->legend == LEGEND_INSIDE)
        draw_inside(c, p);
}
