/* SPDX-License-Identifier: Apache-2.0
 * Intervals of fitted parameters from leaving out one group of data at a time.
 *
 * At the minimum the pulls g_j = J_j'W r_j of the groups and that of the prior cancel.  Without
 * group j it moves by d_j = (A - A_j)^-1 g_j, A = P + sum A_j, and the variance is
 *
 *     (G - 1)/G sum d_j^2 + that of the prior
 *
 * (Tukey 1958; MacKinnon and White 1985): errors may go together within a group, and a
 * parameter that one group alone determines is as uncertain as without that group.  Nothing is
 * more uncertain than it was beforehand, so no d_j is longer than the spread of the prior. */
#ifndef ZM_PHYSICS_JACKKNIFE_H
#define ZM_PHYSICS_JACKKNIFE_H

#include <stddef.h>

#include "zermelo/fire/calibrate.h"

typedef struct zm_jackknife {
    size_t n, groups;
    double noise; /* standard deviation in whose units the prior is */
    double prior[ZM_MOST_CALIBRATED];
    double A[ZM_MOST_CALIBRATED * ZM_MOST_CALIBRATED];            /* lower triangle */
    double squares[ZM_MOST_CALIBRATED];                           /* sums of d_j^2 */
    double known[ZM_MOST_CALIBRATED], known2[ZM_MOST_CALIBRATED]; /* of a_j, a_j^2 */
} zm_jackknife;

/** No data yet; prior: precisions of n unknowns. */
void zm_jackknife_begin(zm_jackknife *k, size_t n, const double *prior, double noise);

/** Adds A_j (n x n, lower triangle); all groups first. */
void zm_jackknife_sum(zm_jackknife *k, const double *A);

/** Leaves out one group. */
void zm_jackknife_leave(zm_jackknife *k, const double *g, const double *A);

/** Standard deviation of an unknown. */
double zm_jackknife_deviation(const zm_jackknife *k, size_t unknown);

/** How many groups determine an unknown: (sum a_j)^2/sum a_j^2 with a_j of the diagonal of A_j. */
double zm_jackknife_support(const zm_jackknife *k, size_t unknown);

#endif
