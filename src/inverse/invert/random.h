/* SPDX-License-Identifier: Apache-2.0
 * Reproducible random numbers for probes and samples: splitmix64. */
#ifndef ZM_INVERT_RANDOM_H
#define ZM_INVERT_RANDOM_H

#include <math.h>
#include <stdint.h>

static inline uint64_t zm_random_bits(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/** 1 or -1. */
static inline double zm_random_sign(uint64_t *state)
{
    return zm_random_bits(state) >> 63 ? 1.0 : -1.0;
}

/** Uniform in (0, 1]. */
static inline double zm_random_unit(uint64_t *state)
{
    return (double)((zm_random_bits(state) >> 11) + 1) * 0x1p-53;
}

/** Standard normal (Box and Muller); ctx is the state. */
static inline double zm_random_normal(void *ctx)
{
    uint64_t *state = ctx;
    const double u = zm_random_unit(state),
                 angle = 6.283185307179586 * zm_random_unit(state);

    return sqrt(-2.0 * log(u)) * cos(angle);
}

#endif
