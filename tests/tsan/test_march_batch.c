/* SPDX-License-Identifier: Apache-2.0
 * Batches of marches on several threads: nothing is shared but what must be, and the results
 * are those of single solves.  Meant to be run under the race detector. */
#include <stdlib.h>

#include "check.h"
#include "support/work.h"

enum { BATCH = 6, ROUNDS = 2 };

static work work_make(int i, uint64_t seed)
{
    test_case c = case_make(i % 2 ? STRONG : SMOOTH, 60, 55, seed + (uint64_t)i);

    case_clear_sources(&c);
    case_add_source_at(&c, 20.25 + i, 30.5 - i, 0);
    case_add_source_at(&c, 40.75, 10.125 + i, 0.5);
    return work_create(c);
}

static zm_gradient gradient_of(work *w)
{
    return (zm_gradient){ .size = sizeof(zm_gradient),
                          .g11 = w->gradient,
                          .source_times = w->time,
                          .source_rows = w->row,
                          .source_cols = w->col };
}

static zm_direction direction_of(const work *w)
{
    return (zm_direction){
        .size = sizeof(zm_direction), .g11 = w->c.g22, .b1 = w->c.b2, .b2 = w->c.b1
    };
}

static zm_solver *batch_solver(const work *w, int32_t order, double radius)
{
    zm_solver_opts o = adaptive_opts(order, radius);

    o.threads = 2;
    o.batch = BATCH;
    return case_solver(&w->c, ZM_F64, &o);
}

/* The same problems one after the other, with a solver that has one thread. */
static void check_alone(test_run *t, const work *w, int32_t order, double radius)
{
    const zm_solver_opts o = adaptive_opts(order, radius);
    zm_solver *s = case_solver(&w[0].c, ZM_F64, &o);

    for (int i = 0; i < BATCH; i++) {
        work alone = work_make(i, t->seed);
        const zm_problem p = case_problem(&alone.c);
        const zm_gradient out = gradient_of(&alone);
        const zm_direction along = direction_of(&alone);

        CHECK(zm_forward(s, &p, alone.T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_adjoint(s, &p, alone.T, alone.c.g11, &out, NULL) == ZM_OK);
        CHECK(zm_tangent(s, &p, alone.T, &along, alone.dT, NULL) == ZM_OK);
        CHECK(same_bits(alone.T, w[i].T, alone.c.n));
        CHECK(same_bits(alone.gradient, w[i].gradient, alone.c.n));
        CHECK(same_bits(alone.dT, w[i].dT, alone.c.n));
        CHECK(same_bits(alone.time, w[i].time, 2) &&
              same_bits(alone.row, w[i].row, 2) && same_bits(alone.col, w[i].col, 2));
        work_free(&alone);
    }
    zm_solver_destroy(s);
}

static void check_batch(test_run *t, int32_t order, double radius)
{
    work w[BATCH];
    zm_problem p[BATCH];
    void *T[BATCH], *dT[BATCH];
    const void *T_in[BATCH], *g[BATCH];
    zm_gradient out[BATCH];
    zm_direction along[BATCH];
    zm_report reports[BATCH] = { ZM_REPORT_INIT };
    zm_solver *s;

    for (int i = 0; i < BATCH; i++) {
        w[i] = work_make(i, t->seed);
        p[i] = case_problem(&w[i].c);
        T_in[i] = T[i] = w[i].T;
        dT[i] = w[i].dT;
        g[i] = w[i].c.g11;
        out[i] = gradient_of(&w[i]);
        along[i] = direction_of(&w[i]);
    }
    s = batch_solver(&w[0], order, radius);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(zm_forward_batch(s, p, BATCH, T, NULL, reports, NULL) == ZM_OK);
        CHECK(zm_adjoint_batch(s, p, BATCH, T_in, g, out, NULL) == ZM_OK);
        CHECK(zm_tangent_batch(s, p, BATCH, T_in, along, dT, NULL) == ZM_OK);
    }
    for (int i = 0; i < BATCH; i++)
        CHECK(reports[i].converged == 1 && reports[i].updates > 0);
    zm_solver_destroy(s);
    check_alone(t, w, order, radius);
    for (int i = 0; i < BATCH; i++)
        work_free(&w[i]);
}

TEST(batches_of_marches_are_as_single_solves)
{
    check_batch(t, 1, 0);
    check_batch(t, 1, HUGE_VAL);
    check_batch(t, 2, 0);
    check_batch(t, 2, 8.3);
}

/* Strong media of first order with whole sources, which blocks with adaptive stencils solve. */
TEST(batches_of_strong_media_on_blocks)
{
    work w[BATCH];
    zm_problem p[BATCH];
    void *T[BATCH];
    const void *T_in[BATCH], *g[BATCH];
    zm_gradient out[BATCH];
    zm_solver *s, *single;
    const zm_solver_opts o = adaptive_opts(1, 0);
    double *alone;

    for (int i = 0; i < BATCH; i++) {
        w[i] = work_make(2 * i + 1, t->seed);
        case_clear_sources(&w[i].c);
        case_add_source(&w[i].c, 20 + i, 30 - i, 0);
        p[i] = case_problem(&w[i].c);
        T_in[i] = T[i] = w[i].T;
        g[i] = w[i].c.g11;
        out[i] = (zm_gradient){ .size = sizeof(zm_gradient), .g11 = w[i].gradient };
    }
    s = batch_solver(&w[0], 1, 0);
    single = case_solver(&w[0].c, ZM_F64, &o);
    alone = nan_doubles(w[0].c.n);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(zm_forward_batch(s, p, BATCH, T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_adjoint_batch(s, p, BATCH, T_in, g, out, NULL) == ZM_OK);
    }
    for (int i = 0; i < BATCH; i++) {
        const zm_gradient to = { .size = sizeof(zm_gradient), .g11 = w[i].dT };

        CHECK(zm_forward(single, &p[i], alone, NULL, NULL, NULL) == ZM_OK);
        CHECK(same_bits(alone, w[i].T, w[i].c.n));
        CHECK(zm_adjoint(single, &p[i], alone, g[i], &to, NULL) == ZM_OK);
        CHECK(same_bits(w[i].dT, w[i].gradient, w[i].c.n));
        work_free(&w[i]);
    }
    free(alone);
    zm_solver_destroy(single);
    zm_solver_destroy(s);
}
