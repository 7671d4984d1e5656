/* SPDX-License-Identifier: Apache-2.0
 * The update of phase two, for vectors of cells that share a sweep.  Include a vec_<isa>_f64.h
 * first. */
#include "eikonal/refined/refined.h"

/* T is smooth enough for second differences where those of T1 - T_s are at most this share of
 * the step, for third ones and to look beyond the triangle this share. */
static const double SMOOTH_SECOND = 0.65, SMOOTH_THIRD = 0.2;
/* Third differences towards two donors at once amplify waves across the line of the donors, by up to
 * 1.046 a line.  They count where slopes across change by at most this share of the step, or of their
 * own changes, from line to line: such waves stay as small as an error of second order. */
static const double CALM_STEP = 1e-3, CALM_CHANGE = 0.5;
/* A step of T may differ from that of T1 by this share of it: a cell is later than its donors. */
static const double MOST_CHANGE = 0.9;
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

/* kappa(m) = |d + m| - |d| - <grad |d|, m>, with d + m = (t, n), |d| `length` and the last term
 * `slope`, all in the source's metric.  |d + m| from its components: expanded, what is left of
 * |d|^2 where the donor is the source itself would be rounding, and its root 1e-8. */
static inline vec kappa(const origin *o, vec t, vec n, vec length, vec slope)
{
    const vec cross = vmul(vadd(o->s_tn, o->s_tn), vmul(t, n));
    const vec there = vfma(vmul(o->s_tt, t), t, vfma(vmul(o->s_nn, n), n, cross));

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

/* The metric of VL cells in the frame of a sweep: seen from it the donors are at (0, -1) and
 * (+-1, -1), or mirrored (reverse), and then g_tn and the side across change their signs. */
typedef struct tensor {
    vec gt, gx, gn, bt, bn;
    vec g; /* gx as the sweep sees it */
    vec inv, P, A;
    vec q0; /* where the minimum is at the donor in the middle */
} tensor;

ZM_INLINE tensor tensor_of(const cells *c, const frame *f, bool reverse)
{
    tensor m = { .gt = vmul(vld(c->plane[0]), f->scale[0]),
                 .gx = vmul(vld(c->plane[1]), f->scale[1]),
                 .gn = vmul(vld(c->plane[2]), f->scale[2]),
                 .bt = vmul(vld(c->plane[3]), f->scale[3]),
                 .bn = vmul(vld(c->plane[4]), f->scale[4]) };

    m.g = reverse ? vneg(m.gx) : m.gx;
    m.inv = vdiv(vset(1.0), m.gt);
    m.P = vfnma(vmul(m.g, m.inv), m.g, m.gn);
    m.A = vmul(m.P, m.inv);
    m.q0 = vmul(m.g, vrsqrt_rough(m.gn));
    return m;
}

/* T1 at VL cells and at their donors: in the middle, on both sides, and on the side that counts;
 * near and far (2). */
typedef struct fronts {
    vec here, mid, plus, minus, side;
    vec mid2, side2;
    vmsk mid_earlier, side_earlier;
} fronts;

/* A front from either side: whether that from above is the earlier. */
ZM_INLINE vmsk up_is_earlier(const tensor *m, vec mid, vec up_end, vec down_end)
{
    const vec gt = m->gt, gn = m->gn, g = m->g, A = m->A, P = m->P;
    const vec qlo = vmul(vsub(g, gt), vinv_sqrt(vadd(gt, vfnma(vset(2.0), g, gn))));
    const vec qhi = vmul(vadd(g, gt), vinv_sqrt(vadd(gt, vfma(vset(2.0), g, gn))));
    const vec qp = vmax(vsub(up_end, mid), qlo), qm = vmin(vsub(mid, down_end), qhi);
    const vec c1 = vmul(g, m->inv);
    const vec by_up = vadd(vmin(mid, vsub(up_end, qlo)),
                           vfma(c1, qp, vsqrt(vfnma(vmul(A, qp), qp, P))));
    const vec by_down = vadd(vmin(mid, vadd(down_end, qhi)),
                             vfma(c1, qm, vsqrt(vfnma(vmul(A, qm), qm, P))));

    return vle(by_up, by_down);
}

/* Which triangle, by T1: fills a->up. */
ZM_INLINE fronts fronts_of(const cells *c, const tensor *m, vec tie_share, bool walls,
                           answer *a)
{
    const double *const t1 = c->t1 + c->t1_line, *const t2 = t1 + c->t1_line;
    const vec inf = vset((double)INFINITY);
    fronts T = { .here = vld(c->t1),
                 .mid = front(c, t1),
                 .plus = front(c, t1 + 1),
                 .minus = front(c, t1 - 1) };

    if (walls) { /* nothing slips between two obstacles that touch at a corner */
        T.plus = vsel(vmsk_and(closed(t1), closed(c->t1 + 1)), inf, T.plus);
        T.minus = vsel(vmsk_and(closed(t1), closed(c->t1 - 1)), inf, T.minus);
    }
    const vec up_end = vadd(T.plus, m->bt), down_end = vsub(T.minus, m->bt);
    const vec tie = vmul(tie_share, T.here);
    const vmsk on_up = vlt(vsub(up_end, T.mid), vsub(m->q0, tie));
    const vmsk on_down = vlt(vadd(m->q0, tie), vsub(T.mid, down_end));

    a->up = vmsk_not(on_down);
    if (ZM_RARELY(vany_both(on_up, on_down)))
        a->up = vsel_msk(vmsk_and(on_up, on_down),
                         up_is_earlier(m, T.mid, up_end, down_end), a->up);
    T.mid2 = front(c, t2);
    T.side = vsel(a->up, T.plus, T.minus);
    T.side2 = vsel(a->up, front(c, t2 + 2), front(c, t2 - 2));
    T.mid_earlier = vlt(T.mid, T.here);
    T.side_earlier = vlt(T.side, T.here);
    if (walls)
        T.side2 = vsel(vmsk_and(vsel_msk(a->up, closed(t1 + 2), closed(t1 - 2)),
                                vsel_msk(a->up, closed(t2 + 1), closed(t2 - 1))),
                       inf, T.side2);
    return T;
}

/* T_s at VL cells: with d from the source, |d| and its gradient, and towards both donors the
 * slope, the second derivative (bend) and |m|^2. */
typedef struct distances {
    vec dt, dn, length2, inv_length;
    vec et, en;
    vec slope_mid, slope_side, square_side, bend_mid, bend_side;
} distances;

ZM_INLINE distances distances_of(const cells *c, const origin *o, vmsk up, bool reverse)
{
    const vec dt = ramp(o->t0 + c->lane), dn = vset(o->n0 + c->line);
    const vec ct = vfma(o->s_tt, dt, vmul(o->s_tn, dn));
    const vec cn = vfma(o->s_tn, dt, vmul(o->s_nn, dn));
    const vec length2 = vfma(ct, dt, vmul(cn, dn)), inv_length = vinv_sqrt(length2);
    const vec et = vmul(ct, inv_length), en = vmul(cn, inv_length);
    const vec to_side = vsel(up, et, vneg(et));
    const vec cross = vsel(up, o->s_tn, vneg(o->s_tn));
    const vec slope_mid = reverse ? en : vneg(en);
    const vec slope_side = vadd(to_side, slope_mid);
    const vec square_side = reverse ? vfma(vset(2.0), cross, vadd(o->s_tt, o->s_nn))
                                    : vfnma(vset(2.0), cross, vadd(o->s_tt, o->s_nn));

    return (distances){ dt,
                        dn,
                        length2,
                        inv_length,
                        et,
                        en,
                        slope_mid,
                        slope_side,
                        square_side,
                        vmul(vfnma(en, en, o->s_nn), inv_length),
                        vmul(vfnma(slope_side, slope_side, square_side), inv_length) };
}

/* Where the source is not seen in a metric like the cell's: docs/theory.md, section 7. */
ZM_INLINE vmsk bare_of(const tensor *m, const origin *o, const distances *d)
{
    const vec gt = m->gt, gx = m->gx, gn = m->gn, dt = d->dt, dn = d->dn;
    const vec trace =
        vfma(gn, o->s_tt, vfnma(vadd(gx, gx), o->s_tn, vmul(gt, o->s_nn)));
    const vec here =
        vfma(vfma(gt, dt, vmul(vadd(gx, gx), dn)), dt, vmul(vmul(gn, dn), dn));
    const vec det = vmul(m->P, gt);

    return vlt(vmul(vmul(vset(16.0), vmul(det, det)), d->length2),
               vmul(vmul(trace, trace), here));
}

/* How much T1 differs from smooth times towards both donors, and the steps to them. */
typedef struct roughness {
    vec step_mid, step_side, mid, side;
} roughness;

ZM_INLINE roughness roughness_of(const fronts *T, const distances *d)
{
    const vec step_mid = vsub(T->here, T->mid), step_side = vsub(T->here, T->side);

    return (roughness){ step_mid, step_side,
                        vabs(vsub(vadd(step_mid, vsub(T->mid2, T->mid)), d->bend_mid)),
                        vabs(vsub(vadd(step_side, vsub(T->side2, T->side)),
                                  d->bend_side)) };
}

/* Whether T1 is smooth enough for second differences, and there are donors for them. */
ZM_INLINE vmsk second_of(const fronts *T, const roughness *r, vmsk bare)
{
    const vec most = vset(SMOOTH_SECOND);
    const vmsk mid =
        vmsk_and(vlt(T->mid2, T->mid), vle(r->mid, vmul(most, r->step_mid)));
    const vmsk side =
        vmsk_and(vlt(T->side2, T->side), vle(r->side, vmul(most, r->step_side)));

    return vmsk_and(vmsk_and(vmsk_or(mid, vmsk_not(T->mid_earlier)),
                             vmsk_or(side, vmsk_not(T->side_earlier))),
                    vmsk_not(bare));
}

/* The same for third ones. */
ZM_INLINE vmsk third_differences(const cells *c, const fronts *T, const distances *d,
                                 const roughness *r, const answer *a, bool walls)
{
    const double *const t2 = c->t1 + 2 * c->t1_line, *const t3 = t2 + c->t1_line;
    const vec most = vset(SMOOTH_THIRD);
    const vec mid3 = front(c, t3);
    vec side3 = vsel(a->up, front(c, t3 + 3), front(c, t3 - 3));

    if (walls)
        side3 = vsel(vmsk_and(vsel_msk(a->up, closed(t2 + 3), closed(t2 - 3)),
                              vsel_msk(a->up, closed(t3 + 2), closed(t3 - 2))),
                     vset((double)INFINITY), side3);
    const vmsk mid =
        third_of(T->mid, T->mid2, mid3, r->mid, d->bend_mid, vmul(most, r->step_mid));
    const vmsk side = third_of(T->side, T->side2, side3, r->side, d->bend_side,
                               vmul(most, r->step_side));

    return vmsk_and(a->second, vmsk_and(vmsk_or(mid, vmsk_not(T->mid_earlier)),
                                        vmsk_or(side, vmsk_not(T->side_earlier))));
}

/* Whether tau has no waves across the line of the donors.  All six donors are waited for: where one is
 * not known (NaN) the answer does not matter. */
ZM_INLINE vmsk calm_of(const cells *c, const fronts *T, const roughness *r, vmsk up)
{
    const double *const y = c->x + c->x_line, *const z = y + c->x_line,
                        *const u = z + c->x_line;
    const vec x1 = vsub(vsel(up, vld(y + 1), vld(y - 1)), vld(y));
    const vec x2 = vmul(vset(0.5), vsub(vsel(up, vld(z + 2), vld(z - 2)), vld(z)));
    const vec x3 = vmul(vset(1.0 / 3), vsub(vsel(up, vld(u + 3), vld(u - 3)), vld(u)));
    const vec near = vsub(x1, x2), far = vsub(x2, x3);
    const vec most = vmax(vmul(vset(CALM_STEP), r->step_mid),
                          vmul(vset(CALM_CHANGE), vadd(vabs(near), vabs(far))));
    const vmsk wave = vlt(most, vabs(vsub(near, far)));

    return vmsk_not(vmsk_and(wave, vmsk_and(T->mid_earlier, T->side_earlier)));
}

/* Where the minimum may lie a little beyond the triangle. */
ZM_INLINE vmsk smooth_of(const fronts *T, const distances *d, const roughness *r,
                         const origin *o, vmsk second)
{
    const vec small = vmul(vset(SMOOTH_THIRD), r->step_mid);
    const vec bend_t = vmul(vfnma(d->et, d->et, o->s_tt), d->inv_length);
    const vec kink =
        vabs(vsub(vadd(vsub(T->plus, T->mid), vsub(T->minus, T->mid)), bend_t));
    const vmsk both = vmsk_and(T->mid_earlier, T->side_earlier);

    return vmsk_and(vmsk_and(vmsk_and(both, second), vle(kink, small)),
                    vmsk_and(vle(r->mid, small), vle(r->side, small)));
}

/* tau of the near donors, and the slope of T_s towards them. */
typedef struct donors {
    vec mid, side, rise_mid, rise_side;
} donors;

/* Donors count in full where `which`: T_i, that is tau_i + kappa_i. */
ZM_INLINE void count_in_full(edge *e, const donors *at, const distances *d,
                             const origin *o, vmsk up, bool reverse, vmsk which)
{
    const vec length = vmul(d->length2, d->inv_length), one = vset(1.0);
    const vec n = reverse ? vadd(d->dn, one) : vsub(d->dn, one);
    const vec side = vsel(up, vadd(d->dt, one), vsub(d->dt, one));

    e->sm = vsel(which, vadd(at->mid, kappa(o, d->dt, n, length, d->slope_mid)), e->sm);
    e->ss =
        vsel(which, vadd(at->side, kappa(o, side, n, length, d->slope_side)), e->ss);
}

/* The triangle with what its donors count by the order; fills *at. */
ZM_INLINE edge edge_of(const cells *c, const tensor *m, const distances *d,
                       const fronts *T, const origin *o, const answer *a, bool reverse,
                       int32_t order, donors *at)
{
    const double *const y = c->x + c->x_line, *const z = y + c->x_line,
                        *const u = z + c->x_line;
    const vec rise_t = vsub(d->et, o->s_bt), rise_n = vsub(d->en, o->s_bn);
    const vec st = vadd(m->bt, rise_t), sn = vadd(m->bn, rise_n);
    const vec gs = vsel(a->up, m->g, vneg(m->g)), zero = vset(0.0);
    const vec m1 = vld(y), m2 = vld(z), m3 = order > 2 ? vld(u) : zero;
    const vec s1 = vsel(a->up, vld_after(y, m1), vld_before(y, m1));
    const vec s2 = vsel(a->up, vld(z + 2), vld(z - 2));
    const vec s3 = order > 2 ? vsel(a->up, vld(u + 3), vld(u - 3)) : zero;

    at->mid = m1;
    at->side = s1;
    at->rise_mid = reverse ? rise_n : vneg(rise_n);
    at->rise_side = vadd(at->rise_mid, vsel(a->up, rise_t, vneg(rise_t)));
    return (edge){ .gt = m->gt,
                   .gs = gs,
                   .gn = m->gn,
                   .cs = vmul(gs, m->inv),
                   .P = m->P,
                   .A = m->A,
                   .bs = vsel(a->up, st, vneg(st)),
                   .bn = reverse ? vneg(sn) : sn,
                   .q_mid = vsel(a->up, m->q0, vneg(m->q0)),
                   .sm = seen(m1, m2, m3, a->second, a->third),
                   .ss = seen(s1, s2, s3, a->second, a->third),
                   .no_mid = vmsk_not(T->mid_earlier),
                   .no_side = vmsk_not(T->side_earlier) };
}

/* Where the step is not near that of T1, differences of tau are of no use. */
ZM_INLINE vmsk off_of(const answer *a, const donors *at, const fronts *T,
                      const roughness *r)
{
    const vec zero = vset(0.0);
    const vec mid =
        vabs(vsub(vsub(vsub(a->value, at->mid), at->rise_mid), r->step_mid));
    const vec side =
        vabs(vsub(vsub(vsub(a->value, at->side), at->rise_side), r->step_side));
    const vec steps = vmax(vsel(T->mid_earlier, r->step_mid, zero),
                           vsel(T->side_earlier, r->step_side, zero));
    const vec most = vmul(vset(MOST_CHANGE), steps);

    return vmsk_or(vmsk_and(T->mid_earlier, vlt(most, mid)),
                   vmsk_and(T->side_earlier, vlt(most, side)));
}

/* Those cells again, with donors that count in full. */
ZM_INLINE void again_in_full(answer *a, edge *e, const donors *at, const distances *d,
                             const origin *o, bool reverse, vmsk off)
{
    const answer first = *a;
    vec value;

    a->bare = vmsk_or(a->bare, off);
    a->second = vmsk_and(a->second, vmsk_not(off));
    a->third = vmsk_and(a->third, vmsk_not(off));
    e->smooth = vmsk_and(e->smooth, vmsk_not(off));
    count_in_full(e, at, d, o, a->up, reverse, off);
    value = edge_minimum(e, a);
    a->value = vsel(off, value, first.value);
    a->weight = vsel(off, a->weight, first.weight);
    a->axis = vsel_msk(off, a->axis, first.axis);
    a->diagonal = vsel_msk(off, a->diagonal, first.diagonal);
}

/* tau of VL cells.  With q = tau_side - tau_mid + (b + grad T_s)_t the minimum over the triangle is
 * that of blocks/update.tmpl.h with tau for T and b + grad T_s for b. */
ZM_INLINE answer evaluate(const cells *c, const frame *f, const origin *o,
                          vec tie_share, bool reverse, int32_t order, bool walls)
{
    const tensor m = tensor_of(c, f, reverse);
    answer a;
    const fronts T = fronts_of(c, &m, tie_share, walls, &a);
    const distances d = distances_of(c, o, a.up, reverse);
    const roughness r = roughness_of(&T, &d);
    donors at;
    edge e;

    a.bare = bare_of(&m, o, &d);
    a.second = second_of(&T, &r, a.bare);
    a.third = order > 2 ? vmsk_and(third_differences(c, &T, &d, &r, &a, walls),
                                   calm_of(c, &T, &r, a.up))
                        : vmsk_of_bits(0);
    e = edge_of(c, &m, &d, &T, o, &a, reverse, order, &at);
    e.smooth = smooth_of(&T, &d, &r, o, a.second);
    if (ZM_RARELY(vany(a.bare)))
        count_in_full(&e, &at, &d, o, a.up, reverse, a.bare);
    a.value = edge_minimum(&e, &a);

    const vmsk off = off_of(&a, &at, &T, &r);

    if (ZM_RARELY(vany(off)))
        again_in_full(&a, &e, &at, &d, o, reverse, off);
    /* a cell without donors waits for ever */
    a.value = vsel(vmsk_or(T.mid_earlier, T.side_earlier), a.value, vset((double)NAN));
    return a;
}
