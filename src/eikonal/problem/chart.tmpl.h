/* SPDX-License-Identifier: Apache-2.0
 * The parametrisations of zermelo/parametrise.h on blocks of cells: define NAME(x), and include
 * a lanes_<isa>.h first.
 *
 * Nothing branches within a cell, so the loops over a block become loops over vectors.  Derivatives
 * with respect to a symmetric matrix are those with respect to its three parameters m11, m12, m22. */
#include "eikonal/problem/cells.h"
#include "eikonal/problem/smooth.h"

/* Larger free values change nothing that a lane could tell from the bounds, or from infinity. */
static const double most_log = 150, most_off_diagonal = 1e60, most_length = 350;

typedef struct sym {
    lane m11, m12, m22;
} sym;

typedef struct vec {
    lane x, y;
} vec;

/* The symmetric part of a b' as a derivative: the one of m12 has both entries. */
static inline sym outer(vec a, vec b)
{
    return (sym){ a.x * b.x, a.x * b.y + a.y * b.x, a.y * b.y };
}

static inline sym plus(sym a, sym b)
{
    return (sym){ a.m11 + b.m11, a.m12 + b.m12, a.m22 + b.m22 };
}

static inline vec times(sym A, vec v)
{
    return (vec){ A.m11 * v.x + A.m12 * v.y, A.m12 * v.x + A.m22 * v.y };
}

/* ---- the drift: u = rho tanh(r) n,  q = r n ---------------------------------------- */

typedef struct ball {
    vec u, n;
    lane mu;            /* 1 - |u|^2 */
    lane across, along; /* du = across (dq - n n.dq) + along n n.dq */
} ball;

static inline ball ball_of(const zm_chart_map *map, lane q1, lane q2)
{
    const lane zero = lane_all(0);
    const lane x = zm_smooth_limit(q1, 1e100), y = zm_smooth_limit(q2, 1e100);
    const lane r2 = x * x + y * y, r = lane_sqrt(r2);
    const lane e = zm_smooth_expm1(-2 * zm_smooth_limit(r, most_length)), sum = 2 + e;
    const lane both = zm_smooth_ratio(1.0, r * sum, 0.0);
    const lane unit = both * sum; /* 1/r; 0 where q is, so that there du = across dq */
    const lane part = lane_if_greater(r, zero, both * r, zero + 0.5); /* 1/(2 + e) */
    const lane tanh_r = -e * part, sech2 = 4 * (1 + e) * part * part;
    const lane across = map->rho * lane_if_greater(r, zero, tanh_r * unit, zero + 1);
    const vec n = { x * unit, y * unit };

    return (ball){ .u = { across * x, across * y },
                   .n = n,
                   .mu = (1 - map->rho) * (1 + map->rho) + map->rho * map->rho * sech2,
                   .across = across,
                   .along = map->rho * sech2 };
}

static inline vec ball_pull(const ball *b, vec cu)
{
    const lane along = cu.x * b->n.x + cu.y * b->n.y;
    const lane change = (b->along - b->across) * along;

    return (vec){ b->across * cu.x + change * b->n.x,
                  b->across * cu.y + change * b->n.y };
}

/* ---- log-Cholesky ------------------------------------------------------------------ */

/* With w = 1/(eig_max - eig_min), Q = I + w P and det P = k^2 exp(2 p1 + 2 p3), by Cayley
 * and Hamilton
 *
 *     M = eig_min I + P Q^-1 = eig_min I + (P + w det P I)/det Q,
 *     det Q = 1 + w tr P + w^2 det P,   det M = eig_min^2 + eig_min tr X + det P/det Q,
 *
 * with X = P Q^-1: sums of positive numbers, so that nothing cancels. */
typedef struct cholesky {
    lane A, B, D; /* L */
    sym Q_inverse;
    sym M;
    lane c11, c21, c22; /* C */
    lane over;          /* 1/c11 */
} cholesky;

static inline cholesky cholesky_of(const zm_chart_map *map, lane p1, lane p2, lane p3)
{
    const double k = map->scale, w = map->inverse, low = map->low;
    const lane A = zm_smooth_exp(zm_smooth_limit(p1, most_log));
    const lane B = zm_smooth_limit(p2, most_off_diagonal);
    const lane D = zm_smooth_exp(zm_smooth_limit(p3, most_log));
    const sym P = { k * A * A, k * A * B, k * (B * B + D * D) };
    const lane det_P = (k * A * A) * (k * D * D);
    const lane part = 1 / (1 + w * (P.m11 + P.m22) + w * w * det_P); /* 1 / det Q */
    const lane x11 = (P.m11 + w * det_P) * part, x22 = (P.m22 + w * det_P) * part;
    const lane m11 = low + x11, m12 = P.m12 * part;
    const lane det_M = low * low + low * (x11 + x22) + det_P * part;
    const lane c11 = lane_sqrt(m11), over = 1 / c11;

    return (cholesky){ .A = A,
                       .B = B,
                       .D = D,
                       .Q_inverse = { (1 + w * P.m22) * part, -w * P.m12 * part,
                                      (1 + w * P.m11) * part },
                       .M = { m11, m12, low + x22 },
                       .c11 = c11,
                       .c21 = m12 * over,
                       .c22 = lane_sqrt(det_M) * over,
                       .over = over };
}

/* C u */
static inline vec cholesky_times(const cholesky *c, vec u)
{
    return (vec){ c->c11 * u.x, c->c21 * u.x + c->c22 * u.y };
}

/* C' v */
static inline vec cholesky_transposed(const cholesky *c, vec v)
{
    return (vec){ c->c11 * v.x + c->c21 * v.y, c->c22 * v.y };
}

/* Of v = C u to that of M: c11 = lane_sqrt(m11), c21 = m12/c11, c22 = lane_sqrt(m22 - c21^2). */
static inline sym cholesky_pull_factor(const cholesky *c, vec cv, vec u)
{
    const lane over = c->over, to_c22 = cv.y * u.y / c->c22;
    const lane to_c21 = (cv.y * u.x - c->c21 * to_c22) * over;
    const lane to_c11 = cv.x * u.x - c->c21 * to_c21;

    return (sym){ 0.5 * to_c11 * over, to_c21, 0.5 * to_c22 };
}

/* Of M to that of (p1, p2, p3): dM = Q^-1 dP Q^-1, dP = k (dL L' + L dL'). */
static inline sym cholesky_pull(const zm_chart_map *map, const cholesky *c, sym cM)
{
    const double k = map->scale;
    const lane half = 0.5 * cM.m12;
    const sym q = c->Q_inverse;
    const lane r11 = cM.m11 * q.m11 + half * q.m12, r12 = cM.m11 * q.m12 + half * q.m22;
    const lane r21 = half * q.m11 + cM.m22 * q.m12, r22 = half * q.m12 + cM.m22 * q.m22;
    const lane P11 = q.m11 * r11 + q.m12 * r21, P12 = q.m11 * r12 + q.m12 * r22;
    const lane P22 = q.m12 * r12 + q.m22 * r22;

    return (sym){ 2 * k * c->A * (c->A * P11 + c->B * P12),
                  2 * k * (c->A * P12 + c->B * P22), 2 * k * c->D * c->D * P22 };
}

/* ---- log-Euclidean ----------------------------------------------------------------- */

/* A function of the symmetric matrix S = m I + dev, |dev| = r, by its values at the
 * eigenvalues m + r and m - r (project.c has the formulas). */
typedef struct spectral {
    lane mean, ratio; /* f(S) = mean I + ratio dev */
    lane same, cross; /* (f'(m + r) +- f'(m - r)) / 2 */
} spectral;

typedef struct euclidean {
    lane d1, d2;   /* dev */
    lane u1, u2;   /* dev / r */
    spectral M, C; /* C: the square root of M */
} euclidean;

static inline sym spectral_value(const euclidean *e, spectral f)
{
    const lane d = f.ratio * e->d1;

    return (sym){ f.mean + d, f.ratio * e->d2, f.mean - d };
}

static inline sym spectral_pull(const euclidean *e, spectral f, sym c)
{
    const lane M = c.m11 + c.m22, D1 = c.m11 - c.m22, D2 = c.m12;
    const lane R = e->u1 * D1 + e->u2 * D2;
    const lane m = f.same * M + f.cross * R;
    const lane r = f.cross * M + (f.same - f.ratio) * R;
    const lane d1 = f.ratio * D1 + e->u1 * r, d2 = f.ratio * D2 + e->u2 * r;

    return (sym){ 0.5 * (m + d1), d2, 0.5 * (m - d1) };
}

/* M has the eigenvalues g = eig_min + E/(1 + w E), E = k exp(l) and l those of S; then
 * g' = dg/dl = E/(1 + w E)^2, and the ratio of differences is
 *
 *     (g+ - g-)/(l+ - l-) = (E+ - E-)/(2 r) / ((1 + w E+) (1 + w E-)).
 *
 * Of the root s = lane_sqrt(g): s' = g'/(2 s), and its ratio is that of g over s+ + s-. */
static inline euclidean euclidean_of(const zm_chart_map *map, lane p1, lane p2, lane p3)
{
    const double w = map->inverse, low = map->low;
    const lane zero = lane_all(0), m = zm_smooth_limit(0.5 * p1 + 0.5 * p3, most_log);
    const lane d1 = zm_smooth_limit(0.5 * p1 - 0.5 * p3, 1e100);
    const lane d2 = zm_smooth_limit(p2, 1e100);
    const lane r = lane_sqrt(d1 * d1 + d2 * d2), near = zm_smooth_limit(r, most_log);
    const lane unit = zm_smooth_ratio(1.0, r, 0.0);
    const lane smaller = map->scale * zm_smooth_exp(m - near);
    const lane growth = zm_smooth_expm1(2 * near), larger = smaller * (1 + growth);
    const lane to_plus = 1 / (1 + w * larger), to_minus = 1 / (1 + w * smaller);
    const lane plus = low + larger * to_plus, minus = low + smaller * to_minus;
    const lane slope_plus = larger * to_plus * to_plus;
    const lane slope_minus = smaller * to_minus * to_minus;
    const lane ratio = smaller *
                       lane_if_greater(r, zero, 0.5 * growth * unit, zero + 1) *
                       to_plus * to_minus;
    const lane root_plus = lane_sqrt(plus), root_minus = lane_sqrt(minus);
    const lane half_plus = 0.5 * slope_plus / root_plus;
    const lane half_minus = 0.5 * slope_minus / root_minus;

    return (euclidean){
        .d1 = d1,
        .d2 = d2,
        .u1 = lane_if_greater(r, zero, d1 * unit, zero + 1),
        .u2 = d2 * unit,
        .M = { 0.5 * (plus + minus), ratio, 0.5 * (slope_plus + slope_minus),
               0.5 * (slope_plus - slope_minus) },
        .C = { 0.5 * (root_plus + root_minus), ratio / (root_plus + root_minus),
               0.5 * (half_plus + half_minus), 0.5 * (half_plus - half_minus) }
    };
}

/* ---- what a front that is carried by a wind makes of it ---------------------------- */

/* b = v/mu and G = M/mu + b b', or b = v and G = M. */
static inline void result(bool carried, sym M, vec v, lane mu,
                          zm_cells_values *restrict y, size_t i)
{
    const lane over = carried ? 1 / mu : mu * 0 + 1;
    const double square = carried ? 1 : 0;
    const vec b = { v.x * over, v.y * over };

    zm_lanes_store(y, i, M.m11 * over + square * b.x * b.x,
                   M.m12 * over + square * b.x * b.y, M.m22 * over + square * b.y * b.y,
                   b.x, b.y);
}

typedef struct result_change {
    sym M;
    vec v;
    lane mu;
} result_change;

/* With a = dL/db + 2 dL/dG b:  dL/dM = dL/dG/mu, dL/dv = a/mu,
 * dL/dmu = -(<dL/dG, M>/mu + a.b)/mu. */
static inline result_change result_pull(bool carried, sym M, vec v, lane mu,
                                        const zm_cells_values *restrict cy, size_t i)
{
    const lane over = carried ? 1 / mu : mu * 0 + 1;
    const double square = carried ? 1 : 0;
    const vec b = { v.x * over, v.y * over };
    const zm_lanes c = zm_lanes_load(cy, i);
    const sym G = { c.p[0], c.p[1], c.p[2] };
    const vec a = { c.p[3] + square * (2 * G.m11 * b.x + G.m12 * b.y),
                    c.p[4] + square * (G.m12 * b.x + 2 * G.m22 * b.y) };
    const lane inner = G.m11 * M.m11 + G.m12 * M.m12 + G.m22 * M.m22;

    return (result_change){ { G.m11 * over, G.m12 * over, G.m22 * over },
                            { a.x * over, a.y * over },
                            -square * (inner * over + a.x * b.x + a.y * b.y) * over };
}

/* ---- blocks ------------------------------------------------------------------------ */

static inline void NAME(cholesky_values)(const zm_chart_map *map, bool carried,
                                         const zm_cells_values *restrict x,
                                         zm_cells_values *restrict y)
{
    for (size_t i = 0; i < ZM_CELLS_BLOCK; i += LANES) {
        const zm_lanes f = zm_lanes_load(x, i);
        const cholesky c = cholesky_of(map, f.p[0], f.p[1], f.p[2]);
        const ball b = ball_of(map, f.p[3], f.p[4]);

        result(carried, c.M, cholesky_times(&c, b.u), b.mu, y, i);
    }
}

static inline void NAME(cholesky_pulls)(const zm_chart_map *map, bool carried,
                                        const zm_cells_values *restrict x,
                                        const zm_cells_values *restrict cy,
                                        zm_cells_values *restrict cx)
{
    for (size_t i = 0; i < ZM_CELLS_BLOCK; i += LANES) {
        const zm_lanes f = zm_lanes_load(x, i);
        const cholesky c = cholesky_of(map, f.p[0], f.p[1], f.p[2]);
        const ball b = ball_of(map, f.p[3], f.p[4]);
        const result_change r =
            result_pull(carried, c.M, cholesky_times(&c, b.u), b.mu, cy, i);
        const vec to_u = cholesky_transposed(&c, r.v);
        const vec cu = { to_u.x - 2 * r.mu * b.u.x, to_u.y - 2 * r.mu * b.u.y };
        const sym cM = plus(r.M, cholesky_pull_factor(&c, r.v, b.u));
        const sym p = cholesky_pull(map, &c, cM);
        const vec q = ball_pull(&b, cu);

        zm_lanes_store(cx, i, p.m11, p.m12, p.m22, q.x, q.y);
    }
}

static inline void NAME(euclidean_values)(const zm_chart_map *map, bool carried,
                                          const zm_cells_values *restrict x,
                                          zm_cells_values *restrict y)
{
    for (size_t i = 0; i < ZM_CELLS_BLOCK; i += LANES) {
        const zm_lanes f = zm_lanes_load(x, i);
        const euclidean e = euclidean_of(map, f.p[0], f.p[1], f.p[2]);
        const ball b = ball_of(map, f.p[3], f.p[4]);

        result(carried, spectral_value(&e, e.M), times(spectral_value(&e, e.C), b.u),
               b.mu, y, i);
    }
}

static inline void NAME(euclidean_pulls)(const zm_chart_map *map, bool carried,
                                         const zm_cells_values *restrict x,
                                         const zm_cells_values *restrict cy,
                                         zm_cells_values *restrict cx)
{
    for (size_t i = 0; i < ZM_CELLS_BLOCK; i += LANES) {
        const zm_lanes f = zm_lanes_load(x, i);
        const euclidean e = euclidean_of(map, f.p[0], f.p[1], f.p[2]);
        const ball b = ball_of(map, f.p[3], f.p[4]);
        const sym C = spectral_value(&e, e.C);
        const result_change r =
            result_pull(carried, spectral_value(&e, e.M), times(C, b.u), b.mu, cy, i);
        const vec to_u = times(C, r.v);
        const vec cu = { to_u.x - 2 * r.mu * b.u.x, to_u.y - 2 * r.mu * b.u.y };
        const sym p =
            plus(spectral_pull(&e, e.M, r.M), spectral_pull(&e, e.C, outer(r.v, b.u)));
        const vec q = ball_pull(&b, cu);

        zm_lanes_store(cx, i, p.m11, p.m12, p.m22, q.x, q.y);
    }
}

/* Each kind of loop with `carried` known to the compiler. */
#define VALUE(chart)                                                                   \
    static void NAME(chart##_value)(const zm_chart_map *map,                           \
                                    const zm_cells_values *restrict x,                 \
                                    zm_cells_values *restrict y)                       \
    {                                                                                  \
        if (map->carried)                                                              \
            NAME(chart##_values)(map, true, x, y);                                     \
        else                                                                           \
            NAME(chart##_values)(map, false, x, y);                                    \
    }
#define PULL(chart)                                                                    \
    static void NAME(chart##_pull)(                                                    \
        const zm_chart_map *map, const zm_cells_values *restrict x,                    \
        const zm_cells_values *restrict cy, zm_cells_values *restrict cx)              \
    {                                                                                  \
        if (map->carried)                                                              \
            NAME(chart##_pulls)(map, true, x, cy, cx);                                 \
        else                                                                           \
            NAME(chart##_pulls)(map, false, x, cy, cx);                                \
    }
VALUE(cholesky)
PULL(cholesky)
VALUE(euclidean)
PULL(euclidean)
#undef VALUE
#undef PULL
