/* SPDX-License-Identifier: Apache-2.0
 * What each cell's lambda says of its own metric and of the source's.  Include refine.tmpl.h
 * first.  With the donor point p, its factor c and d = x - s,
 *
 *     dtau = c (p' dG p / (2 |p|_G) + p.db + p.dgrad T_s),
 *     p.dgrad T_s = p' dGs d / |d| - (p'Gs d) d' dGs d / (2 |d|^3) - p.dbs,
 *     dT_s = d' dGs d / (2 |d|) - dbs.d . */

/* Sums over cells of what falls to g11, g12, g22, b1, b2 of one source. */
typedef struct by_source {
    vec sum[5];
} by_source;

static inline void by_source_add(by_source *s, const vec value[5])
{
    for (int k = 0; k < 5; k++)
        s->sum[k] = vadd(s->sum[k], value[k]);
}

static void by_source_keep(const by_source *s, unsigned lanes, zm_cell_metric *to)
{
    double value[5][VL];

    for (int k = 0; k < 5; k++)
        vst(value[k], s->sum[k]);
    for (; lanes; lanes &= lanes - 1) {
        const unsigned i = (unsigned)__builtin_ctz(lanes);

        to->g11 += value[0][i];
        to->g12 += value[1][i];
        to->g22 += value[2][i];
        to->b1 += value[3][i];
        to->b2 += value[4][i];
    }
}

/* Part of a row of cells: where it begins, and how many cells of a vector are in the grid. */
typedef struct row_part {
    size_t cell;
    int64_t row, col;
    unsigned lanes;
} row_part;

static inline row_part row_part_of(const zm_refined_grid *g, int32_t block, unsigned r,
                                   unsigned c)
{
    const int64_t row = (int64_t)(block / g->blocks_across) * ZM_BLOCK + r;
    const int64_t col = (int64_t)(block % g->blocks_across) * ZM_BLOCK + c;
    const int64_t left = row < g->rows ? g->cols - col : 0;

    return (row_part){ (size_t)(row * g->cols + col), row, col,
                       left >= VL ? (1u << VL) - 1
                       : left > 0 ? (1u << left) - 1
                                  : 0 };
}

/* VL values of the part of a row, 0 beyond the grid. */
static inline vec part_load(const double *field, const row_part *at)
{
    double few[VL] = { 0 };

    if (at->lanes == (1u << VL) - 1)
        return vld(field + at->cell);
    for (unsigned i = 0; i < VL && at->lanes >> i; i++)
        few[i] = field[at->cell + i];
    return vld(few);
}

/* Takes the lanes of one source out of *lanes. */
static inline unsigned lanes_of_source(const zm_refined_grid *g, const row_part *p,
                                       unsigned *lanes, size_t *source)
{
    const unsigned all = *lanes, first = all & (0u - all);
    const double *label;
    unsigned these;

    *lanes = 0;
    *source = 0;
    if (!g->label)
        return all;
    label = g->label + zm_refined_at(g, p->row, p->col);
    /* cells that nothing came to have none: NaN */
    *source = (size_t)fmax(0, label[__builtin_ctz(all)]);
    these = (all & vbits(same(vld(label), vset((double)*source)))) | first;
    *lanes = all & ~these;
    return these;
}

/* Derivatives of T_s and of its slope along p, times l and lp. */
static inline void source_parts(const zm_refined_source *s, const row_part *at, vec l,
                                vec lp, vec px, vec py, by_source *sums)
{
    const zm_cell_metric *m = &s->metric;
    const vec x = ramp((double)at->col - s->col), y = vset((double)at->row - s->row);
    const vec gx = vfma(vset(m->g11), x, vmul(vset(m->g12), y));
    const vec gy = vfma(vset(m->g12), x, vmul(vset(m->g22), y));
    const vec length2 = vfma(gx, x, vmul(gy, y)), zero = vset(0.0);
    const vec inv = vsel(vlt(zero, length2), vinv_sqrt(length2), zero);
    const vec half = vset(0.5),
              along = vmul(vfma(gx, px, vmul(gy, py)), vmul(inv, inv));
    /* (l/2 - lp (p'Gd) / (2 |d|^2)) / |d| times d d', and lp / |d| times p d' */
    const vec of_dd = vmul(vmul(half, vfnma(lp, along, l)), inv), of_pd = vmul(lp, inv);
    const vec value[5] = {
        vfma(vmul(of_dd, x), x, vmul(vmul(of_pd, px), x)),
        vfma(vmul(vadd(of_dd, of_dd), x), y, vmul(of_pd, vfma(px, y, vmul(py, x)))),
        vfma(vmul(of_dd, y), y, vmul(vmul(of_pd, py), y)),
        vneg(vfma(l, x, vmul(lp, px))),
        vneg(vfma(l, y, vmul(lp, py))),
    };

    by_source_add(sums, value);
}

static void ZM_CAT(zm_refined_distances, ISA)(const zm_refined_grid *g, int32_t block,
                                              const double *lambda, zm_cell_metric *by)
{
    const vec zero = vset(0.0);
    by_source sums = { { zero, zero, zero, zero, zero } };

    for (unsigned r = 0; r < ZM_BLOCK; r++)
        for (unsigned c = 0; c < ZM_BLOCK; c += VL) {
            const row_part at = row_part_of(g, block, r, c);
            unsigned lanes = at.lanes;

            while (lanes) {
                size_t source;
                const unsigned these = lanes_of_source(g, &at, &lanes, &source);
                const vec l = vsel(vmsk_of_bits(these), part_load(lambda, &at), zero);

                source_parts(&g->sources[source], &at, l, zero, zero, zero, &sums);
                if (!g->label)
                    continue;
                by_source_keep(&sums, these, &by[source]);
                sums = (by_source){ { zero, zero, zero, zero, zero } };
            }
        }
    if (!g->label)
        by_source_keep(&sums, (1u << VL) - 1, &by[0]);
}

/* Derivatives of VL cells into planes. */
static void planes_store(const zm_refined_grid *g, const row_part *at,
                         const vec value[5], void *const out[5])
{
    for (int k = 0; k < 5; k++) {
        double few[VL];

        if (!out[k])
            continue;
        if (!g->single && at->lanes == (1u << VL) - 1) {
            vst((double *)out[k] + at->cell, value[k]);
            continue;
        }
        vst(few, value[k]);
        for (unsigned i = 0; i < VL && at->lanes >> i; i++)
            if (g->single)
                ((float *)out[k])[at->cell + i] = (float)few[i];
            else
                ((double *)out[k])[at->cell + i] = few[i];
    }
}

static void ZM_CAT(zm_refined_gradient,
                   ISA)(const zm_refined_grid *g, void *scratch, int32_t block,
                        const uint8_t *code, const double *weight, const double *lambda,
                        void *const out[5], bool isotropic, zm_cell_metric *by)
{
    refiner *s = scratch;
    const vec zero = vset(0.0), one = vset(1.0), half = vset(0.5);
    by_source sums = { { zero, zero, zero, zero, zero } };
    vec scale[3], unscale[5];

    planes_open(g, s, (size_t)(block / g->blocks_across) * ZM_BLOCK,
                (size_t)(block % g->blocks_across) * ZM_BLOCK);
    for (int k = 0; k < 5; k++)
        unscale[k] = vset(g->unscale[k]);
    for (int k = 0; k < 3; k++)
        scale[k] = vset(g->scale[k]);
    for (unsigned r = 0; r < ZM_BLOCK; r++)
        for (unsigned c = 0; c < ZM_BLOCK; c += VL) {
            const row_part at = row_part_of(g, block, r, c);
            const frame *f = &s->frame[0];
            unsigned lanes = at.lanes;
            vec d[5];

            if (!lanes)
                continue;
            uint8_t codes[8];

            memset(codes, ZM_REFINED_UNREACHED, sizeof codes);
            for (unsigned i = 0; i < VL && at.lanes >> i; i++)
                codes[i] = code[at.cell + i];
            const vmsk column = vmsk_of_code(codes, 1),
                       reverse = vmsk_of_code(codes, 0);
            const vmsk second = vmsk_of_code(codes, 3), third = vmsk_of_code(codes, 4);
            const vmsk none = vmsk_of_code(codes, 7);
            const vec w = vsel(none, zero, part_load(weight, &at));
            const vec t = vsel(vmsk_of_code(codes, 2), vneg(w), w);
            const vec n = vsel(reverse, one, vneg(one));
            const vec px = vsel(column, n, t), py = vsel(column, t, n);
            const vec factor =
                vsel(second, vsel(third, vset(6.0 / 11), vset(2.0 / 3)), one);
            const vec l = vmul(vsel(none, zero, part_load(lambda, &at)), factor);
            vec m[3];

            for (int k = 0; k < 3; k++)
                m[k] = vmul(vld(f->plane[k] + r * f->plane_stride[k] + c), scale[k]);
            const vec xy = vmul(px, py), xx = vmul(px, px), yy = vmul(py, py);
            const vec norm2 =
                vfma(m[0], xx, vfma(vadd(m[1], m[1]), xy, vmul(m[2], yy)));
            const vec per = vsel(none, zero, vmul(l, vinv_sqrt(norm2)));

            d[0] = vmul(vmul(vmul(per, half), xx), unscale[0]);
            d[1] = vmul(vmul(per, xy), unscale[1]);
            d[2] = vmul(vmul(vmul(per, half), yy), unscale[2]);
            d[3] = vmul(vmul(l, px), unscale[3]);
            d[4] = vmul(vmul(l, py), unscale[4]);
            if (isotropic)
                d[0] = vadd(d[0], d[2]);
            planes_store(g, &at, d, out);
            while (lanes) {
                size_t source;
                const unsigned these = lanes_of_source(g, &at, &lanes, &source);
                const vec of_these = vsel(vmsk_of_bits(these), l, zero);

                source_parts(&g->sources[source], &at, zero, of_these, px, py, &sums);
                if (!g->label)
                    continue;
                by_source_keep(&sums, these, &by[source]);
                sums = (by_source){ { zero, zero, zero, zero, zero } };
            }
        }
    if (!g->label)
        by_source_keep(&sums, (1u << VL) - 1, &by[0]);
}

const zm_refined_kernel ZM_CAT(zm_refined_kernel, ISA) = {
    .scratch_bytes = sizeof(refiner),
    .visit = ZM_CAT(zm_refined_visit, ISA),
    .record = ZM_CAT(zm_refined_record, ISA),
    .gradient = ZM_CAT(zm_refined_gradient, ISA),
    .distances = ZM_CAT(zm_refined_distances, ISA),
};
