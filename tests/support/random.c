/* SPDX-License-Identifier: Apache-2.0
 * Deterministic random numbers; apart from check.c, whose main benchmarks do without. */
#include "check.h"

uint64_t random_bits(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double random_unit(uint64_t *state)
{
    return (double)(random_bits(state) >> 11) * 0x1p-53;
}

size_t random_below(uint64_t *state, size_t n)
{
    return (size_t)(random_unit(state) * (double)n);
}

double random_normal(uint64_t *state)
{
    const double u = 1.0 - random_unit(state),
                 angle = 6.283185307179586 * random_unit(state);

    return sqrt(-2.0 * log(u)) * cos(angle);
}
