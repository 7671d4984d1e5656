/* SPDX-License-Identifier: Apache-2.0
 * Memory of one problem with time intervals. */
#include <string.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/timed/timed.h"

enum { BASE_MOST = (2 * ZM_MOST_REACH + 1) * (2 * ZM_MOST_REACH + 1) };
enum { OFFSETS = (ZM_TIMED_REACH + 1) * (ZM_TIMED_REACH + 1) };

static bool workspace_fill(const zm_alloc *mem, zm_timed *s)
{
    const size_t n = s->cells;
    size_t *bytes = &s->part.bytes;

    return zm_take(mem, bytes, &s->values, 5 * ZM_TIMED_BLOCK, sizeof *s->values) &&
           zm_take(mem, bytes, &s->value_stopped, ZM_TIMED_BLOCK, 1) &&
           zm_take(mem, bytes, &s->crossed_first, OFFSETS, sizeof *s->crossed_first) &&
           zm_take(mem, bytes, &s->crossed_count, OFFSETS, sizeof *s->crossed_count) &&
           zm_take(mem, bytes, &s->stencil, ZM_STENCIL_MOST, sizeof *s->stencil) &&
           zm_take(mem, bytes, &s->base, BASE_MOST, sizeof *s->base) &&
           zm_take(mem, bytes, &s->T, n, sizeof *s->T) &&
           zm_take(mem, bytes, &s->heap.items, n, sizeof *s->heap.items) &&
           zm_take(mem, bytes, &s->heap.place, n, sizeof *s->heap.place) &&
           zm_take(mem, bytes, &s->donors, n, sizeof *s->donors) &&
           zm_take(mem, bytes, &s->order, 2 * n, sizeof *s->order) &&
           zm_take(mem, bytes, &s->rank, n, sizeof *s->rank) &&
           zm_take(mem, bytes, &s->alive, n, sizeof *s->alive) &&
           zm_take(mem, bytes, &s->waiting_first, n, sizeof *s->waiting_first);
}

zm_engine_part *zm_timed_create(const zm_solver *solver)
{
    const zm_grid grid = solver->grid;
    const zm_cell_metric even = { 1, 0, 1, 0, 0 };
    zm_timed *s = zm_zalloc(&solver->mem, 1, sizeof *s);
    int reach = 1;

    if (!s)
        return NULL;
    s->part.bytes = sizeof *s;
    s->grid = s->spacing = grid;
    s->dtype = solver->dtype;
    s->cost = solver->opts.cost;
    s->metric_bytes = solver->opts.metric_bytes;
    s->reach = solver->opts.reach;
    s->mem = solver->mem;
    s->cells = solver->cells;
    s->blocks_x = (grid.cols - 1) / ZM_TIMED_SIDE + 1;
    s->blocks_y = (grid.rows - 1) / ZM_TIMED_SIDE + 1;
    if (!workspace_fill(&solver->mem, s)) {
        zm_timed_destroy(solver, &s->part);
        return NULL;
    }
    s->n_base = zm_stencil_build_wide(&even, s->reach, s->base, &reach);
    memset(s->crossed_first, 0xFF, OFFSETS * sizeof *s->crossed_first);
    return &s->part;
}

static void store_release(zm_timed *s, zm_timed_store *store)
{
    const size_t blocks = (size_t)s->blocks_x * (size_t)s->blocks_y;

    for (size_t k = 0; k < store->room; k++) {
        for (size_t i = 0; store->table[k] && i < blocks; i++)
            zm_release(&s->mem, store->table[k][i]);
        zm_release(&s->mem, store->table[k]);
    }
    zm_release(&s->mem, store->table);
}

static void idle_release(zm_timed *s)
{
    while (s->idle) {
        zm_timed_block *next = s->idle->next;

        zm_release(&s->mem, s->idle);
        s->idle = next;
    }
}

void zm_timed_destroy(const zm_solver *solver, zm_engine_part *part)
{
    const zm_alloc *mem = &solver->mem;
    zm_timed *s = (zm_timed *)part;

    store_release(s, &s->metrics);
    store_release(s, &s->changes);
    idle_release(s);
    zm_release(mem, s->first_use);
    zm_release(mem, s->shares);
    zm_release(mem, s->weights);
    zm_release(mem, s->arrivals);
    zm_release(mem, s->segments);
    zm_release(mem, s->crossed);
    zm_release(mem, s->waiting);
    zm_release(mem, s->starts);
    zm_release(mem, s->waiting_first);
    zm_release(mem, s->alive);
    zm_release(mem, s->rank);
    zm_release(mem, s->order);
    zm_release(mem, s->donors);
    zm_release(mem, s->heap.place);
    zm_release(mem, s->heap.items);
    zm_release(mem, s->T);
    zm_release(mem, s->base);
    zm_release(mem, s->stencil);
    zm_release(mem, s->crossed_count);
    zm_release(mem, s->crossed_first);
    zm_release(mem, s->value_stopped);
    zm_release(mem, s->values);
    zm_release(mem, s);
}

bool zm_timed_grow_more(zm_timed *s, void *pointer_to_array, size_t *room, size_t wanted,
                        size_t size)
{
    const size_t had = *room;
    char *items;

    if (!zm_array_reserve_in(&s->mem, &s->part.bytes, pointer_to_array, room, wanted,
                             size)) {
        if (s->status == ZM_OK)
            s->status =
                zm_fail(&s->error, ZM_E_NOMEM, -1, "no memory for time intervals");
        return false;
    }
    memcpy(&items, pointer_to_array, sizeof items);
    memset(items + had * size, 0, (*room - had) * size);
    return true;
}
