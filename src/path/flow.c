/* SPDX-License-Identifier: Apache-2.0
 * Velocity of the front, and the source it came from, for every cell. */
#include <math.h>

#include "adjoint/derivative.h"
#include "path/trail.h"
#include "zermelo/path.h"

static void put(void *plane, zm_dtype dtype, size_t i, double value)
{
    if (dtype == ZM_F32)
        ((float *)plane)[i] = (float)value;
    else
        ((double *)plane)[i] = value;
}

/* dx/dT = v / F(v); 0 at a source, NaN where nothing came.  In cells. */
static zm_place velocity(const zm_trail *trail, size_t cell)
{
    const zm_arrival a = zm_trail_arrival(trail, cell);
    const zm_cell_metric g = zm_terrain_metric(&trail->ground, cell);
    const double cost = zm_cost_of(&g, a.x, a.y);

    if (a.kind == ZM_STEP_NONE)
        return (zm_place){ (double)NAN, (double)NAN };
    return a.x == 0 && a.y == 0 ? (zm_place){ 0, 0 }
                                : (zm_place){ a.x / cost, a.y / cost };
}

zm_status zm_flow(zm_solver *solver, const zm_problem *problem, const void *T, void *vx,
                  void *vy, zm_error *err)
{
    zm_trail trail;
    const zm_status st = zm_trail_open(&trail, solver, problem, T, err);

    if (st != ZM_OK)
        return st;
    if (!vx || !vy)
        return zm_fail(err, ZM_E_ARG, -1, "%s is NULL", vx ? "vy" : "vx");
    for (size_t cell = 0; cell < solver->cells; cell++) {
        const zm_place v = velocity(&trail, cell);

        put(vx, solver->dtype, cell, v.x * solver->grid.dx);
        put(vy, solver->dtype, cell, v.y * solver->grid.dy);
    }
    return ZM_OK;
}

/* Labels of a march are in its record. */
static void march_labels(const zm_march *m, int32_t *labels)
{
    for (size_t i = 0; i < m->cells; i++)
        labels[i] = m->steps[i].kind == ZM_STEP_NONE ? -1 : (int32_t)m->label[i];
}

/* Labels under construction: not looked at; first, second donor being followed. */
enum { UNKNOWN = -2, SECOND = -4, NOWHERE = -5 };

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

/* Cells that only lead to others under way are tried again when those are known; they are
 * on cycles of donors, which hardly exist. */
static void tile_labels(const zm_trail *trail, int32_t *labels)
{
    const zm_solver *s = trail->s;
    const uint32_t *winner = zm_source_winners(s, s->lanes, trail->ground.problem);
    uint32_t *stack = (uint32_t *)(void *)s->lanes->lambda;
    bool again = true;

    for (size_t i = 0; i < s->cells; i++) {
        const zm_arrival a = zm_trail_arrival(trail, i);

        labels[i] = a.kind == ZM_STEP_NONE     ? -1
                    : a.kind == ZM_STEP_SOURCE ? (int32_t)winner[i]
                                               : UNKNOWN;
    }
    while (again) {
        again = false;
        for (uint32_t i = 0; i < s->cells; i++)
            if (labels[i] <= UNKNOWN) {
                labels[i] = UNKNOWN;
                label_from(trail, i, labels, stack);
                again |= labels[i] >= 0;
            }
    }
    for (size_t i = 0; i < s->cells; i++)
        labels[i] = labels[i] < 0 ? -1 : labels[i];
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
