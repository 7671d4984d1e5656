/* SPDX-License-Identifier: Apache-2.0
 * Jacobian-vector products: from a change of the parameters to that of the times. */
#include <math.h>

#include "core/fail.h"
#include "core/options.h"
#include "eikonal/record/view.h"
#include "zermelo/adjoint.h"

static zm_status result_store(const zm_engine_view *v, zm_nonfinite nonfinite,
                              double *value, void *dT, zm_error *err)
{
    v->record->engine->clear(v, value);
    for (size_t i = 0; i < v->s->cells; i++) {
        if (nonfinite == ZM_NONFINITE_REFUSE && !isfinite(value[i]))
            return zm_fail(
                err, ZM_E_ARG, (int64_t)i,
                "the derivative is not finite at row %zu, col %zu: the direction "
                "has a value that is not, there or on the way from a source",
                i / (size_t)v->s->grid.cols, i % (size_t)v->s->grid.cols);
        zm_plane_store(dT, v->s->dtype, i, value[i]);
    }
    return ZM_OK;
}

typedef struct tangent_run {
    const zm_direction *directions;
    void *const *dT;
} tangent_run;

static zm_status tangent_one(const void *ctx, size_t i, const zm_engine_view *v,
                             zm_error *err)
{
    const tangent_run *run = ctx;
    double *value = v->workspaces->lambda;
    zm_direction d = ZM_DIRECTION_INIT;
    zm_status st;

    ZM_TRY(zm_options_read_at(&d, sizeof d, run->directions, i, "zm_direction", err));
    ZM_TRY(zm_nonfinite_check(d.nonfinite, err));
    if (!run->dT[i])
        return zm_fail(err, ZM_E_ARG, -1, "dT is NULL");
    if (!v->problem->metric.g22 && d.g22)
        return zm_fail(err, ZM_E_ARG, -1,
                       "the metric has no g22 of its own, it moves with g11: leave the "
                       "direction's g22 NULL");
    ZM_TRY(zm_derivative_check_places(v->problem, d.source_rows || d.source_cols, err));
    if ((st = v->record->engine->tangent(v, &d, value, err)) < 0)
        return st;
    ZM_TRY(result_store(v, d.nonfinite, value, run->dT[i], err));
    return st;
}

zm_status zm_tangent(zm_solver *solver, const zm_problem *problem, const void *T,
                     const zm_direction *direction, void *dT, zm_error *err)
{
    const tangent_run run = { direction, &dT };
    zm_engine_view view;

    if (!problem || !direction || !dT)
        return zm_fail(err, ZM_E_ARG, -1, "problem, direction or dT is NULL");
    ZM_TRY(
        zm_record_open(&view, solver, 0, ZM_RECORD_ALL_THREADS, problem, T, true, err));
    return tangent_one(&run, 0, &view, err);
}

zm_status zm_tangent_batch(zm_solver *solver, const zm_problem *problems, size_t n,
                           const void *const *T, const zm_direction *directions,
                           void *const *dT, zm_error *err)
{
    const tangent_run run = { directions, dT };

    if (n && (!problems || !T || !directions || !dT))
        return zm_fail(err, ZM_E_ARG, -1, "problems, T, directions or dT is NULL");
    return zm_derivative_all(solver, problems, n, T, tangent_one, &run, err);
}
