/* SPDX-License-Identifier: Apache-2.0
 * Lists of points, rings and fronts that grow. */
#include <string.h>

#include "fire/front/markers.h"

static const size_t MOST_ELEMENTS = (size_t)1 << 30; /* their numbers fit an int32_t */

bool zm_marker_room(zm_markers *w, void *pointer_to_array, size_t *room, size_t used,
                    size_t count, size_t width)
{
    const size_t more = count + count / 2 + 16;
    void *old, *array = NULL;

    if (count <= *room)
        return true;
    if (!w->failed && more <= MOST_ELEMENTS)
        array = zm_block(&w->p->mem, more, width);
    if (!array) {
        w->failed = true;
        return false;
    }
    memcpy(&old, pointer_to_array, sizeof old);
    if (used > 0)
        memcpy(array, old, used * width);
    zm_release(&w->p->mem, old);
    memcpy(pointer_to_array, &array, sizeof array);
    *room = more;
    return true;
}

void zm_marker_ring_push(zm_markers *w, zm_ring *r, zm_marker point)
{
    if (zm_marker_room(w, &r->v, &r->room, r->n, r->n + 1, sizeof *r->v))
        r->v[r->n++] = point;
}

void zm_marker_rings_push(zm_markers *w, zm_rings *s, zm_ring ring)
{
    if (zm_marker_room(w, &s->v, &s->room, s->n, s->n + 1, sizeof *s->v))
        s->v[s->n++] = ring;
    else
        zm_release(&w->p->mem, ring.v);
}

void zm_marker_fronts_push(zm_markers *w, zm_front front)
{
    zm_fronts *s = &w->fronts;

    if (zm_marker_room(w, &s->v, &s->room, s->n, s->n + 1, sizeof *s->v))
        s->v[s->n++] = front;
    else
        zm_release(&w->p->mem, front.ring.v);
}

zm_ring zm_marker_ring_take(zm_markers *w)
{
    zm_ring ring = { 0 };

    if (w->spare.n > 0)
        ring = w->spare.v[--w->spare.n];
    ring.n = 0;
    return ring;
}

void zm_marker_ring_give(zm_markers *w, zm_ring ring)
{
    if (ring.v)
        zm_marker_rings_push(w, &w->spare, ring);
}

void zm_marker_rings_free(zm_markers *w, zm_rings *rings)
{
    for (size_t i = 0; i < rings->n; i++)
        zm_release(&w->p->mem, rings->v[i].v);
    zm_release(&w->p->mem, rings->v);
    *rings = (zm_rings){ 0 };
}

double zm_marker_ring_area(const zm_ring *r)
{
    double twice = 0;

    for (size_t i = 0; i < r->n; i++) {
        const zm_marker a = r->v[i], b = r->v[zm_ring_next(r, i)];

        twice += a.x * b.y - b.x * a.y;
    }
    return twice / 2;
}
