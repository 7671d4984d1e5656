/* SPDX-License-Identifier: Apache-2.0
 * Minimisers on functions whose minimum is known, and against hand-written recurrences. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "zermelo/optimise.h"

/* f = offset + sum_i a_i (x_i - b_i)^2 / 2 */
typedef struct quadratic {
    size_t n;
    const double *a, *b;
    int evaluations, refuse_every; /* fails at every so-many-th evaluation; 0: never */
    double wall;                   /* no value where some x_i exceeds this; 0: none */
    bool by_status;                /* says so by status, not by value */
    double offset;
} quadratic;

static zm_status evaluate_quadratic(void *ctx, const double *x, double *value,
                                    double *gradient)
{
    quadratic *q = ctx;

    q->evaluations++;
    *value = q->offset;
    for (size_t i = 0; i < q->n; i++) {
        const double d = x[i] - q->b[i];

        if (q->wall > 0 && x[i] > q->wall) {
            *value = NAN;
            return q->by_status ? ZM_E_METRIC : ZM_OK;
        }
        *value += 0.5 * q->a[i] * d * d;
        gradient[i] = q->a[i] * d;
    }
    if (q->refuse_every && q->evaluations % q->refuse_every == 0)
        return ZM_E_METRIC;
    return ZM_OK;
}

/* The chained Rosenbrock function, sum_i 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2. */
static zm_status evaluate_rosenbrock(void *ctx, const double *x, double *value,
                                     double *gradient)
{
    const size_t n = *(size_t *)ctx;

    *value = 0;
    memset(gradient, 0, n * sizeof *gradient);
    for (size_t i = 0; i + 1 < n; i++) {
        const double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];

        *value += 100 * a * a + b * b;
        gradient[i] -= 400 * a * x[i] + 2 * b;
        gradient[i + 1] += 200 * a;
    }
    return ZM_OK;
}

enum { N = 40 };

/* Curvatures from 1 to 1000. */
static void fill(double *a, double *b, uint64_t *state)
{
    for (size_t i = 0; i < N; i++) {
        a[i] = pow(10, 3.0 * (double)i / (N - 1));
        b[i] = zm_random_normal(state);
    }
}

/* The gradient is a_i (x_i - b_i) with a_i >= 1: below the tolerance, so is the error. */
TEST(quadratics_are_minimised_by_all_methods)
{
    static const zm_method methods[] = { ZM_METHOD_LBFGS, ZM_METHOD_GRADIENT };

    for (size_t m = 0; m < 2; m++) {
        uint64_t state = t->seed;
        double a[N], b[N], x[N] = { 0 };
        quadratic q = { .n = N, .a = a, .b = b };
        zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
        zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;

        fill(a, b, &state);
        o.method = methods[m];
        o.gradient_tolerance = 1e-8;
        o.max_iterations = 100000;
        CHECK(zm_minimise(N, evaluate_quadratic, &q, x, &o, &r, NULL) == ZM_OK);
        CHECK(r.stop == ZM_STOP_GRADIENT && r.evaluations == q.evaluations);
        CHECK_AT_MOST(r.gradient_norm, 1e-8);
        for (size_t i = 0; i < N; i++)
            CHECK_NEAR(x[i], b[i], 1e-8);
        if (o.method == ZM_METHOD_LBFGS)
            CHECK_AT_MOST(r.iterations, 500);
    }
}

/* With the inverse Hessian as preconditioner the first direction is Newton's, and a
 * step of 1 ends in the minimum. */
static void invert_hessian(void *ctx, size_t n, const double *in, double *out)
{
    const quadratic *q = ctx;

    for (size_t i = 0; i < n; i++)
        out[i] = in[i] / q->a[i];
}

TEST(lbfgs_with_the_exact_preconditioner_needs_one_iteration)
{
    uint64_t state = t->seed;
    double a[N], b[N], x[N] = { 0 };
    quadratic q = { .n = N, .a = a, .b = b };
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
    zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;

    fill(a, b, &state);
    o.precondition = invert_hessian;
    o.gradient_tolerance = 1e-10;
    CHECK(zm_minimise(N, evaluate_quadratic, &q, x, &o, &r, NULL) == ZM_OK);
    CHECK(r.stop == ZM_STOP_GRADIENT && r.iterations == 1 && r.evaluations == 2);
}

/* The only stationary points of the chained function seen from (-1.2, 1, -1.2, 1, ...)
 * downhill are the minimum (1, ..., 1) and, from 4 variables on, one near
 * (-1, 1, 1, ...), whose value is about 4. */
TEST(lbfgs_minimises_rosenbrock_of_2_to_1000_variables)
{
    static const size_t sizes[] = { 2, 3, 10, 100, 1000 };

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t n = sizes[k];
        double *x = malloc(n * sizeof *x);
        zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
        zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;

        for (size_t i = 0; i < n; i++)
            x[i] = i % 2 ? 1 : -1.2;
        o.gradient_tolerance = 1e-6;
        o.max_iterations = 20000;
        CHECK(zm_minimise(n, evaluate_rosenbrock, &n, x, &o, &r, NULL) == ZM_OK);
        CHECK_MSG(r.stop == ZM_STOP_GRADIENT, "n = %zu: stop %d after %d, norm %g", n,
                  (int)r.stop, (int)r.iterations, r.gradient_norm);
        CHECK_MSG(r.value < 1e-10 || fabs(r.value - 3.9866) < 1e-3, "n = %zu: value %g",
                  n, r.value);
        CHECK_AT_MOST(r.evaluations, 1.5 * r.iterations + 20);
        free(x);
    }
}

/* Adam written down once more, straight from the paper. */
static void adam_by_hand(const double *a, const double *b, double clip, int steps,
                         double (*rate)(int), double *x)
{
    double m[N] = { 0 }, v[N] = { 0 }, g[N];

    for (int k = 1; k <= steps; k++) {
        double norm = 0;

        for (size_t i = 0; i < N; i++) {
            g[i] = a[i] * (x[i] - b[i]);
            norm += g[i] * g[i];
        }
        norm = sqrt(norm);
        for (size_t i = 0; i < N; i++) {
            const double gi = norm > clip ? g[i] * clip / norm : g[i];

            m[i] = 0.9 * m[i] + 0.1 * gi;
            v[i] = 0.999 * v[i] + 0.001 * gi * gi;
            x[i] -= rate(k) * (m[i] / (1 - pow(0.9, k))) /
                    (sqrt(v[i] / (1 - pow(0.999, k))) + 1e-8);
        }
    }
}

static double constant_rate(int k)
{
    (void)k;
    return 0.03;
}

static double step_rate(int k)
{
    return k <= 20 ? 0.03 : k <= 40 ? 0.015 : k <= 60 ? 0.0075 : 0.00375;
}

static double cosine_rate(int k)
{
    const double part = k - 1 < 50 ? (k - 1) / 50.0 : 1;

    return 0.03 * (0.1 + 0.9 * (1 + cos(3.14159265358979323846 * part)) / 2);
}

/* The same operations up to the order of sums: 70 steps, rounding of 1e-16 each, grown by
 * the division by small sqrt(v). */
TEST(adam_follows_its_recurrence_for_all_schedules)
{
    static const struct {
        zm_rate_schedule schedule;
        double factor;
        int32_t period;
        double (*rate)(int);
    } cases[] = { { ZM_RATE_CONSTANT, 0, 1, constant_rate },
                  { ZM_RATE_STEP, 0.5, 20, step_rate },
                  { ZM_RATE_COSINE, 0.1, 50, cosine_rate } };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int clipped = 0; clipped < 2; clipped++) {
            uint64_t state = t->seed;
            double a[N], b[N], x[N] = { 0 }, expected[N] = { 0 };
            quadratic q = { .n = N, .a = a, .b = b };
            zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
            zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;

            fill(a, b, &state);
            o.method = ZM_METHOD_ADAM;
            o.rate = 0.03;
            o.schedule = cases[k].schedule;
            o.rate_factor = cases[k].factor;
            o.rate_period = cases[k].period;
            o.clip = clipped ? 100 : HUGE_VAL;
            o.max_iterations = 70;
            CHECK(zm_minimise(N, evaluate_quadratic, &q, x, &o, &r, NULL) == ZM_OK);
            CHECK(r.stop == ZM_STOP_ITERATIONS && r.evaluations == 71);
            adam_by_hand(a, b, o.clip, 70, cases[k].rate, expected);
            for (size_t i = 0; i < N; i++)
                CHECK_NEAR(x[i], expected[i], 1e-11);
        }
}

/* x <- x - rate g by hand. */
TEST(gradient_descent_with_a_fixed_step_follows_its_recurrence)
{
    uint64_t state = t->seed;
    double a[N], b[N], x[N] = { 0 }, expected[N] = { 0 };
    quadratic q = { .n = N, .a = a, .b = b };
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;

    fill(a, b, &state);
    o.method = ZM_METHOD_GRADIENT;
    o.line_search = 0;
    o.rate = 1e-3;
    o.max_iterations = 30;
    CHECK(zm_minimise(N, evaluate_quadratic, &q, x, &o, NULL, NULL) == ZM_OK);
    for (int k = 0; k < 30; k++)
        for (size_t i = 0; i < N; i++)
            expected[i] -= 1e-3 * a[i] * (expected[i] - b[i]);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(x[i], expected[i], 1e-14);
}

/* Onto the ball |x| <= 1: the minimiser of |x - b|^2 there is b / |b|. */
static void onto_ball(void *ctx, size_t n, double *x)
{
    double norm = 0;

    (void)ctx;
    for (size_t i = 0; i < n; i++)
        norm += x[i] * x[i];
    norm = sqrt(norm);
    for (size_t i = 0; i < n && norm > 1; i++)
        x[i] /= norm;
}

TEST(a_feasible_set_is_kept_and_the_nearest_point_found)
{
    static const zm_method methods[] = { ZM_METHOD_ADAM, ZM_METHOD_GRADIENT };

    for (size_t m = 0; m < 2; m++) {
        uint64_t state = t->seed;
        double a[N], b[N], x[N], norm = 0, length = 0;
        quadratic q = { .n = N, .a = a, .b = b };
        zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;

        for (size_t i = 0; i < N; i++) {
            a[i] = 1;
            b[i] = zm_random_normal(&state);
            x[i] = 3 * zm_random_normal(&state); /* not feasible */
            norm += b[i] * b[i];
        }
        norm = sqrt(norm);
        o.method = methods[m];
        o.feasible = onto_ball;
        o.rate = 0.05;
        o.max_iterations = 300;
        CHECK(zm_minimise(N, evaluate_quadratic, &q, x, &o, NULL, NULL) == ZM_OK);
        for (size_t i = 0; i < N; i++) {
            length += x[i] * x[i];
            if (o.method == ZM_METHOD_GRADIENT)
                CHECK_NEAR(x[i], b[i] / norm, 1e-7);
        }
        CHECK_NEAR(length, 1, 1e-12);
    }
}

/* No value beyond x_i = wall, which lies between start and minimum of no variable but
 * beyond the first long steps: all methods must go round by shorter steps. */
TEST(points_without_a_value_are_stepped_back_from)
{
    for (int m = 0; m < 3; m++)
        for (int by_status = 0; by_status < 2; by_status++) {
            double a[N], b[N], x[N] = { 0 };
            quadratic q = { .n = N, .a = a, .b = b, .wall = 1.02 };
            zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
            zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;

            for (size_t i = 0; i < N; i++) {
                a[i] = i == 0 ? 1 : 0.1;
                b[i] = 1;
            }
            q.by_status = by_status;
            o.method = (zm_method)m;
            o.rate = m == 2 ? 50 : 2;
            o.schedule = m == 1 ? ZM_RATE_COSINE : ZM_RATE_CONSTANT;
            o.rate_period = o.max_iterations = 3000;
            o.gradient_tolerance = 1e-7;
            CHECK(zm_minimise(N, evaluate_quadratic, &q, x, &o, &r, NULL) == ZM_OK);
            CHECK_MSG(r.failures > 0, "method %d met no failure", m);
            for (size_t i = 0; i < N; i++)
                CHECK_NEAR(x[i], 1, m == 1 ? 1e-2 : 1e-5);
        }
}

/* Transient failures too, wherever they come. */
TEST(failures_now_and_then_do_not_stop_a_run)
{
    uint64_t state = t->seed;
    double a[N], b[N], x[N] = { 0 };
    quadratic q = { .n = N, .a = a, .b = b, .refuse_every = 3 };
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
    zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;

    fill(a, b, &state);
    o.gradient_tolerance = 1e-6;
    CHECK(zm_minimise(N, evaluate_quadratic, &q, x, &o, &r, NULL) == ZM_OK);
    CHECK(r.stop == ZM_STOP_GRADIENT && r.failures > 0);
}

/* A wrong gradient: no step lowers the value, and the run says so. */
static zm_status evaluate_uphill(void *ctx, const double *x, double *value,
                                 double *gradient)
{
    (void)ctx;
    *value = x[0] * x[0];
    gradient[0] = -2 * x[0];
    return ZM_OK;
}

TEST(a_gradient_that_points_uphill_ends_the_run_where_it_began)
{
    static const zm_method methods[] = { ZM_METHOD_LBFGS, ZM_METHOD_GRADIENT };

    for (size_t m = 0; m < 2; m++) {
        double x[1] = { 1 };
        zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
        zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;

        o.method = methods[m];
        CHECK(zm_minimise(1, evaluate_uphill, NULL, x, &o, &r, NULL) == ZM_OK);
        CHECK(r.stop == ZM_STOP_NO_STEP && r.iterations == 0 && x[0] == 1);
    }
}

typedef struct watcher {
    quadratic q;
    int calls, cancel_at;
    double last_value;
} watcher;

static zm_status evaluate_watched(void *ctx, const double *x, double *value,
                                  double *gradient)
{
    return evaluate_quadratic(&((watcher *)ctx)->q, x, value, gradient);
}

static int watch(void *ctx, const zm_minimise_iteration *p)
{
    watcher *w = ctx;

    w->last_value = p->value;
    return w->calls++ != p->iteration || p->iteration == w->cancel_at;
}

TEST(stop_rules_history_and_monitor_agree)
{
    uint64_t state = t->seed;
    double a[N], b[N], history[8];
    zm_minimise_opts base = ZM_MINIMISE_OPTS_INIT;

    fill(a, b, &state);
    base.monitor = watch;
    base.history = history;
    base.history_capacity = 8;
    for (int rule = 0; rule < 5; rule++) {
        static const zm_stop expected[] = { ZM_STOP_ITERATIONS, ZM_STOP_EVALUATIONS,
                                            ZM_STOP_TARGET, ZM_STOP_DECREASE,
                                            ZM_STOP_CANCELLED };
        watcher w = { .q = { .n = N, .a = a, .b = b }, .cancel_at = -1 };
        double x[N] = { 0 };
        zm_minimise_opts o = base;
        zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;
        zm_status st;

        o.max_iterations = rule == 0 ? 6 : 1000;
        o.max_evaluations = rule == 1 ? 9 : 1000;
        o.target = rule == 2 ? 1 : -HUGE_VAL;
        o.decrease_tolerance = rule == 3 ? 1e-3 : 0;
        w.cancel_at = rule == 4 ? 5 : -1;
        w.q.offset =
            rule == 3 ? 10 : 0; /* else the value falls by large parts for ever */
        st = zm_minimise(N, evaluate_watched, &w, x, &o, &r, NULL);
        CHECK(st == (rule == 4 ? ZM_E_CANCELLED : ZM_OK));
        CHECK_MSG(r.stop == expected[rule], "rule %d: stop %d", rule, (int)r.stop);
        CHECK(w.calls == r.iterations + 1 && w.last_value == r.value);
        CHECK(rule != 0 || r.iterations == 6);
        CHECK(rule != 1 || r.evaluations == 9);
        CHECK(rule != 2 || r.value <= 1);
        CHECK(rule != 4 || r.iterations == 5);
        CHECK(r.history_count == (r.iterations + 1 < 8 ? (size_t)r.iterations + 1 : 8));
        for (size_t k = 1; k < r.history_count; k++)
            CHECK(history[k] <= history[k - 1]);
    }
}

TEST(bad_arguments_are_named)
{
    double a[2] = { 1, 1 }, b[2] = { 0, 0 }, x[2] = { 1, NAN }, low[2] = { 0, 2 };
    double high[2] = { 1, 1 };
    quadratic q = { .n = 2, .a = a, .b = b };
    zm_error err;

#define EXPECT_ARG(change)                                                             \
    do {                                                                               \
        zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;                                    \
        double y[2] = { 1, 1 };                                                        \
        err.text[0] = 0;                                                               \
        change;                                                                        \
        CHECK(zm_minimise(2, evaluate_quadratic, &q, y, &o, NULL, &err) == ZM_E_ARG);  \
        CHECK(err.text[0]);                                                            \
        CHECK(y[0] == 1 && y[1] == 1);                                                 \
    } while (0)
    EXPECT_ARG(o.method = (zm_method)7);
    EXPECT_ARG(o.max_iterations = -1);
    EXPECT_ARG(o.memory = 0);
    EXPECT_ARG(o.decrease_window = 33);
    EXPECT_ARG(o.gradient_tolerance = NAN);
    EXPECT_ARG((o.lower = low, o.upper = high));
    EXPECT_ARG(o.feasible = onto_ball);
    EXPECT_ARG((o.method = ZM_METHOD_ADAM, o.precondition = invert_hessian));
    EXPECT_ARG((o.method = ZM_METHOD_ADAM, o.beta1 = 1));
    EXPECT_ARG((o.method = ZM_METHOD_GRADIENT, o.rate = 0));
    EXPECT_ARG((o.method = ZM_METHOD_GRADIENT, o.clip = 1));
    EXPECT_ARG(o.resume = 1);
    EXPECT_ARG(o.history_capacity = 1);
    EXPECT_ARG(o.size = 1000);
#undef EXPECT_ARG
    CHECK(zm_minimise(2, evaluate_quadratic, &q, x, NULL, NULL, &err) == ZM_E_ARG);
    CHECK(err.cell == 1);
    CHECK(zm_minimise(0, evaluate_quadratic, &q, x, NULL, NULL, &err) == ZM_E_ARG);
    CHECK(zm_minimise(2, evaluate_quadratic, &q, NULL, NULL, NULL, &err) == ZM_E_ARG);
    CHECK(zm_minimise(2, NULL, &q, a, NULL, NULL, &err) == ZM_E_ARG);
    q.refuse_every = 1;
    CHECK(zm_minimise(2, evaluate_quadratic, &q, a, NULL, NULL, &err) == ZM_E_METRIC);
}

/* As of zm_invert_report: nothing is done for a report without its size, and nothing written
 * beyond it. */
TEST(a_report_is_written_as_far_as_it_says)
{
    enum { FEW = 3 };
    double a[FEW] = { 1, 2, 3 }, b[FEW] = { 1, 1, 1 }, x[FEW];
    quadratic q = { .n = FEW, .a = a, .b = b };
    zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;
    zm_error err;

    for (int i = 0; i < FEW; i++)
        x[i] = 3;
    r.size = 0;
    CHECK(zm_minimise(FEW, evaluate_quadratic, &q, x, NULL, &r, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "zm_minimise_report has size 0"), "%s", err.text);
    CHECK(x[0] == 3);
    r.size = offsetof(zm_minimise_report, stop);
    r.history_count = 99;
    CHECK(zm_minimise(FEW, evaluate_quadratic, &q, x, NULL, &r, &err) == ZM_OK);
    CHECK(r.iterations > 0 && r.history_count == 99);
}
