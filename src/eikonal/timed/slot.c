/* SPDX-License-Identifier: Apache-2.0
 * Memory of one problem with bands. */
#include "eikonal/timed/slot.h"

#include <string.h>

#include "core/fail.h"
#include "core/memory.h"

enum { BASE_MOST = (2 * ZM_BANDS_MOST_REACH + 1) * (2 * ZM_BANDS_MOST_REACH + 1) };
enum { OFFSETS = (ZM_BANDS_REACH + 1) * (ZM_BANDS_REACH + 1) };

static bool take(zm_bands_slot *s, void *pointer_to_array, size_t count, size_t size)
{
    return zm_take(&s->mem, &s->bytes, pointer_to_array, count, size);
}

zm_status zm_bands_slot_create(zm_bands_slot **out, zm_grid grid,
                               const zm_bands_opts *opts, const zm_alloc *mem,
                               zm_error *err)
{
    const zm_cell_metric even = { 1, 0, 1, 0, 0 };
    zm_bands_slot *s = zm_zalloc(mem, 1, sizeof *s);
    int reach = 1;
    size_t n;

    *out = NULL;
    if (!s)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for a problem with bands");
    zm_grid_cells(grid, &n);
    s->grid = grid;
    s->cost = opts->cost;
    s->metric_bytes = opts->metric_bytes;
    s->reach = opts->reach;
    s->mem = *mem;
    s->bytes = sizeof *s;
    s->cells = n;
    s->blocks_x = (grid.cols + ZM_BANDS_SIDE - 1) / ZM_BANDS_SIDE;
    s->blocks_y = (grid.rows + ZM_BANDS_SIDE - 1) / ZM_BANDS_SIDE;
    if (!take(s, &s->values, 5 * ZM_BANDS_BLOCK, sizeof *s->values) ||
        !take(s, &s->value_stopped, ZM_BANDS_BLOCK, 1) ||
        !take(s, &s->crossed_first, OFFSETS, sizeof *s->crossed_first) ||
        !take(s, &s->crossed_count, OFFSETS, sizeof *s->crossed_count) ||
        !take(s, &s->fan, ZM_STENCIL_MOST, sizeof *s->fan) ||
        !take(s, &s->fan_base, BASE_MOST, sizeof *s->fan_base) ||
        !take(s, &s->T, n, sizeof *s->T) ||
        !take(s, &s->heap.items, n, sizeof *s->heap.items) ||
        !take(s, &s->heap.place, n, sizeof *s->heap.place) ||
        !take(s, &s->steps, n, sizeof *s->steps) ||
        !take(s, &s->order, 2 * n, sizeof *s->order) ||
        !take(s, &s->rank, n, sizeof *s->rank) ||
        !take(s, &s->alive, n, sizeof *s->alive) ||
        !take(s, &s->waiting_first, n, sizeof *s->waiting_first)) {
        zm_bands_slot_destroy(s);
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for bands on %zu cells", n);
    }
    s->n_fan_base = zm_stencil_build_wide(&even, s->reach, s->fan_base, &reach);
    memset(s->crossed_first, 0xFF, OFFSETS * sizeof *s->crossed_first);
    *out = s;
    return ZM_OK;
}

static void store_release(zm_bands_slot *s, zm_band_store *store)
{
    const size_t blocks = (size_t)s->blocks_x * (size_t)s->blocks_y;

    for (size_t band = 0; band < store->room; band++) {
        for (size_t i = 0; store->table[band] && i < blocks; i++)
            zm_release(&s->mem, store->table[band][i]);
        zm_release(&s->mem, store->table[band]);
    }
    zm_release(&s->mem, store->table);
}

static void idle_release(zm_bands_slot *s)
{
    while (s->idle) {
        zm_band_block *next = s->idle->next;

        zm_release(&s->mem, s->idle);
        s->idle = next;
    }
}

void zm_bands_slot_destroy(zm_bands_slot *s)
{
    zm_alloc mem;

    if (!s)
        return;
    mem = s->mem;
    store_release(s, &s->metrics);
    store_release(s, &s->changes);
    idle_release(s);
    zm_release(&mem, s->first_use);
    zm_release(&mem, s->shares);
    zm_release(&mem, s->pending);
    zm_release(&mem, s->lambda);
    zm_release(&mem, s->weights);
    zm_release(&mem, s->legs);
    zm_release(&mem, s->crossed);
    zm_release(&mem, s->waiting);
    zm_release(&mem, s->waiting_first);
    zm_release(&mem, s->alive);
    zm_release(&mem, s->rank);
    zm_release(&mem, s->order);
    zm_release(&mem, s->steps);
    zm_release(&mem, s->heap.place);
    zm_release(&mem, s->heap.items);
    zm_release(&mem, s->T);
    zm_release(&mem, s->fan_base);
    zm_release(&mem, s->fan);
    zm_release(&mem, s->crossed_count);
    zm_release(&mem, s->crossed_first);
    zm_release(&mem, s->value_stopped);
    zm_release(&mem, s->values);
    zm_release(&mem, s);
}
