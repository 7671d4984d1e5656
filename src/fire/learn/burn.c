/* SPDX-License-Identifier: Apache-2.0
 * A front through hours of weather on active blocks, and its derivatives. */
#include "fire/learn/burn.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"

typedef struct box {
    int32_t row, col, row_end, col_end;
} box;

static bool planes_create(zm_burn_planes *p, size_t n, bool isotropic)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    p->g11 = zm_zalloc(&mem, n, sizeof(double));
    p->b1 = zm_zalloc(&mem, n, sizeof(double));
    p->b2 = zm_zalloc(&mem, n, sizeof(double));
    if (!isotropic) {
        p->g12 = zm_zalloc(&mem, n, sizeof(double));
        p->g22 = zm_zalloc(&mem, n, sizeof(double));
    }
    return p->g11 && p->b1 && p->b2 && (isotropic || (p->g12 && p->g22));
}

static void planes_destroy(zm_burn_planes *p)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    zm_release(&mem, p->g11);
    zm_release(&mem, p->g12);
    zm_release(&mem, p->g22);
    zm_release(&mem, p->b1);
    zm_release(&mem, p->b2);
}

void zm_burn_destroy(zm_burn *front)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (!front)
        return;
    zm_solver_destroy(front->solver);
    planes_destroy(&front->metric);
    planes_destroy(&front->d_metric);
    zm_release(&mem, front->T);
    zm_release(&mem, front->hour);
    zm_release(&mem, front->filled);
    zm_release(&mem, front->cells);
    zm_release(&mem, front->walls);
    zm_release(&mem, front);
}

zm_status zm_burn_create(zm_burn **out, zm_grid grid, bool isotropic,
                         zm_stencil_choice stencils, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t n = (size_t)grid.rows * (size_t)grid.cols;
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;
    zm_burn *f = zm_zalloc(&mem, 1, sizeof *f);
    zm_status st;

    *out = NULL;
    if (!f || !planes_create(&f->metric, n, isotropic) ||
        !planes_create(&f->d_metric, n, isotropic) ||
        !(f->T = zm_block(&mem, n, sizeof(double))) ||
        !(f->hour = zm_block(&mem, n, sizeof(int32_t))) ||
        !(f->filled = zm_block(&mem, n, sizeof(int32_t))) ||
        !(f->cells = zm_block(&mem, n, sizeof(int32_t))) ||
        !(f->walls = zm_block(&mem, n, 1))) {
        zm_burn_destroy(f);
        return zm_fail(err, ZM_E_NOMEM, -1, "front on %zu cells", n);
    }
    f->grid = grid;
    f->n = n;
    opts.stencils = stencils;
    if ((st = zm_solver_create(&f->solver, grid, ZM_F64, &opts, err)) < 0) {
        zm_burn_destroy(f);
        return st;
    }
    *out = f;
    return ZM_OK;
}

/* Where there is a time up to now. */
static box reached_box(const zm_burn *f, double now)
{
    box b = { f->grid.rows, f->grid.cols, 0, 0 };

    for (int32_t row = 0; row < f->grid.rows; row++)
        for (int32_t col = 0; col < f->grid.cols; col++)
            if (f->T[(size_t)row * (size_t)f->grid.cols + (size_t)col] <= now) {
                b.row = row < b.row ? row : b.row;
                b.col = col < b.col ? col : b.col;
                b.row_end = row + 1;
                b.col_end = col >= b.col_end ? col + 1 : b.col_end;
            }
    return b;
}

/* Gives the cells of the box that have not burned the metric of this hour; all others that
 * have not burned are walls during it. */
static zm_status fill_box(zm_burn *f, const zm_burn_task *task, size_t hour, box b,
                          zm_error *err)
{
    size_t n = 0;

    for (int32_t row = b.row; row < b.row_end; row++)
        for (int32_t col = b.col; col < b.col_end; col++) {
            const int32_t cell = row * f->grid.cols + col;

            f->walls[cell] = 0;
            if (f->hour[cell] < 0 && f->filled[cell] != (int32_t)hour) {
                f->filled[cell] = (int32_t)hour;
                f->cells[n++] = cell;
            }
        }
    return n ? task->fill(task->ctx, hour, f->cells, n, &f->metric, err) : ZM_OK;
}

/* Whether the front has come to an edge of the box beyond which there are cells. */
static bool leaves_box(const zm_burn *f, box b, double until)
{
    const size_t cols = (size_t)f->grid.cols;

    for (int32_t row = b.row; row < b.row_end; row++)
        for (int32_t col = b.col; col < b.col_end; col++) {
            const bool at_edge = (row == b.row && row > 0) ||
                                 (row == b.row_end - 1 && b.row_end < f->grid.rows) ||
                                 (col == b.col && col > 0) ||
                                 (col == b.col_end - 1 && b.col_end < f->grid.cols);

            if (at_edge && f->T[(size_t)row * cols + (size_t)col] <= until)
                return true;
        }
    return false;
}

static zm_status solve_until(zm_burn *f, double until, double tol, zm_error *err)
{
    zm_forward_opts opts = ZM_FORWARD_OPTS_INIT;

    opts.t_max = until;
    opts.tol = tol;
    return zm_forward(f->solver, &f->problem, f->T, &opts, NULL, err);
}

/* One hour: the box grows until the front stays inside. */
static zm_status run_hour(zm_burn *f, const zm_burn_task *task, size_t hour,
                          double from, double until, zm_error *err)
{
    enum { FIRST_MARGIN = 6, LARGE = 1 << 20 };
    /* for ever means everywhere; one metric for all times is found but once */
    int32_t margin = isfinite(until) && task->hours > 1 ? FIRST_MARGIN : LARGE;
    const box start = reached_box(f, from);

    for (;; margin *= 3) {
        const box b = { start.row > margin ? start.row - margin : 0,
                        start.col > margin ? start.col - margin : 0,
                        start.row_end < f->grid.rows - margin ? start.row_end + margin
                                                              : f->grid.rows,
                        start.col_end < f->grid.cols - margin ? start.col_end + margin
                                                              : f->grid.cols };
        zm_status st = fill_box(f, task, hour, b, err);

        if (st < 0 || (st = solve_until(f, until, task->tol, err)) < 0)
            return st;
        if (!leaves_box(f, b, until))
            break;
    }
    for (size_t i = 0; i < f->n; i++)
        if (f->hour[i] < 0 && f->T[i] <= until && !f->walls[i])
            f->hour[i] = (int32_t)hour;
    return ZM_OK;
}

static void begin(zm_burn *f, const zm_burn_task *task)
{
    for (size_t i = 0; i < f->n; i++) {
        f->T[i] = INFINITY;
        f->hour[i] = f->filled[i] = -1;
        f->walls[i] = 1;
    }
    for (size_t i = 0; i < task->n_sources; i++)
        f->T[(size_t)task->sources[i].row * (size_t)f->grid.cols +
             (size_t)task->sources[i].col] = task->sources[i].time;
    f->problem = (zm_problem){ .size = sizeof(zm_problem),
                               .metric = { ZM_F64, f->metric.g11, f->metric.g12,
                                           f->metric.g22, f->metric.b1, f->metric.b2 },
                               .sources = task->sources,
                               .n_sources = task->n_sources,
                               .walls = f->walls };
}

static double latest_source(const zm_burn_task *task)
{
    double latest = -HUGE_VAL;

    for (size_t i = 0; i < task->n_sources; i++)
        latest = fmax(latest, task->sources[i].time);
    return latest;
}

/* Share of the targets that have a time. */
static double share_reached(const zm_burn *f, const uint8_t *targets)
{
    size_t all = 0, reached = 0;

    for (size_t i = 0; targets && i < f->n; i++)
        if (targets[i]) {
            all++;
            reached += isfinite(f->T[i]) != 0;
        }
    return all ? (double)reached / (double)all : 1;
}

/* When the targets may all be reached, by the share of them that are: a front that keeps its
 * pace reaches area with the square of time. */
static double later(const zm_burn_task *task, double now, double share)
{
    const double least_share = 0.1, reserve = 1.3, begin = latest_source(task);

    return share > least_share ? begin + (now - begin) * reserve / sqrt(share)
                               : HUGE_VAL;
}

/* The last of the hours holds for ever. */
static zm_status run_last_hour(zm_burn *f, const zm_burn_task *task, double from,
                               zm_error *err)
{
    double until = task->targets ? fmax(task->t_max, from + 1) : task->t_max;

    for (;;) {
        const zm_status st = run_hour(f, task, task->hours - 1, from, until, err);
        const double share = share_reached(f, task->targets);

        if (st < 0 || share >= 1 || isinf(until))
            return st;
        from = until;
        until = later(task, until, share);
    }
}

zm_status zm_burn_solve(zm_burn *front, const zm_burn_task *task, zm_error *err)
{
    begin(front, task);
    for (size_t k = 0; k < task->hours; k++) {
        const double from = k ? task->start + (double)k : latest_source(task);
        const double end = task->start + (double)k + 1;
        const bool last = k + 1 == task->hours, stops = !last && end >= task->t_max;
        const zm_status st =
            last ? run_last_hour(front, task, from, err)
                 : run_hour(front, task, k, from,
                            stops && !task->targets ? task->t_max : end, err);

        if (st < 0)
            return st;
        if (stops && share_reached(front, task->targets) >= 1)
            break;
    }
    return ZM_OK;
}

zm_status zm_burn_adjoint(zm_burn *front, const double *dL_dT, zm_error *err)
{
    const zm_burn_planes *d = &front->d_metric;
    const zm_gradient out = { .size = sizeof(zm_gradient),
                              .g11 = d->g11,
                              .g12 = d->g12,
                              .g22 = d->g22,
                              .b1 = d->b1,
                              .b2 = d->b2 };

    return zm_adjoint(front->solver, &front->problem, front->T, dL_dT, &out, err);
}
