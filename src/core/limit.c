/* SPDX-License-Identifier: Apache-2.0
 * The one setting of the process: how much memory a file may ask for. */
#include "zermelo/limit.h"

#include <stdatomic.h>

static atomic_size_t limit; /* 0: each reader has its own */

void zm_read_limit_set(size_t bytes)
{
    atomic_store(&limit, bytes);
}

size_t zm_read_limit(void)
{
    return atomic_load(&limit);
}
