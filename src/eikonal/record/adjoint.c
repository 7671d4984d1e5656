/* SPDX-License-Identifier: Apache-2.0
 * Vector-Jacobian products: from dL/dT to the derivatives with respect to every parameter. */
#include "zermelo/adjoint.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "eikonal/problem/unit.h"
#include "eikonal/record/view.h"

/* Of bits that are added up: the exponent of some value was all ones. */
enum { SPOILT_SHIFT = 11 };

static inline uint64_t spoilt_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return ((bits >> 52) & 0x7FF) + 1;
}

/* dL/dT in double.  False: some value is not finite. */
static bool cotangent_widen(const zm_solver *s, const void *dL_dT, double *lambda)
{
    uint64_t spoilt = 0;

    if (s->dtype == ZM_F32) {
        for (size_t i = 0; i < s->cells; i++)
            spoilt |= spoilt_bits(lambda[i] = (double)((const float *)dL_dT)[i]);
    } else {
        for (size_t i = 0; i < s->cells; i++)
            spoilt |= spoilt_bits(lambda[i] = ((const double *)dL_dT)[i]);
    }
    return !(spoilt >> SPOILT_SHIFT);
}

/* lambda = dL/dT in reached cells, else 0. */
static zm_status cotangent_load(const zm_engine_view *v, const void *dL_dT,
                                zm_nonfinite nonfinite, double *lambda, zm_error *err)
{
    const bool finite = cotangent_widen(v->s, dL_dT, lambda);

    v->record->engine->clear(v, lambda);
    if (finite || nonfinite == ZM_NONFINITE_PROPAGATE)
        return ZM_OK;
    for (size_t i = 0; i < v->s->cells; i++)
        if (!isfinite(lambda[i]))
            return zm_fail(
                err, ZM_E_ARG, (int64_t)i,
                "dL_dT is %g at row %zu, col %zu, must be finite where the front "
                "arrives",
                lambda[i], i / (size_t)v->s->grid.cols, i % (size_t)v->s->grid.cols);
    return ZM_OK;
}

typedef struct adjoint_run {
    const void *const *dL_dT;
    const zm_gradient *out;
} adjoint_run;

static zm_status adjoint_one(const void *ctx, size_t i, const zm_engine_view *v,
                             zm_error *err)
{
    const adjoint_run *run = ctx;
    double *lambda = v->workspaces->lambda;
    zm_gradient out = ZM_GRADIENT_INIT;

    ZM_TRY(zm_options_read_at(&out, sizeof out, run->out, i, "zm_gradient", err));
    ZM_TRY(zm_nonfinite_check(out.nonfinite, err));
    if (!run->dL_dT[i])
        return zm_fail(err, ZM_E_ARG, -1, "dL_dT is NULL");
    if (!v->problem->metric.g22 && out.g22)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "the metric has no g22 of its own, so its derivative is part of that "
            "with respect to g11: leave it NULL");
    ZM_TRY(zm_derivative_check_places(v->problem, out.source_rows || out.source_cols,
                                      err));
    ZM_TRY(zm_unit_check_derivatives(
        v->s->dtype, v->s->grid, v->record->unit,
        out.g11 || out.g12 || out.g22 || out.intervals || out.take,
        out.b1 || out.b2, err));
    ZM_TRY(cotangent_load(v, run->dL_dT[i], out.nonfinite, lambda, err));
    return v->record->engine->adjoint(v, lambda, &out, err);
}

zm_status zm_adjoint(zm_solver *solver, const zm_problem *problem, const void *T,
                     const void *dL_dT, const zm_gradient *out, zm_error *err)
{
    const adjoint_run run = { &dL_dT, out };
    zm_engine_view view;

    if (!problem || !dL_dT || !out)
        return zm_fail(err, ZM_E_ARG, -1, "problem, dL_dT or out is NULL");
    ZM_TRY(
        zm_record_open(&view, solver, 0, ZM_RECORD_ALL_THREADS, problem, T, true, err));
    return adjoint_one(&run, 0, &view, err);
}

zm_status zm_adjoint_batch(zm_solver *solver, const zm_problem *problems, size_t n,
                           const void *const *T, const void *const *dL_dT,
                           const zm_gradient *out, zm_error *err)
{
    const adjoint_run run = { dL_dT, out };

    if (n && (!problems || !T || !dL_dT || !out))
        return zm_fail(err, ZM_E_ARG, -1, "problems, T, dL_dT or out is NULL");
    return zm_derivative_all(solver, problems, n, T, adjoint_one, &run, err);
}
