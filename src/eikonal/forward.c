/* SPDX-License-Identifier: Apache-2.0
 * The forward solve of one problem and of batches. */
#include "zermelo/forward.h"

#include <math.h>

#include "eikonal/batch.h"
#include "eikonal/blocks/solve.h"

/* Fewer tiles than this for each thread, and they mostly wait for each other. */
enum { TILES_A_THREAD = 6 };

/* The caller's options over the defaults in *o, checked. */
static zm_status opts_read(zm_forward_opts *o, const zm_forward_opts *opts, zm_error *err)
{
    const zm_status st = zm_options_read(o, sizeof *o, opts, "zm_forward_opts", err);

    if (st != ZM_OK)
        return st;
    if (isnan(o->t_max))
        return zm_fail(err, ZM_E_ARG, -1, "t_max is not a number");
    if (!(o->tol >= 0) || isinf(o->tol))
        return zm_fail(err, ZM_E_ARG, -1, "tol %g, must be finite and >= 0", o->tol);
    if (o->max_cells < 0)
        return zm_fail(err, ZM_E_ARG, -1, "max_cells %lld, must be at least 0",
                       (long long)o->max_cells);
    if (o->max_iterations < 1)
        return zm_fail(err, ZM_E_ARG, -1, "max_iterations %d, must be at least 1",
                       (int)o->max_iterations);
    return ZM_OK;
}

static int32_t threads_worth(const zm_solver *s)
{
    const int32_t most = zm_solver_tiles(s) / TILES_A_THREAD;

    return s->threads < most ? s->threads : most > 1 ? most : 1;
}

/* Solves one problem with lanes[0 .. threads). */
static zm_status solve(zm_solver *s, zm_lane *lanes, int32_t threads, zm_record *record,
                       const zm_problem *problem, void *T, const zm_forward_opts *opts,
                       zm_report *report, zm_error *err)
{
    zm_solve run = { .s = s,
                      .problem = problem,
                      .opts = opts,
                      .lead = lanes,
                      .lanes = lanes,
                      .record = record,
                      .dtype = s->dtype,
                      .shared = threads > 1,
                      .lock = { ATOMIC_FLAG_INIT } };
    zm_status st;

    record->state = ZM_RECORD_NONE;
    record->marched = false;
    if (report)
        *report = (zm_report){ 0 };
    if (!T)
        return zm_fail(err, ZM_E_ARG, -1, "T is NULL, must have room for %zu values", s->cells);
    if ((st = zm_problem_check_shape(s->grid, problem, err)) != ZM_OK)
        return st;
    if ((st = zm_solver_check_dtype(s, problem, err)) != ZM_OK)
        return st;
    if (s->stencils == ZM_STENCILS_FIXED &&
        (st = zm_problem_check_whole(problem, err)) != ZM_OK)
        return st;
    if (zm_solve_must_march(s, problem))
        return zm_solve_march(s, lanes, record, problem, T, opts, report, err);
    if ((st = zm_solve_start(&run, T, threads, err)) != ZM_OK)
        return st;
    if (run.shared)
        zm_parallel(threads, zm_solve_thread, &run);
    else
        zm_solve_thread(&run, 0);
    if (atomic_load(&run.strong))
        return zm_solve_march(s, lanes, record, problem, T, opts, report, err);
    st = zm_solve_status(&run, err);
    if (st < 0)
        return st;
    zm_solve_finish(&run, threads);
    zm_solve_report(&run, threads, report);
    return st;
}

/* Tiles do not accept cells one by one: with targets or a number of cells they solve in full,
 * find out when that is reached, and solve up to then. */
static zm_status solve_to_stop(zm_solver *s, zm_lane *lanes, int32_t threads,
                               zm_record *record, const zm_problem *problem, void *T,
                               const zm_forward_opts *opts, zm_report *report, zm_error *err)
{
    zm_forward_opts in_full = *opts;
    zm_status st;

    in_full.targets = NULL;
    in_full.max_cells = 0;
    if ((!opts->targets && opts->max_cells == 0) || !problem ||
        zm_problem_check_shape(s->grid, problem, NULL) != ZM_OK ||
        zm_solve_must_march(s, problem))
        return solve(s, lanes, threads, record, problem, T, opts, report, err);
    st = solve(s, lanes, threads, record, problem, T, &in_full, report, err);
    if (st != ZM_OK)
        return st;
    in_full.t_max = zm_stop_time(s, lanes, problem, opts, T);
    return solve(s, lanes, threads, record, problem, T, &in_full, report, err);
}

zm_status zm_forward(zm_solver *solver, const zm_problem *problem, void *T,
                     const zm_forward_opts *opts, zm_report *report, zm_error *err)
{
    zm_forward_opts o = ZM_FORWARD_OPTS_INIT;
    const zm_status st = opts_read(&o, opts, err);

    if (st != ZM_OK)
        return st;
    return solve_to_stop(solver, solver->lanes, threads_worth(solver), &solver->records[0],
                         problem, T, &o, report, err);
}

typedef struct forward_batch {
    zm_solver *s;
    const zm_problem *problems;
    size_t n;
    void *const *T;
    const zm_forward_opts *opts;
    zm_report *reports;
    atomic_size_t finished;
    atomic_bool cancelled;
} forward_batch;

/* On the calling thread: the share of the whole batch. */
static int batch_progress(void *ctx, double fraction)
{
    forward_batch *b = ctx;
    const double done = (double)atomic_load(&b->finished) + fraction;

    if (b->opts->progress(b->opts->progress_ctx, fmin(1.0, done / (double)b->n)))
        atomic_store(&b->cancelled, true);
    return atomic_load(&b->cancelled);
}

/* On the others: only whether to go on. */
static int batch_go_on(void *ctx, double fraction)
{
    forward_batch *b = ctx;

    (void)fraction;
    return atomic_load(&b->cancelled);
}

static zm_status batch_solve(void *ctx, size_t i, int32_t thread, zm_error *err)
{
    forward_batch *b = ctx;
    zm_forward_opts o = *b->opts;
    /* a lone problem has all the lanes */
    const int32_t threads = b->n == 1 ? threads_worth(b->s) : 1;
    zm_status st;

    o.progress_ctx = b;
    if (o.progress)
        o.progress = thread == 0 ? batch_progress : batch_go_on;
    if (o.progress && o.progress(b, 0.0))
        return zm_fail(err, ZM_E_CANCELLED, -1, "cancelled by the progress callback");
    st = solve_to_stop(b->s, &b->s->lanes[b->n == 1 ? 0 : thread], threads,
                       &b->s->records[i], &b->problems[i], b->T[i], &o,
                       b->reports ? &b->reports[i] : NULL, err);
    atomic_fetch_add(&b->finished, 1);
    return st;
}

zm_status zm_forward_batch(zm_solver *solver, const zm_problem *problems, size_t n,
                           void *const *T, const zm_forward_opts *opts, zm_report *reports,
                           zm_error *err)
{
    zm_forward_opts o = ZM_FORWARD_OPTS_INIT;
    forward_batch b = { .s = solver, .problems = problems, .n = n, .T = T, .opts = &o,
                        .reports = reports };
    const zm_status st = opts_read(&o, opts, err);

    if (st != ZM_OK)
        return st;
    if (n && (!problems || !T))
        return zm_fail(err, ZM_E_ARG, -1, "problems or T is NULL");
    for (size_t i = 0; i < n && i < (size_t)solver->batch; i++) {
        solver->records[i].state = ZM_RECORD_NONE; /* a cancelled batch may not come to it */
        if (reports)
            reports[i] = (zm_report){ 0 };
    }
    return zm_batch_run(solver, n, batch_solve, &b, err);
}
