/* SPDX-License-Identifier: Apache-2.0
 * The engine of active blocks with adaptive stencils: the fast way through strong metrics.
 *
 * The same discrete problem as a march of first order: every cell takes the minimum over the
 * triangles of its own stencil.  Blocks are visited in order of their earliest change, as in
 * solve.c.  What comes after the solve is left to the marching engine. */
#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/blocks/adaptive_kernel.h"
#include "eikonal/blocks/engine.h"
#include "eikonal/blocks/queue.h"
#include "eikonal/local/triangle.h"
#include "eikonal/marching/engine.h"
#include "eikonal/marching/march.h"
#include "eikonal/problem/unit.h"

/* Work memory for one problem at a time. */
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

static bool work_fill(const zm_alloc *mem, zm_blocks_adaptive *w)
{
    size_t *bytes = &w->part.bytes;
    zm_blocks_adaptive_grid *g = &w->g;
    const size_t blocks = (size_t)g->blocks_down * (size_t)g->blocks_across;
    const size_t rows = (size_t)g->blocks_down * ZM_BLOCK,
                 cols = (size_t)g->blocks_across * ZM_BLOCK;

    g->plane_stride = cols;
    g->plane_step = rows * cols;
    g->T_stride = cols + 2 * ZM_BLOCKS_REACH;
    if (!zm_take(mem, bytes, &g->planes, 5 * g->plane_step, sizeof *g->planes) ||
        !zm_take(mem, bytes, &w->T_block, (rows + 2 * ZM_BLOCKS_REACH) * g->T_stride,
                 sizeof *w->T_block))
        return false;
    g->T = w->T_block + ZM_BLOCKS_REACH * g->T_stride + ZM_BLOCKS_REACH;
    return zm_take(mem, bytes, &g->blocks, blocks, sizeof *g->blocks) &&
           zm_take(mem, bytes, &w->built, blocks, sizeof *w->built) &&
           zm_take(mem, bytes, &w->queue.heap, blocks, sizeof *w->queue.heap) &&
           zm_take(mem, bytes, &w->queue.place, blocks, sizeof *w->queue.place) &&
           zm_take(mem, bytes, &w->queue.key, blocks, sizeof *w->queue.key) &&
           zm_take(mem, bytes, &w->scratch, 1, w->kernel->scratch_bytes) &&
           zm_take(mem, bytes, &w->building, ZM_BLOCKS_TRIANGLES, sizeof *w->building);
}

static void workspace_destroy(const zm_solver *s, zm_engine_part *part)
{
    zm_blocks_adaptive *w = (zm_blocks_adaptive *)part;

    zm_release(&s->mem, w->building);
    zm_release(&s->mem, w->scratch);
    zm_release(&s->mem, w->queue.key);
    zm_release(&s->mem, w->queue.place);
    zm_release(&s->mem, w->queue.heap);
    zm_release(&s->mem, w->built);
    zm_release(&s->mem, w->g.triangles);
    zm_release(&s->mem, w->g.blocks);
    zm_release(&s->mem, w->T_block);
    zm_release(&s->mem, w->g.planes);
    zm_release(&s->mem, w);
}

static zm_engine_part *workspace_create(const zm_solver *s)
{
    zm_blocks_adaptive *w = zm_zalloc(&s->mem, 1, sizeof *w);

    if (!w)
        return NULL;
    *w = (zm_blocks_adaptive){ .part.bytes = sizeof *w,
                               .grid = s->grid,
                               .mem = s->mem,
                               .kernel = zm_kernel_adaptive_find((int)s->opts.isa),
                               .g = { .rows = s->grid.rows,
                                      .cols = s->grid.cols,
                                      .blocks_down = zm_blocks_down(s->grid),
                                      .blocks_across = zm_blocks_across(s->grid) } };
    if (!work_fill(&s->mem, w)) {
        workspace_destroy(s, &w->part);
        return NULL;
    }
    return &w->part;
}

/* Folded planes; the identity where a block reaches beyond the grid. */
static zm_status planes_load(zm_blocks_adaptive *w, const zm_metric *metric,
                             zm_error *err)
{
    zm_blocks_adaptive_grid *g = &w->g;
    const size_t rows = (size_t)g->rows, cols = (size_t)g->cols;
    const size_t rows_all = (size_t)g->blocks_down * ZM_BLOCK;

    for (size_t row = 0; row < rows_all; row++)
        for (size_t col = 0; col < g->plane_stride; col++) {
            const size_t to = row * g->plane_stride + col;
            zm_cell_metric m = { .g11 = 1, .g22 = 1 };

            if (row < rows && col < cols) {
                const size_t cell = row * cols + col;

                const zm_status st =
                    zm_local_read(w->grid, zm_metric_at(metric, cell), cell, &m, err);

                if (st != ZM_OK)
                    return st;
            }
            g->planes[to] = m.g11;
            g->planes[to + g->plane_step] = m.g12;
            g->planes[to + 2 * g->plane_step] = m.g22;
            g->planes[to + 3 * g->plane_step] = m.b1;
            g->planes[to + 4 * g->plane_step] = m.b2;
        }
    return ZM_OK;
}

/* Whether float vectors can tell which pairs of offsets are acute. */
static bool planes_fit(const zm_blocks_adaptive *w)
{
    const zm_blocks_adaptive_grid *g = &w->g;
    bool fit = true;

    for (size_t i = 0; i < g->plane_step; i++) {
        const double x = g->planes[i], y = g->planes[i + 2 * g->plane_step];

        fit &= fmin(x, y) > 1 / ZM_BLOCKS_LARGEST_F64 &&
               fmax(x, y) < ZM_BLOCKS_LARGEST_F64;
    }
    return fit;
}

/* The triangles of a block, unless they are there already. */
static zm_outcome block_build(zm_blocks_adaptive *w, int32_t block, zm_engine_run *run,
                              zm_error *err)
{
    zm_blocks_adaptive_block *t = &w->g.blocks[block];
    int32_t n;

    if (w->built[block])
        return ZM_OUTCOME_DONE;
    n = w->kernel->build(&w->g, block, w->building, ZM_BLOCKS_TRIANGLES);
    if (n < 0)
        return ZM_OUTCOME_HAND_OVER;
    if (!zm_array_reserve_in(&w->mem, &w->part.bytes, &w->g.triangles,
                             &w->room_triangles, w->n_triangles + (size_t)n,
                             sizeof *w->g.triangles)) {
        run->status = zm_fail(err, ZM_E_NOMEM, -1, "no memory for adaptive stencils");
        return ZM_OUTCOME_FAILED;
    }
    memcpy(w->g.triangles + w->n_triangles, w->building,
           (size_t)n * sizeof *w->building);
    t->first = (uint32_t)w->n_triangles;
    t->n = (uint32_t)n;
    t->latest = (double)INFINITY;
    memset(t->changes, 0, sizeof t->changes);
    w->n_triangles += (size_t)n;
    w->built[block] = 1;
    return ZM_OUTCOME_DONE;
}

/* Whether a neighbouring block, `step` blocks away along one axis, may have one of the changed
 * lines (a bit each) within its reach. */
static bool within_reach(int step, uint32_t lines, int32_t reach)
{
    const uint32_t near = ((uint32_t)1 << reach) - 1;

    return step < 0   ? (lines & near) != 0
           : step > 0 ? (lines & near << (ZM_BLOCK - reach)) != 0
                      : lines != 0;
}

/* Tells the neighbours of a block what changed there. */
static zm_outcome neighbours_activate(zm_blocks_adaptive *w, int32_t block,
                                      const zm_blocks_changed *changed,
                                      zm_engine_run *run, zm_error *err)
{
    const int32_t y = block / w->g.blocks_across, x = block % w->g.blocks_across;

    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const int32_t other = (y + dy) * w->g.blocks_across + x + dx;
            zm_outcome outcome;

            if ((!dx && !dy) || y + dy < 0 || y + dy >= w->g.blocks_down ||
                x + dx < 0 || x + dx >= w->g.blocks_across)
                continue;
            if ((outcome = block_build(w, other, run, err)) != ZM_OUTCOME_DONE)
                return outcome;
            zm_blocks_adaptive_block *t = &w->g.blocks[other];
            zm_blocks_changes *to =
                &t->changes[1 - dy][1 - dx]; /* where we are, seen from there */

            /* a cell is later than its donors: nothing here helps what is earlier */
            if (changed->earliest < t->latest &&
                within_reach(dy, changed->changed.rows, t->reach) &&
                within_reach(dx, changed->changed.cols, t->reach)) {
                to->rows |= changed->changed.rows;
                to->cols |= changed->changed.cols;
                zm_blocks_queue_push(&w->queue, other, changed->earliest);
            }
        }
    return ZM_OUTCOME_DONE;
}

/* A source is near. */
static void everything_changed(zm_blocks_adaptive_block *block)
{
    for (int i = 0; i < 9; i++)
        block->changes[i / 3][i % 3] =
            (zm_blocks_changes){ ~(uint32_t)0, ~(uint32_t)0 };
}

static zm_outcome sources_start(zm_blocks_adaptive *w, zm_engine_run *run, double start,
                                zm_error *err)
{
    const zm_problem *p = run->problem;

    for (size_t i = 0; i < p->n_sources; i++) {
        const size_t cell = zm_source_cell(w->grid, &p->sources[i]);
        const int32_t row = (int32_t)(cell / (size_t)w->grid.cols),
                      col = (int32_t)(cell % (size_t)w->grid.cols);
        const double time = (p->sources[i].time - start) / run->record->unit;
        double *T = w->g.T + (size_t)row * w->g.T_stride + (size_t)col;

        *T = fmin(*T, time);
        for (int32_t y = row - ZM_BLOCKS_REACH; y <= row + ZM_BLOCKS_REACH;
             y += ZM_BLOCKS_REACH)
            for (int32_t x = col - ZM_BLOCKS_REACH; x <= col + ZM_BLOCKS_REACH;
                 x += ZM_BLOCKS_REACH) {
                const int32_t block = y / ZM_BLOCK * w->g.blocks_across + x / ZM_BLOCK;
                zm_outcome outcome;

                if (y < 0 || y >= w->g.blocks_down * ZM_BLOCK || x < 0 ||
                    x >= w->g.blocks_across * ZM_BLOCK)
                    continue;
                if ((outcome = block_build(w, block, run, err)) != ZM_OUTCOME_DONE)
                    return outcome;
                everything_changed(&w->g.blocks[block]);
                zm_blocks_queue_push(&w->queue, block, time);
            }
    }
    return ZM_OUTCOME_DONE;
}

/* Visits blocks until the active list is empty, but for what comes after t_max. */
static zm_outcome visits(zm_blocks_adaptive *w, zm_engine_run *run, double t_max,
                         zm_error *err)
{
    const double blocks = (double)w->g.blocks_down * (double)w->g.blocks_across;
    const zm_forward_opts *opts = run->opts;
    int64_t n = 0, reached = 0;
    int32_t block;

    while ((block = zm_blocks_queue_peek(&w->queue)) >= 0 &&
           w->queue.key[block] <= t_max) {
        zm_blocks_changed found;
        zm_outcome outcome;

        zm_blocks_queue_pop(&w->queue);
        reached += w->g.blocks[block].latest == (double)INFINITY;
        found = w->kernel->visit(&w->g, block, w->scratch);
        n++;
        run->report->updates += found.updates;
        if (found.changed.rows && (outcome = neighbours_activate(
                                       w, block, &found, run, err)) != ZM_OUTCOME_DONE)
            return outcome;
        if (opts->progress &&
            opts->progress(opts->progress_ctx, fmin(1.0, (double)reached / blocks))) {
            run->status =
                zm_fail(err, ZM_E_CANCELLED, -1, "cancelled by the progress callback");
            return ZM_OUTCOME_FAILED;
        }
    }
    run->report->iterations = (int64_t)ceil((double)n / blocks);
    run->report->converged = run->report->threads = 1;
    return ZM_OUTCOME_DONE;
}

/* Times into the caller's field; what came after t_max did not come.  False: some time is out
 * of the range. */
static bool times_store(const zm_blocks_adaptive_grid *g, const zm_engine_run *run,
                        double start)
{
    bool good = true;

    for (size_t row = 0, cell = 0; row < (size_t)g->rows; row++)
        for (size_t col = 0; col < (size_t)g->cols; col++, cell++) {
            const double inside = g->T[row * g->T_stride + col];
            const double time = inside * run->record->unit + start;
            const bool late = zm_time_is_after(run->s->dtype, time, run->opts->t_max);

            good &= !(inside < (double)INFINITY) ||
                    zm_plane_round(run->s->dtype, time) < (double)INFINITY;
            zm_plane_store(run->T, run->s->dtype, cell, late ? (double)INFINITY : time);
        }
    return good;
}

/* Sources that nothing overtook have exactly the time they were given. */
static void source_times_restore(const zm_blocks_adaptive *w, const zm_engine_run *run,
                                 double start)
{
    for (size_t i = 0; i < run->problem->n_sources; i++) {
        const zm_source *s = &run->problem->sources[i];
        const size_t cell = zm_source_cell(w->grid, s), cols = (size_t)w->g.cols;
        const double inside = w->g.T[cell / cols * w->g.T_stride + cell % cols];

        if (inside == (s->time - start) / run->record->unit &&
            !zm_time_is_after(run->s->dtype, s->time, run->opts->t_max))
            zm_plane_store(run->T, run->s->dtype, cell, s->time);
    }
}

/* Hands over where an offset is too long for the halo of a block, or float has no such number. */
static zm_outcome solve(zm_engine_run *run, zm_error *err)
{
    zm_blocks_adaptive *w =
        zm_engine_workspace_part(run->workspaces, &zm_blocks_adaptive_engine);
    zm_march *m = zm_engine_record_part(run->record, &zm_march_engine);
    const int32_t blocks = w->g.blocks_down * w->g.blocks_across;
    const size_t rows = (size_t)w->g.blocks_down * ZM_BLOCK + 2 * ZM_BLOCKS_REACH;
    const double start = zm_problem_start(run->problem);
    const double t_max =
        zm_time_limit_from(run->s->dtype, run->opts->t_max, start) / run->record->unit;
    zm_outcome outcome;

    w->grid = zm_unit_grid(run->s->grid, run->record->unit);
    run->status = planes_load(w, &run->problem->metric, err);
    if (run->status != ZM_OK)
        return ZM_OUTCOME_FAILED;
    if (!planes_fit(w))
        return ZM_OUTCOME_HAND_OVER;
    for (size_t i = 0; i < rows * w->g.T_stride; i++)
        w->T_block[i] = (double)INFINITY;
    memset(w->built, 0, (size_t)blocks);
    w->n_triangles = 0;
    zm_blocks_queue_clear(&w->queue, blocks);
    outcome = sources_start(w, run, start, err);
    if (outcome == ZM_OUTCOME_DONE)
        outcome = visits(w, run, t_max, err);
    if (outcome != ZM_OUTCOME_DONE)
        return outcome;
    if (!times_store(&w->g, run, start)) {
        run->status = zm_unit_fail_store(run->s->dtype, err);
        return ZM_OUTCOME_FAILED;
    }
    source_times_restore(w, run, start);
    if (m)
        m->has_times = false; /* it has not seen these */
    return ZM_OUTCOME_DONE;
}

const zm_engine zm_blocks_adaptive_engine = {
    .name = "adaptive blocks",
    .method = ZM_SOLVED_BY_ADAPTIVE_BLOCKS,
    .reader = &zm_march_engine,
    .cannot = cannot,
    .workspace_create = workspace_create,
    .workspace_destroy = workspace_destroy,
    .solve = solve,
};
