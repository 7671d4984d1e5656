/* SPDX-License-Identifier: Apache-2.0
 * Sources of a march: exact distances from them, and what factoring takes out.
 *
 * With the metric frozen at the source and d = x - s the exact arrival time is
 *
 *     T_s(x) = |d|_Gs - bs.d .
 *
 * Its curvature at the source is what spoils a difference scheme there.  Additive factoring
 * T = T_s + tau takes differences of tau only, and the gradient of T_s as it is; then a
 * donor at offset m counts with T - kappa(m),
 *
 *     kappa(m) = T_s(x + m) - T_s(x) - <grad T_s(x), m> = |d + m| - |d| - d'Gm / |d| >= 0,
 *
 * and the update of a triangle stays what it was.  bs drops out of kappa.
 *
 * Cells so near that the front has no donors before them start with the mean of F(d) with
 * the metric at the source and with their own, which is good to third order in d. */
#ifndef ZM_MARCH_ORIGIN_H
#define ZM_MARCH_ORIGIN_H

#include <math.h>
#include <stdlib.h>

#include "eikonal/marching/march.h"

/** d = x - s in cells, by the shorter way round where the grid is periodic. */
typedef struct zm_march_away {
    double x, y;
} zm_march_away;

zm_march_away zm_march_origin_away(const zm_march *m, const zm_march_origin *o,
                                   int32_t row, int32_t col);

/** F(d) = |d|_G - b.d with the metric g. */
double zm_march_origin_distance(const zm_cell_metric *g, zm_march_away d);

/** kappa of a donor at (mx, my) cells. */
double zm_march_origin_kappa(const zm_march_origin *o, zm_march_away d, double mx,
                             double my);

/** Whether the source is factored out of a cell at d from it: up to the radius, where the
 *  grid is closed not beyond a quarter of its length either, because farther away fronts from
 *  both sides meet, and only if the metrics are not too different. */
bool zm_march_origin_near(const zm_march *m, const zm_march_origin *o, size_t cell,
                          zm_march_away d);

/** Whether the way from a donor at m to a cell at d, along one closed side of n cells, leads
 *  over the far side, where the two ways from the source are equally long. */
static inline bool zm_march_comes_round(double d, int32_t m, int32_t n)
{
    if (2 * fabs(d) == n) /* over there: neither side is the wrong one */
        return abs(m) > n;
    return 2 * fabs(d + m) >= n;
}

/** Label of the front that comes to a cell from a donor at (mx, my) cells which has
 *  `label`. */
static inline uint32_t zm_march_label_from(const zm_march *m, size_t cell,
                                           uint32_t label, int32_t mx, int32_t my)
{
    zm_march_away d;

    if (!(m->scheme.periodic_x || m->scheme.periodic_y) || (label & ZM_MARCH_ROUND))
        return label;
    d = zm_march_origin_away(m, &m->origins[label], zm_march_row(m, cell),
                             zm_march_col(m, cell));
    if ((m->scheme.periodic_x && zm_march_comes_round(d.x, mx, m->grid.cols)) ||
        (m->scheme.periodic_y && zm_march_comes_round(d.y, my, m->grid.rows)))
        return label | ZM_MARCH_ROUND;
    return label;
}

/** Whether fronts with these labels are one to a cell: of one source; and where that is
 *  factored out, both come from it by the shorter way round or both by another. */
static inline bool zm_march_same_front(const zm_march *m, size_t cell, uint32_t a,
                                       uint32_t b)
{
    const uint32_t source = a & ~ZM_MARCH_ROUND;

    if (a == b || source != (b & ~ZM_MARCH_ROUND))
        return a == b;
    return !(m->scheme.factor_radius > 0) ||
           !zm_march_origin_near(m, &m->origins[source], cell,
                                 zm_march_origin_away(m, &m->origins[source],
                                                      zm_march_row(m, cell),
                                                      zm_march_col(m, cell)));
}

/** How a cell sees donors that were reached from one source, by the shorter way round or
 *  by another, which is not factored. */
typedef struct zm_march_sight {
    const zm_march_origin *origin; /* NULL: not factored */
    zm_march_away d;
} zm_march_sight;

static inline zm_march_sight zm_march_sight_of(const zm_march *m, size_t cell,
                                               uint32_t label)
{
    zm_march_sight s = { NULL, { 0, 0 } };

    if (m->scheme.factor_radius > 0 && !(label & ZM_MARCH_ROUND)) {
        s.d = zm_march_origin_away(m, &m->origins[label], zm_march_row(m, cell),
                                   zm_march_col(m, cell));
        if (zm_march_origin_near(m, &m->origins[label], cell, s.d))
            s.origin = &m->origins[label];
    }
    return s;
}

/** What a donor at (mx, my) cells with time T counts as. */
static inline double zm_march_sight_time(const zm_march_sight *s, double mx, double my,
                                         double T)
{
    return s->origin ? T - zm_march_origin_kappa(s->origin, s->d, mx, my) : T;
}

/** of += scale * d kappa(m) */
void zm_march_origin_kappa_change(const zm_march_origin *o, zm_march_away d, double mx,
                                  double my, double scale, zm_march_origin_change *of);

/** of += scale * dF(d), with the metric g */
void zm_march_origin_distance_change(const zm_cell_metric *g, zm_march_away d,
                                     double scale, zm_march_origin_change *of);

/** Derivative of a number with respect to the position of a source, given those with respect
 *  to metric and position at the source: the metric there moves with it. */
typedef struct zm_march_place_change {
    double x, y; /**< in cells */
} zm_march_place_change;
zm_march_place_change zm_march_origin_place_change(const zm_march *m,
                                                   const zm_march_origin *o,
                                                   const zm_march_origin_change *of);

#endif
