/* SPDX-License-Identifier: Apache-2.0
 * Derivatives through intervals: exact for the discrete times, in both modes. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "support/timed.h"

/* Changes of every plane of every interval, or derivatives by them. */
typedef struct changes {
    size_t n_intervals;
    double *planes[MOST_INTERVALS]; /* five of n each, one after another */
    double *times;
} changes;

static changes changes_create(const timed_case *b)
{
    changes c = { .n_intervals = b->n_intervals };

    for (size_t k = 0; k < b->n_intervals; k++)
        c.planes[k] = nan_doubles(N_PLANES * b->n);
    c.times = nan_doubles(b->interval[0].n_sources);
    return c;
}

static void changes_free(changes *c)
{
    for (size_t k = 0; k < c->n_intervals; k++)
        free(c->planes[k]);
    free(c->times);
}

/* Random, in proportion to the metric so that it stays admissible. */
static void changes_random(const timed_case *b, uint64_t *state, changes *c)
{
    for (size_t k = 0; k < b->n_intervals; k++)
        for (size_t i = 0; i < b->n; i++) {
            const double scale[N_PLANES] = {
                b->interval[k].g11[i], b->interval[k].g11[i], b->interval[k].g22[i],
                sqrt(b->interval[k].g11[i]), sqrt(b->interval[k].g11[i])
            };

            for (size_t j = 0; j < N_PLANES; j++)
                c->planes[k][j * b->n + i] =
                    0.1 * scale[j] * zm_random_between(state, -1, 1);
        }
    for (size_t i = 0; i < b->interval[0].n_sources; i++)
        c->times[i] = zm_random_between(state, -1, 1);
}

static zm_status adjoint(zm_solver *h, timed_case *b, const double *T, const double *g,
                         changes *out)
{
    const zm_problem p = timed_problem(b);
    zm_gradient planes[MOST_INTERVALS];
    const zm_gradient to = { .size = sizeof to,
                             .intervals = planes,
                             .source_times = out->times };

    for (size_t k = 0; k < b->n_intervals; k++)
        planes[k] = gradient_into(out->planes[k], b->n);
    return zm_adjoint(h, &p, T, g, &to, NULL);
}

static zm_status tangent(zm_solver *h, timed_case *b, const double *T, const changes *d,
                         double *dT)
{
    const zm_problem p = timed_problem(b);
    zm_direction planes[MOST_INTERVALS];
    const zm_direction by = { .size = sizeof by,
                              .intervals = planes,
                              .source_times = d->times };

    for (size_t k = 0; k < b->n_intervals; k++)
        planes[k] = direction_from(d->planes[k], b->n);
    return zm_tangent(h, &p, T, &by, dT, NULL);
}

static double inner(const timed_case *b, const changes *x, const changes *y)
{
    double sum = 0;

    for (size_t k = 0; k < b->n_intervals; k++)
        for (size_t i = 0; i < N_PLANES * b->n; i++)
            sum += x->planes[k][i] * y->planes[k][i];
    for (size_t i = 0; i < b->interval[0].n_sources; i++)
        sum += x->times[i] * y->times[i];
    return sum;
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void timed_move(timed_case *b, const changes *d, double step)
{
    for (size_t k = 0; k < b->n_intervals; k++)
        for (int j = 0; j < N_PLANES; j++)
            for (size_t i = 0; i < b->n; i++)
                case_plane(&b->interval[k], j)[i] +=
                    step * d->planes[k][(size_t)j * b->n + i];
    for (size_t i = 0; i < b->interval[0].n_sources; i++)
        b->interval[0].sources[i].time += step * d->times[i];
}

/* A problem with everything in it: intervals shorter and longer than a step, two sources, walls,
 * a night in a part of the grid, spacings that differ. */
static timed_case busy(uint64_t seed, bool smooth)
{
    timed_case b = timed_random(21, 6, seed, 6, 2, 0.9, smooth);

    for (size_t k = 0; k < 6; k++) {
        b.interval[k].grid.dx = 1.25;
        b.interval[k].grid.dy = 0.8;
        b.starts[k] = 0.5 + 2.5 * (double)k + (k == 4 ? -2.2 : 0);
    }
    case_add_source(&b.interval[0], 4, 17, 1.1);
    case_add_walls(&b.interval[0]);
    for (size_t row = 2; row < 10; row++)
        b.interval[0].walls[row * 21 + 13] = 1;
    for (size_t i = 0; i < b.n; i += 1 + i % 3)
        timed_stop(&b, 2, (int64_t)i);
    return b;
}

/* <g, dT(d)> = <adjoint(g), d>: both modes are sums over the same graph, so only rounding is
 * between them. */
TEST(both_modes_are_transposes_of_each_other)
{
    for (int kind = 0; kind < 4; kind++) {
        uint64_t state = t->seed + (uint64_t)kind;
        timed_case b = busy(state, kind & 1);
        zm_solver *h = timed_solver(&b, kind & 2 ? ZM_COST_MEAN : ZM_COST_OWN);
        const zm_problem p = timed_problem(&b);
        changes d = changes_create(&b), by = changes_create(&b);
        double *T = nan_doubles(b.n), *g = nan_doubles(b.n), *dT = nan_doubles(b.n);

        CHECK(zm_forward(h, &p, T, NULL, NULL, NULL) == ZM_OK);
        for (int i = 0; i < 5; i++) {
            double left, right;

            changes_random(&b, &state, &d);
            for (size_t k = 0; k < b.n; k++)
                g[k] = zm_random_between(&state, -1, 1);
            CHECK(tangent(h, &b, T, &d, dT) == ZM_OK);
            CHECK(adjoint(h, &b, T, g, &by) == ZM_OK);
            left = dot(g, dT, b.n);
            right = inner(&b, &by, &d);
            CHECK_NEAR(left, right, 1e-11 * (fabs(left) + 1));
        }
        free(dT);
        free(g);
        free(T);
        changes_free(&by);
        changes_free(&d);
        zm_solver_destroy(h);
        timed_free(&b);
    }
}

/* Central differences of a sum of all times along 100 random directions.  Where a step changes
 * which triangle wins the sum has a kink; steps are so small that it hardly ever happens, and
 * the share of directions in which it may is bounded. */
TEST(the_gradient_agrees_with_central_differences_in_random_directions)
{
    enum { DIRECTIONS = 100 };
    const double step = 3e-6;

    for (int kind = 0; kind < 4; kind++) {
        uint64_t state = t->seed + 77 + (uint64_t)kind;
        timed_case b = busy(state, kind & 1);
        zm_solver *h = timed_solver(&b, kind & 2 ? ZM_COST_MEAN : ZM_COST_OWN);
        changes d = changes_create(&b), by = changes_create(&b);
        double *T = nan_doubles(b.n), *g = nan_doubles(b.n);
        int agree = 0;
        double worst = 0;

        timed_problem(&b);
        for (size_t k = 0; k < b.n; k++)
            g[k] = zm_random_between(&state, 0, 1);
        {
            const zm_problem p = timed_problem(&b);

            CHECK(zm_forward(h, &p, T, NULL, NULL, NULL) == ZM_OK);
        }
        for (size_t k = 0; k < b.n; k++)
            g[k] = isfinite(T[k]) ? g[k] : 0;
        CHECK(adjoint(h, &b, T, g, &by) == ZM_OK);
        for (int i = 0; i < DIRECTIONS; i++) {
            double L[2], slope, difference;

            changes_random(&b, &state, &d);
            for (int side = 0; side < 2; side++) {
                const zm_problem p = timed_problem(&b);

                timed_move(&b, &d, side ? -2 * step : step);
                CHECK(zm_forward(h, &p, T, NULL, NULL, NULL) == ZM_OK);
                L[side] = 0;
                for (size_t k = 0; k < b.n; k++)
                    L[side] += g[k] != 0 ? g[k] * T[k] : 0;
            }
            timed_move(&b, &d, step);
            slope = inner(&b, &by, &d);
            difference = (L[0] - L[1]) / (2 * step);
            agree += fabs(slope - difference) <= 1e-6 * (fabs(slope) + 1);
            worst = fmax(worst, fabs(slope - difference) / (fabs(slope) + 1));
        }
        printf("    kind %d: %d of %d agree to 1e-6, worst %.2g\n", kind, agree,
               (int)DIRECTIONS, worst);
        CHECK(agree >= 90);
        free(g);
        free(T);
        changes_free(&by);
        changes_free(&d);
        zm_solver_destroy(h);
        timed_free(&b);
    }
}

/* What `take` was given, as planes; and what `fill` gives. */
typedef struct windows {
    const timed_case *b;
    changes *c;
    size_t last;
    bool in_order;
} windows;

static zm_status take(void *ctx, size_t interval, zm_window w,
                      const zm_window_values *v, zm_error *err)
{
    windows *x = ctx;
    const size_t n = x->b->n, cols = (size_t)x->b->interval[0].grid.cols;
    const double *const from[N_PLANES] = { v->g11, v->g12, v->g22, v->b1, v->b2 };
    size_t i = 0;

    (void)err;
    x->in_order = x->in_order && interval <= x->last && !v->stopped;
    x->last = interval;
    for (int32_t row = w.row; row < w.row + w.rows; row++)
        for (int32_t col = w.col; col < w.col + w.cols; col++, i++)
            for (size_t j = 0; j < N_PLANES; j++)
                x->c->planes[interval][j * n + (size_t)row * cols + (size_t)col] +=
                    from[j][i];
    return ZM_OK;
}

static zm_status fill(void *ctx, size_t interval, zm_window w, zm_window_values *v,
                      zm_error *err)
{
    windows *x = ctx;
    const size_t n = x->b->n, cols = (size_t)x->b->interval[0].grid.cols;
    double *const to[N_PLANES] = { v->g11, v->g12, v->g22, v->b1, v->b2 };
    size_t i = 0;

    (void)err;
    for (int32_t row = w.row; row < w.row + w.rows; row++)
        for (int32_t col = w.col; col < w.col + w.cols; col++, i++)
            for (size_t j = 0; j < N_PLANES; j++)
                to[j][i] =
                    x->c->planes[interval][j * n + (size_t)row * cols + (size_t)col];
    return ZM_OK;
}

/* Windows are only another way to hand the same numbers over, and giving metrics back in
 * between does not change them either. */
TEST(windows_hand_over_what_planes_do)
{
    timed_case b = busy(t->seed, true);
    const zm_problem p = timed_problem(&b);
    changes planes = changes_create(&b), seen = changes_create(&b);
    double *T = nan_doubles(b.n), *dT = nan_doubles(b.n), *other = nan_doubles(b.n);
    windows x = { &b, &seen, SIZE_MAX, true };
    const zm_gradient out = { .size = sizeof out, .take = take, .take_ctx = &x };
    const zm_direction by = { .size = sizeof by, .fill = fill, .fill_ctx = &x };
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_solver *h = timed_solver(&b, ZM_COST_MEAN), *little;
    uint64_t state = t->seed;

    o.reach = 1;
    o.metric_bytes = 1;
    CHECK(zm_solver_create(&little, b.interval[0].grid, ZM_F64, &o, NULL) == ZM_OK);
    CHECK(zm_forward(h, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_forward(little, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(adjoint(h, &b, T, T, &planes) == ZM_OK);
    for (size_t k = 0; k < b.n_intervals; k++)
        for (size_t i = 0; i < N_PLANES * b.n; i++)
            seen.planes[k][i] = 0;
    CHECK(zm_adjoint(little, &p, T, T, &out, NULL) == ZM_OK);
    CHECK(x.in_order);
    for (size_t k = 0; k < b.n_intervals; k++)
        CHECK(same_bits(planes.planes[k], seen.planes[k], N_PLANES * b.n));
    changes_random(&b, &state, &seen);
    seen.times[0] = seen.times[1] = 0;
    CHECK(tangent(h, &b, T, &seen, dT) == ZM_OK);
    CHECK(zm_tangent(little, &p, T, &by, other, NULL) == ZM_OK);
    CHECK(same_bits(dT, other, b.n));
    free(other);
    free(dT);
    free(T);
    changes_free(&seen);
    changes_free(&planes);
    zm_solver_destroy(little);
    zm_solver_destroy(h);
    timed_free(&b);
}

/* A metric with one plane is g I: its derivative is by that one number, in the plane and in
 * the window. */
TEST(an_isotropic_interval_has_one_derivative)
{
    timed_case b = timed_random(21, 2, t->seed, 3, 1, 0, true);
    zm_solver *h = timed_solver(&b, ZM_COST_MEAN);
    zm_problem p;
    changes both = changes_create(&b);
    double *T = nan_doubles(b.n), *one = nan_doubles(b.n);
    zm_gradient planes[2] = { { .size = sizeof(zm_gradient), .g11 = one },
                              ZM_GRADIENT_INIT };
    const zm_gradient out = { .size = sizeof out, .intervals = planes };

    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < b.n; i++)
            b.interval[k].g22[i] = b.interval[k].g11[i];
    p = timed_problem(&b);
    CHECK(zm_forward(h, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(adjoint(h, &b, T, T, &both) == ZM_OK);
    p = timed_problem(&b);
    for (size_t k = 0; k < 2; k++)
        b.views[k].metric.g22 = b.views[k].metric.g12 = b.views[k].metric.b1 =
            b.views[k].metric.b2 = NULL;
    CHECK(zm_forward(h, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(h, &p, T, T, &out, NULL) == ZM_OK);
    for (size_t i = 0; i < b.n; i++)
        CHECK_NEAR(one[i], both.planes[0][i] + both.planes[0][2 * b.n + i],
                   1e-9 * (1 + fabs(one[i])));
    free(one);
    free(T);
    changes_free(&both);
    zm_solver_destroy(h);
    timed_free(&b);
}
