/* SPDX-License-Identifier: Apache-2.0
 * Random numbers that are the same everywhere: SplitMix64 from a state of 64 bits.  For
 * tests and benchmarks too: needs nothing of the experiments. */
#ifndef ZM_EXPERIMENTS_SPLITMIX_H
#define ZM_EXPERIMENTS_SPLITMIX_H

#include <stddef.h>
#include <stdint.h>

uint64_t random_bits(uint64_t *state);
double random_unit(uint64_t *state); /**< in [0, 1) */
double random_between(uint64_t *state, double a, double b);
double random_normal(uint64_t *state);          /**< mean 0, variance 1 */
size_t random_below(uint64_t *state, size_t n); /**< 0 .. n-1 */

/** k <= n different numbers below n, in ascending order. */
void random_choice(uint64_t *state, size_t n, size_t k, size_t *chosen);

#endif
