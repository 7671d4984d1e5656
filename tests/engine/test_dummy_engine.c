/* SPDX-License-Identifier: Apache-2.0
 * A new engine takes one folder and one line in the table: this program has one more than the
 * library, for grids of one row (dummy/), and all that looks at a solution works through it.
 * What it finds is compared with what the blocks find, which solve the same problem when it
 * comes with walls that are all 0. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dummy/engine.h"
#include "support/cases.h"

enum { COLS = 40, SLOTS = 2, MOST_POINTS = 400 };

/* What the functions say of one problem. */
typedef struct answers {
    double T[COLS], dg11[COLS], db1[COLS], source_times[2], dT[COLS], vx[COLS], vy[COLS],
        weights[COLS];
    int32_t labels[COLS], source;
    uint8_t codes[COLS];
    zm_path_point path[MOST_POINTS];
    size_t n_path;
    zm_report report;
} answers;

static test_case make(uint64_t seed)
{
    test_case c = case_create(1, COLS);
    uint64_t state = seed;

    c.grid.dx = 0.7;
    for (size_t i = 0; i < c.n; i++) {
        c.g11[i] = 1 + zm_random_unit(&state);
        c.g22[i] = c.g11[i];
        c.b1[i] = 0.5 * zm_random_unit(&state) - 0.25;
    }
    case_add_source(&c, 0, 7, 0.5);
    case_add_source(&c, 0, 29, 0);
    return c;
}

static void look(test_run *t, zm_solver *s, size_t slot, const zm_problem *p, answers *a)
{
    zm_error err = { ZM_OK, -1, "" };

    CHECK(zm_flow(s, slot, p, a->T, a->vx, a->vy, &err) == ZM_OK);
    CHECK(zm_labels(s, slot, p, a->T, a->labels, &err) == ZM_OK);
    CHECK(zm_stencils(s, slot, p, a->T, a->codes, a->weights, &err) == ZM_OK);
    CHECK_MSG(zm_path(s, slot, p, a->T, 0, 13.4, a->path, MOST_POINTS, &a->n_path,
                      &a->source, NULL, &err) == ZM_OK,
              "%s", err.text);
}

/* Solves and looks at two problems in one batch. */
static void answer(test_run *t, const test_case *c, answers a[SLOTS])
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_problem p[SLOTS];
    void *T[SLOTS], *dT[SLOTS];
    double ones[COLS];
    const void *times[SLOTS], *cotangents[SLOTS];
    zm_gradient to[SLOTS];
    zm_direction by[SLOTS];
    zm_report reports[SLOTS] = { ZM_REPORT_INIT, ZM_REPORT_INIT };
    zm_solver *s;

    o.batch = SLOTS;
    s = case_solver(&c[0], ZM_F64, &o);
    for (int i = 0; i < COLS; i++)
        ones[i] = 1 + 0.1 * i;
    for (int k = 0; k < SLOTS; k++) {
        p[k] = case_problem(&c[k]);
        T[k] = a[k].T;
        times[k] = a[k].T;
        dT[k] = a[k].dT;
        cotangents[k] = ones;
        to[k] = (zm_gradient){ .size = sizeof *to,
                               .g11 = a[k].dg11,
                               .b1 = a[k].db1,
                               .source_times = a[k].source_times };
        by[k] = (zm_direction){ .size = sizeof *by, .g11 = ones, .b1 = ones };
    }
    CHECK(zm_forward_batch(s, p, SLOTS, T, NULL, reports, NULL) == ZM_OK);
    CHECK(zm_adjoint_batch(s, p, SLOTS, times, cotangents, to, NULL) == ZM_OK);
    CHECK(zm_tangent_batch(s, p, SLOTS, times, by, dT, NULL) == ZM_OK);
    for (size_t k = 0; k < SLOTS; k++) {
        a[k].report = reports[k];
        look(t, s, k, &p[k], &a[k]);
    }
    zm_solver_destroy(s);
}

static void compare(test_run *t, const answers *a, const answers *b)
{
    CHECK_AT_MOST(max_relative_difference(a->T, b->T, COLS), 1e-13);
    CHECK_AT_MOST(max_relative_difference(a->dg11, b->dg11, COLS), 1e-13);
    CHECK_AT_MOST(max_relative_difference(a->db1, b->db1, COLS), 1e-13);
    CHECK_AT_MOST(max_relative_difference(a->dT, b->dT, COLS), 1e-12);
    CHECK_AT_MOST(max_relative_difference(a->source_times, b->source_times, 2), 1e-13);
    CHECK_AT_MOST(max_relative_difference(a->vx, b->vx, COLS), 1e-13);
    CHECK(memcmp(a->labels, b->labels, sizeof a->labels) == 0);
    CHECK(memcmp(a->codes, b->codes, sizeof a->codes) == 0);
    CHECK(same_bits(a->weights, b->weights, COLS));
    CHECK(a->source == b->source && a->n_path == b->n_path && a->n_path > 2);
    for (size_t i = 0; i < a->n_path && i < b->n_path; i++)
        CHECK_NEAR(a->path[i].time, b->path[i].time, 1e-12);
}

TEST(all_that_looks_at_a_solution_works_through_a_new_engine)
{
    test_case c[SLOTS] = { make(t->seed), make(t->seed + 1) };
    answers *dummy = calloc(SLOTS, sizeof *dummy), *blocks = calloc(SLOTS, sizeof *blocks);

    if (!dummy || !blocks)
        exit(1);
    answer(t, c, dummy);
    for (int k = 0; k < SLOTS; k++)
        case_add_walls(&c[k]);
    answer(t, c, blocks);
    for (int k = 0; k < SLOTS; k++) {
        CHECK(dummy[k].report.method == DUMMY_METHOD);
        CHECK(blocks[k].report.method == ZM_SOLVED_BY_BLOCKS);
        compare(t, &dummy[k], &blocks[k]);
        case_free(&c[k]);
    }
    free(blocks);
    free(dummy);
}

TEST(what_it_hands_over_the_next_one_solves)
{
    test_case c = make(t->seed);
    const zm_problem p = case_problem(&c);
    zm_solver *s = case_solver(&c, ZM_F64, NULL);
    zm_report report = ZM_REPORT_INIT;
    double T[COLS];

    c.g11[3] = c.g22[3] = 2 * DUMMY_LARGEST;
    CHECK(zm_forward(s, &p, T, NULL, &report, NULL) == ZM_OK);
    CHECK(report.method == ZM_SOLVED_BY_BLOCKS);
    c.g11[3] = c.g22[3] = 1;
    CHECK(zm_forward(s, &p, T, NULL, &report, NULL) == ZM_OK);
    CHECK(report.method == DUMMY_METHOD);
    zm_solver_destroy(s);
    case_free(&c);
}

/* A small grid is solved on one thread, and looked at with all of them. */
TEST(all_threads_that_look_are_equipped)
{
    test_case c = make(t->seed);
    const zm_problem p = case_problem(&c);
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_report report = ZM_REPORT_INIT;
    double T[COLS], dg11[COLS];
    zm_gradient to = ZM_GRADIENT_INIT;
    answers a = { .n_path = 0 };
    zm_solver *s;

    o.threads = 4;
    to.g11 = dg11;
    s = case_solver(&c, ZM_F64, &o);
    CHECK(zm_forward(s, &p, T, NULL, &report, NULL) == ZM_OK);
    CHECK(report.method == DUMMY_METHOD && report.threads == 1);
    CHECK(zm_adjoint(s, &p, T, T, &to, NULL) == ZM_OK);
    memcpy(a.T, T, sizeof T);
    look(t, s, 0, &p, &a);
    zm_solver_destroy(s);
    case_free(&c);
}

TEST(its_failures_and_reasons_are_told)
{
    test_case c = make(t->seed);
    zm_problem p = case_problem(&c);
    const double starts[1] = { 0 };
    const zm_interval interval = { .metric = p.metric };
    zm_solver_opts o = adaptive_opts(2, 0);
    zm_solver *s = case_solver(&c, ZM_F64, NULL), *second = case_solver(&c, ZM_F64, &o);
    double T[COLS];
    zm_error err;

    c.g11[5] = -1;
    CHECK(zm_forward(s, &p, T, NULL, NULL, &err) == ZM_E_METRIC && err.cell == 5);
    CHECK(zm_labels(s, 0, &p, T, (int32_t[COLS]){ 0 }, NULL) == ZM_E_STATE);
    p.metric = (zm_metric){ .dtype = ZM_F64 };
    p.n_intervals = 1;
    p.starts = starts;
    p.intervals = &interval;
    CHECK(zm_forward(second, &p, T, NULL, NULL, &err) == ZM_E_UNSUPPORTED);
    CHECK_MSG(strstr(err.text, "dummy is a simple one") && strstr(err.text, "timed"), "%s",
              err.text);
    zm_solver_destroy(second);
    zm_solver_destroy(s);
    case_free(&c);
}
