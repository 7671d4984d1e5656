/* SPDX-License-Identifier: Apache-2.0
 * Random numbers that are the same everywhere. */
#include "splitmix.h"

#include <math.h>

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

double random_between(uint64_t *state, double a, double b)
{
    return a + (b - a) * random_unit(state);
}

double random_normal(uint64_t *state)
{
    const double u = 1.0 - random_unit(state),
                 angle = 6.283185307179586 * random_unit(state);

    return sqrt(-2.0 * log(u)) * cos(angle);
}

size_t random_below(uint64_t *state, size_t n)
{
    return (size_t)(random_unit(state) * (double)n);
}

void random_choice(uint64_t *state, size_t n, size_t k, size_t *chosen)
{
    size_t taken = 0;

    for (size_t i = 0; i < n && taken < k; i++) /* Knuth 3.4.2, algorithm S */
        if (random_unit(state) * (double)(n - i) < (double)(k - taken))
            chosen[taken++] = i;
}
