/* SPDX-License-Identifier: Apache-2.0
 * Donors and weights of settled cells, and what they mean for the parameters.  Include
 * tile_visit.tmpl.h first. */

/* The winning sweep is on record; this finds where on its donor line the minimum lies:
 *
 *     t = c - A q / sqrt(P - A q^2),
 *
 * in the frame and with the clamps of `update`, so the answer is that of the solve. */
typedef struct stencil_in {
    vec mid, plus, minus;          /* donors towards +t and -t */
    vec g_t, g12, g_n, bt;         /* scaled */
    vmsk reverse;
} stencil_in;

typedef struct stencil_out {
    vec t; /* signed offset along t */
    vmsk axis, diagonal; /* one-point updates */
} stencil_out;

static inline vec side_value(vec base, vec c, vec q, vec root)
{
    return vadd(base, vfma(c, q, root));
}

static inline stencil_out stencil_of(const stencil_in *s)
{
    const vec det = vfnma(s->g12, s->g12, vmul(s->g_t, s->g_n));
    const vec inv = vdiv(vset(1.0), vmul(s->g_t, s->g_n));
    const vec inv_t = vmul(inv, s->g_n);
    const vec P = vmul(det, inv_t), A = vmul(P, inv_t), c = vmul(s->g12, inv_t);
    const vec sum = vadd(s->g_t, s->g_n), twice = vadd(s->g12, s->g12);
    const vec inv_n = vsqrt(vmul(inv, s->g_t));
    const vec q0 = vmul(s->g12, inv_n);
    const vec qlo = vdiv(vsub(s->g12, s->g_t), vsqrt(vsub(sum, twice)));
    const vec qhi = vdiv(vadd(s->g12, s->g_t), vsqrt(vadd(sum, twice)));
    const vec right = vadd(s->plus, s->bt), left = vsub(s->minus, s->bt);
    const vec up = vsel(s->reverse, left, right), down = vsel(s->reverse, right, left);
    const vec qp = vmin(vmax(vsub(up, s->mid), qlo), q0);
    const vec qm = vmax(vmin(vsub(s->mid, down), qhi), q0);
    const vec root_p = vsqrt(vfnma(vmul(A, qp), qp, P));
    const vec root_m = vsqrt(vfnma(vmul(A, qm), qm, P));
    const vec value_p = side_value(vmin(s->mid, vsub(up, qlo)), c, qp, root_p);
    const vec value_m = side_value(vmin(s->mid, vadd(down, qhi)), c, qm, root_m);
    const vmsk use_m = vlt(value_m, value_p);
    const vec q = vsel(use_m, qm, qp), root = vsel(use_m, root_m, root_p);
    const vec inner = vsub(c, vdiv(vmul(A, q), root));
    const vec one = vset(1.0), zero = vset(0.0);
    stencil_out out;

    out.axis = vmsk_and(vle(q, q0), vle(q0, q));
    out.diagonal = vsel_msk(use_m, vle(qhi, q), vle(q, qlo));
    out.t = vmax(vmin(inner, one), vneg(one));
    out.t = vsel(out.diagonal, vsel(use_m, vneg(one), one), out.t);
    out.t = vsel(out.axis, zero, out.t);
    out.t = vsel(s->reverse, vneg(out.t), out.t);
    return out;
}

static inline vec either(vmsk column, vmsk reverse, const real *n, const real *s,
                         const real *w, const real *e)
{
    return vsel(column, vsel(reverse, vld(e), vld(w)), vsel(reverse, vld(s), vld(n)));
}

/* VL cells of row r from column c. */
static inline void stencil_vector(sweeper *s, const tile_planes *p, const vec scale[5],
                                  const uint32_t bits[3], const uint32_t cut[2], size_t r,
                                  size_t c, uint8_t *code, real *offset)
{
    const vmsk column = vmsk_of_bits(bits[1] >> c), reverse = vmsk_of_bits(bits[2] >> c);
    const real *T = line_of(s, 0, (ptrdiff_t)r) + c;
    const real *N = T - LINE, *S = T + LINE;
    const vec inf = vset((double)INFINITY), here = vld(T);
    vec g[5];
    stencil_in in;

    for (int k = 0; k < 5; k++)
        g[k] = vmul(vld(p->plane[k] + r * p->stride[k] + c), scale[k]);
    in.reverse = reverse;
    in.mid = either(column, reverse, N, S, T - 1, T + 1);
    in.plus = either(column, reverse, N + 1, S + 1, S - 1, S + 1);
    in.minus = either(column, reverse, N - 1, S - 1, N - 1, N + 1);
    in.plus = vsel(vmsk_of_bits(cut[0] >> c), inf, in.plus);
    in.minus = vsel(vmsk_of_bits(cut[1] >> c), inf, in.minus);
    in.g_t = vsel(column, g[2], g[0]);
    in.g_n = vsel(column, g[0], g[2]);
    in.g12 = g[1];
    in.bt = vsel(column, g[4], g[3]);

    const stencil_out out = stencil_of(&in);
    const vec zero = vset(0.0);
    const vmsk known = vmsk_and(vmsk_of_bits(bits[0] >> c), vlt(here, inf));
    vec number = vadd(vsel(column, vset(2.0), zero), vsel(reverse, vset(1.0), zero));

    number = vadd(number, vsel(vlt(out.t, zero), vset(ZM_CODE_BACK), zero));
    number = vadd(number, vsel(out.axis, vset(ZM_CODE_AXIS),
                               vsel(out.diagonal, vset(ZM_CODE_DIAGONAL), zero)));
    number = vsel(known, number, vsel(vlt(here, inf), vset(ZM_CODE_SOURCE),
                                      vset(ZM_CODE_UNREACHED)));
    vst_code(code, number);
    vst(offset, vsel(known, out.t, zero));
}

/* Cut-off donors of row r, of whichever sweep won: towards +t and -t. */
static void stencil_cuts(const tile_walls *walls, uint32_t west_east[4][ZM_TILE],
                         const uint32_t bits[3], size_t r, uint32_t cut[2])
{
    const uint32_t column = bits[1], reverse = bits[2];

    for (int k = 0; k < 2; k++)
        cut[k] = (~column & ~reverse & walls->cut[ZM_FROM_N][k][r]) |
                 (~column & reverse & walls->cut[ZM_FROM_S][k][r]) |
                 (column & ~reverse & west_east[k][r]) |
                 (column & reverse & west_east[2 + k][r]);
}

static void ZM_CAT(zm_tile_stencils, ISA)(const zm_tiling *g, zm_worker *w, int32_t tile,
                                          uint8_t *code, void *offset)
{
    sweeper *s = w->scratch;
    const tile_box b = tile_box_of(g, tile);
    const zm_tile_record *rec = &g->records[tile];
    uint64_t walls[ZM_TILE + 2];
    uint32_t closed[ZM_TILE], from_east[ZM_TILE], west_east[4][ZM_TILE];
    tile_walls cuts;
    tile_planes planes;
    vec scale[5];
    bool any_closed;

    cuts.any = 0;
    if (walls_fetch(g, &b, walls))
        walls_cut(walls, &cuts);
    any_closed = closed_cells(&b, walls, closed);
    if (!planes_fetch(g, &b, any_closed ? closed : NULL, s->copies, &planes)) {
        for (size_t r = 0; r < b.rows; r++) {
            const size_t cell = (b.row + r) * (size_t)g->cols + b.col;

            memset(code + cell, ZM_CODE_UNREACHED, b.cols);
            memset((real *)offset + cell, 0, b.cols * sizeof(real));
        }
        return;
    }
    for (int k = 0; k < 5; k++)
        scale[k] = vset(g->scale[k]);
    times_fetch(g, &b, s);
    if (g->per_time != 1.0)
        for (size_t i = 0; i < sizeof s->T[0] / sizeof s->T[0][0]; i++)
            s->T[0][i] *= (real)g->per_time;
    bits_transpose(rec->from_east, from_east);
    if (cuts.any)
        for (int k = 0; k < 4; k++)
            bits_transpose(cuts.cut[ZM_FROM_W + k / 2][k % 2], west_east[k]);
    for (size_t r = 0; r < b.rows; r++) {
        const uint32_t column = rec->by_column[r];
        const uint32_t bits[3] = { rec->reached[r] & ~closed[r], column,
                                   (column & from_east[r]) |
                                       (~column & rec->from_south[r]) };
        const size_t cell = (b.row + r) * (size_t)g->cols + b.col;
        uint8_t line_code[ZM_TILE];
        real line_offset[ZM_TILE];
        uint32_t cut[2] = { 0, 0 };
        const bool whole = b.cols == ZM_TILE;

        if (cuts.any)
            stencil_cuts(&cuts, west_east, bits, r, cut);
        for (size_t c = 0; c < b.cols; c += VL)
            stencil_vector(s, &planes, scale, bits, cut, r, c,
                           whole ? code + cell + c : line_code + c,
                           whole ? (real *)offset + cell + c : line_offset + c);
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
 * and the folded-in spacing taken out again by `scale`. */
static inline void gradient_vector(const vec plane[3], const vec scale[5],
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

    out[0] = vmul(vmul(vmul(per, half), xx), scale[0]);
    out[1] = vmul(vmul(per, xy), scale[1]);
    out[2] = vmul(vmul(vmul(per, half), yy), scale[2]);
    out[3] = vmul(vmul(l, mx), scale[3]);
    out[4] = vmul(vmul(l, my), scale[4]);
}

static void ZM_CAT(zm_gradient_rows, ISA)(const zm_tiling *g, size_t row, size_t row_end,
                                          const uint8_t *code, const void *offset,
                                          const double *lambda, const zm_plane_set *out,
                                          bool isotropic)
{
    const size_t cols = (size_t)g->cols;
    vec scale[5];

    for (int k = 0; k < 5; k++)
        scale[k] = vset(g->scale[k]);
    for (; row < row_end; row++)
        for (size_t c = 0; c < cols; c += VL) {
            const size_t cell = row * cols + c, n = cols - c < VL ? cols - c : VL;
            uint8_t few_codes[VL];
            double few_lambda[VL];
            real few[5][VL];
            const uint8_t *codes = code + cell;
            const real *offsets = (const real *)offset + cell;
            const double *l = lambda + cell;
            vec plane[3], d[5];

            if (n < VL) { /* the end of the row, padded with cells that have no donor */
                memset(few_codes, ZM_CODE_UNREACHED, sizeof few_codes);
                memset(few, 0, sizeof few);
                memset(few_lambda, 0, sizeof few_lambda);
                memcpy(few_codes, codes, n);
                memcpy(few_lambda, l, n * sizeof *l);
                memcpy(few[3], offsets, n * sizeof(real));
                codes = few_codes;
                l = few_lambda;
                offsets = few[3];
            }
            for (int k = 0; k < 3; k++) {
                const real *p = (const real *)g->plane[k] + row * g->stride[k] + c;

                if (n < VL)
                    memcpy(few[k], p, n * sizeof(real));
                plane[k] = vld(n < VL ? few[k] : p);
            }
            gradient_vector(plane, scale, codes, offsets, l, d);
            if (isotropic)
                d[0] = vadd(d[0], d[2]);
            for (int k = 0; k < 5; k++) {
                if (!out->plane[k])
                    continue;
                if (n < VL) {
                    vst(few[4], d[k]);
                    memcpy((real *)out->plane[k] + cell, few[4], n * sizeof(real));
                } else {
                    vst((real *)out->plane[k] + cell, d[k]);
                }
            }
        }
}

const zm_kernel ZM_CAT(zm_kernel, ISA) = {
    .name = ZM_ISA_NAME,
    .coef_bytes = sizeof(tile_coefs),
    .scratch_bytes = sizeof(sweeper),
    .visit = ZM_CAT(zm_tile_visit, ISA),
    .stencils = ZM_CAT(zm_tile_stencils, ISA),
    .gradient = ZM_CAT(zm_gradient_rows, ISA),
};
