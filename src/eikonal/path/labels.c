/* SPDX-License-Identifier: Apache-2.0
 * Which source the front that came to each cell set out from. */
#include "eikonal/record/derivative.h"
#include "eikonal/path/trace.h"
#include "zermelo/path.h"

/* Labels of a march are in its record. */
static void march_labels(const zm_march *m, int32_t *labels)
{
    for (size_t i = 0; i < m->cells; i++)
        labels[i] =
            m->steps[i].kind == ZM_STEP_NONE ? -1 : (int32_t)zm_march_source(m, i);
}

/* Labels under construction: not looked at; second donor being followed. */
enum { UNKNOWN = -2, SECOND = -4, NOWHERE = -5 };

/* When the front that came to a donor goes on to the cell. */
static double time_from(const zm_trail *trail, size_t cell, const zm_arrival *a, int i)
{
    const int32_t cols = trail->ground.grid.cols;
    const int32_t row = (int32_t)cell / cols, col = (int32_t)cell % cols;
    zm_passing by;

    zm_passing_by(trail, row + a->m[i].y, col + a->m[i].x, (zm_place){ col, row }, &by);
    return by.time;
}

/* Label of a cell, both of whose donors have theirs if they ever will: where fronts of two
 * sources meet, that of the one which alone would come first. */
static int32_t label_of(const zm_trail *trail, size_t cell, const int32_t *labels)
{
    const zm_arrival a = zm_trail_arrival(trail, cell);
    const int32_t first = labels[zm_trail_donor(trail, cell, &a, 0)];
    const int32_t second = labels[zm_trail_donor(trail, cell, &a, 1)];

    if (first < 0 || second < 0)
        return first < 0 ? second : first;
    return first != second &&
                   time_from(trail, cell, &a, 1) < time_from(trail, cell, &a, 0)
               ? second
               : first;
}

/* Follows donors from a cell to one whose label is known, the heavier ones first and
 * back where they go round in circles, and gives it to all on the way. */
static void label_from(const zm_trail *trail, uint32_t first, int32_t *labels,
                       uint32_t *stack)
{
    size_t depth = 0;

    stack[depth++] = first;
    while (depth > 0) {
        const uint32_t cell = stack[depth - 1];
        const zm_arrival a = zm_trail_arrival(trail, cell);
        size_t donor;

        if (--labels[cell] < SECOND) {
            labels[cell] = NOWHERE;
            depth--;
            continue;
        }
        donor = zm_trail_donor(trail, cell, &a, labels[cell] == SECOND);
        if (labels[donor] >= 0) {
            while (depth > 0)
                labels[stack[--depth]] = labels[donor];
        } else if (labels[donor] == UNKNOWN) {
            stack[depth++] = (uint32_t)donor;
        }
    }
}

/* Cells on cycles of donors, which hardly exist, one by one.  Those that only lead to
 * others under way are tried again when these are known. */
static void label_cyclic(const zm_trail *trail, int32_t *labels)
{
    uint32_t *stack = (uint32_t *)(void *)trail->s->lanes->lambda;
    bool again = true;

    while (again) {
        again = false;
        for (uint32_t i = 0; i < trail->s->cells; i++)
            if (labels[i] <= UNKNOWN) {
                labels[i] = UNKNOWN;
                label_from(trail, i, labels, stack);
                again |= labels[i] >= 0;
            }
    }
    for (size_t i = 0; i < trail->s->cells; i++)
        labels[i] = labels[i] < 0 ? -1 : labels[i];
}

/* Sources first, then along the order of the donor graph. */
static void tile_labels(const zm_trail *trail, int32_t *labels)
{
    zm_solver *s = trail->s;
    zm_record *r = &s->records[0];
    const uint32_t *winner;

    zm_graph_prepare(s, s->lanes, r, trail->ground.problem, trail->T, s->threads);
    winner = zm_source_winners(s, s->lanes, trail->ground.problem);
    for (size_t i = 0; i < s->cells; i++) {
        const zm_arrival a = zm_trail_arrival(trail, i);

        labels[i] = a.kind == ZM_STEP_NONE     ? -1
                    : a.kind == ZM_STEP_SOURCE ? (int32_t)winner[i]
                                               : UNKNOWN;
    }
    for (size_t i = r->n_order; i-- > 0;) {
        const size_t cell = r->order[i] & ZM_ORDER_CELL;

        if (labels[cell] == UNKNOWN)
            labels[cell] = label_of(trail, cell, labels);
    }
    label_cyclic(trail, labels);
}

zm_status zm_labels(zm_solver *solver, const zm_problem *problem, const void *T,
                    int32_t *labels, zm_error *err)
{
    zm_trail trail;
    const zm_status st = zm_trail_open(&trail, solver, problem, T, err);

    if (st != ZM_OK)
        return st;
    if (!labels)
        return zm_fail(err, ZM_E_ARG, -1, "labels is NULL");
    if (trail.record->marched)
        march_labels(trail.record->march, labels);
    else
        tile_labels(&trail, labels);
    return ZM_OK;
}
