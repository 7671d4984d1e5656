/* SPDX-License-Identifier: Apache-2.0
 * Arrival times with a border of INFINITY, and the checks shared by the references. */
#include "reference/field.h"

#include <string.h>

#include "core/options.h"
#include "core/memory.h"

static void fill_blocked(zm_reference_field *f)
{
    for (int32_t row = 0, cell = 0; row < f->grid.rows; row++)
        for (int32_t col = 0; col < f->grid.cols; col++, cell++)
            f->blocked[cell] =
                zm_local_blocked_corners(f->grid, f->problem->walls, row, col);
}

zm_status zm_reference_field_create(zm_reference_field *f, zm_grid grid, const zm_problem *problem,
                          zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const ptrdiff_t stride = grid.cols + (ptrdiff_t)2;
    const size_t padded = ((size_t)grid.rows + 2) * (size_t)stride;
    const size_t n = (size_t)grid.rows * (size_t)grid.cols;

    *f = (zm_reference_field){ .grid = grid, .problem = problem, .stride = stride };
    f->memory = zm_zalloc(&mem, padded, sizeof *f->memory);
    if (problem->walls)
        f->blocked = zm_zalloc(&mem, n, sizeof *f->blocked);
    if (!f->memory || (problem->walls && !f->blocked)) {
        zm_reference_field_destroy(f);
        return zm_fail(err, ZM_E_NOMEM, -1, "arrival times of %zu cells", n);
    }
    for (size_t i = 0; i < padded; i++)
        f->memory[i] = INFINITY;
    f->T = f->memory + stride + 1;
    for (int k = 0; k < 8; k++)
        f->neighbour[k] = zm_local_neighbour_y[k] * stride + zm_local_neighbour_x[k];
    if (f->blocked)
        fill_blocked(f);
    return ZM_OK;
}

void zm_reference_field_destroy(zm_reference_field *f)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    zm_release(&mem, f->memory);
    zm_release(&mem, f->blocked);
    f->memory = NULL;
    f->blocked = NULL;
}

void zm_reference_field_set_sources(zm_reference_field *f)
{
    for (size_t i = 0; i < f->problem->n_sources; i++) {
        const zm_source *s = &f->problem->sources[i];
        double *T = &f->T[(ptrdiff_t)s->row * f->stride + (ptrdiff_t)s->col];

        if (s->time < *T)
            *T = s->time;
    }
}

void zm_reference_field_load(zm_reference_field *f, const double *T)
{
    const size_t cols = (size_t)f->grid.cols;

    for (int32_t row = 0; row < f->grid.rows; row++)
        memcpy(f->T + row * f->stride, T + (size_t)row * cols, cols * sizeof *T);
}

void zm_reference_field_store(const zm_reference_field *f, double *T)
{
    const size_t cols = (size_t)f->grid.cols;

    for (int32_t row = 0; row < f->grid.rows; row++)
        memcpy(T + (size_t)row * cols, f->T + row * f->stride, cols * sizeof *T);
}

zm_reference_opts zm_reference_opts_read(const zm_reference_opts *opts)
{
    zm_reference_opts o = ZM_REFERENCE_OPTS_INIT;

    if (zm_options_read(&o, sizeof o, opts, "zm_reference_opts", NULL) != ZM_OK)
        o.size = opts->size; /* zm_reference_check refuses it */
    return o;
}

zm_status zm_reference_check(zm_grid grid, const zm_problem *problem, const double *T,
                             const zm_reference_opts *opts, zm_error *err)
{
    ZM_TRY(zm_problem_check_shape(grid, problem, err));
    ZM_TRY(zm_problem_check_whole(problem, err));
    if (problem->metric.dtype != ZM_F64)
        return zm_fail(err, ZM_E_ARG, -1,
                       "the reference methods need a float64 metric");
    if (!T)
        return zm_fail(err, ZM_E_ARG, -1, "T is NULL");
    if (opts->size != sizeof *opts)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_reference_opts has size %zu, must be at most %zu: start from "
                       "ZM_REFERENCE_OPTS_INIT",
                       opts->size, sizeof *opts);
    if (!(opts->tol >= 0))
        return zm_fail(err, ZM_E_ARG, -1, "tol = %g, must be >= 0", opts->tol);
    if (opts->max_iterations < 1)
        return zm_fail(err, ZM_E_ARG, -1, "max_iterations = %d, must be >= 1",
                       (int)opts->max_iterations);
    return zm_problem_check(grid, problem, err);
}

zm_status zm_reference_finish(zm_grid grid, int32_t iterations, int32_t sweeps,
                              bool converged, zm_report *report, zm_error *err)
{
    enum { DIRECTIONS = 4 }; /* eight triangles are four directional updates */

    if (report)
        *report = (zm_report){
            .size = sizeof(zm_report),
            .iterations = iterations,
            .updates =
                (int64_t)iterations * sweeps * DIRECTIONS * grid.rows * grid.cols,
            .converged = converged,
            .threads = 1,
        };
    if (!converged)
        return zm_fail(err, ZM_NOT_CONVERGED, -1,
                       "values still fall after %d iterations, the limit",
                       (int)iterations);
    return ZM_OK;
}
