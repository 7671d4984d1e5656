/* SPDX-License-Identifier: Apache-2.0
 * The visits of a solve: blocks in order of their earliest change, until the active list is empty. */
#include <math.h>

#include "core/fail.h"
#include "eikonal/blocks/solve.h"

enum { PREFETCH_FROM_BYTES = 4 << 20, PROGRESS_EVERY = 64, BLOCKED_MOST = 16 };

/* A cell can be earlier than its donor by the causal gap of its metric, and that donor than
 * its own: with t_max, a solve goes on for this many of the largest gap it has met. */
static const double LATE_GAPS = 16.0;

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
                     "metric near row %d, col %d is out of the range of %s numbers",
                     (int)(block / run->g.blocks_across * ZM_BLOCK),
                     (int)(block % run->g.blocks_across * ZM_BLOCK),
                     zm_dtype_name(run->s->dtype));

    if (atomic_compare_exchange_strong(&run->stop, &running, (int)st))
        run->error = err;
}

static void apply_activations(zm_blocks_run *run,
                              const zm_blocks_activation *activations, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        zm_blocks_block *t = &run->g.blocks[activations[i].block];

        t->changed[activations[i].side] |= activations[i].changed;
        t->corners |= activations[i].corner;
        if (run->lead->queue.place[activations[i].block] < 0 ||
            activations[i].key < run->lead->queue.key[activations[i].block])
            t->columns_first =
                activations[i].changed && activations[i].side >= ZM_FROM_W;
        zm_blocks_queue_push(&run->lead->queue, activations[i].block,
                             activations[i].key);
    }
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

/* Back from a visit: n activations. */
static void give_back(zm_blocks_run *run, int32_t block,
                      const zm_blocks_activation *activations, int32_t n)
{
    const zm_blocks_block *t = &run->g.blocks[block];
    const double gap = fmin((double)t->gap_axis, (double)t->gap_diagonal);

    apply_activations(run, activations, n);
    run->late = fmax(run->late, -LATE_GAPS * gap);
    run->lead->busy[block] = 0;
    run->n_busy--;
}

static int32_t visit(zm_blocks_run *run, zm_blocks_worker *w, int32_t block,
                     zm_blocks_activation *activations)
{
    const int32_t n = run->s->kernel->visit(&run->g, w, block, activations);

    if (n == ZM_BLOCKS_VISIT_BAD) {
        stop_at_bad_block(run, block);
    } else if (run->g.want_margin && run->g.blocks[block].margin < 0.0f) {
        int running = ZM_OK; /* what has been cancelled stays so */

        atomic_store(&run->needs_adaptive, true);
        atomic_compare_exchange_strong(&run->stop, &running, (int)ZM_NOT_CONVERGED);
    }
    return n;
}

/* One thread's share: take the earliest free block, visit it, tell its neighbours. */
void zm_blocks_thread(void *solve, int32_t thread)
{
    zm_blocks_run *run = solve;
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
            n = visit(run, w, block, activations);
        run_lock(run);
        give_back(run, block, activations, n);
        fraction = (double)run->n_reached / blocks;
        run_unlock(run);
        if (thread == 0 && run->of->opts->progress && ++visits % PROGRESS_EVERY == 0 &&
            run->of->opts->progress(run->of->opts->progress_ctx, fraction))
            atomic_store(&run->stop, (int)ZM_E_CANCELLED);
    }
}
