/* SPDX-License-Identifier: Apache-2.0
 * The local update of one cell with the paper's own formulas (its appendix on the solver).
 *
 * Triangle k has the donors k and k+1 at offsets m1, m2 (numbers and spacing as in
 * eikonal/local/triangle.h), M = [m1 m2] and S_i = T_i + m_i.b.  Two-point update, eq:two_point:
 *
 *     E = M' G M,   Q = E^-1,   u = S - T0 1,   u' Q u = 1,   T0 the larger root.
 *
 * With x = T0 - S1 and d = S2 - S1, which keeps large times from cancelling, the root is
 *
 *     x = ((q12 + q22) d + sqrt(1'Q1 - det Q d^2)) / 1'Q1,
 *
 * valid where lambda = Q (x, x - d) >= 0.  Where it is not, the better of the two
 * one-point updates, eq:one_point: T0 = S_i + sqrt(m_i' G m_i).  Every M has determinant
 * +-1, so det Q = 1 / det G; triangles k and k+4 share E, Q and both lengths.
 *
 * Written to be fast, since benchmarks run against it: everything of the metric is
 * computed once a visit, nothing at a cell without an earlier neighbour, and triangles
 * without a donor earlier than the best value are skipped.  Neither evaluating all
 * triangles without branches nor computing the lengths only when asked for was faster. */
#ifndef ZM_REFERENCE_PAPER_UPDATE_H
#define ZM_REFERENCE_PAPER_UPDATE_H

#include "eikonal/local/triangle.h"

/** Q of one triangle, its sum 1'Q1 and the reciprocal of that. */
typedef struct zm_paper_triangle {
    double q11, q12, q22, sum, inverse_sum;
} zm_paper_triangle;

/** What the eight triangles of one cell need of metric and drift. */
typedef struct zm_paper_stencil {
    zm_paper_triangle triangle[4]; /* of triangles k and k+4 */
    double length[4];              /* sqrt(m' G m) of neighbours k and k+4 */
    double drift[8];               /* m.b */
    double det_q;                  /* of every triangle */
} zm_paper_stencil;

static inline zm_paper_stencil zm_paper_stencil_make(zm_cell_metric m)
{
    const double det = m.g11 * m.g22 - m.g12 * m.g12, inv = 1 / det;
    const double nw = m.g11 + 2 * m.g12 + m.g22, sw = m.g11 - 2 * m.g12 + m.g22;
    const double q_w = m.g11 * inv, q_s = m.g22 * inv, q_nw = nw * inv, q_sw = sw * inv;
    const double q = m.g12 * inv, column = det / m.g22, row = det / m.g11;

    return (zm_paper_stencil){
        .triangle = { { q_w, -(q_w + q), q_nw, q_s, column },
                      { q_sw, q - q_w, q_w, q_s, column },
                      { q_s, q - q_s, q_sw, q_w, row },
                      { q_nw, -(q_s + q), q_s, q_w, row } },
        .length = { sqrt(nw), sqrt(m.g11), sqrt(sw), sqrt(m.g22) },
        .drift = { -m.b1 - m.b2, -m.b1, m.b2 - m.b1, m.b2, m.b1 + m.b2, m.b1,
                   m.b1 - m.b2, -m.b2 },
        .det_q = inv,
    };
}

/** The best update of a cell: lambda1 and lambda2 are in the ratio of the donors' weights,
 *  one of them 0 for a one-point update; k is the triangle, -1 if none beat the bound. */
typedef struct zm_paper_winner {
    double T0, lambda1, lambda2;
    int k;
} zm_paper_winner;

/** Update of triangle k from donor times T1 and T2; INFINITY for a donor not there (then
 *  x is NaN and no test on it passes).  `reject` adds the paper's causality test, which
 *  rejects a two-point value that is not later than both donors. */
static inline zm_paper_winner zm_paper_update(const zm_paper_stencil *s, int k,
                                              double T1, double T2, bool reject)
{
    const zm_paper_triangle *t = &s->triangle[k & 3];
    const double S1 = T1 + s->drift[k], S2 = T2 + s->drift[(k + 1) & 7], d = S2 - S1;
    const double x =
        ((t->q12 + t->q22) * d + sqrt(t->sum - s->det_q * (d * d))) * t->inverse_sum;
    const double lambda1 = t->q11 * x + t->q12 * (x - d);
    const double lambda2 = t->q12 * x + t->q22 * (x - d);
    const double one1 = S1 + s->length[k & 3], one2 = S2 + s->length[(k + 1) & 3];

    const bool first = one1 < one2;

    if (lambda1 >= 0 && lambda2 >= 0 && (!reject || (S1 + x > T1 && S1 + x > T2)))
        return (zm_paper_winner){ S1 + x, lambda1, lambda2, k };
    return (zm_paper_winner){ first ? one1 : one2, first, !first, k };
}

/** Minimum over the triangles that have a donor earlier than the best value so far, which
 *  is `bound` at first; T[k] is the time of neighbour k. */
static inline zm_paper_winner
zm_paper_best(const zm_paper_stencil *s, const double T[8], double bound, bool reject)
{
    zm_paper_winner best = { bound, 0, 0, -1 };

    for (int k = 0; k < 8; k++) {
        const int next = (k + 1) & 7;

        if (T[k] < best.T0 || T[next] < best.T0) {
            const zm_paper_winner u = zm_paper_update(s, k, T[k], T[next], reject);

            if (u.T0 < best.T0)
                best = u;
        }
    }
    return best;
}

#endif
