/* SPDX-License-Identifier: Apache-2.0
 * Contour lines with their values set into gaps of the lines. */
#include <math.h>

#include "core/fail.h"
#include "plot/contour.h"
#include "plot/contour_label.h"
#include "plot/draw.h"

enum { MOST_LABELS = 512, LABELS_PER_LINE = 3 };

/* A long line repeats its number after this length, in font sizes. */
static const double repeat_after = 24;
/* Lines shorter than this many widths of their number go without. */
static const double shortest_labelled = 3;

typedef struct label {
    label_spot spot;
    double width;
    size_t level;
    zm_plot_rgba color, ground;
} label;

typedef struct labelling {
    taken_places taken;
    label at[MOST_LABELS];
    size_t n;
    label_size text; /* of the number at work, with air */
    double box[4];   /* left, top, right, bottom of where labels may stand */
} labelling;

static text_style label_style(const canvas *c)
{
    text_style style = zm_plot_plain_text(c, 0.5, 0.5);

    style.size = 0.85 * c->em;
    return style;
}

static void level_text(const contours_layer *contours, size_t level,
                       char text[TICK_TEXT])
{
    const double value = contours->levels[level];
    const double digits =
        floor(log10(fabs(value))) - floor(log10(contours->resolution));

    if (contours->given && value != 0)
        zm_plot_ticks_format_digits(value, (int)fmin(fmax(digits, 0), 15) + 1, text);
    else
        zm_plot_ticks_format(value, contours->resolution, text);
}

/* A marker and, as a row of circles, its name. */
static void note_point(const canvas *c, const panel *p, const points_layer *points,
                       size_t i, taken_places *taken)
{
    const text_style style = zm_plot_plain_text(c, 0, 0);
    const double x = zm_plot_axis_place(&p->x, points->x[i]);
    const double y = zm_plot_axis_place(&p->y, points->y[i]);
    const char *name = points->names ? points->names[i] : NULL;
    const double side = zm_plot_name_side(c, p, name, x, points->size);
    const double width = zm_plot_text_measure(c, name, &style).x;

    zm_plot_taken_add(taken, x, y, points->size);
    for (double s = 0; s < width + c->em; s += c->em)
        zm_plot_taken_add(taken, x + side * (zm_plot_name_gap(c, points->size) + s), y,
                          0.8 * c->em);
}

/* Markers and texts of the plot, which no number should cover. */
static void note_obstacles(const canvas *c, const panel *p, taken_places *taken)
{
    enum { TOO_MANY = 64 }; /* to keep free of all */

    for (const layer *l = p->plot->first; l; l = l->next) {
        if (l->kind == LAYER_POINTS && l->points.n <= TOO_MANY)
            for (size_t i = 0; i < l->points.n; i++)
                note_point(c, p, &l->points, i, taken);
        else if (l->kind == LAYER_TEXT)
            zm_plot_taken_add(taken, zm_plot_axis_place(&p->x, l->text.x),
                              zm_plot_axis_place(&p->y, l->text.y), 2 * c->em);
    }
}

/* The line of a set on the page, without points that lie closer than can be seen; a
 * closed line returns to its start. */
static bool line_on_page(const panel *p, const placement *f, const contour_set *set,
                         const contour_line *line, arena *scratch, page_line *out)
{
    static const double visible = 0.2; /* points of the page */
    const size_t n = line->n + line->closed;
    double *room = zm_plot_arena_alloc(scratch, 3 * n, sizeof *room);

    if (!room)
        return false;
    *out = (page_line){ room, room + n, room + 2 * n, 0 };
    for (size_t i = 0; i < n; i++) {
        const contour_point q = set->points[line->first + i % line->n];
        const double x = zm_plot_axis_place(&p->x, f->x0 + q.x * f->grid.dx);
        const double y = zm_plot_axis_place(&p->y, f->y0 + q.y * f->grid.dy);

        if (i > 0 && i + 1 < n &&
            hypot(x - out->x[out->n - 1], y - out->y[out->n - 1]) < visible)
            continue;
        out->x[out->n] = x;
        out->y[out->n++] = y;
    }
    zm_plot_page_line_measure(out);
    return true;
}

/* Against the mean of what lies below the line. */
static zm_plot_rgba line_color(const canvas *c, const panel *p, const layer *l,
                               const page_line *line)
{
    enum { SAMPLES = 24 };
    double mean[3] = { 0, 0, 0 };

    if (l->color)
        return l->color;
    for (int i = 0; i < SAMPLES; i++) {
        const size_t at = (size_t)i * line->n / SAMPLES;
        double rgb[3];

        zm_plot_color_below(c, p, line->x[at], line->y[at], rgb);
        for (int k = 0; k < 3; k++)
            mean[k] += rgb[k] / SAMPLES;
    }
    return zm_plot_contrast_color(mean);
}

static void label_line(const canvas *c, const panel *p, const layer *l, size_t level,
                       const page_line *line, labelling *labels)
{
    label_spot spots[LABELS_PER_LINE];
    size_t n = 0;

    if (line->length[line->n - 1] < shortest_labelled * labels->text.width)
        return;
    while (n < LABELS_PER_LINE && labels->n < MOST_LABELS &&
           zm_plot_label_find(line, labels->text, labels->box, &labels->taken, spots, n,
                              repeat_after * c->em, &spots[n])) {
        label *here = &labels->at[labels->n++];
        double ground[3];

        zm_plot_color_below(c, p, spots[n].x, spots[n].y, ground);
        *here = (label){ spots[n], labels->text.width, level, line_color(c, p, l, line),
                         zm_plot_rgba_from(ground) };
        zm_plot_taken_add(&labels->taken, spots[n].x, spots[n].y,
                          0.75 * labels->text.width);
        n++;
    }
}

static void start_labelling(const canvas *c, const panel *p, labelling *labels)
{
    const double inset = 0.3 * c->em;

    labels->box[0] = p->area.x + inset;
    labels->box[1] = p->area.y + inset;
    labels->box[2] = p->area.x + p->area.w - inset;
    labels->box[3] = p->area.y + p->area.h - inset;
    note_obstacles(c, p, &labels->taken);
}

/* Everything but the labels, which strokes must not run through: their boxes wind the other
 * way.  (The even-odd rule would do, but Cairo 1.16 forgets it in SVG files.) */
static void clip_out_labels(const canvas *c, const panel *p, const labelling *labels)
{
    const double half_height = 0.5 * labels->text.height;

    zm_plot_clip_to_area(c, p);
    zm_plot_path_rect(c, p->area);
    for (size_t i = 0; i < labels->n; i++) {
        const label *here = &labels->at[i];

        cairo_save(c->cr);
        cairo_translate(c->cr, here->spot.x, here->spot.y);
        cairo_rotate(c->cr, here->spot.angle);
        cairo_rectangle(c->cr, 0.5 * here->width, -half_height, -here->width,
                        2 * half_height);
        cairo_restore(c->cr);
    }
    cairo_clip(c->cr);
}

static void path_line(const canvas *c, const page_line *line)
{
    pen p = { 0 };

    for (size_t i = 0; i < line->n; i++)
        zm_plot_pen_to(c, &p, line->x[i], line->y[i]);
    zm_plot_pen_up(c, &p);
}

static void draw_labels(const canvas *c, const contours_layer *contours,
                        const labelling *labels)
{
    for (size_t i = 0; i < labels->n; i++) {
        const label *here = &labels->at[i];
        text_style style = label_style(c);
        char text[TICK_TEXT];

        style.angle = here->spot.angle;
        style.color = here->color | 0xff;
        style.halo = zm_plot_fade(here->ground, 0.95);
        level_text(contours, here->level, text);
        zm_plot_text_draw(c, text, here->spot.x, here->spot.y, &style);
    }
}

/* All lines of all levels on the page; `lines` and `levels` grow together. */
typedef struct line_list {
    page_line *lines;
    size_t *levels;
    size_t n;
} line_list;

static zm_status collect_level(const panel *p, const contours_layer *contours,
                               size_t level, const contour_set *set, arena *scratch,
                               line_list *out)
{
    for (size_t i = 0; i < set->n_lines; i++) {
        if (!line_on_page(p, &contours->place, set, &set->lines[i], scratch,
                          &out->lines[out->n]))
            return ZM_E_NOMEM;
        out->levels[out->n++] = level;
    }
    return ZM_OK;
}

static zm_status trace_levels(const contours_layer *contours, const zm_alloc *mem,
                              contour_set *sets, zm_error *err)
{
    const zm_grid g = contours->place.grid;

    for (size_t i = 0; i < contours->n_levels; i++)
        ZM_TRY(zm_plot_contour_trace(mem, g.rows, g.cols, contours->values,
                                     contours->levels[i], &sets[i], err));
    return ZM_OK;
}

static zm_status collect_lines(const panel *p, const contours_layer *contours,
                               arena *scratch, line_list *out, zm_error *err)
{
    contour_set *sets = zm_plot_arena_alloc(scratch, contours->n_levels, sizeof *sets);
    zm_status st = sets ? trace_levels(contours, &scratch->mem, sets, err)
                        : zm_fail(err, ZM_E_NOMEM, -1, "contours");
    size_t n = 0;

    for (size_t i = 0; sets && i < contours->n_levels; i++)
        n += sets[i].n_lines;
    out->lines = zm_plot_arena_alloc(scratch, n, sizeof *out->lines);
    out->levels = zm_plot_arena_alloc(scratch, n, sizeof *out->levels);
    if (st == ZM_OK && (!out->lines || !out->levels))
        st = zm_fail(err, ZM_E_NOMEM, -1, "%zu contour lines", n);
    for (size_t i = 0; sets && i < contours->n_levels; i++) {
        if (st == ZM_OK &&
            collect_level(p, contours, i, &sets[i], scratch, out) != ZM_OK)
            st = zm_fail(err, ZM_E_NOMEM, -1, "%zu contour lines", n);
        zm_plot_contour_free(&scratch->mem, &sets[i]);
    }
    return st;
}

static void label_lines(const canvas *c, const panel *p, const layer *l,
                        const line_list *list, labelling *labels)
{
    const text_style style = label_style(c);

    start_labelling(c, p, labels);
    for (size_t i = 0; i < list->n; i++) {
        char text[TICK_TEXT];
        point size;

        level_text(&l->contours, list->levels[i], text);
        size = zm_plot_text_measure(c, text, &style);
        labels->text = (label_size){ size.x + 0.5 * c->em, size.y };
        label_line(c, p, l, list->levels[i], &list->lines[i], labels);
    }
}

/* Lines of the same colour are one path; there are two colours at most. */
static void stroke_lines(const canvas *c, const panel *p, const layer *l,
                         const line_list *list)
{
    zm_plot_rgba done = 0;

    cairo_set_line_width(c->cr, l->contours.width);
    zm_plot_set_dash(c, ZM_DASH_SOLID, 1);
    for (size_t first = 0; first < list->n; first++) {
        const zm_plot_rgba color = line_color(c, p, l, &list->lines[first]);

        if (first > 0 && color == done)
            continue;
        cairo_new_path(c->cr);
        for (size_t i = first; i < list->n; i++)
            if (line_color(c, p, l, &list->lines[i]) == color)
                path_line(c, &list->lines[i]);
        zm_plot_set_color(c, color);
        cairo_stroke(c->cr);
        if (first > 0)
            return;
        done = color;
    }
}

zm_status zm_plot_draw_contours(const canvas *c, const panel *p, const layer *l,
                                arena *scratch, zm_error *err)
{
    labelling *labels = zm_plot_arena_alloc(scratch, 1, sizeof *labels);
    line_list list = { 0 };

    ZM_TRY(labels ? collect_lines(p, &l->contours, scratch, &list, err)
                  : zm_fail(err, ZM_E_NOMEM, -1, "contour labels"));
    if (l->contours.has_labels)
        label_lines(c, p, l, &list, labels);
    cairo_save(c->cr);
    clip_out_labels(c, p, labels);
    stroke_lines(c, p, l, &list);
    cairo_restore(c->cr);
    draw_labels(c, &l->contours, labels);
    return ZM_OK;
}
