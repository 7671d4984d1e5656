/* SPDX-License-Identifier: Apache-2.0
 * Threads: batches, one problem on several threads, several solvers at once.  Meant to be
 * run under the race detector; the results are checked as well. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "support/work.h"

enum { BATCH = 6, ROUNDS = 3 };
static const double last_bits = 1e-12;

static work work_make(int i, int32_t rows, int32_t cols, uint64_t seed)
{
    return work_create(
        case_make((medium)(i % N_MEDIA), rows, cols, seed + (uint64_t)i));
}

static zm_status work_run(work *w, zm_solver *s, zm_report *report)
{
    const zm_problem p = case_problem(&w->c);
    const zm_gradient out = { .size = sizeof(zm_gradient), .g11 = w->gradient };
    const zm_direction along = {
        .size = sizeof(zm_direction), .g11 = w->c.g22, .b1 = w->c.b2, .b2 = w->c.b1
    };
    zm_status st = zm_forward(s, &p, w->T, NULL, report, NULL);

    if (st == ZM_OK)
        st = zm_adjoint(s, &p, w->T, w->c.g11, &out, NULL);
    return st == ZM_OK ? zm_tangent(s, &p, w->T, &along, w->dT, NULL) : st;
}

TEST(batch_on_two_threads)
{
    zm_solver_opts opts = fixed_opts();
    work w[BATCH], alone;
    zm_problem p[BATCH];
    void *T[BATCH], *dT[BATCH];
    const void *T_in[BATCH], *g[BATCH];
    zm_gradient out[BATCH];
    zm_direction along[BATCH];
    zm_solver *s;

    for (int i = 0; i < BATCH; i++) {
        w[i] = work_make(i, 90, 75, t->seed);
        p[i] = case_problem(&w[i].c);
        T_in[i] = T[i] = w[i].T;
        dT[i] = w[i].dT;
        g[i] = w[i].c.g11;
        out[i] = (zm_gradient){ .size = sizeof(zm_gradient), .g11 = w[i].gradient };
        along[i] = (zm_direction){ .size = sizeof(zm_direction),
                                   .g11 = w[i].c.g22,
                                   .b1 = w[i].c.b2,
                                   .b2 = w[i].c.b1 };
    }
    opts.threads = 2;
    opts.batch = BATCH;
    s = case_solver(&w[0].c, ZM_F64, &opts);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(zm_forward_batch(s, p, BATCH, T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_adjoint_batch(s, p, BATCH, T_in, g, out, NULL) == ZM_OK);
        CHECK(zm_tangent_batch(s, p, BATCH, T_in, along, dT, NULL) == ZM_OK);
    }
    zm_solver_destroy(s);
    s = case_solver(&w[0].c, ZM_F64, NULL);
    for (int i = 0; i < BATCH; i++) {
        alone = work_make(i, 90, 75, t->seed);
        CHECK(work_run(&alone, s, NULL) == ZM_OK);
        CHECK(same_bits(alone.T, w[i].T, alone.c.n));
        CHECK(same_bits(alone.gradient, w[i].gradient, alone.c.n));
        CHECK(same_bits(alone.dT, w[i].dT, alone.c.n));
        work_free(&alone);
        work_free(&w[i]);
    }
    zm_solver_destroy(s);
}

/* Large enough for the threads asked for: one is used for every 6 blocks of 32 x 32. */
enum { LARGE = 300 };

static zm_solver *threaded_solver(const test_case *c, int32_t threads)
{
    zm_solver_opts opts = fixed_opts();

    opts.threads = threads;
    return case_solver(c, ZM_F64, &opts);
}

TEST(one_problem_on_several_threads)
{
    static const medium media[] = { SMOOTH, MAZE, STRONG };

    for (size_t m = 0; m < sizeof media / sizeof media[0]; m++) {
        work one = work_make((int)media[m], LARGE, LARGE + 20, t->seed);
        work many = work_make((int)media[m], LARGE, LARGE + 20, t->seed);
        zm_solver *s = case_solver(&one.c, ZM_F64, NULL);
        zm_report report = ZM_REPORT_INIT;

        CHECK(work_run(&one, s, NULL) == ZM_OK);
        for (int32_t threads = 2; threads <= 3; threads++) {
            zm_solver_destroy(s);
            s = threaded_solver(&one.c, threads);
            for (int round = 0; round < 2; round++) {
                CHECK(work_run(&many, s, &report) == ZM_OK);
                CHECK(report.threads == threads);
                CHECK_AT_MOST(max_relative_difference(one.T, many.T, one.c.n),
                              last_bits);
            }
        }
        zm_solver_destroy(s);
        work_free(&many);
        work_free(&one);
    }
}

/* One thread finds that a block would have to be visited again; the others must see it.
 * Times are then upper bounds, and the solver can be used again. */
TEST(several_threads_stop_at_the_iteration_limit)
{
    enum { THREADS = 3 };
    work one = work_make(STRONG, LARGE, LARGE, t->seed);
    work many = work_make(STRONG, LARGE, LARGE, t->seed);
    const zm_problem p = case_problem(&many.c);
    zm_solver *plain = case_solver(&one.c, ZM_F64, NULL);
    zm_solver *s = threaded_solver(&many.c, THREADS);
    zm_forward_opts once = ZM_FORWARD_OPTS_INIT;
    zm_report report = ZM_REPORT_INIT;

    once.max_iterations = 1;
    CHECK(work_run(&one, plain, NULL) == ZM_OK);
    CHECK(zm_forward(s, &p, many.T, &once, &report, NULL) == ZM_NOT_CONVERGED);
    CHECK(report.threads == THREADS && report.converged == 0);
    for (size_t i = 0; i < many.c.n; i++)
        CHECK(many.T[i] >= one.T[i] * (1 - last_bits));
    CHECK(work_run(&many, s, &report) == ZM_OK);
    CHECK(report.threads == THREADS && report.converged == 1);
    CHECK_AT_MOST(max_relative_difference(one.T, many.T, one.c.n), last_bits);
    zm_solver_destroy(s);
    zm_solver_destroy(plain);
    work_free(&many);
    work_free(&one);
}

typedef struct call_count {
    int calls, outside; /* outside: the fraction is not in 0..1 */
} call_count;

static int count_calls(void *ctx, double fraction)
{
    call_count *count = ctx; /* a race, unless on the calling thread only */

    count->calls++;
    count->outside += !(fraction >= 0 && fraction <= 1);
    return 0;
}

TEST(progress_is_reported_on_the_calling_thread)
{
    enum { THREADS = 2, SIDE = 1000 };
    zm_forward_opts forward = ZM_FORWARD_OPTS_INIT;
    test_case c = case_make(SMOOTH, SIDE, SIDE, t->seed);
    const zm_problem p = case_problem(&c);
    double *T = nan_doubles(c.n);
    call_count count = { 0 };
    zm_solver *s = threaded_solver(&c, THREADS);
    zm_report report = ZM_REPORT_INIT;

    forward.progress = count_calls;
    forward.progress_ctx = &count;
    CHECK(zm_forward(s, &p, T, &forward, &report, NULL) == ZM_OK);
    CHECK(report.threads == THREADS);
    CHECK(count.calls > 0 && count.outside == 0);
    zm_solver_destroy(s);
    free(T);
    case_free(&c);
}

/* The same in a batch, where the other threads have problems of their own: calls come from
 * the calling thread only, and its answer stops all of them. */
typedef struct batch_watch {
    pthread_t caller;
    int calls, strangers, stop_after;
    double last;
} batch_watch;

static int watch(void *ctx, double fraction)
{
    batch_watch *w = ctx;

    w->strangers += !pthread_equal(w->caller, pthread_self());
    w->last = fraction;
    return w->stop_after && ++w->calls >= w->stop_after;
}

TEST(batches_report_and_stop_on_the_calling_thread)
{
    enum { N = 40 }; /* so many that the calling thread has some, however busy the machine */
    zm_solver_opts opts = fixed_opts();
    zm_forward_opts forward = ZM_FORWARD_OPTS_INIT;
    test_case c = case_make(SMOOTH, 300, 300, t->seed);
    batch_watch w = { .caller = pthread_self() };
    zm_problem p[N];
    void *T[N];
    zm_solver *s;

    for (int i = 0; i < N; i++) {
        p[i] = case_problem(&c);
        T[i] = nan_doubles(c.n);
    }
    opts.threads = 2;
    opts.batch = N;
    forward.progress = watch;
    forward.progress_ctx = &w;
    s = case_solver(&c, ZM_F64, &opts);
    CHECK(zm_forward_batch(s, p, N, T, &forward, NULL, NULL) == ZM_OK);
    CHECK(w.strangers == 0 && w.last > 0 && w.last <= 1);
    w.stop_after = 1;
    CHECK(zm_forward_batch(s, p, N, T, &forward, NULL, NULL) == ZM_E_CANCELLED);
    CHECK(w.strangers == 0);
    zm_solver_destroy(s);
    for (int i = 0; i < N; i++)
        free(T[i]);
    case_free(&c);
}

typedef struct user {
    pthread_t id;
    work w;
    zm_status st;
} user;

static void *user_main(void *arg)
{
    user *u = arg;
    zm_solver *s = case_solver(&u->w.c, ZM_F64, NULL);

    for (int round = 0; round < ROUNDS && u->st == ZM_OK; round++)
        u->st = work_run(&u->w, s, NULL);
    zm_solver_destroy(s);
    return NULL;
}

/* Any number of solvers, each used by one thread at a time: nothing is shared. */
TEST(several_solvers_in_several_threads)
{
    enum { USERS = 4 };
    user users[USERS];
    int started = 0;

    for (; started < USERS; started++) {
        users[started] = (user){ .w = work_make(SMOOTH, 90, 75, t->seed) };
        if (pthread_create(&users[started].id, NULL, user_main, &users[started]))
            break;
    }
    CHECK(started == USERS);
    for (int i = 0; i < started; i++) {
        pthread_join(users[i].id, NULL);
        CHECK(users[i].st == ZM_OK);
        CHECK(same_bits(users[i].w.T, users[0].w.T, users[0].w.c.n));
        CHECK(same_bits(users[i].w.gradient, users[0].w.gradient, users[0].w.c.n));
    }
    for (int i = 0; i < started; i++)
        work_free(&users[i].w);
}

/* Paths to many points are shared out among the threads. */
TEST(paths_on_two_threads)
{
    enum { MANY = 24 };
    zm_solver_opts opts = adaptive_opts(1, 0);
    work w = work_create(case_make(MAZE, 40, 40, t->seed));
    const zm_problem p = case_problem(&w.c);
    zm_path_point to[MANY];
    size_t begins[2][MANY + 1];

    for (int i = 0; i < MANY; i++)
        to[i] = (zm_path_point){ .row = i + 3, .col = 38 - i };
    for (int k = 0; k < 2; k++) {
        zm_solver *s;

        opts.threads = 1 + k;
        s = case_solver(&w.c, ZM_F64, &opts);
        CHECK(zm_forward(s, &p, w.T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_paths(s, 0, &p, w.T, to, MANY, NULL, 0, begins[k], NULL, NULL, NULL) ==
              ZM_OK);
        zm_solver_destroy(s);
    }
    for (int i = 0; i <= MANY; i++)
        CHECK(begins[0][i] == begins[1][i]);
    work_free(&w);
}
