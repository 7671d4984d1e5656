/* SPDX-License-Identifier: Apache-2.0
 * Adaptive stencils on tiles: the fast way through strong metrics.
 *
 * The same discrete problem as a march of first order: every cell takes the minimum over the
 * triangles of its own fan.  Tiles are visited in order of their earliest news, as in
 * solve_visits.c. */
#ifndef ZM_FORWARD_FAN_SOLVE_H
#define ZM_FORWARD_FAN_SOLVE_H

#include "eikonal/blocks/tile_queue.h"
#include "eikonal/blocks/fan_tile.h"
#include "eikonal/engine.h"

/** Work memory for one problem at a time. */
typedef struct zm_fan_work {
    zm_part part;
    zm_grid grid;
    zm_alloc mem;
    const zm_fan_kernel *kernel;
    zm_fan_grid g;
    double *T_block; /* T with its padding */
    void *scratch;
    zm_tile_queue queue;
    size_t n_triangles, room_triangles;
    zm_fan_triangle *building; /* ZM_FAN_TRIANGLES */
    uint8_t *built;            /* by tile */
} zm_fan_work;

/** NULL when out of memory. */
zm_fan_work *zm_fan_work_create(zm_grid grid, int isa, const zm_alloc *mem);
void zm_fan_work_destroy(zm_fan_work *w);

/** Solves a problem without walls whose sources are in the middle of cells; the times are in
 *  the padded w->g.T.  Hands over where an offset is too long for the halo of a tile. */
zm_outcome zm_fan_solve(zm_fan_work *w, zm_engine_run *run, zm_error *err);

#endif
