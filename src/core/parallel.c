/* SPDX-License-Identifier: Apache-2.0
 * Run one function on several threads at once. */
#define _POSIX_C_SOURCE 200809L
#include "core/parallel.h"

#include <stdbool.h>

#if !defined(ZM_NO_THREADS)
#include <pthread.h>
#include <sched.h>
#endif

void zm_spin_wait(int32_t tries)
{
    enum { SPINS_BEFORE_YIELD = 64 };

    if (tries < SPINS_BEFORE_YIELD) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    } else {
#if !defined(ZM_NO_THREADS)
        sched_yield();
#endif
    }
}

void zm_spin_lock(zm_spinlock *lock)
{
    for (int32_t tries = 0;
         atomic_flag_test_and_set_explicit(&lock->taken, memory_order_acquire); tries++)
        zm_spin_wait(tries);
}

void zm_spin_unlock(zm_spinlock *lock)
{
    atomic_flag_clear_explicit(&lock->taken, memory_order_release);
}

#if defined(ZM_NO_THREADS)

void zm_parallel(int32_t threads, zm_parallel_fn *fn, void *ctx)
{
    (void)threads;
    fn(ctx, 0);
}

int32_t zm_parallel_limit(int32_t threads)
{
    (void)threads;
    return 1;
}

#else

/* ---- plain threads ---------------------------------------------------------------- */

enum { MOST_THREADS = 256 };

typedef struct helper {
    pthread_t id;
    zm_parallel_fn *fn;
    void *ctx;
    int32_t thread;
} helper;

static void *helper_main(void *arg)
{
    helper *h = arg;

    h->fn(h->ctx, h->thread);
    return NULL;
}

static void run_plain(int32_t threads, zm_parallel_fn *fn, void *ctx)
{
    helper helpers[MOST_THREADS];
    int32_t started = 0;

    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    for (; started + 1 < threads; started++) {
        helpers[started] = (helper){ .fn = fn, .ctx = ctx, .thread = started + 1 };
        if (pthread_create(&helpers[started].id, NULL, helper_main, &helpers[started]))
            break;
    }
    fn(ctx, 0);
    while (started > 0)
        pthread_join(helpers[--started].id, NULL);
}

/* ---- OpenMP's pool ---------------------------------------------------------------- */

#if defined(ZM_WITH_OPENMP)

#include <omp.h>

/* A child has only the thread that forked.  libgomp does not notice, and waits for ever for the
 * threads of a pool that is not there: of ours, or of whoever else used it in the parent. */
static atomic_bool pool_is_gone;

static void in_child(void)
{
    atomic_store(&pool_is_gone, true);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, in_child);
}

void zm_parallel(int32_t threads, zm_parallel_fn *fn, void *ctx)
{
    if (threads <= 1) {
        fn(ctx, 0);
        return;
    }
    if (atomic_load(&pool_is_gone)) {
        run_plain(threads, fn, ctx);
        return;
    }
#pragma omp parallel num_threads(threads) default(none) shared(fn, ctx)
    fn(ctx, (int32_t)omp_get_thread_num());
}

int32_t zm_parallel_limit(int32_t threads)
{
    const int before = omp_get_max_threads();

    omp_set_num_threads((int)threads);
    return (int32_t)before;
}

#else

void zm_parallel(int32_t threads, zm_parallel_fn *fn, void *ctx)
{
    run_plain(threads, fn, ctx);
}

int32_t zm_parallel_limit(int32_t threads)
{
    (void)threads;
    return 1;
}

#endif

#endif
