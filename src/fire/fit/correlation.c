/* SPDX-License-Identifier: Apache-2.0
 * Correlations of paired values. */
#include "fire/fit/correlation.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/fail.h"

static double mean_of(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

static bool flat(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] != x[0])
            return false;
    return true;
}

/* rho = sum (x - mx)(y - my) / sqrt(sum (x - mx)^2 sum (y - my)^2) */
double zm_correlation_pearson(const double *x, const double *y, size_t n)
{
    double mx, my, xx = 0, yy = 0, xy = 0, rho;

    if (n < 2 || flat(x, n) || flat(y, n))
        return (double)NAN;
    mx = mean_of(x, n);
    my = mean_of(y, n);
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    rho = xy / (sqrt(xx) * sqrt(yy));
    return rho > 1 ? 1 : rho < -1 ? -1 : rho; /* rounding */
}

int zm_correlation_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

typedef struct item {
    double value;
    size_t at;
} item;

static int by_value(const void *a, const void *b)
{
    const double x = ((const item *)a)->value, y = ((const item *)b)->value;

    return (x > y) - (x < y);
}

zm_status zm_correlation_ranks(const double *x, size_t n, double *rank, zm_error *err)
{
    item *sorted = n ? malloc(n * sizeof *sorted) : NULL;
    size_t next;

    if (n && !sorted)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu ranks", n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = (item){ x[i], i };
    if (n)
        qsort(sorted, n, sizeof *sorted, by_value);
    for (size_t i = 0; i < n; i = next) {
        next = i + 1;
        while (next < n && sorted[next].value == sorted[i].value)
            next++;
        for (size_t k = i; k < next; k++) /* mean of i+1 .. next */
            rank[sorted[k].at] = 0.5 * (double)(i + 1 + next);
    }
    free(sorted);
    return ZM_OK;
}

zm_status zm_correlation_spearman(const double *x, const double *y, size_t n,
                                  double *out, zm_error *err)
{
    double *ranks = malloc((2 * n + 1) * sizeof *ranks);
    zm_status st;

    if (!ranks)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu ranks", 2 * n);
    st = zm_correlation_ranks(x, n, ranks, err);
    if (st >= 0)
        st = zm_correlation_ranks(y, n, ranks + n, err);
    if (st >= 0)
        *out = zm_correlation_pearson(ranks, ranks + n, n);
    free(ranks);
    return st;
}

zm_score_flaw zm_correlation_flaw(const double *x, const double *y, size_t n,
                                  size_t reached)
{
    if (n < 2)
        return ZM_SCORE_FEW_CELLS;
    if (reached == 0)
        return ZM_SCORE_NOTHING_PREDICTED;
    if (flat(x, n))
        return ZM_SCORE_TRUTH_FLAT;
    return flat(y, n) ? ZM_SCORE_PREDICTION_FLAT : ZM_SCORE_FINE;
}
