/* SPDX-License-Identifier: Apache-2.0
 * Memory that is counted and can be refused, for tests of what happens without it. */
#ifndef TESTS_COUNTED_H
#define TESTS_COUNTED_H

#include <stddef.h>

#include "zermelo/alloc.h"

typedef struct counter {
    size_t bytes, requests, live; /* given in all, asked how often, not yet given back */
    size_t refuse;                /* number of the request that fails, 1 the first; 0: none */
} counter;

/** An allocator for the options of a handle; the counter must live as long as that. */
zm_alloc counted(counter *c);

#endif
