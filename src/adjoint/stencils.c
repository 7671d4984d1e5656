/* SPDX-License-Identifier: Apache-2.0
 * The winning triangles in the numbering of the paper. */
#include <math.h>

#include "adjoint/derivative.h"
#include "zermelo/diagnose.h"

/* By winning sweep (from N, S, W, E) and side of the diagonal donor (+t, -t). */
static const uint8_t TRIANGLE[4][2] = { { 6, 7 }, { 3, 2 }, { 1, 0 }, { 4, 5 } };
static const uint8_t AXIS[4] = { 7, 3, 1, 5 };
static const uint8_t DIAGONAL[4][2] = { { 6, 0 }, { 4, 2 }, { 2, 0 }, { 4, 6 } };

static uint8_t public_code(uint8_t code)
{
    const int from = code & 3, back = (code & ZM_CODE_BACK) != 0;

    if (code == ZM_CODE_SOURCE)
        return ZM_STENCIL_SOURCE;
    if (code & ZM_CODE_NONE)
        return ZM_STENCIL_UNREACHED;
    if (code & ZM_CODE_AXIS)
        return (uint8_t)(ZM_STENCIL_ONE_POINT + AXIS[from]);
    if (code & ZM_CODE_DIAGONAL)
        return (uint8_t)(ZM_STENCIL_ONE_POINT + DIAGONAL[from][back]);
    return TRIANGLE[from][back];
}

/* Weight of the first donor of a triangle, the one with the triangle's own number. */
static double first_weight(uint8_t code, double t)
{
    const int from = code & 3, back = (code & ZM_CODE_BACK) != 0;

    if (code & ZM_CODE_NONE)
        return 0.0;
    if (code & (ZM_CODE_AXIS | ZM_CODE_DIAGONAL))
        return 1.0;
    return DIAGONAL[from][back] == TRIANGLE[from][back] ? fabs(t) : 1.0 - fabs(t);
}

zm_status zm_stencils(zm_solver *solver, const zm_problem *problem, const void *T,
                      uint8_t *codes, double *weights, zm_error *err)
{
    const zm_derivative_job job = { solver, solver->lanes, solver->threads,
                                    &solver->records[0], problem, T };
    const zm_status st = zm_derivative_check(&job, err);

    if (st != ZM_OK)
        return st;
    zm_graph_stencils(job.s, job.lanes, job.record, problem, T, job.threads);
    for (size_t i = 0; i < solver->cells; i++) {
        const uint8_t code =
            zm_derivative_unreached(&job, i) ? ZM_CODE_UNREACHED : job.record->code[i];

        if (codes)
            codes[i] = public_code(code);
        if (weights)
            weights[i] = first_weight(code, zm_plane_value(job.record->offset, solver->dtype, i));
    }
    return ZM_OK;
}
