/* SPDX-License-Identifier: Apache-2.0
 * What the last solve of a slot says about how the front came to each cell. */
#ifndef ZM_PATH_TRAIL_H
#define ZM_PATH_TRAIL_H

#include "eikonal/path/way.h"
#include "eikonal/record/view.h"

typedef struct zm_path_trail {
    zm_path_ground ground;
    zm_engine_view view;
} zm_path_trail;

/** Checks the arguments and works out the donors. */
zm_status zm_path_trail_open(zm_path_trail *trail, zm_solver *s, size_t slot,
                             const zm_problem *problem, const void *T, zm_error *err);

static inline zm_node zm_path_trail_node(const zm_path_trail *trail, size_t cell)
{
    return zm_record_node(&trail->view, cell);
}

/** A donor of a cell, the heavier one first (i = 0); where there is one, it is both. */
zm_local_offset zm_path_trail_offset(const zm_node *node, int i);

/** The cell of that donor; the cell itself if that lies outside of the grid. */
size_t zm_path_trail_donor(const zm_path_trail *trail, size_t cell, const zm_node *node,
                           int i);

/** Whether a donor came before a cell: following such donors leads to a source. */
bool zm_path_trail_earlier(const zm_path_trail *trail, size_t donor,
                           const zm_node *node);

/** Index of the source that a cell of kind ZM_NODE_SOURCE starts from. */
int32_t zm_path_trail_source(const zm_path_trail *trail, size_t cell,
                             const zm_node *node);

#endif
