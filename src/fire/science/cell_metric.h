/* SPDX-License-Identifier: Apache-2.0
 * Metric of a cell in an hour, and derivatives of its scalar slowness. */
#ifndef ZM_PHYSICS_CELL_METRIC_H
#define ZM_PHYSICS_CELL_METRIC_H

#include <math.h>
#include <stdbool.h>

/** g11, g12, g22, b1, b2 and the slowness s = det(G)^(1/4); s = 0: nothing burns here in
 *  this hour. */
typedef struct zm_cell_metric {
    double m[5];
    double s;
} zm_cell_metric;

static inline bool zm_burns(const zm_cell_metric *c)
{
    return c->s > 0;
}

static inline double zm_slowness(const double m[5])
{
    return sqrt(sqrt(m[0] * m[2] - m[1] * m[1]));
}

/* ds = s/(4 det) (g22 dg11 - 2 g12 dg12 + g11 dg22),  det = s^4 */
static inline double zm_slowness_tangent(const zm_cell_metric *c, const double d[5])
{
    return (c->m[2] * d[0] - 2 * c->m[1] * d[1] + c->m[0] * d[2]) /
           (4 * c->s * c->s * c->s);
}

static inline void zm_slowness_adjoint(const zm_cell_metric *c, double weight,
                                       double d[5])
{
    const double k = weight / (4 * c->s * c->s * c->s);

    d[0] += k * c->m[2];
    d[1] -= 2 * k * c->m[1];
    d[2] += k * c->m[0];
}

#endif
