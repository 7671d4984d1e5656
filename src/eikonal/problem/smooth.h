/* SPDX-License-Identifier: Apache-2.0
 * exp and its kin without branches or calls; include a lanes_<isa>.h first. */
#ifndef ZM_PROBLEM_SMOOTH_H
#define ZM_PROBLEM_SMOOTH_H

#include "eikonal/problem/cells.h"

/** exp(x) = two_to_k (1 + series) for |x| <= 700. */
typedef struct zm_smooth_power {
    lane two_to_k, series;
} zm_smooth_power;

/** x = k ln 2 + r with |r| <= ln(2)/2; the series is that of exp(r) - 1, cut where the next term is
 *  below a rounding: 0.347^14/14! = 4e-18. */
static inline zm_smooth_power zm_smooth_power_of(lane x)
{
    static const double shift = 0x1.8p52; /* adding it rounds to a whole number */
    const lane shifted = x * 0x1.71547652b82fep0 + shift, k = shifted - shift;
    const lane r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
    const lane r2 = r * r, r4 = r2 * r2;
    /* pairs of terms, so that none waits long for another */
    const lane t01 = lane_fma(r, lane_all(1.0 / 6.0), lane_all(0.5));
    const lane t23 = lane_fma(r, lane_all(1.0 / 120.0), lane_all(1.0 / 24.0));
    const lane t45 = lane_fma(r, lane_all(1.0 / 5040.0), lane_all(1.0 / 720.0));
    const lane t67 = lane_fma(r, lane_all(1.0 / 362880.0), lane_all(1.0 / 40320.0));
    const lane t89 = lane_fma(r, lane_all(1.0 / 39916800.0), lane_all(1.0 / 3628800.0));
    const lane tab =
        lane_fma(r, lane_all(1.0 / 6227020800.0), lane_all(1.0 / 479001600.0));
    const lane low = lane_fma(t23, r2, t01), middle = lane_fma(t67, r2, t45);
    const lane high = lane_fma(tab, r2, t89);
    const lane rest = lane_fma(lane_fma(high, r4, middle), r4, low);
    const lane series = lane_fma(rest, r2, r);

    return (zm_smooth_power){ lane_two_to(shifted), series };
}

static inline lane zm_smooth_exp(lane x)
{
    const zm_smooth_power p = zm_smooth_power_of(x);

    return lane_fma(p.two_to_k, p.series, p.two_to_k);
}

/** exp(x) - 1, also where x is next to nothing. */
static inline lane zm_smooth_expm1(lane x)
{
    const zm_smooth_power p = zm_smooth_power_of(x);

    return lane_fma(p.two_to_k, p.series, p.two_to_k - 1.0);
}

/** x brought into [-most, most]; NaN stays. */
static inline lane zm_smooth_limit(lane x, double most)
{
    const lane upper = lane_if_greater(x, lane_all(most), lane_all(most), x);

    return lane_if_greater(lane_all(-most), upper, lane_all(-most), upper);
}

/** a / b, or `otherwise` where b is not positive. */
static inline lane zm_smooth_ratio(double a, lane b, double otherwise)
{
    const lane zero = lane_all(0), safe = lane_if_greater(b, zero, b, lane_all(1));

    return lane_if_greater(b, zero, a / safe, lane_all(otherwise));
}

/** The same lanes of all planes of a block. */
typedef struct zm_lanes {
    lane p[ZM_CELLS_PLANES];
} zm_lanes;

static inline zm_lanes zm_lanes_load(const zm_cells_values *x, size_t i)
{
    return (zm_lanes){ { lane_load(&x->v[0][i]), lane_load(&x->v[1][i]),
                         lane_load(&x->v[2][i]), lane_load(&x->v[3][i]),
                         lane_load(&x->v[4][i]) } };
}

static inline void zm_lanes_store(zm_cells_values *x, size_t i, lane p1, lane p2,
                                  lane p3, lane q1, lane q2)
{
    lane_store(&x->v[0][i], p1);
    lane_store(&x->v[1][i], p2);
    lane_store(&x->v[2][i], p3);
    lane_store(&x->v[3][i], q1);
    lane_store(&x->v[4][i], q2);
}

#endif
