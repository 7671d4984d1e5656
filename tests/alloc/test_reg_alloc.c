/* SPDX-License-Identifier: Apache-2.0
 * Work memory of regularisers and minimisers: refused requests, and none after create. */
#include <stdlib.h>

#include "check.h"
#include "inverse/regularise/multigrid.h"
#include "support/counted.h"
#include "zermelo/optimise.h"
#include "zermelo/reg.h"

static zm_status evaluate(void *ctx, const double *x, double *value, double *gradient)
{
    (void)ctx;
    *value = x[0] * x[0] + 3 * x[1] * x[1];
    gradient[0] = 2 * x[0];
    gradient[1] = 6 * x[1];
    return ZM_OK;
}

typedef zm_status use_fn(test_run *t, const zm_alloc *mem, const counter *count,
                         zm_error *err);

static zm_status use_minimiser(test_run *t, const zm_alloc *mem, const counter *count,
                               zm_error *err)
{
    double x[2] = { 1, 1 };
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;

    (void)count;
    (void)t;
    o.mem = *mem;
    o.max_iterations = 5;
    return zm_minimise(2, evaluate, NULL, x, &o, NULL, err);
}

static zm_status use_multigrid(test_run *t, const zm_alloc *mem, const counter *count,
                               zm_error *err)
{
    enum { SIDE = 30, N = SIDE * SIDE };
    const zm_grid grid = { SIDE, SIDE, 1, 1 };
    double right[N], below[N], rhs[N], x[N] = { 0 };
    const zm_laplacian op = { grid, right, below, NULL, 1, NULL };
    zm_multigrid *mg = (zm_multigrid *)t; /* must be overwritten */
    const zm_status st = zm_multigrid_create(&mg, grid, mem, err);
    const size_t requests = count->requests;

    if (st < 0) {
        CHECK(mg == NULL);
        return st;
    }
    zm_laplacian_edges(grid, NULL, NULL, 1, right, below);
    for (size_t i = 0; i < N; i++)
        rhs[i] = (double)i;
    CHECK(zm_multigrid_update(mg, &op, NULL) == ZM_OK);
    CHECK(zm_multigrid_solve(mg, rhs, x, 1e-8, 50, NULL, NULL) == ZM_OK);
    CHECK(count->requests == requests);
    zm_multigrid_destroy(mg);
    return st;
}

static zm_status use_prox(test_run *t, const zm_alloc *mem, const counter *count,
                          zm_error *err)
{
    const zm_grid grid = { 3, 4, 1, 1 };
    double f[12] = { 0, 1, 2, 5 }, *u = f;
    const double *in = f;
    zm_tv_prox_work *work = (zm_tv_prox_work *)t; /* must be overwritten */
    const zm_status st = zm_tv_prox_create(&work, grid, 1, mem, err);
    const size_t requests = count->requests;

    if (st < 0) {
        CHECK(work == NULL);
        return st;
    }
    CHECK(zm_tv_prox(work, &in, 0.1, NULL, &u, NULL, NULL, NULL) == ZM_OK);
    CHECK(count->requests == requests);
    zm_tv_prox_destroy(work);
    return st;
}

/* Fails the 1st, 2nd, ... request until none is left to fail. */
static void check_refusals(test_run *t, use_fn *use)
{
    zm_status st = ZM_E_NOMEM;
    counter c = { 0 };

    while (st == ZM_E_NOMEM && c.refuse < 100) {
        const size_t refuse = c.refuse + 1;
        zm_alloc mem;
        zm_error err = { .code = ZM_OK };

        c = (counter){ .refuse = refuse };
        mem = counted(&c);
        st = use(t, &mem, &c, &err);
        CHECK(st == ZM_OK ||
              (st == ZM_E_NOMEM && err.code == ZM_E_NOMEM && err.text[0]));
        CHECK(c.live == 0);
    }
    CHECK(st == ZM_OK && c.refuse > 2);
}

TEST(refused_allocations_of_the_minimiser_are_handled)
{
    check_refusals(t, use_minimiser);
}

TEST(refused_allocations_of_the_multigrid_are_handled_and_none_follow_create)
{
    check_refusals(t, use_multigrid);
}

TEST(refused_allocations_of_denoising_are_handled_and_none_follow_create)
{
    check_refusals(t, use_prox);
}
