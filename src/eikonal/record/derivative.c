/* SPDX-License-Identifier: Apache-2.0
 * What adjoint and tangent have in common. */
#include "eikonal/record/derivative.h"

#include "eikonal/batch.h"

zm_status zm_derivative_check(const zm_derivative_job *job, zm_error *err)
{
    zm_status st;

    if (job->record->state == ZM_RECORD_NONE)
        return zm_fail(err, ZM_E_STATE, -1,
                       "no solve to differentiate: call zm_forward on this solver first");
    if (!job->problem)
        return zm_fail(err, ZM_E_ARG, -1, "problem is NULL");
    if (!job->T)
        return zm_fail(err, ZM_E_ARG, -1, "T is NULL, must be what zm_forward returned");
    st = zm_problem_check_shape(job->s->grid, job->problem, err);
    return st == ZM_OK ? zm_solver_check_dtype(job->s, job->problem, err) : st;
}

zm_status zm_derivative_begin(const zm_derivative_job *job, zm_error *err)
{
    zm_status st = zm_derivative_check(job, err);

    if (st == ZM_OK && job->record->marched)
        st = zm_march_ready(job->s, job->record, job->problem, job->T, err);
    else if (st == ZM_OK)
        zm_graph_prepare(job->s, job->lanes, job->record, job->problem, job->T, job->threads);
    return st;
}

zm_status zm_derivative_check_places(const zm_derivative_job *job, bool places, zm_error *err)
{
    if (!places || zm_problem_check_whole(job->problem, NULL) != ZM_OK)
        return ZM_OK;
    return zm_fail(err, ZM_E_UNSUPPORTED, -1,
                   "all sources are in the middle of cells, where T is not differentiable by "
                   "their position: move one off a little (adaptive stencils)");
}

zm_status zm_derivative_settled(bool settled, zm_error *err)
{
    if (settled)
        return ZM_OK;
    return zm_fail(err, ZM_NOT_CONVERGED, -1,
                   "cells that are donors of each other did not settle: solve with tol = 0");
}

uint32_t *zm_source_winners(const zm_solver *s, zm_lane *lane, const zm_problem *p)
{
    uint32_t *winner = (uint32_t *)(void *)lane->scratch;

    for (size_t i = 0; i < p->n_sources; i++)
        winner[zm_source_cell(s->grid, &p->sources[i])] = UINT32_MAX;
    for (size_t i = 0; i < p->n_sources; i++) {
        uint32_t *w = &winner[zm_source_cell(s->grid, &p->sources[i])];

        if (*w == UINT32_MAX || p->sources[i].time < p->sources[*w].time)
            *w = (uint32_t)i;
    }
    return winner;
}

typedef struct derivative_batch {
    zm_solver *s;
    const zm_problem *problems;
    const void *const *T;
    zm_derivative_fn *fn;
    void *ctx;
} derivative_batch;

static zm_status batch_derive(void *ctx, size_t i, int32_t thread, zm_error *err)
{
    const derivative_batch *b = ctx;
    const zm_derivative_job job = { b->s, &b->s->lanes[thread], 1, &b->s->records[i],
                                    &b->problems[i], b->T[i] };

    return b->fn(b->ctx, i, &job, err);
}

zm_status zm_derivative_batch(zm_solver *s, const zm_problem *problems, size_t n,
                              const void *const *T, zm_derivative_fn *fn, void *ctx,
                              zm_error *err)
{
    derivative_batch b = { s, problems, T, fn, ctx };

    return zm_batch_run(s, n, batch_derive, &b, err);
}
