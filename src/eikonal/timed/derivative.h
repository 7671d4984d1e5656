/* SPDX-License-Identifier: Apache-2.0
 * What adjoint and tangent through intervals have in common. */
#ifndef ZM_TIMED_DERIVATIVE_H
#define ZM_TIMED_DERIVATIVE_H

#include "eikonal/timed/segments.h"

/** Where donors come after their cells, sweeps over all cells are repeated: at most so often,
 *  and until what is left is so little of the whole. */
#define ZM_TIMED_SWEEPS  1000
#define ZM_TIMED_SETTLED 1e-15

/** dT / dN of each segment of s->step into s->shares, their number, and dT with respect to
 *  the times of the donors.  The step is that of `cell`; 0: s->status. */
size_t zm_timed_shares(zm_timed *s, uint32_t cell, double w, double rate[2]);

/** The point the way of s->step begins at, with weight w of donor 1. */
typedef struct zm_timed_point {
    double x, y;
} zm_timed_point;

static inline zm_timed_point zm_timed_point_of(const zm_timed_step *step, double w)
{
    return (zm_timed_point){ step->x[1] + w * (step->x[0] - step->x[1]),
                             step->y[1] + w * (step->y[0] - step->y[1]) };
}

/** Derivative of |p|_G + p.b with respect to the folded metric, times `scale`. */
static inline zm_cell_metric zm_timed_point_change(const zm_cell_metric *g,
                                                   zm_timed_point p, double scale)
{
    const double norm =
        sqrt(g->g11 * p.x * p.x + 2 * g->g12 * p.x * p.y + g->g22 * p.y * p.y);
    const double half = 0.5 * scale / norm;

    return (zm_cell_metric){ half * p.x * p.x, 2 * half * p.x * p.y, half * p.y * p.y,
                             scale * p.x, scale * p.y };
}

#endif
