/* SPDX-License-Identifier: Apache-2.0
 * Range of a field of arrival times. */
#include "times.h"

#include <math.h>

/* Most blocks are reached everywhere, and then a minimum and a maximum in independent
 * lanes, which compile to vector instructions, are all there is to do. */
enum { BLOCK = 64, LANES = 8 };

#define DEFINE_RANGE(name, real)                                                       \
    static void name##_one_by_one(const real *T, size_t n, time_range *r)              \
    {                                                                                  \
        for (size_t i = 0; i < n; i++) {                                               \
            if ((double)T[i] < HUGE_VAL) {                                             \
                r->reached++;                                                          \
                r->min = fmin(r->min, (double)T[i]);                                   \
                r->max = fmax(r->max, (double)T[i]);                                   \
            }                                                                          \
        }                                                                              \
    }                                                                                  \
                                                                                       \
    static void name##_block(const real *T, real *low, real *high)                     \
    {                                                                                  \
        for (size_t lane = 0; lane < LANES; lane++)                                    \
            low[lane] = high[lane] = T[lane];                                          \
        for (size_t i = LANES; i < BLOCK; i += LANES) {                                \
            for (size_t lane = 0; lane < LANES; lane++) {                              \
                const real t = T[i + lane];                                            \
                                                                                       \
                low[lane] = t < low[lane] ? t : low[lane];                             \
                high[lane] = t > high[lane] ? t : high[lane];                          \
            }                                                                          \
        }                                                                              \
    }                                                                                  \
                                                                                       \
    static void name(const real *T, size_t n, time_range *r)                           \
    {                                                                                  \
        size_t i = 0;                                                                  \
                                                                                       \
        for (; i + BLOCK <= n; i += BLOCK) {                                           \
            real low[LANES], high[LANES];                                              \
            double latest = -HUGE_VAL;                                                 \
                                                                                       \
            name##_block(T + i, low, high);                                            \
            for (size_t lane = 0; lane < LANES; lane++)                                \
                latest = fmax(latest, (double)high[lane]);                             \
            if (latest < HUGE_VAL) {                                                   \
                name##_one_by_one(low, LANES, r);                                      \
                r->reached += BLOCK - LANES;                                           \
                r->max = fmax(r->max, latest);                                         \
            } else {                                                                   \
                name##_one_by_one(T + i, BLOCK, r);                                    \
            }                                                                          \
        }                                                                              \
        name##_one_by_one(T + i, n - i, r);                                            \
    }

DEFINE_RANGE(range_f64, double)
DEFINE_RANGE(range_f32, float)

time_range time_range_of(zm_dtype dtype, const void *T, size_t n)
{
    time_range r = { 0, HUGE_VAL, -HUGE_VAL };

    if (dtype == ZM_F32)
        range_f32(T, n, &r);
    else
        range_f64(T, n, &r);
    return r;
}
