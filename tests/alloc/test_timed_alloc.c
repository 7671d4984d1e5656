/* SPDX-License-Identifier: Apache-2.0
 * Solves with intervals give back all memory, and say so when there is none. */
#include <stdlib.h>

#include "check.h"
#include "support/counted.h"
#include "support/timed.h"

static zm_status take(void *ctx, size_t interval, zm_window w,
                      const zm_window_values *v, zm_error *err)
{
    double *sum = ctx;

    (void)err;
    for (int32_t i = 0; i < w.rows * w.cols; i++)
        *sum += (double)(interval + 1) * (v->g11[i] + v->b1[i]);
    return ZM_OK;
}

/* Create, solve and both derivatives; the sum that `take` made. */
static zm_status all_of_it(timed_case *b, counter *c, double *T, double *dT,
                           double *sum, zm_error *err)
{
    const zm_problem p = timed_problem(b);
    const zm_gradient out = { .size = sizeof out, .take = take, .take_ctx = sum };
    zm_direction moves[MOST_INTERVALS];
    const zm_direction by = { .size = sizeof by, .intervals = moves };
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_solver *h;
    zm_status st;

    o.mem = counted(c);
    o.batch = 2;
    if ((st = zm_solver_create(&h, b->interval[0].grid, ZM_F64, &o, err)) != ZM_OK)
        return h ? ZM_E_STATE : st;
    *sum = 0;
    for (size_t k = 0; k < b->n_intervals; k++)
        moves[k] =
            (zm_direction){ .size = sizeof(zm_direction), .b1 = b->interval[k].b2 };
    if ((st = zm_forward(h, &p, T, NULL, NULL, err)) == ZM_OK &&
        (st = zm_adjoint(h, &p, T, T, &out, err)) == ZM_OK)
        st = zm_tangent(h, &p, T, &by, dT, err);
    zm_solver_destroy(h);
    return st;
}

/* The first, second, ... allocation fails until all succeeds: nothing leaks, no handle is left
 * over, and the message is there. */
TEST(every_refused_allocation_is_handled)
{
    timed_case b = timed_random(40, 3, t->seed, 3, 2, 0.9, true);
    double *T = nan_doubles(b.n), *dT = nan_doubles(b.n), whole, sum = 0;
    counter c = { 0 };
    zm_status st = ZM_E_NOMEM;
    size_t refused = 0;
    zm_error err;

    CHECK(all_of_it(&b, &c, T, dT, &whole, &err) == ZM_OK && c.live == 0);
    while (st == ZM_E_NOMEM && refused < 1000) {
        c.requests = 0;
        c.refuse = ++refused;
        err.text[0] = 0;
        st = all_of_it(&b, &c, T, dT, &sum, &err);
        CHECK(st == ZM_OK || (st == ZM_E_NOMEM && err.text[0]));
        CHECK(c.live == 0);
    }
    CHECK(st == ZM_OK && sum == whole && refused > 30);
    free(dT);
    free(T);
    timed_free(&b);
}

/* What grew in a first solve is enough for the second. */
TEST(the_same_solve_again_needs_no_memory)
{
    timed_case b = timed_random(40, 3, t->seed, 3, 2, 0.9, true);
    const zm_problem p = timed_problem(&b);
    counter c = { 0 };
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    double *T = nan_doubles(b.n), sum = 0;
    const zm_gradient out = { .size = sizeof out, .take = take, .take_ctx = &sum };
    zm_solver *h;
    size_t before = 0, bytes = 0;

    o.mem = counted(&c);
    CHECK(zm_solver_create(&h, b.interval[0].grid, ZM_F64, &o, NULL) == ZM_OK);
    for (int i = 0; i < 2; i++) {
        before = c.requests;
        bytes = zm_solver_bytes(h);
        CHECK(zm_forward(h, &p, T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_adjoint(h, &p, T, T, &out, NULL) == ZM_OK);
    }
    CHECK(c.requests == before && zm_solver_bytes(h) == bytes);
    zm_solver_destroy(h);
    CHECK(c.live == 0);
    free(T);
    timed_free(&b);
}
