/* SPDX-License-Identifier: Apache-2.0
 * Scores of a predicted fire, and of many. */
#include "zermelo/fire/score.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "core/random.h"
#include "fire/fit/correlation.h"

const char *zm_score_flaw_text(zm_score_flaw flaw)
{
    static const char *const texts[ZM_SCORE_FLAWS] = {
        "fine",
        "fewer than two cells to compare",
        "all cells burned at one time",
        "all cells predicted at one time",
        "the prediction reaches no burned cell",
    };

    return flaw >= 0 && flaw < ZM_SCORE_FLAWS ? texts[flaw] : "unknown";
}

/* ---- one fire --------------------------------------------------------------------- */

double zm_score_iou(const float *truth, const float *predicted, size_t n, double time)
{
    size_t both = 0, either = 0;

    for (size_t i = 0; i < n; i++) {
        const bool a = (double)truth[i] <= time, b = (double)predicted[i] <= time;

        both += a && b;
        either += a || b;
    }
    return either ? (double)both / (double)either : (double)NAN;
}

typedef struct pairs {
    double *truth, *predicted; /* of the cells that are compared */
    size_t n, reached;
} pairs;

static bool in_block(int32_t r, int32_t c, int32_t row, int32_t col)
{
    return row >= 0 && abs(r - row) <= 1 && abs(c - col) <= 1;
}

static zm_status check_truth(const float *truth, size_t n, zm_score *s, zm_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(truth[i]))
            continue;
        if (truth[i] < 0)
            return zm_fail(err, ZM_E_ARG, (int64_t)i, "true time %g h, must be >= 0",
                           (double)truth[i]);
        s->burned++;
        s->latest = fmax(s->latest, (double)truth[i]);
    }
    return s->burned ? ZM_OK : zm_fail(err, ZM_E_ARG, -1, "no cell burned");
}

/* Times of the compared cells; those not reached get the latest there is. */
static void collect(const float *truth, const float *predicted, int32_t rows,
                    int32_t cols, int32_t row, int32_t col, zm_score *s, pairs *p)
{
    double latest = s->duration;

    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            const size_t i = (size_t)r * (size_t)cols + (size_t)c;

            if (!isfinite(truth[i]) || in_block(r, c, row, col))
                continue;
            p->truth[p->n] = (double)truth[i];
            p->predicted[p->n] =
                isfinite(predicted[i]) ? (double)predicted[i] : INFINITY;
            if (isfinite(predicted[i])) {
                latest = fmax(latest, (double)predicted[i]);
                p->reached++;
            }
            p->n++;
        }
    for (size_t i = 0; i < p->n; i++)
        if (isinf(p->predicted[i]))
            p->predicted[i] = latest;
    s->compared = (int64_t)p->n;
    s->unreached = (int64_t)(p->n - p->reached);
}

static void measure_errors(const pairs *p, zm_score *s)
{
    double squares = 0, absolute = 0, sum = 0;

    for (size_t i = 0; i < p->n; i++) {
        const double e = p->predicted[i] - p->truth[i];

        squares += e * e;
        absolute += fabs(e);
        sum += e;
    }
    s->relative_rmse = s->mae = s->bias = (double)NAN;
    if (p->n == 0)
        return;
    s->mae = absolute / (double)p->n;
    s->bias = sum / (double)p->n;
    if (s->latest > 0)
        s->relative_rmse = sqrt(squares / (double)p->n) / s->latest;
}

static zm_status score_pairs(const pairs *p, zm_score *s, zm_error *err)
{
    measure_errors(p, s);
    s->pearson = s->spearman = (double)NAN;
    s->flaw = zm_correlation_flaw(p->truth, p->predicted, p->n, p->reached);
    if (s->flaw != ZM_SCORE_FINE)
        return ZM_OK;
    s->pearson = zm_correlation_pearson(p->truth, p->predicted, p->n);
    return zm_correlation_spearman(p->truth, p->predicted, p->n, &s->spearman, err);
}

zm_status zm_score_fire(const float *truth, const float *predicted, int32_t rows,
                        int32_t cols, int32_t row, int32_t col, double duration,
                        zm_score *out, zm_error *err)
{
    zm_score s = ZM_SCORE_INIT;
    pairs p = { 0 };
    size_t n;
    zm_status st;

    if (!truth || !predicted || !out || rows < 1 || cols < 1)
        return zm_fail(err, ZM_E_ARG, -1, "zm_score_fire needs two maps and a result");
    n = (size_t)rows * (size_t)cols;
    ZM_TRY(zm_options_check_report(out, "zm_score", err));
    ZM_TRY(check_truth(truth, n, &s, err));
    s.duration = isfinite(duration) && duration > 0 ? duration : s.latest;
    if (!(p.truth = malloc((size_t)s.burned * 2 * sizeof *p.truth)))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %lld cells",
                       (long long)s.burned);
    p.predicted = p.truth + s.burned;
    collect(truth, predicted, rows, cols, row, col, &s, &p);
    st = score_pairs(&p, &s, err);
    for (int k = 0; k < ZM_SCORE_SHARES; k++)
        s.iou[k] =
            zm_score_iou(truth, predicted, n, s.duration * (k + 1) / ZM_SCORE_SHARES);
    free(p.truth);
    if (st >= 0)
        zm_options_write_report(out, &s, sizeof s);
    return st;
}

double zm_score_latest(const float *T, size_t n)
{
    double latest = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(T[i]))
            latest = fmax(latest, (double)T[i]);
    return latest;
}

/* ---- many ------------------------------------------------------------------------- */

/* Quantile of sorted values, linear between them. */
static double quantile(const double *sorted, size_t n, double share)
{
    const double at = share * (double)(n - 1);
    const size_t i = (size_t)at;

    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i])
                     : sorted[n - 1];
}

enum { RESAMPLES = 2000 };

static void bootstrap(const double *values, size_t n, uint64_t seed, double *means,
                      zm_summary *out)
{
    for (size_t k = 0; k < RESAMPLES; k++) {
        double sum = 0;

        for (size_t i = 0; i < n; i++)
            sum += values[zm_random_below(&seed, n)];
        means[k] = sum / (double)n;
    }
    qsort(means, RESAMPLES, sizeof *means, zm_correlation_ascending);
    out->low = quantile(means, RESAMPLES, 0.025);
    out->high = quantile(means, RESAMPLES, 0.975);
}

static void moments(const double *sorted, zm_summary *s)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < s->n; i++)
        sum += sorted[i];
    s->mean = sum / (double)s->n;
    s->median = quantile(sorted, s->n, 0.5);
    for (size_t i = 0; i < s->n; i++)
        squares += (sorted[i] - s->mean) * (sorted[i] - s->mean);
    if (s->n > 1)
        s->sd = sqrt(squares / (double)(s->n - 1));
}

zm_status zm_summarise(const double *values, size_t n, uint64_t seed, zm_summary *out,
                       zm_error *err)
{
    const double nan = (double)NAN;
    zm_summary s = { 0, 0, nan, nan, nan, nan, nan };
    double *sorted;

    if ((!values && n) || !out)
        return zm_fail(err, ZM_E_ARG, -1, "zm_summarise needs values and a result");
    if (!(sorted = malloc((n + RESAMPLES) * sizeof *sorted)))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu values", n);
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            sorted[s.n++] = values[i];
    s.missing = n - s.n;
    if (s.n > 0) {
        qsort(sorted, s.n, sizeof *sorted, zm_correlation_ascending);
        moments(sorted, &s);
    }
    if (s.n > 1)
        bootstrap(sorted, s.n, seed, sorted + n, &s);
    free(sorted);
    *out = s;
    return ZM_OK;
}
