/* SPDX-License-Identifier: Apache-2.0
 * The local update of one cell in scalar double: what every solver has to agree with.
 *
 * Neighbours are numbered counter-clockwise from the upper left as in the paper:
 *
 *     0 NW   7 N    6 NE
 *     1 W    cell   5 E          triangle k has the donors k and (k+1) mod 8
 *     2 SW   3 S    4 SE
 *
 * The spacing is folded into metric and drift (zm_local_fold), so offsets m from the
 * cell to a donor are -1, 0 or 1.  With S_i = T_i + m_i.b the update of a triangle is
 *
 *     T0 = min over w in [0, 1] of  w S1 + (1-w) S2 + |w m1 + (1-w) m2|_G .
 *
 * Let E_ij = m_i' G m_j, a = E11 - 2 E12 + E22, c = E12 - E22, det = E11 E22 - E12^2
 * and delta = S1 - S2.  The minimum is
 *
 *     delta >= k0 = -c / sqrt(E22):        T0 = S2 + sqrt(E22),  w = 0   (one donor)
 *     delta <= k1 = -(a + c) / sqrt(E11):  T0 = S1 + sqrt(E11),  w = 1   (one donor)
 *     between:  r = sqrt(det/a - det/a^2 delta^2)
 *               T0 = S2 - c/a delta + r,   w = -c/a - delta (det/a^2) / r
 *
 * and k1 <= k0.  Between the bounds this is the larger root of paper eq:two_point; as a
 * minimum it grows with S1 and S2, and T0 is later than the earlier donor.  For the
 * eight triangles m1 - m2 is an axis vector, so a is g11 or g22, and det = g11 g22 -
 * g12^2. Triangles k and k+4 have the same E. */
#ifndef ZM_LOCAL_TRIANGLE_H
#define ZM_LOCAL_TRIANGLE_H

#include <math.h>

#include "eikonal/problem/problem.h"

/* Offsets m of the neighbours: x along columns, y along rows. */
static const int8_t zm_local_neighbour_x[8] = { -1, -1, -1, 0, 1, 1, 1, 0 };
static const int8_t zm_local_neighbour_y[8] = { -1, 0, 1, 1, 1, 0, -1, -1 };

/** Metric and drift for offsets counted in cells: G_ij h_i h_j and b_i h_i. */
static inline zm_cell_metric zm_local_fold(zm_cell_metric m, zm_grid grid)
{
    return (zm_cell_metric){ m.g11 * grid.dx * grid.dx, m.g12 * grid.dx * grid.dy,
                             m.g22 * grid.dy * grid.dy, m.b1 * grid.dx,
                             m.b2 * grid.dy };
}

/** Folds the metric m of a cell into *folded, with the spacing in the unit of the solve.  ZM_OK,
 *  or ZM_E_METRIC if it is not admissible or too far from that of the first source. */
static inline zm_status zm_local_read(zm_grid grid, zm_cell_metric m, size_t cell,
                                      zm_cell_metric *folded, zm_error *err)
{
    *folded = zm_local_fold(m, grid);
    return zm_cell_is_good(folded) ? ZM_OK
                                   : zm_cell_check_folded(grid, m, folded, cell, err);
}

/** What a triangle needs of the metric. */
typedef struct zm_triangle_shape {
    double slope;            /* c / a */
    double height2, height4; /* det / a, det / a^2 */
    double k0, k1;
    double length1, length2; /* sqrt(E11), sqrt(E22) */
} zm_triangle_shape;

/** What the eight triangles of one cell need of metric and drift. */
typedef struct zm_local_cell {
    zm_triangle_shape shape[4]; /* of triangles k and k+4 */
    double drift[8];            /* m_k . b */
} zm_local_cell;

static inline zm_local_cell zm_local_cell_make(zm_cell_metric m)
{
    const double det = m.g11 * m.g22 - m.g12 * m.g12;
    const double inv11 = 1 / m.g11, inv22 = 1 / m.g22;
    const double nw = sqrt(m.g11 + 2 * m.g12 + m.g22), w = sqrt(m.g11);
    const double sw = sqrt(m.g11 - 2 * m.g12 + m.g22), s = sqrt(m.g22);
    const double k_nw = (m.g22 + m.g12) / nw, k_w = m.g12 / w; /* along a column */
    const double k_sw = (m.g22 - m.g12) / sw;
    const double k_sw_row = (m.g11 - m.g12) / sw, k_s = m.g12 / s; /* along a row */
    const double k_se = (m.g11 + m.g12) / nw;
    const double column2 = det * inv22, column4 = column2 * inv22;
    const double row2 = det * inv11, row4 = row2 * inv11;
    const double column_slope = m.g12 * inv22, row_slope = m.g12 * inv11;

    return (zm_local_cell){
        .shape = { { column_slope, column2, column4, -k_w, -k_nw, nw, w },
                   { column_slope - 1, column2, column4, k_sw, -k_w, w, sw },
                   { -row_slope, row2, row4, k_s, -k_sw_row, sw, s },
                   { -row_slope - 1, row2, row4, k_se, k_s, s, nw } },
        .drift = { -m.b1 - m.b2, -m.b1, m.b2 - m.b1, m.b2, m.b1 + m.b2, m.b1,
                   m.b1 - m.b2, -m.b2 },
    };
}

typedef struct zm_local_update {
    double T0; /* INFINITY if both donors are */
    double w;  /* weight of donor 1; exactly 0 or 1 for a one-point update */
} zm_local_update;

/** The update of one triangle; S is INFINITY for a donor that is not there. */
static inline zm_local_update zm_triangle(const zm_triangle_shape *t, double S1,
                                          double S2)
{
    const double delta = S1 - S2;
    double r2, r, w;

    if (!(delta < t->k0)) /* also when both are INFINITY and delta is NaN */
        return (zm_local_update){ S2 + t->length2, 0 };
    if (delta <= t->k1)
        return (zm_local_update){ S1 + t->length1, 1 };
    r2 = t->height2 - t->height4 * (delta * delta);
    r = sqrt(r2 > 0 ? r2
                    : 0); /* never below 0 but for rounding in needle-like metrics */
    w = -t->slope - delta * (t->height4 / r);
    return (zm_local_update){ S2 - t->slope * delta + r, w > 0 ? (w < 1 ? w : 1) : 0 };
}

/** The best of the eight triangles: k is the triangle, -1 if none is below the bound.
 */
typedef struct zm_local_winner {
    zm_local_update update;
    int k;
} zm_local_winner;

/** Minimum over the triangles that can be earlier than `bound`; T[k] is the time of
 *  neighbour k.  A triangle neither of whose donors is earlier than the best so far is
 *  not tried.  Of equal triangles the first wins. */
static inline zm_local_winner zm_local_best(const zm_local_cell *s, const double T[8],
                                            double bound)
{
    zm_local_winner best = { { bound, 0 }, -1 };

    for (int k = 0; k < 8; k++) {
        const int next = (k + 1) & 7;

        if (T[k] < best.update.T0 || T[next] < best.update.T0) {
            const zm_local_update u = zm_triangle(&s->shape[k & 3], T[k] + s->drift[k],
                                                  T[next] + s->drift[next]);

            if (u.T0 < best.update.T0)
                best = (zm_local_winner){ u, k };
        }
    }
    return best;
}

#endif
