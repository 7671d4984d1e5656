/* SPDX-License-Identifier: Apache-2.0
 * Threads of the library while another thread changes the caller's arrays.  Those races are the
 * caller's: its writes are not shown to the race detector, so that all it sees are accesses of the
 * library to memory of the library, of which none may race. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"
#include "support/work.h"

#if defined(__SANITIZE_THREAD__)
#define UNSEEN __attribute__((no_sanitize("thread"), noinline))
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNSEEN __attribute__((no_sanitize("thread"), noinline))
#endif
#endif
#ifndef UNSEEN
#define UNSEEN
#endif

enum { ROWS = 60, COLS = 55, BATCH = 3, ROUNDS = 4 };

typedef struct writer {
    work *w;
    uint64_t state;
    atomic_bool stop;
} writer;

/* One number at a time, and back again. */
UNSEEN static void change(work *w, size_t i, double value)
{
    double *const arrays[] = { w->c.g11, w->c.g22, w->c.b1, w->T };
    volatile double *at = &arrays[i % 4][i % w->c.n];
    const double old = *at;

    *at = value;
    *at = old;
}

static void *write_on(void *ctx)
{
    static const double values[] = { 0, -1, 1e300, 1e-300, (double)NAN, (double)INFINITY };
    writer *w = ctx;

    for (size_t k = 0; !atomic_load(&w->stop); k++)
        change(&w->w[k % BATCH], (size_t)(1e9 * zm_random_unit(&w->state)), values[k % 6]);
    return NULL;
}

static void run_all(zm_solver *s, zm_problem *p, work *w)
{
    zm_gradient out[BATCH];
    zm_direction along[BATCH];
    void *T[BATCH], *dT[BATCH];
    const void *T_in[BATCH], *g[BATCH];

    for (int i = 0; i < BATCH; i++) {
        T_in[i] = T[i] = w[i].T;
        dT[i] = w[i].dT;
        g[i] = w[i].c.g12;
        out[i] = (zm_gradient){ .size = sizeof(zm_gradient), .g11 = w[i].gradient };
        along[i] = (zm_direction){ .size = sizeof(zm_direction), .g11 = w[i].c.g12 };
    }
    /* each may fail, since what it is given changes */
    zm_forward_batch(s, p, BATCH, T, NULL, NULL, NULL);
    zm_adjoint_batch(s, p, BATCH, T_in, g, out, NULL);
    zm_tangent_batch(s, p, BATCH, T_in, along, dT, NULL);
    /* one problem on both threads */
    zm_forward(s, &p[0], w[0].T, NULL, NULL, NULL);
    zm_adjoint(s, &p[0], w[0].T, w[0].c.g12, &out[0], NULL);
}

static void race(test_run *t, medium kind, zm_solver_opts opts)
{
    work w[BATCH];
    zm_problem p[BATCH];
    writer other = { .w = w, .state = t->seed };
    zm_solver *s;
    pthread_t thread;

    for (int i = 0; i < BATCH; i++) {
        w[i] = work_create(case_make(kind, ROWS, COLS, t->seed + (uint64_t)i));
        p[i] = case_problem(&w[i].c);
    }
    opts.threads = 2;
    opts.batch = BATCH;
    s = case_solver(&w[0].c, ZM_F64, &opts);
    if (pthread_create(&thread, NULL, write_on, &other) != 0)
        exit(1);
    for (int round = 0; round < ROUNDS; round++)
        run_all(s, p, w);
    atomic_store(&other.stop, true);
    pthread_join(thread, NULL);
    zm_solver_destroy(s);
    for (int i = 0; i < BATCH; i++)
        work_free(&w[i]);
}

TEST(changes_under_way_make_no_race_within_the_library_with_eight_neighbours)
{
    race(t, SMOOTH, fixed_opts());
}

TEST(changes_under_way_make_no_race_within_the_library_with_adaptive_stencils)
{
    const zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;

    race(t, STRONG, opts);
}

TEST(changes_under_way_make_no_race_within_the_library_in_second_order)
{
    zm_solver_opts opts = ZM_SOLVER_OPTS_INIT;

    opts.order = 2;
    race(t, STRONG, opts);
}
