/* SPDX-License-Identifier: Apache-2.0
 * Adding bars, and where they stand on the x axis. */
#include <math.h>
#include <stdio.h>

#include "core/fail.h"
#include "plot/figure.h"
#include "plot/ticks.h"

enum { MOST_BARS = 1000, VALUE_DIGITS = 3 };

/* The numbers 0, 1, 2, ... as texts. */
static char **numbered_names(zm_plot *plot, size_t n)
{
    char **names = zm_plot_figure_alloc(plot->figure, n, sizeof *names);

    for (size_t i = 0; names && i < n; i++) {
        char number[24];

        (void)snprintf(number, sizeof number, "%zu", i);
        names[i] = zm_plot_figure_string(plot->figure, number);
    }
    return names;
}

/* The texts above the bars: given, or the heights, or none. */
static char **bar_texts(zm_plot *plot, const zm_plot_bars *bars)
{
    char **texts = bars->show_values && !bars->texts
                       ? zm_plot_figure_alloc(plot->figure, bars->n, sizeof *texts)
                       : zm_plot_figure_strings(plot->figure, bars->texts, bars->n);

    for (size_t i = 0; bars->show_values && !bars->texts && texts && i < bars->n; i++) {
        char text[TICK_TEXT];

        zm_plot_ticks_format_digits(bars->heights[i], VALUE_DIGITS, text);
        texts[i] = isfinite(bars->heights[i])
                       ? zm_plot_figure_string(plot->figure, text)
                       : NULL;
    }
    return texts;
}

zm_status zm_plot_add_bars(zm_plot *plot, const zm_plot_bars *given)
{
    zm_plot_bars bars;
    layer *l;

    ZM_TRY(zm_plot_layer_begin(plot, LAYER_BARS, given, &bars, sizeof bars, &l));
    if ((!bars.heights && bars.n > 0) || bars.n > MOST_BARS)
        return FIGURE_FAIL(plot->figure, ZM_E_ARG, -1,
                           "bars: heights is NULL, or %zu of them, at most %d", bars.n,
                           MOST_BARS);
    l->bars = (bars_layer){
        .heights = zm_plot_figure_copy(plot->figure, bars.heights, bars.n,
                                       sizeof *bars.heights),
        .names = bars.names ? zm_plot_figure_strings(plot->figure, bars.names, bars.n)
                            : numbered_names(plot, bars.n),
        .texts = bar_texts(plot, &bars),
        .n = bars.n,
        .place = plot->n_bars,
        .errors = zm_plot_layer_copy_errors(plot, bars.y_low, bars.y_high, bars.n),
    };
    ZM_TRY(zm_plot_layer_end_series(plot, l, bars.color, bars.label));
    plot->n_bars++;
    return ZM_OK;
}

size_t zm_plot_categories(const zm_plot *plot)
{
    size_t most = 0;

    for (const layer *l = plot->first; l; l = l->next)
        if (l->kind == LAYER_BARS && l->bars.n > most)
            most = l->bars.n;
    return most;
}

const char *zm_plot_category(const zm_plot *plot, size_t i)
{
    for (const layer *l = plot->first; l; l = l->next)
        if (l->kind == LAYER_BARS && i < l->bars.n && l->bars.names)
            return l->bars.names[i];
    return NULL;
}

bar_span zm_plot_bar_place(const zm_plot *plot, const bars_layer *bars, size_t i)
{
    static const double filled = 0.78, gap = 0.06; /* of a category; of a bar */
    const double width = filled / (double)plot->n_bars;
    const double left = (double)i - 0.5 * filled + width * (double)bars->place;
    const double air = plot->n_bars > 1 ? 0.5 * gap * width : 0;

    return (bar_span){ left + air, left + width - air };
}
