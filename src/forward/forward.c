/* SPDX-License-Identifier: Apache-2.0
 * The forward solve of one problem and of batches. */
#include "zermelo/forward.h"

#include <math.h>

#include "forward/solve.h"

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
    if (o->max_iterations < 1)
        return zm_fail(err, ZM_E_ARG, -1, "max_iterations %d, must be at least 1",
                       (int)o->max_iterations);
    return ZM_OK;
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
    if (!T)
        return zm_fail(err, ZM_E_ARG, -1, "T is NULL, must have room for %zu values", s->cells);
    if ((st = zm_problem_check_shape(s->grid, problem, err)) != ZM_OK)
        return st;
    if ((st = zm_solver_check_dtype(s, problem, err)) != ZM_OK)
        return st;
    if ((st = zm_solve_start(&run, T, threads, err)) != ZM_OK)
        return st;
    if (run.shared)
        zm_parallel(threads, zm_solve_thread, &run);
    else
        zm_solve_thread(&run, 0);
    st = zm_solve_status(&run, err);
    if (st < 0)
        return st;
    zm_solve_finish(&run);
    zm_solve_report(&run, threads, report);
    record->state = ZM_RECORD_SOLVED;
    return st;
}

static int32_t threads_worth(const zm_solver *s)
{
    const int32_t most = zm_solver_tiles(s) / TILES_A_THREAD;

    return s->threads < most ? s->threads : most > 1 ? most : 1;
}

zm_status zm_forward(zm_solver *solver, const zm_problem *problem, void *T,
                     const zm_forward_opts *opts, zm_report *report, zm_error *err)
{
    zm_forward_opts o = ZM_FORWARD_OPTS_INIT;
    const zm_status st = opts_read(&o, opts, err);

    if (st != ZM_OK)
        return st;
    return solve(solver, solver->lanes, threads_worth(solver), &solver->records[0], problem,
                 T, &o, report, err);
}

typedef struct batch_run {
    zm_solver *s;
    const zm_problem *problems;
    size_t n;
    void *const *T;
    const zm_forward_opts *opts;
    zm_report *reports;
    atomic_size_t next, finished;
    atomic_bool cancelled;
    zm_spinlock lock;
    zm_status status; /* the one to return */
    size_t culprit;
    zm_error error;
} batch_run;

/* Failures come before caveats, then the first problem. */
static void batch_note(batch_run *run, size_t i, zm_status st, const zm_error *err)
{
    zm_spin_lock(&run->lock);
    const bool worse = run->status == ZM_OK || (st < 0 && run->status > 0);
    const bool earlier = (st < 0) == (run->status < 0) && i < run->culprit;

    if (worse || earlier) {
        run->status = st;
        run->culprit = i;
        run->error = *err;
    }
    zm_spin_unlock(&run->lock);
}

/* On the calling thread: the share of the whole batch. */
static int batch_progress(void *ctx, double fraction)
{
    batch_run *run = ctx;
    const double done = (double)atomic_load(&run->finished) + fraction;

    if (run->opts->progress(run->opts->progress_ctx, done / (double)run->n))
        atomic_store(&run->cancelled, true);
    return atomic_load(&run->cancelled);
}

/* On the others: only whether to go on. */
static int batch_go_on(void *ctx, double fraction)
{
    batch_run *run = ctx;

    (void)fraction;
    return atomic_load(&run->cancelled);
}

static void batch_thread(void *ctx, int32_t thread)
{
    batch_run *run = ctx;
    zm_forward_opts o = *run->opts;

    o.progress_ctx = run;
    if (o.progress)
        o.progress = thread == 0 ? batch_progress : batch_go_on;
    for (;;) {
        const size_t i = atomic_fetch_add(&run->next, 1);
        zm_error err;

        if (i >= run->n)
            break;
        if (o.progress && o.progress(run, 0.0)) {
            zm_fail(&err, ZM_E_CANCELLED, -1, "cancelled by the progress callback");
            batch_note(run, i, ZM_E_CANCELLED, &err);
            break;
        }
        const zm_status st = solve(run->s, &run->s->lanes[thread], 1, &run->s->records[i],
                                   &run->problems[i], run->T[i], &o,
                                   run->reports ? &run->reports[i] : NULL, &err);

        atomic_fetch_add(&run->finished, 1);
        if (st != ZM_OK)
            batch_note(run, i, st, &err);
    }
}

zm_status zm_forward_batch(zm_solver *solver, const zm_problem *problems, size_t n,
                           void *const *T, const zm_forward_opts *opts, zm_report *reports,
                           zm_error *err)
{
    zm_forward_opts o = ZM_FORWARD_OPTS_INIT;
    batch_run run = { .s = solver, .problems = problems, .n = n, .T = T, .opts = &o,
                      .reports = reports, .lock = { ATOMIC_FLAG_INIT } };
    zm_status st;

    if ((st = opts_read(&o, opts, err)) != ZM_OK)
        return st;
    if (n > (size_t)solver->batch)
        return zm_fail(err, ZM_E_ARG, -1, "%zu problems, the solver was made for a batch of %d",
                       n, (int)solver->batch);
    if (n && (!problems || !T))
        return zm_fail(err, ZM_E_ARG, -1, "problems or T is NULL");
    if (n == 1)
        return zm_forward(solver, problems, T[0], opts, reports, err);
    for (size_t i = 0; i < n; i++) /* those a cancelled batch does not come to have none */
        solver->records[i].state = ZM_RECORD_NONE;
    zm_parallel(solver->threads, batch_thread, &run);
    if (run.status != ZM_OK)
        zm_fail(err, run.status, run.error.cell, "problem %zu: %.200s", run.culprit,
                run.error.text);
    return run.status;
}
