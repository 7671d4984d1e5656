/* SPDX-License-Identifier: Apache-2.0
 * Random numbers that are the same everywhere: splitmix64 (Steele, Lea and Flood 2014) from a
 * state of 64 bits, which is also the seed. */
#ifndef ZM_CORE_RANDOM_H
#define ZM_CORE_RANDOM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "core/pi.h"

/** A hash of 64 bits to 64 bits. */
static inline uint64_t zm_random_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

static inline uint64_t zm_random_bits(uint64_t *state)
{
    return zm_random_mix(*state += 0x9E3779B97F4A7C15U);
}

/** Uniform in [0, 1). */
static inline double zm_random_unit(uint64_t *state)
{
    return (double)(zm_random_bits(state) >> 11) * 0x1p-53;
}

static inline double zm_random_between(uint64_t *state, double a, double b)
{
    return a + (b - a) * zm_random_unit(state);
}

/** 1 or -1. */
static inline double zm_random_sign(uint64_t *state)
{
    return zm_random_bits(state) >> 63 ? 1.0 : -1.0;
}

/** 0 .. n-1; n far below 2^64. */
static inline size_t zm_random_below(uint64_t *state, size_t n)
{
    return (size_t)(zm_random_bits(state) % n);
}

/** Standard normal from u in (0, 1] and v, both uniform (Box and Muller 1958). */
static inline double zm_random_box_muller(double u, double v)
{
    return sqrt(-2.0 * log(u)) * cos(2 * ZM_PI * v);
}

/** Mean 0, variance 1. */
static inline double zm_random_normal(uint64_t *state)
{
    const double u = 1.0 - zm_random_unit(state);

    return zm_random_box_muller(u, zm_random_unit(state));
}

/** k <= n different numbers below n, in ascending order (Knuth 3.4.2, algorithm S). */
static inline void zm_random_choice(uint64_t *state, size_t n, size_t k, size_t *chosen)
{
    size_t taken = 0;

    for (size_t i = 0; i < n && taken < k; i++)
        if (zm_random_unit(state) * (double)(n - i) < (double)(k - taken))
            chosen[taken++] = i;
}

#endif
