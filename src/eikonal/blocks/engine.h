/* SPDX-License-Identifier: Apache-2.0
 * Active blocks, with the eight neighbours or with adaptive stencils. */
#ifndef ZM_BLOCKS_ENGINE_H
#define ZM_BLOCKS_ENGINE_H

#include "eikonal/blocks/kernel.h"
#include "eikonal/engine.h"

extern const zm_engine zm_blocks_engine, zm_blocks_adaptive_engine;

/** Why blocks of either kind cannot solve a problem, or NULL. */
const char *zm_blocks_cannot(const zm_solver *s, const zm_problem *problem);

/** Number of blocks of a grid along y and x. */
static inline int32_t zm_blocks_down(zm_grid grid)
{
    return (grid.rows - 1) / ZM_BLOCK + 1;
}

static inline int32_t zm_blocks_across(zm_grid grid)
{
    return (grid.cols - 1) / ZM_BLOCK + 1;
}

#endif
