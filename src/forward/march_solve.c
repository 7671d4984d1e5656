/* SPDX-License-Identifier: Apache-2.0
 * Solves that tiles cannot do: adaptive stencils, order 2, factoring, closed grids. */
#include <math.h>

#include "forward/solve.h"
#include "march/march.h"

bool zm_solve_must_march(const zm_solver *s, const zm_problem *problem,
                         const zm_forward_opts *opts)
{
    return s->scheme.order > 1 || s->scheme.factor_radius > 0 || s->scheme.periodic_x ||
           s->scheme.periodic_y || opts->targets || opts->max_cells > 0 ||
           zm_problem_check_whole(problem, NULL) != ZM_OK;
}

zm_status zm_solve_march(zm_solver *s, zm_record *record, const zm_problem *problem, void *T,
                         const zm_forward_opts *opts, zm_report *report, zm_error *err)
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
    for (size_t i = 0; i < s->cells; i++) {
        if (s->dtype == ZM_F32)
            ((float *)T)[i] = (float)record->march->T[i];
        else
            ((double *)T)[i] = record->march->T[i];
    }
    record->marched = true;
    record->state = ZM_RECORD_ORDERED;
    if (report)
        *report = (zm_report){ .iterations = 1,
                               .updates = (int64_t)record->march->n_updates,
                               .converged = 1,
                               .threads = 1 };
    return ZM_OK;
}
