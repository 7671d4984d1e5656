/* SPDX-License-Identifier: Apache-2.0
 * Blocks with stencils adapted to the metric: the triangles of a block.
 *
 * The stencils are those of local/stencil.h, by its rule, found for all cells of a block at
 * once: a pair of offsets is tested in every cell that has it, and split for those where it is
 * not acute.  Floats are enough to tell (docs/adr/0018-stencils-of-a-block-at-once.md).
 * Include one vec_<isa>_f64.h and adaptive_kernel.h first. */
#include <stdlib.h>

#include "eikonal/blocks/bits.h"

enum { ADAPTIVE_GROUPS = ZM_BLOCK / WL /* of WL cells in a line */ };

/* Metric and drift of a block in float: enough to tell whether a pair of offsets is acute. */
typedef struct adaptive_planes {
    float g11[ZM_BLOCK][ZM_BLOCK], g12[ZM_BLOCK][ZM_BLOCK], g22[ZM_BLOCK][ZM_BLOCK];
    float b1[ZM_BLOCK][ZM_BLOCK], b2[ZM_BLOCK][ZM_BLOCK];
} adaptive_planes;

/* A set of cells of a block, a bit each, by row. */
typedef struct cell_set {
    uint32_t row[ZM_BLOCK];
} cell_set;

typedef struct adaptive_builder {
    adaptive_planes planes;
    zm_blocks_triangle *out;
    int32_t n, most, reach;
} adaptive_builder;

static inline wide wld(const float *p)
{
    wide a;

    memcpy(&a, p, sizeof a);
    return a;
}

/* u'Gv */
static inline wide adaptive_product(wide g11, wide g12, wide g22, zm_local_offset u,
                                    zm_local_offset v)
{
    const wide a = wmul(g11, wset((float)(u.x * v.x)));
    const wide b = wmul(g12, wset((float)(u.x * v.y + u.y * v.x)));

    return wadd(wadd(a, b), wmul(g22, wset((float)(u.y * v.y))));
}

/* Bounds over the cells that have a triangle. */
typedef struct adaptive_bounds {
    float gap_u, gap_v; /* <grad N(v), u>, <grad N(u), v> */
    float step_u;       /* N(u) */
} adaptive_bounds;

#define ADAPTIVE_FAR 3e38f
#define ADAPTIVE_NO_BOUNDS                                                             \
    {                                                                                  \
        ADAPTIVE_FAR, ADAPTIVE_FAR, ADAPTIVE_FAR                                       \
    }

static float adaptive_least(float so_far, uint32_t cells, wide values)
{
    const float least = wleast(wsel_bits(cells, values, wset(ADAPTIVE_FAR)));

    return least < so_far ? least : so_far;
}

/* Of the cells in `set`, those for which u and v are acute with the margin; bounds are
 * lowered to what they have. */
static cell_set adaptive_acute(const adaptive_planes *p, const cell_set *set,
                               zm_local_offset u, zm_local_offset v, float margin,
                               adaptive_bounds *bounds)
{
    const wide m = wset(margin), rest = wset(1 - margin);
    cell_set found;

    for (int row = 0; row < ZM_BLOCK; row++) {
        uint32_t bits = 0;

        for (int g = 0; g < ADAPTIVE_GROUPS && set->row[row]; g++) {
            const int c = g * WL;
            const uint32_t here =
                set->row[row] >> c & (uint32_t)(((uint64_t)1 << WL) - 1);

            if (!here)
                continue;
            const wide g11 = wld(&p->g11[row][c]), g12 = wld(&p->g12[row][c]);
            const wide g22 = wld(&p->g22[row][c]);
            const wide b1 = wld(&p->b1[row][c]), b2 = wld(&p->b2[row][c]);
            const wide uu = adaptive_product(g11, g12, g22, u, u);
            const wide vv = adaptive_product(g11, g12, g22, v, v);
            const wide uv = adaptive_product(g11, g12, g22, u, v);
            const wide inv_u = wrsqrt(uu), inv_v = wrsqrt(vv);
            const wide length_u = wmul(uu, inv_u), length_v = wmul(vv, inv_v);
            const wide drift_u =
                wadd(wmul(b1, wset((float)u.x)), wmul(b2, wset((float)u.y)));
            const wide drift_v =
                wadd(wmul(b1, wset((float)v.x)), wmul(b2, wset((float)v.y)));
            const uint32_t ok =
                wge_bits(uv, ZM_STENCIL_LEAST_PRODUCT(m, rest, length_u, length_v,
                                                      drift_v)) &
                wge_bits(uv, ZM_STENCIL_LEAST_PRODUCT(m, rest, length_v, length_u,
                                                      drift_u)) &
                here;

            if (ok) {
                bounds->gap_u =
                    adaptive_least(bounds->gap_u, ok, wadd(wmul(uv, inv_v), drift_u));
                bounds->gap_v =
                    adaptive_least(bounds->gap_v, ok, wadd(wmul(uv, inv_u), drift_v));
                bounds->step_u =
                    adaptive_least(bounds->step_u, ok, wadd(length_u, drift_u));
            }
            bits |= ok << c;
        }
        found.row[row] = bits;
    }
    return found;
}

static bool set_empty(const cell_set *s)
{
    uint32_t any = 0;

    for (int row = 0; row < ZM_BLOCK; row++)
        any |= s->row[row];
    return !any;
}

static cell_set set_without(const cell_set *a, const cell_set *b)
{
    cell_set s;

    for (int row = 0; row < ZM_BLOCK; row++)
        s.row[row] = a->row[row] & ~b->row[row];
    return s;
}

/* Floats round; gaps are moved to the safe side by this share of the largest step. */
#define ADAPTIVE_SLACK 1e-5f

/* m_i'G m_j = t_i t_j g_t + (t_i n_j + n_i t_j) g12 + n_i n_j g_n */
static void adaptive_factors(zm_blocks_triangle *t)
{
    const double at[2][2] = { { t->t1, t->n1 }, { t->t2, t->n2 } };

    memcpy(t->at, at, sizeof at);
    for (int k = 0; k < 3; k++) {
        const double *p = at[k / 2], *q = at[(k + 1) / 2];

        t->E[k][0] = p[0] * q[0];
        t->E[k][1] = p[0] * q[1] + p[1] * q[0];
        t->E[k][2] = p[1] * q[1];
    }
}

/* Adds a triangle, to the sweep along the longer side of u + v. */
static bool adaptive_emit(adaptive_builder *f, const cell_set *set, zm_local_offset u,
                          zm_local_offset v, const adaptive_bounds *bounds)
{
    const int sx = u.x + v.x, sy = u.y + v.y;
    const bool by_row = abs(sy) >= abs(sx);
    zm_blocks_triangle *t = &f->out[f->n];

    if (f->n == f->most)
        return false;
    f->n++;
    t->from = (uint8_t)(by_row ? (sy < 0 ? ZM_FROM_N : ZM_FROM_S)
                               : (sx < 0 ? ZM_FROM_W : ZM_FROM_E));
    t->t1 = (int8_t)(by_row ? u.x : u.y);
    t->n1 = (int8_t)(by_row ? u.y : u.x);
    t->t2 = (int8_t)(by_row ? v.x : v.y);
    t->n2 = (int8_t)(by_row ? v.y : v.x);
    t->gap1 = (double)(bounds->gap_u - ADAPTIVE_SLACK * bounds->step_u);
    t->gap2 = (double)(bounds->gap_v - ADAPTIVE_SLACK * fabsf(bounds->gap_v));
    t->step1 = (double)(bounds->step_u - ADAPTIVE_SLACK * bounds->step_u);
    adaptive_factors(t);
    if (by_row)
        memcpy(t->has, set->row, sizeof t->has);
    else
        zm_blocks_transpose(set->row, t->has);
    return true;
}

/* The triangles of the cells in `all` from one offset to another: a pair is emitted for those
 * where it is acute and split for the others.  False: too far or too many. */
static bool adaptive_refine(adaptive_builder *f, const cell_set *all,
                            zm_local_offset from, zm_local_offset to)
{
    cell_set sets[ZM_BLOCKS_REACH + 1]; /* by depth: cells that have the pair */
    zm_stencil_pairs pairs;

    zm_stencil_pairs_begin(&pairs, from, to);
    sets[0] = *all;
    for (;;) {
        const cell_set *set = &sets[pairs.depth];
        const zm_local_offset u = pairs.from, v = pairs.to[pairs.depth];
        adaptive_bounds bounds = ADAPTIVE_NO_BOUNDS;
        const cell_set acute =
            adaptive_acute(&f->planes, set, u, v, (float)ZM_STENCIL_MARGIN, &bounds);
        const cell_set blunt = set_without(set, &acute);

        if (!set_empty(&acute) && !adaptive_emit(f, &acute, u, v, &bounds))
            return false;
        if (set_empty(&blunt)) {
            if (!zm_stencil_pairs_keep(&pairs))
                return true;
        } else {
            sets[pairs.depth] = blunt;
            if (!zm_stencil_pairs_split(&pairs, ZM_BLOCKS_REACH, &f->reach))
                return false;
            sets[pairs.depth] = blunt;
        }
    }
}

static void adaptive_load(const zm_blocks_adaptive_grid *g, int32_t block,
                          adaptive_planes *p)
{
    const size_t row0 = (size_t)(block / g->blocks_across) * ZM_BLOCK;
    const size_t col0 = (size_t)(block % g->blocks_across) * ZM_BLOCK;
    float(*to[5])[ZM_BLOCK] = { p->g11, p->g12, p->g22, p->b1, p->b2 };

    for (int k = 0; k < 5; k++)
        for (size_t row = 0; row < ZM_BLOCK; row++) {
            const double *from = g->planes + (size_t)k * g->plane_step +
                                 (row0 + row) * g->plane_stride + col0;

            for (size_t c = 0; c < ZM_BLOCK; c++)
                to[k][row][c] = (float)from[c];
        }
}

static uint32_t adaptive_low_bits(int32_t n)
{
    return n >= ZM_BLOCK ? ~(uint32_t)0 : n > 0 ? ((uint32_t)1 << n) - 1 : 0;
}

/* All cells of the block that are in the grid. */
static cell_set adaptive_cells(const zm_blocks_adaptive_grid *g, int32_t block)
{
    const int32_t row0 = block / g->blocks_across * ZM_BLOCK,
                  col0 = block % g->blocks_across * ZM_BLOCK;
    cell_set s;

    for (int32_t row = 0; row < ZM_BLOCK; row++)
        s.row[row] = row0 + row < g->rows ? adaptive_low_bits(g->cols - col0) : 0;
    return s;
}

static int adaptive_by_sweep(const void *a, const void *b)
{
    return ((const zm_blocks_triangle *)a)->from -
           ((const zm_blocks_triangle *)b)->from;
}

static int32_t ZM_CAT(zm_blocks_adaptive_build,
                      ISA)(const zm_blocks_adaptive_grid *g, int32_t block,
                           zm_blocks_triangle *out, int32_t most)
{
    const zm_local_offset *m = zm_stencil_plain;
    adaptive_builder f = { .out = out, .most = most, .reach = 1 };
    cell_set all = adaptive_cells(g, block), plain = all;
    adaptive_bounds bounds[8];

    adaptive_load(g, block, &f.planes);
    for (int k = 0; k < 8; k++) { /* the eight neighbours suffice: no margin asked */
        const int n = (k + 1) & 7;

        bounds[k] = (adaptive_bounds)ADAPTIVE_NO_BOUNDS;
        plain = adaptive_acute(&f.planes, &plain, m[k], m[n], 0.0f, &bounds[k]);
    }
    const cell_set strong = set_without(&all, &plain);

    for (int k = 0; k < 8; k++) {
        const int n = (k + 1) & 7;

        if (!set_empty(&plain) && !adaptive_emit(&f, &plain, m[k], m[n], &bounds[k]))
            return -1;
        if (!set_empty(&strong) && !adaptive_refine(&f, &strong, m[k], m[n]))
            return -1;
    }
    g->blocks[block].reach = f.reach;
    qsort(out, (size_t)f.n, sizeof *out, adaptive_by_sweep);
    return f.n;
}
