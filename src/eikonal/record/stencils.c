/* SPDX-License-Identifier: Apache-2.0
 * The winning triangles in the numbering of the paper. */
#include <math.h>

#include "eikonal/record/derivative.h"
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

/* The code of a cell that a march reached; offsets of fans run clockwise on the screen from
 * E, those of the paper the other way round from NW. */
static uint8_t marched_code(const zm_step *s)
{
    static const uint8_t neighbour[3][3] = { { 0, 7, 6 }, { 1, 255, 5 }, { 2, 3, 4 } };
    uint8_t k[2];

    if (s->kind != ZM_STEP_DONORS)
        return s->kind == ZM_STEP_SOURCE ? ZM_STENCIL_SOURCE : ZM_STENCIL_UNREACHED;
    for (int i = 0; i < 2; i++) {
        const zm_offset m = s->m[i];

        if ((i ? s->w < 1 : s->w > 0) && (m.x < -1 || m.x > 1 || m.y < -1 || m.y > 1))
            return s->w == 0 || s->w == 1 ? ZM_STENCIL_WIDE_ONE_POINT : ZM_STENCIL_WIDE;
        k[i] = m.x < -1 || m.x > 1 || m.y < -1 || m.y > 1 ? 255 : neighbour[m.y + 1][m.x + 1];
    }
    if (s->w == 0 || s->w == 1)
        return (uint8_t)(ZM_STENCIL_ONE_POINT + k[s->w == 0]);
    return k[1]; /* the one with the smaller number, modulo 8 */
}

/* Weight of the first donor in the order of the paper: of the only, or of the second in the
 * order of the fan. */
static double marched_weight(const zm_step *s)
{
    if (s->kind != ZM_STEP_DONORS)
        return 0.0;
    return s->w == 0 || s->w == 1 ? 1.0 : 1 - s->w;
}

static void marched_stencils(const zm_march *m, uint8_t *codes, double *weights)
{
    for (size_t i = 0; i < m->cells; i++) {
        if (codes)
            codes[i] = marched_code(&m->steps[i]);
        if (weights)
            weights[i] = marched_weight(&m->steps[i]);
    }
}

zm_status zm_stencils(zm_solver *solver, const zm_problem *problem, const void *T,
                      uint8_t *codes, double *weights, zm_error *err)
{
    const zm_derivative_job job = { solver, solver->lanes, solver->threads,
                                    &solver->records[0], problem, T };
    const zm_status st = zm_derivative_check(&job, err);

    if (st != ZM_OK)
        return st;
    if (job.record->marched) {
        const zm_status ready = zm_march_ready(solver, job.record, problem, T, err);

        if (ready != ZM_OK)
            return ready;
        marched_stencils(job.record->march, codes, weights);
        return ZM_OK;
    }
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
