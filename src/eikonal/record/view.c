/* SPDX-License-Identifier: Apache-2.0
 * Looking at a solved problem. */
#include "eikonal/record/view.h"

#include "core/batch.h"
#include "core/fail.h"
#include "core/options.h"

zm_status zm_record_open(zm_engine_view *v, zm_solver *s, size_t slot, int32_t thread,
                         const zm_problem *given, const void *T, bool derivatives,
                         zm_error *err)
{
    zm_problem *problem = &v->own;

    if (slot >= (size_t)s->opts.batch)
        return zm_fail(err, ZM_E_ARG, -1,
                       "slot %zu, the solver was made for a batch of %d", slot,
                       (int)s->opts.batch);
    *v = (zm_engine_view){
        .s = s,
        .workspaces = &s->workspaces[thread == ZM_RECORD_ALL_THREADS ? 0 : thread],
        .threads = thread == ZM_RECORD_ALL_THREADS ? s->opts.threads : 1,
        .record = &s->records[slot],
        .problem = problem,
        .T = T
    };
    if (!v->record->engine)
        return zm_fail(err, ZM_E_STATE, -1,
                       "no solve to look at: call zm_forward on this solver first");
    ZM_TRY(zm_problem_read(problem, given, err));
    if (!T)
        return zm_fail(err, ZM_E_ARG, -1,
                       "T is NULL, must be what zm_forward returned");
    ZM_TRY(zm_problem_check_shape(s->grid, problem, err));
    ZM_TRY(zm_problem_check_dtype(problem, s->dtype, err));
    if (problem->n_sources != v->record->n_sources ||
        problem->n_intervals != v->record->n_intervals)
        return zm_record_changed(err);
    ZM_TRY(zm_engine_equip(s, v->record->engine, v->workspaces, v->threads, v->record,
                           err));
    return v->record->engine->prepare(v, derivatives, err);
}

zm_status zm_record_unsettled(zm_error *err)
{
    return zm_fail(
        err, ZM_NOT_CONVERGED, -1,
        "cells that are donors of each other did not settle: solve with tol = 0");
}

zm_status zm_record_changed(zm_error *err)
{
    return zm_fail(
        err, ZM_E_STATE, -1,
        "the problem or T is not what zm_forward saw: solve again after a change");
}

zm_status zm_derivative_check_places(const zm_problem *problem, bool places,
                                     zm_error *err)
{
    if (!places || zm_problem_check_whole(problem, NULL) != ZM_OK)
        return ZM_OK;
    return zm_fail(
        err, ZM_E_UNSUPPORTED, -1,
        "all sources are in the middle of cells, where T is not differentiable with "
        "respect to their position: move one off a little (adaptive stencils)");
}

typedef struct derivative_run {
    zm_solver *s;
    const zm_problem *problems;
    const void *const *T;
    zm_derivative_fn *fn;
    const void *ctx;
} derivative_run;

static zm_status derive_one(void *ctx, size_t i, int32_t thread, zm_error *err)
{
    const derivative_run *run = ctx;
    zm_problem problem;
    zm_engine_view view;

    ZM_TRY(zm_problem_read_at(&problem, run->problems, i, err));
    ZM_TRY(zm_record_open(&view, run->s, i, thread, &problem, run->T[i], true, err));
    return run->fn(run->ctx, i, &view, err);
}

zm_status zm_derivative_all(zm_solver *s, const zm_problem *problems, size_t n,
                            const void *const *T, zm_derivative_fn *fn, const void *ctx,
                            zm_error *err)
{
    derivative_run run = { s, problems, T, fn, ctx };

    if (n > (size_t)s->opts.batch)
        return zm_fail(err, ZM_E_ARG, -1,
                       "%zu problems, the solver was made for a batch of %d", n,
                       (int)s->opts.batch);
    return zm_batch_all(s->opts.threads, n, "problem", derive_one, &run, err);
}
