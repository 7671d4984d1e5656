/* SPDX-License-Identifier: Apache-2.0
 * Norms of errors, fitted rates, quantiles, seconds. */
#define _POSIX_C_SOURCE 200809L
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

error_norms error_of(size_t n, const double *values, const double *reference)
{
    return error_inside(1, n, 0, values, reference);
}

error_norms error_inside(size_t rows, size_t cols, size_t border, const double *values,
                         const double *reference)
{
    double squares = 0, of_reference = 0, largest = 0, max = 0;
    size_t count = 0;

    for (size_t row = border; row + border < rows; row++) {
        for (size_t col = border; col + border < cols; col++) {
            const double r = reference[row * cols + col];
            const double e = values[row * cols + col] - r;

            if (!isfinite(e))
                continue;
            squares += e * e;
            of_reference += r * r;
            largest = fmax(largest, fabs(e));
            max = fmax(max, fabs(r));
            count++;
        }
    }
    return (error_norms){ .rms = sqrt(squares / (double)count),
                          .largest = largest,
                          .rms_over_max = sqrt(squares / (double)count) / max,
                          .relative = sqrt(squares / of_reference),
                          .largest_over_max = largest / max };
}

double fitted_exponent(size_t n, const double *x, const double *y)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, m = 0;

    for (size_t i = 0; i < n; i++) {
        if (x[i] > 0 && y[i] > 0) {
            const double u = log(x[i]), v = log(y[i]);

            sx += u;
            sy += v;
            sxx += u * u;
            sxy += u * v;
            m++;
        }
    }
    return (m * sxy - sx * sy) / (m * sxx - sx * sx);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void sort_values(size_t n, double *values)
{
    qsort(values, n, sizeof *values, ascending);
}

double quantile(size_t n, const double *sorted, double q)
{
    const double place = n ? q * (double)(n - 1) : 0;
    const size_t i = (size_t)place;

    if (!n)
        return NAN;
    return i + 1 < n ? sorted[i] + (place - (double)i) * (sorted[i + 1] - sorted[i])
                     : sorted[n - 1];
}

double mean_of(size_t n, const double *values)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

double correlation(size_t n, const double *a, const double *b)
{
    const double mean_a = mean_of(n, a), mean_b = mean_of(n, b);
    double saa = 0, sbb = 0, sab = 0;

    for (size_t i = 0; i < n; i++) {
        saa += (a[i] - mean_a) * (a[i] - mean_a);
        sbb += (b[i] - mean_b) * (b[i] - mean_b);
        sab += (a[i] - mean_a) * (b[i] - mean_b);
    }
    return sab / sqrt(saa * sbb);
}

static double seconds_by(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_seconds(void)
{
    return seconds_by(CLOCK_MONOTONIC);
}

double processor_seconds(void)
{
    return seconds_by(CLOCK_THREAD_CPUTIME_ID);
}

static double timer_now(const timer *t)
{
    return t->processor ? processor_seconds() : clock_seconds();
}

bool timer_next(timer *t)
{
    const double now = timer_now(t), last = now - t->started;

    if (t->done == 0) {
        t->begun = now;
    } else {
        if (t->done == 1 || last < t->best)
            t->best = last;
        if (t->done <= TIMER_KEPT)
            t->runs[t->done - 1] = last;
        if (t->done >= t->least && now - t->begun >= t->seconds) {
            const size_t kept = (size_t)(t->done < TIMER_KEPT ? t->done : TIMER_KEPT);

            sort_values(kept, t->runs);
            t->median = quantile(kept, t->runs, 0.5);
            return false;
        }
    }
    t->done++;
    t->started = timer_now(t);
    return true;
}

void timer_from_here(timer *t)
{
    t->started = timer_now(t);
}
