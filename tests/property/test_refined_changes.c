/* SPDX-License-Identifier: Apache-2.0
 * Second and third order on blocks when callers move things: sources during a solve, planes to
 * other memory after it, slots of a batch from one thread to another.  More of that at random:
 * test_changed_inputs.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "check.h"
#include "support/cases.h"

/* Moves all sources, at the nth call. */
typedef struct mover {
    test_case *c;
    int at, calls;
} mover;

static int sources_move(void *ctx, double fraction)
{
    mover *m = ctx;

    (void)fraction;
    if (++m->calls == m->at)
        for (size_t i = 0; i < m->c->n_sources; i++)
            m->c->sources[i] =
                (zm_source){ (double)(7 * i + 3), (double)(5 * i + 2), 0.25 };
    return 0;
}

/* Whichever of their places a solve has seen: it answers, and so do derivatives. */
TEST(sources_that_move_during_a_solve_are_harmless)
{
    for (int at = 1; at <= 4; at++) {
        test_case c = case_make(SMOOTH, 300, 310, t->seed);
        double *T = nan_doubles(c.n), *plane = nan_doubles(c.n);
        int32_t *labels = malloc(c.n * sizeof *labels);
        zm_gradient to = ZM_GRADIENT_INIT;
        zm_forward_opts f = ZM_FORWARD_OPTS_INIT;
        mover m = { &c, at, 0 };
        zm_error err = { .text = "" };
        double times[3];
        zm_solver_opts o = adaptive_opts(2, HUGE_VAL);
        zm_solver *s = case_solver(&c, ZM_F64, &o);
        zm_problem p;
        zm_status st;

        case_add_source(&c, 200, 250, 1);
        case_add_source(&c, 250, 20, 2);
        p = case_problem(&c);
        f.max_cells =
            90000; /* times, in memory that a later solve uses for other things */
        CHECK(zm_forward(s, &p, T, &f, NULL, NULL) == ZM_OK);
        f.max_cells = 0;
        p.n_sources = 3;
        f.progress = sources_move;
        f.progress_ctx = &m;
        to.g11 = plane;
        to.source_times = times;
        st = zm_forward(s, &p, T, &f, NULL, &err);
        CHECK(st == ZM_OK || err.text[0]);
        if (labels && st >= 0) {
            st = zm_adjoint(s, &p, T, c.g11, &to, &err);
            CHECK(st == ZM_OK || err.text[0]);
            st = zm_labels(s, 0, &p, T, labels, &err);
            CHECK(st == ZM_OK || err.text[0]);
            for (size_t i = 0; st == ZM_OK && i < c.n; i++)
                CHECK(labels[i] >= -1 && labels[i] < 3);
        }
        zm_solver_destroy(s);
        case_free(&c);
        free(labels);
        free(plane);
        free(T);
    }
}

/* Python hands over copies that live for one call. */
TEST(derivatives_look_at_the_planes_of_their_own_call)
{
    for (int32_t order = 2; order <= 3; order++) {
        test_case c = case_make(SMOOTH, 70, 75, t->seed), old = case_copy(&c);
        double *T = nan_doubles(c.n), *x = nan_doubles(c.n), *y = nan_doubles(c.n);
        double *planes[2] = { nan_doubles(N_PLANES * c.n),
                              nan_doubles(N_PLANES * c.n) };
        zm_gradient to[2] = { gradient_into(planes[0], c.n),
                              gradient_into(planes[1], c.n) };
        const zm_problem p = case_problem(&c), before = case_problem(&old);
        zm_solver_opts o = adaptive_opts(order, HUGE_VAL);
        zm_solver *s = case_solver(&c, ZM_F64, &o);

        CHECK(zm_forward(s, &before, T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_adjoint(s, &before, T, c.g11, &to[0], NULL) == ZM_OK);
        CHECK(zm_forward(s, &before, T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_flow(s, 0, &before, T, x, y, NULL) == ZM_OK);
        for (int k = 0; k < N_PLANES; k++)
            for (size_t i = 0; i < c.n; i++)
                case_plane(&old, k)[i] = NAN;
        CHECK(zm_adjoint(s, &p, T, c.g11, &to[1], NULL) == ZM_OK);
        CHECK(same_bits(planes[0], planes[1], N_PLANES * c.n));
        zm_solver_destroy(s);
        case_free(&old);
        case_free(&c);
        free(planes[1]);
        free(planes[0]);
        free(y);
        free(x);
        free(T);
    }
}

/* Of the thread that called: it waits until the other one has solved the rest, and gives up. */
static int wait_and_cancel(void *ctx, double fraction)
{
    const struct timespec moment = { .tv_nsec = 300000000 };

    (void)ctx;
    (void)fraction;
    thrd_sleep(&moment, NULL);
    return 1;
}

TEST(a_slot_can_be_looked_at_by_a_thread_that_has_not_solved)
{
    enum { N = 5 };
    test_case c = case_make(SMOOTH, 150, 160, t->seed);
    zm_problem problems[N];
    double *T[N];
    int32_t *labels = malloc(c.n * sizeof *labels);
    zm_solver_opts o = adaptive_opts(2, HUGE_VAL);
    zm_forward_opts f = ZM_FORWARD_OPTS_INIT;
    zm_error err = { .text = "" };
    zm_solver *s;
    zm_status st;

    for (int i = 0; i < N; i++) {
        problems[i] = case_problem(&c);
        T[i] = nan_doubles(c.n);
    }
    o.threads = 2;
    o.batch = N;
    s = case_solver(&c, ZM_F64, &o);
    f.progress = wait_and_cancel;
    st = zm_forward_batch(s, problems, N, (void *const *)T, &f, NULL, &err);
    CHECK(st == ZM_OK || st == ZM_E_CANCELLED); /* OK: this thread came too late */
    for (size_t i = 0; labels && i < N; i++) {
        st = zm_labels(s, i, &problems[i], T[i], labels, &err);

        CHECK(st == ZM_OK || st == ZM_E_STATE);
    }
    zm_solver_destroy(s);
    for (int i = 0; i < N; i++)
        free(T[i]);
    free(labels);
    case_free(&c);
}
