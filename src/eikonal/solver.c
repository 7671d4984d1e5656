/* SPDX-License-Identifier: Apache-2.0
 * Making and freeing solvers. */
#include "eikonal/solver.h"

#include <string.h>

#include "core/memory.h"
#include "core/options.h"
#include "eikonal/problem/problem.h"
#include "eikonal/blocks/fan_solve.h"

/* Coefficients of recently visited tiles are kept: a tile is visited two or three times in
 * short order.  More than a few megabytes would leave the second-level cache. */
enum { COEF_CACHE_BYTES = 4 << 20, LEAST_SLOTS = 4, MOST_THREADS = 256 };

/* One array of the solver, counted; false when out of memory.  Its content is whatever it
 * is: clearing all of it would cost as much as a tenth of a solve. */
static bool take(zm_solver *s, void *pointer_to_array, size_t count, size_t size)
{
    return zm_take(&s->mem, &s->bytes, pointer_to_array, count, size);
}

/* The same, zeroed: handles, so that destroy can tell what is there. */
static bool take_zeroed(zm_solver *s, void *pointer_to_array, size_t count, size_t size)
{
    void *block;

    if (!take(s, pointer_to_array, count, size))
        return false;
    memcpy(&block, pointer_to_array, sizeof block);
    memset(block, 0, count * size);
    return true;
}

static bool lane_create(zm_solver *s, zm_lane *lane)
{
    const size_t tiles = (size_t)zm_solver_tiles(s), coef_bytes = s->kernel->coef_bytes;
    size_t slots = COEF_CACHE_BYTES / coef_bytes;
    zm_worker *w = &lane->worker;

    if (slots > tiles)
        slots = tiles;
    if (slots < LEAST_SLOTS)
        slots = LEAST_SLOTS;
    w->n_slots = (int32_t)slots;
    return take(s, &w->coefs, slots, coef_bytes) &&
           take(s, &w->scratch, 1, s->kernel->scratch_bytes) &&
           take(s, &w->slot_of_tile, tiles, sizeof *w->slot_of_tile) &&
           take(s, &w->tile_of_slot, slots, sizeof *w->tile_of_slot) &&
           take(s, &lane->tiles, tiles, sizeof *lane->tiles) &&
           take(s, &lane->busy, tiles, sizeof *lane->busy) &&
           take(s, &lane->queue.heap, tiles, sizeof *lane->queue.heap) &&
           take(s, &lane->queue.place, tiles, sizeof *lane->queue.place) &&
           take(s, &lane->queue.key, tiles, sizeof *lane->queue.key) &&
           take(s, &lane->lambda, s->cells, sizeof *lane->lambda) &&
           take(s, &lane->scratch, s->cells, sizeof *lane->scratch) &&
           take(s, &lane->users, s->cells, sizeof *lane->users);
}

static void lane_destroy(const zm_alloc *mem, zm_lane *lane)
{
    zm_fan_work_destroy(lane->fan);
    zm_release(mem, lane->users);
    zm_release(mem, lane->scratch);
    zm_release(mem, lane->lambda);
    zm_release(mem, lane->queue.key);
    zm_release(mem, lane->queue.place);
    zm_release(mem, lane->queue.heap);
    zm_release(mem, lane->busy);
    zm_release(mem, lane->tiles);
    zm_release(mem, lane->worker.tile_of_slot);
    zm_release(mem, lane->worker.slot_of_tile);
    zm_release(mem, lane->worker.scratch);
    zm_release(mem, lane->worker.coefs);
}

static bool record_create(zm_solver *s, zm_record *record)
{
    return take(s, &record->tiles, (size_t)zm_solver_tiles(s), sizeof *record->tiles) &&
           take(s, &record->code, s->cells, sizeof *record->code) &&
           take(s, &record->offset, s->cells, zm_dtype_size(s->dtype)) &&
           take(s, &record->order, s->cells, sizeof *record->order);
}

static void record_destroy(const zm_alloc *mem, zm_record *record)
{
    zm_march_destroy(record->march);
    zm_release(mem, record->order);
    zm_release(mem, record->offset);
    zm_release(mem, record->code);
    zm_release(mem, record->tiles);
}

static bool solver_fill(zm_solver *s)
{
    if (!take_zeroed(s, &s->zero_row, (size_t)s->grid.cols + ZM_TILE, zm_dtype_size(s->dtype)) ||
        !take_zeroed(s, &s->lanes, (size_t)s->threads, sizeof *s->lanes) ||
        !take_zeroed(s, &s->records, (size_t)s->batch, sizeof *s->records))
        return false;
    for (int32_t i = 0; i < s->threads; i++)
        if (!lane_create(s, &s->lanes[i]))
            return false;
    for (int32_t i = 0; i < s->batch; i++)
        if (!record_create(s, &s->records[i]))
            return false;
    return true;
}

static zm_status opts_check(const zm_solver_opts *o, zm_dtype dtype, zm_error *err)
{
    if (!o->mem.allocate != !o->mem.release)
        return zm_fail(err, ZM_E_ARG, -1, "mem has one of its functions only, must have both "
                                          "or neither");
    if (o->threads < 1 || o->threads > MOST_THREADS)
        return zm_fail(err, ZM_E_ARG, -1, "%d threads, must be 1 to %d", (int)o->threads,
                       (int)MOST_THREADS);
    if (o->batch < 1)
        return zm_fail(err, ZM_E_ARG, -1, "batch of %d problems, must be at least 1",
                       (int)o->batch);
    if (o->stencils != ZM_STENCILS_FIXED && o->stencils != ZM_STENCILS_ADAPTIVE)
        return zm_fail(err, ZM_E_ARG, -1,
                       "stencils %d, must be ZM_STENCILS_FIXED or ZM_STENCILS_ADAPTIVE",
                       (int)o->stencils);
    if (o->order != 1 && o->order != 2)
        return zm_fail(err, ZM_E_ARG, -1, "order %d, must be 1 or 2", (int)o->order);
    if (!(o->factor_radius >= 0))
        return zm_fail(err, ZM_E_ARG, -1,
                       "factor_radius %g, must be a distance >= 0, or HUGE_VAL for everywhere",
                       o->factor_radius);
    if (o->periodic < 0 || o->periodic > (ZM_PERIODIC_X | ZM_PERIODIC_Y))
        return zm_fail(err, ZM_E_ARG, -1,
                       "periodic %d, must be ZM_PERIODIC_X, ZM_PERIODIC_Y or both",
                       (int)o->periodic);
    if (dtype != ZM_F64 && dtype != ZM_F32)
        return zm_fail(err, ZM_E_ARG, -1, "dtype %d, must be ZM_F64 or ZM_F32", (int)dtype);
    return ZM_OK;
}

zm_status zm_solver_create(zm_solver **out, zm_grid grid, zm_dtype dtype,
                           const zm_solver_opts *opts, zm_error *err)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    const zm_kernel *kernel;
    zm_solver *s;
    zm_status st;

    *out = NULL;
    if ((st = zm_grid_check(grid, err)) != ZM_OK ||
        (st = zm_options_read(&o, sizeof o, opts, "zm_solver_opts", err)) != ZM_OK ||
        (st = opts_check(&o, dtype, err)) != ZM_OK)
        return st;
    o.mem = zm_alloc_or_default(&o.mem);
    kernel = zm_kernel_find((int)dtype, (int)o.isa);
    if (!kernel)
        return zm_fail(err, ZM_E_UNSUPPORTED, -1,
                       "instruction set %d is not in this build or on this machine; use "
                       "ZM_ISA_BEST",
                       (int)o.isa);
    s = zm_zalloc(&o.mem, 1, sizeof *s);
    if (!s)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for a solver");
    *s = (zm_solver){ .grid = grid,
                      .dtype = dtype,
                      .mem = o.mem,
                      .kernel = kernel,
                      .isa = o.isa,
                      .threads = o.threads,
                      .batch = o.batch,
                      .stencils = o.stencils,
                      .scheme = { .fixed = o.stencils == ZM_STENCILS_FIXED,
                                  .order = o.order,
                                  .factor_radius = o.factor_radius,
                                  .periodic_x = o.periodic & ZM_PERIODIC_X,
                                  .periodic_y = o.periodic & ZM_PERIODIC_Y },
                      .tiles_y = (grid.rows - 1) / ZM_TILE + 1,
                      .tiles_x = (grid.cols - 1) / ZM_TILE + 1,
                      .bytes = sizeof *s };
    zm_grid_cells(grid, &s->cells);
    if (!solver_fill(s)) {
        st = zm_fail(err, ZM_E_NOMEM, -1,
                     "no memory for the workspace of %d x %d cells, %d threads, batch of %d",
                     (int)grid.rows, (int)grid.cols, (int)o.threads, (int)o.batch);
        zm_solver_destroy(s);
        return st;
    }
    *out = s;
    return ZM_OK;
}

void zm_solver_destroy(zm_solver *s)
{
    zm_alloc mem;

    if (!s)
        return;
    mem = s->mem;
    for (int32_t i = 0; s->records && i < s->batch; i++)
        record_destroy(&mem, &s->records[i]);
    for (int32_t i = 0; s->lanes && i < s->threads; i++)
        lane_destroy(&mem, &s->lanes[i]);
    zm_release(&mem, s->records);
    zm_release(&mem, s->lanes);
    zm_release(&mem, s->zero_row);
    zm_release(&mem, s);
}

size_t zm_solver_bytes(const zm_solver *solver)
{
    size_t bytes = solver->bytes;

    for (int32_t i = 0; i < solver->batch; i++)
        bytes += solver->records[i].march ? solver->records[i].march->bytes : 0;
    for (int32_t i = 0; i < solver->threads; i++)
        bytes += solver->lanes[i].fan ? solver->lanes[i].fan->bytes : 0;
    return bytes;
}

zm_status zm_solver_check_dtype(const zm_solver *s, const zm_problem *problem, zm_error *err)
{
    if (problem->metric.dtype == s->dtype)
        return ZM_OK;
    return zm_fail(err, ZM_E_ARG, -1, "metric is %s, the solver was made for %s",
                   zm_dtype_name(problem->metric.dtype), zm_dtype_name(s->dtype));
}

zm_tiling zm_solver_tiling(const zm_solver *s, const zm_lane *lane, const zm_record *record,
                           const zm_problem *problem, const void *T, double time_unit)
{
    const zm_metric *m = &problem->metric;
    const void *planes[5] = { m->g11, m->g12, m->g22 ? m->g22 : m->g11, m->b1, m->b2 };
    const double x = s->grid.dx / time_unit, y = s->grid.dy / time_unit;
    zm_tiling g = { .rows = s->grid.rows,
                    .cols = s->grid.cols,
                    .tiles_y = s->tiles_y,
                    .tiles_x = s->tiles_x,
                    .scale = { x * x, x * y, y * y, x, y },
                    .walls = problem->walls,
                    .T = (void *)(uintptr_t)T,
                    .per_time = 1.0 / time_unit,
                    .tiles = lane->tiles,
                    .records = record->tiles };

    for (int k = 0; k < 5; k++) {
        g.plane[k] = planes[k] ? planes[k] : s->zero_row;
        g.stride[k] = planes[k] ? (size_t)s->grid.cols : 0;
    }
    return g;
}
