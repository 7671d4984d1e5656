/* SPDX-License-Identifier: Apache-2.0
 * Coefficients of the directional update for one line of a block.  Include one
 * vec_<isa>_<type>.h and block.h first.
 *
 * With spacing folded into G and b, donors at (t, -1) in the (t, n) frame of a sweep, and
 * q the slope of the donor times plus b_t, the update (docs/theory.md, section 3) needs
 *
 *     P = det/g_t,  A = det/g_t^2,  c = g12/g_t,
 *     q0 = g12/sqrt(g_n),  qlo = (g12 - g_t)/|d-|,  qhi = (g12 + g_t)/|d+|,
 *     |d+-|^2 = g_t + g_n +- 2 g12.
 *
 * q0, qlo, qhi bound a minimisation whose value is stationary in them, so a small error in
 * them is a smaller one in T (1e-14 of a step, times the ratio of the eigenvalues): they are
 * kept in float also for double, and computed in it where it has digits enough. */

typedef struct coef { /* of VL cells side by side in a line */
    real bt[VL], bn[VL], P[VL], A[VL], c[VL];
    float q0[VL], qlo[VL], qhi[VL];
} coef;

/* A block begins on a multiple of the vector size, so that no load crosses a cache line. */
enum { COEF_STEP = (sizeof(coef) + VL * sizeof(real) - 1) / (VL * sizeof(real)) };
typedef union coef_block {
    coef at;
    real pad[COEF_STEP * VL];
} coef_block;

enum {
    NV = ZM_BLOCK / VL,          /* vectors in a line */
    CELLS = ZM_BLOCK * ZM_BLOCK, /* of a block */
    /* reals from one line of a block buffer to the next: room for a halo cell at each end */
    LINE = ZM_BLOCK + (VL > 1 ? VL : 2)
};

/* The five planes along a line, in the frame of its sweeps: g_t, g12, g_n, b_t, b_n. */
typedef struct line_planes {
    const real *plane[5];
} line_planes;

/* Bounds over the cells of a strip of lines, in float and on the safe side. */
typedef struct strip_bounds {
    wide step[2]; /* of the sweep and of its reverse */
    /* of the other family's q+ and q- without its drift, by its sweep and the reverse of it */
    wide most[2], least[2];
    wide gap_axis, gap_diagonal, size, margin;
    wide bad; /* lanes where float is not good enough, or something is not admissible */
} strip_bounds;

/* Rounding errors of the float expressions below, relative to their largest terms and with
 * a margin: bounds are moved to the safe side by this much. */
#define FLOAT_SLACK 4e-6f

/* Relative error of wrsqrt_rough, with a margin. */
#define ROUGH_SLACK 1e-3f

/* Below this share of g_n, P = g_n - g12^2/g_t is left with too few digits in float. */
#define FLOAT_CANCELS 1e-2f

/* Smaller values are near those that float holds with few digits or none. */
#define FLOAT_LEAST 0x1p-90f

static inline strip_bounds bounds_none(void)
{
    const wide far = wset(3e38f), none = wset(0.0f);

    strip_bounds s;

    for (int k = 0; k < 2; k++) {
        s.step[k] = s.least[k] = far;
        s.most[k] = wset(-3e38f);
    }
    s.gap_axis = s.gap_diagonal = s.margin = far;
    s.size = s.bad = none;
    return s;
}

/* Smallest step of the two sweeps over unbounded t,
 *
 *     min over t of F(-t, +-1) = sqrt(P (1 - b_t^2/g_t)) +- (c b_t - b_n).
 *
 * That both are positive is also the feasibility of (G, b): anything not admissible gives a
 * NaN or a step that is not positive. */
static inline void bounds_steps(strip_bounds *s, wide gt, wide g12, wide gn, wide inv_t,
                                wide bt, wide bn)
{
    const wide c = wmul(g12, inv_t), P = wfnma(c, g12, gn);
    const wide room = wfnma(wmul(bt, bt), inv_t, wset(1.0f - FLOAT_SLACK / 8));
    const wide norm2 = wmul(P, room);
    const wide norm =
        wmul(wmul(norm2, wrsqrt_rough(norm2)), wset(1.0f - 2 * ROUGH_SLACK));
    const wide safe = wfnma(wabs(bn), wset(FLOAT_SLACK / 8), norm);
    const wide push = wfms(c, bt, bn);
    const wide ahead = wadd(safe, push), behind = wsub(safe, push);
    const wide digits = wfnma(gn, wset(FLOAT_CANCELS), P);

    /* wmin keeps a NaN of its second operand: one in G makes `digits` NaN, as an infinite
     * value does; one in G or b makes `ahead` NaN */
    s->bad = wbad_unless_above(s->bad, wmin(gt, digits), wset(FLOAT_LEAST));
    s->bad = wbad_unless_above(s->bad, wmin(behind, ahead), wset(0.0f));
    s->step[0] = wmin(ahead, s->step[0]);
    s->step[1] = wmin(behind, s->step[1]);
}

/* Seen from the other family t is n and n is t.  Its update has a diagonal donor alone where
 *
 *     T_plus + b_t - T_mid and T_mid - T_minus + b_t
 *
 * are both at most its qlo or both at least its qhi; its reverse has b_t with the other sign. */
static inline void bounds_ends(strip_bounds *s, wide g12, wide gn, wide inv_plus,
                               wide inv_minus, wide bn)
{
    const wide qlo = wmul(wsub(g12, gn), inv_minus), qhi = wmul(wadd(g12, gn), inv_plus);

    s->least[0] = wmin(wsub(qlo, bn), s->least[0]);
    s->least[1] = wmin(wadd(qlo, bn), s->least[1]);
    s->most[0] = wmax(wsub(qhi, bn), s->most[0]);
    s->most[1] = wmax(wadd(qhi, bn), s->most[1]);
}

/* How far drift may make the gaps of the eight neighbours negative, as a share of
 * sqrt(g_t + g_n), before a cell needs a stencil of its own. */
#define MILD_DRIFT 0.1f

/* Causal gaps of a donor i that is used together with donor j: m_i' G m_j / |m_j|_G + m_i.b
 * for an axis donor with a diagonal one, and the other way round. */
static inline void bounds_gaps(strip_bounds *s, wide gt, wide g12, wide gn, wide inv_t,
                               wide inv_n, wide inv_plus, wide inv_minus, wide bt,
                               wide bn, bool margin)
{
    const wide t_plus = wadd(gt, g12), t_minus = wsub(gt, g12);
    const wide n_plus = wadd(gn, g12), n_minus = wsub(gn, g12);
    const wide along = wmin(wmul(t_plus, inv_plus), wmul(t_minus, inv_minus));
    const wide across = wmin(wmul(n_plus, inv_plus), wmul(n_minus, inv_minus));
    const wide up = wmin(wmul(n_plus, inv_n), wmul(t_plus, inv_t));
    const wide down = wmin(wmul(n_minus, inv_n), wmul(t_minus, inv_t));

    const wide axis = wmin(wsub(along, wabs(bt)), wsub(across, wabs(bn)));
    const wide diagonal =
        wmin(wsub(up, wabs(wadd(bt, bn))), wsub(down, wabs(wsub(bt, bn))));

    s->gap_axis = wmin(axis, s->gap_axis);
    s->gap_diagonal = wmin(diagonal, s->gap_diagonal);
    if (margin) { /* causal without drift, and nearly so with it */
        const wide sum = wadd(gt, gn), root = wmul(sum, wrsqrt_rough(sum));
        const wide still = wmin(wmin(along, across), wmin(up, down));
        const wide drifting = wadd(wmin(axis, diagonal), wmul(root, wset(MILD_DRIFT)));

        s->margin = wmin(wmin(still, drifting), s->margin);
    }
    s->size = wmax(wadd(gt, gn), s->size);
}

/* Of an isotropic metric, in which nothing has a sign: g12 and the drift are 0. */
static inline void bounds_isotropic(strip_bounds *s, wide gt, wide gn, wide inv_plus, bool ends,
                                    bool gaps)
{
    const wide norm2 = wmul(gn, wset(1.0f - FLOAT_SLACK / 8));
    const wide norm =
        wmul(wmul(norm2, wrsqrt_rough(norm2)), wset(1.0f - 2 * ROUGH_SLACK));

    s->bad = wbad_unless_above(s->bad, wmin(gt, gn), wset(FLOAT_LEAST));
    s->bad = wbad_unless_above(s->bad, norm, wset(0.0f));
    s->step[0] = s->step[1] = wmin(norm, s->step[0]);
    if (ends) {
        s->most[0] = s->most[1] = wmax(wmul(gn, inv_plus), s->most[0]);
        s->least[0] = s->least[1] = wsub(wset(0.0f), s->most[0]);
    }
    if (gaps) {
        const wide least = wmin(gt, gn);

        s->gap_axis = wmin(wmul(least, inv_plus), s->gap_axis);
        s->gap_diagonal = wmin(wmul(least, wrsqrt(least)), s->gap_diagonal);
        s->size = wmax(wadd(gt, gn), s->size);
    }
}

/* WL cells of a line from cell c.  `scale` NULL: all 1.  `bounds` NULL: they are known; else those
 * of the steps, and as asked of the other family's ends, of the gaps, and of their margin.  Of what
 * the kind has not, nothing is read and nothing is stored. */
ZM_INLINE void coef_cells(const line_planes *p, const vec scale[5], size_t c,
                          coef_block *out, strip_bounds *bounds, bool ends, bool gaps,
                          bool margin, int kind)
{
    const bool isotropic = kind == ZM_BLOCKS_ISOTROPIC, drift = kind == ZM_BLOCKS_RANDERS;
    vec g[5][HALVES];

    for (int h = 0; h < HALVES; h++) {
        coef *o = &out[h].at;

        for (int k = 0; k < 5; k++) {
            if ((k > 2 && !drift) || (k == 1 && isotropic))
                continue;
            g[k][h] = vld(p->plane[k] + c + (size_t)(h * VL));
            if (scale)
                g[k][h] = vmul(g[k][h], scale[k]);
        }
        const vec inv = vdiv(vset(1.0), g[0][h]);

        if (isotropic) {
            vst(o->P, g[2][h]);
            vst(o->A, vmul(g[2][h], inv));
            continue;
        }
        const vec slope = vmul(g[1][h], inv);
        const vec P = vfnma(slope, g[1][h], g[2][h]);

        if (drift) {
            vst(o->bt, g[3][h]);
            vst(o->bn, g[4][h]);
        }
        vst(o->P, P);
        vst(o->A, vmul(P, inv));
        vst(o->c, slope);
    }

    const wide gt = wnarrow(g[0]), gn = wnarrow(g[2]), sum = wadd(gt, gn);

    if (isotropic) {
        const wide inv = wrsqrt(sum), end = wmul(gt, inv);

        for (int h = 0; h < HALVES; h++)
            wst_half(out[h].at.qhi, end, h);
        if (bounds)
            bounds_isotropic(bounds, gt, gn, inv, ends, gaps);
        return;
    }
    const wide g12 = wnarrow(g[1]), twice = wadd(g12, g12);
    const wide inv_plus = wrsqrt(wadd(sum, twice)),
               inv_minus = wrsqrt(wsub(sum, twice));
    const wide inv_n = wrsqrt(gn), q0 = wmul(g12, inv_n);
    const wide qlo = wmul(wsub(g12, gt), inv_minus),
               qhi = wmul(wadd(g12, gt), inv_plus);

    for (int h = 0; h < HALVES; h++) {
        wst_half(out[h].at.q0, q0, h);
        wst_half(out[h].at.qlo, qlo, h);
        wst_half(out[h].at.qhi, qhi, h);
    }
    if (!bounds)
        return;
    const wide bt = drift ? wnarrow(g[3]) : wset(0.0f), bn = drift ? wnarrow(g[4]) : bt;
    const wide inv_t = wrsqrt(gt);

    bounds_steps(bounds, gt, g12, gn, wmul(inv_t, inv_t), bt, bn);
    if (ends)
        bounds_ends(bounds, g12, gn, inv_plus, inv_minus, bn);
    if (gaps)
        bounds_gaps(bounds, gt, g12, gn, inv_t, inv_n, inv_plus, inv_minus, bt, bn,
                    margin);
}

/* Of which cells of a strip the causal gaps are wanted; with any, also the ends. */
enum { GAPS_NONE, GAPS_BORDER, GAPS_ALL /* and their margin */ };

/* VL lines from line `first`. */
ZM_INLINE void coef_strip(const line_planes p[VL], const vec *scale, coef_block *out,
                          strip_bounds *bounds, int gaps, unsigned first, int kind)
{
    for (unsigned j = 0; j < VL; j++) {
        const bool edge = first + j == 0 || first + j == ZM_BLOCK - 1;

        for (size_t c = 0; c < ZM_BLOCK; c += WL)
            coef_cells(&p[j], scale, c, out + j * NV + c / VL, bounds, gaps != GAPS_NONE,
                       gaps == GAPS_ALL || (gaps == GAPS_BORDER &&
                                            (edge || c == 0 || c + WL == ZM_BLOCK)),
                       gaps == GAPS_ALL, kind);
    }
}

/* Metrics this far from 1 (in the unit of the solve, spacing folded in) leave the range in
 * which thresholds can be computed. */
#define LARGEST_METRIC                                                                 \
    (sizeof(real) == sizeof(float) ? ZM_BLOCKS_LARGEST_F32 : ZM_BLOCKS_LARGEST_F64)

/* Checks a line exactly, and replaces its thresholds by ones computed in double: for lines
 * that float is not good enough for.  False: some cell is not admissible. */
static bool coef_line_careful(const line_planes *p, const double scale[5],
                              coef_block *out)
{
    for (size_t i = 0; i < ZM_BLOCK; i++) {
        const double gt = (double)p->plane[0][i] * scale[0];
        const double g12 = (double)p->plane[1][i] * scale[1];
        const double gn = (double)p->plane[2][i] * scale[2];
        const double bt = (double)p->plane[3][i] * scale[3];
        const double bn = (double)p->plane[4][i] * scale[4];
        const double det = fma(-g12, g12, gt * gn);
        const double drift = bt * bt * gn - 2 * bt * bn * g12 + bn * bn * gt;
        coef *o = &out[i / VL].at;

        if (!(gt > 0 && gn > 0 && det > 0 && drift < det))
            return false;
        if (!(fmin(gt, gn) > 1 / LARGEST_METRIC && fmax(gt, gn) < LARGEST_METRIC))
            return false;
        o->q0[i % VL] = (float)(g12 / sqrt(gn));
        o->qlo[i % VL] = (float)((g12 - gt) / sqrt((gt - g12) + (gn - g12)));
        o->qhi[i % VL] = (float)((g12 + gt) / sqrt((gt + g12) + (gn + g12)));
    }
    return true;
}
