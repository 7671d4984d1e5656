/* SPDX-License-Identifier: Apache-2.0
 * Minimal paths to many points, on several threads. */
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "core/batch.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "eikonal/path/trace.h"

/* One run over all points: each thread has its own trail, workspace and cache. */
typedef struct paths_run {
    zm_solver *s;
    const zm_path_point *to;
    size_t n;
    const zm_path_opts *opts;
    zm_path_trail *trails;
    int32_t threads;
    zm_path_found *found;
    atomic_size_t done;
    atomic_bool cancelled;
} paths_run;

/* Whether to go on; the calling thread asks. */
static bool goes_on(paths_run *run, int32_t thread)
{
    const size_t done = atomic_fetch_add(&run->done, 1);

    if (atomic_load(&run->cancelled))
        return false;
    if (thread == 0 && run->opts->progress &&
        run->opts->progress(run->opts->progress_ctx, (double)done / (double)run->n))
        atomic_store(&run->cancelled, true);
    return !atomic_load(&run->cancelled);
}

static zm_status find_one(void *ctx, size_t i, int32_t thread, zm_error *err)
{
    paths_run *run = ctx;

    if (!goes_on(run, thread))
        return ZM_OK;
    return zm_path_find(&run->trails[thread], run->to[i].row, run->to[i].col, run->opts,
                        &run->found[i], err);
}

/* The trail for another thread: it points into itself, to a workspace and a cache of its own. */
static zm_status trail_share(zm_path_trail *trail, const zm_path_trail *first,
                             int32_t thread, zm_error *err)
{
    zm_solver *s = first->view.s;

    *trail = *first;
    trail->view.problem = trail->ground.problem = &trail->view.own;
    trail->view.workspaces = &s->workspaces[thread];
    return zm_metric_cache_create(&trail->ground.cache, trail->ground.problem, &s->mem,
                                  err);
}

static zm_status trails_open(paths_run *run, size_t slot, const zm_problem *problem,
                             const void *T, zm_error *err)
{
    zm_path_trail first;

    ZM_TRY(zm_path_trail_open(&first, run->s, slot, problem, T, err));
    if (!first.ground.problem->fill)
        run->threads = run->s->opts.threads;
    run->trails = zm_zalloc(&run->s->mem, (size_t)run->threads, sizeof *run->trails);
    if (!run->trails)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for paths on %d threads",
                       (int)run->threads);
    for (int32_t i = 0; i < run->threads; i++)
        ZM_TRY(trail_share(&run->trails[i], &first, i, err));
    return ZM_OK;
}

/* Where each path begins among all points, and the points if there is room. */
static zm_status write_paths(const paths_run *run, size_t n, zm_path_point *points,
                             size_t capacity, size_t *begins, int32_t *sources,
                             zm_error *err)
{
    begins[0] = 0;
    for (size_t i = 0; i < n; i++) {
        begins[i + 1] = begins[i] + run->found[i].n;
        if (sources)
            sources[i] = run->found[i].source;
    }
    if (points && begins[n] > capacity)
        return zm_fail(err, ZM_E_ARG, -1,
                       "%zu paths of %zu points in all, room for %zu", n, begins[n],
                       capacity);
    for (size_t i = 0; points && i < n; i++)
        if (run->found[i].n)
            memcpy(points + begins[i], run->found[i].points,
                   run->found[i].n * sizeof *points);
    return ZM_OK;
}

/* What a metric that changes with time said while it was looked up comes before `st`. */
static zm_status close_all(paths_run *run, size_t n, zm_status st, zm_error *err)
{
    for (int32_t i = 0; run->trails && i < run->threads; i++)
        st =
            zm_metric_cache_destroy(run->trails[i].ground.cache, &run->s->mem, st, err);
    for (size_t i = 0; run->found && i < n; i++)
        zm_release(&run->s->mem, run->found[i].points);
    zm_release(&run->s->mem, run->trails);
    zm_release(&run->s->mem, run->found);
    return st;
}

zm_status zm_paths(zm_solver *solver, size_t slot, const zm_problem *problem,
                   const void *T, const zm_path_point *to, size_t n,
                   zm_path_point *points, size_t capacity, size_t *begins,
                   int32_t *sources, const zm_path_opts *opts, zm_error *err)
{
    zm_path_opts o = ZM_PATH_OPTS_INIT;
    paths_run run = { .s = solver, .to = to, .n = n, .opts = &o, .threads = 1 };
    zm_status st, written = ZM_OK;

    ZM_TRY(zm_options_read(&o, sizeof o, opts, "zm_path_opts", err));
    if (!begins || (n && !to))
        return zm_fail(err, ZM_E_ARG, -1, "%s is NULL", begins ? "to" : "begins");
    run.found = n ? zm_zalloc(&solver->mem, n, sizeof *run.found) : NULL;
    st = n && !run.found ? zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu paths", n)
                         : trails_open(&run, slot, problem, T, err);
    if (st >= 0)
        st = zm_batch_all(run.threads, n, "point", find_one, &run, err);
    if (atomic_load(&run.cancelled))
        st = zm_fail(err, ZM_E_CANCELLED, -1, "cancelled by the progress callback");
    if (st >= 0)
        written = write_paths(&run, n, points, capacity, begins, sources, err);
    return close_all(&run, n, written < 0 ? written : st, err);
}
