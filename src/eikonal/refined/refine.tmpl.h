/* SPDX-License-Identifier: Apache-2.0
 * The update of phase two, for vectors of cells that share a sweep.  Include a vec_<isa>_f64.h
 * first. */
#include "eikonal/blocks/bits.h"
#include "eikonal/refined/refined.h"

enum {
    PAD = ZM_REFINED_PAD,
    LINE = ZM_BLOCK + 2 * PAD,
    NV = ZM_BLOCK / VL,
    REACH = 3 /* lines that a cell looks back */
};

/* T is smooth enough for second differences where those of T1 - T_s are at most this share of
 * the step, for third ones and to look beyond the triangle this share. */
static const double SMOOTH_SECOND = 0.65, SMOOTH_THIRD = 0.2;
/* A step of T may differ from that of T1 by this share of it. */
static const double MOST_CHANGE = 1.0;
/* How far beyond the triangle the donor point may lie where all is that smooth. */
static const double BEYOND = 0.25;

/* A source in the frame of a family of sweeps: its metric, and where line 0, lane 0 is, seen from
 * it. */
typedef struct origin {
    vec s_tt, s_tn, s_nn, s_bt, s_bn;
    double t0, n0;
} origin;

/* Everything of one family of sweeps: scales of the planes in its frame (tt, tn, nn, t, n), and
 * the fields from line 0, lane 0 on. */
typedef struct frame {
    vec scale[5];
    double t0, n0; /* of line 0, lane 0 */
    const double *first, *label;
    size_t first_stride;
    const double *plane[5];
    size_t plane_stride[5];
} frame;

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

/* Where VL cells are: their tau and T1, with the way to the line of their donors, and planes. */
typedef struct cells {
    const double *x, *t1, *label; /* label is NULL where there is one source */
    ptrdiff_t x_line, t1_line;
    const double *plane[5];
    unsigned lane, line; /* of the first */
} cells;

typedef struct answer {
    vec value;  /* tau; NaN where a donor is not known */
    vec weight; /* of the diagonal donor */
    vmsk up;    /* which lies towards +t */
    vmsk second, third, bare;
    vmsk axis, diagonal; /* one donor alone */
} answer;

static inline vmsk known(vec a)
{
    return vle(a, a);
}

static inline vmsk same(vec a, vec b)
{
    return vmsk_and(vle(a, b), vle(b, a));
}

/* T1 at `t1` as the cells c see it: fronts of other sources do not count. */
static inline vec front(const cells *c, const double *t1)
{
    if (!c->label)
        return vld(t1);
    return vsel(same(vld(c->label), vld(c->label + (t1 - c->t1))), vld(t1),
                vset((double)INFINITY));
}

/* Obstacles, and what lies beyond the grid: nothing came there. */
static inline vmsk closed(const double *t1)
{
    return vle(vset((double)INFINITY), vld(t1));
}

static inline vec vabs(vec a)
{
    return vmax(a, vneg(a));
}

static inline vec vinv_sqrt(vec a)
{
    return vdiv(vset(1.0), vsqrt(a));
}

static inline vec ramp(double from)
{
    static const double steps[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };

    return vadd(vset(from), vld(steps));
}

/* A donor seen with second or third differences:
 *     order 2: 2 tau1 - tau2/2, order 3: 3 tau1 - 3/2 tau2 + tau3/3. */
static inline vec seen(vec tau1, vec tau2, vec tau3, vmsk second, vmsk third)
{
    vec s = vsel(second, vfma(vset(-0.5), tau2, vadd(tau1, tau1)), tau1);

    return vsel(
        third, vfma(vset(1.0 / 3), tau3, vfma(vset(-1.5), tau2, vmul(vset(3.0), tau1))),
        s);
}

/* Whether T1 is smooth enough for third differences: at the cell, where `rough` says it, and at the
 * near donor. */
static inline vmsk third_of(vec near, vec far, vec farther, vec rough, vec bend,
                            vec most)
{
    const vec there = vabs(vsub(vadd(vsub(near, far), vsub(farther, far)), bend));

    return vmsk_and(vmsk_and(vlt(farther, far), vle(rough, most)), vle(there, most));
}

/* kappa(m) = |d + m| - |d| - <grad |d|, m>, with `length` |d|, `slope` the last term and
 * square |m|^2, all in the source's metric. */
static inline vec kappa(vec length2, vec length, vec slope, vec square)
{
    const vec product = vmul(slope, length);
    const vec there = vadd(length2, vadd(vadd(product, product), square));

    return vsub(vsub(vsqrt(vmax(there, vset(0.0))), length),
                slope); /* 0 at the source */
}

/* A triangle as `edge_minimum` sees it: turned so that the side donor lies towards +t, and the
 * line of the donors towards -n.  Donors count with sm and ss. */
typedef struct edge {
    vec gt, gs, gn, cs, P, A, bs, bn;
    vec q_mid; /* where the minimum is at the donor in the middle */
    vec sm, ss;
    vmsk no_mid, no_side; /* that donor does not count */
    vmsk smooth;          /* the minimum may lie a little beyond the triangle */
} edge;

/* The minimum over the triangle, times the factor of the order; fills weight, axis and diagonal of
 * *a, whose second and third say the order. */
ZM_INLINE vec edge_minimum(const edge *e, answer *a)
{
    const vec one = vset(1.0), zero = vset(0.0);
    const vec gt = e->gt, gs = e->gs, gn = e->gn;
    const vec q_side =
        vmul(vsub(gs, gt), vrsqrt_rough(vadd(gt, vfnma(vset(2.0), gs, gn))));
    const vec from_side = vadd(e->ss, e->bs);
    const vec alone = vsub(from_side, q_side);
    const vec sm = vsel(e->no_mid, alone, e->sm); /* NaN of a donor that counts stays */
    const vec q =
        vsel(e->no_mid, q_side, vsel(e->no_side, e->q_mid, vsub(from_side, e->sm)));
    const vec far_side =
        vmul(vfnma(vset(1 + BEYOND), gt, gs),
             vrsqrt_rough(vfma(vset((1 + BEYOND) * (1 + BEYOND)), gt,
                               vfnma(vset(2 * (1 + BEYOND)), gs, gn))));
    const vec far_mid = vmul(
        vfma(vset(BEYOND), gt, gs),
        vrsqrt_rough(vfma(vset(BEYOND * BEYOND), gt, vfma(vset(2 * BEYOND), gs, gn))));
    const vmsk free = vmsk_and(e->smooth, vmsk_and(vlt(far_side, q), vlt(q, far_mid)));
    const vec clamped = vmin(e->q_mid, vmax(q_side, q)); /* NaN of q stays */
    const vec qc = vsel(free, q, clamped);
    const vec root = vsqrt(vfnma(vmul(e->A, qc), qc, e->P));
    const vec excess = vsel(free, zero, vmin(zero, vsub(q, q_side)));
    const vec v = vsub(vadd(vadd(sm, excess), vfma(e->cs, qc, root)), e->bn);
    const vmsk at_mid = vmsk_and(vmsk_not(free), vle(e->q_mid, q));
    const vmsk at_side = vmsk_and(vmsk_not(free), vle(q, q_side));

    a->axis = vmsk_or(e->no_side, vmsk_and(vmsk_not(e->no_mid), at_mid));
    a->diagonal = vmsk_or(e->no_mid, vmsk_and(at_side, vmsk_not(a->axis)));
    a->weight = vsel(a->diagonal, one,
                     vsel(a->axis, zero, vsub(e->cs, vdiv(vmul(e->A, qc), root))));
    return vmul(v, vsel(a->third, vset(6.0 / 11), vsel(a->second, vset(2.0 / 3), one)));
}

/* tau of VL cells.  Seen from the sweep the donors are at (0, -1) and (+-1, -1), or mirrored
 * (reverse): then g_tn and the side across change their signs.  With q = tau_side - tau_mid +
 * (b + grad T_s)_t the minimum over the triangle is that of blocks/update.tmpl.h with tau for
 * T and b + grad T_s for b. */
ZM_INLINE answer evaluate(const cells *c, const frame *f, const origin *o,
                          vec tie_share, bool reverse, int32_t order, bool walls)
{
    const vec zero = vset(0.0), one = vset(1.0);
    const double *const y = c->x + c->x_line, *const z = y + c->x_line;
    const double *const t1 = c->t1 + c->t1_line;
    answer a;

    /* the metric in the frame */
    const vec gt = vmul(vld(c->plane[0]), f->scale[0]);
    const vec gx = vmul(vld(c->plane[1]), f->scale[1]);
    const vec gn = vmul(vld(c->plane[2]), f->scale[2]);
    const vec bt = vmul(vld(c->plane[3]), f->scale[3]);
    const vec bn = vmul(vld(c->plane[4]), f->scale[4]);
    const vec g = reverse ? vneg(gx) : gx;
    const vec inv = vdiv(one, gt), P = vfnma(vmul(g, inv), g, gn), A = vmul(P, inv);
    const vec q0 = vmul(g, vrsqrt_rough(gn));

    /* which triangle, by T1 */
    const vec T0 = vld(c->t1), inf = vset((double)INFINITY);
    vec mid = front(c, t1), plus = front(c, t1 + 1), minus = front(c, t1 - 1);

    if (walls) { /* nothing slips between two obstacles that touch at a corner */
        plus = vsel(vmsk_and(closed(t1), closed(c->t1 + 1)), inf, plus);
        minus = vsel(vmsk_and(closed(t1), closed(c->t1 - 1)), inf, minus);
    }
    const vec up_end = vadd(plus, bt), down_end = vsub(minus, bt);
    const vec tie = vmul(tie_share, T0);
    const vmsk on_up = vlt(vsub(up_end, mid), vsub(q0, tie));
    const vmsk on_down = vlt(vadd(q0, tie), vsub(mid, down_end));

    a.up = vmsk_not(on_down);
    if (ZM_RARELY(
            vany_both(on_up, on_down))) { /* a front from either side: the earlier */
        const vec qlo = vmul(vsub(g, gt), vinv_sqrt(vadd(gt, vfnma(vset(2.0), g, gn))));
        const vec qhi = vmul(vadd(g, gt), vinv_sqrt(vadd(gt, vfma(vset(2.0), g, gn))));
        const vec qp = vmax(vsub(up_end, mid), qlo),
                  qm = vmin(vsub(mid, down_end), qhi);
        const vec c1 = vmul(g, inv);
        const vec by_up = vadd(vmin(mid, vsub(up_end, qlo)),
                               vfma(c1, qp, vsqrt(vfnma(vmul(A, qp), qp, P))));
        const vec by_down = vadd(vmin(mid, vadd(down_end, qhi)),
                                 vfma(c1, qm, vsqrt(vfnma(vmul(A, qm), qm, P))));

        a.up = vsel_msk(vmsk_and(on_up, on_down), vle(by_up, by_down), a.up);
    }

    const double *const t2 = t1 + c->t1_line;
    const vec mid2 = front(c, t2), side = vsel(a.up, plus, minus);
    vec side2 = vsel(a.up, front(c, t2 + 2), front(c, t2 - 2));
    const vmsk mid_earlier = vlt(mid, T0), side_earlier = vlt(side, T0);

    if (walls)
        side2 = vsel(vmsk_and(vsel_msk(a.up, closed(t1 + 2), closed(t1 - 2)),
                              vsel_msk(a.up, closed(t2 + 1), closed(t2 - 1))),
                     inf, side2);
    const vmsk both = vmsk_and(mid_earlier, side_earlier);
    const vmsk no_mid = vmsk_not(mid_earlier), no_side = vmsk_not(side_earlier);

    /* T_s: gradient, and second derivatives towards both donors */
    const vec dt = ramp(o->t0 + c->lane), dn = vset(o->n0 + c->line);
    const vec ct = vfma(o->s_tt, dt, vmul(o->s_tn, dn));
    const vec cn = vfma(o->s_tn, dt, vmul(o->s_nn, dn));
    const vec length2 = vfma(ct, dt, vmul(cn, dn)), inv_length = vinv_sqrt(length2);
    const vec et = vmul(ct, inv_length), en = vmul(cn, inv_length);
    const vec to_side = vsel(a.up, et, vneg(et));
    const vec cross = vsel(a.up, o->s_tn, vneg(o->s_tn));
    const vec slope_mid = reverse ? en : vneg(en);
    const vec slope_side = vadd(to_side, slope_mid);
    const vec square_side = reverse ? vfma(vset(2.0), cross, vadd(o->s_tt, o->s_nn))
                                    : vfnma(vset(2.0), cross, vadd(o->s_tt, o->s_nn));
    const vec bend_mid = vmul(vfnma(en, en, o->s_nn), inv_length);
    const vec bend_side = vmul(vfnma(slope_side, slope_side, square_side), inv_length);

    /* the order that T1 is smooth enough for, and that there are donors for */
    const vec step_mid = vsub(T0, mid), step_side = vsub(T0, side);
    const vec rough_mid = vabs(vsub(vadd(step_mid, vsub(mid2, mid)), bend_mid));
    const vec rough_side = vabs(vsub(vadd(step_side, vsub(side2, side)), bend_side));
    const vec lim = vset(SMOOTH_SECOND), lim3 = vset(SMOOTH_THIRD);
    const vmsk fine_mid = vmsk_and(vlt(mid2, mid), vle(rough_mid, vmul(lim, step_mid)));
    const vmsk fine_side =
        vmsk_and(vlt(side2, side), vle(rough_side, vmul(lim, step_side)));

    /* whether the source is seen in a metric like the cell's: docs/theory.md, section 7 */
    const vec trace =
        vfma(gn, o->s_tt, vfnma(vadd(gx, gx), o->s_tn, vmul(gt, o->s_nn)));
    const vec here =
        vfma(vfma(gt, dt, vmul(vadd(gx, gx), dn)), dt, vmul(vmul(gn, dn), dn));
    const vec det = vmul(P, gt);

    a.bare = vlt(vmul(vmul(vset(16.0), vmul(det, det)), length2),
                 vmul(vmul(trace, trace), here));
    a.second =
        vmsk_and(vmsk_and(vmsk_or(fine_mid, no_mid), vmsk_or(fine_side, no_side)),
                 vmsk_not(a.bare));
    a.third = vmsk_of_bits(0);

    const vec m1 = vld(y), m2 = vld(z);
    const vec s1 = vsel(a.up, vld_after(y, m1), vld_before(y, m1));
    const vec s2 = vsel(a.up, vld(z + 2), vld(z - 2));
    vec m3 = zero, s3 = zero;

    if (order > 2) {
        const double *const t3 = t2 + c->t1_line, *const u = z + c->x_line;
        const vec mid3 = front(c, t3);
        vec side3 = vsel(a.up, front(c, t3 + 3), front(c, t3 - 3));

        if (walls)
            side3 = vsel(vmsk_and(vsel_msk(a.up, closed(t2 + 3), closed(t2 - 3)),
                                  vsel_msk(a.up, closed(t3 + 2), closed(t3 - 2))),
                         inf, side3);

        const vmsk third_mid =
            third_of(mid, mid2, mid3, rough_mid, bend_mid, vmul(lim3, step_mid));
        const vmsk third_side =
            third_of(side, side2, side3, rough_side, bend_side, vmul(lim3, step_side));

        a.third = vmsk_and(a.second, vmsk_and(vmsk_or(third_mid, no_mid),
                                              vmsk_or(third_side, no_side)));
        m3 = vld(u);
        s3 = vsel(a.up, vld(u + 3), vld(u - 3));
    }
    const vec rise_t = vsub(et, o->s_bt), rise_n = vsub(en, o->s_bn); /* grad T_s */
    const vec st = vadd(bt, rise_t), sn = vadd(bn, rise_n);
    const vec gs = vsel(a.up, g, vneg(g)),
              bend_t = vmul(vfnma(et, et, o->s_tt), inv_length);
    const vec kink = vabs(vsub(vadd(vsub(plus, mid), vsub(minus, mid)), bend_t));
    const vec small = vmul(lim3, step_mid);
    const vmsk smooth =
        vmsk_and(vmsk_and(vmsk_and(both, a.second), vle(kink, small)),
                 vmsk_and(vle(rough_mid, small), vle(rough_side, small)));
    edge e = { .gt = gt,
               .gs = gs,
               .gn = gn,
               .cs = vmul(gs, inv),
               .P = P,
               .A = A,
               .bs = vsel(a.up, st, vneg(st)),
               .bn = reverse ? vneg(sn) : sn,
               .q_mid = vsel(a.up, q0, vneg(q0)),
               .sm = seen(m1, m2, m3, a.second, a.third),
               .ss = seen(s1, s2, s3, a.second, a.third),
               .no_mid = no_mid,
               .no_side = no_side,
               .smooth = smooth };

    if (ZM_RARELY(vany(a.bare))) { /* T_i counts in full: tau_i + kappa_i */
        const vec length = vmul(length2, inv_length);

        e.sm = vsel(a.bare, vadd(m1, kappa(length2, length, slope_mid, o->s_nn)), e.sm);
        e.ss = vsel(a.bare, vadd(s1, kappa(length2, length, slope_side, square_side)),
                    e.ss);
    }
    a.value = edge_minimum(&e, &a);

    /* Where that is not near the step of T1, differences of tau are of no use. */
    const vec rise_mid = reverse ? rise_n : vneg(rise_n);
    const vec rise_side = vadd(rise_mid, vsel(a.up, rise_t, vneg(rise_t)));
    const vec off_mid = vabs(vsub(vsub(vsub(a.value, m1), rise_mid), step_mid));
    const vec off_side = vabs(vsub(vsub(vsub(a.value, s1), rise_side), step_side));
    const vec steps =
        vmax(vsel(mid_earlier, step_mid, zero), vsel(side_earlier, step_side, zero));
    const vec most = vmul(vset(MOST_CHANGE), steps);
    const vmsk off = vmsk_or(vmsk_and(mid_earlier, vlt(most, off_mid)),
                             vmsk_and(side_earlier, vlt(most, off_side)));

    if (ZM_RARELY(vany(off))) {
        const vec length = vmul(length2, inv_length), value = a.value;
        const answer first = a;

        a.bare = vmsk_or(a.bare, off);
        a.second = vmsk_and(a.second, vmsk_not(off));
        a.third = vmsk_and(a.third, vmsk_not(off));
        e.smooth = vmsk_and(e.smooth, vmsk_not(off));
        e.sm = vsel(off, vadd(m1, kappa(length2, length, slope_mid, o->s_nn)), e.sm);
        e.ss =
            vsel(off, vadd(s1, kappa(length2, length, slope_side, square_side)), e.ss);
        a.value = vsel(off, edge_minimum(&e, &a), value);
        a.weight = vsel(off, a.weight, first.weight);
        a.axis = vsel_msk(off, a.axis, first.axis);
        a.diagonal = vsel_msk(off, a.diagonal, first.diagonal);
    }
    /* a cell without donors waits for ever */
    a.value = vsel(vmsk_or(mid_earlier, side_earlier), a.value, vset((double)NAN));
    return a;
}

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
