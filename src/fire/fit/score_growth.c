/* SPDX-License-Identifier: Apache-2.0
 * Scores of forecasts of growth. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/options.h"
#include "zermelo/fire/score.h"

/** What is compared: p and o of all cells, 0 in those that had burned before. */
typedef struct growth {
    const uint8_t *before, *after;
    const float *probability;
    int32_t rows, cols;
    size_t cells;
} growth;

static bool observed(const growth *g, size_t i)
{
    return !g->before[i] && g->after[i];
}

static double forecast(const growth *g, size_t i)
{
    return g->before[i] ? 0 : (double)g->probability[i];
}

static void compare_cells(const growth *g, zm_growth_score *s)
{
    for (size_t i = 0; i < g->cells; i++) {
        const double p = forecast(g, i), o = observed(g, i) ? 1 : 0;
        const int bin = (int)fmin(p * ZM_RELIABILITY_BINS, ZM_RELIABILITY_BINS - 1);

        s->before += g->before[i] != 0;
        s->lost += g->before[i] && !g->after[i];
        if (g->before[i])
            continue;
        s->grown += o > 0;
        s->expected += p;
        s->brier += (p - o) * (p - o);
        s->bin_cells[bin]++;
        s->bin_forecast[bin] += p;
        s->bin_observed[bin] += o;
    }
    for (int k = 0; k < ZM_RELIABILITY_BINS; k++)
        if (s->bin_cells[k] > 0) {
            s->bin_forecast[k] /= (double)s->bin_cells[k];
            s->bin_observed[k] /= (double)s->bin_cells[k];
        }
    s->skill = s->grown ? 1 - s->brier / (double)s->grown : (double)NAN;
}

static int falling(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x < y) - (x > y);
}

/* With the n most probable cells the expected numbers of cells in both and in either are
 * S(n) = sum of their p and n + S(all) - S(n); the threshold has the largest ratio. */
static double best_threshold(const float *falling_p, size_t n, double expected)
{
    double best = 0, threshold = 0, sum = 0;

    for (size_t i = 0; i < n && falling_p[i] > 0; i++) {
        double ratio;

        sum += (double)falling_p[i];
        if (i + 1 < n && falling_p[i + 1] >= falling_p[i])
            continue;
        ratio = sum / ((double)(i + 1) + expected - sum);
        if (ratio > best) {
            best = ratio;
            threshold = (double)falling_p[i];
        }
    }
    return threshold;
}

static zm_status compare_areas(const growth *g, zm_growth_score *s, zm_error *err)
{
    float *sorted = malloc((g->cells + 1) * sizeof *sorted);
    size_t n = 0, both = 0, either = 0;

    if (!sorted)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu cells", g->cells);
    for (size_t i = 0; i < g->cells; i++)
        if (!g->before[i])
            sorted[n++] = g->probability[i];
    qsort(sorted, n, sizeof *sorted, falling);
    s->threshold = best_threshold(sorted, n, s->expected);
    free(sorted);
    for (size_t i = 0; i < g->cells; i++) {
        const bool p = s->threshold > 0 && forecast(g, i) >= s->threshold;
        const bool o = observed(g, i);

        both += p && o;
        either += p || o;
    }
    s->iou = s->grown ? (double)both / (double)either : (double)NAN;
    return ZM_OK;
}

/** Cells of one forecast, and how many of them burned. */
typedef struct pool {
    double cells, burned;
} pool;

/** A forecast and its outcome. */
typedef struct outcome {
    float p;
    uint8_t burned;
} outcome;

static int falling_outcome(const void *a, const void *b)
{
    return falling(&((const outcome *)a)->p, &((const outcome *)b)->p);
}

/* Pools of cells whose shares fall with p (pool adjacent violators): with the share f of each as its
 * forecast, the skill is 1 - sum n f (1 - f)/sum n f = sum n f^2/sum n f. */
static double ceiling_of(const outcome *sorted, size_t n, pool *pools)
{
    double burned = 0, kept = 0;
    size_t count = 0;

    for (size_t i = 0; i < n;) {
        pools[count] = (pool){ 0, 0 };
        for (const float p = sorted[i].p; i < n && sorted[i].p >= p; i++) {
            pools[count].cells++;
            pools[count].burned += sorted[i].burned;
        }
        for (count++; count > 1; count--) {
            pool *last = &pools[count - 1], *before = last - 1;

            if (before->burned * last->cells > last->burned * before->cells)
                break;
            before->cells += last->cells;
            before->burned += last->burned;
        }
    }
    for (size_t k = 0; k < count; k++) {
        burned += pools[k].burned;
        kept += pools[k].burned * pools[k].burned / pools[k].cells;
    }
    return burned > 0 ? kept / burned : (double)NAN;
}

static zm_status find_ceiling(const growth *g, zm_growth_score *s, zm_error *err)
{
    outcome *sorted = malloc((g->cells + 1) * sizeof *sorted);
    pool *pools = malloc((g->cells + 1) * sizeof *pools);
    zm_status st = ZM_OK;
    size_t n = 0;

    if (!sorted || !pools)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu cells", g->cells));
    for (size_t i = 0; i < g->cells; i++)
        if (!g->before[i])
            sorted[n++] = (outcome){ g->probability[i], observed(g, i) };
    qsort(sorted, n, sizeof *sorted, falling_outcome);
    s->ceiling = ceiling_of(sorted, n, pools);
done:
    free(sorted);
    free(pools);
    return st;
}

/* Sums over rows and columns before (row, col), which are rows + 1 by cols + 1. */
static void integrate(const growth *g, bool of_forecast, double *sums)
{
    const size_t width = (size_t)g->cols + 1;

    for (size_t c = 0; c < width; c++)
        sums[c] = 0;
    for (size_t r = 0; r < (size_t)g->rows; r++) {
        double row = 0;

        sums[(r + 1) * width] = 0;
        for (size_t c = 0; c < (size_t)g->cols; c++) {
            const size_t i = r * (size_t)g->cols + c;

            row += of_forecast ? forecast(g, i) : observed(g, i) ? 1 : 0;
            sums[(r + 1) * width + c + 1] = sums[r * width + c + 1] + row;
        }
    }
}

/* Mean over the square of 2 half + 1 cells about a cell, as far as it is on the grid. */
static double square_mean(const growth *g, const double *sums, int32_t row, int32_t col,
                          int32_t half)
{
    const size_t width = (size_t)g->cols + 1;
    const size_t top = (size_t)(row > half ? row - half : 0);
    const size_t left = (size_t)(col > half ? col - half : 0);
    const size_t bottom = (size_t)(row < g->rows - half ? row + half + 1 : g->rows);
    const size_t right = (size_t)(col < g->cols - half ? col + half + 1 : g->cols);
    const double sum = sums[bottom * width + right] - sums[top * width + right] -
                       sums[bottom * width + left] + sums[top * width + left];

    return sum / (double)((bottom - top) * (right - left));
}

static zm_status compare_fractions(const growth *g, int32_t half, zm_growth_score *s,
                                   zm_error *err)
{
    const size_t n = ((size_t)g->rows + 1) * ((size_t)g->cols + 1);
    double *sums = malloc(2 * n * sizeof *sums);
    double errors = 0, most = 0;

    if (!sums)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for sums of %zu cells", n);
    integrate(g, true, sums);
    integrate(g, false, sums + n);
    for (int32_t r = 0; r < g->rows; r++)
        for (int32_t c = 0; c < g->cols; c++) {
            const double P = square_mean(g, sums, r, c, half);
            const double O = square_mean(g, sums + n, r, c, half);

            errors += (P - O) * (P - O);
            most += P * P + O * O;
        }
    free(sums);
    s->fractions = most > 0 ? 1 - errors / most : (double)NAN;
    return ZM_OK;
}

static zm_status check(const growth *g, double cell, double window, zm_error *err)
{
    if (!g->before || !g->after || !g->probability)
        return zm_fail(err, ZM_E_ARG, -1, "zm_score_growth needs two areas and a map");
    if (g->rows < 1 || g->cols < 1)
        return zm_fail(err, ZM_E_ARG, -1, "%d x %d cells, must be at least 1 x 1",
                       (int)g->rows, (int)g->cols);
    if (!(cell > 0 && cell < HUGE_VAL) || !(window > 0 && window < HUGE_VAL))
        return zm_fail(err, ZM_E_ARG, -1,
                       "cells of %g m and squares of %g m, must be above 0", cell,
                       window);
    for (size_t i = 0; i < g->cells; i++)
        if (!g->before[i] && !(g->probability[i] >= 0 && g->probability[i] <= 1))
            return zm_fail(err, ZM_E_ARG, (int64_t)i,
                           "probability %g of cell %zu, must be 0 to 1",
                           (double)g->probability[i], i);
    return ZM_OK;
}

zm_status zm_score_growth(const uint8_t *before, const uint8_t *after,
                          const float *probability, int32_t rows, int32_t cols,
                          double cell, double window, zm_growth_score *out,
                          zm_error *err)
{
    const growth g = { before, after, probability,
                       rows,   cols,  (size_t)rows * (size_t)cols };
    zm_growth_score s = ZM_GROWTH_SCORE_INIT;
    const int32_t most = rows > cols ? rows : cols;
    int32_t half;

    ZM_TRY(zm_options_check_report(out, "zm_growth_score", err));
    ZM_TRY(check(&g, cell, window, err));
    half = (int32_t)fmin(floor(window / cell / 2), most);
    s.window = (2.0 * half + 1) * cell;
    compare_cells(&g, &s);
    ZM_TRY(compare_areas(&g, &s, err));
    ZM_TRY(find_ceiling(&g, &s, err));
    ZM_TRY(compare_fractions(&g, half, &s, err));
    zm_options_write_report(out, &s, sizeof s);
    return ZM_OK;
}
