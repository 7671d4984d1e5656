/* SPDX-License-Identifier: Apache-2.0
 * Randers metrics of fire ellipses, along the heading u and across it (n), with what their
 * derivatives need.  Rates of spread and slownesses in any units that go together. */
#ifndef ZM_PROBLEM_ELLIPSE_H
#define ZM_PROBLEM_ELLIPSE_H

#include <math.h>

/**
 * Head Rh, flank Rf (half the breadth), back Rb:  G = alpha^2 u u' + gamma n n',  b = beta u  with
 *
 *     alpha = (1/Rb + 1/Rh)/2,   beta = (1/Rb - 1/Rh)/2,
 *     gamma = (Rh + Rb)^2/(4 Rf^2 Rh Rb) = alpha (Rh + Rb)/(2 Rf^2),
 *
 * that is mu = Rh Rb/((Rh + Rb)/2)^2, and F(u) = alpha - beta = 1/Rh.  Derivatives:
 *
 *     d alpha = -(dRb/Rb^2 + dRh/Rh^2)/2,   d beta = -(dRb/Rb^2 - dRh/Rh^2)/2,
 *     d gamma = gamma (skew (dRh/Rh - dRb/Rb) - 2 dRf/Rf),   skew = (Rh - Rb)/(Rh + Rb).
 */
typedef struct zm_ellipse_metric {
    double alpha, beta, gamma, skew;
} zm_ellipse_metric;

static inline zm_ellipse_metric zm_ellipse_metric_of(double head, double flank,
                                                     double back)
{
    const double alpha = 0.5 / back + 0.5 / head;

    return (zm_ellipse_metric){ alpha, (head - back) / head * (0.5 / back),
                                alpha / flank * (0.5 * (head + back) / flank),
                                (head - back) / (head + back) };
}

/**
 * Lit at its rear focus, with head Rh and length-to-breadth LB:  G = I/p^2,  b = (e/p) u  with
 * the eccentricity e = sqrt(1 - 1/LB^2) and p = Rh (1 - e), where 1 - e = 1/(LB^2 (1 + e)) does
 * not cancel.
 */
typedef struct zm_focus_metric {
    double e, less; /* 1 - e */
    double slope;   /* de/dLB; 0 at LB = 1, where there is none */
    double p;
} zm_focus_metric;

static inline zm_focus_metric zm_focus_metric_of(double head, double length_to_breadth)
{
    const double LB = length_to_breadth, e = sqrt((LB - 1) * (LB + 1)) / LB;
    const double less = 1 / LB / LB / (1 + e);

    return (zm_focus_metric){ e, less, e > 0 ? 1 / (LB * LB * LB * e) : 0,
                              head * less };
}

#endif
