/* SPDX-License-Identifier: Apache-2.0
 * A solve on blocks with the eight neighbours: an empty field with the sources in the queue,
 * visits to blocks in order of their earliest change until the active list is empty, times in the
 * caller's unit. */
#include "eikonal/blocks/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "eikonal/problem/unit.h"

/* A new value must be below the old one by more than this share of it to count as a change:
 * both families of sweeps compute the same minimum with different rounding. */
static const double LEAST_CHANGE_F64 = 4e-15, LEAST_CHANGE_F32 = 2.5e-7;

/* Most directional updates a cell that sweeps are given to settle: fifty to a hundred times what
 * metrics need that the eight neighbours are causal for, and some microseconds.  Where cells are
 * donors of each other, sweeps would take a number that has no bound in the size of the grid;
 * from there on only changes by ROUGH_CHANGE of a time are passed on, and policy iteration
 * settles the rest. */
enum { MOST_UPDATES_A_CELL = 1000 };
static const double ROUGH_CHANGE = 1e-3;

/* So many cells more: on small grids most lanes of vectors look at no cell. */
enum { SMALL_GRID = 8 * ZM_BLOCK };

/* Blocks that wait for some of what comes to them are visited 1.9 times instead of 2.1; with t_max
 * it is the earliest change that says whether a block matters. */
static const double WAITED_SHARE = 0.25;

enum { PREFETCH_FROM_BYTES = 4 << 20, PROGRESS_EVERY = 64, BLOCKED_MOST = 16 };

/* A cell can be earlier than its donor by the causal gap of its metric, and that donor than
 * its own: with t_max, a solve goes on for this many of the largest gap it has met. */
static const double LATE_GAPS = 16.0;

static zm_blocks_run run_of(const zm_engine_run *of)
{
    const zm_solver *s = of->s;
    const double start = zm_problem_start(of->problem);
    const double unit = of->record->unit;
    zm_blocks_run run = {
        .of = of,
        .s = s,
        .lead = zm_blocks_work_of(of->workspaces),
        .record = zm_engine_record_part(of->record, &zm_blocks_engine),
        .start = start,
        .unit = unit,
        .t_max = zm_time_limit_from(s->dtype, of->opts->t_max, start) / unit,
        .shared = of->threads > 1,
        .lock = { ATOMIC_FLAG_INIT }
    };

    run.g = zm_blocks_grid_of(s, run.lead, run.record, of->problem, of->T, unit);
    run.g.want_margin = s->opts.stencils == ZM_STENCILS_ADAPTIVE;
    run.g.per_time = 1.0; /* T is kept in the unit of the solve */
    run.g.unchanged_rel =
        1.0 - (s->dtype == ZM_F32 ? LEAST_CHANGE_F32 : LEAST_CHANGE_F64);
    run.g.unchanged_abs = of->opts->tol / unit;
    run.g.wait = of->opts->t_max < HUGE_VAL ? 0.0 : WAITED_SHARE;
    return run;
}

/* The unit and the shifted source times must be numbers of the solver's type. */
static zm_status range_check(const zm_blocks_run *run, zm_error *err)
{
    const double most = run->s->dtype == ZM_F32 ? (double)FLT_MAX : DBL_MAX;
    const zm_source *sources = run->of->problem->sources;

    for (int k = 0; k < 5; k++)
        if (!(run->g.scale[k] > 1 / most && run->g.scale[k] < most))
            return zm_fail(
                err, ZM_E_METRIC, (int64_t)zm_source_cell(run->s->grid, &sources[0]),
                "metric at the first source with spacing %g, %g is out of the "
                "range of %s numbers: use other units",
                run->s->grid.dx, run->s->grid.dy, zm_dtype_name(run->s->dtype));
    for (size_t i = 0; i < run->of->problem->n_sources; i++)
        if (!(fabs(sources[i].time) < most) ||
            !((sources[i].time - run->start) / run->unit < most))
            return zm_fail(
                err, ZM_E_SOURCE, (int64_t)zm_source_cell(run->s->grid, &sources[i]),
                "source %zu starts at time %g, out of the range of %s numbers", i,
                sources[i].time, zm_dtype_name(run->s->dtype));
    return ZM_OK;
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

static void worker_reset(zm_blocks_worker *w, int32_t blocks)
{
    for (int32_t i = 0; i < blocks; i++)
        w->slot_of_block[i] = -1;
    for (int32_t i = 0; i < w->n_slots; i++)
        w->block_of_slot[i] = -1;
    w->next_slot = 0;
    w->next_block = -1;
    w->updates = 0;
    w->tired = false;
}

/* Nothing is reached, and no block is active. */
static void fields_clear(zm_blocks_run *run)
{
    const int32_t blocks = run->g.blocks_down * run->g.blocks_across;
    fill_run fill = { .T = run->g.T, .dtype = run->s->dtype, .cells = run->s->cells };

    zm_parallel(run->of->threads, fill_thread, &fill);
    memset(run->lead->blocks, 0, (size_t)blocks * sizeof *run->lead->blocks);
    memset(run->lead->busy, 0, (size_t)blocks);
    memset(run->record->blocks, 0, (size_t)blocks * sizeof *run->record->blocks);
    zm_blocks_queue_clear(&run->lead->queue, blocks);
    for (int32_t i = 0; i < run->of->threads; i++) {
        zm_blocks_worker *w = &zm_blocks_work_of(&run->of->workspaces[i])->worker;

        worker_reset(w, blocks);
        w->most_updates =
            MOST_UPDATES_A_CELL *
            ((int64_t)run->s->cells / run->of->threads + SMALL_GRID);
    }
    run->record->has_late = false;
}

/* The source's own block and those its eight neighbours are in begin with all cells due. */
static void source_start(zm_blocks_run *run, const zm_source *source)
{
    const zm_solver *s = run->s;
    const int32_t row = (int32_t)source->row, col = (int32_t)source->col;
    const size_t cell = zm_source_cell(s->grid, source);
    const double time = (source->time - run->start) / run->unit;

    if (run->s->dtype == ZM_F32) {
        float *T = (float *)run->g.T + cell;

        *T = (float)time < *T ? (float)time : *T;
    } else {
        double *T = (double *)run->g.T + cell;

        *T = time < *T ? time : *T;
    }
    for (int32_t y = row > 0 ? row - 1 : 0; y <= row + 1 && y < s->grid.rows; y++)
        for (int32_t x = col > 0 ? col - 1 : 0; x <= col + 1 && x < s->grid.cols; x++) {
            const int32_t block = y / ZM_BLOCK * run->g.blocks_across + x / ZM_BLOCK;

            run->g.blocks[block].fresh = 1;
            zm_blocks_queue_push(&run->lead->queue, block, time);
        }
}

static bool neighbourhood_free(const zm_blocks_run *run, int32_t block)
{
    const int32_t ty = block / run->g.blocks_across, tx = block % run->g.blocks_across;

    for (int32_t y = ty > 0 ? ty - 1 : 0; y <= ty + 1 && y < run->g.blocks_down; y++)
        for (int32_t x = tx > 0 ? tx - 1 : 0; x <= tx + 1 && x < run->g.blocks_across;
             x++)
            if (run->lead->busy[y * run->g.blocks_across + x])
                return false;
    return true;
}

/* The earliest block that no other thread is at or beside: two threads never touch the same
 * cells at once.  -1: none. */
static int32_t next_free_block(zm_blocks_run *run)
{
    zm_blocks_queue *q = &run->lead->queue;
    int32_t blocked[BLOCKED_MOST], n_blocked = 0, block;

    while ((block = zm_blocks_queue_pop(q)) >= 0 && run->n_busy &&
           !neighbourhood_free(run, block)) {
        blocked[n_blocked++] = block;
        block = -1;
        if (n_blocked == BLOCKED_MOST)
            break;
    }
    for (int32_t i = 0; i < n_blocked; i++)
        zm_blocks_queue_push(q, blocked[i], q->key[blocked[i]]);
    return block;
}

static void stop_at_bad_block(zm_blocks_run *run, int32_t block)
{
    zm_error err;
    zm_status st = zm_blocks_check(run, block, &err);
    int running = ZM_OK;

    if (st == ZM_OK) /* admissible, but not to the kernel */
        st = zm_fail(&err, ZM_E_METRIC, -1,
                     "metric near row %d, col %d is out of the range of %s numbers, or was "
                     "changed during the solve",
                     (int)(block / run->g.blocks_across * ZM_BLOCK),
                     (int)(block % run->g.blocks_across * ZM_BLOCK),
                     zm_dtype_name(run->s->dtype));

    if (atomic_compare_exchange_strong(&run->stop, &running, (int)st))
        run->error = err;
}

static void run_lock(zm_blocks_run *run)
{
    if (run->shared)
        zm_spin_lock(&run->lock);
}

static void run_unlock(zm_blocks_run *run)
{
    if (run->shared)
        zm_spin_unlock(&run->lock);
}

typedef enum take_result { TAKEN, WAIT, DONE } take_result;

/* Takes the earliest free block, if it is not too late for t_max. */
static take_result take_block(zm_blocks_run *run, zm_blocks_worker *w, bool prefetch,
                              int32_t *block)
{
    zm_blocks_queue *q = &run->lead->queue;
    bool too_late = false;

    *block = next_free_block(run);
    if (*block >= 0 && q->key[*block] > run->t_max + run->late) {
        zm_blocks_queue_push(q, *block, q->key[*block]);
        *block = -1;
        too_late = true; /* as are all the others */
    }
    if (*block < 0)
        return run->n_busy == 0 && (q->n == 0 || too_late) ? DONE : WAIT;
    run->lead->busy[*block] = 1;
    run->n_busy++;
    run->n_reached += run->g.blocks[*block].visits == 0;
    w->next_block = prefetch ? zm_blocks_queue_peek(q) : -1;
    return TAKEN;
}

/* Back from a visit: tells the neighbours, by n activations. */
static void give_back(zm_blocks_run *run, int32_t block,
                      const zm_blocks_activation *activations, int32_t n)
{
    zm_blocks_queue *q = &run->lead->queue;
    const zm_blocks_block *t = &run->g.blocks[block];
    const double gap = fmin((double)t->gap_axis, (double)t->gap_diagonal);

    for (int32_t i = 0; i < n; i++) {
        const zm_blocks_activation *a = &activations[i];
        zm_blocks_block *next = &run->g.blocks[a->block];

        next->changed[a->side] |= a->changed;
        next->corners |= a->corner;
        if (q->place[a->block] < 0 || a->key < q->key[a->block])
            next->columns_first = a->changed && a->side >= ZM_FROM_W;
        zm_blocks_queue_push(q, a->block, a->key);
    }
    run->late = fmax(run->late, -LATE_GAPS * gap);
    run->lead->busy[block] = 0;
    run->n_busy--;
}

/* Ends the run, for the reason that is set. */
static void stop_with(zm_blocks_run *run, atomic_bool *reason)
{
    int running = ZM_OK; /* what has been cancelled stays so */

    atomic_store(reason, true);
    atomic_compare_exchange_strong(&run->stop, &running, (int)ZM_NOT_CONVERGED);
}

/* After a visit to a block that is not admissible, or that the eight neighbours are not enough
 * for. */
static void stop_after(zm_blocks_run *run, int32_t block, bool bad)
{
    if (bad)
        stop_at_bad_block(run, block);
    else
        stop_with(run, &run->needs_adaptive);
}

/* One thread's share: take the earliest free block, visit it, tell its neighbours. */
static void visits_thread(void *solve_run, int32_t thread)
{
    zm_blocks_run *run = solve_run;
    zm_blocks_worker *w = &zm_blocks_work_of(&run->of->workspaces[thread])->worker;
    const bool prefetch =
        run->s->cells * 6 * zm_dtype_size(run->s->dtype) > PREFETCH_FROM_BYTES;
    const double blocks = (double)(run->g.blocks_down * run->g.blocks_across);
    zm_blocks_activation activations[ZM_BLOCKS_MOST_ACTIVATIONS];
    int32_t idle = 0, visits = 0;

    while (atomic_load_explicit(&run->stop, memory_order_relaxed) == ZM_OK) {
        int32_t block, n = 0;
        double fraction;
        take_result taken;
        bool stalled;

        run_lock(run);
        taken = take_block(run, w, prefetch, &block);
        stalled = taken == TAKEN &&
                  run->g.blocks[block].visits >= run->of->opts->max_iterations;
        run->stalled |= stalled;
        run_unlock(run);
        if (taken == DONE)
            break;
        if (taken == WAIT) {
            zm_spin_wait(idle++);
            continue;
        }
        idle = 0;
        if (!stalled)
            n = run->s->kernel->visit(&run->g, w, block, activations);
        if (w->tired)
            stop_with(run, &run->slow);
        if (n == ZM_BLOCKS_VISIT_BAD ||
            (run->g.want_margin && run->g.blocks[block].margin < 0.0f))
            stop_after(run, block, n == ZM_BLOCKS_VISIT_BAD);
        run_lock(run);
        if (w->tired)
            zm_blocks_queue_push(&run->lead->queue, block,
                                 run->lead->queue.key[block]);
        w->tired = false;
        give_back(run, block, activations, n);
        fraction = (double)run->n_reached / blocks;
        run_unlock(run);
        if (thread == 0 && run->of->opts->progress && ++visits % PROGRESS_EVERY == 0 &&
            run->of->opts->progress(run->of->opts->progress_ctx, fraction))
            atomic_store(&run->stop, (int)ZM_E_CANCELLED);
    }
}

static void time_set(const zm_blocks_run *run, size_t cell, double time)
{
    if (run->s->dtype == ZM_F32)
        ((float *)run->g.T)[cell] = (float)time;
    else
        ((double *)run->g.T)[cell] = time;
}

static bool cell_reached(const zm_blocks_run *run, size_t cell)
{
    const size_t cols = (size_t)run->g.cols, row = cell / cols, col = cell % cols;
    const size_t block = row / ZM_BLOCK * (size_t)run->g.blocks_across + col / ZM_BLOCK;

    return run->g.records[block].reached[row % ZM_BLOCK] >> (col % ZM_BLOCK) & 1;
}

/* Sources that nothing overtook have exactly the time they were given. */
static void source_times_restore(const zm_blocks_run *run)
{
    const zm_problem *p = run->of->problem;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < p->n_sources; i++) {
            const double time = p->sources[i].time;
            const size_t cell = zm_source_cell(run->s->grid, &p->sources[i]);

            if (cell_reached(run, cell) ||
                zm_time_is_after(run->s->dtype, time, run->of->opts->t_max))
                continue;
            if (pass == 0)
                time_set(run, cell, (double)INFINITY);
            else if (time < zm_plane_value(run->g.T, run->s->dtype, cell))
                time_set(run, cell, time);
        }
}

/* Cells later than t_max may be donors of cells before it: their stencils are found out
 * while their times are still known. */
static void late_donors_keep(const zm_blocks_run *run)
{
    zm_blocks_donors_find(run->s, run->of->workspaces, run->of->threads, run->record,
                       &run->g, run->g.blocks);
    run->record->has_late = true;
    run->record->state = ZM_BLOCKS_DONORS;
}

/* Policy iteration; it leaves the donors of all cells too. */
static zm_status settle(zm_blocks_run *run, zm_error *err)
{
    const zm_status st = zm_blocks_policy(run, run->t_max + run->late, err);

    run->record->has_late = run->of->opts->t_max < HUGE_VAL;
    run->record->state = ZM_BLOCKS_DONORS;
    run->unsettled = st == ZM_NOT_CONVERGED;
    return st < 0 ? st : ZM_OK;
}

/* The caller's t_max is compared with the caller's times: it may be one of them.  False: some
 * time is out of the range. */
static bool times_convert(const zm_blocks_run *run)
{
    const double t_max = run->of->opts->t_max;
    bool good = true;

    if (run->s->dtype == ZM_F32) {
        float *T = run->g.T;

        for (size_t i = 0; i < run->s->cells; i++) {
            const bool reached = T[i] < INFINITY;

            T[i] = (float)((double)T[i] * run->unit + run->start);
            good &= !reached || T[i] < INFINITY;
            if (T[i] > (float)t_max)
                T[i] = INFINITY;
        }
    } else {
        double *T = run->g.T;

        for (size_t i = 0; i < run->s->cells; i++) {
            const bool reached = T[i] < (double)INFINITY;

            T[i] = T[i] * run->unit + run->start;
            good &= !reached || T[i] < (double)INFINITY;
            if (T[i] > t_max)
                T[i] = (double)INFINITY;
        }
    }
    return good;
}

/* How it ended; cells that no sweep looked at are checked too.  T in the caller's unit, and the
 * report. */
static zm_status finish(zm_blocks_run *run, zm_error *err)
{
    const zm_status stop = (zm_status)atomic_load(&run->stop);
    const bool limited = run->of->opts->t_max < HUGE_VAL;
    const bool shifted = run->start != 0.0 || run->unit != 1.0;
    zm_report *report = run->of->report;

    if (stop == ZM_E_CANCELLED)
        return zm_fail(err, stop, -1, "cancelled by the progress callback");
    if (stop != ZM_OK) {
        /* name the first bad cell of the grid, whatever the order of the visits was */
        if (zm_problem_check(run->s->grid, run->of->problem, err) == ZM_OK && err)
            *err = run->error;
        return stop;
    }
    ZM_TRY(zm_blocks_check_unseen(run, err));
    run->record->state = ZM_BLOCKS_SOLVED;
    if (run->settle && !run->stalled)
        ZM_TRY(settle(run, err));
    else if (limited && run->late > 0.0)
        late_donors_keep(run);
    if ((limited || shifted) && !times_convert(run))
        return zm_unit_fail_store(run->s->dtype, err);
    if (shifted)
        source_times_restore(run);
    report->converged = !run->stalled && !run->unsettled;
    report->threads = run->of->threads;
    for (int32_t i = 0; i < run->g.blocks_down * run->g.blocks_across; i++)
        if (run->g.blocks[i].visits > report->iterations)
            report->iterations = run->g.blocks[i].visits;
    /* each directional update covers two triangles */
    report->updates += ZM_STENCIL_PLAIN / 2 * run->choices * (int64_t)run->s->cells;
    for (int32_t i = 0; i < run->of->threads; i++)
        report->updates += zm_blocks_work_of(&run->of->workspaces[i])->worker.updates;
    if (run->unsettled)
        return zm_fail(err, ZM_NOT_CONVERGED, -1,
                       "cells that are donors of each other did not settle; the times are "
                       "upper bounds");
    if (!run->stalled)
        return ZM_OK;
    return zm_fail(err, ZM_NOT_CONVERGED, -1,
                   "some block was visited %d times and could still change: raise "
                   "max_iterations",
                   (int)run->of->opts->max_iterations);
}

static void visits(zm_blocks_run *run)
{
    if (run->shared)
        zm_parallel(run->of->threads, visits_thread, run);
    else
        visits_thread(run, 0);
}

/* Goes on where the visits were given up, without the small changes. */
static void visits_roughly(zm_blocks_run *run)
{
    for (int32_t i = 0; i < run->of->threads; i++)
        zm_blocks_work_of(&run->of->workspaces[i])->worker.most_updates = INT64_MAX;
    run->settle = true;
    run->g.unchanged_rel = 1.0 - ROUGH_CHANGE;
    atomic_store(&run->stop, (int)ZM_OK);
    visits(run);
}

zm_outcome zm_blocks_solve(zm_engine_run *of, zm_error *err)
{
    zm_blocks_run run = run_of(of);

    if ((of->status = range_check(&run, err)) != ZM_OK)
        return ZM_OUTCOME_FAILED;
    fields_clear(&run);
    for (size_t i = 0; i < of->problem->n_sources; i++)
        source_start(&run, &of->problem->sources[i]);
    visits(&run);
    if (atomic_load(&run.slow) && atomic_load(&run.stop) == ZM_NOT_CONVERGED &&
        !atomic_load(&run.needs_adaptive))
        visits_roughly(&run);
    if (atomic_load(&run.needs_adaptive) && atomic_load(&run.stop) != ZM_E_CANCELLED)
        return ZM_OUTCOME_HAND_OVER;
    of->status = finish(&run, err);
    return of->status < 0 ? ZM_OUTCOME_FAILED : ZM_OUTCOME_DONE;
}
