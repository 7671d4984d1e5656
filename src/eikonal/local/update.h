/* SPDX-License-Identifier: Apache-2.0
 * The update of one triangle with any two donors. */
#ifndef ZM_LOCAL_UPDATE_H
#define ZM_LOCAL_UPDATE_H

#include <math.h>
#include <stdbool.h>

#include "eikonal/problem/problem.h"

/** A donor as a triangle sees it: at (x, y) cells, S = T + m.b, length = |m|_G. */
typedef struct zm_local_donor {
    double x, y, S, length2, length;
} zm_local_donor;

static inline zm_local_donor zm_local_donor_at(const zm_cell_metric *g, double x,
                                               double y, double T)
{
    const double length2 = g->g11 * x * x + 2 * g->g12 * x * y + g->g22 * y * y;

    return (zm_local_donor){ x, y, T + g->b1 * x + g->b2 * y, length2, sqrt(length2) };
}

/** min over w in [0, 1] of  w S1 + (1-w) S2 + |w m1 + (1-w) m2|_G  (local/triangle.h);
 *  *w is exactly 0 or 1 where one donor is enough.  det is that of G. */
static inline double zm_local_two_donors(const zm_cell_metric *g, double det,
                                         const zm_local_donor *p,
                                         const zm_local_donor *q, double *w)
{
    const double E12 = g->g11 * p->x * q->x + g->g12 * (p->x * q->y + p->y * q->x) +
                       g->g22 * p->y * q->y;
    const double delta = p->S - q->S, cross = p->x * q->y - p->y * q->x;
    double a, r2, r;

    if (!(delta * q->length < q->length2 - E12)) {
        *w = 0;
        return q->S + q->length;
    }
    if (delta * p->length <= E12 - p->length2) {
        *w = 1;
        return p->S + p->length;
    }
    a = p->length2 - 2 * E12 + q->length2;
    r2 = det * cross * cross * (a - delta * delta);
    r = sqrt(r2 > 0 ? r2 : 0);
    *w = (q->length2 - E12 - delta * (det * cross * cross) / (r > 0 ? r : 1)) / a;
    *w = *w > 0 ? (*w < 1 ? *w : 1) : 0;
    return q->S + ((q->length2 - E12) * delta + r) / a;
}

#endif
