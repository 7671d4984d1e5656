/* SPDX-License-Identifier: Apache-2.0
 * Second order: every cell that the first pass accepts is computed again from cells before
 * it, with second differences.
 *
 * A donor at offset m whose own neighbour at 2m is known too gives, to second order,
 *
 *     (3 T0 - 4 T1 + T2) / 2 = -<grad T, m>,   so   T0 - (4 T1 - T2)/3 = -<grad T, 2/3 m> :
 *
 * the same update with the donor moved to 2/3 m and its time replaced by (4 T1 - T2)/3.
 * The donors of a triangle need not be of the same order. */
#include <math.h>

#include "eikonal/local/update.h"
#include "eikonal/marching/march.h"
#include "eikonal/marching/origin.h"
#include "eikonal/marching/visible.h"

/* A cell under way. */
typedef struct site {
    const zm_march *m;
    const zm_cell_metric *g;
    double det;
    size_t cell;
    const double *T; /* of second order, of the cells before it */
    int32_t before;  /* their places are below this */
} site;

/* A donor with everything it brings. */
typedef struct offer {
    zm_local_donor donor;
    double T;       /* of the donor itself */
    uint32_t label; /* of its front when that comes to the cell */
    bool there, second, factored;
    zm_local_donor plain; /* to first order */
    zm_local_donor bare;  /* to first order and not factored */
} offer;

/* Whether a cell at (dx, dy) is there and earlier. */
static bool earlier(const site *s, int32_t dx, int32_t dy, size_t *cell)
{
    return zm_march_donor(s->m, s->cell, dx, dy, cell) && *cell != s->cell &&
           s->m->heap.place[*cell] < s->before;
}

static bool visible_beyond(const zm_march *m, size_t cell, zm_local_offset o)
{
    return zm_march_visible(m, zm_march_row(m, cell), zm_march_col(m, cell), o);
}

/* Whether the donor's own donor at twice the offset is of use: there, earlier, reached from
 * the same source, and no wall in between. */
static bool second_of(const site *s, const offer *f, zm_local_offset o, size_t near,
                      size_t *far)
{
    const zm_march *m = s->m;

    return m->scheme.order > 1 && earlier(s, 2 * o.x, 2 * o.y, far) &&
           s->T[*far] <= f->T &&
           zm_march_same_front(
               m, s->cell,
               zm_march_label_from(m, s->cell, m->steps[*far].label, 2 * o.x, 2 * o.y),
               f->label) &&
           (!m->has_walls || visible_beyond(m, near, o));
}

static offer offer_of(const site *s, zm_local_offset o)
{
    const zm_march *m = s->m;
    offer f = { .there = false };
    size_t near, far;
    zm_march_sight sight;
    double T;

    if (zm_march_blocked(o) || !earlier(s, o.x, o.y, &near))
        return f;
    f.there = true;
    f.T = s->T[near];
    f.label = zm_march_label_from(m, s->cell, m->steps[near].label, o.x, o.y);
    sight = zm_march_sight_of(m, s->cell, f.label);
    f.factored = sight.origin != NULL;
    T = zm_march_sight_time(&sight, o.x, o.y, f.T);
    f.plain = f.donor = zm_local_donor_at(s->g, o.x, o.y, T);
    f.bare = f.factored ? zm_local_donor_at(s->g, o.x, o.y, f.T) : f.plain;
    f.second = second_of(s, &f, o, near, &far);
    if (f.second)
        f.donor = zm_local_donor_at(
            s->g, o.x * (2.0 / 3), o.y * (2.0 / 3),
            (4 * T - zm_march_sight_time(&sight, 2 * o.x, 2 * o.y, s->T[far])) / 3);
    return f;
}

/* Whether two donors may be mixed: fronts from different sources only to first order and
 * not factored. */
static bool may_mix(const site *s, const offer *p, const offer *q)
{
    return zm_march_same_front(s->m, s->cell, p->label, q->label) ||
           !(p->second || q->second || p->factored || q->factored);
}

typedef struct best {
    double time;
    zm_march_step step;
} best;

/* What to try in turn until the result is later than the donors: second differences, first
 * ones, first ones without factoring (factored.h). */
enum { AS_IT_IS, FIRST_ORDER, NOT_FACTORED, N_WAYS };

static const zm_local_donor *way_of(const offer *p, int way)
{
    return way == AS_IT_IS ? &p->donor : way == FIRST_ORDER ? &p->plain : &p->bare;
}

/* One donor alone. */
static void try_one(const offer *p, zm_local_offset o, best *b)
{
    double time = 0;
    int way = AS_IT_IS;

    for (; way < N_WAYS; way++) {
        const zm_local_donor *d = way_of(p, way);

        time = d->S + d->length;
        if (time > p->T)
            break;
    }
    if (time < b->time) {
        const bool second = p->second && way == AS_IT_IS;

        *b = (best){ time,
                     { .w = 1,
                       .m = { o, o },
                       .kind = ZM_NODE_DONORS,
                       .second = { second, second },
                       .factored = p->factored && way < NOT_FACTORED,
                       .label = p->label } };
    }
}

static void try_two(const site *s, const offer *p, const offer *q, zm_local_offset mp,
                    zm_local_offset mq, best *b)
{
    double w, time = 0;
    int way = AS_IT_IS;

    for (; way < N_WAYS; way++) {
        time = zm_local_two_donors(s->g, s->det, way_of(p, way), way_of(q, way), &w);
        if (!(w > 0 && w < 1))
            return;
        if (time > p->T && time > q->T)
            break;
    }
    if (time < b->time)
        *b = (best){ time,
                     { .w = w,
                       .m = { mp, mq },
                       .kind = ZM_NODE_DONORS,
                       .second = { p->second && way == AS_IT_IS,
                                   q->second && way == AS_IT_IS },
                       .factored = p->factored && way < NOT_FACTORED,
                       .label = w >= 0.5 ? p->label : q->label } };
}

double zm_march_refine_cell(zm_march *m, size_t cell, const double *T, int32_t before)
{
    const zm_cell_metric *g = &m->metric[cell];
    const zm_stencil_view stencil = zm_march_stencil(m, cell);
    const site s = { m, g, g->g11 * g->g22 - g->g12 * g->g12, cell, T, before };
    best b = { .time = (double)INFINITY };
    offer first = offer_of(&s, stencil.m[0]), last = first;

    for (int k = 0; k < stencil.n; k++) {
        const int next = k + 1 < stencil.n ? k + 1 : 0;
        const offer this = last;

        last = next ? offer_of(&s, stencil.m[next]) : first;
        if (!this.there)
            continue;
        try_one(&this, stencil.m[k], &b);
        if (last.there && may_mix(&s, &this, &last))
            try_two(&s, &this, &last, stencil.m[k], stencil.m[next], &b);
    }
    m->steps[cell] = b.step;
    return b.time;
}
