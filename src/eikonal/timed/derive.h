/* SPDX-License-Identifier: Apache-2.0
 * What adjoint and tangent through bands have in common. */
#ifndef ZM_BANDS_DERIVE_H
#define ZM_BANDS_DERIVE_H

#include "eikonal/timed/trip.h"

/** dT / dN of each leg of s->trip into s->shares, their number, and dT by the times of the
 *  donors. */
size_t zm_trip_shares(zm_bands_slot *s, double w, double rate[2]);

/** The point the way of s->trip begins at, with weight w of donor 1. */
typedef struct zm_trip_point {
    double x, y;
} zm_trip_point;

static inline zm_trip_point zm_trip_point_of(const zm_trip *trip, double w)
{
    return (zm_trip_point){ trip->x[1] + w * (trip->x[0] - trip->x[1]),
                            trip->y[1] + w * (trip->y[0] - trip->y[1]) };
}

/** Derivative of |p|_G + p.b by the folded metric, times `scale`. */
static inline zm_cell_metric zm_point_change(const zm_cell_metric *g, zm_trip_point p,
                                             double scale)
{
    const double norm =
        sqrt(g->g11 * p.x * p.x + 2 * g->g12 * p.x * p.y + g->g22 * p.y * p.y);
    const double half = 0.5 * scale / norm;

    return (zm_cell_metric){ half * p.x * p.x, 2 * half * p.x * p.y, half * p.y * p.y,
                             scale * p.x, scale * p.y };
}

#endif
