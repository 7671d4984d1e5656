/* SPDX-License-Identifier: Apache-2.0
 * Round numbers for axes, colour bars and isochrones, and how they are written. */
#ifndef ZM_PLOT_TICKS_H
#define ZM_PLOT_TICKS_H

#include <stdbool.h>
#include <stddef.h>

#include "zermelo/plot/plot.h"

enum { MOST_TICKS = 160, TICK_TEXT = 40 };

typedef struct tick {
    double value;
    char text[TICK_TEXT]; /* "" for a tick without a number */
} tick;

typedef struct tick_set {
    int n;
    tick at[MOST_TICKS];        /* rising, inside the range */
    char factor[2 * TICK_TEXT]; /* what all numbers are to be read with, e.g. "×10⁻³" */
} tick_set;

/** The range lo..hi, widened where it is empty, upside down or too thin for doubles to
 *  divide, and kept where arithmetic cannot overflow; positive on a log scale. */
void zm_plot_ticks_make_range(zm_plot_scale scale, double *lo, double *hi);

/** Smallest step 1, 2 or 5 times a power of ten with at most `most` >= 2 multiples in
 *  lo..hi. */
double zm_plot_ticks_step(double lo, double hi, int most);

/** Largest of 1, 2 and 5 times a power of ten that is <= value > 0. */
double zm_plot_ticks_round_below(double value);

/** At most `most` numbered ticks in a range that zm_plot_ticks_make_range has passed. */
void zm_plot_ticks_make(zm_plot_scale scale, double lo, double hi, int most,
                        tick_set *out);

/** Numbered ticks at the given values, as far as they lie in the range. */
void zm_plot_ticks_at(const double *values, size_t n, double lo, double hi,
                      tick_set *out);

/** A number by itself, in as few digits as tell it from others that are `resolution`
 *  away. */
void zm_plot_ticks_format(double value, double resolution, char text[TICK_TEXT]);

/** A number rounded to so many digits, without zeros at the end; with three: 0.84, 1230,
 *  3×10⁻⁵. */
void zm_plot_ticks_format_digits(double value, int digits, char text[TICK_TEXT]);

#endif
