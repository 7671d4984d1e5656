/* SPDX-License-Identifier: Apache-2.0
 * What adding any layer begins and ends with, and what drawing asks of all of them. */
#include <math.h>
#include <string.h>

#include "core/options.h"
#include "plot/figure.h"

static bool is_field(layer_kind kind)
{
    return kind <= LAYER_ELLIPSES;
}

zm_status zm_plot_layer_begin(zm_plot *plot, layer_kind kind, const void *given,
                              void *read, size_t size, layer **out)
{
    if (!plot)
        return ZM_E_ARG;
    if (plot->figure->failure.code != ZM_OK)
        return plot->figure->failure.code;
    if (!given)
        return FIGURE_FAIL(plot->figure, ZM_E_ARG, -1, "plot layer: no description");
    memset(read, 0, size);
    ZM_TRY(zm_options_read(read, size, given, "description of a plot layer",
                           &plot->figure->failure));
    *out = zm_plot_figure_alloc(plot->figure, 1, sizeof **out);
    if (*out) {
        (*out)->kind = kind;
        if (is_field(kind))
            (*out)->field.place = plot->place;
    }
    return plot->figure->failure.code;
}

zm_status zm_plot_layer_end_series(zm_plot *plot, layer *l, zm_plot_rgba color,
                                   const char *label)
{
    const layer *before = plot->last;

    if (!color && before && before->kind == LAYER_BAND && l->kind != LAYER_BAND)
        l->series = before->series;
    if (!color && !l->series)
        l->series = ++plot->n_series;
    return zm_plot_layer_end(plot, l, color, label);
}

zm_status zm_plot_layer_end(zm_plot *plot, layer *l, zm_plot_rgba color,
                            const char *label)
{
    l->color = color;
    l->label = zm_plot_figure_string(plot->figure, label);
    if (plot->figure->failure.code == ZM_OK) {
        if (plot->last)
            plot->last->next = l;
        else
            plot->first = l;
        plot->last = l;
    }
    return plot->figure->failure.code;
}

static bool colors_are_sound(const zm_plot_colors *c)
{
    const bool fixed = c->min < c->max;

    if (fixed && (!isfinite(c->min) || !isfinite(c->max)))
        return false;
    if (fixed && c->scale == ZM_SCALE_LOG && !(c->min > 0))
        return false;
    return c->clip >= 0 && c->clip < 0.5 && c->n_classes >= 0 && c->n_classes <= 256;
}

void zm_plot_layer_make_scale(zm_plot *plot, const zm_plot_colors *colors,
                              const double *values, size_t n, color_scale *out)
{
    zm_figure *figure = plot->figure;
    zm_plot_colors c = *colors;

    if (!colors_are_sound(colors)) {
        FIGURE_FAIL(
            figure, ZM_E_ARG, -1,
            "colours: range %g .. %g, clip %g, classes %d (range finite, positive "
            "on a log scale; clip in [0, 0.5); at most 256 classes)",
            c.min, c.max, c.clip, (int)c.n_classes);
        return;
    }
    c.label = zm_plot_figure_string(figure, c.label);
    c.class_names = (const char *const *)zm_plot_figure_strings(figure, c.class_names,
                                                                (size_t)c.n_classes);
    if (figure->failure.code == ZM_OK)
        zm_plot_color_scale_make(&figure->memory, &c, values, n, out, &figure->failure);
}

bool zm_plot_layer_has_field(const layer *l, placement *place)
{
    if (!is_field(l->kind))
        return false;
    *place = l->field.place;
    return true;
}

bool zm_plot_has_field(const zm_plot *plot)
{
    placement unused;

    for (const layer *l = plot->first; l; l = l->next)
        if (zm_plot_layer_has_field(l, &unused))
            return true;
    return false;
}

const color_scale *zm_plot_bar(const zm_plot *plot)
{
    for (const layer *l = plot->first; l; l = l->next) {
        if (l->kind == LAYER_IMAGE && !l->image.scale.spec.hide_bar)
            return &l->image.scale;
        if (l->kind == LAYER_POINTS && l->points.values &&
            !l->points.scale.spec.hide_bar)
            return &l->points.scale;
    }
    return NULL;
}
