/* SPDX-License-Identifier: Apache-2.0
 * Jacobian-vector products: from a change of the parameters to that of the times. */
#include <math.h>

#include "eikonal/record/derivative.h"
#include "zermelo/adjoint.h"

/* Offset of the winning donor point from the cell, in cells. */
static inline void donor_point(uint8_t code, double t, double *x, double *y)
{
    const double n = code & 1 ? 1.0 : -1.0;

    *x = code & 2 ? n : t;
    *y = code & 2 ? t : n;
}

static inline double change_at(const void *plane, zm_dtype dtype, size_t i)
{
    return zm_plane_value_or(plane, dtype, i, 0.0);
}

/* dF = (m' dG m) / (2 |m|_G) + m.db  of one cell with its donor at m. */
static double own_change(const zm_solver *s, const zm_problem *p, const zm_direction *d,
                         uint8_t code, double t, size_t i)
{
    const zm_cell_metric m = zm_metric_at(&p->metric, i);
    const zm_dtype type = s->dtype;
    const double d11 = change_at(d->g11, type, i);
    const double d22 = p->metric.g22 ? change_at(d->g22, type, i) : d11;
    double x, y;

    donor_point(code, t, &x, &y);
    x *= s->grid.dx;
    y *= s->grid.dy;
    const double norm = sqrt(m.g11 * x * x + 2 * m.g12 * x * y + m.g22 * y * y);
    const double dG = d11 * x * x + 2 * change_at(d->g12, type, i) * x * y + d22 * y * y;

    return dG / (2 * norm) + change_at(d->b1, type, i) * x + change_at(d->b2, type, i) * y;
}

/* value = dF where a cell has donors, else 0. */
static void own_changes(const zm_solver *s, const zm_record *record, const zm_problem *p,
                        const zm_direction *d, double *value)
{
    for (size_t i = 0; i < s->cells; i++) {
        const uint8_t code = record->code[i];

        value[i] = code & ZM_CODE_NONE
                       ? 0.0
                       : own_change(s, p, d, code, zm_plane_value(record->offset, s->dtype, i), i);
    }
}

static void source_changes(const zm_solver *s, zm_lane *lane, const zm_record *record,
                           const zm_problem *p, const double *d_times, double *value)
{
    const uint32_t *winner = zm_source_winners(s, lane, p);

    for (size_t i = 0; i < p->n_sources; i++) {
        const size_t cell = zm_source_cell(s->grid, &p->sources[i]);

        if (winner[cell] == i && record->code[cell] == ZM_CODE_SOURCE)
            value[cell] = d_times[i];
    }
}

static zm_status result_store(const zm_derivative_job *job, const double *value, void *dT,
                              zm_error *err)
{
    const zm_solver *s = job->s;

    for (size_t i = 0; i < s->cells; i++) {
        const double v = zm_derivative_unreached(job, i) ? 0.0 : value[i];

        if (!isfinite(v))
            return zm_fail(err, ZM_E_ARG, (int64_t)i,
                           "the derivative is not finite at row %zu, col %zu: the direction "
                           "has a value that is not, there or on the way from a source",
                           i / (size_t)s->grid.cols, i % (size_t)s->grid.cols);
        if (s->dtype == ZM_F32)
            ((float *)dT)[i] = (float)v;
        else
            ((double *)dT)[i] = v;
    }
    return ZM_OK;
}

static zm_status tangent(const zm_derivative_job *job, const zm_direction *d, void *dT,
                         zm_error *err)
{
    double *value = job->lanes->lambda;
    zm_status st;

    if (!job->problem || !d || !dT)
        return zm_fail(err, ZM_E_ARG, -1, "problem, direction or dT is NULL");
    if (!job->problem->metric.g22 && d->g22)
        return zm_fail(err, ZM_E_ARG, -1,
                       "the metric has no g22 of its own, it moves with g11: leave the "
                       "direction's g22 NULL");
    if ((st = zm_derivative_begin(job, err)) != ZM_OK ||
        (st = zm_derivative_check_places(job, d->source_rows || d->source_cols, err)) != ZM_OK)
        return st;
    if (job->record->marched) {
        zm_march_tangent(job->record->march, job->problem, d, value);
        return result_store(job, value, dT, err);
    }
    own_changes(job->s, job->record, job->problem, d, value);
    if (d->source_times)
        source_changes(job->s, job->lanes, job->record, job->problem, d->source_times, value);
    const bool settled = zm_graph_pull(job->s, job->lanes, job->record, value);

    st = result_store(job, value, dT, err);
    return st == ZM_OK ? zm_derivative_settled(settled, err) : st;
}

zm_status zm_tangent(zm_solver *solver, const zm_problem *problem, const void *T,
                     const zm_direction *direction, void *dT, zm_error *err)
{
    const zm_derivative_job job = { solver, solver->lanes, solver->threads,
                                    &solver->records[0], problem, T };

    return tangent(&job, direction, dT, err);
}

typedef struct tangent_batch {
    const zm_direction *directions;
    void *const *dT;
} tangent_batch;

static zm_status tangent_one(void *ctx, size_t i, const zm_derivative_job *job, zm_error *err)
{
    const tangent_batch *b = ctx;

    return tangent(job, &b->directions[i], b->dT[i], err);
}

zm_status zm_tangent_batch(zm_solver *solver, const zm_problem *problems, size_t n,
                           const void *const *T, const zm_direction *directions,
                           void *const *dT, zm_error *err)
{
    tangent_batch b = { directions, dT };

    if (n && (!problems || !T || !directions || !dT))
        return zm_fail(err, ZM_E_ARG, -1, "problems, T, directions or dT is NULL");
    return zm_derivative_batch(solver, problems, n, T, tangent_one, &b, err);
}
