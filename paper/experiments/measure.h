/* SPDX-License-Identifier: Apache-2.0
 * Norms of errors, fitted rates, quantiles, seconds. */
#ifndef ZM_EXPERIMENTS_MEASURE_H
#define ZM_EXPERIMENTS_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

/** Errors of T against a reference, over cells where both are finite. */
typedef struct error_norms {
    double rms;          /**< sqrt(mean e^2): what the paper calls L2 */
    double largest;      /**< max |e| */
    double rms_over_max; /**< rms / max |reference|: what the paper calls relative L2 */
    double relative;     /**< |e|_2 / |reference|_2 */
    double largest_over_max;
} error_norms;
error_norms error_of(size_t n, const double *values, const double *reference);

/** The same without `border` rows and columns at each edge of a rows x cols field: the
 *  paper's largest errors are those of the interior less two. */
error_norms error_inside(size_t rows, size_t cols, size_t border, const double *values,
                         const double *reference);
enum { PAPER_BORDER = 2 };

/** Slope of log y over log x by least squares; pairs that are not positive are left out. */
double fitted_exponent(size_t n, const double *x, const double *y);

/** Sorts the values; then quantile q in [0, 1] of sorted ones, linear in between, NaN of
 *  none. */
void sort_values(size_t n, double *values);
double quantile(size_t n, const double *sorted, double q);
double mean_of(size_t n, const double *values);

/** Pearson's correlation. */
double correlation(size_t n, const double *a, const double *b);

/** Seconds from some fixed moment; of processor time of this thread. */
double clock_seconds(void);
double processor_seconds(void);

/** Repeats something until it was done `least` times and for `seconds`: start with
 *  { .least = 5, .seconds = 0.2 }, then while (timer_next(&t)) { what is timed }. */
enum { TIMER_KEPT = 64 };
typedef struct timer {
    int least;
    double seconds;
    /** Processor time of this thread: what else runs on the machine does not lengthen it.
     *  Only where what is timed runs on one thread. */
    bool processor;
    int done;
    double begun, started;
    double best;   /**< shortest run */
    double median; /**< of the first TIMER_KEPT runs, after the loop */
    double runs[TIMER_KEPT];
} timer;
bool timer_next(timer *t);

/** What this round did so far does not count: t starts here. */
void timer_from_here(timer *t);

#endif
