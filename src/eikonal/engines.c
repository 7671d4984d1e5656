/* SPDX-License-Identifier: Apache-2.0
 * The engines of every solver, in order of preference. */
#include "eikonal/blocks/engine.h"
#include "eikonal/marching/engine.h"
#include "eikonal/refined/engine.h"
#include "eikonal/timed/engine.h"

const zm_engine *const zm_engine_table[] = {
    &zm_blocks_engine,
    &zm_blocks_adaptive_engine,
    &zm_refined_engine,
    &zm_march_engine,
    &zm_timed_engine,
    NULL,
};
