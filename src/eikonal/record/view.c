/* SPDX-License-Identifier: Apache-2.0
 * Looking at a solved problem. */
#include "eikonal/record/view.h"

#include "core/batch.h"
#include "core/fail.h"
#include "core/options.h"

/* The view is complete but for the problem. */
static zm_status view_fill(zm_engine_view *v, const zm_problem *problems, size_t i,
                           zm_problem *problem, bool derivatives, zm_error *err)
{
    if (!v->record->engine)
        return zm_fail(err, ZM_E_STATE, -1,
                       "no solve to look at: call zm_forward on this solver first");
    ZM_TRY(zm_problem_read_at(problem, problems, i, err));
    if (!v->T)
        return zm_fail(err, ZM_E_ARG, -1,
                       "T is NULL, must be what zm_forward returned");
    ZM_TRY(zm_problem_check_shape(v->s->grid, problem, err));
    ZM_TRY(zm_problem_check_dtype(problem, v->s->dtype, err));
    if (problem->n_sources != v->record->n_sources ||
        problem->n_intervals != v->record->n_intervals)
        return zm_record_changed(err);
    v->problem = problem;
    return v->record->engine->prepare(v, derivatives, err);
}

zm_status zm_record_open(zm_engine_view *view, zm_solver *s, size_t slot,
                         const zm_problem *given, zm_problem *problem, const void *T,
                         bool derivatives, zm_error *err)
{
    if (slot >= (size_t)s->opts.batch)
        return zm_fail(err, ZM_E_ARG, -1,
                       "slot %zu, the solver was made for a batch of %d", slot,
                       (int)s->opts.batch);
    *view = (zm_engine_view){ .s = s,
                              .workspaces = s->workspaces,
                              .threads = s->opts.threads,
                              .record = &s->records[slot],
                              .T = T };
    return view_fill(view, given, 0, problem, derivatives, err);
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
    zm_engine_view view = { .s = run->s,
                            .workspaces = &run->s->workspaces[thread],
                            .threads = 1,
                            .record = &run->s->records[i],
                            .T = run->T[i] };
    const zm_status st = view_fill(&view, run->problems, i, &problem, true, err);

    return st == ZM_OK ? run->fn(run->ctx, i, &view, err) : st;
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
    return zm_batch_all(s->opts.threads, n, derive_one, &run, err);
}
