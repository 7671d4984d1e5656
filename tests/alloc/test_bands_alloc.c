/* SPDX-License-Identifier: Apache-2.0
 * Solves with bands give back all memory, and say so when there is none. */
#include <stdlib.h>

#include "check.h"
#include "support/banded.h"
#include "support/counted.h"

static zm_status take(void *ctx, size_t band, zm_band_window w, const zm_band_values *v,
                      zm_error *err)
{
    double *sum = ctx;

    (void)err;
    for (int32_t i = 0; i < w.rows * w.cols; i++)
        *sum += (double)(band + 1) * (v->g11[i] + v->b1[i]);
    return ZM_OK;
}

/* Create, solve and both derivatives; the sum that `take` made. */
static zm_status all_of_it(banded *b, counter *c, double *T, double *sum, zm_error *err)
{
    const zm_bands_problem p = banded_problem(b);
    const zm_bands_gradient out = { .take = take, .take_ctx = sum };
    zm_direction moves[MOST_BANDS] = { ZM_DIRECTION_INIT };
    const zm_bands_direction by = { .bands = moves };
    zm_bands_opts o = ZM_BANDS_OPTS_INIT;
    zm_bands *h;
    zm_status st;

    o.mem = counted(c);
    o.batch = 2;
    if ((st = zm_bands_create(&h, b->band[0].grid, ZM_F64, &o, err)) != ZM_OK)
        return h ? ZM_E_STATE : st;
    *sum = 0;
    for (size_t k = 0; k < b->n_bands; k++)
        moves[k].b1 = b->band[k].b2;
    if ((st = zm_bands_solve(h, &p, T, NULL, NULL, err)) == ZM_OK &&
        (st = zm_bands_adjoint(h, &p, T, &out, err)) == ZM_OK)
        st = zm_bands_tangent(h, &p, &by, T, err);
    zm_bands_destroy(h);
    return st;
}

/* The first, second, ... allocation fails until all succeeds: nothing leaks, no handle is left
 * over, and the message is there. */
TEST(every_refused_allocation_is_handled)
{
    banded b = banded_random(40, 3, t->seed, 3, 2, 0.9, true);
    double *T = nan_doubles(b.n), whole, sum = 0;
    counter c = { 0 };
    zm_status st = ZM_E_NOMEM;
    size_t refused = 0;
    zm_error err;

    CHECK(all_of_it(&b, &c, T, &whole, &err) == ZM_OK && c.live == 0);
    while (st == ZM_E_NOMEM && refused < 1000) {
        c.requests = 0;
        c.refuse = ++refused;
        err.text[0] = 0;
        st = all_of_it(&b, &c, T, &sum, &err);
        CHECK(st == ZM_OK || (st == ZM_E_NOMEM && err.text[0]));
        CHECK(c.live == 0);
    }
    CHECK(st == ZM_OK && sum == whole && refused > 30);
    free(T);
    banded_free(&b);
}

/* What grew in a first solve is enough for the second. */
TEST(the_same_solve_again_needs_no_memory)
{
    banded b = banded_random(40, 3, t->seed, 3, 2, 0.9, true);
    const zm_bands_problem p = banded_problem(&b);
    counter c = { 0 };
    zm_bands_opts o = ZM_BANDS_OPTS_INIT;
    double *T = nan_doubles(b.n), sum = 0;
    const zm_bands_gradient out = { .take = take, .take_ctx = &sum };
    zm_bands *h;
    size_t before = 0, bytes = 0;

    o.mem = counted(&c);
    CHECK(zm_bands_create(&h, b.band[0].grid, ZM_F64, &o, NULL) == ZM_OK);
    for (int i = 0; i < 2; i++) {
        before = c.requests;
        bytes = zm_bands_bytes(h);
        CHECK(zm_bands_solve(h, &p, T, NULL, NULL, NULL) == ZM_OK);
        CHECK(zm_bands_adjoint(h, &p, T, &out, NULL) == ZM_OK);
    }
    CHECK(c.requests == before && zm_bands_bytes(h) == bytes);
    zm_bands_destroy(h);
    CHECK(c.live == 0);
    free(T);
    banded_free(&b);
}
