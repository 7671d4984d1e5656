/* SPDX-License-Identifier: Apache-2.0
 * A run that is interrupted, saved and loaded, or shared among threads comes to the same. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/seen.h"

enum { SIDE = 20 };

/* Stops a run after an iteration, and keeps its state from within the callback. */
typedef struct stopper {
    zm_inversion *inversion;
    int32_t at; /* iteration; < 0: never */
    double *state;
    size_t size;
    int calls;
} stopper;

static int stop(void *ctx, const zm_invert_iteration *p)
{
    stopper *s = ctx;

    s->calls++;
    if (p->iteration != s->at)
        return 0;
    s->size = zm_inversion_state_size(s->inversion);
    s->state = malloc(s->size * sizeof *s->state);
    if (s->state)
        zm_inversion_save(s->inversion, s->state, NULL);
    return 1;
}

static const zm_invert_method METHODS[] = { ZM_INVERT_AUTO, ZM_INVERT_GAUSS_NEWTON,
                                            ZM_INVERT_ADMM, ZM_INVERT_LBFGS,
                                            ZM_INVERT_ADAM, ZM_INVERT_GRADIENT,
                                            ZM_INVERT_GNC };
enum { N_METHODS = sizeof METHODS / sizeof *METHODS };

static zm_invert_opts options(zm_invert_method method, stopper *s)
{
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;

    o.method = method;
    o.max_iterations = 14;
    if (s) {
        o.monitor = stop;
        o.monitor_ctx = s;
    }
    return o;
}

static test_case two_halves(void)
{
    test_case c = case_create(SIDE, SIDE);

    fill_halves(&c, 1, 2);
    case_add_source(&c, 10, 3, 0);
    return c;
}

/* Result and counters are the same as those of `whole`, to the bit. */
static void check_same(test_run *t, const zm_inversion *v, const zm_inversion *whole,
                       zm_grid grid, zm_invert_method method, const char *how)
{
    const zm_invert_report a = report_of(v), b = report_of(whole);
    test_case x = found_case(v, grid), y = found_case(whole, grid);
    size_t n_a, n_b;

    CHECK_MSG(same_bits(x.g11, y.g11, x.n), "method %d, %s: differs by %g", (int)method,
              how, max_relative_difference(x.g11, y.g11, x.n));
    CHECK_MSG(a.iterations == b.iterations && a.solves == b.solves &&
                  a.products == b.products && a.stop == b.stop && a.chi2 == b.chi2 &&
                  a.lambda == b.lambda,
              "method %d, %s: %d iterations, %lld solves, %lld products; must be %d, "
              "%lld, %lld",
              (int)method, how, (int)a.iterations, (long long)a.solves,
              (long long)a.products, (int)b.iterations, (long long)b.solves,
              (long long)b.products);
    zm_inversion_history(v, &n_a);
    zm_inversion_history(whole, &n_b);
    CHECK_MSG(n_a == n_b, "method %d, %s: history of %zu, must be %zu", (int)method,
              how, n_a, n_b);
    case_free(&y);
    case_free(&x);
}

/* Stopped after five iterations and gone on with, and saved there and loaded by another. */
static void check_goes_on(test_run *t, zm_invert_method method, zm_unknown unknown,
                          zm_grid grid, const seen *some)
{
    stopper s = { .at = 5 };
    zm_invert_opts stopped = options(method, &s), free_run = options(method, NULL);
    zm_error err = { .text = "" };

    stopped.unknown = free_run.unknown = unknown;
    zm_inversion *whole = seen_inversion(grid, &free_run, some, 1);
    zm_inversion *again = seen_inversion(grid, &free_run, some, 1);
    zm_inversion *v = seen_inversion(grid, &stopped, some, 1);

    s.inversion = v;
    CHECK(zm_invert_run(whole, &err) == ZM_OK);
    CHECK(zm_invert_run(v, &err) == ZM_E_CANCELLED);
    CHECK(s.calls == 6); /* the start, and five iterations */
    CHECK(report_of(v).stop == ZM_INVERT_STOPPED);
    CHECK(report_of(v).iterations == 5);
    s.at = -1;
    CHECK(zm_invert_run(v, &err) == ZM_OK);
    check_same(t, v, whole, grid, method, "stopped");

    CHECK(s.state && zm_inversion_load(again, s.state, s.size, &err) == ZM_OK);
    CHECK_MSG(zm_invert_run(again, &err) == ZM_OK, "%s", err.text);
    check_same(t, again, whole, grid, method, "loaded");
    free(s.state);
    zm_inversion_destroy(v);
    zm_inversion_destroy(again);
    zm_inversion_destroy(whole);
}

TEST(stopped_runs_go_on_and_saved_ones_too_to_the_same_bits)
{
    test_case truth = two_halves();
    seen some = seen_make(&truth, 2, 0.02, 3);

    for (int m = 0; m < N_METHODS; m++)
        check_goes_on(t, METHODS[m], ZM_UNKNOWN_ISOTROPIC, truth.grid, &some);
    seen_free(&some);
    case_free(&truth);
}

/* With a source and places between cells, in a metric that needs adaptive stencils. */
TEST(runs_between_cells_go_on_to_the_same_bits)
{
    static double rows[SIDE * SIDE], cols[SIDE * SIDE];
    test_case truth = case_create(SIDE, SIDE);

    fill_rotated(&truth, 9, 1.0 / 9, 0.6, 0, 0);
    case_add_source_at(&truth, 10.5, 3.25, 0);
    seen some = seen_make(&truth, 2, 0.02, 3);

    for (size_t i = 0; i < some.experiment.n; i++) {
        rows[i] = fmin((double)(some.cells[i] / SIDE) + 0.25, SIDE - 1);
        cols[i] = (double)(some.cells[i] % SIDE);
    }
    some.experiment.cells = NULL;
    some.experiment.rows = rows;
    some.experiment.cols = cols;
    for (int m = 0; m < N_METHODS; m++)
        check_goes_on(t, METHODS[m], ZM_UNKNOWN_METRIC, truth.grid, &some);
    seen_free(&some);
    case_free(&truth);
}

TEST(the_state_of_another_problem_is_refused)
{
    test_case truth = two_halves();
    seen some = seen_make(&truth, 2, 0.02, 3), fewer = some;
    const zm_invert_opts opts = options(ZM_INVERT_AUTO, NULL);
    zm_inversion *v = seen_inversion(truth.grid, &opts, &some, 1), *other;
    zm_error err = { .text = "" };

    CHECK(zm_inversion_state_size(v) == 0);
    CHECK(zm_invert_run(v, &err) == ZM_OK);

    const size_t size = zm_inversion_state_size(v);
    double *state = nan_doubles(size);

    CHECK(zm_inversion_save(v, state, &err) == ZM_OK);
    CHECK(zm_inversion_load(v, state, size, &err) == ZM_E_STATE); /* has begun */
    fewer.experiment.n--;
    other = seen_inversion(truth.grid, &opts, &fewer, 1);
    if (zm_inversion_load(other, state, size, &err) == ZM_OK)
        CHECK(zm_invert_run(other, &err) == ZM_E_STATE);
    CHECK_MSG(strstr(err.text, "another problem: other experiments") != NULL, "%s",
              err.text);
    zm_inversion_destroy(other);

    other = seen_inversion(truth.grid, &opts, &some, 1);
    if (zm_inversion_load(other, state, size - 1, &err) == ZM_OK) /* cut short */
        CHECK(zm_invert_run(other, &err) == ZM_E_STATE);
    zm_inversion_destroy(other);
    free(state);
    zm_inversion_destroy(v);
    seen_free(&some);
    case_free(&truth);
}

/* Each says what it is that differs; as many numbers and options of another kind are no excuse. */
TEST(the_state_of_a_problem_that_differs_in_anything_is_refused)
{
    test_case truth = two_halves();
    seen some = seen_make(&truth, 2, 0.02, 3);
    const zm_invert_opts opts = options(ZM_INVERT_AUTO, NULL);
    zm_inversion *v = seen_inversion(truth.grid, &opts, &some, 1);
    uint8_t walls[SIDE * SIDE] = { 0 };
    zm_error err = { .text = "" };

    CHECK(zm_invert_run(v, &err) == ZM_OK);

    const size_t size = zm_inversion_state_size(v);
    double *state = nan_doubles(size);

    CHECK(zm_inversion_save(v, state, &err) == ZM_OK);
    for (int what = 0; what < 7; what++) {
        static const char *const words[] = { "other options",
                                             "other options",
                                             "other grid or walls",
                                             "other grid or walls",
                                             "other known or start fields",
                                             "other experiments",
                                             "other experiments" };
        const zm_metric start = { .dtype = ZM_F64, .g11 = truth.g11 };
        zm_invert_opts o = opts;
        zm_grid grid = truth.grid;
        zm_experiment x = some.experiment;
        zm_source moved = truth.sources[0];
        zm_inversion *other;

        o.stencils = what == 0 ? ZM_STENCILS_FIXED : o.stencils;
        o.lambda = what == 1 ? 2.0 : o.lambda;
        grid.dx = what == 2 ? 2.0 : grid.dx;
        walls[5] = what == 3;
        moved.col += what == 5 ? 0.5 : 0.0;
        x.sources = &moved;
        x.sigma *= what == 6 ? 1.5 : 1.0;
        CHECK(zm_inversion_create(&other, grid, &o, &err) == ZM_OK);
        CHECK(zm_inversion_add(other, &x, &err) == ZM_OK);
        if (what == 3)
            CHECK(zm_inversion_walls(other, walls, &err) == ZM_OK);
        if (what == 4)
            CHECK(zm_inversion_start(other, &start, &err) == ZM_OK);
        CHECK(zm_inversion_load(other, state, size, &err) == ZM_OK);
        CHECK_MSG(zm_invert_run(other, &err) == ZM_E_STATE, "%s", words[what]);
        CHECK_MSG(strstr(err.text, words[what]) != NULL, "%s: %s", words[what], err.text);
        zm_inversion_destroy(other);
    }
    free(state);
    zm_inversion_destroy(v);
    seen_free(&some);
    case_free(&truth);
}

/* Under a limit, saved, and loaded with a higher one: the run that had none. */
TEST(a_run_that_came_to_a_limit_goes_on_when_it_is_raised)
{
    test_case truth = two_halves();
    seen some = seen_make(&truth, 2, 0.02, 3);
    zm_error err = { .text = "" };

    for (int solves = 0; solves < 2; solves++) {
        zm_invert_opts low = ZM_INVERT_OPTS_INIT, none = ZM_INVERT_OPTS_INIT;

        low.max_iterations = solves ? 0 : 4;
        low.max_solves = solves ? 4 : 0;
        zm_inversion *whole = seen_inversion(truth.grid, &none, &some, 1);
        zm_inversion *first = seen_inversion(truth.grid, &low, &some, 1);
        zm_inversion *second = seen_inversion(truth.grid, &none, &some, 1);

        CHECK(zm_invert_run(whole, &err) == ZM_OK);
        CHECK(zm_invert_run(first, &err) == ZM_OK);
        CHECK(report_of(first).stop ==
              (solves ? ZM_INVERT_SOLVES : ZM_INVERT_ITERATIONS));

        const size_t size = zm_inversion_state_size(first);
        double *state = nan_doubles(size);

        CHECK(zm_inversion_save(first, state, &err) == ZM_OK);
        CHECK(zm_inversion_load(second, state, size, &err) == ZM_OK);
        CHECK_MSG(zm_invert_run(second, &err) == ZM_OK, "%s", err.text);
        check_same(t, second, whole, truth.grid, ZM_INVERT_AUTO, "raised");
        free(state);
        zm_inversion_destroy(second);
        zm_inversion_destroy(first);
        zm_inversion_destroy(whole);
    }
    seen_free(&some);
    case_free(&truth);
}

/* Numbers of a state that come from a damaged file: refused, or a run that ends (with
 * whatever status), but never a number that is taken for a size or an index it is not. */
TEST(damaged_states_are_refused_or_run_to_an_end)
{
    static const double wrong[] = { -1.0, 0.5, 1e300, -1e300, NAN, INFINITY, 3.0, 4e9 };
    enum { WRONG = sizeof wrong / sizeof *wrong, FIRST = 40 };
    test_case truth = two_halves();
    seen some = seen_make(&truth, 20, 0.02, 3);
    uint64_t random = t->seed;
    zm_error err = { .text = "" };

    for (int m = 0; m < N_METHODS; m += 3) { /* AUTO and LBFGS */
        zm_invert_opts opts = options(METHODS[m], NULL);

        opts.max_iterations = 2;
        zm_inversion *v = seen_inversion(truth.grid, &opts, &some, 1);

        CHECK(zm_invert_run(v, &err) == ZM_OK);

        const size_t size = zm_inversion_state_size(v);
        double *state = nan_doubles(size);

        for (size_t i = 0; i < WRONG * (FIRST + 20); i++) {
            zm_inversion *damaged = seen_inversion(truth.grid, &opts, &some, 1);
            const size_t where =
                i / WRONG < FIRST ? i / WRONG : zm_random_below(&random, size);

            CHECK(zm_inversion_save(v, state, &err) == ZM_OK);
            state[where] = wrong[i % WRONG];
            if (zm_inversion_load(damaged, state, size, &err) == ZM_OK)
                (void)zm_invert_run(damaged, &err);
            zm_inversion_destroy(damaged);
        }
        free(state);
        zm_inversion_destroy(v);
    }
    seen_free(&some);
    case_free(&truth);
}

/* A state that says it has one iteration more and as many numbers of the optimiser fewer:
 * its size is right, and it must not be read past its end. */
TEST(a_state_with_wrong_sizes_that_add_up_is_refused)
{
    enum { PER_ITERATION = 12 };
    test_case truth = two_halves();
    seen some = seen_make(&truth, 2, 0.02, 3);
    zm_invert_opts opts = options(ZM_INVERT_LBFGS, NULL);
    zm_inversion *v = seen_inversion(truth.grid, &opts, &some, 1), *again;
    zm_error err = { .text = "" };
    size_t iterations, where = 0;

    opts.max_iterations += 10; /* so that there is something to do */
    again = seen_inversion(truth.grid, &opts, &some, 1);
    CHECK(zm_invert_run(v, &err) == ZM_OK);
    zm_inversion_history(v, &iterations);

    const size_t size = zm_inversion_state_size(v);
    double *state = nan_doubles(size);

    CHECK(zm_inversion_save(v, state, &err) == ZM_OK);
    for (size_t i = 0; i < 45; i++) /* the last number of the head; fields follow */
        if (state[i] == (double)iterations)
            where = i;
    state[where]++;
    state[where - 1] -= PER_ITERATION;
    if (zm_inversion_load(again, state, size, &err) == ZM_OK)
        CHECK(zm_invert_run(again, &err) == ZM_E_STATE);
    free(state);
    zm_inversion_destroy(again);
    zm_inversion_destroy(v);
    seen_free(&some);
    case_free(&truth);
}

/* So large that threads are used at all, so few steps that it is quick. */
TEST(two_threads_come_to_what_one_comes_to)
{
    enum { EXPERIMENTS = 4, LARGE = 160 };
    test_case cases[EXPERIMENTS], found[2];
    seen list[EXPERIMENTS];
    zm_error err = { .text = "" };

    for (int e = 0; e < EXPERIMENTS; e++) {
        cases[e] = case_create(LARGE, LARGE);
        fill_halves(&cases[e], 1, 2);
        case_add_source(&cases[e], 20 + 35 * e, 140 - 40 * e, 0.5 * e);
        list[e] = seen_make(&cases[e], 20, 0.02, (uint64_t)e + 1);
    }
    for (int threads = 1; threads <= 2; threads++) {
        zm_invert_opts opts = ZM_INVERT_OPTS_INIT;

        opts.threads = threads;
        opts.max_iterations = 2;

        zm_inversion *v = seen_inversion(cases[0].grid, &opts, list, EXPERIMENTS);

        CHECK_MSG(zm_invert_run(v, &err) == ZM_OK, "%s", err.text);
        CHECK(report_of(v).stop == ZM_INVERT_ITERATIONS);
        found[threads - 1] = found_case(v, cases[0].grid);
        zm_inversion_destroy(v);
    }
    CHECK_AT_MOST(max_relative_difference(found[0].g11, found[1].g11, found[0].n),
                  1e-9);
    for (int e = 0; e < EXPERIMENTS; e++) {
        seen_free(&list[e]);
        case_free(&cases[e]);
    }
    case_free(&found[0]);
    case_free(&found[1]);
}
