/* SPDX-License-Identifier: Apache-2.0
 * Range of a field of arrival times. */
#include "times.h"

#include <math.h>

enum { BLOCK = 16 };

static void add(time_range *r, size_t n, double low, double high)
{
    r->reached += n;
    r->min = low < r->min ? low : r->min;
    r->max = high > r->max ? high : r->max;
}

/* Most blocks are reached everywhere; their cells need a minimum and a maximum each and
 * nothing else. */
#define DEFINE_RANGE(name, real)                                                       \
    static void name##_block(const real *T, size_t n, time_range *r)                   \
    {                                                                                  \
        real low = T[0], high = T[0];                                                  \
                                                                                       \
        for (size_t i = 1; i < n; i++) {                                               \
            low = T[i] < low ? T[i] : low;                                             \
            high = T[i] > high ? T[i] : high;                                          \
        }                                                                              \
        if ((double)high < HUGE_VAL) {                                                 \
            add(r, n, (double)low, (double)high);                                      \
            return;                                                                    \
        }                                                                              \
        for (size_t i = 0; i < n; i++)                                                 \
            if ((double)T[i] < HUGE_VAL)                                               \
                add(r, 1, (double)T[i], (double)T[i]);                                 \
    }                                                                                  \
                                                                                       \
    static void name(const real *T, size_t n, time_range *r)                           \
    {                                                                                  \
        size_t i = 0;                                                                  \
                                                                                       \
        for (; i + BLOCK <= n; i += BLOCK)                                             \
            name##_block(T + i, BLOCK, r);                                             \
        if (i < n)                                                                     \
            name##_block(T + i, n - i, r);                                             \
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
