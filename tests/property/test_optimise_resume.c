/* SPDX-License-Identifier: Apache-2.0
 * A run that is interrupted and resumed makes the same iterates as one that is not. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "zermelo/optimise.h"

enum { N = 30 };

typedef struct job {
    int evaluations, cancel_at; /* the objective cancels at this evaluation; 0: never */
} job;

/* Chained Rosenbrock. */
static zm_status evaluate(void *ctx, const double *x, double *value, double *gradient)
{
    job *j = ctx;

    if (++j->evaluations == j->cancel_at)
        return ZM_E_CANCELLED;
    *value = 0;
    memset(gradient, 0, N * sizeof *gradient);
    for (size_t i = 0; i + 1 < N; i++) {
        const double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];

        *value += 100 * a * a + b * b;
        gradient[i] -= 400 * a * x[i] + 2 * b;
        gradient[i + 1] += 200 * a;
    }
    return ZM_OK;
}

static void start(double *x)
{
    for (size_t i = 0; i < N; i++)
        x[i] = i % 2 ? 1 : -1.2;
}

static zm_minimise_opts options(int method, const double *lower)
{
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;

    o.method = (zm_method)method;
    o.rate = method == ZM_METHOD_ADAM ? 0.02 : 1e-3;
    o.schedule = method == ZM_METHOD_ADAM ? ZM_RATE_COSINE : ZM_RATE_CONSTANT;
    o.rate_period = 80;
    o.lower = lower;
    o.max_iterations = 60;
    return o;
}

/* Stopped after 1, 7 and 25 iterations, and resumed each time from a copy of the state. */
TEST(resumed_runs_are_equal_to_the_bit)
{
    static const int32_t stops[] = { 1, 7, 25, 60 };
    double lower[N];

    for (size_t i = 0; i < N; i++)
        lower[i] = i % 5 ? -HUGE_VAL : -0.5;
    for (int method = 0; method < 3; method++) {
        job j = { 0 };
        zm_minimise_opts o = options(method, lower);
        const size_t size = zm_minimise_state_size(N, &o);
        double *state = malloc(size * sizeof *state),
               *copy = malloc(size * sizeof *copy);
        double whole[N], x[N], whole_history[61], history[61];
        zm_minimise_report r = ZM_MINIMISE_REPORT_INIT, part = ZM_MINIMISE_REPORT_INIT;

        CHECK(size > 0);
        start(whole);
        o.history = whole_history;
        o.history_capacity = 61;
        CHECK(zm_minimise(N, evaluate, &j, whole, &o, &r, NULL) == ZM_OK);

        start(x);
        o.history = history;
        for (size_t k = 0; k < 4; k++) {
            o.state = copy;
            o.max_iterations = stops[k];
            CHECK(zm_minimise(N, evaluate, &j, x, &o, &part, NULL) == ZM_OK);
            memcpy(state, copy, size * sizeof *state);
            memset(copy, 0xff, size * sizeof *copy);
            memcpy(copy, state, size * sizeof *copy);
            o.resume = 1;
            for (size_t i = 0; i < N && k < 3; i++)
                x[i] = NAN; /* the state has it */
        }
        CHECK(memcmp(x, whole, sizeof x) == 0);
        CHECK(memcmp(history, whole_history, sizeof history) == 0);
        CHECK(part.evaluations == r.evaluations && part.value == r.value);
        free(copy);
        free(state);
    }
}

/* Cancelled in the middle of an iteration: the state is that of the last finished one. */
TEST(runs_cancelled_within_an_iteration_resume_to_the_same_iterates)
{
    for (int method = 0; method < 3; method++)
        for (int cancel_at = 5; cancel_at < 40; cancel_at += 7) {
            job j = { 0 }, k = { .cancel_at = cancel_at };
            zm_minimise_opts o = options(method, NULL);
            double *state = malloc(zm_minimise_state_size(N, &o) * sizeof *state);
            double whole[N], x[N];

            start(whole);
            start(x);
            CHECK(zm_minimise(N, evaluate, &j, whole, &o, NULL, NULL) == ZM_OK);
            o.state = state;
            CHECK(zm_minimise(N, evaluate, &k, x, &o, NULL, NULL) == ZM_E_CANCELLED);
            o.resume = 1;
            CHECK(zm_minimise(N, evaluate, &k, x, &o, NULL, NULL) == ZM_OK);
            CHECK(memcmp(x, whole, sizeof x) == 0);
            free(state);
        }
}

TEST(a_state_of_another_problem_is_refused)
{
    job j = { 0 };
    zm_minimise_opts o = options(ZM_METHOD_LBFGS, NULL);
    double *state = malloc(zm_minimise_state_size(N, &o) * sizeof *state), x[N];
    zm_error err;

    start(x);
    o.state = state;
    CHECK(zm_minimise(N, evaluate, &j, x, &o, NULL, NULL) == ZM_OK);
    o.resume = 1;
    o.memory = 3;
    CHECK(zm_minimise(N, evaluate, &j, x, &o, NULL, &err) == ZM_E_STATE && err.text[0]);
    o.memory = 10;
    CHECK(zm_minimise(N - 1, evaluate, &j, x, &o, NULL, &err) == ZM_E_STATE);
    o.method = ZM_METHOD_ADAM;
    CHECK(zm_minimise(N, evaluate, &j, x, &o, NULL, &err) == ZM_E_STATE);
    o.method = ZM_METHOD_LBFGS;
    state[0] = NAN;
    CHECK(zm_minimise(N, evaluate, &j, x, &o, NULL, &err) == ZM_E_STATE);
    o.memory = 0;
    CHECK(zm_minimise_state_size(N, &o) == 0);
    free(state);
}
