/* SPDX-License-Identifier: Apache-2.0
 * Solves that tiles cannot do: adaptive stencils, order 2, factoring, closed grids. */
#include <math.h>

#include "eikonal/blocks/fan_solve.h"
#include "eikonal/blocks/solve.h"
#include "eikonal/marching/march.h"

bool zm_solve_must_march(const zm_solver *s, const zm_problem *problem)
{
    return s->scheme.order > 1 || s->scheme.factor_radius > 0 || s->scheme.periodic_x ||
           s->scheme.periodic_y || zm_problem_check_whole(problem, NULL) != ZM_OK;
}

static void time_store(const zm_solver *s, void *T, size_t cell, double time)
{
    if (s->dtype == ZM_F32)
        ((float *)T)[cell] = (float)time;
    else
        ((double *)T)[cell] = time;
}

/* Whether tiles can do it: one march less, if the offsets are not too long. */
static bool tiles_can(const zm_solver *s, const zm_problem *problem)
{
    return !zm_solve_must_march(s, problem) && !problem->walls &&
           s->kernel != zm_kernel_find((int)s->dtype, ZM_ISA_SCALAR);
}

static zm_status solve_on_tiles(zm_solver *s, zm_lane *lane, zm_record *record,
                                const zm_problem *problem, void *T,
                                const zm_forward_opts *opts, zm_report *report,
                                zm_error *err)
{
    const double start = zm_problem_start(problem);
    const zm_fan_grid *g;
    zm_status st = ZM_OK;

    if (!lane->fan)
        st = zm_fan_work_create(&lane->fan, s->grid, (int)s->isa, &s->mem, err);
    if (st == ZM_OK)
        st = zm_fan_solve(lane->fan, problem, opts, report, err);
    if (st != ZM_OK)
        return st;
    g = &lane->fan->g;
    for (size_t row = 0, cell = 0; row < (size_t)g->rows; row++)
        for (size_t col = 0; col < (size_t)g->cols; col++, cell++) {
            const double time = g->T[row * g->T_stride + col] + start;

            time_store(s, T, cell, time > opts->t_max ? (double)INFINITY : time);
        }
    record->adopt = true;
    return ZM_OK;
}

static zm_status march(zm_solver *s, zm_record *record, const zm_problem *problem,
                       void *T, const zm_forward_opts *opts, zm_report *report,
                       zm_error *err)
{
    const zm_march_stop stop = {
        .t_max = opts->t_max,
        .targets = opts->targets,
        .most_cells = opts->max_cells > 0 ? (size_t)opts->max_cells : SIZE_MAX,
        .progress = opts->progress,
        .progress_ctx = opts->progress_ctx,
    };
    zm_status st = ZM_OK;

    if (!record->march)
        st = zm_march_create(&record->march, s->grid, &s->scheme, &s->mem, err);
    if (st == ZM_OK)
        st = zm_march_solve(record->march, problem, &stop, err);
    if (st != ZM_OK)
        return st;
    for (size_t i = 0; i < s->cells; i++)
        time_store(s, T, i, record->march->T[i]);
    record->adopt = false;
    if (report)
        *report = (zm_report){ .iterations = 1,
                               .updates = (int64_t)record->march->n_updates,
                               .converged = 1,
                               .threads = 1,
                               .method = ZM_SOLVED_BY_MARCH };
    return ZM_OK;
}

zm_status zm_solve_march(zm_solver *s, zm_lane *lane, zm_record *record,
                         const zm_problem *problem, void *T,
                         const zm_forward_opts *opts, zm_report *report, zm_error *err)
{
    zm_status st = ZM_E_UNSUPPORTED;

    if (tiles_can(s, problem))
        st = solve_on_tiles(s, lane, record, problem, T, opts, report, err);
    if (st == ZM_E_UNSUPPORTED)
        st = march(s, record, problem, T, opts, report, err);
    if (st != ZM_OK)
        return st;
    record->marched = true;
    record->state = ZM_RECORD_ORDERED;
    return ZM_OK;
}

zm_status zm_march_ready(zm_solver *s, zm_record *record, const zm_problem *problem,
                         const void *T, zm_error *err)
{
    zm_status st = ZM_OK;

    if (record->adopt) {
        if (!record->march)
            st = zm_march_create(&record->march, s->grid, &s->scheme, &s->mem, err);
        if (st == ZM_OK)
            st = zm_march_adopt(record->march, problem, T, err);
        record->adopt = st != ZM_OK;
    }
    if (st == ZM_OK)
        zm_march_steps(record->march);
    return st;
}
