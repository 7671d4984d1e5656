/* SPDX-License-Identifier: Apache-2.0
 * Memory that is counted and can be refused. */
#include "support/counted.h"

#include <stdlib.h>

static void *allocate(void *ctx, size_t bytes)
{
    counter *c = ctx;
    void *block = ++c->requests == c->refuse ? NULL : malloc(bytes);

    if (block) {
        c->bytes += bytes;
        c->live++;
    }
    return block;
}

static void release(void *ctx, void *pointer)
{
    counter *c = ctx;

    c->live--;
    free(pointer);
}

zm_alloc counted(counter *c)
{
    return (zm_alloc){ c, allocate, release };
}
