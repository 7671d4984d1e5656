/* SPDX-License-Identifier: Apache-2.0
 * Vector-Jacobian products: from dL/dT to the derivatives by every parameter. */
#include "zermelo/adjoint.h"

#include <math.h>
#include <stdatomic.h>

#include "eikonal/record/derivative.h"
#include "core/parallel.h"

/* lambda = dL/dT in reached cells, else 0. */
static zm_status cotangent_load(const zm_derivative_job *job, const void *dL_dT,
                                double *lambda, zm_error *err)
{
    const zm_solver *s = job->s;
    double spoilt = 0.0; /* NaN as soon as one value is not finite */

    for (size_t i = 0; i < s->cells; i++) {
        const double g = zm_plane_value(dL_dT, s->dtype, i);

        lambda[i] = zm_derivative_unreached(job, i) ? 0.0 : g;
        spoilt += 0.0 * lambda[i];
    }
    if (spoilt == 0.0)
        return ZM_OK;
    for (size_t i = 0; i < s->cells; i++)
        if (!isfinite(lambda[i]))
            return zm_fail(err, ZM_E_ARG, (int64_t)i,
                           "dL_dT is %g at row %zu, col %zu, must be finite where the front "
                           "arrives",
                           lambda[i], i / (size_t)s->grid.cols, i % (size_t)s->grid.cols);
    return ZM_OK;
}

typedef struct gradient_run {
    const zm_solver *s;
    const zm_record *record;
    const double *lambda;
    zm_tiling g;
    zm_plane_set out;
    bool isotropic;
    atomic_int next; /* block of ZM_TILE rows */
} gradient_run;

static void gradient_thread(void *ctx, int32_t thread)
{
    gradient_run *run = ctx;
    const int32_t rows = run->g.rows;
    int32_t block;

    (void)thread;
    while ((block = atomic_fetch_add(&run->next, 1)) < run->g.tiles_y) {
        const int32_t row = block * ZM_TILE;
        const int32_t end = row + ZM_TILE < rows ? row + ZM_TILE : rows;

        run->s->kernel->gradient(&run->g, (size_t)row, (size_t)end, run->record->code,
                                 run->record->offset, run->lambda, &run->out,
                                 run->isotropic);
    }
}

/* Of several sources in one cell the one that counted gets the derivative. */
static void source_times(const zm_solver *s, zm_lane *lane, const zm_record *record,
                         const zm_problem *p, const double *lambda, double *out)
{
    uint32_t *winner = zm_source_winners(s, lane, p);

    for (size_t i = 0; i < p->n_sources; i++) {
        const size_t cell = zm_source_cell(s->grid, &p->sources[i]);

        out[i] = winner[cell] == i && record->code[cell] == ZM_CODE_SOURCE ? lambda[cell] : 0.0;
    }
}

static zm_status adjoint(const zm_derivative_job *job, const void *dL_dT,
                         const zm_gradient *out, zm_error *err)
{
    zm_solver *s = job->s;
    zm_lane *lane = job->lanes;
    const zm_problem *p = job->problem;
    gradient_run run = { .s = s, .record = job->record, .lambda = lane->lambda };
    zm_status st;

    if (!p || !dL_dT || !out)
        return zm_fail(err, ZM_E_ARG, -1, "problem, dL_dT or out is NULL");
    run.out = (zm_plane_set){ { out->g11, out->g12, out->g22, out->b1, out->b2 } };
    run.isotropic = !p->metric.g22;
    if (run.isotropic && out->g22)
        return zm_fail(err, ZM_E_ARG, -1,
                       "the metric has no g22 of its own, so its derivative is part of that "
                       "by g11: leave it NULL");
    if ((st = zm_derivative_begin(job, err)) != ZM_OK ||
        (st = zm_derivative_check_places(job, out->source_rows || out->source_cols, err)) !=
            ZM_OK ||
        (st = cotangent_load(job, dL_dT, lane->lambda, err)) != ZM_OK)
        return st;
    if (job->record->marched) {
        zm_march_adjoint(job->record->march, p, lane->lambda, out);
        return ZM_OK;
    }
    st = zm_derivative_settled(zm_graph_push(s, lane, job->record, lane->lambda), err);
    run.g = zm_solver_tiling(s, lane, job->record, p, job->T, 1.0);
    zm_parallel(job->threads, gradient_thread, &run);
    if (out->source_times)
        source_times(s, lane, job->record, p, lane->lambda, out->source_times);
    return st;
}

zm_status zm_adjoint(zm_solver *solver, const zm_problem *problem, const void *T,
                     const void *dL_dT, const zm_gradient *out, zm_error *err)
{
    const zm_derivative_job job = { solver, solver->lanes, solver->threads,
                                    &solver->records[0], problem, T };

    return adjoint(&job, dL_dT, out, err);
}

typedef struct adjoint_batch {
    const void *const *dL_dT;
    const zm_gradient *out;
} adjoint_batch;

static zm_status adjoint_one(void *ctx, size_t i, const zm_derivative_job *job, zm_error *err)
{
    const adjoint_batch *b = ctx;

    return adjoint(job, b->dL_dT[i], &b->out[i], err);
}

zm_status zm_adjoint_batch(zm_solver *solver, const zm_problem *problems, size_t n,
                           const void *const *T, const void *const *dL_dT,
                           const zm_gradient *out, zm_error *err)
{
    adjoint_batch b = { dL_dT, out };

    if (n && (!problems || !T || !dL_dT || !out))
        return zm_fail(err, ZM_E_ARG, -1, "problems, T, dL_dT or out is NULL");
    return zm_derivative_batch(solver, problems, n, T, adjoint_one, &b, err);
}
