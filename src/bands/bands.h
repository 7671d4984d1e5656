/* SPDX-License-Identifier: Apache-2.0
 * The handle of the solver with bands: a slot for each problem of a batch. */
#ifndef ZM_BANDS_BANDS_H
#define ZM_BANDS_BANDS_H

#include "bands/slot.h"

struct zm_bands {
    zm_grid grid;
    zm_dtype dtype;
    zm_bands_opts opts;
    zm_alloc mem;
    size_t cells;
    zm_bands_slot **slots; /* opts.batch */
};

/** Work on problem i in one of the slots. */
typedef zm_status zm_bands_job(void *ctx, size_t i, zm_bands_slot *slot, bool calling,
                               zm_error *err);

/** Calls fn for problems 0 .. n-1 on the threads of the handle; problem i in slot i if there
 *  are enough.  ZM_OK, or what the first said that failed, else the first with a caveat; the
 *  message then names it.  `calling`: on the calling thread. */
zm_status zm_bands_batch(zm_bands *b, size_t n, zm_bands_job *fn, void *ctx,
                         zm_error *err);

/** All that can be checked without reading the metric. */
zm_status zm_bands_check(const zm_bands *b, const zm_bands_problem *problem,
                         zm_error *err);

#endif
