/* SPDX-License-Identifier: Apache-2.0
 * The handle of the solver with bands: a slot for each problem of a batch. */
#ifndef ZM_BANDS_BANDS_H
#define ZM_BANDS_BANDS_H

#include "eikonal/timed/slot.h"

struct zm_bands {
    zm_grid grid;
    zm_dtype dtype;
    zm_bands_opts opts;
    zm_alloc mem;
    size_t cells;
    zm_bands_slot **slots; /* opts.batch */
};

/** Threads of a batch: no two of them share a slot. */
static inline int32_t zm_bands_threads(const zm_bands *b)
{
    return b->opts.threads < b->opts.batch ? b->opts.threads : b->opts.batch;
}

/** Slot of problem i of n: its own if there are enough, else that of the thread. */
static inline zm_bands_slot *zm_bands_slot_of(const zm_bands *b, size_t n, size_t i,
                                              int32_t thread)
{
    return b->slots[n <= (size_t)b->opts.batch ? i : (size_t)thread];
}

/** All that can be checked without reading the metric. */
zm_status zm_bands_check(const zm_bands *b, const zm_bands_problem *problem,
                         zm_error *err);

#endif
