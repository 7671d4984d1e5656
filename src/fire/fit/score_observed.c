/* SPDX-License-Identifier: Apache-2.0
 * Scores against dated burned areas. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/options.h"
#include "fire/fit/correlation.h"
#include "zermelo/fire/score.h"

/* Number of the earliest mask a cell is in; n where it is in none. */
static size_t first_mask(const uint8_t *const *masks, size_t n, size_t cell)
{
    size_t k = 0;

    while (k < n && !masks[k][cell])
        k++;
    return k;
}

/* |{T <= time} and mask| / |{T <= time} or mask| */
static double mask_iou(const uint8_t *mask, const float *T, size_t n, double time)
{
    size_t both = 0, either = 0;

    for (size_t i = 0; i < n; i++) {
        const bool b = (double)T[i] <= time;

        both += mask[i] && b;
        either += mask[i] || b;
    }
    return either ? (double)both / (double)either : (double)NAN;
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* IoU at the time at which the prediction has as many cells as the mask. */
static zm_status equal_area_iou(const uint8_t *mask, const float *T, size_t n,
                                double *iou, zm_error *err)
{
    float *sorted = malloc((n + 1) * sizeof *sorted);
    size_t reached = 0, area = 0;

    if (!sorted)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu cells", n);
    for (size_t i = 0; i < n; i++) {
        area += mask[i] != 0;
        if (isfinite(T[i]))
            sorted[reached++] = T[i];
    }
    qsort(sorted, reached, sizeof *sorted, by_size);
    *iou = (double)NAN;
    if (area && area <= reached)
        *iou = mask_iou(mask, T, n, (double)sorted[area - 1]);
    free(sorted);
    return ZM_OK;
}

/* Compared cells: those of the first mask come first, n_start of them. */
typedef struct observed_pairs {
    double *truth, *predicted;
    size_t n, n_start, reached; /* reached: of those after the start */
} observed_pairs;

static void add_cells(const uint8_t *const *masks, const double *hours, size_t n,
                      const float *T, size_t n_cells, size_t from, size_t to,
                      observed_pairs *p)
{
    for (size_t i = 0; i < n_cells; i++) {
        const size_t k = first_mask(masks, n, i);

        if (k < from || k >= to)
            continue;
        /* where hours are not known, order is what there is */
        p->truth[p->n] = isnan(hours[k]) ? (double)k : hours[k];
        p->predicted[p->n] = isfinite(T[i]) ? (double)T[i] : INFINITY;
        p->reached += isfinite(T[i]) != 0;
        p->n++;
    }
}

/* Cells that are not reached: later than all others. */
static void fill_unreached(observed_pairs *p, double last)
{
    double latest = isnan(last) ? 0 : last;

    for (size_t i = 0; i < p->n; i++)
        if (isfinite(p->predicted[i]))
            latest = fmax(latest, p->predicted[i]);
    for (size_t i = 0; i < p->n; i++)
        if (isinf(p->predicted[i]))
            p->predicted[i] = latest;
}

static zm_status correlate(const observed_pairs *p, zm_observed_score *s, zm_error *err)
{
    const double *x = p->truth + p->n_start, *y = p->predicted + p->n_start;
    const size_t n = p->n - p->n_start;
    zm_status st = ZM_OK;

    s->burned = (int64_t)n;
    s->unreached = (int64_t)(n - p->reached);
    s->flaw = zm_correlation_flaw(x, y, n, p->reached);
    s->pearson = zm_correlation_pearson(x, y, n);
    s->pearson_all = zm_correlation_pearson(p->truth, p->predicted, p->n);
    s->spearman = s->spearman_all = (double)NAN;
    st = zm_correlation_spearman(x, y, n, &s->spearman, err);
    if (st >= 0)
        st = zm_correlation_spearman(p->truth, p->predicted, p->n, &s->spearman_all,
                                     err);
    return st;
}

static void compare_areas(const uint8_t *const *masks, const double *hours, size_t n,
                          size_t start, const float *T, size_t n_cells, double *iou,
                          zm_observed_score *s)
{
    double sum = 0;
    size_t dates = 0;

    for (size_t k = 0; k < n; k++) {
        const double value = k < start || isnan(hours[k])
                                 ? (double)NAN
                                 : mask_iou(masks[k], T, n_cells, hours[k]);

        if (iou)
            iou[k] = value;
        if (isnan(value))
            continue;
        sum += value;
        dates++;
    }
    s->mean_iou = dates ? sum / (double)dates : (double)NAN;
}

zm_status zm_score_observed(const uint8_t *const *masks, const double *hours, size_t n,
                            int has_start, const float *predicted, size_t n_cells,
                            double *iou, zm_observed_score *out, zm_error *err)
{
    const size_t start = has_start ? 1 : 0;
    zm_observed_score s = ZM_OBSERVED_SCORE_INIT;
    observed_pairs p = { 0 };
    zm_status st;

    if (!masks || !hours || n == 0 || !predicted || !n_cells || !out)
        return zm_fail(err, ZM_E_ARG, -1, "zm_score_observed needs masks and times");
    ZM_TRY(zm_options_check_report(out, "zm_observed_score", err));
    for (size_t k = 1; k < n; k++)
        if (!(hours[k] > hours[k - 1]) && !isnan(hours[k]))
            return zm_fail(err, ZM_E_ARG, -1, "date %zu is not after date %zu", k,
                           k - 1);
    if (!(p.truth = malloc(n_cells * 2 * sizeof *p.truth)))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu cells", n_cells);
    p.predicted = p.truth + n_cells;
    if (start)
        add_cells(masks, hours, n, predicted, n_cells, 0, 1, &p);
    p.n_start = p.n;
    p.reached = 0;
    add_cells(masks, hours, n, predicted, n_cells, start, n, &p);
    fill_unreached(&p, hours[n - 1]);
    st = correlate(&p, &s, err);
    free(p.truth);
    compare_areas(masks, hours, n, start, predicted, n_cells, iou, &s);
    if (st >= 0)
        st = equal_area_iou(masks[n - 1], predicted, n_cells, &s.equal_area_iou, err);
    if (st >= 0)
        zm_options_write_report(out, &s, sizeof s);
    return st;
}
