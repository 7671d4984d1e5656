/* SPDX-License-Identifier: Apache-2.0
 * The forward solve of one problem and of batches, by the first engine that can. */
#include "zermelo/forward.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

#include "core/batch.h"
#include "core/fail.h"
#include "core/options.h"
#include "eikonal/engine.h"

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

/* The latest of the targets that are no walls; INFINITY if one is not reached. */
static double last_target(const zm_solver *s, const zm_problem *problem,
                          const uint8_t *targets, const void *T)
{
    double last = -(double)INFINITY;

    for (size_t i = 0; i < s->cells; i++)
        if (targets[i] && !(problem->walls && problem->walls[i]))
            last = fmax(last, zm_plane_value(T, s->dtype, i));
    return last;
}

/* The k-th smallest of n values, k from 0; reorders them (Hoare's selection). */
static double smallest(double *values, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;

    while (low < high) {
        const double pivot = values[low + (high - low) / 2];
        size_t i = low, j = high;

        for (;;) {
            while (values[i] < pivot)
                i++;
            while (pivot < values[j])
                j--;
            if (i >= j)
                break;
            const double swap = values[i];

            values[i++] = values[j];
            values[j--] = swap;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return values[k];
}

/* When a solve with the options `asked` would stop, given the times of the full one in run->T. */
static double stop_time(const zm_engine_run *run, const zm_forward_opts *asked)
{
    const zm_solver *s = run->s;
    double limit = asked->t_max, *times = run->workspaces->scratch;

    if (asked->targets)
        limit = fmin(limit, last_target(s, run->problem, asked->targets, run->T));
    if (asked->max_cells > 0 && (size_t)asked->max_cells < s->cells) {
        for (size_t i = 0; i < s->cells; i++)
            times[i] = zm_plane_value(run->T, s->dtype, i);
        limit = fmin(limit, smallest(times, s->cells, (size_t)asked->max_cells - 1));
    }
    return limit;
}

/* Engines that do not accept cells one by one solve in full, find out when the targets or the
 * number of cells are reached, and solve up to then. */
static zm_outcome solve_to_stop(const zm_engine *engine, zm_engine_run *run,
                                zm_error *err)
{
    const zm_forward_opts *asked = run->opts;
    zm_forward_opts until = *asked;
    zm_status in_full;
    zm_outcome outcome;

    until.targets = NULL;
    until.max_cells = 0;
    run->opts = &until;
    outcome = engine->solve(run, err);
    in_full = run->status;
    if (outcome == ZM_OUTCOME_DONE) {
        until.t_max = stop_time(run, asked);
        *run->report = (zm_report)ZM_REPORT_INIT;
        outcome = engine->solve(run, err);
        if (run->status == ZM_OK &&
            in_full != ZM_OK) { /* it may have stopped too late */
            run->status = in_full;
            run->report->converged = 0;
        }
    }
    run->opts = asked;
    return outcome;
}

/* Solves with the first engine that can and does not hand over: run->status. */
static zm_status choose(zm_engine_run *run, zm_error *err)
{
    const bool to_stop = run->opts->targets || run->opts->max_cells > 0;
    char reasons[sizeof err->text] = "";
    size_t used = 0;

    for (const zm_engine *const *e = zm_engine_table; *e; e++) {
        const char *why = (*e)->cannot(run->s, run->problem);

        if (!why) {
            *run->report = (zm_report)ZM_REPORT_INIT;
            ZM_TRY(zm_engine_equip(run->s, *e, run->workspaces, run->threads,
                                   run->record, err));
            if ((to_stop && !(*e)->stops
                     ? solve_to_stop(*e, run, err)
                     : (*e)->solve(run, err)) != ZM_OUTCOME_HAND_OVER) {
                run->report->method = (*e)->method;
                if (run->status >= 0)
                    run->record->engine = (*e)->reader ? (*e)->reader : *e;
                return run->status;
            }
            why = "meets cells too anisotropic for it";
        }
        used += (size_t)snprintf(reasons + used, sizeof reasons - used, "%s%s %s",
                                 used ? "; " : "", (*e)->name, why);
        used = used < sizeof reasons ? used : sizeof reasons - 1;
    }
    return zm_fail(err, ZM_E_UNSUPPORTED, -1, "no engine can solve this: %s", reasons);
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
    run->problem = &problem;
    run->report = &own;
    st = choose(run, err);
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
    return zm_batch_all(threads, n, batch_solve, &b, err);
}
