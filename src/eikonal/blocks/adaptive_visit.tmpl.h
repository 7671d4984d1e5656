/* SPDX-License-Identifier: Apache-2.0
 * Blocks with stencils adapted to the metric: sweeping a block.  Include
 * adaptive_build.tmpl.h first. */

enum { ADAPTIVE_HALO = ZM_BLOCKS_REACH, ADAPTIVE_LINES = ZM_BLOCK + 2 * ADAPTIVE_HALO };

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

/* Changes, as in solve.c: row and column sweeps round differently. */
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
    zm_blocks_transpose(there, turned);
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
