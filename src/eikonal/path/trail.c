/* SPDX-License-Identifier: Apache-2.0
 * The record of a solve as paths see it. */
#include "eikonal/path/trail.h"

#include "core/fail.h"
#include "eikonal/problem/unit.h"

zm_status zm_path_trail_open(zm_path_trail *trail, zm_solver *s, size_t slot,
                             const zm_problem *problem, const void *T, zm_error *err)
{
    ZM_TRY(zm_record_open(&trail->view, s, slot, ZM_RECORD_ALL_THREADS, problem, T,
                          false, err));
    trail->ground =
        (zm_path_ground){ .grid = zm_unit_grid(s->grid, trail->view.record->unit),
                          .unit = trail->view.record->unit,
                          .problem = &trail->view.own,
                          .periodic_x = s->scheme.periodic_x,
                          .periodic_y = s->scheme.periodic_y };
    return ZM_OK;
}

zm_local_offset zm_path_trail_offset(const zm_node *node, int i)
{
    return node->m[i ? !node->heavier : node->heavier];
}

size_t zm_path_trail_donor(const zm_path_trail *trail, size_t cell, const zm_node *node,
                           int i)
{
    const int32_t cols = trail->ground.grid.cols;
    const zm_local_offset m = zm_path_trail_offset(node, i);
    size_t donor = cell;

    zm_path_ground_cell(&trail->ground, (int32_t)cell / cols + m.y,
                        (int32_t)cell % cols + m.x, &donor);
    return donor;
}

bool zm_path_trail_earlier(const zm_path_trail *trail, size_t donor,
                           const zm_node *node)
{
    const zm_node d = zm_path_trail_node(trail, donor);

    return d.kind != ZM_NODE_UNREACHED && d.rank < node->rank;
}

int32_t zm_path_trail_source(const zm_path_trail *trail, size_t cell,
                             const zm_node *node)
{
    const zm_problem *p = trail->view.problem;
    int32_t winner = -1;

    if (node->source != ZM_SOURCE_OF_CELL)
        return node->source;
    for (size_t i = 0; i < p->n_sources; i++)
        if (zm_source_cell(trail->ground.grid, &p->sources[i]) == cell &&
            (winner < 0 || p->sources[i].time < p->sources[winner].time))
            winner = (int32_t)i;
    return winner;
}
