/* SPDX-License-Identifier: Apache-2.0
 * Stencils and order of a record, worked out when first asked for. */
#include "eikonal/record/graph.h"

void zm_graph_stencils(zm_solver *s, zm_lane *lanes, zm_record *record,
                       const zm_problem *problem, const void *T, int32_t threads)
{
    if (record->state < ZM_RECORD_STENCILS) {
        const zm_tiling g =
            zm_solver_tiling(s, lanes, record, problem, T, record->time_unit);

        zm_record_stencils(s, lanes, threads, record, &g, NULL);
        record->state = ZM_RECORD_STENCILS;
    }
}

void zm_graph_prepare(zm_solver *s, zm_lane *lanes, zm_record *record,
                      const zm_problem *problem, const void *T, int32_t threads)
{
    zm_graph_stencils(s, lanes, record, problem, T, threads);
    if (record->state < ZM_RECORD_ORDERED) {
        zm_graph_order(s, lanes, record);
        record->state = ZM_RECORD_ORDERED;
    }
}
