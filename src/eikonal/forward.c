/* SPDX-License-Identifier: Apache-2.0
 * The forward solve of one problem and of batches. */
#include "zermelo/forward.h"

#include <math.h>
#include <stdatomic.h>

#include "core/batch.h"
#include "core/fail.h"
#include "core/options.h"
#include "eikonal/engine.h"
#include "eikonal/problem/unit.h"

/* Fewer cells than this for each thread, and they mostly wait for each other. */
enum { CELLS_A_THREAD = 6 * 32 * 32 };

/* The caller's options over the defaults in *o, checked. */
static zm_status opts_read(zm_forward_opts *o, const zm_forward_opts *opts,
                           zm_error *err)
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

static zm_status problem_check(const zm_solver *s, const zm_problem *problem,
                               zm_error *err)
{
    zm_status st = zm_problem_check_shape(s->grid, problem, err);

    if (st == ZM_OK)
        st = zm_problem_check_dtype(problem, s->dtype, err);
    if (st == ZM_OK && s->opts.stencils == ZM_STENCILS_FIXED)
        st = zm_problem_check_whole(problem, err);
    return st;
}

/* Solves problem i into run->record; the caller's report may be shorter than ours. */
static zm_status solve(zm_engine_run *run, const zm_problem *problems, size_t i,
                       zm_report *report, zm_error *err)
{
    zm_problem problem;
    zm_report own = ZM_REPORT_INIT;
    zm_status st;

    run->record->engine = NULL;
    ZM_TRY(zm_options_check_report(report, "zm_report", err));
    ZM_TRY(zm_problem_read_at(&problem, problems, i, err));
    zm_options_write_report(report, &own, sizeof own);
    if (!run->T)
        return zm_fail(err, ZM_E_ARG, -1, "T is NULL, must have room for %zu values",
                       run->s->cells);
    ZM_TRY(problem_check(run->s, &problem, err));
    if (problem.n_intervals == 0)
        ZM_TRY(zm_unit_find(run->s->grid, &problem, &run->record->unit, err));
    run->problem = &problem;
    run->report = &own;
    st = zm_engine_choose(run, err);
    if (st < 0)
        return st;
    run->record->n_sources = problem.n_sources;
    run->record->n_intervals = problem.n_intervals;
    zm_options_write_report(report, &own, sizeof own);
    return st;
}

static int32_t threads_worth(const zm_solver *s)
{
    const size_t most = s->cells / CELLS_A_THREAD;

    return (size_t)s->opts.threads < most ? s->opts.threads
           : most > 1                     ? (int32_t)most
                                          : 1;
}

/* Engines that hand over or solve twice begin again at 0; the caller sees the most so far. */
typedef struct progress {
    zm_progress_fn *fn;
    void *ctx;
    double most;
} progress;

static int progress_tell(void *ctx, double fraction)
{
    progress *p = ctx;

    p->most = fmin(1.0, fmax(p->most, fraction));
    return p->fn(p->ctx, p->most);
}

zm_status zm_forward(zm_solver *solver, const zm_problem *problem, void *T,
                     const zm_forward_opts *opts, zm_report *report, zm_error *err)
{
    zm_forward_opts o = ZM_FORWARD_OPTS_INIT;
    zm_engine_run run = { .s = solver,
                          .workspaces = solver->workspaces,
                          .threads = threads_worth(solver),
                          .record = &solver->records[0],
                          .T = T,
                          .opts = &o };
    progress told;

    run.record->engine = NULL; /* also where the options are refused */
    ZM_TRY(opts_read(&o, opts, err));
    told = (progress){ o.progress, o.progress_ctx, 0.0 };
    if (o.progress) {
        o.progress = progress_tell;
        o.progress_ctx = &told;
    }
    return solve(&run, problem, 0, report, err);
}

typedef struct forward_batch {
    zm_solver *s;
    const zm_problem *problems;
    size_t n;
    void *const *T;
    const zm_forward_opts *opts;
    zm_report *reports;
    progress told;
    atomic_size_t finished;
    atomic_bool cancelled;
} forward_batch;

/* On the calling thread: the share of the whole batch. */
static int batch_progress(void *ctx, double fraction)
{
    forward_batch *b = ctx;
    const double done = (double)atomic_load(&b->finished) + fraction;

    if (progress_tell(&b->told, done / (double)b->n))
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
    const bool keep = b->n <= (size_t)b->s->opts.batch;
    const bool lone = b->n == 1; /* it has all the workspaces */
    zm_forward_opts o = *b->opts;
    zm_engine_run run = { .s = b->s,
                          .workspaces = &b->s->workspaces[lone ? 0 : thread],
                          .threads = lone ? threads_worth(b->s) : 1,
                          .record = &b->s->records[keep ? i : (size_t)thread],
                          .T = b->T[i],
                          .opts = &o };
    zm_status st;

    o.progress_ctx = b;
    if (o.progress)
        o.progress = thread == 0 ? batch_progress : batch_go_on;
    if (o.progress && o.progress(b, 0.0))
        return zm_fail(err, ZM_E_CANCELLED, -1, "cancelled by the progress callback");
    st = solve(&run, b->problems, i, zm_options_at(b->reports, i), err);
    if (!keep)
        run.record->engine = NULL;
    atomic_fetch_add(&b->finished, 1);
    return st;
}

/* Every report has the size of the first, and tells of no solve. */
static zm_status reports_clear(zm_report *reports, size_t n, zm_error *err)
{
    const zm_report none = ZM_REPORT_INIT;
    zm_status st = ZM_OK;

    for (size_t i = 0; reports && i < n && st == ZM_OK; i++) {
        zm_report *r = zm_options_at(reports, i);

        r->size = reports->size;
        if ((st = zm_options_check_report(r, "zm_report", err)) == ZM_OK)
            zm_options_write_report(r, &none, sizeof none);
    }
    return st;
}

zm_status zm_forward_batch(zm_solver *solver, const zm_problem *problems, size_t n,
                           void *const *T, const zm_forward_opts *opts,
                           zm_report *reports, zm_error *err)
{
    zm_forward_opts o = ZM_FORWARD_OPTS_INIT;
    forward_batch b = { .s = solver,
                        .problems = problems,
                        .n = n,
                        .T = T,
                        .opts = &o,
                        .reports = reports };
    const int32_t batch = solver->opts.batch;
    int32_t threads = solver->opts.threads;

    for (int32_t i = 0; i < batch; i++) /* also where it does not come to the solve */
        if (n > (size_t)batch || (size_t)i < n)
            solver->records[i].engine = NULL;
    ZM_TRY(opts_read(&o, opts, err));
    b.told = (progress){ o.progress, o.progress_ctx, 0.0 };
    ZM_TRY(reports_clear(reports, n, err));
    if (n && (!problems || !T))
        return zm_fail(err, ZM_E_ARG, -1, "problems or T is NULL");
    if (n > (size_t)batch && threads > batch)
        threads = batch;
    return zm_batch_all(threads, n, "problem", batch_solve, &b, err);
}
