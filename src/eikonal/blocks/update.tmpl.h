/* SPDX-License-Identifier: Apache-2.0
 * The update of a vector of cells, and sweeps of it over one block.  Include coefficients.tmpl.h
 * first. */

#if defined(__AVX2__)
typedef uint8_t line_mask; /* one bit a vector of a line */
#else
typedef uint32_t line_mask;
#endif
#define ALL_VECTORS ((line_mask)(~(uint32_t)0 >> (32 - NV)))

enum { FIRST = VL > 1 ? VL : 1 }; /* cell 0 of a line of a block buffer */
#define INNER_LINES (((uint64_t)0xFFFFFFFFu) << 1)

/* What is due in one sweep: lines -1 .. ZM_BLOCK (bit l + 1), and the vectors of each. */
typedef struct due_lines {
    uint64_t lines;
    line_mask vectors[ZM_BLOCK + 2];
} due_lines;

/* Walls of a block: which diagonal donors are cut off, because both cells beside the edge
 * are walls.  By sweep; towards +t and -t; one bit a cell of each line. */
typedef struct block_walls {
    uint32_t any; /* 0: nothing is cut off */
    uint32_t cut[4][2][ZM_BLOCK];
} block_walls;

typedef struct block_coefs {             /* one slot of the cache */
    coef_block family[2][ZM_BLOCK * NV]; /* row sweeps, column sweeps */
    uint32_t built[2];                   /* lines that are there */
    uint32_t any_closed;                 /* some cell is a wall or beyond the grid: */
    uint32_t closed[2][ZM_BLOCK];        /* by row, by column */
    block_walls walls;
} block_coefs;

/* Planes of one block, in place or (walls, rim of the grid) in a padded copy. */
typedef struct block_planes {
    const real *plane[5];
    size_t stride[5];
} block_planes;

typedef struct sweeper {                                /* scratch of one worker */
    _Alignas(64) real T[2][(ZM_BLOCK + 2) * LINE + VL]; /* by rows, by columns */
    _Alignas(64) real copies[5 * CELLS];                /* padded planes */
    _Alignas(64) real columns[5][VL][ZM_BLOCK];         /* transposed planes */
    block_planes planes;
    uint64_t lines[2];    /* by family: lines inside the grid (bit l + 1) */
    line_mask vectors[2]; /* ... and the vectors of a line that have cells inside it */
    due_lines due[4];
    uint32_t changed[ZM_BLOCK]; /* cells changed in this visit, by row */
    /* cells that column sweeps changed just now, by column */
    uint32_t column_phase[ZM_BLOCK];
    /* by family: lanes changed within reach of each vector of the other family */
    uint32_t active[2][NV];
    zm_blocks_winners record;
    zm_blocks_block *block;
    block_coefs *coefs;
    vec scale[2][5];           /* of the planes in the frame of each family */
    double scalar_scale[2][5]; /* the same, for the careful */
    bool unscaled;             /* all of them are 1 */
    bool want_margin;
    zm_blocks_kind kind;
    /* the family that looks at all that is due; the other one leaves out what has a diagonal donor
     * alone, which is a donor of this one too */
    int leading;
    vec rel, abs;          /* what is a change */
    uintptr_t prefetch[6]; /* addresses, perhaps beyond an array: only hints */
    size_t prefetch_step[6];
    int32_t prefetch_lines, prefetch_arrays;
    int64_t looked_at, most; /* vectors; a visit ends when it has looked at the most */
    int32_t rounds;          /* of sweeps */
    bool bad;          /* found a cell that is not admissible */
} sweeper;

typedef struct sweep_limits {
    vec step, rel, abs;
} sweep_limits;

/* Directional update of VL cells from the three donors beside each on the line `y`:
 *
 *     T0 = min over t in [-1, 1] of (1-|t|) T_mid + |t| T_(sign t) + F(-t, 1)
 *        = base + c q + sqrt(P - A q^2) - b_n,
 *     q+ = clamp(T_plus + b_t - T_mid, qlo, q0),  q- = clamp(T_mid - T_minus + b_t, q0, qhi),
 *     base = min(T_mid, T_plus + b_t - qlo, T_minus - b_t + qhi),
 *
 * with q = q+ where that is below q0, else q-.  Both are active only where T_mid is a local
 * maximum of the donors: then both triangles are evaluated.  The reverse sweep is this one
 * turned by 180 degrees.  Infinite donors come out right because vmin and vmax give their
 * second operand for a NaN.  Returns the lanes whose change counts.
 *
 * Without drift b_t = b_n = 0.  In an isotropic metric q0 = c = 0 and qlo = -qhi as well: the
 * earlier of T_plus and T_minus decides, with q = clamp(that - T_mid, -qhi, 0). */
ZM_INLINE unsigned update(real *x, const real *y, const coef *o,
                          const sweep_limits *lim, bool reverse, const uint32_t *cut,
                          unsigned shift, int kind)
{
    const bool drift = kind == ZM_BLOCKS_RANDERS;
    const vec mid = vld(y), T0 = vld(x);
    vec minus = vld_before(y, mid), plus = vld_after(y, mid);

    if (!vany(vlt(vadd(vmin(mid, vmin(minus, plus)), lim->step), T0)))
        return 0;
    if (cut) {
        const vec inf = vset((double)INFINITY);

        plus = vsel(vmsk_of_bits(cut[0] >> shift), inf, plus);
        minus = vsel(vmsk_of_bits(cut[ZM_BLOCK] >> shift), inf, minus);
    }
    const vec P = vld(o->P), A = vld(o->A), qhi = vld_float(o->qhi);

    if (kind == ZM_BLOCKS_ISOTROPIC) {
        const vec side = vmin(minus, plus);
        const vec q = vmin(vmax(vsub(side, mid), vneg(qhi)), vset(0.0));
        const vec T =
            vadd(vmin(mid, vadd(side, qhi)), vsqrt(vfnma(vmul(A, q), q, P)));

        vst(x, vmin(T, T0));
        return vbits(vlt(T, vfms(T0, lim->rel, lim->abs)));
    }
    const vec c = vld(o->c), q0 = vld_float(o->q0), qlo = vld_float(o->qlo);
    const vec right = drift ? vadd(plus, vld(o->bt)) : plus;
    const vec left = drift ? vsub(minus, vld(o->bt)) : minus;
    const vec up = reverse ? left : right, down = reverse ? right : left;
    const vec qp = vmin(vmax(vsub(up, mid), qlo), q0);
    const vec qm = vmax(vmin(vsub(mid, down), qhi), q0);
    const vmsk on_up = vlt(qp, q0), on_down = vlt(q0, qm);
    const vec end_up = vsub(up, qlo), end_down = vadd(down, qhi);
    vec T;

    if (ZM_RARELY(vany_both(on_up, on_down))) {
        const vec hp = vfma(c, qp, vsqrt(vfnma(vmul(A, qp), qp, P)));
        const vec hm = vfma(c, qm, vsqrt(vfnma(vmul(A, qm), qm, P)));

        T = vmin(vadd(vmin(mid, end_up), hp), vadd(vmin(mid, end_down), hm));
    } else {
        const vec q = vsel(on_up, qp, qm);
        const vec base = vmin(mid, vmin(end_up, end_down));

        T = vadd(base, vfma(c, q, vsqrt(vfnma(vmul(A, q), q, P))));
    }
    if (drift)
        T = reverse ? vadd(T, vld(o->bn)) : vsub(T, vld(o->bn));
    vst(x, vmin(T, T0));
    return vbits(vlt(T, vfms(T0, lim->rel, lim->abs)));
}

/* The vectors of a line that have one of these lanes, or a neighbour of one. */
static inline line_mask vectors_near(uint32_t lanes)
{
    uint32_t m = lanes | lanes << 1 | lanes >> 1;
    line_mask near = 0;

    if (VL == 1)
        return (line_mask)m;
    for (unsigned s = 1; s < VL; s *= 2)
        m |= m >> s;
#if defined(__BMI2__)
    near = (line_mask)_pext_u32(m, VL == 4   ? 0x11111111u
                                   : VL == 8 ? 0x01010101u
                                             : 0x00010001u);
#else
    for (unsigned k = 0; k < NV; k++)
        near = (line_mask)(near | (m >> (k * VL) & 1u) << k);
#endif
    return near;
}

static inline real *line_of(sweeper *s, int family, ptrdiff_t line)
{
    return s->T[family] + (line + 1) * LINE + FIRST;
}

/* Lines are made a strip of VL at a time: bit of each in a mask of lines. */
#define STRIP_LINES(first) ((uint32_t)((((uint64_t)1 << VL) - 1) << (first)))

/* Bounds of a new strip into the state of the block. */
static void bounds_keep(zm_blocks_block *block, int family, unsigned first,
                        const strip_bounds *b, bool gaps)
{
    const bool careful = wbad_any(b->bad), no_ends = careful || !gaps;

    for (int k = 0; k < 2; k++) {
        const float most = no_ends ? INFINITY : wmost(b->most[k]);
        const float least = no_ends ? -INFINITY : wleast(b->least[k]);

        block->step[2 * family + k][first / VL] = careful ? 0.0f : wleast(b->step[k]);
        block->most[2 * !family + k][first / VL] = most + FLOAT_SLACK * fabsf(most);
        block->least[2 * !family + k][first / VL] = least - FLOAT_SLACK * fabsf(least);
    }
    block->known[family] |= STRIP_LINES(first);
    if (careful)
        block->careful[family] |= STRIP_LINES(first);
    const float margin = careful ? -1.0f : wleast(b->margin);

    block->margin = margin < block->margin ? margin : block->margin;
    if (gaps) {
        /* the gaps are differences of terms of this size */
        const float slack = 4.0f * FLOAT_SLACK * sqrtf(wmost(b->size));
        /* |m_i' G m_j| / |m_j|_G <= |m_i|_G, and so is |m_i.b|; |m_i|_G^2 <= 2 (g11 + g22) */
        const float least = -3.0f * sqrtf(wmost(b->size));
        const float axis = careful ? least : wleast(b->gap_axis) - slack;
        const float diagonal = careful ? least : wleast(b->gap_diagonal) - slack;

        block->gap_axis = axis < block->gap_axis ? axis : block->gap_axis;
        block->gap_diagonal =
            diagonal < block->gap_diagonal ? diagonal : block->gap_diagonal;
    }
}

/* Nothing lowers a closed cell. */
static void close_line(const block_coefs *coefs, int family, unsigned line,
                       coef_block *out)
{
    for (uint32_t m = coefs->closed[family][line]; m; m &= m - 1) {
        const unsigned c = (unsigned)__builtin_ctz(m);

        out[c / VL].at.P[c % VL] = (real)INFINITY;
    }
}

/* For lines that float is not good enough for, from a copy: another thread of the caller may write
 * into the arrays, and what is checked has to be what is used. */
static bool build_carefully(sweeper *s, int family, unsigned first,
                            const line_planes p[VL])
{
    coef_block *out = &s->coefs->family[family][first * NV];
    _Alignas(64) real kept[VL][5][ZM_BLOCK];
    line_planes copy[VL];

    for (unsigned j = 0; j < VL; j++)
        for (int k = 0; k < 5; k++) {
            memcpy(kept[j][k], p[j].plane[k], sizeof kept[j][k]);
            copy[j].plane[k] = kept[j][k];
        }
    coef_strip(copy, s->scale[family], out, NULL, GAPS_NONE, first, ZM_BLOCKS_RANDERS);
    for (unsigned j = 0; j < VL; j++)
        if (!coef_line_careful(&copy[j], s->scalar_scale[family], out + j * NV))
            return false;
    return true;
}

/* The usual ways each get code of their own. */
ZM_INLINE void strip_of_kind(const sweeper *s, int family, unsigned first,
                             const line_planes p[VL], coef_block *out, bool known,
                             strip_bounds *bounds, bool gaps, int kind)
{
    const vec *scale = s->scale[family];

    if (known)
        coef_strip(p, scale, out, NULL, GAPS_NONE, first, kind);
    else if (s->want_margin && kind != ZM_BLOCKS_ISOTROPIC) /* which has always a margin */
        coef_strip(p, scale, out, bounds, GAPS_ALL, first, kind);
    else if (!s->unscaled)
        coef_strip(p, scale, out, bounds, GAPS_BORDER, first, kind);
    else if (gaps)
        coef_strip(p, NULL, out, bounds, GAPS_BORDER, first, kind);
    else
        coef_strip(p, NULL, out, bounds, GAPS_NONE, first, kind);
}

/* Coefficients of VL lines, given their planes; false: some cell is not admissible. */
static bool build_strip(sweeper *s, int family, unsigned first, const line_planes p[VL])
{
    coef_block *out = &s->coefs->family[family][first * NV];
    const bool known = s->block->known[family] >> first & 1;
    const bool gaps = s->want_margin || !s->unscaled || s->block->known[!family] != ~(uint32_t)0;
    strip_bounds bounds = bounds_none();

    if (s->kind == ZM_BLOCKS_ISOTROPIC)
        strip_of_kind(s, family, first, p, out, known, &bounds, gaps, ZM_BLOCKS_ISOTROPIC);
    else if (s->kind == ZM_BLOCKS_STILL)
        strip_of_kind(s, family, first, p, out, known, &bounds, gaps, ZM_BLOCKS_STILL);
    else
        strip_of_kind(s, family, first, p, out, known, &bounds, gaps, ZM_BLOCKS_RANDERS);
    if (!known)
        bounds_keep(s->block, family, first, &bounds, gaps);
    if (ZM_RARELY(s->block->careful[family] >> first & 1) &&
        !build_carefully(s, family, first, p))
        return false;
    if (s->coefs->any_closed)
        for (unsigned j = 0; j < VL; j++)
            close_line(s->coefs, family, first + j, out + j * NV);
    s->coefs->built[family] |= STRIP_LINES(first);
    return true;
}

static bool build_rows(sweeper *s, unsigned first)
{
    line_planes p[VL];

    for (unsigned j = 0; j < VL; j++)
        for (int k = 0; k < 5; k++)
            p[j].plane[k] = s->planes.plane[k] + (first + j) * s->planes.stride[k];
    return build_strip(s, 0, first, p);
}

static bool build_columns(sweeper *s, unsigned first)
{
    static const uint8_t of_column[5] = { 2, 1, 0, 4, 3 };
    const bool isotropic = s->kind == ZM_BLOCKS_ISOTROPIC;
    const int planes = isotropic ? 1 : s->kind == ZM_BLOCKS_STILL ? 3 : 5;
    line_planes p[VL];

    for (int k = 0; k < planes; k++)
        for (size_t r = 0; r < ZM_BLOCK; r += VL)
            vtranspose(s->planes.plane[k] + r * s->planes.stride[k] + first,
                       s->planes.stride[k], &s->columns[k][0][r], ZM_BLOCK);
    for (unsigned j = 0; j < VL; j++)
        for (int k = 0; k < 5; k++) {
            const int of = isotropic && k == 0 ? 0 : of_column[k];

            /* a plane that was left out is 0 in every row */
            p[j].plane[k] = of < planes ? s->columns[of][j] : s->planes.plane[of];
        }
    return build_strip(s, 1, first, p);
}

static inline vec step_of(const sweeper *s, int family, bool reverse, unsigned l)
{
    return vset((double)s->block->step[2 * family + reverse][l / VL]);
}

/* Whether the update of VL cells at x from the line y can lower one of them below its earliest
 * donor + step, other than from a diagonal donor alone. */
static inline bool may_lower(const real *x, const real *y, vec step, vec most, vec least,
                             bool reverse)
{
    const vec mid = vld(y), minus = vld_before(y, mid), plus = vld_after(y, mid);
    const vmsk early = vlt(vadd(vmin(mid, vmin(minus, plus)), step), vld(x));

    if (!vany(early))
        return false;
    const vec up = reverse ? vsub(minus, mid) : vsub(plus, mid);
    const vec down = reverse ? vsub(mid, plus) : vsub(mid, minus);
    /* of infinite donors the difference that is a number counts, by the order of the operands */
    const vmsk diagonal =
        vmsk_or(vle(most, vmin(up, down)), vle(vmax(down, up), least));

    return vany(vmsk_and(early, vmsk_not(diagonal)));
}

/* Which of the vectors m of a line that has no coefficients need any, as far as is known. */
static unsigned vectors_that_may_change(sweeper *s, int family, bool reverse, unsigned l,
                                        unsigned m)
{
    const zm_blocks_block *block = s->block;
    const int from = 2 * family + reverse;
    const bool known = block->known[family] >> l & 1;
    const bool leading = s->leading == family || s->coefs->walls.any;
    const vec step = vset(known ? (double)block->step[from][l / VL] : 0.0);
    const real *x = line_of(s, family, (ptrdiff_t)l), *y = reverse ? x + LINE : x - LINE;
    unsigned may = 0;

    for (; m; m &= m - 1) {
        const unsigned k = (unsigned)__builtin_ctz(m), at = k * VL;
        const bool ends = !leading && (block->known[!family] >> at & 1);
        const double most = ends ? (double)block->most[from][k] : (double)INFINITY;
        const double least = ends ? (double)block->least[from][k] : -(double)INFINITY;

        if (!(known || ends) ||
            may_lower(x + at, y + at, step, vset(most), vset(least), reverse))
            may |= 1u << k;
    }
    return may;
}

/* Coefficients for a line that has none, if any of the vectors m can change at all: returns which
 * may. */
ZM_NOINLINE unsigned line_prepare(sweeper *s, int family, bool reverse, unsigned l,
                                  unsigned m)
{
    m = vectors_that_may_change(s, family, reverse, l, m);
    if (m && !(family == 0 ? build_rows(s, l / VL * VL) : build_columns(s, l / VL * VL)))
        s->bad = true;
    return s->bad ? 0 : m;
}

static inline void prefetch_line(sweeper *s)
{
    if (s->prefetch_lines <= 0)
        return;
    s->prefetch_lines--;
    for (int k = 0; k < s->prefetch_arrays; k++) {
        for (size_t byte = 0; byte < ZM_BLOCK * sizeof(real); byte += 64)
            __builtin_prefetch((const void *)(s->prefetch[k] + byte));
        s->prefetch[k] += s->prefetch_step[k];
    }
}

ZM_INLINE void sweep_note(sweeper *s, int family, bool reverse, unsigned line,
                          uint32_t lanes)
{
    due_lines *same = &s->due[2 * family + reverse],
              *back = &s->due[2 * family + !reverse];
    const line_mask near = vectors_near(lanes);
    const unsigned ahead = reverse ? line - 1 : line + 1,
                   behind = reverse ? line + 1 : line - 1;
    const unsigned l = line - 1; /* lines are counted from 1 here, cells from 0 */

    same->vectors[ahead] = (line_mask)(same->vectors[ahead] | near);
    same->lines |= (uint64_t)1 << ahead;
    back->vectors[behind] = (line_mask)(back->vectors[behind] | near);
    back->lines |= (uint64_t)1 << behind;
    s->active[family][l / VL] |= lanes;
    if (VL > 1 && l % VL == 0 && l)
        s->active[family][l / VL - 1] |= lanes;
    if (VL > 1 && l % VL == VL - 1 && l < ZM_BLOCK - 1)
        s->active[family][l / VL + 1] |= lanes;
    if (VL == 1 && l)
        s->active[family][l - 1] |= lanes;
    if (VL == 1 && l < ZM_BLOCK - 1)
        s->active[family][l + 1] |= lanes;
    if (family == 0) {
        s->changed[l] |= lanes;
        s->record.by_column[l] &= ~lanes;
        s->record.from_south[l] = reverse ? s->record.from_south[l] | lanes
                                          : s->record.from_south[l] & ~lanes;
    } else {
        s->column_phase[l] |= lanes;
        s->record.from_east[l] =
            reverse ? s->record.from_east[l] | lanes : s->record.from_east[l] & ~lanes;
    }
}

/* One sweep: every line that is due, in the order of the sweep. */
ZM_INLINE bool sweep(sweeper *s, int family, bool reverse, bool walls, int kind)
{
    due_lines *due = &s->due[2 * family + reverse];
    uint64_t left = due->lines & s->lines[family], ahead;
    sweep_limits lim = { .rel = s->rel, .abs = s->abs };
    bool any = false;

    while (left) {
        const unsigned line =
            (unsigned)(reverse ? 63 - __builtin_clzll(left) : __builtin_ctzll(left));
        real *x = s->T[family] + line * LINE + FIRST;
        const real *y = reverse ? x + LINE : x - LINE;
        const coef_block *o = &s->coefs->family[family][(line - 1) * NV];
        const uint32_t *cut =
            walls ? &s->coefs->walls.cut[2 * family + reverse][0][line - 1] : NULL;
        unsigned m = due->vectors[line] & s->vectors[family];
        uint32_t lanes = 0;

        due->vectors[line] = 0;
        due->lines &= ~((uint64_t)1 << line);
        ahead = reverse ? ((uint64_t)1 << line) - 1 : ~(((uint64_t)2 << line) - 1);
        prefetch_line(s);
        if (!(s->coefs->built[family] >> (line - 1) & 1) &&
            !(m = line_prepare(s, family, reverse, line - 1, m))) {
            if (s->bad)
                return false;
            left = due->lines & s->lines[family] & ahead;
            continue;
        }
        s->looked_at += __builtin_popcount(m);
        lim.step = step_of(s, family, reverse, line - 1);
        if (m == ALL_VECTORS && !walls) {
#pragma GCC unroll 8
            for (unsigned k = 0; k < NV; k++)
                lanes |= (uint32_t)update(x + k * VL, y + k * VL, &o[k].at, &lim,
                                          reverse, NULL, 0, kind)
                         << (k * VL);
        } else {
            for (; m; m &= m - 1) {
                const unsigned k = (unsigned)__builtin_ctz(m);

                lanes |= (uint32_t)update(x + k * VL, y + k * VL, &o[k].at, &lim,
                                          reverse, cut, k * VL, kind)
                         << (k * VL);
            }
        }
        if (lanes) {
            any = true;
            sweep_note(s, family, reverse, line, lanes);
        }
        left = due->lines & s->lines[family] & ahead;
    }
    return any;
}

#if defined(__AVX2__)
/* Bit l of byte g becomes bit g of byte l. */
static inline uint64_t transpose_8x8(uint64_t x)
{
    uint64_t swap = (x ^ x >> 7) & 0x00AA00AA00AA00AAu;

    x ^= swap ^ swap << 7;
    swap = (x ^ x >> 14) & 0x0000CCCC0000CCCCu;
    x ^= swap ^ swap << 14;
    swap = (x ^ x >> 28) & 0x00000000F0F0F0F0u;
    return x ^ swap ^ swap << 28;
}

static inline void or_8_bytes(line_mask *to, uint64_t bytes)
{
    uint64_t old;

    memcpy(&old, to, sizeof old);
    old |= bytes;
    memcpy(to, &old, sizeof old);
}

/* For each lane the groups that have it, into the vectors due in the lines after and before:
 * eight lanes at a time, a byte each. */
static void active_spread(const uint32_t active[NV], line_mask *after,
                          line_mask *before)
{
    for (unsigned lane = 0; lane < ZM_BLOCK; lane += 8) {
        uint64_t rows = 0;

        for (unsigned g = 0; g < NV; g++)
            rows |= (uint64_t)(uint8_t)(active[g] >> lane) << (8 * g);
        rows = transpose_8x8(rows);
        or_8_bytes(after + lane, rows);
        or_8_bytes(before + lane, rows);
    }
}
#else
static void active_spread(const uint32_t active[NV], line_mask *after,
                          line_mask *before)
{
    for (unsigned lane = 0; lane < ZM_BLOCK; lane++) {
        uint32_t groups = 0;

        for (unsigned g = 0; g < NV; g++)
            groups |= (active[g] >> lane & 1u) << g;
        after[lane] |= groups;
        before[lane] |= groups;
    }
}
#endif

/* Passes the changes of one family on to the other: lane c of the lines of a group makes
 * that group's vector of lines c + 1 and c - 1 of the other family due. */
static void sweep_hand_over(sweeper *s, int family)
{
    due_lines *onward = &s->due[2 * !family], *back = &s->due[2 * !family + 1];
    uint32_t any = 0;

    for (unsigned g = 0; g < NV; g++)
        any |= s->active[family][g];
    active_spread(s->active[family], onward->vectors + 2, back->vectors);
    onward->lines |= (uint64_t)any << 2;
    back->lines |= (uint64_t)any;
    memset(s->active[family], 0, sizeof s->active[family]);
}

static inline bool sweep_due(const sweeper *s, int family)
{
    return ((s->due[2 * family].lines | s->due[2 * family + 1].lines) &
            s->lines[family]) != 0;
}

/* Every step of an admissible metric costs something, and no time is before that of the first
 * source, which is 0 here.  Earlier ones show that the caller's arrays have changed after they were
 * checked: steps that pay would have the sweeps go on until the numbers overflow. */
enum { ROUNDS_BETWEEN_LOOKS = 256 };

static bool some_time_is_negative(sweeper *s, int family)
{
    for (ptrdiff_t l = 0; l < ZM_BLOCK; l++)
        for (size_t i = 0; i < ZM_BLOCK; i++)
            if (s->lines[family] >> (l + 1) & 1 && line_of(s, family, l)[i] < 0)
                return true;
    return false;
}

/* Both directions of a family. */
ZM_INLINE bool sweep_both(sweeper *s, int family, bool walls, int kind)
{
    const bool any = sweep(s, family, false, walls, kind);

    return sweep(s, family, true, walls, kind) || any;
}

/* ... again while one makes work for the other. */
ZM_NOINLINE bool sweep_family(sweeper *s, int family)
{
    bool any = false;

    do {
        if (s->coefs->walls.any)
            any |= sweep_both(s, family, true, ZM_BLOCKS_RANDERS);
        else if (s->kind == ZM_BLOCKS_ISOTROPIC)
            any |= sweep_both(s, family, false, ZM_BLOCKS_ISOTROPIC);
        else if (s->kind == ZM_BLOCKS_STILL)
            any |= sweep_both(s, family, false, ZM_BLOCKS_STILL);
        else
            any |= sweep_both(s, family, false, ZM_BLOCKS_RANDERS);
        if (++s->rounds % ROUNDS_BETWEEN_LOOKS == 0 && some_time_is_negative(s, family))
            s->bad = true;
    } while (sweep_due(s, family) && !s->bad && s->looked_at < s->most);
    return any;
}
