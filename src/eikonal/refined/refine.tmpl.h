/* SPDX-License-Identifier: Apache-2.0
 * Sweeps of phase two through a block.  Include a vec_<isa>_f64.h first. */
#include "eikonal/blocks/bits.h"
#include "eikonal/refined/update.tmpl.h"

enum {
    PAD = ZM_REFINED_PAD,
    LINE = ZM_BLOCK + 2 * PAD,
    NV = ZM_BLOCK / VL,
    REACH = 3 /* lines that a cell looks back */
};

typedef struct refiner {                      /* scratch */
    _Alignas(64) double rest[2][LINE * LINE]; /* by rows, by columns */
    _Alignas(64) double first[LINE * LINE];   /* by columns */
    _Alignas(64) double label[LINE * LINE];
    _Alignas(64) double copies[5][ZM_BLOCK * ZM_BLOCK];
    _Alignas(64) double columns[5][ZM_BLOCK * ZM_BLOCK];
    frame frame[2];
    vec tie;
    bool has_columns;
} refiner;

/* VL cells of line l from lane k * VL of one sweep. */
static inline cells cells_of(const refiner *s, int family, bool reverse, unsigned l,
                             unsigned k)
{
    const frame *f = &s->frame[family];
    const ptrdiff_t sign = reverse ? 1 : -1;
    cells c = { .x = s->rest[family] + (l + PAD) * LINE + PAD + k * VL,
                .t1 = f->first + l * f->first_stride + k * VL,
                .x_line = sign * LINE,
                .t1_line = sign * (ptrdiff_t)f->first_stride,
                .label = f->label ? f->label + l * f->first_stride + k * VL : NULL,
                .lane = k * VL,
                .line = l };

    for (int p = 0; p < 5; p++)
        c.plane[p] = f->plane[p] + l * f->plane_stride[p] + k * VL;
    return c;
}

static inline origin origin_of(const frame *f, const zm_refined_source *s, int family)
{
    const zm_cell_metric *m = &s->metric;

    if (family)
        return (origin){ vset(m->g22), vset(m->g12),   vset(m->g11),  vset(m->b2),
                         vset(m->b1),  f->t0 - s->row, f->n0 - s->col };
    return (origin){ vset(m->g11), vset(m->g12),   vset(m->g22),  vset(m->b1),
                     vset(m->b2),  f->t0 - s->col, f->n0 - s->row };
}

/* Calls of evaluate with the cells of one source at a time: takes those of the first of `lanes`
 * out of *lanes and returns them, with their source. */
static inline unsigned of_one_source(const zm_refined_grid *g, const frame *f,
                                     const cells *c, int family, unsigned *lanes,
                                     origin *o)
{
    unsigned all = *lanes, which = 0;

    *lanes = 0;
    if (c->label) {
        const double number = fmax(0, c->label[__builtin_ctz(all)]); /* NaN: none */
        const unsigned first = all & (0u - all);

        *lanes = all;
        all = (all & vbits(same(vld(c->label), vset(number)))) | first;
        *lanes &= ~all;
        which = (unsigned)number;
    }
    *o = origin_of(f, &g->sources[which], family);
    return all;
}

/* Whether some of the cells `due` may have its donors: the one in the middle or one aside is
 * known. */
static inline bool may_be_due(const cells *c, unsigned due)
{
    const double *y = c->x + c->x_line;
    const vec mid = vld(y);
    const vmsk beside = vmsk_or(known(vld_after(y, mid)), known(vld_before(y, mid)));

    return due & vbits(vmsk_or(known(mid), beside));
}

/* Cells into the sequence. */
static inline void sequence_add(zm_refined_grid *g, size_t cell, size_t step,
                                uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1)
        g->sequence[g->n_sequence++] =
            (uint32_t)(cell + (size_t)__builtin_ctz(lanes) * step);
}

/* One sweep over the lines of a block; true: something was computed.  cell, line and lane: number
 * of the first cell, and steps from line to line and from lane to lane. */
ZM_NOINLINE bool sweep(zm_refined_grid *g, refiner *s, zm_refined_block *b, int family,
                       bool reverse, size_t cell, uint32_t computed[ZM_BLOCK])
{
    const size_t line = family ? 1 : (size_t)g->cols,
                 lane = family ? (size_t)g->cols : 1;
    uint32_t *todo = b->todo[2 * family + reverse],
             *done = b->done[2 * family + reverse];
    bool any = false;

    for (unsigned i = 0; i < ZM_BLOCK; i++) {
        const unsigned l = reverse ? ZM_BLOCK - 1 - i : i;
        const uint32_t due = todo[l];
        uint32_t ready = 0;

        for (unsigned k = 0; due && k < NV; k++) {
            unsigned lanes = due >> (k * VL) & ((1u << VL) - 1), ok;
            cells c;
            origin o;
            answer a;

            if (!lanes)
                continue;
            c = cells_of(s, family, reverse, l, k);
            if (!may_be_due(&c, lanes))
                continue;
            while (lanes) {
                const unsigned these =
                    of_one_source(g, &s->frame[family], &c, family, &lanes, &o);

                a = g->walls ? evaluate(&c, &s->frame[family], &o, s->tie, reverse,
                                        g->order, true)
                             : evaluate(&c, &s->frame[family], &o, s->tie, reverse,
                                        g->order, false);
                ok = these & vbits(known(a.value));
                vst((double *)(uintptr_t)c.x,
                    vsel(vmsk_of_bits(ok), a.value, vld(c.x)));
                ready |= ok << (k * VL);
                g->evaluated += VL;
            }
        }
        if (!ready)
            continue;
        todo[l] &= ~ready;
        done[l] |= ready;
        computed[l] |= ready;
        b->left -= __builtin_popcount(ready);
        sequence_add(g, cell + l * line, lane, ready);
        any = true;
    }
    return any;
}

static inline void transpose_field(const double *from, size_t from_stride, double *to,
                                   size_t to_stride, int first, int end)
{
    for (ptrdiff_t r = first; r < end; r += VL)
        for (ptrdiff_t c = first; c < end; c += VL)
            vtranspose(from + r * (ptrdiff_t)from_stride + c, from_stride,
                       to + c * (ptrdiff_t)to_stride + r, to_stride);
}

static inline double *inner(double *buffer)
{
    return buffer + PAD * LINE + PAD;
}

/* Planes of the block, in place or in copies: of float planes, and at the rim of the grid, where
 * the last row and column are repeated. */
static void planes_open(const zm_refined_grid *g, refiner *s, size_t row, size_t col)
{
    const size_t rows = (size_t)g->rows - row, cols = (size_t)g->cols - col;
    frame *f = &s->frame[0];

    for (int k = 0; k < 5; k++) {
        const size_t first = row * g->plane_stride[k] + col;

        f->plane[k] = s->copies[k];
        f->plane_stride[k] = ZM_BLOCK;
        if (rows >= ZM_BLOCK && cols >= ZM_BLOCK && !g->single) {
            f->plane[k] = (const double *)g->plane[k] + first;
            f->plane_stride[k] = g->plane_stride[k];
            continue;
        }
        for (size_t r = 0; r < ZM_BLOCK; r++)
            for (size_t c = 0; c < ZM_BLOCK; c++) {
                const size_t at = first +
                                  (r < rows ? r : rows - 1) * g->plane_stride[k] +
                                  (c < cols ? c : cols - 1);

                s->copies[k][r * ZM_BLOCK + c] =
                    g->single ? (double)((const float *)g->plane[k])[at]
                              : ((const double *)g->plane[k])[at];
            }
    }
}

static void frames_open(const zm_refined_grid *g, refiner *s, size_t row, size_t col)
{
    static const uint8_t of_column[5] = { 2, 1, 0, 4, 3 };
    frame *rows = &s->frame[0], *columns = &s->frame[1];

    planes_open(g, s, row, col);
    rows->first = g->first + zm_refined_at(g, (int64_t)row, (int64_t)col);
    rows->first_stride = g->stride;
    columns->first = inner(s->first);
    columns->first_stride = LINE;
    for (int k = 0; k < 5; k++) {
        rows->scale[k] = vset(g->scale[k]);
        columns->scale[k] = vset(g->scale[of_column[k]]);
        columns->plane[k] = s->columns[of_column[k]];
        columns->plane_stride[k] = ZM_BLOCK;
    }
    rows->label =
        g->label ? g->label + zm_refined_at(g, (int64_t)row, (int64_t)col) : NULL;
    columns->label = g->label ? inner(s->label) : NULL;
    rows->n0 = columns->t0 = (double)row;
    rows->t0 = columns->n0 = (double)col;
    s->tie = vset(g->tie);
    s->has_columns = false;
}

/* T1 and planes by columns. */
static void columns_open(refiner *s)
{
    const frame *rows = &s->frame[0];

    if (s->has_columns)
        return;
    transpose_field(rows->first, rows->first_stride, inner(s->first), LINE, -PAD,
                    ZM_BLOCK + PAD);
    if (rows->label)
        transpose_field(rows->label, rows->first_stride, inner(s->label), LINE, -PAD,
                        ZM_BLOCK + PAD);
    for (int k = 0; k < 5; k++)
        if (rows->plane_stride[k]) {
            transpose_field(rows->plane[k], rows->plane_stride[k], s->columns[k],
                            ZM_BLOCK, 0, ZM_BLOCK);
        } else { /* every row is the same */
            for (size_t c = 0; c < ZM_BLOCK; c++)
                for (size_t r = 0; r < ZM_BLOCK; r++)
                    s->columns[k][c * ZM_BLOCK + r] = rows->plane[k][c];
        }
    s->has_columns = true;
}

/* Of the cells of one vector of a column sweep those that take the diagonal donor alone, to
 * rounding: *south with the one below, returned with the one above. */
static unsigned shared_cells(const refiner *s, const cells *c, bool reverse, bool walls,
                             unsigned *south)
{
    const frame *f = &s->frame[1];
    const double *t1 = c->t1 + c->t1_line;
    const vec T0 = vld(c->t1), mid = front(c, t1);
    const vec gt = vmul(vld(c->plane[0]), f->scale[0]);
    const vec gx = vmul(vld(c->plane[1]), f->scale[1]);
    const vec gn = vmul(vld(c->plane[2]), f->scale[2]);
    const vec bt = vmul(vld(c->plane[3]), f->scale[3]);
    const vec bn = vmul(vld(c->plane[4]), f->scale[4]);
    const vec g = reverse ? vneg(gx) : gx, sum = vadd(gt, gn);
    const vec tie = vmul(s->tie, T0), two = vset(2.0), inf = vset((double)INFINITY);
    const vec length_up = vsqrt(vfnma(two, g, sum)),
              length_down = vsqrt(vfma(two, g, sum));
    const vec low = vdiv(vsub(g, gt), length_up), high = vdiv(vadd(g, gt), length_down);
    vec up = vadd(front(c, t1 + 1), bt), down = vsub(front(c, t1 - 1), bt);

    if (walls) {
        up = vsel(vmsk_and(closed(t1), closed(c->t1 + 1)), inf, up);
        down = vsel(vmsk_and(closed(t1), closed(c->t1 - 1)), inf, down);
    }
    const vec latest = vadd(T0, reverse ? vsub(tie, bn) : vadd(tie, bn));

    *south = vbits(
        vmsk_and(vlt(vsub(up, mid), vadd(low, tie)), vle(vadd(up, length_up), latest)));
    return vbits(vmsk_and(vlt(vsub(high, tie), vsub(mid, down)),
                          vle(vadd(down, length_down), latest)));
}

/* Both families share the update from a diagonal donor alone.  Cells of column sweeps that take
 * it become cells of row sweeps, so that their neighbours are of one family. */
static void shared_to_rows(refiner *s, zm_refined_block *b, bool walls)
{
    uint32_t moved[2][ZM_BLOCK] = { { 0 } }, any = 0; /* to N and S; by column */

    for (int reverse = 0; reverse < 2; reverse++)
        for (unsigned l = 0; l < ZM_BLOCK; l++) {
            uint32_t *due = &b->todo[ZM_FROM_W + reverse][l], move = 0;

            for (unsigned k = 0; *due && k < NV; k++) {
                const unsigned lanes = *due >> (k * VL) & ((1u << VL) - 1);
                const cells c = cells_of(s, 1, reverse, l, k);
                unsigned south, north;

                if (!lanes)
                    continue;
                north = shared_cells(s, &c, reverse, walls, &south);
                moved[1][l] |= (lanes & south) << (k * VL);
                moved[0][l] |= (lanes & north & ~south) << (k * VL);
                move |= (lanes & (south | north)) << (k * VL);
            }
            *due &= ~move;
            any |= move;
        }
    for (int to = 0; any && to < 2; to++) {
        uint32_t by_row[ZM_BLOCK];

        zm_blocks_transpose(moved[to], by_row);
        for (unsigned r = 0; r < ZM_BLOCK; r++)
            b->todo[ZM_FROM_N + to][r] |= by_row[r];
    }
}

static bool any_of(const uint32_t a[ZM_BLOCK], const uint32_t b[ZM_BLOCK])
{
    uint32_t any = 0;

    for (unsigned l = 0; l < ZM_BLOCK; l++)
        any |= a[l] | b[l];
    return any != 0;
}

static void rest_fetch(const zm_refined_grid *g, refiner *s, size_t row, size_t col)
{
    const double *from = g->rest + zm_refined_at(g, (int64_t)row, (int64_t)col);

    for (ptrdiff_t r = -REACH; r < ZM_BLOCK + REACH; r++)
        for (ptrdiff_t c = -PAD; c < ZM_BLOCK + PAD; c += VL)
            vst(inner(s->rest[0]) + r * LINE + c,
                vld(from + r * (ptrdiff_t)g->stride + c));
}

static void rest_store(zm_refined_grid *g, refiner *s, size_t row, size_t col)
{
    double *to = g->rest + zm_refined_at(g, (int64_t)row, (int64_t)col);

    for (size_t r = 0; r < ZM_BLOCK; r++)
        for (size_t c = 0; c < ZM_BLOCK; c += VL)
            vst(to + r * g->stride + c, vld(inner(s->rest[0]) + r * LINE + c));
}

/* Row sweeps and column sweeps in turn, until neither gets further. */
static bool sweep_until_stuck(zm_refined_grid *g, refiner *s, zm_refined_block *b,
                              size_t cell, uint32_t by_row[ZM_BLOCK],
                              uint32_t by_column[ZM_BLOCK])
{
    bool columns_valid = false, any = false;

    for (;;) {
        const bool down = sweep(g, s, b, 0, false, cell, by_row);
        const bool rows = sweep(g, s, b, 0, true, cell, by_row) || down;
        bool right, columns;

        any = any || rows;
        if (!any_of(b->todo[ZM_FROM_W], b->todo[ZM_FROM_E]) || (columns_valid && !rows))
            break;
        if (columns_valid)
            transpose_field(inner(s->rest[0]), LINE, inner(s->rest[1]), LINE, 0,
                            ZM_BLOCK);
        else
            transpose_field(inner(s->rest[0]), LINE, inner(s->rest[1]), LINE, -PAD,
                            ZM_BLOCK + PAD);
        columns_valid = true;
        columns_open(s);
        right = sweep(g, s, b, 1, false, cell, by_column);
        columns = sweep(g, s, b, 1, true, cell, by_column) || right;
        if (!columns)
            break;
        any = true;
        transpose_field(inner(s->rest[1]), LINE, inner(s->rest[0]), LINE, 0, ZM_BLOCK);
        if (!any_of(b->todo[ZM_FROM_N], b->todo[ZM_FROM_S]))
            break;
    }
    return any;
}

static zm_refined_changes ZM_CAT(zm_refined_visit, ISA)(zm_refined_grid *g,
                                                        void *scratch, int32_t block)
{
    refiner *s = scratch;
    zm_refined_block *b = &g->blocks[block];
    const size_t row = (size_t)(block / g->blocks_across) * ZM_BLOCK;
    const size_t col = (size_t)(block % g->blocks_across) * ZM_BLOCK;
    uint32_t by_row[ZM_BLOCK] = { 0 }, by_column[ZM_BLOCK] = { 0 }, turned[ZM_BLOCK];
    zm_refined_changes changes = { 0, 0, 0 };

    frames_open(g, s, row, col);
    rest_fetch(g, s, row, col);
    if (b->visits++ == 0 && any_of(b->todo[ZM_FROM_W], b->todo[ZM_FROM_E])) {
        columns_open(s);
        shared_to_rows(s, b, g->walls);
    }
    if (!sweep_until_stuck(g, s, b, row * (size_t)g->cols + col, by_row, by_column))
        return changes;
    rest_store(g, s, row, col);
    zm_blocks_transpose(by_column, turned);
    for (unsigned r = 0; r < ZM_BLOCK; r++) {
        const uint32_t lanes = by_row[r] | turned[r];

        changes.all |= lanes;
        changes.top |= r < REACH ? lanes : 0;
        changes.bottom |= r >= ZM_BLOCK - REACH ? lanes : 0;
    }
    return changes;
}

/* Codes and weights of the lanes of one vector. */
static void record_lanes(const answer *a, int from, unsigned lanes, uint8_t *code,
                         double *weight, size_t step)
{
    const unsigned up = vbits(a->up), second = vbits(a->second),
                   third = vbits(a->third);
    const unsigned bare = vbits(a->bare), axis = vbits(a->axis),
                   diagonal = vbits(a->diagonal);
    double w[VL];

    vst(w, a->weight);
    for (; lanes; lanes &= lanes - 1) {
        const unsigned i = (unsigned)__builtin_ctz(lanes), bit = 1u << i;
        unsigned c = (unsigned)from;

        c |= up & bit ? 0 : ZM_CODE_BACK;
        c |= second & bit ? ZM_REFINED_SECOND : 0;
        c |= (third | bare) & bit ? ZM_REFINED_THIRD : 0;
        c |= axis & bit ? ZM_REFINED_AXIS : diagonal & bit ? ZM_REFINED_DIAGONAL : 0;
        /* both donors later by T1, of which a solve leaves none */
        c = axis & diagonal & bit ? ZM_REFINED_UNREACHED : c;
        code[i * step] = (uint8_t)c;
        weight[i * step] = w[i];
    }
}

static void ZM_CAT(zm_refined_record, ISA)(const zm_refined_grid *g, void *scratch,
                                           int32_t block, uint8_t *code, double *weight)
{
    refiner *s = scratch;
    const zm_refined_block *b = &g->blocks[block];
    const size_t row = (size_t)(block / g->blocks_across) * ZM_BLOCK;
    const size_t col = (size_t)(block % g->blocks_across) * ZM_BLOCK;
    const size_t cell = row * (size_t)g->cols + col;

    frames_open(g, s, row, col);
    rest_fetch(g, s, row, col);
    if (any_of(b->done[ZM_FROM_W], b->done[ZM_FROM_E])) {
        columns_open(s);
        transpose_field(inner(s->rest[0]), LINE, inner(s->rest[1]), LINE, -PAD,
                        ZM_BLOCK + PAD);
    }
    for (int from = 0; from < 4; from++) {
        const int family = from / 2;
        const size_t line = family ? 1 : (size_t)g->cols,
                     lane = family ? (size_t)g->cols : 1;

        for (unsigned l = 0; l < ZM_BLOCK; l++)
            for (unsigned k = 0; b->done[from][l] && k < NV; k++) {
                unsigned lanes = b->done[from][l] >> (k * VL) & ((1u << VL) - 1);
                const size_t at = cell + l * line + k * VL * lane;
                const cells c = cells_of(s, family, from & 1, l, k);

                while (lanes) {
                    origin o;
                    const unsigned these =
                        of_one_source(g, &s->frame[family], &c, family, &lanes, &o);
                    const answer a = evaluate(&c, &s->frame[family], &o, s->tie,
                                              from & 1, g->order, g->walls);

                    record_lanes(&a, from, these, code + at, weight + at, lane);
                }
            }
    }
}
