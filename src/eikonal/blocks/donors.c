/* SPDX-License-Identifier: Apache-2.0
 * The donor graph of a solved problem: the donors of every cell, their weights, and an order in
 * which every cell comes before its donors. */
#include <stdatomic.h>
#include <string.h>

#include "eikonal/blocks/graph.h"

typedef struct donors_run {
    const zm_solver *s;
    const zm_workspace *workspaces;
    zm_blocks_record *record;
    const zm_blocks_grid *g;
    const zm_blocks_block *blocks; /* or NULL */
    atomic_int next;               /* row of blocks */
} donors_run;

/* Nothing came to this block. */
static void block_unreached(const donors_run *run, int32_t block)
{
    const size_t cols = (size_t)run->g->cols, real_size = zm_dtype_size(run->s->dtype);
    const size_t row = (size_t)(block / run->g->blocks_across) * ZM_BLOCK;
    const size_t col = (size_t)(block % run->g->blocks_across) * ZM_BLOCK;
    const size_t n = cols - col < ZM_BLOCK ? cols - col : ZM_BLOCK;

    for (size_t r = row; r < row + ZM_BLOCK && r < (size_t)run->g->rows; r++) {
        memset(run->record->code + r * cols + col, ZM_CODE_UNREACHED, n);
        memset((char *)run->record->offset + (r * cols + col) * real_size, 0,
               n * real_size);
    }
}

static void donors_thread(void *ctx, int32_t thread)
{
    donors_run *run = ctx;
    zm_blocks_worker *worker = &zm_blocks_work_of(&run->workspaces[thread])->worker;
    int32_t row;

    while ((row = atomic_fetch_add(&run->next, 1)) < run->g->blocks_down)
        for (int32_t col = 0; col < run->g->blocks_across; col++) {
            const int32_t block = row * run->g->blocks_across + col;

            if (run->blocks && run->blocks[block].visits == 0)
                block_unreached(run, block);
            else
                run->s->kernel->donors(run->g, worker, block, run->record->code,
                                       run->record->offset);
        }
}

static bool is_inside(zm_grid grid, int32_t row, int32_t col, zm_local_offset m)
{
    return row + m.y >= 0 && row + m.y < grid.rows && col + m.x >= 0 &&
           col + m.x < grid.cols;
}

/* A cell at the border whose donors would lie outside of the grid counts as not reached. */
static bool cell_check(const zm_solver *s, zm_blocks_record *record, int32_t row,
                       int32_t col)
{
    const size_t cell = (size_t)row * (size_t)s->grid.cols + (size_t)col;
    const uint8_t code = record->code[cell];
    const zm_blocks_donors d = zm_blocks_donors_of(code);

    if (code & ZM_CODE_NONE ||
        ((code & ZM_CODE_DIAGONAL || is_inside(s->grid, row, col, d.axis)) &&
         (code & ZM_CODE_AXIS || is_inside(s->grid, row, col, d.diagonal))))
        return true;
    record->code[cell] = ZM_CODE_UNREACHED;
    return false;
}

static bool border_check(const zm_solver *s, zm_blocks_record *record)
{
    const int32_t rows = s->grid.rows, cols = s->grid.cols;
    bool good = true;

    for (int32_t row = 0; row < rows; row++)
        for (int32_t col = 0; col < cols;
             col += row == 0 || row == rows - 1 || cols == 1 ? 1 : cols - 1)
            good = cell_check(s, record, row, col) && good;
    return good;
}

bool zm_blocks_donors_find(const zm_solver *s, const zm_workspace *workspaces,
                           int32_t threads, zm_blocks_record *record,
                           const zm_blocks_grid *g, const zm_blocks_block *blocks)
{
    donors_run run = {
        .s = s, .workspaces = workspaces, .record = record, .g = g, .blocks = blocks
    };

    zm_parallel(threads, donors_thread, &run);
    return border_check(s, record);
}

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

/* Fills record->order from record->code.
 *
 * A donor may be later than its cell (docs/theory.md, section 5), so sorting by T is not
 * enough: Kahn's algorithm takes a cell when all its users have been taken, following donors as
 * far as they are due before turning to the next cell of the grid, so that neighbours in the
 * order are neighbours in memory.  What it leaves lies on cycles or is reached from one; there
 * Tarjan's algorithm finds the strongly connected parts, which come out donors first. */
void zm_blocks_order_find(const zm_solver *s, zm_workspace *w, zm_blocks_record *record)
{
    const zm_blocks_donor_steps d = zm_blocks_donor_steps_of(s->grid.cols);
    const uint8_t *code = record->code;
    uint8_t *users = w->users;
    uint32_t *order = record->order, *stack = (uint32_t *)(void *)w->scratch;
    size_t n = 0;

    record->n_order = count_users(s, code, &d, users);
    for (uint32_t first = 0; first < s->cells; first++) {
        size_t depth = 0;
        uint32_t k = first;

        if (users[first] || code[first] & ZM_CODE_NONE)
            continue;
        users[first] = TAKEN;
        for (;;) {
            const uint8_t c = code[k];
            const uint32_t a = step(k, d.axis[c]), b = step(k, d.diagonal[c]);
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
    record->n_cyclic = n < record->n_order ? order_rest(s, w, record, &d) : 0;
}

zm_status zm_blocks_prepare(const zm_engine_view *v, bool derivatives, zm_error *err)
{
    zm_blocks_record *r = zm_engine_record_part(v->record, &zm_blocks_engine);

    if (r->state < ZM_BLOCKS_DONORS) {
        const zm_blocks_grid g = zm_blocks_grid_of(
            v->s, zm_blocks_work_of(v->workspaces), r, v->problem, v->T,
            v->record->unit);

        if (!zm_blocks_donors_find(v->s, v->workspaces, v->threads, r, &g, NULL))
            return zm_record_changed(err);
        r->state = ZM_BLOCKS_DONORS;
    }
    if (derivatives && r->state < ZM_BLOCKS_ORDERED) {
        zm_blocks_order_find(v->s, v->workspaces, r);
        r->state = ZM_BLOCKS_ORDERED;
    }
    return ZM_OK;
}
