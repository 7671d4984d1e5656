/* SPDX-License-Identifier: Apache-2.0
 * Bins for samples. */
#ifndef ZM_PLOT_HISTOGRAM_H
#define ZM_PLOT_HISTOGRAM_H

#include <stddef.h>

#include "zermelo/plot/plot.h"

enum { MOST_BINS = 1000 };

/** Moves the values that can be shown (finite; positive on a log scale) to the front,
 *  sorts them and returns their number. */
size_t zm_plot_samples_sort(zm_plot_scale scale, double *values, size_t n);

/** Value below which the share q in [0, 1] of n >= 1 sorted values lies. */
double zm_plot_samples_quantile(const double *sorted, size_t n, double q);

/** Number of bins for n sorted values: the Freedman-Diaconis width, at most MOST_BINS. */
size_t zm_plot_histogram_bins(zm_plot_scale scale, const double *sorted, size_t n);

/**
 * Counts n sorted values in bins of equal width, or ratio on a log scale.
 *
 * @param edges  out  bins + 1
 * @param counts out  bins; they add up to n
 */
void zm_plot_histogram_count(zm_plot_scale scale, const double *sorted, size_t n,
                             size_t bins, double *edges, double *counts);

#endif
