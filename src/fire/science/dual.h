/* SPDX-License-Identifier: Apache-2.0
 * Values that carry along their derivatives with respect to the inputs of a cell (forward
 * mode).
 *
 * Each step of the model computes its value in plain C and names its partial derivatives;
 * the functions here apply the chain rule.  `n` is the number of inputs in play: 0 where
 * only values are wanted, which then costs next to nothing.  `out` may be one of the
 * operands. */
#ifndef ZM_PHYSICS_DUAL_H
#define ZM_PHYSICS_DUAL_H

/** Code on these numbers, which is compiled for n = 0 and for any n. */
#define ZM_DUAL_CODE static inline __attribute__((always_inline))

/** What the metric of a cell in an hour depends on. */
enum {
    ZM_IN_M1, /* moisture of dead fuel by size, as a fraction of dry mass */
    ZM_IN_M10,
    ZM_IN_M100,
    ZM_IN_HERB, /* moisture of live fuel */
    ZM_IN_WOODY,
    ZM_IN_WIND,       /* 20 ft above the vegetation, mph */
    ZM_IN_WIND_DIR,   /* where it comes from, radians clockwise from north */
    ZM_IN_LOG_RATE,   /* logarithm of a factor on the rate of spread */
    ZM_IN_ROTATION,   /* turn of the heading, radians clockwise */
    ZM_IN_ELONGATION, /* logarithm of a factor on length/breadth - 1 */
    ZM_CELL_INPUTS
};

typedef struct zm_dual {
    double v;
    double d[ZM_CELL_INPUTS];
} zm_dual;

static inline void zm_dual_constant(int n, zm_dual *out, double v)
{
    out->v = v;
    for (int i = 0; i < n; i++)
        out->d[i] = 0;
}

static inline void zm_dual_input(int n, zm_dual *out, double v, int input)
{
    zm_dual_constant(n, out, v);
    if (input < n)
        out->d[input] = 1;
}

/** A value v with partial derivative pa by a, and so on. */
static inline void zm_dual_1(int n, zm_dual *out, double v, double pa, const zm_dual *a)
{
    out->v = v;
    for (int i = 0; i < n; i++)
        out->d[i] = pa * a->d[i];
}

static inline void zm_dual_2(int n, zm_dual *out, double v, double pa, const zm_dual *a,
                             double pb, const zm_dual *b)
{
    out->v = v;
    for (int i = 0; i < n; i++)
        out->d[i] = pa * a->d[i] + pb * b->d[i];
}

static inline void zm_dual_3(int n, zm_dual *out, double v, double pa, const zm_dual *a,
                             double pb, const zm_dual *b, double pc, const zm_dual *c)
{
    out->v = v;
    for (int i = 0; i < n; i++)
        out->d[i] = pa * a->d[i] + pb * b->d[i] + pc * c->d[i];
}

static inline void zm_dual_mul(int n, zm_dual *out, const zm_dual *a, const zm_dual *b)
{
    zm_dual_2(n, out, a->v * b->v, b->v, a, a->v, b);
}

#endif
