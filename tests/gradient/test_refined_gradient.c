/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of second and third order on blocks: adjoint and tangent against each other and
 * against central differences of the solver. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/cases.h"

/* What a problem has besides its medium. */
typedef enum kind { ONE_SOURCE, SOURCES, WALLS, N_KINDS } kind;
static const char *const kind_names[N_KINDS] = { "one source", "four sources",
                                                 "obstacles" };

enum { ROWS = 83, COLS = 90 }; /* nine blocks, the last of each line and column cut */

static test_case case_of(kind k, uint64_t seed)
{
    test_case c = case_make(SMOOTH, ROWS, COLS, seed);

    c.grid.dx = 0.9;
    c.grid.dy = 1.1;
    if (k == SOURCES) {
        case_add_source(&c, 12, 70, 3.25);
        case_add_source(&c, 70, 20, 1.5);
        case_add_source(&c, 40, 33, 0.75);
    }
    if (k == WALLS) {
        case_add_walls(&c);
        for (int32_t i = 5; i < 60; i++) {
            c.walls[i * COLS + 60] = 1; /* a straight one */
            c.walls[(20 + i) * COLS + 5 + i] =
                1; /* a diagonal one, closed by its corners */
        }
        for (size_t i = 0; i < c.n; i++) /* nobody looks at the metric there */
            if (c.walls[i])
                c.g11[i] = c.b1[i] = NAN;
        case_add_source(&c, 8, 8, 0);
        for (int k_plane = 0; k_plane < N_PLANES; k_plane++)
            case_plane(&c, k_plane)[8 * COLS + 8] =
                case_plane(&c, k_plane)[8 * COLS + 9];
    }
    return c;
}

static zm_solver *solver_of(const test_case *c, int32_t order)
{
    zm_solver_opts o = fixed_opts();

    o.order = order;
    o.factor_radius = HUGE_VAL;
    return case_solver(c, ZM_F64, &o);
}

static void forward(test_run *t, zm_solver *s, const test_case *c, double *T)
{
    const zm_problem p = case_problem(c);
    zm_report report = ZM_REPORT_INIT;
    zm_error err = { .text = "" };
    const zm_status st = zm_forward(s, &p, T, NULL, &report, &err);

    CHECK_MSG(st == ZM_OK, "%s", err.text);
    CHECK(report.method == ZM_SOLVED_BY_REFINED_BLOCKS);
}

/* A direction that keeps the metric about as it is. */
static double *direction_of(const test_case *c, uint64_t *state)
{
    double *d = nan_doubles(N_PLANES * c->n);

    for (size_t i = 0; i < N_PLANES * c->n; i++)
        d[i] = (2 * zm_random_unit(state) - 1) * (i < 3 * c->n ? 0.1 : 0.05);
    return d;
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* <g, J v> and <J' g, v> are sums of the same terms in another order. */
TEST(adjoint_is_the_transpose_of_the_tangent)
{
    for (int32_t order = 2; order <= 3; order++)
        for (int k = 0; k < N_KINDS; k++) {
            test_case c = case_of((kind)k, t->seed + (uint64_t)k);
            const zm_problem p = case_problem(&c);
            zm_solver *s = solver_of(&c, order);
            uint64_t state = t->seed;
            double *T = nan_doubles(c.n), *dT = nan_doubles(c.n), *g = nan_doubles(c.n);
            double *v = direction_of(&c, &state), *J = nan_doubles(N_PLANES * c.n);
            double at_source[4], d_source[4] = { 0.5, -0.25, 1, 2 }, left, right;
            zm_gradient out = gradient_into(J, c.n);
            zm_direction d = direction_from(v, c.n);

            out.source_times = at_source;
            d.source_times = d_source;
            for (size_t i = 0; i < c.n; i++)
                g[i] = zm_random_unit(&state) - 0.3;
            forward(t, s, &c, T);
            CHECK(zm_tangent(s, &p, T, &d, dT, NULL) == ZM_OK);
            CHECK(zm_adjoint(s, &p, T, g, &out, NULL) == ZM_OK);
            for (size_t i = 0; i < c.n; i++)
                g[i] = isinf(T[i]) ? 0 : g[i];
            left = product(g, dT, c.n);
            right = product(J, v, N_PLANES * c.n) +
                    product(at_source, d_source, c.n_sources);
            CHECK_MSG(fabs(left - right) <= 1e-12 * (fabs(left) + fabs(right)),
                      "%s, order %d: %.17g, %.17g", kind_names[k], (int)order, left,
                      right);
            free(J);
            free(v);
            free(g);
            free(dT);
            free(T);
            zm_solver_destroy(s);
            case_free(&c);
        }
}

static test_case moved(const test_case *c, const double *v, double h)
{
    test_case m = case_copy(c);

    for (int k = 0; k < N_PLANES; k++)
        for (size_t i = 0; i < c->n; i++)
            case_plane(&m, k)[i] += h * v[(size_t)k * c->n + i];
    return m;
}

/* The share of cells whose tangent agrees with a central difference of T to 1e-5 of the largest
 * tangent.  Where another stencil or order is taken on one side, T jumps a little: those cells
 * and what comes after them differ. */
static double agreeing(test_run *t, zm_solver *s, const test_case *c, const double *v,
                       double *worst)
{
    const double h = 1e-7;
    const zm_problem p = case_problem(c);
    const zm_direction d = direction_from(v, c->n);
    double *T = nan_doubles(c->n), *a = nan_doubles(c->n), *b = nan_doubles(c->n);
    double *dT = nan_doubles(c->n), size;
    size_t good = 0, all = 0;
    test_case ahead = moved(c, v, h), behind = moved(c, v, -h);

    forward(t, s, &ahead, a);
    forward(t, s, &behind, b);
    forward(t, s, c, T);
    CHECK(zm_tangent(s, &p, T, &d, dT, NULL) == ZM_OK);
    size = max_abs(dT, c->n);
    for (size_t i = 0; i < c->n; i++) {
        const double difference = (a[i] - b[i]) / (2 * h) - dT[i];

        if (isinf(T[i]))
            continue;
        all++;
        good += fabs(difference) <= 1e-5 * size;
        *worst = fmax(*worst, fabs(difference) / size);
    }
    case_free(&ahead);
    case_free(&behind);
    free(dT);
    free(b);
    free(a);
    free(T);
    return (double)good / (double)all;
}

/* The tangent is the derivative of the discrete solution. */
TEST(tangents_agree_with_central_differences)
{
    enum { DIRECTIONS = 100 };

    for (int32_t order = 2; order <= 3; order++)
        for (int k = 0; k < N_KINDS; k++) {
            test_case c = case_of((kind)k, t->seed + (uint64_t)k);
            zm_solver *s = solver_of(&c, order);
            uint64_t state = t->seed + 7;
            double least = 1, mean = 0, worst = 0;

            for (int i = 0; i < DIRECTIONS; i++) {
                double *v = direction_of(&c, &state), share;

                share = agreeing(t, s, &c, v, &worst);
                mean += share / DIRECTIONS;
                least = fmin(least, share);
                free(v);
            }
            printf("    %s, order %d: %.2f %% of the cells agree, at least %.2f %%, "
                   "worst %.1e\n",
                   kind_names[k], (int)order, 100 * mean, 100 * least, worst);
            CHECK_MSG(mean >= 0.99, "%s, order %d: %.3f", kind_names[k], (int)order,
                      mean);
            zm_solver_destroy(s);
            case_free(&c);
        }
}
