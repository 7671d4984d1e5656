/* SPDX-License-Identifier: Apache-2.0
 * The projection of project.c, whose formulas these are, on blocks of cells: define NAME(x), and
 * include a lanes_<isa>.h first.  Squares are formed as they are, so blocks with values too large or
 * too small for that are left to project.c. */
#include "eikonal/problem/cells.h"
#include "eikonal/problem/smooth.h"

static const double largest = 1e70, smallest = 1e-70;

typedef struct clamped {
    lane L_plus, L_minus, ratio, u1, u2, v1, v2;
    lane plus_free, minus_free; /* 1 where an eigenvalue is within its bounds, else 0 */
} clamped;

/* x within [low, high] */
static inline lane clamp(lane x, double low, double high)
{
    const lane above = lane_if_greater(lane_all(low), x, lane_all(low), x);

    return lane_if_greater(above, lane_all(high), lane_all(high), above);
}

static inline lane is_within(lane x, double low, double high)
{
    const lane zero = lane_all(0);

    return lane_if_greater(lane_all(low), x, zero,
                           lane_if_greater(x, lane_all(high), zero, zero + 1));
}

static inline clamped clamped_of(const zm_project_opts *o, lane g11, lane g12, lane g22)
{
    const double low = o->eig_min, high = o->eig_max;
    const lane zero = lane_all(0), m = 0.5 * g11 + 0.5 * g22,
               d1 = 0.5 * g11 - 0.5 * g22;
    const lane r = lane_sqrt(d1 * d1 + g12 * g12), plus = m + r, minus = m - r;
    const lane unit = zm_smooth_ratio(1.0, r, 0.0);
    const lane u1 = lane_if_greater(r, zero, d1 * unit, zero + 1), u2 = g12 * unit;
    const lane half = 1 / lane_sqrt(2 * (1 + lane_abs(u1))); /* half the angle of u */
    const lane L_plus = clamp(plus, low, high), L_minus = clamp(minus, low, high);
    const lane plus_free = is_within(plus, low, high);
    const lane minus_free = is_within(minus, low, high);

    return (clamped){ .L_plus = L_plus,
                      .L_minus = L_minus,
                      .ratio = lane_if_greater(plus_free * minus_free, zero, zero + 1,
                                               0.5 * (L_plus - L_minus) * unit),
                      .u1 = u1,
                      .u2 = u2,
                      .v1 = half * lane_if_greater(zero, u1, u2, 1 + u1),
                      .v2 = half * lane_if_greater(zero, u1, 1 - u1, u2),
                      .plus_free = plus_free,
                      .minus_free = minus_free };
}

typedef struct clamped_norm {
    lane norm;   /* |b|_{G^-1} with the projected G */
    lane y1, y2; /* its derivative with respect to b */
} clamped_norm;

static inline clamped_norm clamped_norm_of(const clamped *s, lane b1, lane b2)
{
    const lane along = s->v1 * b1 + s->v2 * b2, across = s->v1 * b2 - s->v2 * b1;
    const lane p = along / s->L_plus, q = across / s->L_minus;
    const lane norm = lane_sqrt(along * p + across * q);
    const lane over = zm_smooth_ratio(1.0, norm, 0.0);

    return (clamped_norm){ norm, (s->v1 * p - s->v2 * q) * over,
                           (s->v2 * p + s->v1 * q) * over };
}

/* Whether no value of the block is too large, and none that counts too small. */
static inline bool NAME(is_moderate)(const zm_project_opts *o,
                                     const zm_cells_values *restrict x)
{
    lane wild = lane_all(0);
    double count[LANES], sum = 0;

    if (!(o->eig_min > smallest && o->eig_min < largest))
        return false;
    for (size_t i = 0; i < ZM_CELLS_BLOCK; i += LANES) {
        const zm_lanes g = zm_lanes_load(x, i);
        const lane zero = lane_all(0), low = lane_all(smallest),
                   high = lane_all(largest);
        const lane d = lane_abs(g.p[0] - g.p[2]) + lane_abs(g.p[1]);
        const lane b = lane_abs(g.p[3]) + lane_abs(g.p[4]);
        const lane all = lane_abs(g.p[0]) + lane_abs(g.p[2]) + d + b;

        wild += lane_if_greater(high, all, zero, zero + 1);
        wild += lane_if_greater(low, d, lane_if_greater(d, zero, zero + 1, zero), zero);
        wild += lane_if_greater(low, b, lane_if_greater(b, zero, zero + 1, zero), zero);
    }
    lane_store(count, wild);
    for (int k = 0; k < LANES; k++)
        sum += count[k];
    return sum == 0;
}

static bool NAME(clamp_value)(const zm_project_opts *o,
                              const zm_cells_values *restrict x,
                              zm_cells_values *restrict y)
{
    const lane zero = lane_all(0), rho = lane_all(o->rho);

    if (!NAME(is_moderate)(o, x))
        return false;
    for (size_t i = 0; i < ZM_CELLS_BLOCK; i += LANES) {
        const zm_lanes g = zm_lanes_load(x, i);
        const clamped s = clamped_of(o, g.p[0], g.p[1], g.p[2]);
        const clamped_norm n = clamped_norm_of(&s, g.p[3], g.p[4]);
        const lane as_is = s.plus_free * s.minus_free; /* to the bit */
        const lane v11 = s.v1 * s.v1, v22 = s.v2 * s.v2;
        const lane g11 = s.L_plus * v11 + s.L_minus * v22;
        const lane g12 = (s.L_plus - s.L_minus) * (s.v1 * s.v2);
        const lane g22 = s.L_plus * v22 + s.L_minus * v11;
        const lane scale = lane_if_greater(
            n.norm, rho, zm_smooth_ratio(o->rho, n.norm, 1.0), zero + 1);

        zm_lanes_store(y, i, lane_if_greater(as_is, zero, g.p[0], g11),
                       lane_if_greater(as_is, zero, g.p[1], g12),
                       lane_if_greater(as_is, zero, g.p[2], g22), scale * g.p[3],
                       scale * g.p[4]);
    }
    return true;
}

/* Of the projected metric to that of the metric. */
static inline void NAME(pull_metric)(const clamped *s, lane *c11, lane *c12, lane *c22)
{
    const lane zero = lane_all(0), as_is = s->plus_free * s->minus_free;
    const lane same = 0.5 * (s->plus_free + s->minus_free);
    const lane cross = 0.5 * (s->plus_free - s->minus_free);
    const lane M = *c11 + *c22, D1 = *c11 - *c22, D2 = *c12;
    const lane R = s->u1 * D1 + s->u2 * D2;
    const lane m = same * M + cross * R, r = cross * M + same * R;
    const lane d1 = s->ratio * (D1 - s->u1 * R) + s->u1 * r;
    const lane d2 = s->ratio * (D2 - s->u2 * R) + s->u2 * r;

    *c11 = lane_if_greater(as_is, zero, *c11, 0.5 * (m + d1));
    *c12 = lane_if_greater(as_is, zero, *c12, d2);
    *c22 = lane_if_greater(as_is, zero, *c22, 0.5 * (m - d1));
}

static bool NAME(clamp_pull)(const zm_project_opts *o,
                             const zm_cells_values *restrict x,
                             const zm_cells_values *restrict cy,
                             zm_cells_values *restrict cx)
{
    const lane zero = lane_all(0), rho = lane_all(o->rho);

    if (!NAME(is_moderate)(o, x))
        return false;
    for (size_t i = 0; i < ZM_CELLS_BLOCK; i += LANES) {
        const zm_lanes g = zm_lanes_load(x, i), c = zm_lanes_load(cy, i);
        const clamped s = clamped_of(o, g.p[0], g.p[1], g.p[2]);
        const clamped_norm n = clamped_norm_of(&s, g.p[3], g.p[4]);
        const lane over = zm_smooth_ratio(1.0, n.norm, 1.0);
        const lane scale = lane_if_greater(n.norm, rho, rho * over, zero + 1);
        const lane t = (c.p[3] * g.p[3] + c.p[4] * g.p[4]) * over;
        const lane shorter = lane_if_greater(n.norm, rho, t, zero),
                   turn = rho * shorter;
        lane c11 = c.p[0] + 0.5 * turn * n.y1 * n.y1;
        lane c12 = c.p[1] + turn * n.y1 * n.y2;
        lane c22 = c.p[2] + 0.5 * turn * n.y2 * n.y2;

        NAME(pull_metric)(&s, &c11, &c12, &c22);
        zm_lanes_store(cx, i, c11, c12, c22, scale * (c.p[3] - shorter * n.y1),
                       scale * (c.p[4] - shorter * n.y2));
    }
    return true;
}
