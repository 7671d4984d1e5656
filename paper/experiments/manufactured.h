/* SPDX-License-Identifier: Apache-2.0
 * A Randers problem in a varying medium whose solution is known.  For tests too: needs
 * nothing of the experiments.
 *
 * In the plane u = A x let the speed c be linear, c(u) = 1 + a.u; rays are then arcs of
 * circles, and with s the source
 *
 *     T = acosh(1 + |a|^2 |u - s|^2 / (2 c(u) c(s))) / |a| .
 *
 * In x that is the metric G = A'A / c^2.  A drift b = grad psi changes the length of every
 * path from s to x by psi(s) - psi(x), so this is added to T. */
#ifndef ZM_EXPERIMENTS_MANUFACTURED_H
#define ZM_EXPERIMENTS_MANUFACTURED_H

typedef struct manufactured {
    double a11, a12, a22; /**< A, symmetric */
    double sx, sy;        /**< the source */
    double drift;         /**< factor of psi */
} manufactured;

/** In the unit square.  A has eigenvalues sqrt(ratio) and 1, so that those of G have the
 *  ratio `ratio`.  The drift norm is 0.6 at most for ratio 2 and drift 1, and twice that for
 *  ratio 50. */
manufactured manufactured_make(double ratio, double drift, double sx, double sy);

/** g11, g12, g22, b1, b2 in a point. */
void manufactured_metric(const manufactured *m, double x, double y, double metric[5]);

double manufactured_time(const manufactured *m, double x, double y);

#endif
