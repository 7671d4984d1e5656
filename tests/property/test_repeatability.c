/* SPDX-License-Identifier: Apache-2.0
 * The same problem gives the same answer: again, on a used solver, on more threads, with
 * another instruction set, in a batch. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "support/cases.h"

/* Threads may order equal work differently: rounding along a path of some hundred steps. */
static const double last_bits = 1e-12;
/* Weights are differences of T over a step: last_bits times the length of a path, as a
 * norm over the grid (largest seen in 500 problems: 7e-13). */
static const double same_triangles = 1e-10;

typedef struct answer {
    double *T, *gradient, *dT; /* n, N_PLANES*n, n */
    uint8_t *codes;            /* n */
} answer;

static answer answer_create(const test_case *c)
{
    return (answer){ nan_doubles(c->n), nan_doubles(N_PLANES * c->n), nan_doubles(c->n),
                     calloc(c->n, 1) };
}

static void answer_free(answer *a)
{
    free(a->codes);
    free(a->dT);
    free(a->gradient);
    free(a->T);
}

static zm_gradient gradient_view(const answer *a, size_t n)
{
    double *p = a->gradient;

    return (zm_gradient){ .size = sizeof(zm_gradient),
                          .g11 = p,
                          .g12 = p + n,
                          .g22 = p + 2 * n,
                          .b1 = p + 3 * n,
                          .b2 = p + 4 * n };
}

static zm_direction direction_of(const test_case *c)
{
    return (zm_direction){ .size = sizeof(zm_direction),
                           .g11 = c->g22,
                           .g12 = c->b1,
                           .g22 = c->g11,
                           .b1 = c->b2,
                           .b2 = c->g12 };
}

/* <g, J v> = <J' g, v> with g = g11, relative to the sum of absolute terms. */
static void check_transposes(test_run *t, const test_case *c, const answer *a)
{
    const zm_direction d = direction_of(c);
    const double *along[N_PLANES] = { d.g11, d.g12, d.g22, d.b1, d.b2 };
    double left = 0, right = 0, size = 0;

    for (size_t i = 0; i < c->n; i++) {
        left += c->g11[i] * a->dT[i];
        size += fabs(c->g11[i] * a->dT[i]);
    }
    for (size_t p = 0; p < N_PLANES; p++)
        for (size_t i = 0; i < c->n; i++)
            right += a->gradient[p * c->n + i] * along[p][i];
    CHECK_NEAR(left, right, 1e-12 * size);
}

/* Forward, adjoint with g = the metric plane g11, tangent along shuffled planes; gives the
 * number of threads used. */
static int32_t run(test_run *t, zm_solver *solver, const test_case *c, answer *a)
{
    const zm_problem problem = case_problem(c);
    const zm_gradient out = gradient_view(a, c->n);
    const zm_direction d = direction_of(c);
    zm_report report = ZM_REPORT_INIT;

    CHECK(zm_forward(solver, &problem, a->T, NULL, &report, NULL) == ZM_OK);
    CHECK(zm_adjoint(solver, &problem, a->T, c->g11, &out, NULL) == ZM_OK);
    CHECK(zm_tangent(solver, &problem, a->T, &d, a->dT, NULL) == ZM_OK);
    CHECK(zm_stencils(solver, 0, &problem, a->T, a->codes, NULL, NULL) == ZM_OK);
    check_transposes(t, c, a);
    return report.threads;
}

static bool same_answer(const answer *a, const answer *b, size_t n)
{
    return same_bits(a->T, b->T, n) &&
           same_bits(a->gradient, b->gradient, N_PLANES * n) &&
           same_bits(a->dT, b->dT, n);
}

/* Also proves that every output is written: all start as NaN, and NaN is never right. */
TEST(same_bits_from_run_to_run_and_on_a_used_solver)
{
    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 130, 101, t->seed);
        test_case other = case_make(PIXELS, 130, 101, t->seed + 1);
        zm_solver *fresh = case_solver(&c, ZM_F64, NULL);
        zm_solver *used = case_solver(&c, ZM_F64, NULL);
        answer a = answer_create(&c), b = answer_create(&c), again = answer_create(&c);

        run(t, fresh, &c, &a);
        run(t, used, &other, &b);
        run(t, used, &c, &b);
        run(t, used, &c, &again);
        CHECK_MSG(same_answer(&a, &b, c.n), "%s: used solver", medium_name((medium)m));
        CHECK_MSG(same_answer(&a, &again, c.n), "%s: again", medium_name((medium)m));
        for (size_t i = 0; i < c.n; i++) {
            CHECK(!isnan(a.T[i]) && !isnan(a.dT[i]));
            for (size_t p = 0; p < N_PLANES; p++)
                CHECK(!isnan(a.gradient[p * c.n + i]));
        }
        answer_free(&again);
        answer_free(&b);
        answer_free(&a);
        zm_solver_destroy(used);
        zm_solver_destroy(fresh);
        case_free(&other);
        case_free(&c);
    }
}

/* A failed call in between leaves nothing behind. */
TEST(same_bits_after_a_failed_solve)
{
    test_case c = case_make(SMOOTH, 70, 70, t->seed), bad = case_copy(&c);
    zm_solver *solver = case_solver(&c, ZM_F64, NULL);
    const zm_problem bad_problem = case_problem(&bad);
    answer a = answer_create(&c), b = answer_create(&c);
    double *T = nan_doubles(c.n);

    run(t, solver, &c, &a);
    bad.g11[c.n / 2] = -1;
    CHECK(zm_forward(solver, &bad_problem, T, NULL, NULL, NULL) == ZM_E_METRIC);
    run(t, solver, &c, &b);
    CHECK(same_answer(&a, &b, c.n));
    free(T);
    answer_free(&b);
    answer_free(&a);
    zm_solver_destroy(solver);
    case_free(&bad);
    case_free(&c);
}

static size_t different_codes(const answer *a, const answer *b, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += a->codes[i] != b->codes[i];
    return count;
}

/* Derivatives jump where two triangles tie, and the last bits of T decide ties; where the
 * same triangles won, they are smooth functions of T. */
static void check_threads(test_run *t, const test_case *c, const answer *one,
                          int32_t threads, const char *name)
{
    zm_solver_opts opts = fixed_opts();
    answer many = answer_create(c);
    zm_solver *solver;
    size_t ties;
    double apart;

    opts.threads = threads;
    solver = case_solver(c, ZM_F64, &opts);
    CHECK(run(t, solver, c, &many) == threads);
    zm_solver_destroy(solver);
    apart = max_relative_difference(one->T, many.T, c->n);
    CHECK_MSG(apart <= last_bits, "%s on %d threads: T differs by %.3g", name,
              (int)threads, apart);
    ties = different_codes(one, &many, c->n);
    CHECK_MSG(ties <= c->n / 1000, "%s on %d threads: %zu cells from another triangle",
              name, (int)threads, ties);
    if (ties == 0) {
        apart = fmax(relative_l2(many.gradient, one->gradient, N_PLANES * c->n),
                     relative_l2(many.dT, one->dT, c->n));
        CHECK_MSG(apart <= same_triangles,
                  "%s on %d threads: derivatives differ by %.3g", name, (int)threads,
                  apart);
    }
    answer_free(&many);
}

/* 10 x 10 tiles: a thread is used for every 6. */
TEST(threads_change_no_more_than_the_last_bits)
{
    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 320, 301, t->seed);
        answer one = answer_create(&c);
        zm_solver *solver = case_solver(&c, ZM_F64, NULL);

        CHECK(run(t, solver, &c, &one) == 1);
        zm_solver_destroy(solver);
        for (int32_t threads = 2; threads <= 3; threads++)
            check_threads(t, &c, &one, threads, medium_name((medium)m));
        answer_free(&one);
        case_free(&c);
    }
}

/* Which neighbours are updated together depends on the width, hence also the order in
 * which values settle: an ulp a step, over some hundred steps. */
static void check_isa(test_run *t, zm_isa isa, const char *name)
{
    zm_solver_opts opts = fixed_opts(), scalar = fixed_opts();
    const zm_grid tiny = { 2, 2, 1, 1 };
    zm_solver *solver;
    double worst = 0;
    bool bits = true;

    opts.isa = isa;
    scalar.isa = ZM_ISA_SCALAR;
    if (zm_solver_create(&solver, tiny, ZM_F64, &opts, NULL) == ZM_E_UNSUPPORTED) {
        test_skip(t, "no %s on this machine or in this build", name);
        return;
    }
    zm_solver_destroy(solver);
    for (int m = 0; m < N_MEDIA; m++) {
        test_case c = case_make((medium)m, 97, 131, t->seed);
        zm_solver *plain = case_solver(&c, ZM_F64, &scalar);
        zm_solver *wide = case_solver(&c, ZM_F64, &opts);
        answer a = answer_create(&c), b = answer_create(&c);

        run(t, plain, &c, &a);
        run(t, wide, &c, &b);
        worst = fmax(worst, max_relative_difference(a.T, b.T, c.n));
        bits = bits && same_answer(&a, &b, c.n);
        answer_free(&b);
        answer_free(&a);
        zm_solver_destroy(wide);
        zm_solver_destroy(plain);
        case_free(&c);
    }
    printf("    %s: %s as scalar, worst %.2g\n", name,
           bits ? "the same bits" : "not the same bits", worst);
    CHECK_AT_MOST(worst, 1e-12);
}

TEST(avx2_agrees_with_scalar)
{
    check_isa(t, ZM_ISA_AVX2, "AVX2");
}

TEST(avx512_agrees_with_scalar)
{
    check_isa(t, ZM_ISA_AVX512, "AVX-512");
}

/* Each problem of a batch is solved by one thread, as it would be alone: the same bits. */
static void check_batch(test_run *t, int32_t threads)
{
    enum { BATCH = 5 };
    zm_solver_opts opts = fixed_opts();
    test_case c[BATCH];
    zm_problem problems[BATCH];
    answer alone[BATCH], batch[BATCH];
    void *T[BATCH], *dT[BATCH];
    const void *T_in[BATCH], *g[BATCH];
    zm_gradient out[BATCH];
    zm_direction d[BATCH];
    zm_report reports[BATCH] = { ZM_REPORT_INIT };
    zm_solver *single, *solver;

    for (int i = 0; i < BATCH; i++) {
        c[i] = case_make((medium)(i % N_MEDIA), 75, 68, t->seed + (uint64_t)i);
        problems[i] = case_problem(&c[i]);
        alone[i] = answer_create(&c[i]);
        batch[i] = answer_create(&c[i]);
        T_in[i] = T[i] = batch[i].T;
        dT[i] = batch[i].dT;
        g[i] = c[i].g11;
        out[i] = gradient_view(&batch[i], c[i].n);
        d[i] = direction_of(&c[i]);
    }
    opts.batch = BATCH;
    opts.threads = threads;
    single = case_solver(&c[0], ZM_F64, NULL);
    solver = case_solver(&c[0], ZM_F64, &opts);
    CHECK(zm_forward_batch(solver, problems, BATCH, T, NULL, reports, NULL) == ZM_OK);
    CHECK(zm_adjoint_batch(solver, problems, BATCH, T_in, g, out, NULL) == ZM_OK);
    CHECK(zm_tangent_batch(solver, problems, BATCH, T_in, d, dT, NULL) == ZM_OK);
    for (int i = 0; i < BATCH; i++) {
        run(t, single, &c[i], &alone[i]);
        CHECK_MSG(same_answer(&alone[i], &batch[i], c[i].n), "problem %d", i);
        CHECK(reports[i].converged == 1);
    }
    zm_solver_destroy(solver);
    zm_solver_destroy(single);
    for (int i = 0; i < BATCH; i++) {
        answer_free(&batch[i]);
        answer_free(&alone[i]);
        case_free(&c[i]);
    }
}

TEST(batch_equals_single_solves_bit_for_bit)
{
    check_batch(t, 1);
}

TEST(batch_on_three_threads_equals_single_solves_bit_for_bit)
{
    check_batch(t, 3);
}

/* Which sources come first in the list is of no interest. */
TEST(order_of_sources_does_not_matter)
{
    enum { SOURCES = 12 };
    test_case c = case_make(SMOOTH, 90, 77, t->seed), reversed = case_copy(&c);
    answer a = answer_create(&c), b = answer_create(&c);
    zm_solver *solver = case_solver(&c, ZM_F64, NULL);
    uint64_t state = t->seed;

    case_clear_sources(&c);
    case_clear_sources(&reversed);
    for (int i = 0; i < SOURCES; i++)
        case_add_source(&c, (int32_t)zm_random_below(&state, 90),
                        (int32_t)zm_random_below(&state, 77),
                        9 * zm_random_unit(&state));
    for (int i = SOURCES - 1; i >= 0; i--)
        case_add_source(&reversed, (int32_t)c.sources[i].row, (int32_t)c.sources[i].col,
                        c.sources[i].time);
    run(t, solver, &c, &a);
    run(t, solver, &reversed, &b);
    CHECK(same_answer(&a, &b, c.n));
    zm_solver_destroy(solver);
    answer_free(&b);
    answer_free(&a);
    case_free(&reversed);
    case_free(&c);
}
