/* SPDX-License-Identifier: Apache-2.0
 * Making and freeing solvers, and the memory of their engines. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "eikonal/blocks/kernel.h"
#include "eikonal/engine.h"

enum { MOST_THREADS = 256 };

static int32_t engine_number(const zm_engine *engine)
{
    int32_t i = 0;

    while (zm_engine_table[i] && zm_engine_table[i] != engine)
        i++;
    return i;
}

/* The engine that is likely to solve: the first that can solve some problem, or NULL. */
static const zm_engine *likely_engine(const zm_solver *s)
{
    const zm_engine *const *e = zm_engine_table;

    while (*e && (*e)->cannot(s, NULL))
        e++;
    return *e;
}

void *zm_engine_workspace_part(const zm_workspace *w, const zm_engine *engine)
{
    return w->parts[engine_number(engine)];
}

void *zm_engine_record_part(const zm_record *r, const zm_engine *engine)
{
    return r->parts[engine_number(engine)];
}

zm_status zm_engine_equip(const zm_solver *s, const zm_engine *engine,
                          zm_workspace *workspaces, int32_t threads, zm_record *record,
                          zm_error *err)
{
    const int32_t k = engine_number(engine);
    bool there = true;

    for (int32_t i = 0; engine->workspace_create && i < threads; i++) {
        if (!workspaces[i].parts[k])
            workspaces[i].parts[k] = engine->workspace_create(s);
        there = there && workspaces[i].parts[k];
    }
    if (engine->record_create && record) {
        if (!record->parts[k])
            record->parts[k] = engine->record_create(s);
        there = there && record->parts[k];
    }
    if (there)
        return ZM_OK;
    return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %s on %d x %d cells",
                   engine->name, (int)s->grid.rows, (int)s->grid.cols);
}

/* zm_take of handles, zeroed, so that destroy can tell what is there. */
static bool take_zeroed(zm_solver *s, void *pointer_to_array, size_t count, size_t size)
{
    void *block;

    if (!zm_take(&s->mem, &s->bytes, pointer_to_array, count, size))
        return false;
    memcpy(&block, pointer_to_array, sizeof block);
    memset(block, 0, count * size);
    return true;
}

/* Fields keep whatever content they get: clearing all of them would cost as much as a tenth
 * of a solve. */
static bool workspace_fill(zm_solver *s, zm_workspace *w)
{
    return take_zeroed(s, &w->parts, (size_t)s->n_engines, sizeof *w->parts) &&
           zm_take(&s->mem, &s->bytes, &w->lambda, s->cells, sizeof *w->lambda) &&
           zm_take(&s->mem, &s->bytes, &w->scratch, s->cells, sizeof *w->scratch) &&
           zm_take(&s->mem, &s->bytes, &w->users, s->cells, sizeof *w->users);
}

/* All but what engines need; then, for the one that is likely to solve, that too. */
static bool solver_fill(zm_solver *s)
{
    const zm_engine *likely = likely_engine(s);

    if (!take_zeroed(s, &s->workspaces, (size_t)s->opts.threads,
                     sizeof *s->workspaces) ||
        !take_zeroed(s, &s->records, (size_t)s->opts.batch, sizeof *s->records))
        return false;
    for (int32_t i = 0; i < s->opts.threads; i++)
        if (!workspace_fill(s, &s->workspaces[i]) ||
            (likely &&
             zm_engine_equip(s, likely, &s->workspaces[i], 1, NULL, NULL) != ZM_OK))
            return false;
    for (int32_t i = 0; i < s->opts.batch; i++)
        if (!take_zeroed(s, &s->records[i].parts, (size_t)s->n_engines,
                         sizeof *s->records[i].parts) ||
            (likely &&
             zm_engine_equip(s, likely, NULL, 0, &s->records[i], NULL) != ZM_OK))
            return false;
    return true;
}

static zm_status opts_check(const zm_solver_opts *o, zm_dtype dtype, zm_error *err)
{
    if (!o->mem.allocate != !o->mem.release)
        return zm_fail(err, ZM_E_ARG, -1,
                       "mem has one of its functions only, must have both "
                       "or neither");
    if (o->threads < 1 || o->threads > MOST_THREADS)
        return zm_fail(err, ZM_E_ARG, -1, "%d threads, must be 1 to %d",
                       (int)o->threads, (int)MOST_THREADS);
    if (o->batch < 1)
        return zm_fail(err, ZM_E_ARG, -1, "batch of %d problems, must be at least 1",
                       (int)o->batch);
    if (o->stencils != ZM_STENCILS_FIXED && o->stencils != ZM_STENCILS_ADAPTIVE)
        return zm_fail(err, ZM_E_ARG, -1,
                       "stencils %d, must be ZM_STENCILS_FIXED or ZM_STENCILS_ADAPTIVE",
                       (int)o->stencils);
    if (o->order < 1 || o->order > 3)
        return zm_fail(err, ZM_E_ARG, -1, "order %d, must be 1, 2 or 3", (int)o->order);
    if (!(o->factor_radius >= 0 || o->factor_radius == ZM_FACTOR_BY_ORDER))
        return zm_fail(err, ZM_E_ARG, -1,
                       "factor_radius %g, must be a distance >= 0, HUGE_VAL for everywhere "
                       "or ZM_FACTOR_BY_ORDER",
                       o->factor_radius);
    if (o->periodic < 0 || o->periodic > (ZM_PERIODIC_X | ZM_PERIODIC_Y))
        return zm_fail(err, ZM_E_ARG, -1,
                       "periodic %d, must be ZM_PERIODIC_X, ZM_PERIODIC_Y or both",
                       (int)o->periodic);
    if (o->cost != ZM_COST_OWN && o->cost != ZM_COST_MEAN)
        return zm_fail(err, ZM_E_ARG, -1,
                       "cost %d, must be ZM_COST_OWN or ZM_COST_MEAN", (int)o->cost);
    if (o->reach < 1 || o->reach > ZM_MOST_REACH)
        return zm_fail(err, ZM_E_ARG, -1, "reach %d, must be 1 to %d", (int)o->reach,
                       ZM_MOST_REACH);
    if (dtype != ZM_F64 && dtype != ZM_F32)
        return zm_fail(err, ZM_E_ARG, -1, "dtype %d, must be ZM_F64 or ZM_F32",
                       (int)dtype);
    return ZM_OK;
}

/* The handle itself, from options that have been checked. */
static zm_solver *handle_create(zm_grid grid, zm_dtype dtype, const zm_solver_opts *o,
                                const zm_kernel *kernel)
{
    zm_solver *s = zm_zalloc(&o->mem, 1, sizeof *s);

    if (!s)
        return NULL;
    *s = (zm_solver){ .grid = grid,
                      .dtype = dtype,
                      .mem = o->mem,
                      .kernel = kernel,
                      .opts = *o,
                      .scheme = { .fixed = o->stencils == ZM_STENCILS_FIXED,
                                  .order = o->order,
                                  .factor_radius = o->factor_radius,
                                  .periodic_x = o->periodic & ZM_PERIODIC_X,
                                  .periodic_y = o->periodic & ZM_PERIODIC_Y },
                      .n_engines = engine_number(NULL),
                      .bytes = sizeof *s };
    zm_grid_cells(grid, &s->cells);
    return s;
}

zm_status zm_solver_create(zm_solver **out, zm_grid grid, zm_dtype dtype,
                           const zm_solver_opts *opts, zm_error *err)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    const zm_kernel *kernel;
    zm_solver *s;
    zm_status st;

    if (!out)
        return zm_fail(err, ZM_E_ARG, -1, "out is NULL");
    *out = NULL;
    if ((st = zm_grid_check(grid, err)) != ZM_OK ||
        (st = zm_options_read(&o, sizeof o, opts, "zm_solver_opts", err)) != ZM_OK ||
        (st = opts_check(&o, dtype, err)) != ZM_OK)
        return st;
    o.mem = zm_alloc_or_default(&o.mem);
    if (o.factor_radius == ZM_FACTOR_BY_ORDER)
        o.factor_radius = o.order > 1 ? HUGE_VAL : 0.0;
    kernel = zm_kernel_find((int)dtype, (int)o.isa);
    if (!kernel)
        return zm_fail(
            err, ZM_E_UNSUPPORTED, -1,
            "instruction set %d is not in this build or on this machine; use "
            "ZM_ISA_BEST",
            (int)o.isa);
    s = handle_create(grid, dtype, &o, kernel);
    if (!s || !solver_fill(s)) {
        zm_solver_destroy(s);
        return zm_fail(
            err, ZM_E_NOMEM, -1,
            "no memory for the workspace of %d x %d cells, %d threads, batch of %d",
            (int)grid.rows, (int)grid.cols, (int)o.threads, (int)o.batch);
    }
    *out = s;
    return ZM_OK;
}

static void workspace_free(zm_solver *s, zm_workspace *w)
{
    for (int32_t k = 0; w->parts && k < s->n_engines; k++)
        if (w->parts[k])
            zm_engine_table[k]->workspace_destroy(s, w->parts[k]);
    zm_release(&s->mem, w->parts);
    zm_release(&s->mem, w->users);
    zm_release(&s->mem, w->scratch);
    zm_release(&s->mem, w->lambda);
}

static void record_free(zm_solver *s, zm_record *r)
{
    for (int32_t k = 0; r->parts && k < s->n_engines; k++)
        if (r->parts[k])
            zm_engine_table[k]->record_destroy(s, r->parts[k]);
    zm_release(&s->mem, r->parts);
}

void zm_solver_destroy(zm_solver *s)
{
    zm_alloc mem;

    if (!s)
        return;
    for (int32_t i = 0; s->records && i < s->opts.batch; i++)
        record_free(s, &s->records[i]);
    for (int32_t i = 0; s->workspaces && i < s->opts.threads; i++)
        workspace_free(s, &s->workspaces[i]);
    mem = s->mem;
    zm_release(&mem, s->records);
    zm_release(&mem, s->workspaces);
    zm_release(&mem, s);
}

zm_status zm_solver_get_opts(const zm_solver *solver, zm_solver_opts *opts,
                             zm_error *err)
{
    const zm_status st =
        opts ? zm_options_check_report(opts, "zm_solver_opts", err)
             : zm_fail(err, ZM_E_ARG, -1, "opts is NULL");

    if (st == ZM_OK)
        zm_options_write_report(opts, &solver->opts, sizeof solver->opts);
    return st;
}

static size_t parts_bytes(const zm_solver *s, zm_engine_part *const *parts)
{
    size_t bytes = 0;

    for (int32_t k = 0; k < s->n_engines; k++)
        bytes += parts[k] ? parts[k]->bytes : 0;
    return bytes;
}

size_t zm_solver_bytes(const zm_solver *solver)
{
    size_t bytes = solver->bytes;

    for (int32_t i = 0; i < solver->opts.batch; i++)
        bytes += parts_bytes(solver, solver->records[i].parts);
    for (int32_t i = 0; i < solver->opts.threads; i++)
        bytes += parts_bytes(solver, solver->workspaces[i].parts);
    return bytes;
}
