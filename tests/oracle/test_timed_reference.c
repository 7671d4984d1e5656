/* SPDX-License-Identifier: Apache-2.0
 * The solver with intervals against a slow one that shares nothing with it but the definition. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "support/timed.h"

enum { SIDE = 10, LATEST = 1000 };

/* Offsets of the eight neighbours, counter-clockwise. */
static const int off_x[8] = { 1, 1, 0, -1, -1, -1, 0, 1 };
static const int off_y[8] = { 0, 1, 1, 1, 0, -1, -1, -1 };

/* A triangle of a cell: two neighbouring donors. */
typedef struct triangle {
    const timed_case *b;
    zm_step_cost cost;
    int row, col, k;
    double T[2];
} triangle;

static bool is_stopped(const timed_case *b, size_t interval, int row, int col)
{
    const size_t cell = (size_t)(row * SIDE + col);

    return (b->interval[0].walls && b->interval[0].walls[cell]) ||
           (b->stopped[interval] && b->stopped[interval][cell]);
}

/* Cost of coming from the point p in one interval with the metric of one cell. */
static double cost_in(const timed_case *b, size_t interval, int row, int col, double x,
                      double y)
{
    const test_case *c = &b->interval[interval];
    const size_t i = (size_t)(row * SIDE + col);

    x *= c->grid.dx;
    y *= c->grid.dy;
    return sqrt(c->g11[i] * x * x + 2 * c->g12[i] * x * y + c->g22[i] * y * y) +
           c->b1[i] * x + c->b2[i] * y;
}

/* 1 / N of the whole way in an interval: half of it in the cell, half in the donors, by weight. */
static double pace(const triangle *q, size_t interval, double w)
{
    const double weight[2] = { w, 1 - w };
    const double x = w * off_x[q->k] + (1 - w) * off_x[(q->k + 1) % 8];
    const double y = w * off_y[q->k] + (1 - w) * off_y[(q->k + 1) % 8];
    double N = 0;

    if (is_stopped(q->b, interval, q->row, q->col))
        return 0;
    for (int i = 0; i < 2; i++) {
        const int dx = off_x[(q->k + i) % 8], dy = off_y[(q->k + i) % 8];

        if (weight[i] == 0)
            continue;
        if (dx && dy && is_stopped(q->b, interval, q->row + dy, q->col) &&
            is_stopped(q->b, interval, q->row, q->col + dx))
            return 0; /* through the corner between two */
        if (q->cost == ZM_COST_OWN) {
            N += weight[i] * cost_in(q->b, interval, q->row, q->col, x, y);
        } else {
            if (is_stopped(q->b, interval, q->row + dy, q->col + dx))
                return 0;
            N += weight[i] * 0.5 *
                 (cost_in(q->b, interval, q->row, q->col, x, y) +
                  cost_in(q->b, interval, q->row + dy, q->col + dx, x, y));
        }
    }
    return 1 / N;
}

/* Share of the way gone at time t by what left at `from`; negative before it. */
static double gone(const timed_case *b, const double *paces, double from, double t)
{
    const double low = fmin(from, t), high = fmax(from, t);
    double sum = 0;

    for (size_t k = 0; k < b->n_intervals; k++) {
        const double begin = k > 0 ? b->starts[k] : -1e9;
        const double end = k + 1 < b->n_intervals ? b->starts[k + 1] : 1e9;
        const double part = fmin(high, end) - fmax(low, begin);

        sum += part > 0 ? part * paces[k] : 0;
    }
    return t < from ? -sum : sum;
}

/* The mean of both donors' progress at time t. */
static double progress(const triangle *q, const double *paces, double w, double t)
{
    return (w > 0 ? w * gone(q->b, paces, q->T[0], t) : 0) +
           (w < 1 ? (1 - w) * gone(q->b, paces, q->T[1], t) : 0);
}

/* Arrival with weight w: where the progress is 1. */
static double arrive(const triangle *q, double w)
{
    double low = fmin(q->T[0], q->T[1]), high = LATEST, paces[MOST_INTERVALS];

    for (size_t k = 0; k < q->b->n_intervals; k++)
        paces[k] = pace(q, k, w);
    if (progress(q, paces, w, high) < 1)
        return (double)INFINITY;
    for (int i = 0; i < 50; i++) {
        const double t = 0.5 * (low + high);

        if (progress(q, paces, w, t) < 1)
            low = t;
        else
            high = t;
    }
    return high;
}

/* Least arrival: many weights, then closer around the best of them. */
static double least(const triangle *q)
{
    enum { MANY = 6 };
    double best = (double)INFINITY, at = 0, step = 1.0 / MANY;

    if (!isfinite(q->T[0]) || !isfinite(q->T[1])) {
        const double w = isfinite(q->T[0]) ? 1 : 0;

        return isfinite(q->T[0]) || isfinite(q->T[1]) ? arrive(q, w) : (double)INFINITY;
    }
    for (int i = 0; i <= MANY; i++) {
        const double T = arrive(q, i * step);

        if (T < best) {
            best = T;
            at = i * step;
        }
    }
    while (step > 1e-5 && isfinite(best)) {
        step *= 0.5;
        for (int side = -1; side <= 1; side += 2) {
            const double w = fmin(fmax(at + side * step, 0), 1), T = arrive(q, w);

            if (T < best) {
                best = T;
                at = w;
                break;
            }
        }
    }
    return best;
}

/* Sweeps over all cells and triangles until nothing changes. */
static void reference(const timed_case *b, zm_step_cost cost, double *T)
{
    bool changed = true;

    for (size_t i = 0; i < b->n; i++)
        T[i] = (double)INFINITY;
    for (size_t i = 0; i < b->interval[0].n_sources; i++) {
        const zm_source *s = &b->interval[0].sources[i];

        T[(size_t)s->row * SIDE + (size_t)s->col] = s->time;
    }
    while (changed) {
        changed = false;
        for (int row = 0; row < SIDE; row++)
            for (int col = 0; col < SIDE; col++) {
                double *to = &T[row * SIDE + col];

                for (int k = 0; k < 8 && !(b->interval[0].walls &&
                                           b->interval[0].walls[row * SIDE + col]);
                     k++) {
                    triangle q = { b, cost, row, col, k, { 0, 0 } };
                    double time;

                    for (int i = 0; i < 2; i++) {
                        const int y = row + off_y[(k + i) % 8],
                                  x = col + off_x[(k + i) % 8];

                        q.T[i] = y < 0 || x < 0 || y >= SIDE || x >= SIDE
                                     ? (double)INFINITY
                                     : T[y * SIDE + x];
                    }
                    if (!(q.T[0] < *to) && !(q.T[1] < *to))
                        continue;
                    time = least(&q);
                    if (time < *to - 1e-9) {
                        *to = time;
                        changed = true;
                    }
                }
            }
    }
}

/* Where the eight neighbours are causal in every cell and interval, the stencils of all intervals are
 * the same, and the times are the least fixed point of the update as it is defined: the front
 * is where the mean progress from two donors is 1.  The reference has nothing of the march:
 * bisection for the arrival, sampling for the weight, sweeps for the order.  It finds the
 * weight to 1e-5, where the arrival is within 1e-9; a triangle with two minima may win by more
 * in the reference, which is rare and bounded by a share of cells. */
TEST(times_are_the_fixed_point_of_the_definition)
{
    double *T = nan_doubles(SIDE * SIDE), *R = nan_doubles(SIDE * SIDE);

    for (int kind = 0; kind < 4; kind++) {
        const zm_step_cost cost = kind & 2 ? ZM_COST_MEAN : ZM_COST_OWN;
        timed_case b =
            timed_random(SIDE, 5, t->seed + (uint64_t)kind, 4, 1.1, 0.5, kind & 1);
        size_t off = 0, reached = 0;

        for (size_t k = 0; k < 5; k++)
            b.starts[k] = 1.5 + 2 * (double)k;
        case_add_walls(&b.interval[0]);
        for (size_t i = 1; i < 6; i++)
            b.interval[0].walls[i * SIDE + i + 2] = 1; /* diagonal: corners must hold */
        for (size_t i = 0; i < b.n; i += 3)
            timed_stop(&b, 1, (int64_t)i);
        CHECK(timed_solve(&b, cost, T) == ZM_OK);
        reference(&b, cost, R);
        for (size_t i = 0; i < b.n; i++) {
            CHECK(isfinite(T[i]) == isfinite(R[i]));
            if (!isfinite(R[i]))
                continue;
            reached++;
            off += fabs(T[i] - R[i]) > 1e-7 * R[i];
            CHECK_AT_MOST(fabs(T[i] - R[i]), 0.02 * R[i]);
        }
        printf("    kind %d: %zu of %zu cells differ by more than 1e-7\n", kind, off,
               reached);
        CHECK(reached > b.n / 2 && off <= reached / 20);
        timed_free(&b);
    }
    free(R);
    free(T);
}

/* Codes and weights of zm_stencils name the triangle and the point on it that a time came
 * from: the reference, given these, arrives at the same time. */
TEST(stencils_are_where_the_times_came_from)
{
    double *T = nan_doubles(SIDE * SIDE), *weights = nan_doubles(SIDE * SIDE);
    uint8_t codes[SIDE * SIDE];

    for (int kind = 0; kind < 4; kind++) {
        const zm_step_cost cost = kind & 2 ? ZM_COST_MEAN : ZM_COST_OWN;
        timed_case b =
            timed_random(SIDE, 5, t->seed + (uint64_t)kind, 4, 1.1, 0.5, kind & 1);
        const zm_problem p = timed_problem(&b);
        zm_solver *solver = timed_solver(&b, cost);

        CHECK(zm_forward(solver, &p, T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_stencils(solver, 0, &p, T, codes, weights, NULL) == ZM_OK);
        for (int i = 0; i < SIDE * SIDE; i++) {
            const bool one = codes[i] >= ZM_STENCIL_ONE_POINT;
            /* neighbours there are counted the other way round, from NW */
            const int first = (13 - codes[i] % 8) % 8, other = (first + 7) % 8;
            triangle q = { &b, cost, i / SIDE, i % SIDE, other, { 0, 0 } };

            if (codes[i] == ZM_STENCIL_SOURCE) {
                CHECK(T[i] == b.interval[0].sources[0].time);
                continue;
            }
            CHECK(codes[i] < 16 && weights[i] >= 0 && weights[i] <= 1);
            q.T[1] = T[(q.row + off_y[first]) * SIDE + q.col + off_x[first]];
            q.T[0] =
                one ? q.T[1] : T[(q.row + off_y[other]) * SIDE + q.col + off_x[other]];
            CHECK_NEAR(arrive(&q, 1 - weights[i]), T[i], 1e-9 * T[i]);
        }
        zm_solver_destroy(solver);
        timed_free(&b);
    }
    free(weights);
    free(T);
}
