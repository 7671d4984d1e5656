/* SPDX-License-Identifier: Apache-2.0
 * Blocks with stencils adapted to the metric: finding the triangles of a block, and sweeping
 * it.  Include one vec_<isa>_f64.h and adaptive_kernel.h first. */
#include <stdlib.h>

enum {
    ADAPTIVE_HALO = ZM_BLOCKS_REACH,
    ADAPTIVE_LINES = ZM_BLOCK + 2 * ADAPTIVE_HALO,
    ADAPTIVE_GROUPS = ZM_BLOCK / WL /* of WL cells in a line */
};

/* ---- The triangles of a block. ---- */

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
static inline wide adaptive_product(wide g11, wide g12, wide g22, int ux, int uy,
                                    int vx, int vy)
{
    const wide a = wmul(g11, wset((float)(ux * vx)));
    const wide b = wmul(g12, wset((float)(ux * vy + uy * vx)));

    return wadd(wadd(a, b), wmul(g22, wset((float)(uy * vy))));
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
static cell_set adaptive_acute(const adaptive_planes *p, const cell_set *set, int ux,
                               int uy, int vx, int vy, float margin,
                               adaptive_bounds *bounds)
{
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
            const wide uu = adaptive_product(g11, g12, g22, ux, uy, ux, uy);
            const wide vv = adaptive_product(g11, g12, g22, vx, vy, vx, vy);
            const wide uv = adaptive_product(g11, g12, g22, ux, uy, vx, vy);
            const wide inv_u = wrsqrt(uu), inv_v = wrsqrt(vv);
            const wide drift_u =
                wadd(wmul(b1, wset((float)ux)), wmul(b2, wset((float)uy)));
            const wide drift_v =
                wadd(wmul(b1, wset((float)vx)), wmul(b2, wset((float)vy)));
            const wide to_u = wadd(wmul(uv, inv_v), drift_u);
            const wide to_v = wadd(wmul(uv, inv_u), drift_v);
            const wide N_u = wadd(wmul(uu, inv_u), drift_u);
            const wide N_v = wadd(wmul(vv, inv_v), drift_v);
            const uint32_t ok = wge_bits(to_u, wmul(N_u, wset(margin))) &
                                wge_bits(to_v, wmul(N_v, wset(margin))) & here;

            if (ok) {
                bounds->gap_u = adaptive_least(bounds->gap_u, ok, to_u);
                bounds->gap_v = adaptive_least(bounds->gap_v, ok, to_v);
                bounds->step_u = adaptive_least(bounds->step_u, ok, N_u);
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

/* The set by column: blocks of 16, 8, 4, 2, 1 bits change places across the diagonal. */
static void set_transpose(const uint32_t *by_row, uint32_t *by_column)
{
    uint32_t low = 0x0000FFFFu;

    memcpy(by_column, by_row, ZM_BLOCK * sizeof *by_column);
    for (unsigned j = ZM_BLOCK / 2; j; j /= 2, low ^= low << j)
        for (unsigned k = 0; k < ZM_BLOCK; k = ((k | j) + 1) & ~j) {
            const uint32_t swap = (by_column[k] >> j ^ by_column[k | j]) & low;

            by_column[k] ^= swap << j;
            by_column[k | j] ^= swap;
        }
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
static bool adaptive_emit(adaptive_builder *f, const cell_set *set, int ux, int uy,
                          int vx, int vy, const adaptive_bounds *bounds)
{
    const int sx = ux + vx, sy = uy + vy;
    const bool by_row = abs(sy) >= abs(sx);
    zm_blocks_triangle *t = &f->out[f->n];

    if (f->n == f->most)
        return false;
    f->n++;
    t->from = (uint8_t)(by_row ? (sy < 0 ? ZM_FROM_N : ZM_FROM_S)
                               : (sx < 0 ? ZM_FROM_W : ZM_FROM_E));
    t->t1 = (int8_t)(by_row ? ux : uy);
    t->n1 = (int8_t)(by_row ? uy : ux);
    t->t2 = (int8_t)(by_row ? vx : vy);
    t->n2 = (int8_t)(by_row ? vy : vx);
    t->gap1 = (double)(bounds->gap_u - ADAPTIVE_SLACK * bounds->step_u);
    t->gap2 = (double)(bounds->gap_v - ADAPTIVE_SLACK * fabsf(bounds->gap_v));
    t->step1 = (double)(bounds->step_u - ADAPTIVE_SLACK * bounds->step_u);
    adaptive_factors(t);
    if (by_row)
        memcpy(t->has, set->row, sizeof t->has);
    else
        set_transpose(set->row, t->has);
    return true;
}

static int adaptive_far(int x, int y)
{
    return abs(x) > abs(y) ? abs(x) : abs(y);
}

/* The triangles between u and v of the cells in `set`.  False: too far or too many. */
static bool adaptive_split(adaptive_builder *f, const cell_set *set, int ux, int uy,
                           int vx, int vy)
{
    adaptive_bounds bounds = ADAPTIVE_NO_BOUNDS;
    const cell_set acute = adaptive_acute(&f->planes, set, ux, uy, vx, vy,
                                          (float)ZM_STENCIL_MARGIN, &bounds);
    const cell_set rest = set_without(set, &acute);

    if (!set_empty(&acute) && !adaptive_emit(f, &acute, ux, uy, vx, vy, &bounds))
        return false;
    if (set_empty(&rest))
        return true;
    const int x = ux + vx, y = uy + vy, far = adaptive_far(x, y);

    f->reach = far > f->reach ? far : f->reach;
    return far <= ZM_BLOCKS_REACH && adaptive_split(f, &rest, ux, uy, x, y) &&
           adaptive_split(f, &rest, x, y, vx, vy);
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
    static const int8_t x[8] = { 1, 1, 0, -1, -1, -1, 0, 1 };
    static const int8_t y[8] = { 0, 1, 1, 1, 0, -1, -1, -1 };
    adaptive_builder f = { .out = out, .most = most, .reach = 1 };
    cell_set all = adaptive_cells(g, block), plain = all;
    adaptive_bounds bounds[8];

    adaptive_load(g, block, &f.planes);
    for (int k = 0; k < 8; k++) { /* the eight neighbours suffice: no margin asked */
        const int n = (k + 1) & 7;

        bounds[k] = (adaptive_bounds)ADAPTIVE_NO_BOUNDS;
        plain =
            adaptive_acute(&f.planes, &plain, x[k], y[k], x[n], y[n], 0.0f, &bounds[k]);
    }
    const cell_set strong = set_without(&all, &plain);

    for (int k = 0; k < 8; k++) {
        const int n = (k + 1) & 7;

        if (!set_empty(&plain) &&
            !adaptive_emit(&f, &plain, x[k], y[k], x[n], y[n], &bounds[k]))
            return -1;
        if (!set_empty(&strong) && !adaptive_split(&f, &strong, x[k], y[k], x[n], y[n]))
            return -1;
    }
    g->blocks[block].reach = f.reach;
    qsort(out, (size_t)f.n, sizeof *out, adaptive_by_sweep);
    return f.n;
}

/* ---- Sweeps. ---- */

typedef struct adaptive_sweeper {
    /* times with halo, by row and by column */
    double T[2][ADAPTIVE_LINES][ADAPTIVE_LINES];
    double by_column[5][ZM_BLOCK][ZM_BLOCK]; /* planes: g_t, g12, g_n, b_t, b_n */
    const double *planes[2];         /* first cell of the block, in the first plane */
    size_t stride[2], plane_step[2]; /* from line to line, from plane to plane */
    const zm_blocks_adaptive_block *block;
    const zm_blocks_triangle *sweep[4], *sweep_end[4]; /* triangles by ZM_FROM_* */
    /* cells whose change the sweeps of a family have not seen, halo included, by line */
    uint64_t fresh[2][ADAPTIVE_LINES];
    double earliest;
    int64_t looked_at; /* pairs of vectors */
} adaptive_sweeper;

/* Changes, as in start.c: row and column sweeps round differently. */
#define ADAPTIVE_LEAST_CHANGE (1.0 - 4e-15)

static inline vec adaptive_quadratic(vec gt, vec g12, vec gn, const double f[3])
{
    return vfma(gt, vset(f[0]), vfma(g12, vset(f[1]), vmul(gn, vset(f[2]))));
}

/* 1/sqrt to rounding or nearly so, from an estimate good to 3e-7 at least: divisions and
 * square roots of whole vectors would take most of the time of an update. */
static inline vec adaptive_rsqrt(vec x, vec estimate)
{
    const vec half = vmul(x, vset(0.5));

    return vmul(estimate, vfnma(vmul(half, estimate), estimate, vset(1.5)));
}

/* The update (docs/theory.md, section 2) of VL cells by one triangle, branch-free:
 *
 *     d = clamp(S1 - S2, k1, k0),
 *     T0 = min(S2, S1 - k1) + (rest d + sqrt(det (a - d^2))) / a .
 *
 * k0 and k1 only bound a minimisation, so an estimate is enough for them. */
static inline vec adaptive_update(const zm_blocks_triangle *t, const double *g,
                                  size_t plane, vec T1, vec T2)
{
    const vec gt = vld(g), g12 = vld(g + plane), gn = vld(g + 2 * plane);
    const vec bt = vld(g + 3 * plane), bn = vld(g + 4 * plane);
    const vec E11 = adaptive_quadratic(gt, g12, gn, t->E[0]);
    const vec E12 = adaptive_quadratic(gt, g12, gn, t->E[1]);
    const vec E22 = adaptive_quadratic(gt, g12, gn, t->E[2]);
    const vec det = vfms(gt, gn, vmul(g12, g12));
    const vec S1 = vfma(bt, vset(t->at[0][0]), vfma(bn, vset(t->at[0][1]), T1));
    const vec S2 = vfma(bt, vset(t->at[1][0]), vfma(bn, vset(t->at[1][1]), T2));
    const vec rest = vsub(E22, E12), low_top = vsub(E12, E11), a = vsub(rest, low_top);
    const vec low = vmul(low_top, vrsqrt_rough(E11)),
              high = vmul(rest, vrsqrt_rough(E22));
    const vec d = vmin(vmax(vsub(S1, S2), low), high);
    const vec x = vmax(vmul(det, vfnma(d, d, a)), vset(DBL_MIN));
    const vec r = vmul(x, adaptive_rsqrt(x, vrsqrt_rough(x)));
    const vec root_a = adaptive_rsqrt(a, vrsqrt_rough(a));

    return vfma(vfma(rest, d, r), vmul(root_a, root_a), vmin(S2, vsub(S1, low)));
}

enum { PAIR = 2, PAIR_CELLS = PAIR * VL }; /* vectors that are updated side by side */

/* Whether a triangle can lower one of the cells: both donors have weight, or the first
 * alone; the second alone is the first of the next triangle. */
static inline bool adaptive_due(const zm_blocks_triangle *t, vmsk has, vec T1, vec T2,
                                vec now)
{
    const vmsk first = vlt(vadd(T1, vset(t->gap1)), now);

    return vany_both(vmsk_and(has, first), vlt(vadd(T2, vset(t->gap2)), now)) ||
           vany_both(has, vlt(vadd(T1, vset(t->step1)), now));
}

/* A pair of vectors of a line: every triangle of the sweep that has a new donor (fresh_lines: bits
 * of a line with its halo, by distance behind this one) and can lower a cell.  Bits of the
 * cells that changed. */
static inline uint32_t adaptive_group(adaptive_sweeper *s, int family, int from,
                                      int line, int c,
                                      const uint64_t fresh_lines[ZM_BLOCKS_REACH + 1])
{
    double *T = &s->T[family][ADAPTIVE_HALO + line][ADAPTIVE_HALO + c];
    const double *g = s->planes[family] + (size_t)line * s->stride[family] + c;
    vec now[PAIR], earliest = vset(HUGE_VAL);
    uint32_t changed = 0;

    for (int h = 0; h < PAIR; h++)
        now[h] = vld(T + h * VL);
    for (const zm_blocks_triangle *t = s->sweep[from]; t < s->sweep_end[from]; t++) {
        const uint32_t bits =
            t->has[line] >> c & (uint32_t)(((uint64_t)1 << PAIR_CELLS) - 1);
        const double *donor1 = T + t->n1 * ADAPTIVE_LINES + t->t1;
        const double *donor2 = T + t->n2 * ADAPTIVE_LINES + t->t2;
        const uint64_t fresh = fresh_lines[abs(t->n1)] >> (ADAPTIVE_HALO + c + t->t1) |
                               fresh_lines[abs(t->n2)] >> (ADAPTIVE_HALO + c + t->t2);
        vec new[PAIR];
        bool due = false;

        for (int h = 0; (bits & fresh) && h < PAIR; h++)
            due |= adaptive_due(t, vmsk_of_bits(bits >> (h * VL)), vld(donor1 + h * VL),
                                vld(donor2 + h * VL), now[h]);
        if (!due)
            continue;
        s->looked_at++;
        for (int h = 0; h < PAIR; h++)
            new[h] = adaptive_update(t, g + h * VL, s->plane_step[family],
                                     vld(donor1 + h * VL), vld(donor2 + h * VL));
        for (int h = 0; h < PAIR; h++) {
            const vmsk has = vmsk_of_bits(bits >> (h * VL));
            const vmsk less =
                vmsk_and(has, vlt(new[h], vmul(now[h], vset(ADAPTIVE_LEAST_CHANGE))));

            now[h] = vsel(less, new[h], now[h]);
            earliest = vmin(vsel(less, new[h], earliest), earliest);
            changed |= vbits(less) << (h * VL);
        }
    }
    if (changed) {
        double least[VL];

        for (int h = 0; h < PAIR; h++)
            vst(T + h * VL, now[h]);
        vst(least, earliest);
        for (int i = 0; i < VL; i++)
            s->earliest = least[i] < s->earliest ? least[i] : s->earliest;
    }
    return changed;
}

/* One sweep: cells within reach of fresh ones, or of ones that the sweep itself changed;
 * these go to `changed`, by line. */
static void adaptive_sweep(adaptive_sweeper *s, int family, int from,
                           uint32_t changed[ZM_BLOCK])
{
    const int reach = s->block->reach;
    const bool back = from & 1;
    const uint64_t width =
        ((uint64_t)1 << (PAIR_CELLS + 2 * reach)) - 1; /* of a group's donors */

    memset(changed, 0, ZM_BLOCK * sizeof *changed);
    if (s->sweep[from] == s->sweep_end[from])
        return;
    for (int i = 0; i < ZM_BLOCK; i++) {
        const int line = back ? ZM_BLOCK - 1 - i : i, place = ADAPTIVE_HALO + line;
        uint64_t donors = 0, fresh_lines[ZM_BLOCKS_REACH + 1];

        for (int k = 1; k <= reach; k++) {
            const int j = back ? place + k : place - k;

            fresh_lines[k] = s->fresh[family][j];
            if (j >= ADAPTIVE_HALO && j < ADAPTIVE_HALO + ZM_BLOCK)
                fresh_lines[k] |= (uint64_t)changed[j - ADAPTIVE_HALO] << ADAPTIVE_HALO;
            donors |= fresh_lines[k];
        }
        for (int c = 0; donors && c < ZM_BLOCK; c += PAIR_CELLS)
            if (donors & width << (ADAPTIVE_HALO + c - reach))
                changed[line] |= adaptive_group(s, family, from, line, c, fresh_lines)
                                 << c;
    }
}

/* Interior of the times from one orientation to the other. */
static void adaptive_turn(adaptive_sweeper *s, int from)
{
    for (int r = 0; r < ZM_BLOCK; r += VL)
        for (int c = 0; c < ZM_BLOCK; c += VL)
            vtranspose(
                &s->T[from][ADAPTIVE_HALO + r][ADAPTIVE_HALO + c], ADAPTIVE_LINES,
                &s->T[!from][ADAPTIVE_HALO + c][ADAPTIVE_HALO + r], ADAPTIVE_LINES);
}

static void adaptive_fetch(const zm_blocks_adaptive_grid *g, int32_t block,
                           adaptive_sweeper *s)
{
    static const int turned[5] = { 2, 1, 0, 4, 3 }; /* planes in the frame of columns */
    const size_t row0 = (size_t)(block / g->blocks_across) * ZM_BLOCK;
    const size_t col0 = (size_t)(block % g->blocks_across) * ZM_BLOCK;
    const size_t corner = row0 * g->plane_stride + col0;
    const double *T = g->T + (ptrdiff_t)(row0 * g->T_stride + col0) -
                      (ptrdiff_t)ADAPTIVE_HALO * (ptrdiff_t)g->T_stride - ADAPTIVE_HALO;

    for (int r = 0; r < ADAPTIVE_LINES; r++)
        memcpy(s->T[0][r], T + (size_t)r * g->T_stride, sizeof s->T[0][r]);
    for (int r = 0; r < ADAPTIVE_LINES; r += VL)
        for (int c = 0; c < ADAPTIVE_LINES; c += VL)
            vtranspose(&s->T[0][r][c], ADAPTIVE_LINES, &s->T[1][c][r], ADAPTIVE_LINES);
    for (int k = 0; k < 5; k++)
        for (int r = 0; r < ZM_BLOCK; r += VL)
            for (int c = 0; c < ZM_BLOCK; c += VL)
                vtranspose(g->planes + (size_t)turned[k] * g->plane_step + corner +
                               (size_t)r * g->plane_stride + c,
                           g->plane_stride, &s->by_column[k][c][r], ZM_BLOCK);
    s->planes[0] = g->planes + corner;
    s->stride[0] = g->plane_stride;
    s->plane_step[0] = g->plane_step;
    s->planes[1] = &s->by_column[0][0][0];
    s->stride[1] = ZM_BLOCK;
    s->plane_step[1] = (size_t)ZM_BLOCK * ZM_BLOCK;
}

/* Times of the block back to the grid. */
static void adaptive_store(const zm_blocks_adaptive_grid *g, int32_t block,
                           const adaptive_sweeper *s)
{
    const int32_t row0 = block / g->blocks_across * ZM_BLOCK,
                  col0 = block % g->blocks_across * ZM_BLOCK;
    const int32_t rows = g->rows - row0 < ZM_BLOCK ? g->rows - row0 : ZM_BLOCK;
    const int32_t cols = g->cols - col0 < ZM_BLOCK ? g->cols - col0 : ZM_BLOCK;
    double latest = -HUGE_VAL;

    for (int32_t r = 0; r < rows; r++) {
        double *to = g->T + (size_t)(row0 + r) * g->T_stride + (size_t)col0;

        for (int32_t c = 0; c < cols; c++) {
            to[c] = s->T[0][ADAPTIVE_HALO + r][ADAPTIVE_HALO + c];
            latest = to[c] > latest ? to[c] : latest;
        }
    }
    g->blocks[block].latest = latest;
}

/* Places with halo of the changes of three blocks side by side: the far half of the first, all
 * of the second, the near half of the third. */
static uint64_t adaptive_window(uint32_t before, uint32_t at, uint32_t after)
{
    return (uint64_t)before >> (ZM_BLOCK - ADAPTIVE_HALO) |
           (uint64_t)at << ADAPTIVE_HALO |
           (uint64_t)after << (ADAPTIVE_HALO + ZM_BLOCK);
}

/* What is new to both families, from what changed in the blocks around. */
static void adaptive_changes_take(zm_blocks_adaptive_block *block, adaptive_sweeper *s)
{
    for (int line = 0; line < ADAPTIVE_LINES; line++) {
        const int cell = line - ADAPTIVE_HALO;
        const int side = cell < 0          ? 0
                         : cell < ZM_BLOCK ? 1
                                           : 2; /* block before, at, after */
        const int bit = (cell + ZM_BLOCK) % ZM_BLOCK;
        uint32_t along[2][3]; /* by family */

        for (int k = 0; k < 3; k++) {
            const zm_blocks_changes row = block->changes[side][k],
                                    col = block->changes[k][side];

            along[0][k] = row.rows >> bit & 1 ? row.cols : 0;
            along[1][k] = col.cols >> bit & 1 ? col.rows : 0;
        }
        for (int family = 0; family < 2; family++)
            s->fresh[family][line] =
                adaptive_window(along[family][0], along[family][1], along[family][2]);
    }
    memset(block->changes, 0, sizeof block->changes);
}

/* Both sweeps of a family.  Zero: nothing changed. */
static uint32_t adaptive_pass(adaptive_sweeper *s, int family,
                              zm_blocks_changed *changed)
{
    uint32_t there[ZM_BLOCK], back[ZM_BLOCK], turned[ZM_BLOCK], lines = 0, lanes = 0;
    uint64_t *fresh = s->fresh[family];

    adaptive_sweep(s, family, 2 * family, there);
    for (int i = 0; i < ZM_BLOCK; i++)
        fresh[ADAPTIVE_HALO + i] |= (uint64_t)there[i] << ADAPTIVE_HALO;
    adaptive_sweep(s, family, 2 * family + 1, back);
    memset(fresh, 0, sizeof s->fresh[family]);
    for (int i = 0; i < ZM_BLOCK; i++) {
        fresh[ADAPTIVE_HALO + i] = (uint64_t)back[i]
                                   << ADAPTIVE_HALO; /* the first has not seen them */
        there[i] |= back[i];
        lines |= (uint32_t)(there[i] != 0) << i;
        lanes |= there[i];
    }
    if (!lines)
        return 0;
    set_transpose(there, turned);
    for (int i = 0; i < ZM_BLOCK; i++)
        s->fresh[!family][ADAPTIVE_HALO + i] |= (uint64_t)turned[i] << ADAPTIVE_HALO;
    changed->changed.rows |= family ? lanes : lines;
    changed->changed.cols |= family ? lines : lanes;
    adaptive_turn(s, family);
    return lines;
}

static zm_blocks_changed ZM_CAT(zm_blocks_adaptive_visit,
                                ISA)(const zm_blocks_adaptive_grid *g, int32_t block,
                                     void *scratch)
{
    adaptive_sweeper *s = scratch;
    zm_blocks_changed found = { 0 };
    uint32_t changed;

    s->block = &g->blocks[block];
    s->earliest = HUGE_VAL;
    s->looked_at = 0;
    adaptive_fetch(g, block, s);
    for (int from = 0; from < 4; from++) { /* they are sorted */
        s->sweep[from] = from ? s->sweep_end[from - 1] : g->triangles + s->block->first;
        s->sweep_end[from] = s->sweep[from];
        while (s->sweep_end[from] < g->triangles + s->block->first + s->block->n &&
               s->sweep_end[from]->from == from)
            s->sweep_end[from]++;
    }
    adaptive_changes_take(&g->blocks[block], s);
    do {
        changed = 0;
        for (int family = 0; family < 2; family++)
            changed |= adaptive_pass(s, family, &found);
    } while (changed);
    adaptive_store(g, block, s);
    found.earliest = s->earliest;
    found.updates = s->looked_at * PAIR_CELLS;
    return found;
}

const zm_kernel_adaptive ZM_CAT(zm_kernel_adaptive, ISA) = {
    .scratch_bytes = sizeof(adaptive_sweeper),
    .build = ZM_CAT(zm_blocks_adaptive_build, ISA),
    .visit = ZM_CAT(zm_blocks_adaptive_visit, ISA),
};
