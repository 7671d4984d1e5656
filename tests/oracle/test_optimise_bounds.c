/* SPDX-License-Identifier: Apache-2.0
 * Bound-constrained minimisation with thousands of active bounds, against a slow method
 * that shares no code, and by the conditions of optimality. */
#include <stdlib.h>

#include "check.h"
#include "zermelo/optimise.h"

enum { SIDE = 72, N = SIDE * SIDE };

/* An obstacle problem: x'(L + 0.01) x / 2 - r.x over a grid, L the five-point Laplacian,
 * between two bounds of which large regions are active. */
typedef struct membrane {
    double load[N], low[N], high[N];
    double stiffness;
} membrane;

static zm_status evaluate(void *ctx, const double *x, double *value, double *gradient)
{
    const membrane *m = ctx;

    *value = 0;
    for (size_t i = 0; i < N; i++) {
        gradient[i] = 0.01 * x[i] - m->load[i];
        *value += 0.005 * x[i] * x[i] - m->load[i] * x[i];
    }
    for (size_t i = 0; i < N; i++) {
        const size_t next[2] = { i % SIDE + 1 < SIDE ? i + 1 : i,
                                 i + SIDE < N ? i + SIDE : i };

        for (int k = 0; k < 2; k++) {
            const double d = m->stiffness * (x[i] - x[next[k]]);

            *value += 0.5 * d * (x[i] - x[next[k]]);
            gradient[i] += d;
            gradient[next[k]] -= d;
        }
    }
    return ZM_OK;
}

static membrane *make(uint64_t seed)
{
    membrane *m = malloc(sizeof *m);

    m->stiffness = 1;
    for (size_t i = 0; i < N; i++) {
        const double row = (double)(i / SIDE) / SIDE, col = (double)(i % SIDE) / SIDE;

        m->load[i] = 0.4 * sin(9 * row) * cos(7 * col) + 0.1 * zm_random_normal(&seed);
        m->low[i] = -0.5 - 0.3 * zm_random_unit(&seed);
        m->high[i] = i % 7 == 0 ? HUGE_VAL : 0.4;
    }
    return m;
}

/* x <- P(x - g/L), L >= the largest eigenvalue 8 stiffness + 0.01, accelerated by
 * Nesterov's rule: slow, and too simple to be wrong. */
static void reference(const membrane *m, double *x)
{
    double *y = calloc(N, sizeof *y), *g = calloc(N, sizeof *g), value, t0 = 1;

    for (size_t i = 0; i < N; i++)
        y[i] = x[i] = fmin(fmax(0, m->low[i]), m->high[i]);
    for (int k = 0; k < 4000; k++) {
        const double t1 = 0.5 * (1 + sqrt(1 + 4 * t0 * t0));

        evaluate((void *)(uintptr_t)m, y, &value, g);
        for (size_t i = 0; i < N; i++) {
            const double to = fmin(
                fmax(y[i] - g[i] / (8 * m->stiffness + 0.01), m->low[i]), m->high[i]);

            y[i] = to + (k % 200 ? (t0 - 1) / t1 : 0) * (to - x[i]);
            x[i] = to;
        }
        t0 = k % 200 ? t1 : 1;
    }
    free(g);
    free(y);
}

/* Strongly convex with modulus 0.01: |x - x*| <= |projected gradient| / 0.01 or so. */
TEST(thousands_of_active_bounds_are_found)
{
    membrane *m = make(t->seed);
    double *x = calloc(N, sizeof *x), *expected = calloc(N, sizeof *x);
    double *g = calloc(N, sizeof *g), value;
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
    zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;
    size_t active = 0;

    o.lower = m->low;
    o.upper = m->high;
    o.gradient_tolerance = 1e-9;
    CHECK(zm_minimise(N, evaluate, m, x, &o, &r, NULL) == ZM_OK);
    CHECK_MSG(r.stop == ZM_STOP_GRADIENT, "stop %d after %d iterations, norm %g",
              (int)r.stop, (int)r.iterations, r.gradient_norm);
    CHECK_AT_MOST(r.iterations, 600);

    reference(m, expected);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(x[i], expected[i], 1e-6);

    /* Karush, Kuhn and Tucker: feasible; no slope inside; at a bound it points outwards. */
    evaluate(m, x, &value, g);
    for (size_t i = 0; i < N; i++) {
        const bool low = x[i] == m->low[i], high = x[i] == m->high[i];

        active += low || high;
        CHECK(x[i] >= m->low[i] && x[i] <= m->high[i]);
        CHECK(low || g[i] <= 1e-9);
        CHECK(high || g[i] >= -1e-9);
    }
    CHECK_MSG(active > 2000, "%zu active bounds", active);
    free(g);
    free(expected);
    free(x);
    free(m);
}

/* Everything starts at the wrong bound: each must be left, and the other one found. */
TEST(the_wrong_bounds_are_left_in_few_iterations)
{
    membrane *m = make(t->seed);
    double *x = malloc(N * sizeof *x);
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
    zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;

    m->stiffness = 0;
    for (size_t i = 0; i < N; i++) {
        m->high[i] = 1;
        m->low[i] = -1;
        m->load[i] = i % 2 ? 5 : -5;
        x[i] = i % 2 ? -1 : 1;
    }
    o.lower = m->low;
    o.upper = m->high;
    o.gradient_tolerance = 1e-12;
    CHECK(zm_minimise(N, evaluate, m, x, &o, &r, NULL) == ZM_OK);
    for (size_t i = 0; i < N; i++)
        CHECK(x[i] == (i % 2 ? 1 : -1));
    CHECK_AT_MOST(r.iterations, 10);
    free(x);
    free(m);
}

/* The same box for all methods, and the same answer.  Descent by values alone cannot tell
 * points whose values, here about 1000, differ by rounding: some 1e-6 apart. */
TEST(all_methods_agree_within_bounds)
{
    membrane *m = make(t->seed);
    double expected[N], x[N];
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
    zm_minimise_report r = ZM_MINIMISE_REPORT_INIT;

    m->stiffness = 0.01; /* condition number 9 */
    for (size_t i = 0; i < N; i++)
        expected[i] = x[i] = 0;
    o.lower = m->low;
    o.upper = m->high;
    o.gradient_tolerance = 1e-10;
    CHECK(zm_minimise(N, evaluate, m, expected, &o, &r, NULL) == ZM_OK);
    CHECK(r.stop == ZM_STOP_GRADIENT);
    o.method = ZM_METHOD_GRADIENT;
    CHECK(zm_minimise(N, evaluate, m, x, &o, &r, NULL) == ZM_OK);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(x[i], expected[i], 1e-6);
    o.method = ZM_METHOD_ADAM;
    o.rate = 0.05;
    o.schedule = ZM_RATE_COSINE;
    o.max_iterations = o.rate_period = 1000;
    CHECK(zm_minimise(N, evaluate, m, x, &o, &r, NULL) == ZM_OK);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(x[i], expected[i], 1e-4);
    free(m);
}
