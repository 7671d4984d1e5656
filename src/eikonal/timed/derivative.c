/* SPDX-License-Identifier: Apache-2.0
 * The public side of derivatives through bands. */
#include <math.h>

#include "eikonal/timed/bands.h"
#include "core/batch.h"
#include "core/fail.h"

/* The record belongs to a finished solve of this problem, as far as can be seen. */
static zm_status begin(const zm_bands *b, zm_bands_slot *s, const zm_bands_problem *p,
                       zm_error *err)
{
    zm_status st = zm_bands_check(b, p, err);

    if (st != ZM_OK)
        return st;
    if (s->state == ZM_BANDS_NO_RECORD)
        return zm_fail(
            err, ZM_E_STATE, -1,
            "no record of a solve: call zm_bands_solve with this problem first");
    if (s->metrics.n_bands != p->n_bands)
        return zm_fail(err, ZM_E_STATE, -1,
                       "the problem has %zu bands, the last one solved had %zu",
                       p->n_bands, s->metrics.n_bands);
    return zm_bands_weigh(s, p, err);
}

/* lambda = dL/dT in reached cells, else 0. */
static zm_status cotangent_load(const zm_bands *b, zm_bands_slot *s, const void *dL_dT,
                                zm_error *err)
{
    for (size_t i = 0; i < b->cells; i++) {
        s->lambda[i] = s->rank[i] < 0 ? 0 : zm_plane_value(dL_dT, b->dtype, i);
        if (!isfinite(s->lambda[i]))
            return zm_fail(err, ZM_E_ARG, (int64_t)i,
                           "dL_dT is %g at row %zu, col %zu, must be finite where the "
                           "front arrives",
                           s->lambda[i], i / (size_t)b->grid.cols,
                           i % (size_t)b->grid.cols);
    }
    return ZM_OK;
}

static bool is_shared(const zm_bands_problem *p, size_t band)
{
    return p->bands && !p->bands[band].metric.g22;
}

static zm_status gradient_check(const zm_bands_problem *p, const zm_bands_gradient *out,
                                zm_error *err)
{
    for (size_t k = 0; out->bands && k < p->n_bands; k++) {
        const zm_gradient *g = &out->bands[k];

        if (is_shared(p, k) && g->g22)
            return zm_fail(
                err, ZM_E_ARG, -1,
                "band %zu has no g22 of its own, so its derivative is part of "
                "that by g11: leave it NULL",
                k);
        if (g->source_times || g->source_rows || g->source_cols)
            return zm_fail(
                err, ZM_E_ARG, -1,
                "band %zu: derivatives by sources do not belong to a band, leave "
                "source_times, source_rows and source_cols NULL",
                k);
    }
    return ZM_OK;
}

static zm_status direction_check(const zm_bands_problem *p, const zm_bands_direction *d,
                                 zm_error *err)
{
    if (d->bands && d->fill)
        return zm_fail(err, ZM_E_ARG, -1, "direction: give either bands or fill");
    for (size_t k = 0; d->bands && k < p->n_bands; k++) {
        const zm_direction *g = &d->bands[k];

        if (is_shared(p, k) && g->g22)
            return zm_fail(
                err, ZM_E_ARG, -1,
                "band %zu has no g22 of its own, it moves with g11: leave the "
                "direction's g22 NULL",
                k);
        if (g->source_times || g->source_rows || g->source_cols)
            return zm_fail(err, ZM_E_ARG, -1,
                           "band %zu: moves of sources do not belong to a band, leave "
                           "source_times, source_rows and source_cols NULL",
                           k);
    }
    return ZM_OK;
}

static zm_status adjoint(const zm_bands *b, zm_bands_slot *s, const zm_bands_problem *p,
                         const void *dL_dT, const zm_bands_gradient *out, zm_error *err)
{
    zm_status st;

    if (!dL_dT || !out)
        return zm_fail(err, ZM_E_ARG, -1, "dL_dT or out is NULL");
    if ((st = begin(b, s, p, err)) != ZM_OK ||
        (st = gradient_check(p, out, err)) != ZM_OK ||
        (st = cotangent_load(b, s, dL_dT, err)) != ZM_OK)
        return st;
    return zm_bands_push(s, p, b->dtype, out, err);
}

/* dT of the handle's type; the direction must have been finite. */
static zm_status result_store(const zm_bands *b, const zm_bands_slot *s, void *dT,
                              zm_error *err)
{
    for (size_t i = 0; i < b->cells; i++) {
        if (!isfinite(s->lambda[i]))
            return zm_fail(
                err, ZM_E_ARG, (int64_t)i,
                "the derivative is not finite at row %zu, col %zu: the direction "
                "has a value that is not, there or on the way from a source",
                i / (size_t)b->grid.cols, i % (size_t)b->grid.cols);
        if (b->dtype == ZM_F32)
            ((float *)dT)[i] = (float)s->lambda[i];
        else
            ((double *)dT)[i] = s->lambda[i];
    }
    return ZM_OK;
}

static zm_status tangent(const zm_bands *b, zm_bands_slot *s, const zm_bands_problem *p,
                         const zm_bands_direction *d, void *dT, zm_error *err)
{
    zm_status st, stored;

    if (!d || !dT)
        return zm_fail(err, ZM_E_ARG, -1, "direction or dT is NULL");
    if ((st = begin(b, s, p, err)) != ZM_OK ||
        (st = direction_check(p, d, err)) != ZM_OK)
        return st;
    if ((st = zm_bands_pull(s, b->dtype, d, err)) < 0)
        return st;
    stored = result_store(b, s, dT, err);
    return stored < 0 ? stored : st;
}

zm_status zm_bands_adjoint(zm_bands *bands, const zm_bands_problem *problem,
                           const void *dL_dT, const zm_bands_gradient *out,
                           zm_error *err)
{
    return adjoint(bands, bands->slots[0], problem, dL_dT, out, err);
}

zm_status zm_bands_tangent(zm_bands *bands, const zm_bands_problem *problem,
                           const zm_bands_direction *direction, void *dT, zm_error *err)
{
    return tangent(bands, bands->slots[0], problem, direction, dT, err);
}

/* Both kinds of batches. */
typedef struct derivative_batch {
    const zm_bands *b;
    const zm_bands_problem *problems;
    size_t n;
    const void *const *dL_dT;
    const zm_bands_gradient *out;
    const zm_bands_direction *directions;
    void *const *dT;
} derivative_batch;

static zm_status batch_adjoint(void *ctx, size_t i, int32_t thread, zm_error *err)
{
    const derivative_batch *run = ctx;
    zm_bands_slot *slot = zm_bands_slot_of(run->b, run->n, i, thread);

    return adjoint(run->b, slot, &run->problems[i], run->dL_dT[i], &run->out[i], err);
}

static zm_status batch_tangent(void *ctx, size_t i, int32_t thread, zm_error *err)
{
    const derivative_batch *run = ctx;
    zm_bands_slot *slot = zm_bands_slot_of(run->b, run->n, i, thread);

    return tangent(run->b, slot, &run->problems[i], &run->directions[i], run->dT[i],
                   err);
}

static zm_status batch_check(const zm_bands *b, size_t n, zm_error *err)
{
    if (n > (size_t)b->opts.batch)
        return zm_fail(err, ZM_E_ARG, -1, "%zu problems, the handle keeps %d records",
                       n, (int)b->opts.batch);
    return ZM_OK;
}

zm_status zm_bands_adjoint_batch(zm_bands *bands, const zm_bands_problem *problems,
                                 size_t n, const void *const *dL_dT,
                                 const zm_bands_gradient *out, zm_error *err)
{
    derivative_batch run = {
        .b = bands, .problems = problems, .n = n, .dL_dT = dL_dT, .out = out
    };
    const zm_status st = batch_check(bands, n, err);

    if (st != ZM_OK)
        return st;
    if (n && (!problems || !dL_dT || !out))
        return zm_fail(err, ZM_E_ARG, -1, "problems, dL_dT or out is NULL");
    return zm_batch_all(zm_bands_threads(bands), n, batch_adjoint, &run, err);
}

zm_status zm_bands_tangent_batch(zm_bands *bands, const zm_bands_problem *problems,
                                 size_t n, const zm_bands_direction *directions,
                                 void *const *dT, zm_error *err)
{
    derivative_batch run = {
        .b = bands, .problems = problems, .n = n, .directions = directions, .dT = dT
    };
    const zm_status st = batch_check(bands, n, err);

    if (st != ZM_OK)
        return st;
    if (n && (!problems || !directions || !dT))
        return zm_fail(err, ZM_E_ARG, -1, "problems, directions or dT is NULL");
    return zm_batch_all(zm_bands_threads(bands), n, batch_tangent, &run, err);
}
