/* SPDX-License-Identifier: Apache-2.0
 * Observed times, and how far computed ones are from them.
 *
 * The computed time at a place between cells, x of the way to the next column and y to the next
 * row, is bilinear in those of the four cells around it,
 *
 *     T = (1-x)(1-y) T00 + x (1-y) T01 + (1-x) y T10 + x y T11,
 *
 * the interpolation by which the metric at a source between cells is found.  It is linear in T, so
 * its transpose spreads a derivative over the same cells with the same shares.
 *
 * Residual r = (T - t)/sigma; of an observation known only to lie in [t, upper] it is
 * (T - t)/sigma below, 0 inside and (T - upper)/sigma above.  Its cost rho(r) is r^2/2, or
 * Huber's: delta |r| - delta^2/2 where |r| > delta.  Gauss-Newton weighs it with
 * rho'(r)/r (0 inside an interval), which majorises rho. */
#ifndef ZM_INVERT_MISFIT_H
#define ZM_INVERT_MISFIT_H

#include <stdbool.h>

#include "core/random.h"
#include "zermelo/invert.h"

/** One experiment: a front from its sources, and when it came where. */
typedef struct zm_observed {
    zm_source *sources;
    size_t n_sources;
    size_t n; /* observations */
    size_t *cell;         /* that has the place, or is up and left of it */
    double *right, *down; /* from there to the place, in cells, [0, 1); NULL: all 0 */
    size_t cols;          /* of the grid */
    double *time;
    double *upper; /* same as time where that is exact */
    double *sigma;
    bool exact; /* sigma stands for no noise and is set when a run begins */
} zm_observed;

typedef struct zm_misfit_sum {
    double value; /* sum of rho(r) */
    double chi2;  /* sum of r^2 */
} zm_misfit_sum;

/** Share of corner k = 0..3 (right k & 1, down k >> 1) in the time at the place of observation i;
 *  *cell is that corner, which is in the grid unless the share is 0. */
static inline double zm_misfit_share(const zm_observed *o, size_t i, int k,
                                       size_t *cell)
{
    const double x = o->right[i], y = o->down[i];

    *cell = o->cell[i] + (size_t)(k & 1) + (size_t)(k >> 1) * o->cols;
    return (k & 1 ? x : 1 - x) * (k >> 1 ? y : 1 - y);
}

/** The computed time at the place of observation i. */
double zm_misfit_at(const zm_observed *o, size_t i, const double *T);

/** The transpose: adds value to the cells around the place, by their shares. */
void zm_misfit_spread(const zm_observed *o, size_t i, double value, double *out);

/** The cell that the place is in. */
static inline size_t zm_misfit_cell(const zm_observed *o, size_t i)
{
    return o->right ? o->cell[i] + (o->right[i] >= 0.5) +
                          (o->down[i] >= 0.5 ? o->cols : 0)
                    : o->cell[i];
}

/** huber: the delta, in sigmas; INFINITY for least squares. */
zm_misfit_sum zm_misfit(const zm_observed *o, double huber, const double *T);

/** out = derivative of the sum of rho with respect to T: 0 where nothing was observed. */
void zm_misfit_slope(const zm_observed *o, double huber, const double *T, size_t cells,
                     double *out);

/** out = H dT, H the Gauss-Newton Hessian of the sum of rho at T. */
void zm_misfit_curve(const zm_observed *o, double huber, const double *T, size_t cells,
                     const double *dT, double *out);

/** A standard normal number.  Both uniform numbers are the upper ends of their intervals, which
 *  keeps log away from 0. */
static inline double zm_misfit_draw(uint64_t *random)
{
    const double u = zm_random_unit(random) + 0x1p-53;

    return zm_random_box_muller(u, zm_random_unit(random) + 0x1p-53);
}

/** out = H^(1/2) e, e standard normal for each observation. */
void zm_misfit_noise(const zm_observed *o, double huber, const double *T, size_t cells,
                     uint64_t *random, double *out);

#endif
