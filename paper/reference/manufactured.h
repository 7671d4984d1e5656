/* SPDX-License-Identifier: Apache-2.0
 * A Randers problem in a varying medium whose solution is known.
 *
 * In the plane u = A x let the speed c be linear, c(u) = 1 + a.u; rays are then arcs of
 * circles, and with s the source
 *
 *     T = acosh(1 + |a|^2 |u - s|^2 / (2 c(u) c(s))) / |a| .
 *
 * In x that is the metric G = A'A / c^2.  A drift b = grad psi changes the length of every
 * path from s to x by psi(s) - psi(x), so this is added to T. */
#ifndef ZM_REFERENCE_MANUFACTURED_H
#define ZM_REFERENCE_MANUFACTURED_H

typedef struct zm_reference_manufactured {
    double a11, a12, a22; /**< A, symmetric */
    double sx, sy;        /**< the source */
    double drift;         /**< factor of psi */
} zm_reference_manufactured;

/** In the unit square.  A has eigenvalues sqrt(ratio) and 1, so that those of G have the
 *  ratio `ratio`.  The drift norm is 0.6 at most for ratio 2 and drift 1, and twice that for
 *  ratio 50. */
zm_reference_manufactured zm_reference_manufactured_make(double ratio, double drift,
                                                         double sx, double sy);

/** g11, g12, g22, b1, b2 in a point. */
void zm_reference_manufactured_metric(const zm_reference_manufactured *m, double x,
                                      double y, double metric[5]);

double zm_reference_manufactured_time(const zm_reference_manufactured *m, double x,
                                      double y);

#endif
