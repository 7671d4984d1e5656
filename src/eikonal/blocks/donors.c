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

/* In w->users, beside how many of the 8 neighbours have the cell as a donor: */
enum { NEVER_DUE = ZM_CODE_NONE, /* (added) it has no donors itself */ TAKEN = 255 };

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

/* What a code says of its donors: the sweep and, for the diagonal donor, the side. */
enum {
    AXIS_BITS = 3 | ZM_CODE_DIAGONAL | ZM_CODE_NONE,
    DIAGONAL_BITS = 3 | ZM_CODE_BACK | ZM_CODE_AXIS | ZM_CODE_NONE
};

static inline uint8_t has_axis(uint8_t code, unsigned from)
{
    return (code & AXIS_BITS) == from;
}

/* Diagonal donors are seen from two sweeps each. */
static inline uint8_t has_diagonal(uint8_t code, unsigned from, unsigned or_from)
{
    const uint8_t bits = code & DIAGONAL_BITS;

    return (uint8_t)((bits == from) | (bits == or_from));
}

/* Users of the cells [begin, end), none of them in the first or last row: the neighbours that
 * have them as donors, and NEVER_DUE of cells that have no donors themselves.  Donors lie inside
 * of the grid, so that no neighbour beyond the end of a row counts. */
static void count_users_within(const uint8_t *code, size_t row, size_t begin, size_t end,
                                 uint8_t *users)
{
    for (size_t k = begin; k < end; k++) {
        const int along =
            has_axis(code[k + row], ZM_FROM_N) + has_axis(code[k - row], ZM_FROM_S) +
            has_axis(code[k + 1], ZM_FROM_W) + has_axis(code[k - 1], ZM_FROM_E);
        const int across =
            has_diagonal(code[k + row + 1], ZM_FROM_N | ZM_CODE_BACK, ZM_FROM_W | ZM_CODE_BACK) +
            has_diagonal(code[k + row - 1], ZM_FROM_N, ZM_FROM_E | ZM_CODE_BACK) +
            has_diagonal(code[k - row + 1], ZM_FROM_S | ZM_CODE_BACK, ZM_FROM_W) +
            has_diagonal(code[k - row - 1], ZM_FROM_S, ZM_FROM_E);

        users[k] = (uint8_t)((along + across) | (code[k] & NEVER_DUE));
    }
}
#define EACH_BYTE 0x0101010101010101u

static uint8_t users_at_rim(const zm_solver *s, const uint8_t *code,
                            const zm_blocks_donor_steps *d, int32_t row, int32_t col)
{
    const uint32_t cell = (uint32_t)row * (uint32_t)s->grid.cols + (uint32_t)col;
    unsigned users = code[cell] & NEVER_DUE;

    for (int k = 0; k < ZM_STENCIL_PLAIN; k++) {
        const zm_local_offset to = zm_stencil_plain[k];

        if (!is_inside(s->grid, row, col, to))
            continue;
        const uint32_t user = step(cell, (ptrdiff_t)to.y * s->grid.cols + to.x);
        const uint8_t c = code[user];

        users += !(c & NEVER_DUE) &&
                 (step(user, d->axis[c]) == cell || step(user, d->diagonal[c]) == cell);
    }
    return (uint8_t)users;
}

/* Users of every cell; returns the number of cells that have donors. */
static size_t count_users(const zm_solver *s, const uint8_t *code,
                          const zm_blocks_donor_steps *d, uint8_t *users)
{
    const int32_t rows = s->grid.rows, cols = s->grid.cols;
    const size_t row = (size_t)cols, begin = row + 1;
    const size_t end = s->cells > 2 * begin ? s->cells - begin : begin;
    size_t none = 0, k = 0;

    count_users_within(code, row, begin, end, users);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c += r == 0 || r == rows - 1 || cols == 1 ? 1 : cols - 1)
            users[(size_t)r * row + (size_t)c] = users_at_rim(s, code, d, r, c);
    for (uint64_t eight; s->cells - k >= sizeof eight; k += sizeof eight) {
        memcpy(&eight, users + k, sizeof eight);
        none += (eight >> 7 & EACH_BYTE) * EACH_BYTE >> 56;
    }
    for (; k < s->cells; k++)
        none += users[k] >= NEVER_DUE;
    return s->cells - none;
}

/* One user less for a cell, or none less; true: that was the last, the cell is due. */
static inline bool release(uint8_t *users, uint32_t cell, unsigned fewer)
{
    const uint8_t left = (uint8_t)(users[cell] - fewer);
    const bool due = left == 0;

    users[cell] = (uint8_t)(left - due); /* 0 becomes TAKEN */
    return due;
}

/* Takes the cells of [begin, end) that have no user into `order`; returns how many. */
static size_t take_unused(uint8_t *users, size_t begin, size_t end, uint32_t *order)
{
    size_t n = 0;

    for (size_t k = begin; k < end; k++) {
        uint64_t eight = 1;

        if (end - k >= sizeof eight)
            memcpy(&eight, users + k, sizeof eight);
        if (!((eight - EACH_BYTE) & ~eight & EACH_BYTE << 7) && end - k >= sizeof eight) {
            k += sizeof eight - 1; /* no byte is 0 */
            continue;
        }
        if (users[k])
            continue;
        users[k] = TAKEN;
        order[n++] = (uint32_t)k;
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

/* Cells without users are taken so many of the grid at a time: enough for a queue of some dozens,
 * near each other. */
enum { TAKEN_AT_ONCE = 1 << 14 };

/* Fills record->order from record->code.
 *
 * A donor may be later than its cell (docs/theory.md, section 5), so sorting by T is not
 * enough: Kahn's algorithm takes a cell when all its users have been taken.  The order is its own
 * queue, which begins with the cells without users of one stretch of the grid and runs empty
 * before the next: cells in it do not wait for each other, as they would if each were followed
 * as far as it goes, and they are near each other in memory.  There is no branch on what is due,
 * which could not be predicted.  What is left lies on cycles or is reached from one; there
 * Tarjan's algorithm finds the strongly connected parts, which come out donors first. */
void zm_blocks_order_find(const zm_solver *s, zm_workspace *w, zm_blocks_record *record)
{
    const zm_blocks_donor_steps d = zm_blocks_donor_steps_of(s->grid.cols);
    const uint8_t *code = record->code;
    uint8_t *users = w->users;
    uint32_t *order = record->order;
    size_t n = 0, next = 0;

    record->n_order = count_users(s, code, &d, users);
    for (size_t begin = 0; begin < s->cells; begin += TAKEN_AT_ONCE) {
        const size_t left = s->cells - begin;

        n += take_unused(users, begin, begin + (left < TAKEN_AT_ONCE ? left : TAKEN_AT_ONCE),
                         order + n);
        for (; next < n; next++) {
            const uint32_t k = order[next];
            const uint8_t c = code[k];
            const uint32_t a = step(k, d.axis[c]), b = step(k, d.diagonal[c]);

            order[n] = a; /* counts if it is due */
            n += release(users, a, 1);
            order[n] = b;
            n += release(users, b, a != b);
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
