/* SPDX-License-Identifier: Apache-2.0
 * Adaptive stencils on tiles. */
#include "eikonal/blocks/fan_solve.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/problem/problem.h"
#include "eikonal/local/triangle.h"

static bool take(zm_fan_work *w, void *pointer_to_array, size_t count, size_t size)
{
    return zm_take(&w->mem, &w->part.bytes, pointer_to_array, count, size);
}

static bool work_fill(zm_fan_work *w)
{
    zm_fan_grid *g = &w->g;
    const size_t tiles = (size_t)g->tiles_y * (size_t)g->tiles_x;
    const size_t rows = (size_t)g->tiles_y * ZM_TILE,
                 cols = (size_t)g->tiles_x * ZM_TILE;

    g->plane_stride = cols;
    g->plane_step = rows * cols;
    g->T_stride = cols + 2 * ZM_FAN_REACH;
    if (!take(w, &g->planes, 5 * g->plane_step, sizeof *g->planes) ||
        !take(w, &w->T_block, (rows + 2 * ZM_FAN_REACH) * g->T_stride,
              sizeof *w->T_block))
        return false;
    g->T = w->T_block + ZM_FAN_REACH * g->T_stride + ZM_FAN_REACH;
    return take(w, &g->tiles, tiles, sizeof *g->tiles) &&
           take(w, &w->built, tiles, sizeof *w->built) &&
           take(w, &w->queue.heap, tiles, sizeof *w->queue.heap) &&
           take(w, &w->queue.place, tiles, sizeof *w->queue.place) &&
           take(w, &w->queue.key, tiles, sizeof *w->queue.key) &&
           take(w, &w->scratch, 1, w->kernel->scratch_bytes) &&
           take(w, &w->building, ZM_FAN_TRIANGLES, sizeof *w->building);
}

zm_fan_work *zm_fan_work_create(zm_grid grid, int isa, const zm_alloc *mem)
{
    zm_fan_work *w = zm_zalloc(mem, 1, sizeof *w);

    if (!w)
        return NULL;
    *w = (zm_fan_work){ .part.bytes = sizeof *w,
                        .grid = grid,
                        .mem = *mem,
                        .kernel = zm_fan_kernel_find(isa),
                        .g = { .rows = grid.rows,
                               .cols = grid.cols,
                               .tiles_y = (grid.rows - 1) / ZM_TILE + 1,
                               .tiles_x = (grid.cols - 1) / ZM_TILE + 1 } };
    if (!work_fill(w)) {
        zm_fan_work_destroy(w);
        return NULL;
    }
    return w;
}

void zm_fan_work_destroy(zm_fan_work *w)
{
    zm_alloc mem;

    if (!w)
        return;
    mem = w->mem;
    zm_release(&mem, w->building);
    zm_release(&mem, w->scratch);
    zm_release(&mem, w->queue.key);
    zm_release(&mem, w->queue.place);
    zm_release(&mem, w->queue.heap);
    zm_release(&mem, w->built);
    zm_release(&mem, w->g.triangles);
    zm_release(&mem, w->g.tiles);
    zm_release(&mem, w->T_block);
    zm_release(&mem, w->g.planes);
    zm_release(&mem, w);
}

static bool admissible(const zm_cell_metric *g)
{
    const double det = g->g11 * g->g22 - g->g12 * g->g12;
    const double drift =
        g->g22 * g->b1 * g->b1 - 2 * g->g12 * g->b1 * g->b2 + g->g11 * g->b2 * g->b2;

    return g->g11 > 0 && det > 0 && drift < det && det < (double)INFINITY;
}

/* Folded planes; the identity where a tile reaches beyond the grid. */
static zm_status planes_load(zm_fan_work *w, const zm_metric *metric, zm_error *err)
{
    zm_fan_grid *g = &w->g;
    const size_t rows = (size_t)g->rows, cols = (size_t)g->cols;
    const size_t rows_all = (size_t)g->tiles_y * ZM_TILE;

    for (size_t row = 0; row < rows_all; row++)
        for (size_t col = 0; col < g->plane_stride; col++) {
            const size_t to = row * g->plane_stride + col;
            zm_cell_metric m = { .g11 = 1, .g22 = 1 };

            if (row < rows && col < cols) {
                const size_t cell = row * cols + col;

                m = zm_fold_spacing(zm_metric_at(metric, cell), w->grid);
                if (!admissible(&m)) {
                    const zm_status st = zm_cell_check(w->grid, metric, cell, err);

                    if (st != ZM_OK)
                        return st;
                }
            }
            g->planes[to] = m.g11;
            g->planes[to + g->plane_step] = m.g12;
            g->planes[to + 2 * g->plane_step] = m.g22;
            g->planes[to + 3 * g->plane_step] = m.b1;
            g->planes[to + 4 * g->plane_step] = m.b2;
        }
    return ZM_OK;
}

static bool triangles_grow(zm_fan_work *w, size_t n)
{
    const size_t room = 2 * (w->n_triangles + n);
    zm_fan_triangle *more;

    if (w->n_triangles + n <= w->room_triangles)
        return true;
    if (!take(w, &more, room, sizeof *more))
        return false;
    if (w->g.triangles)
        memcpy(more, w->g.triangles, w->n_triangles * sizeof *more);
    w->part.bytes -= w->room_triangles * sizeof *more;
    zm_release(&w->mem, w->g.triangles);
    w->g.triangles = more;
    w->room_triangles = room;
    return true;
}

/* The triangles of a tile, unless they are there already. */
static zm_outcome tile_build(zm_fan_work *w, int32_t tile, zm_engine_run *run,
                             zm_error *err)
{
    zm_fan_tile *t = &w->g.tiles[tile];
    int32_t n;

    if (w->built[tile])
        return ZM_OUTCOME_DONE;
    n = w->kernel->build(&w->g, tile, w->building, ZM_FAN_TRIANGLES);
    if (n < 0)
        return ZM_OUTCOME_HAND_OVER;
    if (!triangles_grow(w, (size_t)n)) {
        run->status = zm_fail(err, ZM_E_NOMEM, -1, "no memory for adaptive stencils");
        return ZM_OUTCOME_FAILED;
    }
    memcpy(w->g.triangles + w->n_triangles, w->building,
           (size_t)n * sizeof *w->building);
    t->first = (uint32_t)w->n_triangles;
    t->n = (uint32_t)n;
    t->latest = (double)INFINITY;
    memset(t->news, 0, sizeof t->news);
    w->n_triangles += (size_t)n;
    w->built[tile] = 1;
    return ZM_OUTCOME_DONE;
}

/* Whether a neighbouring tile, `step` tiles away along one axis, may have one of the changed
 * lines (a bit each) within its reach. */
static bool within_reach(int step, uint32_t lines, int32_t reach)
{
    const uint32_t near = ((uint32_t)1 << reach) - 1;

    return step < 0   ? (lines & near) != 0
           : step > 0 ? (lines & near << (ZM_TILE - reach)) != 0
                      : lines != 0;
}

/* Tells the neighbours of a tile what changed there. */
static zm_outcome neighbours_wake(zm_fan_work *w, int32_t tile, const zm_fan_news *news,
                                  zm_engine_run *run, zm_error *err)
{
    const int32_t y = tile / w->g.tiles_x, x = tile % w->g.tiles_x;

    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const int32_t other = (y + dy) * w->g.tiles_x + x + dx;
            zm_outcome outcome;

            if ((!dx && !dy) || y + dy < 0 || y + dy >= w->g.tiles_y || x + dx < 0 ||
                x + dx >= w->g.tiles_x)
                continue;
            if ((outcome = tile_build(w, other, run, err)) != ZM_OUTCOME_DONE)
                return outcome;
            zm_fan_tile *t = &w->g.tiles[other];
            zm_fan_changes *to =
                &t->news[1 - dy][1 - dx]; /* where we are, seen from there */

            /* a cell is later than its donors: nothing here helps what is earlier */
            if (news->earliest < t->latest &&
                within_reach(dy, news->changed.rows, t->reach) &&
                within_reach(dx, news->changed.cols, t->reach)) {
                to->rows |= news->changed.rows;
                to->cols |= news->changed.cols;
                zm_tile_queue_push(&w->queue, other, news->earliest);
            }
        }
    return ZM_OUTCOME_DONE;
}

/* A source is near. */
static void news_of_everything(zm_fan_tile *tile)
{
    for (int i = 0; i < 9; i++)
        tile->news[i / 3][i % 3] = (zm_fan_changes){ ~(uint32_t)0, ~(uint32_t)0 };
}

static zm_outcome sources_start(zm_fan_work *w, zm_engine_run *run, double start,
                                zm_error *err)
{
    const zm_problem *p = run->problem;

    for (size_t i = 0; i < p->n_sources; i++) {
        const size_t cell = zm_source_cell(w->grid, &p->sources[i]);
        const int32_t row = (int32_t)(cell / (size_t)w->grid.cols),
                      col = (int32_t)(cell % (size_t)w->grid.cols);
        const double time = p->sources[i].time - start;
        double *T = w->g.T + (size_t)row * w->g.T_stride + (size_t)col;

        *T = fmin(*T, time);
        for (int32_t y = row - ZM_FAN_REACH; y <= row + ZM_FAN_REACH; y += ZM_FAN_REACH)
            for (int32_t x = col - ZM_FAN_REACH; x <= col + ZM_FAN_REACH;
                 x += ZM_FAN_REACH) {
                const int32_t tile = y / ZM_TILE * w->g.tiles_x + x / ZM_TILE;
                zm_outcome outcome;

                if (y < 0 || y >= w->g.tiles_y * ZM_TILE || x < 0 ||
                    x >= w->g.tiles_x * ZM_TILE)
                    continue;
                if ((outcome = tile_build(w, tile, run, err)) != ZM_OUTCOME_DONE)
                    return outcome;
                news_of_everything(&w->g.tiles[tile]);
                zm_tile_queue_push(&w->queue, tile, time);
            }
    }
    return ZM_OUTCOME_DONE;
}

/* Visits tiles until no one has news that matters. */
static zm_outcome visits(zm_fan_work *w, zm_engine_run *run, double t_max, zm_error *err)
{
    const double tiles = (double)w->g.tiles_y * (double)w->g.tiles_x;
    const zm_forward_opts *opts = run->opts;
    int64_t n = 0, reached = 0;
    int32_t tile;

    while ((tile = zm_tile_queue_peek(&w->queue)) >= 0 && w->queue.key[tile] <= t_max) {
        zm_fan_news news;
        zm_outcome outcome;

        zm_tile_queue_pop(&w->queue);
        reached += w->g.tiles[tile].latest == (double)INFINITY;
        news = w->kernel->visit(&w->g, tile, w->scratch);
        n++;
        run->report->updates += news.updates;
        if (news.changed.rows &&
            (outcome = neighbours_wake(w, tile, &news, run, err)) != ZM_OUTCOME_DONE)
            return outcome;
        if (opts->progress &&
            opts->progress(opts->progress_ctx, fmin(1.0, (double)reached / tiles))) {
            run->status = zm_fail(err, ZM_E_CANCELLED, -1,
                                  "cancelled by the progress callback");
            return ZM_OUTCOME_FAILED;
        }
    }
    run->report->iterations = (int64_t)ceil((double)n / tiles);
    run->report->converged = run->report->threads = 1;
    return ZM_OUTCOME_DONE;
}

zm_outcome zm_fan_solve(zm_fan_work *w, zm_engine_run *run, zm_error *err)
{
    const int32_t tiles = w->g.tiles_y * w->g.tiles_x;
    const size_t rows = (size_t)w->g.tiles_y * ZM_TILE + 2 * ZM_FAN_REACH;
    const double start = zm_problem_start(run->problem);
    zm_outcome outcome;

    run->status = planes_load(w, &run->problem->metric, err);
    if (run->status != ZM_OK)
        return ZM_OUTCOME_FAILED;
    for (size_t i = 0; i < rows * w->g.T_stride; i++)
        w->T_block[i] = (double)INFINITY;
    memset(w->built, 0, (size_t)tiles);
    w->n_triangles = 0;
    zm_tile_queue_clear(&w->queue, tiles);
    outcome = sources_start(w, run, start, err);
    return outcome == ZM_OUTCOME_DONE ? visits(w, run, run->opts->t_max - start, err)
                                      : outcome;
}
