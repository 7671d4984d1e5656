/* SPDX-License-Identifier: Apache-2.0
 * The engine of active blocks with adaptive stencils.  It finds the times that a march of
 * first order would find, and leaves what comes after the solve to the marching engine. */
#include <math.h>

#include "eikonal/blocks/adaptive_solve.h"
#include "eikonal/blocks/engine.h"
#include "eikonal/blocks/kernel.h"
#include "eikonal/marching/engine.h"
#include "eikonal/marching/march.h"

static const char *cannot(const zm_solver *s, const zm_problem *problem)
{
    const char *why = zm_blocks_cannot(s, problem);

    if (why)
        return why;
    if (s->opts.stencils == ZM_STENCILS_FIXED)
        return "are not for fixed stencils";
    if (s->kernel == zm_kernel_find((int)s->dtype, ZM_ISA_SCALAR))
        return "are of use with vector instructions only";
    return problem && problem->walls ? "take no walls" : NULL;
}

static zm_outcome solve(zm_engine_run *run, zm_error *err)
{
    zm_blocks_adaptive *w =
        zm_engine_workspace_part(run->workspaces, &zm_blocks_adaptive_engine);
    zm_march *m = zm_engine_record_part(run->record, &zm_march_engine);
    const double start = zm_problem_start(run->problem), t_max = run->opts->t_max;
    const zm_blocks_adaptive_grid *g = &w->g;
    const zm_outcome outcome = zm_blocks_adaptive_solve(w, run, err);

    if (outcome != ZM_OUTCOME_DONE)
        return outcome;
    for (size_t row = 0, cell = 0; row < (size_t)g->rows; row++)
        for (size_t col = 0; col < (size_t)g->cols; col++, cell++) {
            const double time = g->T[row * g->T_stride + col] + start;

            zm_plane_store(run->T, run->s->dtype, cell,
                           zm_time_is_after(run->s->dtype, time, t_max)
                               ? (double)INFINITY
                               : time);
        }
    if (m)
        m->has_times = false; /* it has not seen these */
    return ZM_OUTCOME_DONE;
}

const zm_engine zm_blocks_adaptive_engine = {
    .name = "adaptive blocks",
    .method = ZM_SOLVED_BY_ADAPTIVE_BLOCKS,
    .reader = &zm_march_engine,
    .cannot = cannot,
    .workspace_create = zm_blocks_adaptive_create,
    .workspace_destroy = zm_blocks_adaptive_destroy,
    .solve = solve,
};
