/* SPDX-License-Identifier: Apache-2.0
 * Donors and weights of settled cells, and what they mean for the parameters.  Include
 * visit.tmpl.h first. */

/* The winning sweep is on record; this finds where on its donor line the minimum lies:
 *
 *     t = c - A q / sqrt(P - A q^2),
 *
 * in the frame and with the thresholds of `update`, so the answer is that of the solve. */
typedef struct donors_in {
    vec here, mid, up, down; /* T; donors towards +t and -t of the sweep's frame */
    vec g_t, g12, g_n, bt;   /* scaled; bt as the sweep sees it */
    vec sign, number;        /* -1 for a reverse sweep, else 1; ZM_FROM_* */
    vmsk known;
} donors_in;

typedef struct donors_limits {
    vec q0, qlo, qhi;
} donors_limits;

/* Where all cells beside each other were won by the same sweep, as nearly all are: how far from a
 * cell of a block buffer its donors are, and the planes of its frame. */
typedef struct donors_sweep {
    ptrdiff_t mid, up, down;
    int g_t, g_n, bt;
    vec g_t_scale, g12_scale, g_n_scale, bt_scale, sign, number;
} donors_sweep;

static donors_sweep donors_sweep_of(const zm_blocks_grid *g, int from)
{
    const bool column = from >= ZM_FROM_W, reverse = from & 1;
    const ptrdiff_t across = column ? 1 : LINE, along = column ? LINE : 1;
    const ptrdiff_t mid = reverse ? across : -across, up = reverse ? -along : along;
    const vec sign = vset(reverse ? -1.0 : 1.0);
    donors_sweep w = { .mid = mid,
                       .up = mid + up,
                       .down = mid - up,
                       .g_t = column ? 2 : 0,
                       .g_n = column ? 0 : 2,
                       .bt = column ? 4 : 3,
                       .g12_scale = vset(g->scale[1]),
                       .sign = sign,
                       .number = vset(from) };

    w.g_t_scale = vset(g->scale[w.g_t]);
    w.g_n_scale = vset(g->scale[w.g_n]);
    w.bt_scale = vmul(vset(g->scale[w.bt]), sign);
    return w;
}

/* VL cells of row r from column c, all of them won by sweep w. */
ZM_INLINE void donors_fetch_alike(sweeper *s, const block_planes *p, const donors_sweep *w,
                                  uint32_t reached, size_t r, size_t c, donors_in *in)
{
    const real *T = line_of(s, 0, (ptrdiff_t)r) + c;

    in->here = vld(T);
    in->mid = vld(T + w->mid);
    in->up = vld(T + w->up);
    in->down = vld(T + w->down);
    in->g_t = vmul(vld(p->plane[w->g_t] + r * p->stride[w->g_t] + c), w->g_t_scale);
    in->g12 = vmul(vld(p->plane[1] + r * p->stride[1] + c), w->g12_scale);
    in->g_n = vmul(vld(p->plane[w->g_n] + r * p->stride[w->g_n] + c), w->g_n_scale);
    in->bt = vmul(vld(p->plane[w->bt] + r * p->stride[w->bt] + c), w->bt_scale);
    in->sign = w->sign;
    in->number = w->number;
    in->known =
        vmsk_and(vmsk_of_bits(reached >> c), vlt(in->here, vset((double)INFINITY)));
}

static inline vec either(vmsk column, vmsk reverse, const real *n, const real *s,
                         const real *w, const real *e)
{
    return vsel(column, vsel(reverse, vld(e), vld(w)), vsel(reverse, vld(s), vld(n)));
}

/* The same of any cells; bits: reached, won by a column sweep, by a reverse one. */
static inline void donors_fetch(sweeper *s, const block_planes *p, const vec scale[5],
                                const uint32_t bits[3], const uint32_t cut[2], size_t r,
                                size_t c, donors_in *in)
{
    const vmsk column = vmsk_of_bits(bits[1] >> c),
               reverse = vmsk_of_bits(bits[2] >> c);
    const real *T = line_of(s, 0, (ptrdiff_t)r) + c;
    const real *N = T - LINE, *S = T + LINE;
    const vec inf = vset((double)INFINITY), zero = vset(0.0), one = vset(1.0);
    vec g[5], plus, minus;

    for (int k = 0; k < 5; k++)
        g[k] = vmul(vld(p->plane[k] + r * p->stride[k] + c), scale[k]);
    in->here = vld(T);
    in->known = vmsk_and(vmsk_of_bits(bits[0] >> c), vlt(in->here, inf));
    in->mid = either(column, reverse, N, S, T - 1, T + 1);
    plus = either(column, reverse, N + 1, S + 1, S - 1, S + 1);
    minus = either(column, reverse, N - 1, S - 1, N - 1, N + 1);
    if (ZM_RARELY(cut[0] | cut[1])) {
        plus = vsel(vmsk_of_bits(cut[0] >> c), inf, plus);
        minus = vsel(vmsk_of_bits(cut[1] >> c), inf, minus);
    }
    in->up = vsel(reverse, minus, plus);
    in->down = vsel(reverse, plus, minus);
    in->g_t = vsel(column, g[2], g[0]);
    in->g_n = vsel(column, g[0], g[2]);
    in->g12 = g[1];
    in->sign = vsel(reverse, vneg(one), one);
    in->bt = vmul(vsel(column, g[4], g[3]), in->sign);
    in->number = vadd(vsel(column, vset(2.0), zero), vsel(reverse, one, zero));
}

/* Thresholds in float for WL cells, as coef_cells has them. */
static inline void donors_limits_float(const donors_in in[HALVES],
                                       donors_limits out[HALVES])
{
    vec t[HALVES], x[HALVES], n[HALVES];
    float q[3][WL];

    for (int h = 0; h < HALVES; h++) {
        t[h] = in[h].g_t;
        x[h] = in[h].g12;
        n[h] = in[h].g_n;
    }
    const wide gt = wnarrow(t), g12 = wnarrow(x), gn = wnarrow(n);
    const wide sum = wadd(gt, gn), twice = wadd(g12, g12);

    wst(q[0], wmul(g12, wrsqrt(gn)));
    wst(q[1], wmul(wsub(g12, gt), wrsqrt(wsub(sum, twice))));
    wst(q[2], wmul(wadd(g12, gt), wrsqrt(wadd(sum, twice))));
    for (int h = 0; h < HALVES; h++)
        out[h] = (donors_limits){ vld_float(q[0] + h * VL), vld_float(q[1] + h * VL),
                                  vld_float(q[2] + h * VL) };
}

/* The same in full, where float is left with too few digits. */
static inline donors_limits donors_limits_full(const donors_in *in)
{
    const vec t_minus = vsub(in->g_t, in->g12), n_minus = vsub(in->g_n, in->g12);
    const vec t_plus = vadd(in->g_t, in->g12), n_plus = vadd(in->g_n, in->g12);

    return (donors_limits){ vdiv(in->g12, vsqrt(in->g_n)),
                            vdiv(vneg(t_minus), vsqrt(vadd(t_minus, n_minus))),
                            vdiv(t_plus, vsqrt(vadd(t_plus, n_plus))) };
}

/* Code and offset of VL cells. */
static inline void donors_vector(const donors_in *in, donors_limits lim, uint8_t *code,
                                 real *offset)
{
    const vec one = vset(1.0), zero = vset(0.0), inf = vset((double)INFINITY);
    const vec inv = vdiv(one, in->g_t), c = vmul(in->g12, inv);
    const vec P = vfnma(c, in->g12, in->g_n), A = vmul(P, inv);

    if (ZM_RARELY(vany(vlt(P, vmul(in->g_n, vset(FLOAT_CANCELS))))))
        lim = donors_limits_full(in);

    const vec up = vadd(in->up, in->bt), down = vsub(in->down, in->bt);
    const vec qp = vmin(vmax(vsub(up, in->mid), lim.qlo), lim.q0);
    const vec qm = vmax(vmin(vsub(in->mid, down), lim.qhi), lim.q0);
    const vmsk on_up = vlt(qp, lim.q0), on_down = vlt(lim.q0, qm);
    vmsk use_up = on_up;

    if (ZM_RARELY(vany_both(on_up, on_down))) { /* both triangles: the earlier one */
        const vec hp = vfma(c, qp, vsqrt(vfnma(vmul(A, qp), qp, P)));
        const vec hm = vfma(c, qm, vsqrt(vfnma(vmul(A, qm), qm, P)));
        const vec value_up = vadd(vmin(in->mid, vsub(up, lim.qlo)), hp);
        const vec value_down = vadd(vmin(in->mid, vadd(down, lim.qhi)), hm);

        use_up = vsel_msk(on_down, vmsk_and(on_up, vle(value_up, value_down)), on_up);
    }
    const vec q = vsel(use_up, qp, qm);
    const vec inner = vsub(c, vdiv(vmul(A, q), vsqrt(vfnma(vmul(A, q), q, P))));
    const vmsk axis = vmsk_and(vle(q, lim.q0), vle(lim.q0, q));
    const vmsk diagonal = vsel_msk(use_up, vle(q, lim.qlo), vle(lim.qhi, q));
    vec t = vmax(vmin(inner, one), vneg(one));
    vec number = in->number;

    t = vsel(diagonal, vsel(use_up, one, vneg(one)), t);
    t = vsel(axis, zero, t);
    t = vmul(t, in->sign);
    number = vadd(number, vsel(vlt(t, zero), vset(ZM_CODE_BACK), zero));
    number = vadd(number, vsel(axis, vset(ZM_CODE_AXIS),
                               vsel(diagonal, vset(ZM_CODE_DIAGONAL), zero)));
    number =
        vsel(in->known, number,
             vsel(vlt(in->here, inf), vset(ZM_CODE_SOURCE), vset(ZM_CODE_UNREACHED)));
    vst_code(code, number);
    vst(offset, vsel(in->known, t, zero));
}

/* Blocks are taken from left to right: the same row of the next one comes soon. */
static inline void donors_prefetch(const block_planes *p, size_t r)
{
    for (int k = 0; k < 5; k++)
        for (size_t byte = 0; byte < ZM_BLOCK * sizeof(real); byte += 64)
            __builtin_prefetch(
                (const char *)(p->plane[k] + r * p->stride[k] + ZM_BLOCK) + byte);
}

/* What the rows of a block have in common. */
typedef struct donors_block {
    block_planes planes;
    vec scale[5];
    donors_sweep sweep[4]; /* by ZM_FROM_* */
} donors_block;

/* Row r of a block: WL cells at a time. */
static void donors_row(sweeper *s, const donors_block *d, const uint32_t bits[3],
                       const uint32_t cut[2], size_t r, uint8_t *code, real *offset)
{
    const uint32_t lanes = (uint32_t)(((uint64_t)1 << WL) - 1);

    for (size_t c = 0; c < ZM_BLOCK; c += WL) {
        const uint32_t column = bits[1] >> c & lanes, reverse = bits[2] >> c & lanes;
        donors_in in[HALVES];
        donors_limits lim[HALVES];

        if ((column == 0 || column == lanes) && (reverse == 0 || reverse == lanes) &&
            !(cut[0] | cut[1])) {
            const donors_sweep *w = &d->sweep[(column & 1) * 2 + (reverse & 1)];

            for (int h = 0; h < HALVES; h++)
                donors_fetch_alike(s, &d->planes, w, bits[0], r, c + (size_t)(h * VL),
                                   &in[h]);
        } else {
            for (int h = 0; h < HALVES; h++)
                donors_fetch(s, &d->planes, d->scale, bits, cut, r, c + (size_t)(h * VL),
                             &in[h]);
        }
        donors_limits_float(in, lim);
        for (int h = 0; h < HALVES; h++)
            donors_vector(&in[h], lim[h], code + c + (size_t)(h * VL),
                          offset + c + (size_t)(h * VL));
    }
}

/* Cut-off donors of row r, of whichever sweep won: towards +t and -t. */
static void donors_cuts(const block_walls *walls, uint32_t west_east[4][ZM_BLOCK],
                        const uint32_t bits[3], size_t r, uint32_t cut[2])
{
    const uint32_t column = bits[1], reverse = bits[2];

    for (int k = 0; k < 2; k++)
        cut[k] = (~column & ~reverse & walls->cut[ZM_FROM_N][k][r]) |
                 (~column & reverse & walls->cut[ZM_FROM_S][k][r]) |
                 (column & ~reverse & west_east[k][r]) |
                 (column & reverse & west_east[2 + k][r]);
}

static void ZM_CAT(zm_blocks_donor_codes, ISA)(const zm_blocks_grid *g,
                                               zm_blocks_worker *w, int32_t block,
                                               uint8_t *code, void *offset)
{
    sweeper *s = w->scratch;
    const block_box b = block_box_of(g, block);
    const zm_blocks_winners *rec = &g->records[block];
    uint64_t walls[ZM_BLOCK + 2];
    uint32_t closed[ZM_BLOCK], from_east[ZM_BLOCK], west_east[4][ZM_BLOCK];
    block_walls cuts;
    donors_block d;
    bool any_closed;

    cuts.any = 0;
    if (walls_fetch(g, &b, walls))
        walls_cut(walls, &cuts);
    any_closed = closed_cells(&b, walls, closed);
    if (!planes_fetch(g, &b, any_closed ? closed : NULL, s->copies, &d.planes)) {
        for (size_t r = 0; r < b.rows; r++) {
            const size_t cell = (b.row + r) * (size_t)g->cols + b.col;

            memset(code + cell, ZM_CODE_UNREACHED, b.cols);
            memset((real *)offset + cell, 0, b.cols * sizeof(real));
        }
        return;
    }
    for (int k = 0; k < 5; k++)
        d.scale[k] = vset(g->scale[k]);
    for (int from = 0; from < 4; from++)
        d.sweep[from] = donors_sweep_of(g, from);
    times_fetch(g, &b, s);
    if (g->per_time != 1.0)
        for (size_t i = 0; i < sizeof s->T[0] / sizeof s->T[0][0]; i++)
            s->T[0][i] *= (real)g->per_time;
    zm_blocks_transpose(rec->from_east, from_east);
    if (cuts.any)
        for (int k = 0; k < 4; k++)
            zm_blocks_transpose(cuts.cut[ZM_FROM_W + k / 2][k % 2], west_east[k]);
    for (size_t r = 0; r < b.rows; r++) {
        const uint32_t column = rec->by_column[r];
        const uint32_t bits[3] = { rec->reached[r] & ~closed[r], column,
                                   (column & from_east[r]) |
                                       (~column & rec->from_south[r]) };
        const size_t cell = (b.row + r) * (size_t)g->cols + b.col;
        uint8_t line_code[ZM_BLOCK];
        real line_offset[ZM_BLOCK];
        uint32_t cut[2] = { 0, 0 };
        const bool whole = b.cols == ZM_BLOCK;

        if (b.east && !any_closed)
            donors_prefetch(&d.planes, r);
        if (cuts.any)
            donors_cuts(&cuts, west_east, bits, r, cut);
        donors_row(s, &d, bits, cut, r, whole ? code + cell : line_code,
                   whole ? (real *)offset + cell : line_offset);
        if (!whole) {
            memcpy(code + cell, line_code, b.cols);
            memcpy((real *)offset + cell, line_offset, b.cols * sizeof(real));
        }
    }
}

/* dL/d(planes) of VL cells.  With the donor point at m (its offset from the cell):
 *
 *     dF/dg11 = mx^2/(2 |m|_G),  dF/dg12 = mx my/|m|_G,  dF/dg22 = my^2/(2 |m|_G),
 *     dF/db = m,
 *
 * and the folded-in spacing taken out again by `unscale`. */
static inline void gradient_vector(const vec plane[3], const vec scale[3],
                                   const vec unscale[5],
                                   const uint8_t *code, const real *offset,
                                   const double *lambda, vec out[5])
{
    const vmsk column = vmsk_of_code(code, 1), reverse = vmsk_of_code(code, 0);
    const vmsk none = vmsk_of_code(code, 7);
    const vec zero = vset(0.0), one = vset(1.0), half = vset(0.5);
    const vec t = vld(offset), n = vsel(reverse, one, vneg(one));
    const vec l = vsel(none, zero, vld_double(lambda));
    const vec mx = vsel(column, n, t), my = vsel(column, t, n);
    const vec xx = vmul(mx, mx), xy = vmul(mx, my), yy = vmul(my, my);
    const vec g11 = vmul(plane[0], scale[0]), g12 = vmul(plane[1], scale[1]);
    const vec g22 = vmul(plane[2], scale[2]);
    const vec norm2 = vfma(g11, xx, vfma(vadd(g12, g12), xy, vmul(g22, yy)));
    const vec per = vsel(none, zero, vdiv(l, vsqrt(norm2)));

    out[0] = vmul(vmul(vmul(per, half), xx), unscale[0]);
    out[1] = vmul(vmul(per, xy), unscale[1]);
    out[2] = vmul(vmul(vmul(per, half), yy), unscale[2]);
    out[3] = vmul(vmul(l, mx), unscale[3]);
    out[4] = vmul(vmul(l, my), unscale[4]);
}

/* A row of cells: what it reads and what it fills. */
typedef struct gradient_row {
    const real *plane[3], *offset;
    const uint8_t *code;
    const double *lambda;
    real *out[5]; /* or NULL */
} gradient_row;

/* VL cells from column c. */
ZM_INLINE void gradient_cells(const gradient_row *row, size_t c, const vec scale[3],
                              const vec unscale[5], bool isotropic, bool all)
{
    vec plane[3], d[5];

    for (int k = 0; k < 3; k++)
        plane[k] = vld(row->plane[k] + c);
    gradient_vector(plane, scale, unscale, row->code + c, row->offset + c, row->lambda + c,
                    d);
    if (isotropic)
        d[0] = vadd(d[0], d[2]);
    for (int k = 0; k < 5; k++)
        if (all || row->out[k])
            vst(row->out[k] + c, d[k]);
}

/* The n < VL cells from column c, padded with cells that have no donor. */
static void gradient_end(const gradient_row *row, size_t c, size_t n, const vec scale[3],
                         const vec unscale[5], bool isotropic)
{
    uint8_t code[VL];
    double lambda[VL] = { 0 };
    real plane[3][VL] = { { 0 } }, offset[VL] = { 0 }, out[5][VL];
    gradient_row few = { .offset = offset, .code = code, .lambda = lambda };

    memset(code, ZM_CODE_UNREACHED, sizeof code);
    memcpy(code, row->code + c, n);
    memcpy(lambda, row->lambda + c, n * sizeof *lambda);
    memcpy(offset, row->offset + c, n * sizeof(real));
    for (int k = 0; k < 3; k++) {
        memcpy(plane[k], row->plane[k] + c, n * sizeof(real));
        few.plane[k] = plane[k];
    }
    for (int k = 0; k < 5; k++)
        few.out[k] = out[k];
    gradient_cells(&few, 0, scale, unscale, isotropic, true);
    for (int k = 0; k < 5; k++)
        if (row->out[k])
            memcpy(row->out[k] + c, out[k], n * sizeof(real));
}

static void ZM_CAT(zm_blocks_gradient_rows,
                   ISA)(const zm_blocks_grid *g, size_t row, size_t row_end,
                        const uint8_t *code, const void *offset, const double *lambda,
                        const zm_blocks_planes *out, bool isotropic)
{
    const size_t cols = (size_t)g->cols, whole = cols / VL * VL;
    bool all = !isotropic;
    vec scale[3], unscale[5];

    for (int k = 0; k < 3; k++)
        scale[k] = vset(g->scale[k]);
    for (int k = 0; k < 5; k++) {
        unscale[k] = vset(g->unscale[k]);
        all = all && out->plane[k];
    }
    for (; row < row_end; row++) {
        const size_t cell = row * cols;
        gradient_row at = { .offset = (const real *)offset + cell,
                            .code = code + cell,
                            .lambda = lambda + cell };

        for (int k = 0; k < 3; k++)
            at.plane[k] = (const real *)g->plane[k] + row * g->stride[k];
        for (int k = 0; k < 5; k++)
            at.out[k] = out->plane[k] ? (real *)out->plane[k] + cell : NULL;
        if (all)
            for (size_t c = 0; c < whole; c += VL)
                gradient_cells(&at, c, scale, unscale, false, true);
        else
            for (size_t c = 0; c < whole; c += VL)
                gradient_cells(&at, c, scale, unscale, isotropic, false);
        if (whole < cols)
            gradient_end(&at, whole, cols - whole, scale, unscale, isotropic);
    }
}

const zm_kernel ZM_CAT(zm_kernel, ISA) = {
    .name = ZM_ISA_NAME,
    .coef_bytes = sizeof(block_coefs),
    .scratch_bytes = sizeof(sweeper),
    .visit = ZM_CAT(zm_blocks_visit, ISA),
    .donors = ZM_CAT(zm_blocks_donor_codes, ISA),
    .gradient = ZM_CAT(zm_blocks_gradient_rows, ISA),
};
