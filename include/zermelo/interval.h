/* SPDX-License-Identifier: Apache-2.0
 * Metrics that change with time: time intervals [t_k, t_{k+1}) with a metric each, such as
 * hourly weather (docs/theory.md, section 8).
 *
 * A step from a donor to a cell uses the metric of each interval for as long as that interval
 * lasts.  With the cost F_k(v) = |v|_{G_k} - b_k.v of the whole step in interval k, a front that
 * leaves at time tau arrives at the time T for which
 *
 *     integral from tau to T of dt / F_{k(t)}(v) = 1,
 *
 * so a front that is stopped for a while waits and goes on where it was, and one that leaves
 * earlier never arrives later. */
#ifndef ZM_INTERVAL_H
#define ZM_INTERVAL_H

#include "metric.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The metric of one time interval as planes of the whole grid.  This struct is frozen. */
typedef struct zm_interval {
    zm_metric metric;       /**< g11 = INFINITY: stopped */
    const uint8_t *stopped; /**< rows*cols, non-zero: nothing moves in this cell during this
                                 interval; NULL: only where g11 is INFINITY */
} zm_interval;

/** A rectangle of cells: those of rows row .. row + rows - 1 and likewise of columns.  This
 *  struct is frozen. */
typedef struct zm_window {
    int32_t row, col, rows, cols;
} zm_window;

/** Values of the cells of a window, rows*cols each, row-major.  This struct is frozen. */
typedef struct zm_window_values {
    double *g11, *g12, *g22, *b1, *b2;
    uint8_t *stopped; /**< non-zero: nothing moves here during this interval; the others are
                           ignored.  NULL where derivatives are asked for */
} zm_window_values;

/**
 * Fills the metric of one interval in one window, when the front comes near it.  All values
 * are 0 before the call, so g12, b and `stopped` may be left alone; g11 = INFINITY also means
 * stopped.  Called on the thread that solves the problem; the same window of the same
 * interval may be asked for again and must then be the same.
 *
 * @return ZM_OK, or any failure with its message in err: the solve ends with it
 */
typedef zm_status zm_interval_fill(void *ctx, size_t interval, zm_window window,
                                   zm_window_values *values, zm_error *err);

/** Takes derivatives with respect to the metric of one interval in one window; each at most
 *  once, intervals from the last to the first, windows that have none left out. */
typedef zm_status zm_interval_take(void *ctx, size_t interval, zm_window window,
                                   const zm_window_values *values, zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
