/* SPDX-License-Identifier: Apache-2.0
 * A topological order of the donor graph.
 *
 * A donor may be later than its cell (docs/theory.md, section 5), so sorting by T is not
 * enough: Kahn's algorithm takes a cell when all its users have been taken.  What it leaves
 * lies on cycles or is reached from one; there Tarjan's algorithm finds the strongly
 * connected parts, which come out donors first. */
#include <string.h>

#include "eikonal/blocks/graph.h"

enum { TAKEN = 255 }; /* in w->users: more than the 8 users a cell can have */

zm_blocks_donor_steps zm_blocks_donor_steps_of(int32_t cols)
{
    const ptrdiff_t row = cols, to_axis[4] = { -row, row, -1, 1 };
    const ptrdiff_t along[4] = { 1, 1, row, row };
    zm_blocks_donor_steps d;

    for (int code = 0; code < 32; code++) {
        const int from = code & 3;
        const ptrdiff_t axis = to_axis[from];
        const ptrdiff_t diagonal =
            axis + (code & ZM_CODE_BACK ? -along[from] : along[from]);

        d.axis[code] = code & ZM_CODE_DIAGONAL ? diagonal : axis;
        d.diagonal[code] = code & ZM_CODE_AXIS ? axis : diagonal;
    }
    return d;
}

static inline uint32_t step(uint32_t cell, ptrdiff_t by)
{
    return (uint32_t)((ptrdiff_t)cell + by);
}

static inline bool has_axis(uint8_t code)
{
    return !(code & ZM_CODE_DIAGONAL);
}

static inline bool has_diagonal(uint8_t code)
{
    return !(code & ZM_CODE_AXIS);
}

/* Users of every cell; returns the number of cells that have donors. */
static size_t count_users(const zm_solver *s, const uint8_t *code,
                          const zm_blocks_donor_steps *d, uint8_t *users)
{
    size_t with_donors = 0;

    memset(users, 0, s->cells);
    for (uint32_t k = 0; k < s->cells; k++) {
        const uint8_t c = code[k];

        if (c & ZM_CODE_NONE)
            continue;
        with_donors++;
        users[step(k, d->axis[c])] =
            (uint8_t)(users[step(k, d->axis[c])] + has_axis(c));
        users[step(k, d->diagonal[c])] =
            (uint8_t)(users[step(k, d->diagonal[c])] + has_diagonal(c));
    }
    return with_donors;
}

/* One user of this cell has been taken; true: it was the last, the cell is due. */
static inline bool release(uint8_t *users, const uint8_t *code, uint32_t cell)
{
    if (--users[cell] || code[cell] & ZM_CODE_NONE)
        return false;
    users[cell] = TAKEN;
    return true;
}

/* Kahn's algorithm, following donors as far as they are due before turning to the next
 * cell of the grid: neighbours in the order are neighbours in memory. */
static size_t kahn(const zm_solver *s, const uint8_t *code,
                   const zm_blocks_donor_steps *d, uint8_t *users, uint32_t *stack,
                   uint32_t *order)
{
    size_t n = 0;

    for (uint32_t first = 0; first < s->cells; first++) {
        size_t depth = 0;
        uint32_t k = first;

        if (users[first] || code[first] & ZM_CODE_NONE)
            continue;
        users[first] = TAKEN;
        for (;;) {
            const uint8_t c = code[k];
            const uint32_t a = step(k, d->axis[c]), b = step(k, d->diagonal[c]);
            const bool axis_due = has_axis(c) && release(users, code, a);
            const bool diagonal_due = has_diagonal(c) && release(users, code, b);

            order[n++] = k;
            if (axis_due) {
                if (diagonal_due)
                    stack[depth++] = b;
                k = a;
            } else if (diagonal_due) {
                k = b;
            } else if (depth) {
                k = stack[--depth];
            } else {
                break;
            }
        }
    }
    return n;
}

/* State of Tarjan's algorithm over the cells that are not TAKEN. */
typedef struct tarjan {
    const uint8_t *code;
    const zm_blocks_donor_steps *d;
    uint8_t *edges;         /* donors followed so far; TAKEN when the cell is done */
    uint32_t *index, *low;  /* by cell, 0: not seen */
    uint32_t *part, *calls; /* stacks */
    size_t n_part, n_calls;
    uint32_t counter;
    uint32_t *order; /* filled from `end` downwards */
    size_t end;
    size_t cyclic;
} tarjan;

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The part whose root is `root` is complete: take it from the stack into the order. */
static void tarjan_emit(tarjan *t, uint32_t root)
{
    const bool cycle = t->part[t->n_part - 1] != root;
    uint32_t flags = cycle ? ZM_BLOCKS_CYCLIC | ZM_BLOCKS_LAST : 0, cell;

    do {
        cell = t->part[--t->n_part];
        t->edges[cell] = TAKEN;
        t->order[--t->end] = cell | flags;
        t->cyclic += cycle;
        flags &= ~ZM_BLOCKS_LAST;
    } while (cell != root);
}

static void tarjan_from(tarjan *t, uint32_t root)
{
    t->calls[t->n_calls++] = root;
    while (t->n_calls) {
        const uint32_t k = t->calls[t->n_calls - 1];
        const uint8_t c = t->code[k];

        if (!t->index[k]) {
            t->index[k] = t->low[k] = ++t->counter;
            t->part[t->n_part++] = k;
        }
        if (t->edges[k] < 2) {
            const bool axis = t->edges[k]++ == 0;
            const uint32_t donor = step(k, axis ? t->d->axis[c] : t->d->diagonal[c]);

            if (t->code[donor] & ZM_CODE_NONE || t->edges[donor] == TAKEN)
                continue;
            if (!t->index[donor])
                t->calls[t->n_calls++] = donor;
            else
                t->low[k] = least(t->low[k], t->index[donor]);
            continue;
        }
        t->n_calls--;
        if (t->low[k] == t->index[k])
            tarjan_emit(t, k);
        if (t->n_calls) {
            const uint32_t parent = t->calls[t->n_calls - 1];

            t->low[parent] = least(t->low[parent], t->low[k]);
        }
    }
}

static size_t order_rest(const zm_solver *s, zm_workspace *w, zm_blocks_record *record,
                         const zm_blocks_donor_steps *d)
{
    uint32_t *words = (uint32_t *)(void *)w->lambda;
    uint32_t *stacks = (uint32_t *)(void *)w->scratch;
    tarjan t = { .code = record->code,
                 .d = d,
                 .edges = w->users,
                 .index = words,
                 .low = words + s->cells,
                 .part = stacks,
                 .calls = stacks + s->cells,
                 .order = record->order,
                 .end = record->n_order };

    memset(words, 0, s->cells * sizeof *w->lambda);
    for (uint32_t k = 0; k < s->cells; k++)
        if (t.edges[k] != TAKEN)
            t.edges[k] = 0;
    for (uint32_t k = 0; k < s->cells; k++)
        if (t.edges[k] != TAKEN && !(record->code[k] & ZM_CODE_NONE))
            tarjan_from(&t, k);
    return t.cyclic;
}

void zm_blocks_order(const zm_solver *s, zm_workspace *w, zm_blocks_record *record)
{
    const zm_blocks_donor_steps d = zm_blocks_donor_steps_of(s->grid.cols);
    uint32_t *stack = (uint32_t *)(void *)w->scratch;
    size_t taken;

    record->n_order = count_users(s, record->code, &d, w->users);
    taken = kahn(s, record->code, &d, w->users, stack, record->order);
    record->n_cyclic = taken < record->n_order ? order_rest(s, w, record, &d) : 0;
}
