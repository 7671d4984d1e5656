/* SPDX-License-Identifier: Apache-2.0
 * The forward solve: tiles in the order of their news until nobody has any. */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/options.h"
#include "core/parallel.h"
#include "core/problem.h"
#include "forward/solver.h"

/* A new value must be below the old one by more than this share of it to count as news:
 * both families of sweeps compute the same minimum with different rounding. */
static const double NEWS_F64 = 4e-15, NEWS_F32 = 2.5e-7;

/* Times are counted in units that bring the first source's slowness this close to 1; units
 * are powers of two, so that this changes no bit of the result. */
enum { UNIT_SLACK = 16 };

/* Fewer tiles than this for each thread, and they mostly wait for each other. */
enum { TILES_A_THREAD = 16 };

enum { PREFETCH_FROM_BYTES = 4 << 20, PROGRESS_EVERY = 64, BLOCKED_MOST = 16 };

typedef struct solve_run { /* one problem being solved */
    zm_solver *s;
    const zm_problem *problem;
    const zm_forward_opts *opts;
    zm_lane *lead; /* owns tile states and queue */
    zm_record *record;
    zm_tiling g;
    zm_dtype dtype;
    double start, unit; /* internal time = (T - start) / unit */
    double t_max;       /* internal */
    bool shared;        /* several threads */
    zm_spinlock lock;
    int32_t n_busy, n_reached;
    atomic_int stop; /* a zm_status: not ZM_OK ends the run */
    bool stalled;
    zm_error error;
    zm_lane *lanes;
} solve_run;

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

static double time_unit_of(const solve_run *run)
{
    const size_t cell = zm_source_cell(run->s->grid, &run->problem->sources[0]);
    const zm_cell_metric m = zm_metric_at(&run->problem->metric, cell);
    const double step = sqrt(fabs(m.g11)) * run->s->grid.dx;
    int exponent;

    if (!(step > 0) || isinf(step))
        return 1.0; /* not admissible: found out when the tile is prepared */
    frexp(step, &exponent);
    return exponent >= -UNIT_SLACK && exponent <= UNIT_SLACK ? 1.0 : ldexp(1.0, exponent);
}

typedef struct fill_run {
    void *T;
    zm_dtype dtype;
    size_t cells;
    atomic_size_t next;
} fill_run;

static void fill_thread(void *ctx, int32_t thread)
{
    enum { CHUNK = 1 << 16 };
    fill_run *run = ctx;
    size_t begin;

    (void)thread;
    while ((begin = atomic_fetch_add(&run->next, CHUNK)) < run->cells) {
        const size_t end = run->cells - begin < CHUNK ? run->cells : begin + CHUNK;

        if (run->dtype == ZM_F32)
            for (size_t i = begin; i < end; i++)
                ((float *)run->T)[i] = INFINITY;
        else
            for (size_t i = begin; i < end; i++)
                ((double *)run->T)[i] = INFINITY;
    }
}

static void fill_infinite(void *T, zm_dtype dtype, size_t cells, int32_t threads)
{
    fill_run run = { .T = T, .dtype = dtype, .cells = cells };

    zm_parallel(threads, fill_thread, &run);
}

static void worker_reset(zm_worker *w, int32_t tiles)
{
    for (int32_t i = 0; i < tiles; i++)
        w->slot_of_tile[i] = -1;
    for (int32_t i = 0; i < w->n_slots; i++)
        w->tile_of_slot[i] = -1;
    w->next_slot = 0;
    w->next_tile = -1;
    w->updates = 0;
}

/* The source's own tile and those its eight neighbours are in begin with all cells due. */
static void source_start(solve_run *run, const zm_source *source)
{
    const zm_solver *s = run->s;
    const int32_t row = (int32_t)source->row, col = (int32_t)source->col;
    const size_t cell = zm_source_cell(s->grid, source);
    const double time = (source->time - run->start) / run->unit;

    if (time > run->t_max)
        return;
    if (run->dtype == ZM_F32) {
        float *T = (float *)run->g.T + cell;

        *T = (float)time < *T ? (float)time : *T;
    } else {
        double *T = (double *)run->g.T + cell;

        *T = time < *T ? time : *T;
    }
    for (int32_t y = row > 0 ? row - 1 : 0; y <= row + 1 && y < s->grid.rows; y++)
        for (int32_t x = col > 0 ? col - 1 : 0; x <= col + 1 && x < s->grid.cols; x++) {
            const int32_t tile = y / ZM_TILE * s->tiles_x + x / ZM_TILE;

            run->g.tiles[tile].fresh = 1;
            zm_tile_queue_push(&run->lead->queue, tile, time);
        }
}

/* The unit and the shifted source times must be numbers of the solver's type. */
static zm_status range_check(const solve_run *run, zm_error *err)
{
    const double most = run->dtype == ZM_F32 ? (double)FLT_MAX : DBL_MAX;
    const zm_source *sources = run->problem->sources;

    for (int k = 0; k < 5; k++)
        if (!(run->g.scale[k] > 1 / most && run->g.scale[k] < most))
            return zm_fail(err, ZM_E_METRIC,
                           (int64_t)zm_source_cell(run->s->grid, &sources[0]),
                           "metric at the first source with spacing %g, %g is out of the "
                           "range of %s numbers: use other units",
                           run->s->grid.dx, run->s->grid.dy,
                           zm_dtype_name(run->dtype));
    for (size_t i = 0; i < run->problem->n_sources; i++)
        if (!(fabs(sources[i].time) < most) ||
            !((sources[i].time - run->start) / run->unit < most))
            return zm_fail(err, ZM_E_SOURCE,
                           (int64_t)zm_source_cell(run->s->grid, &sources[i]),
                           "source %zu starts at time %g, out of the range of %s numbers", i,
                           sources[i].time, zm_dtype_name(run->dtype));
    return ZM_OK;
}

static zm_status run_start(solve_run *run, void *T, int32_t threads, zm_error *err)
{
    const zm_solver *s = run->s;
    const int32_t tiles = zm_solver_tiles(s);
    const bool f32 = run->dtype == ZM_F32;
    zm_status st;

    run->start = run->problem->sources[0].time;
    for (size_t i = 1; i < run->problem->n_sources; i++)
        run->start = fmin(run->start, run->problem->sources[i].time);
    run->unit = time_unit_of(run);
    run->t_max = (run->opts->t_max - run->start) / run->unit;
    run->g = zm_solver_tiling(s, run->lead, run->record, run->problem, T, run->unit);
    run->g.unchanged_rel = 1.0 - (f32 ? NEWS_F32 : NEWS_F64);
    run->g.unchanged_abs = run->opts->tol / run->unit;
    run->record->state = ZM_RECORD_NONE;
    run->record->time_unit = run->unit;
    if ((st = range_check(run, err)) != ZM_OK)
        return st;
    fill_infinite(T, run->dtype, s->cells, threads);
    memset(run->lead->tiles, 0, (size_t)tiles * sizeof *run->lead->tiles);
    memset(run->lead->busy, 0, (size_t)tiles);
    memset(run->record->tiles, 0, (size_t)tiles * sizeof *run->record->tiles);
    zm_tile_queue_clear(&run->lead->queue, tiles);
    for (int32_t i = 0; i < threads; i++)
        worker_reset(&run->lanes[i].worker, tiles);
    for (size_t i = 0; i < run->problem->n_sources; i++)
        source_start(run, &run->problem->sources[i]);
    return ZM_OK;
}

/* Exact check of the cells of one tile, after the kernel has found something suspicious. */
static zm_status tile_check(const solve_run *run, int32_t tile, zm_error *err)
{
    const zm_solver *s = run->s;
    const int32_t r0 = tile / s->tiles_x * ZM_TILE, c0 = tile % s->tiles_x * ZM_TILE;
    const double largest = run->dtype == ZM_F32 ? ZM_LARGEST_F32 : ZM_LARGEST_F64;

    for (int32_t r = r0; r < r0 + ZM_TILE && r < s->grid.rows; r++)
        for (int32_t c = c0; c < c0 + ZM_TILE && c < s->grid.cols; c++) {
            const size_t cell = (size_t)r * (size_t)s->grid.cols + (size_t)c;
            const zm_metric *m = &run->problem->metric;
            zm_status st;

            if (run->problem->walls && run->problem->walls[cell])
                continue;
            st = zm_cell_check(s->grid, m, cell, err);
            if (st != ZM_OK)
                return st;
            const zm_cell_metric v = zm_metric_at(m, cell);
            const double x = v.g11 * run->g.scale[0], y = v.g22 * run->g.scale[2];

            if (!(fmin(x, y) > 1 / largest && fmax(x, y) < largest))
                return zm_fail(err, ZM_E_METRIC, (int64_t)cell,
                               "metric at row %d, col %d (g11 = %g, g22 = %g, spacing %g, %g) "
                               "is %.0e times off that of the first source or more: use "
                               "walls for cells that nothing should cross",
                               (int)r, (int)c, v.g11, v.g22, s->grid.dx, s->grid.dy,
                               largest);
        }
    return ZM_OK;
}

static bool neighbourhood_free(const solve_run *run, int32_t tile)
{
    const int32_t ty = tile / run->g.tiles_x, tx = tile % run->g.tiles_x;

    for (int32_t y = ty > 0 ? ty - 1 : 0; y <= ty + 1 && y < run->g.tiles_y; y++)
        for (int32_t x = tx > 0 ? tx - 1 : 0; x <= tx + 1 && x < run->g.tiles_x; x++)
            if (run->lead->busy[y * run->g.tiles_x + x])
                return false;
    return true;
}

/* The earliest tile that no other thread is at or beside: two threads never touch the same
 * cells at once.  -1: none. */
static int32_t next_free_tile(solve_run *run)
{
    zm_tile_queue *q = &run->lead->queue;
    int32_t blocked[BLOCKED_MOST], n_blocked = 0, tile;

    while ((tile = zm_tile_queue_pop(q)) >= 0 && run->n_busy &&
           !neighbourhood_free(run, tile)) {
        blocked[n_blocked++] = tile;
        tile = -1;
        if (n_blocked == BLOCKED_MOST)
            break;
    }
    for (int32_t i = 0; i < n_blocked; i++)
        zm_tile_queue_push(q, blocked[i], q->key[blocked[i]]);
    return tile;
}

/* Whether news as early as `key` can matter to a tile. */
static bool worth_a_visit(solve_run *run, int32_t tile, double key)
{
    const zm_tile *t = &run->g.tiles[tile];
    const bool bounded = t->known[0] == ~(uint32_t)0;
    /* news later than t_max matters only where a cell may be earlier than its donor */
    const double gap = bounded ? fmin(0.0, fmin((double)t->gap_axis, (double)t->gap_diagonal))
                               : 0.0;

    if (t->visits >= run->opts->max_iterations) {
        run->stalled = true;
        return false;
    }
    return key + gap <= run->t_max;
}

static void stop_at_bad_tile(solve_run *run, int32_t tile)
{
    zm_error err;
    zm_status st = tile_check(run, tile, &err);
    int running = ZM_OK;

    if (st == ZM_OK) /* admissible, but not to the kernel */
        st = zm_fail(&err, ZM_E_METRIC, -1,
                     "metric near row %d, col %d is out of the range of %s numbers",
                     (int)(tile / run->g.tiles_x * ZM_TILE),
                     (int)(tile % run->g.tiles_x * ZM_TILE),
                     zm_dtype_name(run->dtype));

    if (atomic_compare_exchange_strong(&run->stop, &running, (int)st))
        run->error = err;
}

static void apply_wakes(solve_run *run, const zm_wake *wakes, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        zm_tile *t = &run->g.tiles[wakes[i].tile];

        t->changed[wakes[i].side] |= wakes[i].changed;
        t->corners |= wakes[i].corner;
        if (run->lead->queue.place[wakes[i].tile] < 0 ||
            wakes[i].key < run->lead->queue.key[wakes[i].tile])
            t->columns_first = wakes[i].changed && wakes[i].side >= ZM_FROM_W;
        zm_tile_queue_push(&run->lead->queue, wakes[i].tile, wakes[i].key);
    }
}

static void report_progress(solve_run *run)
{
    const double total = (double)zm_solver_tiles(run->s);

    if (run->opts->progress(run->opts->progress_ctx, (double)run->n_reached / total))
        atomic_store(&run->stop, (int)ZM_E_CANCELLED);
}

static void run_lock(solve_run *run)
{
    if (run->shared)
        zm_spin_lock(&run->lock);
}

static void run_unlock(solve_run *run)
{
    if (run->shared)
        zm_spin_unlock(&run->lock);
}

/* One thread's share: take the earliest free tile, visit it, tell its neighbours. */
static void run_worker(solve_run *run, zm_worker *w, bool leads)
{
    const bool prefetch = run->s->cells * 6 * zm_dtype_size(run->dtype) > PREFETCH_FROM_BYTES;
    zm_wake wakes[ZM_MOST_WAKES];
    int32_t idle = 0, visits = 0;

    while (atomic_load_explicit(&run->stop, memory_order_relaxed) == ZM_OK) {
        run_lock(run);
        const int32_t tile = next_free_tile(run);

        if (tile < 0) {
            const bool done = run->lead->queue.n == 0 && run->n_busy == 0;

            run_unlock(run);
            if (done)
                break;
            zm_spin_wait(idle++);
            continue;
        }
        const double key = run->lead->queue.key[tile];

        idle = 0;
        run->lead->busy[tile] = 1;
        run->n_busy++;
        w->next_tile = prefetch ? zm_tile_queue_peek(&run->lead->queue) : -1;
        run_unlock(run);

        int32_t n = 0;
        const bool first = run->g.tiles[tile].visits == 0;

        if (worth_a_visit(run, tile, key))
            n = run->s->kernel->visit(&run->g, w, tile, wakes);
        if (n == ZM_VISIT_BAD)
            stop_at_bad_tile(run, tile);
        run_lock(run);
        apply_wakes(run, wakes, n);
        run->n_reached += first;
        run->lead->busy[tile] = 0;
        run->n_busy--;
        run_unlock(run);
        if (leads && run->opts->progress && ++visits % PROGRESS_EVERY == 0)
            report_progress(run);
    }
}

static void run_thread(void *ctx, int32_t thread)
{
    solve_run *run = ctx;

    run_worker(run, &run->lanes[thread].worker, thread == 0);
}

static void time_set(const solve_run *run, size_t cell, double time)
{
    if (run->dtype == ZM_F32)
        ((float *)run->g.T)[cell] = (float)time;
    else
        ((double *)run->g.T)[cell] = time;
}

static bool cell_reached(const solve_run *run, size_t cell)
{
    const size_t cols = (size_t)run->g.cols, row = cell / cols, col = cell % cols;
    const size_t tile = row / ZM_TILE * (size_t)run->g.tiles_x + col / ZM_TILE;

    return run->g.records[tile].reached[row % ZM_TILE] >> (col % ZM_TILE) & 1;
}

/* Sources that nothing overtook have exactly the time they were given. */
static void source_times_restore(const solve_run *run)
{
    const zm_problem *p = run->problem;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < p->n_sources; i++) {
            const double time = p->sources[i].time;
            const size_t cell = zm_source_cell(run->s->grid, &p->sources[i]);

            if (cell_reached(run, cell) || time > run->opts->t_max)
                continue;
            if (pass == 0)
                time_set(run, cell, (double)INFINITY);
            else if (time < zm_plane_value(run->g.T, run->dtype, cell))
                time_set(run, cell, time);
        }
}

/* Times after t_max back to INFINITY, internal times to the caller's. */
static void times_finish(const solve_run *run)
{
    const bool limited = run->opts->t_max < HUGE_VAL;
    const bool shifted = run->start != 0.0 || run->unit != 1.0;

    if (!limited && !shifted)
        return;
    if (run->dtype == ZM_F32) {
        float *T = run->g.T;

        for (size_t i = 0; i < run->s->cells; i++)
            T[i] = (double)T[i] > run->t_max
                       ? INFINITY
                       : (float)((double)T[i] * run->unit + run->start);
    } else {
        double *T = run->g.T;

        for (size_t i = 0; i < run->s->cells; i++)
            T[i] = T[i] > run->t_max ? INFINITY : T[i] * run->unit + run->start;
    }
    if (shifted)
        source_times_restore(run);
}

static uint32_t lines_mask(int32_t lines)
{
    return lines < ZM_TILE ? ((uint32_t)1 << lines) - 1 : ~(uint32_t)0;
}

/* Whether sweeps have looked at every row or at every column of a tile, and so at all of
 * its cells. */
static bool tile_seen(const solve_run *run, int32_t tile)
{
    const zm_tile *t = &run->g.tiles[tile];
    const int32_t row = tile / run->g.tiles_x * ZM_TILE, col = tile % run->g.tiles_x * ZM_TILE;
    const uint32_t rows = lines_mask(run->g.rows - row), cols = lines_mask(run->g.cols - col);

    return (t->known[0] & rows) == rows || (t->known[1] & cols) == cols;
}

/* Cells that no sweep looked at are checked too, unless t_max kept the front away. */
static zm_status unseen_check(const solve_run *run, zm_error *err)
{
    if (run->opts->t_max < HUGE_VAL)
        return ZM_OK;
    for (int32_t tile = 0; tile < zm_solver_tiles(run->s); tile++)
        if (!tile_seen(run, tile)) {
            const zm_status st = tile_check(run, tile, err);

            if (st != ZM_OK)
                return st;
        }
    return ZM_OK;
}

static void run_report(const solve_run *run, int32_t threads, zm_report *report)
{
    if (!report)
        return;
    *report = (zm_report){ .converged = !run->stalled, .threads = threads };
    for (int32_t i = 0; i < zm_solver_tiles(run->s); i++)
        if (run->g.tiles[i].visits > report->iterations)
            report->iterations = run->g.tiles[i].visits;
    for (int32_t i = 0; i < threads; i++)
        report->updates += run->lanes[i].worker.updates;
}

static zm_status run_status(solve_run *run, zm_error *err)
{
    const zm_status stop = (zm_status)atomic_load(&run->stop);
    zm_status st;

    if (stop == ZM_E_CANCELLED)
        return zm_fail(err, stop, -1, "cancelled by the progress callback");
    if (stop != ZM_OK) {
        /* name the first bad cell of the grid, whatever the order of the visits was */
        st = zm_problem_check(run->s->grid, run->problem, err);
        if (st == ZM_OK && err)
            *err = run->error;
        return stop;
    }
    st = unseen_check(run, err);
    if (st != ZM_OK)
        return st;
    if (run->stalled)
        return zm_fail(err, ZM_NOT_CONVERGED, -1,
                       "some tile was visited %d times and could still change: raise "
                       "max_iterations",
                       (int)run->opts->max_iterations);
    return ZM_OK;
}

/* Solves one problem with lanes[0 .. threads). */
static zm_status solve(zm_solver *s, zm_lane *lanes, int32_t threads, zm_record *record,
                       const zm_problem *problem, void *T, const zm_forward_opts *opts,
                       zm_report *report, zm_error *err)
{
    solve_run run = { .s = s,
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
    if ((st = run_start(&run, T, threads, err)) != ZM_OK)
        return st;
    if (run.shared)
        zm_parallel(threads, run_thread, &run);
    else
        run_thread(&run, 0);
    st = run_status(&run, err);
    if (st < 0)
        return st;
    times_finish(&run);
    run_report(&run, threads, report);
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
