/* SPDX-License-Identifier: Apache-2.0
 * Marker perimeters around cells that are set on fire: an observed perimeter, say. */
#include <math.h>
#include <stdlib.h>

#include "core/fail.h"
#include "fire/front/markers.h"

/* Sides of a cell in the order in which a front goes around it, so that what burns lies to
 * its right on a map whose rows go down.  A point stands in the middle of a side, just
 * outside, where it finds the ground that is to burn next. */
enum { SIDES = 4 };
static const int32_t ALONG[SIDES][2] = { { 0, 1 }, { 1, 0 }, { 0, -1 }, { -1, 0 } };
static const int32_t OUTWARD[SIDES][2] = { { -1, 0 }, { 0, 1 }, { 1, 0 }, { 0, -1 } };
static const double FROM_MIDDLE = 0.501; /* cells */

enum { MOST_TIMES = 64 };  /* of sources: each costs as much as a fire */
enum { LIT = 1 << SIDES }; /* above the bits of sides that are still to be gone along */

typedef struct spot {
    double time;
    int32_t row, col;
} spot;

typedef struct outline {
    zm_markers *w;
    uint8_t *state; /* by cell */
} outline;

static int by_time(const void *a, const void *b)
{
    const spot *s = a, *t = b;

    if (s->time != t->time)
        return s->time < t->time ? -1 : 1;
    return s->row != t->row ? s->row - t->row : s->col - t->col;
}

static bool is_lit(const outline *o, int32_t row, int32_t col)
{
    const zm_landscape *land = &o->w->p->land;

    return row >= 0 && col >= 0 && row < land->rows && col < land->cols &&
           o->state[zm_cell_number(o->w->p, row, col)] & LIT;
}

/* Around the cells that are lit, from this side of a cell on.  Cells that touch at a corner
 * alone have rings of their own. */
static zm_ring follow(outline *o, int32_t row, int32_t col, int side)
{
    zm_ring ring = zm_marker_ring_take(o->w);
    uint8_t *state = &o->state[zm_cell_number(o->w->p, row, col)];

    while (*state & 1u << side) {
        const int32_t *along = ALONG[side], *out = OUTWARD[side];

        *state &= (uint8_t) ~(1u << side);
        zm_marker_ring_push(o->w, &ring,
                            (zm_marker){ col + 0.5 + FROM_MIDDLE * out[1],
                                         row + 0.5 + FROM_MIDDLE * out[0], HUGE_VAL });
        if (!is_lit(o, row + along[0], col + along[1])) {
            side = (side + 1) % SIDES;
        } else {
            row += along[0];
            col += along[1];
            if (is_lit(o, row + out[0], col + out[1])) {
                row += out[0];
                col += out[1];
                side = (side + SIDES - 1) % SIDES;
            }
        }
        state = &o->state[zm_cell_number(o->w->p, row, col)];
    }
    return ring;
}

/* Fronts of cells that are lit at one time. */
static void surround(outline *o, const spot *spots, size_t n)
{
    for (size_t i = 0; i < n; i++)
        o->state[zm_cell_number(o->w->p, spots[i].row, spots[i].col)] = LIT;
    for (size_t i = 0; i < n; i++)
        for (int side = 0; side < SIDES; side++)
            if (!is_lit(o, spots[i].row + OUTWARD[side][0],
                        spots[i].col + OUTWARD[side][1]))
                o->state[zm_cell_number(o->w->p, spots[i].row, spots[i].col)] |=
                    (uint8_t)(1u << side);
    for (size_t i = 0; i < n; i++)
        for (int side = 0; side < SIDES; side++) {
            zm_front f = { follow(o, spots[i].row, spots[i].col, side), spots[i].time,
                           0, false };

            f.inward = zm_marker_ring_area(&f.ring) < 0;
            if (f.ring.n > 0)
                zm_marker_fronts_push(o->w, f);
            else
                zm_marker_ring_give(o->w, f.ring);
        }
    for (size_t i = 0; i < n; i++)
        o->state[zm_cell_number(o->w->p, spots[i].row, spots[i].col)] = 0;
}

zm_status zm_marker_light(zm_markers *w, zm_error *err)
{
    const zm_alloc *mem = &w->p->mem;
    const zm_source *sources = w->sources;
    const size_t n = w->n_sources;
    outline o = { .w = w };
    spot *spots = zm_block(mem, n, sizeof *spots);
    size_t times = 0;
    zm_status st = ZM_OK;

    o.state = zm_zalloc(mem, (size_t)w->p->land.rows * (size_t)w->p->land.cols, 1);
    if (!spots || !o.state) {
        st = zm_fail(err, ZM_E_NOMEM, -1, "fronts around %zu sources", n);
    } else {
        for (size_t i = 0; i < n; i++)
            spots[i] = (spot){ sources[i].time, (int32_t)sources[i].row,
                               (int32_t)sources[i].col };
        qsort(spots, n, sizeof *spots, by_time);
        for (size_t i = 0, end; i < n && times <= MOST_TIMES; i = end, times++) {
            for (end = i + 1; end < n && spots[end].time == spots[i].time; end++)
                ;
            surround(&o, spots + i, end - i);
        }
        if (times > MOST_TIMES)
            st = zm_fail(err, ZM_E_SOURCE, -1,
                         "sources have more than %d different times, each of which "
                         "would be a fire of its own: round them, or take "
                         "ZM_FRONT_TRAVEL_TIME",
                         MOST_TIMES);
    }
    zm_release(mem, o.state);
    zm_release(mem, spots);
    return st;
}
