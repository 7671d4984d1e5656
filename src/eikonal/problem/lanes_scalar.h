/* SPDX-License-Identifier: Apache-2.0
 * One cell at a time: what the templates of cells.h ask of a lane. */
#ifndef ZM_PROBLEM_LANES_SCALAR_H
#define ZM_PROBLEM_LANES_SCALAR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 1 };
typedef double lane;

static inline lane lane_all(double x)
{
    return x;
}

static inline lane lane_load(const double *p)
{
    return *p;
}

static inline void lane_store(double *p, lane x)
{
    *p = x;
}

static inline lane lane_sqrt(lane x)
{
    return sqrt(x);
}

static inline lane lane_abs(lane x)
{
    return fabs(x);
}

/* a * b + c, rounded once where the machine does so */
static inline lane lane_fma(lane a, lane b, lane c)
{
    return a * b + c;
}

/* a > b ? x : y */
static inline lane lane_if_greater(lane a, lane b, lane x, lane y)
{
    return a > b ? x : y;
}

/* 2^k of 0x1.8p52 + k, |k| < 1022: k is in the low bits */
static inline lane lane_two_to(lane shifted)
{
    uint64_t bits;

    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&shifted, &bits, sizeof bits);
    return shifted;
}

#endif
