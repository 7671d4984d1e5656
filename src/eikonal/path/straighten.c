/* SPDX-License-Identifier: Apache-2.0
 * Straightening: short pieces of a path first, then longer ones, so that what is saved on a
 * detour here does not pay for one there. */
#include "eikonal/path/trace.h"

/* A point of the straight way from a to b. */
static zm_path_place between(zm_path_place a, zm_path_place b, double share)
{
    return (zm_path_place){ a.x + share * (b.x - a.x), a.y + share * (b.y - a.y) };
}

/* What a straight piece must save, as a part of the cost: less is within what costs along
 * the trace are known to, and where paths of nearly the same cost lie far apart it would
 * lead away from the geodesic (measured on circular arcs: 0.1 cells off, without it 0.6). */
static const double SAVING = 3e-4;

static void try_straight(const zm_path_ground *t, zm_path_place *at, double *cost,
                         double *when, size_t length)
{
    double now = 0;

    for (size_t i = 0; i < length; i++)
        now += cost[i];
    if (!(zm_path_way_cost(t, at[length], at[0], when[length]) < (1 - SAVING) * now))
        return;
    for (size_t i = 1; i < length; i++)
        at[i] = between(at[0], at[length], (double)i / (double)length);
    for (size_t i = length; i-- > 0;) {
        cost[i] = zm_path_way_cost(t, at[i + 1], at[i], when[i + 1]);
        when[i] = when[i + 1] + cost[i];
    }
}

/* Times of all points after their costs. */
static void times_follow(size_t pieces, const double *cost, double *when)
{
    for (size_t i = pieces; i-- > 0;)
        when[i] = when[i + 1] + cost[i];
}

void zm_path_straighten(const zm_path_ground *t, zm_path_places *places, double *cost,
                        double *when)
{
    const size_t pieces = places->n - 1;

    for (size_t length = 2; length <= pieces; length += (length + 3) / 4) {
        for (size_t first = 0; first + length <= pieces; first += (length + 3) / 4)
            try_straight(t, places->at + first, cost + first, when + first, length);
        times_follow(pieces, cost, when);
    }
    try_straight(t, places->at, cost, when, pieces);
}
