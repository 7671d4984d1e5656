/* SPDX-License-Identifier: Apache-2.0
 * Where a front crosses itself: it is taken apart into loops that do not. */
#include <math.h>

#include "core/fail.h"
#include "fire/front/markers.h"

static const double SLOT = 2; /* cells: about as long as a segment */

/** The ring goes through `at` between points first and first + 1, then again between second
 *  and second + 1. */
typedef struct crossing {
    size_t first, second;
    zm_marker at;
} crossing;

typedef struct slot_box {
    int32_t row0, row1, col0, col1;
} slot_box;

zm_status zm_marker_slots_open(zm_markers *w, zm_error *err)
{
    zm_slots *s = &w->slots;
    size_t n;

    s->rows = (int32_t)((w->p->land.rows + 2 * w->margin) / SLOT) + 1;
    s->cols = (int32_t)((w->p->land.cols + 2 * w->margin) / SLOT) + 1;
    n = (size_t)s->rows * (size_t)s->cols;
    s->head = zm_block(&w->p->mem, n, sizeof *s->head);
    if (!s->head)
        return zm_fail(err, ZM_E_NOMEM, -1, "map of the front, %zu squares", n);
    for (size_t i = 0; i < n; i++)
        s->head[i] = -1;
    return ZM_OK;
}

void zm_marker_slots_close(zm_markers *w)
{
    zm_release(&w->p->mem, w->slots.head);
    zm_release(&w->p->mem, w->slots.entry);
    w->slots = (zm_slots){ 0 };
}

static slot_box box_of(const zm_markers *w, zm_marker a, zm_marker b)
{
    return (slot_box){ (int32_t)((fmin(a.y, b.y) + w->margin) / SLOT),
                       (int32_t)((fmax(a.y, b.y) + w->margin) / SLOT),
                       (int32_t)((fmin(a.x, b.x) + w->margin) / SLOT),
                       (int32_t)((fmax(a.x, b.x) + w->margin) / SLOT) };
}

/* a + t (b - a) = c + u (d - c) with t and u between 0 and 1. */
static bool segments_cross(zm_marker a, zm_marker b, zm_marker c, zm_marker d,
                           zm_marker *at)
{
    const double rx = b.x - a.x, ry = b.y - a.y, sx = d.x - c.x, sy = d.y - c.y;
    const double det = rx * sy - ry * sx;
    const double t = ((c.x - a.x) * sy - (c.y - a.y) * sx) / det;
    const double u = ((c.x - a.x) * ry - (c.y - a.y) * rx) / det;

    if (!(t > 0 && t < 1 && u > 0 && u < 1)) /* also where det is 0 */
        return false;
    *at = (zm_marker){ a.x + t * rx, a.y + t * ry,
                       (a.rate + b.rate + c.rate + d.rate) / 4 };
    return true;
}

/* The last of the segments before i in these slots that segment i crosses. */
static bool crosses_earlier(const zm_markers *w, const zm_ring *r, size_t i,
                            slot_box box, crossing *out)
{
    const zm_slots *s = &w->slots;
    const size_t after = zm_ring_next(r, i);
    bool found = false;
    zm_marker at;

    for (int32_t row = box.row0; row <= box.row1; row++)
        for (int32_t col = box.col0; col <= box.col1; col++)
            for (int32_t e = s->head[(size_t)row * (size_t)s->cols + (size_t)col];
                 e >= 0; e = s->entry[e].next) {
                const size_t j = (size_t)s->entry[e].segment;

                if (j + 1 == i || j == after || (found && j <= out->first))
                    continue;
                if (segments_cross(r->v[i], r->v[after], r->v[j],
                                   r->v[zm_ring_next(r, j)], &at)) {
                    *out = (crossing){ j, i, at };
                    found = true;
                }
            }
    return found;
}

static void enter(zm_markers *w, size_t segment, slot_box box)
{
    zm_slots *s = &w->slots;

    for (int32_t row = box.row0; row <= box.row1; row++)
        for (int32_t col = box.col0; col <= box.col1; col++) {
            const int32_t slot = row * s->cols + col;

            if (!zm_marker_room(w, &s->entry, &s->room, s->n, s->n + 1,
                                sizeof *s->entry))
                return;
            s->entry[s->n] = (zm_slot_entry){ (int32_t)segment, s->head[slot], slot };
            s->head[slot] = (int32_t)s->n++;
        }
}

static bool first_crossing(zm_markers *w, const zm_ring *r, crossing *out)
{
    bool found = false;

    for (size_t i = 0; i < r->n && !found; i++) {
        const slot_box box = box_of(w, r->v[i], r->v[zm_ring_next(r, i)]);

        found = crosses_earlier(w, r, i, box, out);
        if (!found)
            enter(w, i, box);
    }
    for (size_t e = 0; e < w->slots.n; e++)
        w->slots.head[w->slots.entry[e].slot] = -1;
    w->slots.n = 0;
    return found;
}

/* Two rings that meet where one crossed itself. */
static void cut(zm_markers *w, const zm_ring *r, const crossing *x, double time)
{
    const zm_marker at = zm_marker_stop_at_barrier(w, r->v[x->first], x->at, time);
    zm_ring outer = zm_marker_ring_take(w), inner = zm_marker_ring_take(w);

    for (size_t k = 0; k <= x->first; k++)
        zm_marker_ring_push(w, &outer, r->v[k]);
    zm_marker_ring_push(w, &outer, at);
    for (size_t k = x->second + 1; k < r->n; k++)
        zm_marker_ring_push(w, &outer, r->v[k]);
    zm_marker_ring_push(w, &inner, at);
    for (size_t k = x->first + 1; k <= x->second; k++)
        zm_marker_ring_push(w, &inner, r->v[k]);
    zm_marker_rings_push(w, &w->todo, outer);
    zm_marker_rings_push(w, &w->todo, inner);
}

void zm_marker_split(zm_markers *w, zm_ring ring, double time)
{
    crossing x = { 0 };

    w->loops.n = 0;
    zm_marker_rings_push(w, &w->todo, ring);
    while (w->todo.n > 0) {
        const zm_ring r = w->todo.v[--w->todo.n];

        if (r.n >= 3 && !w->failed) {
            if (!first_crossing(w, &r, &x)) {
                zm_marker_rings_push(w, &w->loops, r);
                continue;
            }
            cut(w, &r, &x, time);
        }
        zm_marker_ring_give(w, r);
    }
}
