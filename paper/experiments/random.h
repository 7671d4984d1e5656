/* SPDX-License-Identifier: Apache-2.0
 * Random numbers and fields that are the same everywhere. */
#ifndef ZM_EXPERIMENTS_RANDOM_H
#define ZM_EXPERIMENTS_RANDOM_H

#include <stdbool.h>

#include "core/random.h"

/** rows x cols normal numbers smoothed by a Gaussian of `length` cells (0: white), mean 0
 *  and variance 1 over the field; false when there is no memory. */
bool random_field(uint64_t *state, size_t rows, size_t cols, double length,
                  double *out);

#endif
