/* SPDX-License-Identifier: Apache-2.0
 * Random numbers that are the same everywhere: splitmix64 (Steele, Lea and Flood 2014). */
#ifndef ZM_FIRE_RANDOM_H
#define ZM_FIRE_RANDOM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

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

/** In [0, 1). */
static inline double zm_random_unit(uint64_t *state)
{
    return (double)(zm_random_bits(state) >> 11) * 0x1p-53;
}

static inline double zm_random_between(uint64_t *state, double a, double b)
{
    return a + (b - a) * zm_random_unit(state);
}

/** Mean 0, variance 1 (Box and Muller 1958). */
static inline double zm_random_normal(uint64_t *state)
{
    const double r = sqrt(-2 * log(1 - zm_random_unit(state)));

    return r * cos(2 * 3.14159265358979323846 * zm_random_unit(state));
}

/** 0 .. n-1; n far below 2^64. */
static inline size_t zm_random_below(uint64_t *state, size_t n)
{
    return (size_t)(zm_random_bits(state) % n);
}

#endif
