/* SPDX-License-Identifier: Apache-2.0
 * Memory of the accurate solver: taken when first needed, kept, and every refusal of it is
 * handled. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "support/cases.h"
#include "support/counted.h"

/* Solves and differentiates both ways; the first status that is not ZM_OK. */
static zm_status use(test_run *t, zm_solver *s, const test_case *c, zm_error *err)
{
    const zm_problem p = case_problem(c);
    double *T = nan_doubles(c->n), *out = nan_doubles(c->n), *dT = nan_doubles(c->n);
    const zm_gradient to = { .size = sizeof(zm_gradient), .g11 = out };
    const zm_direction along = { .size = sizeof(zm_direction), .g11 = c->g11 };
    zm_status st = zm_forward(s, &p, T, NULL, NULL, err);

    if (st == ZM_OK)
        st = zm_adjoint(s, &p, T, c->g11, &to, err);
    if (st == ZM_OK)
        st = zm_tangent(s, &p, T, &along, dT, err);
    for (size_t i = 0; st == ZM_OK && i < c->n; i++)
        CHECK(isfinite(T[i]) && isfinite(out[i]) && isfinite(dT[i]));
    free(dT);
    free(out);
    free(T);
    return st;
}

typedef struct setting {
    const char *name;
    medium medium;
    int32_t order;
    double radius;
} setting;

static const setting settings[] = {
    { "tiles", STRONG, 1, 0 },
    { "factored", STRONG, 1, HUGE_VAL },
    { "order 2", STRONG, 2, 0 },
    { "mild, order 2, factored", SMOOTH, 2, 9.0 },
    { "order 2 on blocks", SMOOTH, 2, HUGE_VAL },
};
enum { N_SETTINGS = sizeof settings / sizeof settings[0] };

static zm_solver_opts opts_of(const setting *s, counter *c)
{
    zm_solver_opts o = adaptive_opts(s->order, s->radius);

    o.mem = counted(c);
    return o;
}

/* The nth request after create is refused, until all goes well: each time ZM_E_NOMEM with a
 * message, the solver can be used again at once, and nothing is left behind. */
TEST(every_refused_allocation_is_handled)
{
    for (int i = 0; i < N_SETTINGS; i++) {
        const setting *s = &settings[i];
        test_case c = case_make(s->medium, 40, 36, t->seed);
        zm_status st = ZM_E_NOMEM;
        size_t nth = 0;

        while (st == ZM_E_NOMEM && nth < 200) {
            counter count = { 0 };
            const zm_solver_opts opts = opts_of(s, &count);
            zm_solver *solver = case_solver(&c, ZM_F64, &opts);
            zm_error err = { .text = "" };

            count.refuse = count.requests + ++nth;
            st = use(t, solver, &c, &err);
            CHECK(st == ZM_OK || (st == ZM_E_NOMEM && err.text[0]));
            CHECK(use(t, solver, &c, &err) == ZM_OK); /* there is memory again */
            zm_solver_destroy(solver);
            CHECK(count.live == 0);
        }
        CHECK(st == ZM_OK);
        CHECK_MSG(nth > 5, "%s: only %zu requests", s->name, nth - 1);
        case_free(&c);
    }
}

/* Once a slot has what it needs, solves of the same medium take no more. */
TEST(memory_is_taken_once)
{
    for (int i = 0; i < N_SETTINGS; i++) {
        const setting *s = &settings[i];
        test_case c = case_make(s->medium, 60, 50, t->seed);
        counter count = { 0 };
        const zm_solver_opts opts = opts_of(s, &count);
        zm_solver *solver = case_solver(&c, ZM_F64, &opts);
        const size_t before = zm_solver_bytes(solver);
        size_t requests;

        CHECK(use(t, solver, &c, NULL) == ZM_OK);
        requests = count.requests;
        CHECK(zm_solver_bytes(solver) > before);
        for (int round = 0; round < 3; round++)
            CHECK(use(t, solver, &c, NULL) == ZM_OK);
        CHECK_MSG(count.requests == requests, "%s: %zu requests, then %zu", s->name,
                  requests, count.requests);
        zm_solver_destroy(solver);
        CHECK(count.live == 0);
        case_free(&c);
    }
}

/* Stencils and sources of a later problem may need more room than those of the first. */
TEST(memory_grows_with_the_problem)
{
    test_case mild = case_make(SMOOTH, 60, 50, t->seed);
    test_case strong = case_make(STRONG, 60, 50, t->seed);
    counter count = { 0 };
    zm_solver_opts opts = adaptive_opts(2, HUGE_VAL);
    zm_solver *solver;

    opts.mem = counted(&count);
    solver = case_solver(&mild, ZM_F64, &opts);
    CHECK(use(t, solver, &mild, NULL) == ZM_OK);
    CHECK(use(t, solver, &strong, NULL) == ZM_OK);
    for (int i = 0; i < 20; i++)
        case_add_source_at(&strong, 2.5 * i, 49 - 2.25 * i, 0.125 * i);
    CHECK(use(t, solver, &strong, NULL) == ZM_OK);
    CHECK(use(t, solver, &mild, NULL) == ZM_OK);
    zm_solver_destroy(solver);
    CHECK(count.live == 0);
    case_free(&strong);
    case_free(&mild);
}

/* Room that was refused in the middle of growing is not counted: after the next solve the solver
 * says the same as one to which nothing was refused. */
TEST(refused_growth_leaves_the_count_right)
{
    for (size_t nth = 1; nth <= 4; nth++) {
        test_case c = case_make(SMOOTH, 60, 50, t->seed);
        counter count[2] = { { 0 }, { 0 } };
        zm_solver *solver[2];
        zm_error err = { .text = "" };

        for (int i = 0; i < 2; i++) {
            zm_solver_opts opts = adaptive_opts(2, HUGE_VAL);

            opts.mem = counted(&count[i]);
            solver[i] = case_solver(&c, ZM_F64, &opts);
            CHECK(use(t, solver[i], &c, NULL) == ZM_OK);
        }
        for (int i = 0; i < 6; i++)
            case_add_source(&c, 5 + 9 * i, 40 - 6 * i, 0.5 * i);
        count[0].refuse = count[0].requests + nth;
        CHECK(use(t, solver[0], &c, &err) == (nth <= 3 ? ZM_E_NOMEM : ZM_OK));
        for (int i = 0; i < 2; i++)
            CHECK(use(t, solver[i], &c, NULL) == ZM_OK);
        CHECK_MSG(zm_solver_bytes(solver[0]) == zm_solver_bytes(solver[1]),
                  "%zu: %zu bytes, not %zu", nth, zm_solver_bytes(solver[0]),
                  zm_solver_bytes(solver[1]));
        zm_solver_destroy(solver[0]);
        zm_solver_destroy(solver[1]);
        CHECK(count[0].live == 0 && count[1].live == 0);
        case_free(&c);
    }
}
