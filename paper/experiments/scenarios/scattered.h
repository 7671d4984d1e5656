/* SPDX-License-Identifier: Apache-2.0
 * Interpolation of scattered values that knows nothing of fronts. */
#ifndef ZM_EXPERIMENTS_SCATTERED_H
#define ZM_EXPERIMENTS_SCATTERED_H

#include "medium.h"

/** n observations of a value v at (x, y). */
typedef struct scattered {
    const double *x, *y, *v;
    size_t n;
} scattered;

/** Inverse-distance weighting: the mean of the 12 nearest with weights 1/d^2. */
void scattered_inverse_distance(const scattered *s, const medium *m, double *out);

/** A plane through the 12 nearest by least squares with weights 1/d^2: first order, and
 *  exact in the observations. */
void scattered_planes(const scattered *s, const medium *m, double *out);

/** Thin-plate splines: of all functions through the observations those that bend least,
 *  sum_i w_i r_i^2 log r_i + a plane.  `n` of them at once, through observations s[0] ..
 *  s[n-1] in the same places. */
void scattered_splines(experiment_run *run, const scattered *s, size_t n,
                       const medium *m, double *const *out);

#endif
