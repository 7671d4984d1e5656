/* SPDX-License-Identifier: Apache-2.0
 * The table of src/eikonal/engines.c with one line more.  It takes the place of the library's:
 * the linker needs that no longer. */
#include "dummy/engine.h"
#include "eikonal/blocks/engine.h"
#include "eikonal/marching/engine.h"
#include "eikonal/timed/engine.h"

const zm_engine *const zm_engine_table[] = {
    &dummy_engine, /* the line */
    &zm_blocks_engine,
    &zm_blocks_adaptive_engine,
    &zm_march_engine,
    &zm_timed_engine,
    NULL,
};
