/* SPDX-License-Identifier: Apache-2.0
 * Stencils and order of a record, worked out when first asked for. */
#include "adjoint/graph.h"

#include <stdatomic.h>

#include "core/parallel.h"

typedef struct stencil_run {
    zm_solver *s;
    zm_lane *lanes;
    zm_record *record;
    zm_tiling g;
    atomic_int next; /* row of tiles */
} stencil_run;

static void stencil_thread(void *ctx, int32_t thread)
{
    stencil_run *run = ctx;
    int32_t row;

    while ((row = atomic_fetch_add(&run->next, 1)) < run->g.tiles_y)
        for (int32_t col = 0; col < run->g.tiles_x; col++)
            run->s->kernel->stencils(&run->g, &run->lanes[thread].worker,
                                     row * run->g.tiles_x + col, run->record->code,
                                     run->record->offset);
}

void zm_graph_stencils(zm_solver *s, zm_lane *lanes, zm_record *record,
                       const zm_problem *problem, const void *T, int32_t threads)
{
    stencil_run run = { .s = s, .lanes = lanes, .record = record };

    if (record->state >= ZM_RECORD_STENCILS)
        return;
    run.g = zm_solver_tiling(s, lanes, record, problem, T, record->time_unit);
    zm_parallel(threads, stencil_thread, &run);
    record->state = ZM_RECORD_STENCILS;
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
