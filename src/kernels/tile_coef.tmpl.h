/* SPDX-License-Identifier: Apache-2.0
 * Coefficients of the directional update, for all cells of a tile and both families of
 * sweeps.  Include one vec_<isa>_<type>.h and tile.h first.
 *
 * With spacing folded into G and b, donors at (t, -1) in the (t, n) frame of a sweep, and
 * q the slope of the donor times plus b_t, the update (docs/theory.md, section 3) needs
 *
 *     P = det/g_t,  A = det/g_t^2,  c = g12/g_t,
 *     q0 = g12/sqrt(g_n),  qlo = (g12 - g_t)/|d-|,  qhi = (g12 + g_t)/|d+|,
 *     |d+-|^2 = g11 + g22 +- 2 g12.
 *
 * q0, qlo, qhi bound a minimisation whose value is stationary in them, so an error of 1e-7
 * in them is one of 1e-14 in T: they are computed and kept in float also for double. */

typedef struct coef { /* of VL cells side by side in a line */
    real bt[VL], bn[VL], P[VL], A[VL], c[VL];
    float q0[VL], qlo[VL], qhi[VL];
} coef;

enum {
    NV = ZM_TILE / VL,         /* vectors in a line */
    CELLS = ZM_TILE * ZM_TILE, /* of a tile */
    /* reals from one line of a tile buffer to the next: room for a halo cell at each end */
    LINE = ZM_TILE + (VL > 1 ? VL : 2),
    PLANE_SET = 5 * CELLS
};

/* A block begins on a multiple of the vector size, so that no load crosses a cache line. */
enum { COEF_STEP = (sizeof(coef) + VL * sizeof(real) - 1) / (VL * sizeof(real)) };
typedef union coef_block {
    coef at;
    real pad[COEF_STEP * VL];
} coef_block;

enum { FAMILY = NV * ZM_TILE, BLOCK = sizeof(coef_block) / sizeof(real) };

typedef struct tile_bounds { /* running over the cells of a tile */
    wide step[4], gap_axis, gap_diagonal, size, bad;
} tile_bounds;

/* Rounding errors of the float expressions below, relative to their largest terms and with
 * a margin: bounds are moved to the safe side by this much. */
#define FLOAT_SLACK 4e-6f

/* Smallest step of each sweep over unbounded t, and causal gaps:
 *
 *     from N: min over t of F(-t, 1) = sqrt(P (1 - b1^2/g11)) + c b1 - b2, etc.,
 *     gap of donor i used together with donor j: m_i' G m_j / |m_j|_G + m_i.b.
 *
 * F > 0 for both signs of every sweep is also the feasibility of (G, b); anything not
 * admissible gives a NaN or a step that is not positive. */
static inline void bounds_steps(tile_bounds *s, int from, wide P, wide inv_gt, wide c,
                                wide bt, wide bn)
{
    const wide room = wfnma(wmul(bt, bt), inv_gt, wset(1.0f - FLOAT_SLACK / 8));
    const wide norm = wmul(wsqrt(wmul(P, room)), wset(1.0f - FLOAT_SLACK));
    const wide safe = wfnma(wabs(bn), wset(FLOAT_SLACK / 8), norm);
    const wide push = wfms(c, bt, bn);
    const wide ahead = wadd(safe, push), behind = wsub(safe, push);

    s->bad = wbad_unless_positive(s->bad, wmin(behind, ahead));
    s->step[from] = wmin(ahead, s->step[from]);
    s->step[from + 1] = wmin(behind, s->step[from + 1]);
}

static inline void bounds_gaps(tile_bounds *s, const wide g[3], const wide b[2],
                               wide inv_x, wide inv_y, const wide q[6])
{
    const wide ax = wsub(wmin(q[2], wsub(wset(0.0f), q[1])), wabs(b[0]));
    const wide ay = wsub(wmin(q[5], wsub(wset(0.0f), q[4])), wabs(b[1]));
    const wide plus = wmin(wmul(wadd(g[2], g[1]), inv_y), wmul(wadd(g[0], g[1]), inv_x));
    const wide minus = wmin(wmul(wsub(g[2], g[1]), inv_y), wmul(wsub(g[0], g[1]), inv_x));

    s->gap_axis = wmin(wmin(ax, ay), s->gap_axis);
    s->gap_diagonal = wmin(wmin(wsub(plus, wabs(wadd(b[0], b[1]))),
                                wsub(minus, wabs(wsub(b[0], b[1])))),
                           s->gap_diagonal);
    s->size = wmax(wadd(g[0], g[2]), s->size);
}

static inline float wide_least(wide a)
{
    float lane[WL], least;

    wst(lane, a);
    least = lane[0];
    for (int i = 1; i < WL; i++)
        least = lane[i] < least ? lane[i] : least;
    return least;
}

static void bounds_store(const tile_bounds *s, zm_tile *tile)
{
    /* the gaps are differences of terms of this size */
    const float slack =
        4.0f * FLOAT_SLACK * sqrtf(-wide_least(wsub(wset(0.0f), s->size)));

    for (int k = 0; k < 4; k++) {
        const float step = wide_least(s->step[k]);

        tile->step[k] = step > 0.0f ? step : 0.0f;
    }
    tile->gap_axis = wide_least(s->gap_axis) - slack;
    tile->gap_diagonal = wide_least(s->gap_diagonal) - slack;
    tile->bounded = 1;
}

/* Planes of one tile, in place or (walls, rim of the grid) in a padded copy. */
typedef struct tile_planes {
    const real *plane[5];
    size_t stride[5];
} tile_planes;


/* One line of WL cells: row-sweep blocks straight to `rows`, column-sweep values to the
 * line-by-line arrays `t` and `tq`, to be transposed. */
static inline void coef_line(const tile_planes *p, const vec scale[5], size_t r, size_t c0,
                             coef_block *rows, real t[5][HALVES][VL * VL],
                             float tq[3][HALVES][VL * VL], size_t rr, tile_bounds *bounds,
                             bool border)
{
    vec g[5][HALVES], Px[HALVES], Py[HALVES], ix[HALVES], iy[HALVES], cx[HALVES], cy[HALVES];
    const vec one = vset(1.0);

    for (int h = 0; h < HALVES; h++) {
        coef *o = &rows[h].at;

        for (int k = 0; k < 5; k++)
            g[k][h] = vmul(vld(p->plane[k] + r * p->stride[k] + c0 + (size_t)(h * VL)),
                           scale[k]);
        const vec det = vfnma(g[1][h], g[1][h], vmul(g[0][h], g[2][h]));
        const vec inv = vdiv(one, vmul(g[0][h], g[2][h]));
        ix[h] = vmul(inv, g[2][h]);
        iy[h] = vmul(inv, g[0][h]);
        Px[h] = vmul(det, ix[h]);
        Py[h] = vmul(det, iy[h]);
        cx[h] = vmul(g[1][h], ix[h]);
        cy[h] = vmul(g[1][h], iy[h]);
        vst(o->bt, g[3][h]);
        vst(o->bn, g[4][h]);
        vst(o->P, Px[h]);
        vst(o->A, vmul(Px[h], ix[h]));
        vst(o->c, cx[h]);
        vst(&t[0][h][rr * VL], g[4][h]);
        vst(&t[1][h][rr * VL], g[3][h]);
        vst(&t[2][h][rr * VL], Py[h]);
        vst(&t[3][h][rr * VL], vmul(Py[h], iy[h]));
        vst(&t[4][h][rr * VL], cy[h]);
    }

    const wide G[3] = { wnarrow(g[0]), wnarrow(g[1]), wnarrow(g[2]) };
    const wide b[2] = { wnarrow(g[3]), wnarrow(g[4]) };
    const wide sum = wadd(G[0], G[2]), twice = wadd(G[1], G[1]), unit = wset(1.0f);
    const wide gx = wnarrow(ix), gy = wnarrow(iy);
    const wide inv_x = wsqrt(gx), inv_y = wsqrt(gy);
    const wide least = wmul(sum, wset(FLT_EPSILON)); /* a singular G rounds to 0 here */
    const wide inv_plus = wsqrt(wdiv(unit, wmax(wadd(sum, twice), least)));
    const wide inv_minus = wsqrt(wdiv(unit, wmax(wsub(sum, twice), least)));
    const wide q[6] = {
        wmul(G[1], inv_y), wmul(wsub(G[1], G[0]), inv_minus), wmul(wadd(G[1], G[0]), inv_plus),
        wmul(G[1], inv_x), wmul(wsub(G[1], G[2]), inv_minus), wmul(wadd(G[1], G[2]), inv_plus)
    };

    for (int h = 0; h < HALVES; h++) {
        coef *o = &rows[h].at;

        wst_half(o->q0, q[0], h);
        wst_half(o->qlo, q[1], h);
        wst_half(o->qhi, q[2], h);
        for (int k = 0; k < 3; k++)
            wst_half(&tq[k][h][rr * VL], q[3 + k], h);
    }
    bounds_steps(bounds, ZM_FROM_N, wnarrow(Px), gx, wnarrow(cx), b[0], b[1]);
    bounds_steps(bounds, ZM_FROM_W, wnarrow(Py), gy, wnarrow(cy), b[1], b[0]);
    if (border)
        bounds_gaps(bounds, G, b, inv_x, inv_y, q);
}

/* VL x WL cells: lines, then their transposes into the column-sweep blocks. */
static inline void coef_square(const tile_planes *p, const vec scale[5], size_t r0,
                               size_t c0, coef_block *rows, coef_block *cols,
                               tile_bounds *bounds)
{
    real t[5][HALVES][VL * VL];
    float tq[3][HALVES][VL * VL];
    const bool border_column = c0 == 0 || c0 + WL == ZM_TILE;

    for (size_t rr = 0; rr < VL; rr++) {
        const size_t r = r0 + rr;

        coef_line(p, scale, r, c0, &rows[r * NV + c0 / VL], t, tq, rr, bounds,
                  border_column || r == 0 || r == ZM_TILE - 1);
    }
    for (size_t h = 0; h < HALVES; h++) {
        coef *o = &cols[(c0 + h * VL) * NV + r0 / VL].at;
        const size_t step = (size_t)NV * BLOCK, step_q = step * sizeof(real) / sizeof(float);

        vtranspose(t[0][h], VL, o->bt, step);
        vtranspose(t[1][h], VL, o->bn, step);
        vtranspose(t[2][h], VL, o->P, step);
        vtranspose(t[3][h], VL, o->A, step);
        vtranspose(t[4][h], VL, o->c, step);
        qtranspose(tq[0][h], VL, o->q0, step_q);
        qtranspose(tq[1][h], VL, o->qlo, step_q);
        qtranspose(tq[2][h], VL, o->qhi, step_q);
    }
}

/* All coefficients of a tile.  False: some cell may not be admissible, which the caller is
 * to find out exactly; the bounds are then the weakest. */
static bool coef_tile(const tile_planes *p, const double scale[5], coef_block *rows,
                      coef_block *cols, zm_tile *tile)
{
    const wide far = wset(3e38f), none = wset(0.0f);
    tile_bounds bounds = { { far, far, far, far }, far, far, none, none };
    vec vscale[5];

    for (int k = 0; k < 5; k++)
        vscale[k] = vset(scale[k]);
    for (size_t r0 = 0; r0 < ZM_TILE; r0 += VL)
        for (size_t c0 = 0; c0 < ZM_TILE; c0 += WL)
            coef_square(p, vscale, r0, c0, rows, cols, &bounds);
    bounds_store(&bounds, tile);
    if (!wbad_any(bounds.bad))
        return true;
    for (int k = 0; k < 4; k++)
        tile->step[k] = 0.0f;
    return false;
}
