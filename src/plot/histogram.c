/* SPDX-License-Identifier: Apache-2.0
 * Bins for samples. */
#include "plot/histogram.h"

#include <math.h>
#include <stdlib.h>

#include "plot/ticks.h"

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

size_t zm_plot_samples_sort(zm_plot_scale scale, double *values, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]) && (scale != ZM_SCALE_LOG || values[i] > 0))
            values[kept++] = values[i];
    qsort(values, kept, sizeof *values, by_value);
    return kept;
}

double zm_plot_samples_quantile(const double *sorted, size_t n, double q)
{
    const double place = q * (double)(n - 1);
    const size_t below = (size_t)place;
    const double share = place - (double)below;

    if (below + 1 >= n)
        return sorted[n - 1];
    return (1 - share) * sorted[below] + share * sorted[below + 1];
}

static double warp(zm_plot_scale scale, double value)
{
    return scale == ZM_SCALE_LOG ? log(value) : value;
}

static double unwarp(zm_plot_scale scale, double value)
{
    return scale == ZM_SCALE_LOG ? exp(value) : value;
}

/* Freedman and Diaconis (1981): width 2 (q75 - q25) / n^(1/3). */
size_t zm_plot_histogram_bins(zm_plot_scale scale, const double *sorted, size_t n)
{
    const double spread = warp(scale, zm_plot_samples_quantile(sorted, n, 0.75)) -
                          warp(scale, zm_plot_samples_quantile(sorted, n, 0.25));
    const double range = warp(scale, sorted[n - 1]) - warp(scale, sorted[0]);
    const double bins = range / (2 * spread) * cbrt((double)n);

    if (!(range > 0) || !(bins >= 1)) /* all values the same; or the middle half is */
        return range > 0 ? 20 : 1;
    return bins < MOST_BINS ? (size_t)ceil(bins) : MOST_BINS;
}

void zm_plot_histogram_count(zm_plot_scale scale, const double *sorted, size_t n,
                             size_t bins, double *edges, double *counts)
{
    double lo = sorted[0], hi = sorted[n - 1], width;
    size_t i = 0;

    zm_plot_ticks_make_range(scale, &lo, &hi);
    lo = warp(scale, lo);
    width = (warp(scale, hi) - lo) / (double)bins;
    edges[0] = unwarp(scale, lo);
    for (size_t bin = 0; bin < bins; bin++) {
        const size_t before = i;

        edges[bin + 1] = unwarp(scale, lo + width * (double)(bin + 1));
        while (i < n && (bin + 1 == bins || sorted[i] < edges[bin + 1]))
            i++;
        counts[bin] = (double)(i - before);
    }
}
