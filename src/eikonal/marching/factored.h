/* SPDX-License-Identifier: Apache-2.0
 * Updates with the source factored out (origin.h).
 *
 * What is taken off a donor's time may be more than the way from it costs, where the metric
 * is another one than at the source or the front does not come straight from it.  A
 * factored update counts only if it is later than the donors that it comes from; else the
 * same update without factoring is taken, which always is. */
#ifndef ZM_MARCH_FACTORED_H
#define ZM_MARCH_FACTORED_H

#include "eikonal/local/update.h"
#include "eikonal/marching/origin.h"

/** A donor of a cell: where it is, and its time. */
typedef struct zm_march_known_donor {
    zm_local_offset m;
    double T;
} zm_march_known_donor;

typedef struct zm_march_factored_update {
    double time; /* INFINITY: none */
    double w;    /* of the first donor */
    bool factored;
} zm_march_factored_update;

static inline zm_local_donor zm_march_donor_seen(const zm_cell_metric *g,
                                                 const zm_march_sight *s,
                                                 const zm_march_known_donor *p)
{
    return zm_local_donor_at(g, p->m.x, p->m.y,
                             zm_march_sight_time(s, p->m.x, p->m.y, p->T));
}

/** From one donor alone. */
static inline zm_march_factored_update
zm_march_factored_alone(const zm_cell_metric *g, const zm_march_sight *s,
                        const zm_march_known_donor *p)
{
    static const zm_march_sight bare = { NULL, { 0, 0 } };
    const zm_local_donor seen = zm_march_donor_seen(g, s, p);

    if (s->origin && !(seen.S + seen.length > p->T))
        return zm_march_factored_alone(g, &bare, p);
    return (zm_march_factored_update){ seen.S + seen.length, 1, s->origin != NULL };
}

/** From two donors that both have weight; time INFINITY if they do not. */
static inline zm_march_factored_update
zm_march_factored_pair(const zm_cell_metric *g, const zm_march_sight *s,
                       const zm_march_known_donor *p, const zm_march_known_donor *q)
{
    static const zm_march_sight bare = { NULL, { 0, 0 } };
    const zm_local_donor a = zm_march_donor_seen(g, s, p),
                         b = zm_march_donor_seen(g, s, q);
    zm_march_factored_update u = { .factored = s->origin != NULL };

    u.time = zm_local_two_donors(g, g->g11 * g->g22 - g->g12 * g->g12, &a, &b, &u.w);
    if (!(u.w > 0 && u.w < 1))
        u.time = (double)INFINITY;
    else if (s->origin && !(u.time > p->T && u.time > q->T))
        return zm_march_factored_pair(g, &bare, p, q);
    return u;
}

#endif
