/* SPDX-License-Identifier: Apache-2.0
 * The visits of a solve: tiles in the order of their news until no one has any. */
#include <math.h>

#include "core/fail.h"
#include "eikonal/blocks/solve.h"

enum { PREFETCH_FROM_BYTES = 4 << 20, PROGRESS_EVERY = 64, BLOCKED_MOST = 16 };

/* A cell can be earlier than its donor by the causal gap of its metric, and that donor than
 * its own: with t_max, a solve goes on for this many of the largest gap it has met. */
static const double LATE_GAPS = 16.0;

static bool neighbourhood_free(const zm_solve *run, int32_t tile)
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
static int32_t next_free_tile(zm_solve *run)
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

static void stop_at_bad_tile(zm_solve *run, int32_t tile)
{
    zm_error err;
    zm_status st = zm_solve_check_tile(run, tile, &err);
    int running = ZM_OK;

    if (st == ZM_OK) /* admissible, but not to the kernel */
        st = zm_fail(&err, ZM_E_METRIC, -1,
                     "metric near row %d, col %d is out of the range of %s numbers",
                     (int)(tile / run->g.tiles_x * ZM_TILE),
                     (int)(tile % run->g.tiles_x * ZM_TILE),
                     zm_dtype_name(run->s->dtype));

    if (atomic_compare_exchange_strong(&run->stop, &running, (int)st))
        run->error = err;
}

static void apply_wakes(zm_solve *run, const zm_wake *wakes, int32_t n)
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

static void run_lock(zm_solve *run)
{
    if (run->shared)
        zm_spin_lock(&run->lock);
}

static void run_unlock(zm_solve *run)
{
    if (run->shared)
        zm_spin_unlock(&run->lock);
}

typedef enum take_result { TAKEN, WAIT, DONE } take_result;

/* Takes the earliest free tile, if it is not too late for t_max. */
static take_result take_tile(zm_solve *run, zm_worker *w, bool prefetch, int32_t *tile)
{
    zm_tile_queue *q = &run->lead->queue;
    bool too_late = false;

    *tile = next_free_tile(run);
    if (*tile >= 0 && q->key[*tile] > run->t_max + run->late) {
        zm_tile_queue_push(q, *tile, q->key[*tile]);
        *tile = -1;
        too_late = true; /* as are all the others */
    }
    if (*tile < 0)
        return run->n_busy == 0 && (q->n == 0 || too_late) ? DONE : WAIT;
    run->lead->busy[*tile] = 1;
    run->n_busy++;
    run->n_reached += run->g.tiles[*tile].visits == 0;
    w->next_tile = prefetch ? zm_tile_queue_peek(q) : -1;
    return TAKEN;
}

/* Back from a visit: n wakes. */
static void give_back(zm_solve *run, int32_t tile, const zm_wake *wakes, int32_t n)
{
    const zm_tile *t = &run->g.tiles[tile];
    const double gap = fmin((double)t->gap_axis, (double)t->gap_diagonal);

    apply_wakes(run, wakes, n);
    run->late = fmax(run->late, -LATE_GAPS * gap);
    run->lead->busy[tile] = 0;
    run->n_busy--;
}

static int32_t visit(zm_solve *run, zm_worker *w, int32_t tile, zm_wake *wakes)
{
    const int32_t n = run->s->kernel->visit(&run->g, w, tile, wakes);

    if (n == ZM_VISIT_BAD) {
        stop_at_bad_tile(run, tile);
    } else if (run->g.want_mildness && run->g.tiles[tile].mildness < 0.0f) {
        atomic_store(&run->strong, true);
        atomic_store(&run->stop, (int)ZM_NOT_CONVERGED);
    }
    return n;
}

/* One thread's share: take the earliest free tile, visit it, tell its neighbours. */
static void run_worker(zm_solve *run, zm_worker *w, bool leads)
{
    const bool prefetch = run->s->cells * 6 * zm_dtype_size(run->s->dtype) > PREFETCH_FROM_BYTES;
    const double tiles = (double)(run->g.tiles_y * run->g.tiles_x);
    zm_wake wakes[ZM_MOST_WAKES];
    int32_t idle = 0, visits = 0;

    while (atomic_load_explicit(&run->stop, memory_order_relaxed) == ZM_OK) {
        int32_t tile, n = 0;
        double fraction;
        take_result taken;
        bool stalled;

        run_lock(run);
        taken = take_tile(run, w, prefetch, &tile);
        stalled = taken == TAKEN && run->g.tiles[tile].visits >= run->of->opts->max_iterations;
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
            n = visit(run, w, tile, wakes);
        run_lock(run);
        give_back(run, tile, wakes, n);
        fraction = (double)run->n_reached / tiles;
        run_unlock(run);
        if (leads && run->of->opts->progress && ++visits % PROGRESS_EVERY == 0 &&
            run->of->opts->progress(run->of->opts->progress_ctx, fraction))
            atomic_store(&run->stop, (int)ZM_E_CANCELLED);
    }
}

void zm_solve_thread(void *solve, int32_t thread)
{
    zm_solve *run = solve;

    run_worker(run, &zm_blocks_work_of(&run->of->workspaces[thread])->worker, thread == 0);
}
