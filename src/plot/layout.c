/* SPDX-License-Identifier: Apache-2.0
 * Where everything of a figure goes on the page.
 *
 * All drawing areas have the same width, and those of a row start at the same height.
 * How much room the numbers beside an area take depends on the ticks, and the ticks on the
 * size of the area, so the layout is repeated until it has settled. */
#include "plot/layout.h"

#include <math.h>

#include "core/fail.h"

enum { ROUNDS = 3 };

const spacing zm_plot_space = { .margin = 0.8,
                                .between = 1.8,
                                .tick = 0.35,
                                .tick_gap = 0.3,
                                .label_gap = 0.45,
                                .bar_gap = 1.0,
                                .bar_width = 1.15,
                                .legend_gap = 0.7,
                                .legend_line = 1.55,
                                .swatch = 2.1,
                                .title = 1.1,
                                .small = 0.9 };

static const double default_aspect = 0.66, flattest = 0.15, steepest = 4;
/* A tall field is made narrower rather than higher than this, in widths. */
static const double tallest = 1.35;
static const double narrowest_area = 4; /* font sizes */

text_style zm_plot_plain_text(const canvas *c, double anchor_x, double anchor_y)
{
    return (text_style){ .size = c->em,
                         .anchor_x = anchor_x,
                         .anchor_y = anchor_y,
                         .color = c->theme->ink };
}

text_style zm_plot_number_text(const canvas *c, double anchor_x, double anchor_y)
{
    text_style style = zm_plot_plain_text(c, anchor_x, anchor_y);

    style.size = zm_plot_space.small * c->em;
    return style;
}

text_style zm_plot_label_text(const canvas *c, double anchor_y, double length)
{
    text_style style = zm_plot_plain_text(c, 0.5, anchor_y);

    style.wrap = length;
    return style;
}

text_style zm_plot_title_text(const canvas *c, double wrap)
{
    return (text_style){ .size = zm_plot_space.title * c->em,
                         .bold = true,
                         .wrap = wrap,
                         .anchor_x = 0.5,
                         .color = c->theme->ink };
}

text_style zm_plot_figure_title_text(const canvas *c, double wrap)
{
    text_style style = zm_plot_title_text(c, wrap);

    style.size *= 1.1;
    style.anchor_y = 1;
    return style;
}

static double widest_number(const canvas *c, const tick_set *ticks)
{
    const text_style style = zm_plot_number_text(c, 0, 0);
    double widest = 0;

    for (int i = 0; i < ticks->n; i++)
        widest = fmax(widest, zm_plot_text_measure(c, ticks->at[i].text, &style).x);
    return widest;
}

static double factor_width(const canvas *c, const tick_set *ticks)
{
    const text_style style = zm_plot_number_text(c, 0, 0);

    return zm_plot_text_measure(c, ticks->factor, &style).x;
}

static int clamp_count(double count, int most)
{
    return count < 2 ? 2 : count > most ? most : (int)count;
}

/* As many numbers along x as fit with a gap between neighbours. */
static void make_x_ticks(const canvas *c, panel *p, double width)
{
    for (int most = clamp_count(width / (4 * c->em), 11);; most--) {
        int numbers = 0;

        zm_plot_ticks_make(p->x.scale, p->x.lo, p->x.hi, most, &p->x_ticks);
        for (int i = 0; i < p->x_ticks.n; i++)
            numbers += p->x_ticks.at[i].text[0] != '\0';
        if (most <= 2 ||
            numbers * (widest_number(c, &p->x_ticks) + 1.2 * c->em) <= width)
            return;
    }
}

static void make_ticks(const canvas *c, panel *p)
{
    const zm_plot_axes *axes = &p->plot->axes;
    const int along_y = clamp_count(p->area.h / (2.4 * c->em), 9);

    p->x_ticks.n = p->y_ticks.n = p->bar_ticks.n = 0;
    p->x_ticks.factor[0] = p->y_ticks.factor[0] = p->bar_ticks.factor[0] = '\0';
    if (!axes->hide_ticks) {
        if (axes->x_ticks && !p->has_categories)
            zm_plot_ticks_at(axes->x_ticks, axes->n_x_ticks, p->x.lo, p->x.hi,
                             &p->x_ticks);
        else if (!p->has_categories)
            make_x_ticks(c, p, p->area.w);
        if (axes->y_ticks)
            zm_plot_ticks_at(axes->y_ticks, axes->n_y_ticks, p->y.lo, p->y.hi,
                             &p->y_ticks);
        else
            zm_plot_ticks_make(p->y.scale, p->y.lo, p->y.hi, along_y, &p->y_ticks);
    }
    if (p->scale && p->scale->spec.n_classes == 0)
        zm_plot_ticks_make(p->scale->spec.scale, p->scale->lo, p->scale->hi, along_y,
                           &p->bar_ticks);
}

static double widest_class(const canvas *c, const zm_plot_colors *colors)
{
    const text_style style = zm_plot_number_text(c, 0, 0);
    double widest = zm_plot_text_measure(c, "255", &style).x;

    for (int32_t i = 0; i < colors->n_classes && colors->class_names; i++)
        widest =
            fmax(widest, zm_plot_text_measure(c, colors->class_names[i], &style).x);
    return widest;
}

static double number_height(const canvas *c)
{
    const text_style style = zm_plot_number_text(c, 0, 0);

    return zm_plot_text_measure(c, "0", &style).y;
}

double zm_plot_x_numbers_height(const canvas *c, const panel *p)
{
    const double gap = (zm_plot_space.tick + 0.6 * zm_plot_space.tick_gap) * c->em;

    if (p->has_categories)
        return gap + zm_plot_categories_room(c, p).below;
    return p->x_ticks.n > 0 ? gap + number_height(c) : 0;
}

static double room_for_label(const canvas *c, const char *label, double length)
{
    const text_style style = zm_plot_label_text(c, 0, length);

    return label ? zm_plot_space.label_gap * c->em +
                       zm_plot_text_measure(c, label, &style).y
                 : 0;
}

static double room_for_bar(const canvas *c, const panel *p)
{
    const zm_plot_colors *colors = &p->scale->spec;
    const double numbers =
        colors->n_classes ? widest_class(c, colors) : widest_number(c, &p->bar_ticks);

    return (zm_plot_space.bar_gap + zm_plot_space.bar_width + zm_plot_space.tick +
            zm_plot_space.tick_gap) *
               c->em +
           numbers + room_for_label(c, colors->label, p->area.h);
}

/* Height of a row of numbers under the area, and of the label or the factor below it. */
static double room_below(const canvas *c, const panel *p)
{
    double room = zm_plot_x_numbers_height(c, p);

    if (p->plot->axes.x.label || p->x_ticks.factor[0])
        room += room_for_label(c, p->plot->axes.x.label ? p->plot->axes.x.label : "0",
                               p->area.w) -
                0.5 * zm_plot_space.label_gap * c->em;
    if (p->legend == LEGEND_BELOW)
        room += zm_plot_space.legend_gap * c->em +
                zm_plot_legend_height_below(c, p, p->area.w);
    return room;
}

static double room_above(const canvas *c, const panel *p)
{
    double room = 0.4 * c->em; /* half a number at the upper end */

    if (p->y_ticks.factor[0] || p->bar_ticks.factor[0])
        room = fmax(room, number_height(c) + 0.2 * c->em);
    if (p->plot->axes.title) {
        const text_style style = zm_plot_title_text(c, p->area.w);

        room = fmax(room, zm_plot_text_measure(c, p->plot->axes.title, &style).y +
                              0.7 * c->em);
    }
    return room;
}

static void measure_panel(const canvas *c, panel *p)
{
    double half_number;

    if (p->plot->n_bars > 0) {
        const axis_map range = zm_plot_range(p->plot, false);

        p->y.lo = range.lo;
        p->y.hi = range.hi;
        zm_plot_make_room_for_bar_texts(c, p);
    }
    make_ticks(c, p);
    zm_plot_legend_decide(c, p);
    half_number = 0.5 * widest_number(c, &p->x_ticks);
    p->need.left = room_for_label(c, p->plot->axes.y.label, p->area.h);
    if (p->y_ticks.n > 0)
        p->need.left += (zm_plot_space.tick + zm_plot_space.tick_gap) * c->em +
                        widest_number(c, &p->y_ticks);
    p->need.left = fmax(p->need.left, factor_width(c, &p->y_ticks));
    p->need.left = fmax(p->need.left, half_number);
    if (p->has_categories)
        p->need.left = fmax(p->need.left, zm_plot_categories_room(c, p).left);
    p->need.right = p->scale ? room_for_bar(c, p) : 0;
    p->need.right = fmax(p->need.right, half_number);
    p->need.top = room_above(c, p);
    p->need.bottom = room_below(c, p);
}

static double aspect_of(const panel *p)
{
    const double wanted = p->plot->axes.aspect;

    if (wanted > 0)
        return fmin(fmax(wanted, flattest), steepest);
    if (!p->has_field)
        return default_aspect;
    return fmin(fmax((p->y.hi - p->y.lo) / (p->x.hi - p->x.lo), flattest), steepest);
}

/* Size of an area whose column gives it this width. */
static point area_size(const panel *p, double width)
{
    const double aspect = aspect_of(p);

    if (aspect * width > tallest * width)
        return (point){ tallest * width / aspect, tallest * width };
    return (point){ width, aspect * width };
}

/* The largest need of a column (side 0: left, 1: right) or a row (2: top, 3: bottom). */
static double largest_need(const page *pg, const zm_figure_opts *o, int32_t which,
                           int side)
{
    const int32_t n = side < 2 ? o->rows : o->cols;
    double largest = 0;

    for (int32_t i = 0; i < n; i++) {
        const panel *p =
            &pg->panels[side < 2 ? i * o->cols + which : which * o->cols + i];
        const double needs[] = { p->need.left, p->need.right, p->need.top,
                                 p->need.bottom };

        if (p->is_used)
            largest = fmax(largest, needs[side]);
    }
    return largest;
}

static double tallest_area(const page *pg, const zm_figure_opts *o, int32_t row,
                           double width)
{
    double height = 0;

    for (int32_t col = 0; col < o->cols; col++)
        if (pg->panels[row * o->cols + col].is_used)
            height = fmax(height, area_size(&pg->panels[row * o->cols + col], width).y);
    return height;
}

static double common_width(const canvas *c, const page *pg, const zm_figure_opts *o)
{
    double taken =
        (2 * zm_plot_space.margin + (o->cols - 1) * zm_plot_space.between) * c->em;

    for (int32_t col = 0; col < o->cols; col++)
        taken += largest_need(pg, o, col, 0) + largest_need(pg, o, col, 1);
    return fmax((o->width - taken) / o->cols, narrowest_area * c->em);
}

static void set_area(const canvas *c, panel *p, rect slot)
{
    const point size = area_size(p, slot.w);
    const bool down = p->plot->axes.y.direction == ZM_DIRECTION_DOWN ||
                      (p->plot->axes.y.direction == ZM_DIRECTION_AUTO && p->has_field);
    const bool leftward = p->plot->axes.x.direction == ZM_DIRECTION_DOWN;
    rect area = { slot.x + 0.5 * (slot.w - size.x), slot.y, size.x, size.y };

    p->area = area;
    p->x.from = leftward ? area.x + area.w : area.x;
    p->x.to = leftward ? area.x : area.x + area.w;
    p->y.from = down ? area.y : area.y + area.h;
    p->y.to = down ? area.y + area.h : area.y;
    if (p->scale)
        p->bar = (rect){ area.x + area.w + zm_plot_space.bar_gap * c->em, area.y,
                         zm_plot_space.bar_width * c->em, area.h };
}

/* Puts the areas where the needs of this round allow them; sets the size of the page. */
static void place_areas(const canvas *c, const zm_figure_opts *o, page *pg)
{
    const double width = common_width(c, pg, o),
                 between = zm_plot_space.between * c->em;
    const text_style title = zm_plot_figure_title_text(c, o->width);
    double x = 0, y = zm_plot_space.margin * c->em;

    if (o->title)
        y += zm_plot_text_measure(c, o->title, &title).y + 0.6 * c->em;
    for (int32_t row = 0; row < o->rows; row++) {
        const double height = tallest_area(pg, o, row, width);

        x = zm_plot_space.margin * c->em;
        y += largest_need(pg, o, row, 2);
        for (int32_t col = 0; col < o->cols; col++) {
            panel *p = &pg->panels[row * o->cols + col];

            x += largest_need(pg, o, col, 0);
            if (p->is_used)
                set_area(c, p, (rect){ x, y, width, height });
            x += width + largest_need(pg, o, col, 1) + between;
        }
        y += height + largest_need(pg, o, row, 3) + between;
    }
    pg->width = x - between + zm_plot_space.margin * c->em;
    pg->height = y - between + zm_plot_space.margin * c->em;
}

static void start_panel(const zm_plot *plot, double width, panel *p)
{
    p->plot = plot;
    p->is_used = plot->first != NULL;
    p->has_field = zm_plot_has_field(plot);
    p->has_categories =
        !p->has_field && !plot->axes.hide_ticks && zm_plot_categories(plot);
    p->scale = zm_plot_bar(plot);
    p->x = zm_plot_range(plot, true);
    p->y = zm_plot_range(plot, false);
    p->area = (rect){ 0, 0, width, width * default_aspect };
}

zm_status zm_plot_layout_make(const canvas *c, const zm_figure *figure, arena *scratch,
                              page *out, zm_error *err)
{
    const zm_figure_opts *o = &figure->opts;
    const int32_t n = o->rows * o->cols;

    out->panels = zm_plot_arena_alloc(scratch, (size_t)n, sizeof *out->panels);
    if (!out->panels)
        return zm_fail(err, ZM_E_NOMEM, -1, "layout of %d plots", (int)n);
    for (int32_t i = 0; i < n; i++)
        start_panel(&figure->plots[i], 0.8 * o->width / o->cols, &out->panels[i]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int32_t i = 0; i < n; i++)
            if (out->panels[i].is_used)
                measure_panel(c, &out->panels[i]);
        place_areas(c, o, out);
    }
    return ZM_OK;
}
