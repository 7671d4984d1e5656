/* SPDX-License-Identifier: Apache-2.0
 * Range of a field of arrival times. */
#ifndef ZM_CLI_TIMES_H
#define ZM_CLI_TIMES_H

#include <stddef.h>

#include "zermelo/problem.h"

typedef struct time_range {
    size_t reached;  /**< cells with a finite time */
    double min, max; /**< of those; INFINITY and -INFINITY if there is none */
} time_range;

/** T: n numbers of type dtype, or INFINITY; no NaN. */
time_range time_range_of(zm_dtype dtype, const void *T, size_t n);

#endif
