/* SPDX-License-Identifier: Apache-2.0
 * What include/zermelo/optimise.h promises about starts, states, failures and memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "zermelo/optimise.h"

enum { N = 6 };

/* |x|^2 / 2, with a count of its evaluations and a point in time to refuse one. */
typedef struct bowl {
    int evaluations, fail_at;
    zm_status failure;
    double first[N]; /* where it was evaluated first */
} bowl;

static zm_status evaluate(void *ctx, const double *x, double *value, double *gradient)
{
    bowl *b = ctx;

    if (b->evaluations++ == 0)
        memcpy(b->first, x, sizeof b->first);
    if (b->evaluations == b->fail_at)
        return b->failure;
    *value = 0;
    for (int i = 0; i < N; i++) {
        *value += 0.5 * x[i] * x[i];
        gradient[i] = x[i];
    }
    return ZM_OK;
}

static void onto_nonnegative(void *ctx, size_t n, double *x)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] > 0 ? x[i] : 0;
}

TEST(a_start_outside_bounds_or_set_is_projected_first)
{
    double lower[N], x[N];

    for (int set = 0; set < 2; set++) {
        bowl b = { 0 };
        zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;

        for (int i = 0; i < N; i++) {
            lower[i] = 0;
            x[i] = i % 2 ? -3 : 2;
        }
        o.method = set ? ZM_METHOD_GRADIENT : ZM_METHOD_LBFGS;
        o.lower = set ? NULL : lower;
        o.feasible = set ? onto_nonnegative : NULL;
        CHECK(zm_minimise(N, evaluate, &b, x, &o, NULL, NULL) == ZM_OK);
        for (int i = 0; i < N; i++)
            CHECK(b.first[i] == (i % 2 ? 0 : 2));
    }
}

TEST(options_that_are_not_valid_have_no_state)
{
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;

    CHECK(zm_minimise_state_size(N, NULL) == zm_minimise_state_size(N, &o));
    CHECK(zm_minimise_state_size(N, &o) > N);
    o.memory = 0;
    CHECK(zm_minimise_state_size(N, &o) == 0);
    o = (zm_minimise_opts)ZM_MINIMISE_OPTS_INIT;
    o.size = 3;
    CHECK(zm_minimise_state_size(N, &o) == 0);
}

/* Cancelled by the objective in the middle of an iteration: x is the last accepted point. */
TEST(a_run_that_the_objective_cancels_leaves_its_last_point)
{
    for (int method = 0; method < 3; method++) {
        bowl b = { .fail_at = 3, .failure = ZM_E_CANCELLED };
        zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
        zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;
        double x[N] = { 1, 2, 3, 4, 5, 6 }, value = 0;

        o.method = (zm_method)method;
        CHECK(zm_minimise(N, evaluate, &b, x, &o, &r, NULL) == ZM_E_CANCELLED);
        CHECK(r.stop == ZM_STOP_CANCELLED && b.evaluations == 3);
        for (int i = 0; i < N; i++)
            value += 0.5 * x[i] * x[i];
        CHECK_NEAR(value, r.value, 1e-12 * r.value);
        CHECK(r.value < 45.5); /* an iteration was finished: lower than at the start */
    }
}

TEST(a_failed_call_leaves_x_and_report)
{
    static const zm_status failures[] = { ZM_E_METRIC, ZM_E_CANCELLED };

    for (int k = 0; k < 2; k++) {
        bowl b = { .fail_at = 1, .failure = failures[k] };
        zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;
        double x[N] = { 1, 2, 3, 4, 5, 6 };
        zm_error err = { .text = "" };

        r.iterations = 77;
        CHECK(zm_minimise(N, evaluate, &b, x, NULL, &r, &err) == failures[k]);
        CHECK_MSG(strstr(err.text, "at the start"), "%s", err.text);
        CHECK(r.iterations == 77 && x[0] == 1 && x[5] == 6);
    }
}

/* Work memory is asked for on the calling thread, before the first evaluation after the start,
 * and all of it is given back. */
typedef struct ledger {
    pthread_t thread;
    int held, asked, asked_at_monitor;
    bool elsewhere;
} ledger;

static ledger *watched; /* by the monitor, whose ctx is that of the objective */

static void *take(void *ctx, size_t bytes)
{
    ledger *l = ctx;

    l->held++;
    l->asked++;
    l->elsewhere |= !pthread_equal(l->thread, pthread_self());
    return malloc(bytes);
}

static void give(void *ctx, void *pointer)
{
    ((ledger *)ctx)->held--;
    free(pointer);
}

static int note_requests(void *ctx, const zm_minimise_iteration *p)
{
    (void)ctx;
    if (p->iteration == 0)
        watched->asked_at_monitor = watched->asked;
    return 0;
}

TEST(work_memory_is_taken_before_the_first_iteration_and_given_back)
{
    for (int method = 0; method < 3; method++) {
        ledger l = { .thread = pthread_self() };
        bowl b = { 0 };
        zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
        double x[N] = { 1, 2, 3, 4, 5, 6 };

        watched = &l;
        o.method = (zm_method)method;
        o.max_iterations = 20;
        o.monitor = note_requests;
        o.mem = (zm_alloc){ &l, take, give };
        CHECK(zm_minimise(N, evaluate, &b, x, &o, NULL, NULL) == ZM_OK);
        CHECK(l.held == 0 && l.asked > 0 && l.asked == l.asked_at_monitor);
        CHECK(!l.elsewhere);
    }
}
