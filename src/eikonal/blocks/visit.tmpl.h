/* SPDX-License-Identifier: Apache-2.0
 * A visit to a block: fetch it with its halo, sweep until nothing changes, write it back and
 * tell the neighbours.  Include fetch.tmpl.h first. */

static block_coefs *slot_of(const zm_blocks_worker *w, int32_t block)
{
    return (block_coefs *)w->coefs + w->slot_of_block[block];
}

static void slot_take(zm_blocks_worker *w, int32_t block)
{
    const int32_t slot = w->next_slot;

    w->next_slot = slot + 1 == w->n_slots ? 0 : slot + 1;
    if (w->block_of_slot[slot] >= 0)
        w->slot_of_block[w->block_of_slot[slot]] = -1;
    w->block_of_slot[slot] = block;
    w->slot_of_block[block] = slot;
}

/* The slot of a block, with its walls found out and no line built when it is new. */
static block_coefs *coefs_of(const zm_blocks_grid *g, zm_blocks_worker *w,
                             const block_box *b, int32_t block)
{
    uint64_t walls[ZM_BLOCK + 2];
    block_coefs *coefs;

    if (w->slot_of_block[block] >= 0)
        return slot_of(w, block);
    slot_take(w, block);
    coefs = slot_of(w, block);
    coefs->built[0] = coefs->built[1] = 0;
    coefs->walls.any = 0;
    if (walls_fetch(g, b, walls))
        walls_cut(walls, &coefs->walls);
    coefs->any_closed = closed_cells(b, walls, coefs->closed[0]);
    if (coefs->any_closed)
        zm_blocks_transpose(coefs->closed[0], coefs->closed[1]);
    return coefs;
}

/* T of the block and its halo, INFINITY beyond the grid. */
static void times_fetch(const zm_blocks_grid *g, const block_box *b, sweeper *s)
{
    const real *T = (const real *)g->T + b->row * (size_t)g->cols + b->col;
    const ptrdiff_t r0 = b->north ? -1 : 0,
                    r1 = (ptrdiff_t)b->rows + (b->south ? 1 : 0);
    const ptrdiff_t c0 = b->west ? -1 : 0, c1 = (ptrdiff_t)b->cols + (b->east ? 1 : 0);
    const bool whole = b->north && b->south && b->west && b->east;

    if (!whole)
        for (size_t i = 0; i < sizeof s->T[0] / sizeof s->T[0][0]; i++)
            s->T[0][i] = (real)INFINITY;
    for (ptrdiff_t r = r0; r < r1; r++) {
        const real *from = T + r * (ptrdiff_t)g->cols;
        real *to = line_of(s, 0, r);

        if (c1 - c0 == ZM_BLOCK + 2) {
            to[-1] = from[-1];
            for (size_t c = 0; c < ZM_BLOCK; c += VL)
                vst(to + c, vld(from + c));
            to[ZM_BLOCK] = from[ZM_BLOCK];
        } else {
            memcpy(to + c0, from + c0, (size_t)(c1 - c0) * sizeof *to);
        }
    }
}

static void times_store(const zm_blocks_grid *g, const block_box *b, sweeper *s)
{
    real *T = (real *)g->T + b->row * (size_t)g->cols + b->col;

    for (size_t r = 0; r < b->rows; r++) {
        const real *from = line_of(s, 0, (ptrdiff_t)r);
        real *to = T + r * (size_t)g->cols;

        if (b->cols == ZM_BLOCK)
            for (size_t c = 0; c < ZM_BLOCK; c += VL)
                vst(to + c, vld(from + c));
        else
            memcpy(to, from, b->cols * sizeof *to);
    }
}

static void times_transpose(sweeper *s, int from, bool halo)
{
    for (ptrdiff_t r = 0; r < ZM_BLOCK; r += VL)
        for (ptrdiff_t c = 0; c < ZM_BLOCK; c += VL)
            vtranspose(line_of(s, from, r) + c, LINE, line_of(s, !from, c) + r, LINE);
    if (!halo)
        return;
    for (ptrdiff_t r = -1; r <= ZM_BLOCK; r++) {
        line_of(s, !from, -1)[r] = line_of(s, from, r)[-1];
        line_of(s, !from, ZM_BLOCK)[r] = line_of(s, from, r)[ZM_BLOCK];
    }
    for (ptrdiff_t c = 0; c < ZM_BLOCK; c++) {
        line_of(s, !from, c)[-1] = line_of(s, from, -1)[c];
        line_of(s, !from, c)[ZM_BLOCK] = line_of(s, from, ZM_BLOCK)[c];
    }
}

static void due_all(sweeper *s)
{
    for (int k = 0; k < 4; k++) {
        s->due[k].lines = INNER_LINES;
        for (int l = 0; l < ZM_BLOCK + 2; l++)
            s->due[k].vectors[l] = ALL_VECTORS;
    }
}

static void due_add(due_lines *due, unsigned line, uint32_t vectors)
{
    due->lines |= (uint64_t)1 << line;
    due->vectors[line] = (line_mask)(due->vectors[line] | vectors);
}

/* Changed halo cells of one side: lane l is a donor of line `line` of the sweep from that
 * side, and, seen from the other family, of lines l + 1 and l - 1 at their end `end`. */
static void due_side(sweeper *s, int from, uint32_t lanes)
{
    const int across = from < 2 ? ZM_FROM_W : ZM_FROM_N;
    const bool far = from == ZM_FROM_S || from == ZM_FROM_E;
    const uint32_t end = far ? (uint32_t)1 << (NV - 1) : 1;

    if (!lanes)
        return;
    due_add(&s->due[from], far ? ZM_BLOCK : 1, vectors_near(lanes));
    if (lanes == ~(uint32_t)0) {
        for (unsigned l = 0; l < ZM_BLOCK; l++) {
            s->due[across].vectors[l + 2] = (line_mask)(s->due[across].vectors[l + 2] | end);
            s->due[across + 1].vectors[l] =
                (line_mask)(s->due[across + 1].vectors[l] | end);
        }
        s->due[across].lines |= (uint64_t)lanes << 2;
        s->due[across + 1].lines |= lanes;
        return;
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);

        due_add(&s->due[across], l + 2, end);
        due_add(&s->due[across + 1], l, end);
    }
}

static void due_corners(sweeper *s, unsigned corners)
{
    const uint32_t first = 1, last = (uint32_t)1 << (NV - 1);

    if (corners & ZM_CORNER_NW) {
        due_add(&s->due[ZM_FROM_N], 1, first);
        due_add(&s->due[ZM_FROM_W], 1, first);
    }
    if (corners & ZM_CORNER_NE) {
        due_add(&s->due[ZM_FROM_N], 1, last);
        due_add(&s->due[ZM_FROM_E], ZM_BLOCK, first);
    }
    if (corners & ZM_CORNER_SW) {
        due_add(&s->due[ZM_FROM_S], ZM_BLOCK, first);
        due_add(&s->due[ZM_FROM_W], 1, last);
    }
    if (corners & ZM_CORNER_SE) {
        due_add(&s->due[ZM_FROM_S], ZM_BLOCK, last);
        due_add(&s->due[ZM_FROM_E], ZM_BLOCK, last);
    }
}

static void due_from_changes(sweeper *s, zm_blocks_block *block)
{
    memset(s->due, 0, sizeof s->due);
    if (block->fresh) {
        due_all(s);
    } else {
        for (int from = 0; from < 4; from++)
            due_side(s, from, block->changed[from]);
        due_corners(s, block->corners);
    }
    memset(block->changed, 0, sizeof block->changed);
    block->corners = 0;
    block->fresh = 0;
}

static void prefetch_begin(const zm_blocks_grid *g, const zm_blocks_worker *w,
                           sweeper *s)
{
    s->prefetch_lines = 0;
    if (w->next_block < 0)
        return;
    const block_box b = block_box_of(g, w->next_block);
    const bool planes = w->slot_of_block[w->next_block] < 0;

    s->prefetch_lines = (int32_t)b.rows;
    s->prefetch_arrays = !planes                         ? 1
                         : g->kind == ZM_BLOCKS_RANDERS ? 6
                         : g->kind == ZM_BLOCKS_STILL   ? 4
                                                        : 2;
    for (int k = 0; k < s->prefetch_arrays; k++) {
        const real *base = k == 0 ? (const real *)g->T : (const real *)g->plane[k - 1];
        const size_t stride = k == 0 ? (size_t)g->cols : g->stride[k - 1];

        s->prefetch[k] = (uintptr_t)(base + b.row * stride + b.col);
        s->prefetch_step[k] = stride * sizeof(real);
    }
}

/* Books what a phase of column sweeps changed, by row. */
static void columns_note(sweeper *s)
{
    uint32_t by_row[ZM_BLOCK];

    zm_blocks_transpose(s->column_phase, by_row);
    for (unsigned r = 0; r < ZM_BLOCK; r++) {
        s->record.by_column[r] |= by_row[r];
        s->changed[r] |= by_row[r];
    }
    memset(s->column_phase, 0, sizeof s->column_phase);
}

/* Sweeps until nothing is left to do; the result is in the row buffer.  True: something
 * changed. */
static bool sweep_until_settled(sweeper *s, bool columns_first)
{
    bool columns_valid = false, halo_done = false, columns_newer = false, any = false;
    bool rows_due = !columns_first && sweep_due(s, 0);

    for (;;) {
        if (rows_due) {
            if (columns_newer)
                times_transpose(s, 1, false);
            columns_newer = false;
            if (sweep_family(s, 0)) {
                columns_valid = false;
                any = true;
                sweep_hand_over(s, 0);
            }
        }
        if (!sweep_due(s, 1)) {
            if (!sweep_due(s, 0))
                break;
        } else {
            if (!columns_valid)
                times_transpose(s, 0, !halo_done);
            columns_valid = halo_done = true;
            if (sweep_family(s, 1)) {
                columns_newer = any = true;
                columns_note(s);
                sweep_hand_over(s, 1);
            }
        }
        rows_due = sweep_due(s, 0);
        if (!rows_due || s->bad || s->looked_at >= s->most)
            break;
    }
    if (columns_newer)
        times_transpose(s, 1, false);
    return any;
}

typedef struct edge_changes { /* changed cells along the four edges of the block */
    /* by ZM_FROM_* as the edge itself: N, S by column; W, E by row */
    uint32_t lanes[4];
} edge_changes;

/* Changed cells along the edges; `by_row` are all changed cells of the visit. */
static edge_changes edges_of(const block_box *b, const uint32_t by_row[ZM_BLOCK])
{
    edge_changes e = { { by_row[0], by_row[b->rows - 1], 0, 0 } };

    for (unsigned r = 0; r < b->rows; r++) {
        e.lanes[ZM_FROM_W] |= (by_row[r] & 1u) << r;
        e.lanes[ZM_FROM_E] |= (by_row[r] >> (b->cols - 1) & 1u) << r;
    }
    return e;
}

/* Whether the causal gaps of all cells at the border of a block are known. */
static inline bool gaps_known(const zm_blocks_block *block)
{
    return block->known[0] == ~(uint32_t)0 || block->known[1] == ~(uint32_t)0;
}

/* Which of the changed cells (values a) can lower a cell of the neighbouring line (values t); both
 * have `length` cells, side by side, and t one more at each end.  One can lower those beside it
 * that are later than it by more than the neighbour's causal gaps. */
static zm_blocks_activation activate_side(const zm_blocks_block *next, uint32_t lanes,
                                          const real *a, const real *t, size_t length,
                                          real wait)
{
    const bool bounded = gaps_known(next);
    const vec axis = vset(bounded ? (double)next->gap_axis : -(double)INFINITY);
    const vec diagonal = vset(bounded ? (double)next->gap_diagonal : -(double)INFINITY);
    uint32_t can = 0, before = 0, after = 0; /* lower the cell beside, the one before, after */
    real least = (real)INFINITY, most = 0;

    for (unsigned i = 0; i < length; i += VL) {
        const vec x = vld(a + i), T = vld(t + i), far = vadd(x, diagonal);

        can |= (uint32_t)vbits(vlt(vadd(x, axis), T)) << i;
        before |= (uint32_t)vbits(vlt(far, vld_before(t + i, T))) << i;
        after |= (uint32_t)vbits(vlt(far, vld_after(t + i, T))) << i;
    }
    can |= (before & ~(uint32_t)1) | (after & ~((uint32_t)1 << (length - 1)));
    can &= lanes;
    for (uint32_t m = can; m; m &= m - 1) {
        const real x = a[__builtin_ctz(m)];

        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    return (zm_blocks_activation){
        .changed = can, .key = (double)(least < 0 ? least : least + wait * (most - least))
    };
}

/* A column of the row buffer, with VL numbers more before it. */
static const real *column_copy(sweeper *s, ptrdiff_t col, real out[ZM_BLOCK + 3 * VL])
{
    for (size_t i = 0; i < ZM_BLOCK + 3 * VL; i++)
        out[i] = 0;
    for (ptrdiff_t r = 0; r < ZM_BLOCK; r++)
        out[VL + r] = line_of(s, 0, r)[col];
    return out + VL;
}

/* From the buffer: what the visit has left and the halo that it began with. */
static int32_t activate_neighbours(const zm_blocks_grid *g, const block_box *b, sweeper *s,
                                   const edge_changes *e, int32_t block,
                                   zm_blocks_activation *activations)
{
    const ptrdiff_t last_row = (ptrdiff_t)b->rows - 1, last_col = (ptrdiff_t)b->cols - 1;
    const int32_t down = g->blocks_across;
    const struct {
        bool there;
        int32_t block;
        uint8_t side; /* of the neighbour */
        ptrdiff_t line, to; /* rows or columns: the edge, the one beyond */
        size_t length;
    } sides[4] = {
        { b->north, block - down, ZM_FROM_S, 0, -1, b->cols },
        { b->south, block + down, ZM_FROM_N, last_row, last_row + 1, b->cols },
        { b->west, block - 1, ZM_FROM_E, 0, -1, b->rows },
        { b->east, block + 1, ZM_FROM_W, last_col, last_col + 1, b->rows },
    };
    const struct {
        bool there;
        int32_t block;
        uint8_t corner; /* of the neighbour */
        ptrdiff_t row, col, to_row, to_col;
    } corners[4] = {
        { b->north && b->west && (e->lanes[ZM_FROM_N] & 1u), block - down - 1,
          ZM_CORNER_SE, 0, 0, -1, -1 },
        { b->north && b->east && (e->lanes[ZM_FROM_N] >> (ZM_BLOCK - 1)),
          block - down + 1, ZM_CORNER_SW, 0, last_col, -1, last_col + 1 },
        { b->south && b->west && (e->lanes[ZM_FROM_S] & 1u), block + down - 1,
          ZM_CORNER_NE, last_row, 0, last_row + 1, -1 },
        { b->south && b->east && (e->lanes[ZM_FROM_S] >> (ZM_BLOCK - 1)),
          block + down + 1, ZM_CORNER_NW, last_row, last_col, last_row + 1,
          last_col + 1 },
    };
    real edge[ZM_BLOCK + 3 * VL], beyond[ZM_BLOCK + 3 * VL];
    int32_t n = 0;

    for (int k = 0; k < 4; k++) {
        if (!sides[k].there || !e->lanes[k])
            continue;
        const bool column = k >= ZM_FROM_W;

        activations[n] = activate_side(
            &g->blocks[sides[k].block], e->lanes[k],
            column ? column_copy(s, sides[k].line, edge) : line_of(s, 0, sides[k].line),
            column ? column_copy(s, sides[k].to, beyond) : line_of(s, 0, sides[k].to),
            sides[k].length, (real)g->wait);
        activations[n].block = sides[k].block;
        activations[n].side = sides[k].side;
        n += activations[n].changed != 0;
    }
    for (int k = 0; k < 4; k++) {
        if (!corners[k].there)
            continue;
        const zm_blocks_block *next = &g->blocks[corners[k].block];
        const real gap = gaps_known(next) ? (real)next->gap_diagonal : -(real)INFINITY;
        const real x = line_of(s, 0, corners[k].row)[corners[k].col];

        if (x + gap < line_of(s, 0, corners[k].to_row)[corners[k].to_col])
            activations[n++] = (zm_blocks_activation){ .block = corners[k].block,
                                                       .corner = corners[k].corner,
                                                       .key = (double)x };
    }
    return n;
}

/* Everything a visit needs but the times and what is due. */
static void visit_begin(const zm_blocks_grid *g, zm_blocks_worker *w,
                        const block_box *b, int32_t block)
{
    sweeper *s = w->scratch;
    zm_blocks_block *state = &g->blocks[block];

    if (state->visits++ == 0)
        /* of no line so far */
        state->gap_axis = state->gap_diagonal = state->margin = INFINITY;
    s->block = state;
    s->coefs = coefs_of(g, w, b, block);
    s->rel = vset(g->unchanged_rel);
    s->abs = vset(g->unchanged_abs);
    s->want_margin = g->want_margin;
    /* walls have updates of their own, for any metric */
    s->kind = s->coefs->walls.any ? ZM_BLOCKS_RANDERS : g->kind;
    s->unscaled = true;
    for (int k = 0; k < 5; k++) {
        static const uint8_t of_column[5] = { 2, 1, 0, 4, 3 };

        s->unscaled = s->unscaled && g->scale[k] == 1.0;
        s->scalar_scale[0][k] = (double)(real)g->scale[k];
        s->scalar_scale[1][k] = (double)(real)g->scale[of_column[k]];
        s->scale[0][k] = vset(s->scalar_scale[0][k]);
        s->scale[1][k] = vset(s->scalar_scale[1][k]);
    }
    memset(s->changed, 0, sizeof s->changed);
    memset(s->column_phase, 0, sizeof s->column_phase);
    memset(s->active, 0, sizeof s->active);
    s->record = g->records[block];
    s->lines[0] = INNER_LINES >> (ZM_BLOCK - b->rows) & INNER_LINES;
    s->lines[1] = INNER_LINES >> (ZM_BLOCK - b->cols) & INNER_LINES;
    s->vectors[0] = (line_mask)(ALL_VECTORS >> (NV - (b->cols + VL - 1) / VL));
    s->vectors[1] = (line_mask)(ALL_VECTORS >> (NV - (b->rows + VL - 1) / VL));
    s->looked_at = 0;
    s->rounds = 0;
    s->most = (w->most_updates - w->updates) / VL;
    s->bad = false;
    prefetch_begin(g, w, s);
}

/* Times of a block by its own rows and columns; -1 and ZM_BLOCK are the halo. */
static inline double time_at(sweeper *s, ptrdiff_t row, ptrdiff_t col)
{
    return (double)line_of(s, 0, row)[col];
}

/* Whether the front comes into a block at cell l of its side `from` by the family of that side
 * (2) or by the other one (0), as its slope along the side tells; 1: not known. */
static int came_across(sweeper *s, int from, ptrdiff_t l)
{
    const bool column = from >= ZM_FROM_W, far = from & 1;
    const ptrdiff_t halo = far ? ZM_BLOCK : -1, cell = far ? ZM_BLOCK - 1 : 0;
    const double slope = column ? time_at(s, l + 1, halo) - time_at(s, l - 1, halo)
                                : time_at(s, halo, l + 1) - time_at(s, halo, l - 1);
    const size_t row = (size_t)(column ? l : cell), col = (size_t)(column ? cell : l);
    double g[5];

    for (int k = 0; k < 5; k++)
        g[k] = (double)s->planes.plane[k][row * s->planes.stride[k] + col] *
               s->scalar_scale[0][k];
    const double gt = g[column ? 2 : 0], sum = g[0] + g[2], twice = 2 * g[1];
    const double qlo = (g[1] - gt) / sqrt(sum - twice), qhi = (g[1] + gt) / sqrt(sum + twice);
    const double q = slope / 2 + g[column ? 4 : 3];

    if (!(fabs(q) < (double)INFINITY))
        return 1;
    return (far ? -qhi < q && q < -qlo : qlo < q && q < qhi) ? 2 : 0;
}

/* The family by which the front came through most of the changed cells of the halo.  Where only one
 * has coefficients, it is that one: the other needs none where it takes from diagonals alone. */
static int leading_family(sweeper *s, const uint32_t changed[4])
{
    const zm_blocks_block *block = s->block;
    const bool rows = block->known[0] == ~(uint32_t)0, columns = block->known[1] == ~(uint32_t)0;
    int votes = 0; /* for columns */

    if (rows != columns)
        return columns;
    for (int from = 0; from < 4; from++)
        for (ptrdiff_t l = ZM_BLOCK / 8; l < ZM_BLOCK; l += ZM_BLOCK / 4)
            if (changed[from] >> l & 1)
                votes += (came_across(s, from, l) - 1) * (from >= ZM_FROM_W ? 1 : -1);
    return votes ? votes > 0 : block->columns_first;
}

static int32_t ZM_CAT(zm_blocks_visit, ISA)(const zm_blocks_grid *g,
                                            zm_blocks_worker *w, int32_t block,
                                            zm_blocks_activation *activations)
{
    sweeper *s = w->scratch;
    const block_box b = block_box_of(g, block);
    uint32_t changed[4];
    bool any;

    visit_begin(g, w, &b, block);
    memcpy(changed, s->block->changed, sizeof changed);
    due_from_changes(s, s->block);
    if (!planes_fetch(g, &b, s->coefs->any_closed ? s->coefs->closed[0] : NULL,
                      s->copies, &s->planes))
        return 0; /* nothing but walls */
    times_fetch(g, &b, s);
    s->leading = leading_family(s, changed);
    any = sweep_until_settled(s, s->leading == 1);
    w->updates += s->looked_at * VL;
    if (s->bad)
        return ZM_BLOCKS_VISIT_BAD;
    w->tired = s->looked_at >= s->most;
    if (w->tired)
        s->block->fresh = 1;
    if (!any)
        return 0;
    times_store(g, &b, s);
    for (unsigned r = 0; r < ZM_BLOCK; r++)
        s->record.reached[r] |= s->changed[r];
    g->records[block] = s->record;

    const edge_changes e = edges_of(&b, s->changed);
    const int32_t n = activate_neighbours(g, &b, s, &e, block, activations);

    for (int32_t i = 0; i < n; i++)
        if (activations[i].key < 0) /* no time is before that of the first source, which is 0 */
            return ZM_BLOCKS_VISIT_BAD;
    return n;
}
