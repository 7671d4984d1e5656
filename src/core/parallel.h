/* SPDX-License-Identifier: Apache-2.0
 * Run one function on several threads at once: OpenMP's pool, or plain threads where the build
 * has no OpenMP, where a race detector must see the joins, and in a forked child.  Built with
 * ZM_NO_THREADS, for WebAssembly: the calling thread alone. */
#ifndef ZM_CORE_PARALLEL_H
#define ZM_CORE_PARALLEL_H

#include <stdatomic.h>
#include <stdint.h>

/** Work of one thread; `thread` is 0 on the calling thread. */
typedef void zm_parallel_fn(void *ctx, int32_t thread);

/** Calls fn once on each of at most `threads` threads (1 <= threads) and waits for all.
 *  Fewer may run (a busy pool, no memory): fn must take its share from a common queue. */
void zm_parallel(int32_t threads, zm_parallel_fn *fn, void *ctx);

/** Most threads that a library which shares OpenMP's pool takes on the calling thread from now
 *  on; returns what it was before.  1 where there is no OpenMP. */
int32_t zm_parallel_limit(int32_t threads);

/** A lock for a few instructions' work. */
typedef struct zm_spinlock {
    atomic_flag taken;
} zm_spinlock;

void zm_spin_lock(zm_spinlock *lock);
void zm_spin_unlock(zm_spinlock *lock);

/** Lets others run: a processor hint first, the scheduler when `tries` has grown. */
void zm_spin_wait(int32_t tries);

#endif
