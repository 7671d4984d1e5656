/* SPDX-License-Identifier: Apache-2.0
 * Work memory: how much, when, and what happens when there is none. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "support/cases.h"
#include "support/counted.h"

static zm_solver_opts counted_opts(counter *c, int32_t threads, int32_t batch)
{
    zm_solver_opts o = fixed_opts();

    o.mem = counted(c);
    o.threads = threads;
    o.batch = batch;
    return o;
}

/* Fails the 1st, 2nd, ... request until create succeeds; ASan sees to leaks of another
 * kind. */
static void check_refusals(test_run *t, zm_dtype dtype, int32_t threads, int32_t batch)
{
    const zm_grid grid = { 70, 90, 1, 1 };
    counter c = { 0 };
    zm_status st = ZM_E_NOMEM;

    while (st == ZM_E_NOMEM && c.refuse < 1000) {
        const size_t refuse = c.refuse + 1;
        zm_solver_opts o;
        zm_solver *s = (zm_solver *)t; /* must be overwritten */
        zm_error err = { .code = ZM_OK };

        c = (counter){ .refuse = refuse };
        o = counted_opts(&c, threads, batch);
        st = zm_solver_create(&s, grid, dtype, &o, &err);
        if (st != ZM_OK) {
            CHECK(st == ZM_E_NOMEM && err.code == ZM_E_NOMEM && err.text[0]);
            CHECK(s == NULL);
        } else {
            CHECK(c.requests == refuse - 1); /* all those before had failed */
            zm_solver_destroy(s);
        }
        CHECK(c.live == 0);
    }
    CHECK(st == ZM_OK);
}

TEST(every_refused_allocation_is_handled)
{
    check_refusals(t, ZM_F64, 1, 1);
    check_refusals(t, ZM_F32, 1, 1);
    check_refusals(t, ZM_F64, 3, 4);
}

/* Solves, differentiates both ways, in a batch and alone. */
static void use(test_run *t, zm_solver *s, const test_case *c)
{
    const zm_problem p = case_problem(c);
    double *T = nan_doubles(c->n), *out = nan_doubles(N_PLANES * c->n);
    double *dT = nan_doubles(c->n);
    const size_t n = c->n;
    double time;
    const zm_gradient to = { .size = sizeof(zm_gradient),
                             .g11 = out,
                             .g12 = out + n,
                             .g22 = out + 2 * n,
                             .b1 = out + 3 * n,
                             .b2 = out + 4 * n,
                             .source_times = &time };
    const zm_direction along = { .size = sizeof(zm_direction),
                                 .g11 = c->g11,
                                 .g12 = c->g12,
                                 .g22 = c->g22,
                                 .b1 = c->b1,
                                 .b2 = c->b2 };
    uint8_t *codes = calloc(n, 1);
    void *T_batch = T;

    CHECK(zm_forward(s, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(s, &p, T, c->g11, &to, NULL) == ZM_OK);
    CHECK(zm_tangent(s, &p, T, &along, dT, NULL) == ZM_OK);
    CHECK(zm_stencils(s, 0, &p, T, codes, dT, NULL) == ZM_OK);
    CHECK(zm_forward_batch(s, &p, 1, &T_batch, NULL, NULL, NULL) == ZM_OK);
    free(codes);
    free(dT);
    free(out);
    free(T);
}

TEST(no_allocation_after_create)
{
    for (int m = 0; m < N_MEDIA; m++)
        for (int32_t threads = 1; threads <= 2; threads++) {
            test_case c = case_make((medium)m, 120, 133, t->seed);
            counter count = { 0 };
            const zm_solver_opts o = counted_opts(&count, threads, 2);
            zm_solver *s = case_solver(&c, ZM_F64, &o);
            const size_t requests = count.requests;

            use(t, s, &c);
            use(t, s, &c);
            CHECK(count.requests == requests);
            zm_solver_destroy(s);
            CHECK(count.live == 0);
            case_free(&c);
        }
}

/* At most 160 bytes a node for one problem in float64, and zm_solver_bytes tells the
 * truth: the difference to what was asked for is the alignment of a few dozen blocks. */
TEST(workspace_is_at_most_160_bytes_a_node)
{
    const double most = 160;

    for (int32_t side = 256; side <= 1024; side *= 2) {
        const zm_grid grid = { side, side, 1, 1 };
        const double n = (double)side * side;
        counter c = { 0 };
        const zm_solver_opts o = counted_opts(&c, 1, 1);
        zm_solver *s;
        double told;

        CHECK(zm_solver_create(&s, grid, ZM_F64, &o, NULL) == ZM_OK);
        told = (double)zm_solver_bytes(s);
        printf("    %d x %d: %.1f bytes a node asked for, %.1f told\n", (int)side,
               (int)side, (double)c.bytes / n, told / n);
        CHECK_AT_MOST((double)c.bytes / n, most);
        CHECK(told <= (double)c.bytes);
        CHECK_AT_MOST((double)c.bytes - told, 128.0 * (double)c.requests);
        zm_solver_destroy(s);
        CHECK(c.live == 0);
    }
}

/* Thin and tiny grids have work memory of the same order; nothing is laid out for the
 * square of a side. */
TEST(workspace_of_thin_grids_is_bounded)
{
    static const zm_grid grids[] = {
        { 1, 1, 1, 1 }, { 1, 100000, 1, 1 }, { 100000, 1, 1, 1 }, { 3, 40000, 1, 1 }
    };

    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
        counter c = { 0 };
        const zm_solver_opts o = counted_opts(&c, 1, 1);
        zm_solver *s;

        CHECK(zm_solver_create(&s, grids[i], ZM_F64, &o, NULL) == ZM_OK);
        CHECK_AT_MOST((double)c.bytes, 32e6);
        zm_solver_destroy(s);
    }
}
