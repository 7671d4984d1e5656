/* SPDX-License-Identifier: Apache-2.0
 * Adaptive stencils on blocks: the fast way through strong metrics.
 *
 * The same discrete problem as a march of first order: every cell takes the minimum over the
 * triangles of its own stencil.  Blocks are visited in order of their earliest change, as in
 * visits.c. */
#ifndef ZM_BLOCKS_ADAPTIVE_SOLVE_H
#define ZM_BLOCKS_ADAPTIVE_SOLVE_H

#include "eikonal/blocks/adaptive_kernel.h"
#include "eikonal/blocks/engine.h"
#include "eikonal/blocks/queue.h"

/** Work memory for one problem at a time. */
typedef struct zm_blocks_adaptive {
    zm_engine_part part;
    zm_grid grid;
    zm_alloc mem;
    const zm_kernel_adaptive *kernel;
    zm_blocks_adaptive_grid g;
    double *T_block; /* T with its padding */
    void *scratch;
    zm_blocks_queue queue;
    size_t n_triangles, room_triangles;
    zm_blocks_triangle *building; /* ZM_BLOCKS_TRIANGLES */
    uint8_t *built;               /* by block */
} zm_blocks_adaptive;

/** Functions of zm_engine. */
zm_engine_part *zm_blocks_adaptive_create(const zm_solver *s);
void zm_blocks_adaptive_destroy(const zm_solver *s, zm_engine_part *part);

/** Solves a problem without walls whose sources are in the middle of cells; the times are in
 *  the padded w->g.T.  Hands over where an offset is too long for the halo of a block. */
zm_outcome zm_blocks_adaptive_solve(zm_blocks_adaptive *w, zm_engine_run *run,
                                    zm_error *err);

#endif
