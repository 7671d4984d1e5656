/* SPDX-License-Identifier: Apache-2.0
 * Solves that tiles cannot do: adaptive stencils, order 2, factoring, closed grids. */
#include <math.h>

#include "forward/solve.h"
#include "march/march.h"

/* Walls that touch at a corner only: a diagonal step of the tiles passes between them. */
static bool walls_touch(zm_grid grid, const uint8_t *walls)
{
    const size_t cols = (size_t)grid.cols;

    for (size_t row = 0; row + 1 < (size_t)grid.rows; row++) {
        const uint8_t *above = walls + row * cols, *below = above + cols;

        for (size_t col = 0; col + 1 < cols; col++)
            if (!above[col] == !below[col + 1] && !above[col + 1] == !below[col] &&
                !above[col] != !below[col])
                return true;
    }
    return false;
}

bool zm_solve_must_march(const zm_solver *s, const zm_problem *problem,
                         const zm_forward_opts *opts)
{
    return s->scheme.order > 1 || s->scheme.factor_radius > 0 || s->scheme.periodic_x ||
           s->scheme.periodic_y || opts->targets || opts->max_cells > 0 ||
           zm_problem_check_whole(problem, NULL) != ZM_OK ||
           (s->stencils == ZM_STENCILS_ADAPTIVE && problem->walls &&
            walls_touch(s->grid, problem->walls));
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
