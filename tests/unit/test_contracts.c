/* SPDX-License-Identifier: Apache-2.0
 * Promises of the public headers that no other test is about. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/random.h"
#include "support/cases.h"
#include "support/timed.h"

enum { SIDE = 24, MANY = 3 };

TEST(more_problems_than_slots_are_solved_without_a_record)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    test_case c[MANY];
    zm_problem p[MANY];
    void *T[MANY];
    double *alone = nan_doubles(SIDE * SIDE);
    int32_t labels[SIDE * SIDE];
    zm_solver *s;

    for (int i = 0; i < MANY; i++) {
        c[i] = case_make(SMOOTH, SIDE, SIDE, t->seed + (uint64_t)i);
        p[i] = case_problem(&c[i]);
        T[i] = nan_doubles(c[i].n);
    }
    o.batch = MANY - 1;
    o.threads = 2;
    s = case_solver(&c[0], ZM_F64, &o);
    CHECK(zm_forward_batch(s, p, MANY - 1, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_labels(s, 1, &p[1], T[1], labels, NULL) == ZM_OK);
    CHECK(zm_forward_batch(s, p, MANY, T, NULL, NULL, NULL) == ZM_OK);
    for (size_t k = 0; k < MANY - 1; k++)
        CHECK(zm_labels(s, k, &p[k], T[k], labels, NULL) == ZM_E_STATE);
    CHECK(zm_labels(s, MANY - 1, &p[0], T[0], labels, NULL) == ZM_E_ARG);
    for (int i = 0; i < MANY; i++) {
        CHECK(case_solve_with(&c[i], alone, NULL) == ZM_OK);
        CHECK(same_bits(alone, T[i], c[i].n));
        free(T[i]);
        case_free(&c[i]);
    }
    zm_solver_destroy(s);
    free(alone);
}

/* dL/dg11 of the cell that the source is in. */
static double at_the_source(test_run *t, const test_case *c, const zm_solver_opts *o)
{
    const zm_problem p = case_problem(c);
    zm_solver *s = case_solver(c, ZM_F64, o);
    double *T = nan_doubles(c->n), *g = nan_doubles(c->n), *ones = nan_doubles(c->n);
    zm_gradient to = ZM_GRADIENT_INIT;
    double found;

    for (size_t i = 0; i < c->n; i++)
        ones[i] = 1;
    to.g11 = g;
    CHECK(zm_forward(s, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(s, &p, T, ones, &to, NULL) == ZM_OK);
    found = g[(size_t)c->sources[0].row * SIDE + (size_t)c->sources[0].col];
    free(ones);
    free(g);
    free(T);
    zm_solver_destroy(s);
    return found;
}

TEST(the_metric_at_a_source_counts_only_where_it_is_factored_out)
{
    test_case c = case_make(SMOOTH, SIDE, SIDE, t->seed), strong;
    const zm_solver_opts first = adaptive_opts(1, 0), factored = adaptive_opts(1, 9),
                         second = adaptive_opts(2, 0);

    strong = case_make(STRONG, SIDE, SIDE, t->seed);
    CHECK(at_the_source(t, &c, &first) == 0);
    CHECK(at_the_source(t, &c, &second) == 0);
    CHECK(at_the_source(t, &strong, &first) == 0);
    CHECK(at_the_source(t, &c, &factored) != 0);
    case_free(&strong);
    case_free(&c);
}

TEST(sources_between_cells_need_an_engine_that_takes_them)
{
    const zm_solver_opts fixed = fixed_opts(), adaptive = adaptive_opts(1, 0);
    test_case c = case_create(SIDE, SIDE);
    zm_problem p;
    const double starts[1] = { 0 };
    zm_interval interval;
    zm_solver *a, *b;
    double *T = nan_doubles(c.n);
    int32_t labels[SIDE * SIDE];
    zm_error err;

    case_add_source_at(&c, 3.5, 4.25, 0);
    p = case_problem(&c);
    a = case_solver(&c, ZM_F64, &fixed);
    b = case_solver(&c, ZM_F64, &adaptive);
    CHECK(zm_forward(a, &p, T, NULL, NULL, &err) == ZM_E_SOURCE);
    CHECK(zm_forward(b, &p, T, NULL, NULL, &err) == ZM_OK);
    interval = (zm_interval){ .metric = p.metric };
    p.metric = (zm_metric){ .dtype = ZM_F64 };
    p.n_intervals = 1;
    p.starts = starts;
    p.intervals = &interval;
    CHECK(zm_forward(b, &p, T, NULL, NULL, &err) == ZM_E_UNSUPPORTED);
    CHECK_MSG(strstr(err.text, "timed needs sources in the middle of cells"), "%s",
              err.text);
    CHECK(zm_labels(b, 0, &p, T, labels, NULL) == ZM_E_STATE);
    zm_solver_destroy(b);
    zm_solver_destroy(a);
    free(T);
    case_free(&c);
}

TEST(a_refused_call_leaves_no_record)
{
    test_case c = case_make(SMOOTH, SIDE, SIDE, t->seed);
    const zm_problem p = case_problem(&c);
    zm_solver *s = case_solver(&c, ZM_F64, NULL);
    double *T = nan_doubles(c.n);
    void *const all[] = { T };
    zm_forward_opts bad = ZM_FORWARD_OPTS_INIT;
    int32_t labels[SIDE * SIDE];

    bad.tol = -1;
    CHECK(zm_forward(s, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_labels(s, 0, &p, T, labels, NULL) == ZM_OK);
    CHECK(zm_forward(s, &p, T, &bad, NULL, NULL) == ZM_E_ARG);
    CHECK(zm_labels(s, 0, &p, T, labels, NULL) == ZM_E_STATE);
    CHECK(zm_forward(s, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_forward_batch(s, &p, 1, all, &bad, NULL, NULL) == ZM_E_ARG);
    CHECK(zm_labels(s, 0, &p, T, labels, NULL) == ZM_E_STATE);
    zm_solver_destroy(s);
    case_free(&c);
    free(T);
}

TEST(the_latest_time_may_be_negative)
{
    timed_case b = timed_create(9, 9, 1);
    zm_report report = ZM_REPORT_INIT;
    double *T = nan_doubles(b.n), latest = -INFINITY;
    zm_solver *s = timed_solver(&b, ZM_COST_OWN);
    zm_problem p;

    b.starts[0] = -100;
    case_add_source(&b.interval[0], 4, 4, -50);
    p = timed_problem(&b);
    CHECK(zm_forward(s, &p, T, NULL, &report, NULL) == ZM_OK);
    for (size_t i = 0; i < b.n; i++)
        latest = fmax(latest, T[i]);
    CHECK(latest < 0);
    CHECK_NEAR(report.last, latest, 0);
    CHECK(report.last_interval == 0);
    zm_solver_destroy(s);
    timed_free(&b);
    free(T);
}

/* Half a cell from the source the cost is half of a step, whichever engine solved. */
TEST(paths_end_between_the_source_and_its_neighbours)
{
    timed_case b = timed_create(9, 9, 1);
    double *T = nan_doubles(b.n);
    zm_solver *s = timed_solver(&b, ZM_COST_OWN);
    zm_path_point points[100];
    size_t n = 0;
    zm_problem p;

    case_add_source(&b.interval[0], 4, 4, 0);
    p = timed_problem(&b);
    CHECK(zm_forward(s, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_path(s, 0, &p, T, 4, 4.5, points, 100, &n, NULL, NULL, NULL) == ZM_OK);
    if (n > 0 && n <= 100)
        CHECK_NEAR(points[n - 1].time, 0.5, 1e-12);
    zm_solver_destroy(s);
    timed_free(&b);
    free(T);
}

/* T of the cell with these options. */
static double time_of(test_run *t, const test_case *c, zm_solver *s, zm_dtype dtype,
                      const zm_forward_opts *opts, size_t cell)
{
    const zm_problem p = case_problem(c);
    case_f32 f = case_to_f32(c);
    double *T = nan_doubles(c->n), found;
    float *T32 = nan_floats(c->n);

    if (dtype == ZM_F32)
        CHECK(zm_forward(s, &f.problem, T32, opts, NULL, NULL) == ZM_OK);
    else
        CHECK(zm_forward(s, &p, T, opts, NULL, NULL) == ZM_OK);
    found = dtype == ZM_F32 ? (double)T32[cell] : T[cell];
    case_f32_free(&f);
    free(T);
    free(T32);
    return found;
}

/* A limit that is a time of the solution keeps its cell, whatever the sources start at. */
static void check_limits(test_run *t, medium m, zm_dtype dtype, const zm_solver_opts *o,
                         uint64_t seed)
{
    uint64_t state = seed;
    test_case c = case_make(m, SIDE, SIDE, seed);
    const size_t cell = (size_t)zm_random_below(&state, SIDE * SIDE);
    zm_solver *s = case_solver(&c, dtype, o);
    uint8_t targets[SIDE * SIDE] = { 0 };
    zm_forward_opts f = ZM_FORWARD_OPTS_INIT;
    double full;

    c.sources[0].time = 100 * zm_random_unit(&state) - 50;
    full = time_of(t, &c, s, dtype, NULL, cell);
    f.t_max = full;
    CHECK_NEAR(time_of(t, &c, s, dtype, &f, cell), full, 0);
    f.t_max = (double)INFINITY;
    targets[cell] = 1;
    f.targets = targets;
    CHECK_NEAR(time_of(t, &c, s, dtype, &f, cell), full, 0);
    zm_solver_destroy(s);
    case_free(&c);
}

TEST(a_limit_that_is_a_time_keeps_its_cell)
{
    const zm_solver_opts fixed = fixed_opts(), adaptive = adaptive_opts(1, 0),
                         second = adaptive_opts(2, 0);

    for (uint64_t k = 0; k < 40; k++)
        for (int dtype = ZM_F64; dtype <= ZM_F32; dtype++) {
            check_limits(t, SMOOTH, (zm_dtype)dtype, &fixed, t->seed + k);
            check_limits(t, STRONG, (zm_dtype)dtype, &adaptive, t->seed + k);
            check_limits(t, SMOOTH, (zm_dtype)dtype, &second, t->seed + k);
        }
}

/* Adaptive blocks, whose record the marching engine reads: a T that was changed is refused each
 * time it is looked at, not only the first. */
TEST(a_changed_T_is_refused_as_often_as_it_is_asked_for)
{
    enum { WIDE = 96 };
    test_case c = case_make(STRONG, WIDE, WIDE, t->seed);
    const zm_problem p = case_problem(&c);
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    double *T = nan_doubles(c.n), *g = nan_doubles(c.n), *ones = nan_doubles(c.n), was;
    zm_gradient to = ZM_GRADIENT_INIT;
    zm_report report = ZM_REPORT_INIT;
    zm_solver *s = case_solver(&c, ZM_F64, &o);
    const size_t changed = c.n / 2 + WIDE / 3;

    for (size_t i = 0; i < c.n; i++)
        ones[i] = 1;
    to.g11 = g;
    CHECK(zm_forward(s, &p, T, NULL, &report, NULL) == ZM_OK);
    was = T[changed];
    T[changed] *= 0.2;
    if (report.method != ZM_SOLVED_BY_ADAPTIVE_BLOCKS)
        test_skip(t, "this build has no adaptive blocks");
    else
        for (int i = 0; i < 3; i++)
            CHECK(zm_adjoint(s, &p, T, ones, &to, NULL) == ZM_E_STATE);
    T[changed] = was;
    CHECK(zm_forward(s, &p, T, NULL, NULL, NULL) == ZM_OK);
    CHECK(zm_adjoint(s, &p, T, ones, &to, NULL) == ZM_OK);
    zm_solver_destroy(s);
    free(T);
    free(g);
    free(ones);
    case_free(&c);
}
