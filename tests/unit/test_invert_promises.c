/* SPDX-License-Identifier: Apache-2.0
 * What include/zermelo/invert.h promises about options, starts, callbacks and results. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/seen.h"

enum { SIDE = 14, CELLS = SIDE * SIDE };

/* Two halves seen from one source, with noise. */
typedef struct bench {
    test_case truth;
    seen some;
} bench;

static bench bench_make(double noise)
{
    bench b = { .truth = case_create(SIDE, SIDE) };

    fill_halves(&b.truth, 1, 2);
    case_add_source(&b.truth, 7, 3, 0);
    b.some = seen_make(&b.truth, 2, noise, 5);
    return b;
}

static void bench_free(bench *b)
{
    seen_free(&b->some);
    case_free(&b->truth);
}

/* Runs and keeps all planes. */
typedef struct result {
    double planes[5][CELLS];
    zm_invert_report report;
    zm_invert_iteration first, last;
} result;

static result run_handle(test_run *t, zm_inversion *v)
{
    result r = { 0 };
    const zm_metric_out out = { r.planes[0], r.planes[1], r.planes[2], r.planes[3],
                                r.planes[4] };
    zm_error err = { .text = "" };
    const zm_invert_iteration *history;
    size_t n;

    CHECK_MSG(zm_invert_run(v, &err) == ZM_OK, "%s", err.text);
    CHECK(zm_inversion_metric(v, &out, &err) == ZM_OK);
    r.report = report_of(v);
    history = zm_inversion_history(v, &n);
    r.first = history[0];
    r.last = history[n - 1];
    zm_inversion_destroy(v);
    return r;
}

static result run(test_run *t, const bench *b, const zm_invert_opts *o)
{
    return run_handle(t, seen_inversion(b->truth.grid, o, &b->some, 1));
}

static bool same_planes(const result *a, const result *b)
{
    return !memcmp(a->planes, b->planes, sizeof a->planes);
}

/* L-BFGS knows bounds only, so the projected drift is replaced by that of the ball. */
TEST(lbfgs_takes_the_ball_in_place_of_the_projected_drift)
{
    bench b = bench_make(0.02);
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    result r[2];

    o.unknown = ZM_UNKNOWN_ISOTROPIC | ZM_UNKNOWN_DRIFT;
    o.method = ZM_INVERT_LBFGS;
    o.max_iterations = 8;
    for (int map = 0; map < 2; map++) {
        o.drift_map = (zm_drift_map)map;
        r[map] = run(t, &b, &o);
    }
    CHECK(same_planes(&r[0], &r[1]));
    bench_free(&b);
}

/* H1 and TIKHONOV have no strength at which they just hold down the noise. */
TEST(the_automatic_strength_of_quadratic_regularisers_is_that_of_the_discrepancy)
{
    static const zm_reg_kind kinds[] = { ZM_REG_H1, ZM_REG_TIKHONOV };
    bench b = bench_make(0.05);

    for (int k = 0; k < 2; k++) {
        zm_invert_opts o = ZM_INVERT_OPTS_INIT;
        result automatic, discrepancy;

        o.regulariser = kinds[k];
        automatic = run(t, &b, &o);
        o.lambda_rule = ZM_LAMBDA_DISCREPANCY;
        discrepancy = run(t, &b, &o);
        CHECK(same_planes(&automatic, &discrepancy));
        CHECK(automatic.report.method == ZM_INVERT_GAUSS_NEWTON);
    }
    bench_free(&b);
}

TEST(the_method_chosen_follows_from_data_and_regulariser)
{
    bench noisy = bench_make(0.05), exact = bench_make(0);
    seen all = seen_make(&exact.truth, 1, 0, 1);
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;

    CHECK(run(t, &noisy, &o).report.method == ZM_INVERT_GNC);
    CHECK(run(t, &exact, &o).report.method == ZM_INVERT_GNC);
    CHECK(run_handle(t, seen_inversion(exact.truth.grid, &o, &all, 1)).report.method ==
          ZM_INVERT_NEWTON);
    o.lambda_rule = ZM_LAMBDA_FIXED;
    o.lambda = 0;
    CHECK(run(t, &noisy, &o).report.method == ZM_INVERT_GAUSS_NEWTON);
    seen_free(&all);
    bench_free(&exact);
    bench_free(&noisy);
}

/* Of a full metric the scaled fields have the weights 1, 2, 1 whatever the name. */
TEST(the_tv_of_plain_or_logarithmic_entries_is_that_of_the_tensor)
{
    static const struct {
        zm_metric_map map;
        zm_reg_kind kind;
    } pairs[] = { { ZM_METRIC_PLAIN, ZM_REG_FROBENIUS_TV },
                  { ZM_METRIC_LOG, ZM_REG_LOG_EUCLIDEAN_TV } };
    bench b = bench_make(0.05);

    for (int k = 0; k < 2; k++) {
        zm_invert_opts o = ZM_INVERT_OPTS_INIT;
        result named, plain;

        o.unknown = ZM_UNKNOWN_METRIC;
        o.metric_map = pairs[k].map;
        o.max_iterations = 4;
        plain = run(t, &b, &o);
        o.regulariser = pairs[k].kind;
        named = run(t, &b, &o);
        CHECK(same_planes(&named, &plain));
    }
    bench_free(&b);
}

TEST(eps_of_zero_is_that_of_the_method)
{
    static const struct {
        zm_invert_method method;
        double eps;
    } defaults[] = { { ZM_INVERT_GAUSS_NEWTON, 0.002 },
                     { ZM_INVERT_GNC, 0.01 },
                     { ZM_INVERT_ADAM, 0.01 } };
    bench b = bench_make(0.05);

    for (int k = 0; k < 3; k++) {
        zm_invert_opts o = ZM_INVERT_OPTS_INIT;

        o.method = defaults[k].method;
        CHECK_NEAR(run(t, &b, &o).last.eps, defaults[k].eps, 1e-12);
        o.eps = 0.004;
        CHECK_NEAR(run(t, &b, &o).last.eps, 0.004, 1e-12);
    }
    bench_free(&b);
}

/* Unless it is fixed, lambda is a factor on what the rule gives. */
TEST(lambda_multiplies_the_automatic_strength)
{
    bench b = bench_make(0.05);
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    double one;

    one = run(t, &b, &o).report.lambda;
    o.lambda = 2;
    CHECK(run(t, &b, &o).report.lambda == 2 * one);
    o.lambda_rule = ZM_LAMBDA_FIXED;
    CHECK(run(t, &b, &o).report.lambda == 2);
    bench_free(&b);
}

TEST(first_order_methods_make_300_iterations_by_default)
{
    bench b = bench_make(0.05);
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    result r;

    o.method = ZM_INVERT_ADAM;
    r = run(t, &b, &o);
    CHECK(r.report.iterations == 300 && r.report.stop == ZM_INVERT_ITERATIONS);
    bench_free(&b);
}

/* Bounds left out are 1e-3 and 1e3 times the eigenvalue of the start. */
TEST(eigenvalues_stay_within_bounds_around_the_start)
{
    bench b = bench_make(0.05);
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    double far[CELLS];
    const zm_metric start = { .dtype = ZM_F64, .g11 = far };

    for (int k = 0; k < 2; k++) {
        const double g = k ? 1e8 : 1e-8;
        zm_inversion *v = seen_inversion(b.truth.grid, &o, &b.some, 1);
        result r;

        for (int i = 0; i < CELLS; i++)
            far[i] = g;
        CHECK(zm_inversion_start(v, &start, NULL) == ZM_OK);
        r = run_handle(t, v);
        for (int i = 0; i < CELLS; i++)
            CHECK(r.planes[0][i] >= 1e-3 * g * (1 - 1e-12) &&
                  r.planes[0][i] <= 1e3 * g * (1 + 1e-12));
    }
    bench_free(&b);
}

/* Arrays may be changed or freed as soon as they have been given. */
TEST(what_is_given_is_copied)
{
    bench b = bench_make(0.05);
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    uint8_t walls[CELLS] = { 0 };
    zm_source source = b.truth.sources[0];
    zm_experiment x = b.some.experiment;
    double g[CELLS];
    const zm_metric start = { .dtype = ZM_F64, .g11 = g };
    zm_inversion *v[2];
    result r[2];

    x.sources = &source;
    walls[5] = walls[CELLS - 3] = 1;
    for (size_t i = 0; i < x.n; i++) /* observations in walls are refused by the run */
        walls[x.cells[i]] = 0;
    for (int i = 0; i < CELLS; i++)
        g[i] = 1.5;
    for (int k = 0; k < 2; k++) {
        CHECK(zm_inversion_create(&v[k], b.truth.grid, &o, NULL) == ZM_OK);
        CHECK(zm_inversion_walls(v[k], walls, NULL) == ZM_OK);
        CHECK(zm_inversion_start(v[k], &start, NULL) == ZM_OK);
        CHECK(zm_inversion_add(v[k], &x, NULL) == ZM_OK);
    }
    r[0] = run_handle(t, v[0]);
    memset(b.some.cells, 0xff, x.n * sizeof *b.some.cells);
    memset(b.some.times, 0xff, x.n * sizeof *b.some.times);
    memset(walls, 1, sizeof walls);
    memset(g, 0xff, sizeof g);
    source = (zm_source){ -1, -1, NAN };
    r[1] = run_handle(t, v[1]);
    CHECK(same_planes(&r[0], &r[1]));
    bench_free(&b);
}

/* Planes of the unknown, here of G, are not looked at; numbers of either type are the same. */
TEST(known_planes_are_of_either_type_and_others_are_ignored)
{
    bench b = bench_make(0.05);
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    double b1[CELLS], b2[CELLS], garbage[CELLS];
    float f1[CELLS], f2[CELLS];
    const zm_metric wide = { ZM_F64, garbage, NULL, NULL, b1, b2 };
    const zm_metric narrow = { ZM_F32, NULL, NULL, NULL, f1, f2 };
    const zm_metric *const known[] = { &wide, &narrow };
    result r[2];

    for (int i = 0; i < CELLS; i++) {
        garbage[i] = NAN;
        b1[i] = f1[i] = 0.25F;
        b2[i] = f2[i] = -0.125F;
    }
    for (int k = 0; k < 2; k++) {
        zm_inversion *v = seen_inversion(b.truth.grid, &o, &b.some, 1);

        CHECK(zm_inversion_known(v, known[k], NULL) == ZM_OK);
        r[k] = run_handle(t, v);
        CHECK(r[k].planes[3][7] == 0.25 && r[k].planes[4][7] == -0.125);
    }
    CHECK(same_planes(&r[0], &r[1]));
    bench_free(&b);
}

/* Two solves without a start, to find the slowness and to begin from it; one with one. */
TEST(a_start_saves_a_solve)
{
    bench b = bench_make(0.05);
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    double g[CELLS];
    const zm_metric start = { .dtype = ZM_F64, .g11 = g };
    zm_inversion *v = seen_inversion(b.truth.grid, &o, &b.some, 1);

    for (int i = 0; i < CELLS; i++)
        g[i] = 1.5;
    CHECK(run(t, &b, &o).first.solves == 2);
    CHECK(zm_inversion_start(v, &start, NULL) == ZM_OK);
    CHECK(run_handle(t, v).first.solves == 1);
    bench_free(&b);
}

TEST(before_the_run_there_is_a_report_and_nothing_else)
{
    bench b = bench_make(0.05);
    zm_inversion *v = seen_inversion(b.truth.grid, NULL, &b.some, 1);
    const zm_invert_report report = report_of(v);
    const zm_metric_out none = { 0 };
    double T[CELLS], *state = T;
    size_t n = 9;

    CHECK(report.experiments == 1 && report.observations == b.some.experiment.n);
    CHECK(report.method == ZM_INVERT_AUTO && report.stop == ZM_INVERT_NOT_RUN);
    CHECK(report.iterations == 0 && report.solves == 0 && report.chi2 == 0);
    (void)zm_inversion_history(v, &n);
    CHECK(n == 0 && zm_inversion_state_size(v) == 0);
    CHECK(zm_inversion_metric(v, &none, NULL) == ZM_E_STATE);
    CHECK(zm_inversion_times(v, 0, T, NULL) == ZM_E_STATE);
    CHECK(zm_inversion_save(v, state, NULL) == ZM_E_STATE);
    CHECK(zm_invert_std(v, &none, NULL, NULL) == ZM_E_STATE);
    CHECK(zm_invert_run(v, NULL) == ZM_OK);
    CHECK(zm_inversion_metric(v, &none, NULL) == ZM_OK); /* all planes left out */
    CHECK(zm_inversion_times(v, 0, T, NULL) == ZM_OK);
    CHECK(zm_inversion_times(v, 1, T, NULL) == ZM_E_ARG);
    zm_inversion_destroy(v);
    bench_free(&b);
}

/* What a callback sees of the run while it lasts. */
typedef struct watcher {
    test_run *t;
    zm_inversion *inversion;
    int calls, levels;
} watcher;

/* Field by field: between them lie bytes that nobody has set. */
static bool same_iteration(const zm_invert_iteration *a, const zm_invert_iteration *b)
{
    return a->iteration == b->iteration && a->stage == b->stage && a->method == b->method &&
           a->solves == b->solves && a->products == b->products && a->chi2 == b->chi2 &&
           a->misfit == b->misfit && a->lambda == b->lambda && a->eps == b->eps &&
           a->objective == b->objective && a->step == b->step && a->level == b->level;
}

static int watch(void *ctx, const zm_invert_iteration *p)
{
    watcher *w = ctx;
    test_run *t = w->t;
    const zm_invert_iteration *history;
    double g[CELLS], T[CELLS];
    const zm_metric_out out = { .g11 = g };
    size_t n;

    history = zm_inversion_history(w->inversion, &n);
    CHECK(n == (size_t)p->iteration + 1 && same_iteration(&history[n - 1], p));
    CHECK(p->iteration == w->calls++);
    CHECK(report_of(w->inversion).iterations == p->iteration);
    CHECK(zm_inversion_metric(w->inversion, &out, NULL) == ZM_OK && g[0] > 0);
    CHECK(zm_inversion_times(w->inversion, 0, T, NULL) == ZM_OK && T[0] > 0);
    CHECK_NEAR(p->objective,
               p->misfit + p->lambda * report_of(w->inversion).regulariser,
               1e-12 * p->objective);
    CHECK_NEAR(p->chi2, report_of(w->inversion).chi2, 1e-12 * p->chi2);
    return 0;
}

TEST(results_can_be_read_from_the_callback)
{
    bench b = bench_make(0.05);
    watcher w = { .t = t };
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;

    o.monitor = watch;
    o.monitor_ctx = &w;
    w.inversion = seen_inversion(b.truth.grid, &o, &b.some, 1);
    run_handle(t, w.inversion);
    CHECK(w.calls > 5);
    bench_free(&b);
}

static int count_levels(void *ctx, const zm_invert_iteration *p)
{
    watcher *w = ctx;

    w->levels += p->level > 0;
    w->calls += p->level == 0;
    return 0;
}

/* Above 200 x 200 cells a run looks for its start on a grid of half the resolution; its
 * iterations are told, but are no part of the history. */
TEST(iterations_on_coarser_grids_are_told_and_not_kept)
{
    enum { LARGE = 202 };
    watcher w = { .t = t };
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    test_case truth = case_create(LARGE, LARGE);
    zm_inversion *v;
    seen some;
    size_t n;

    fill_halves(&truth, 1, 2);
    case_add_source(&truth, 100, 30, 0);
    some = seen_make(&truth, 40, 0.02, 3);
    o.max_iterations = 1;
    o.monitor = count_levels;
    o.monitor_ctx = &w;
    v = seen_inversion(truth.grid, &o, &some, 1);
    CHECK(zm_invert_run(v, NULL) == ZM_OK);
    (void)zm_inversion_history(v, &n);
    CHECK_MSG(w.levels > 5 && w.calls == 2 && n == 2, "%d coarse, %d fine, %zu kept",
              w.levels, w.calls, n);
    CHECK(report_of(v).coarse_solves > 5);
    zm_inversion_destroy(v);
    seen_free(&some);
    case_free(&truth);
}

/* Laplace's approximation knows only what was sought. */
TEST(what_is_known_has_no_deviation)
{
    bench b = bench_make(0.05);
    zm_inversion *v = seen_inversion(b.truth.grid, NULL, &b.some, 1);
    zm_invert_std_opts o = ZM_INVERT_STD_OPTS_INIT;
    double g11[CELLS], g12[CELLS], b1[CELLS];
    const zm_metric_out out = { .g11 = g11, .g12 = g12, .b1 = b1 };

    memset(g12, 0xff, sizeof g12);
    memset(b1, 0xff, sizeof b1);
    o.samples = 2;
    CHECK(zm_invert_run(v, NULL) == ZM_OK);
    CHECK(zm_invert_std(v, &out, &o, NULL) == ZM_OK);
    for (int i = 0; i < CELLS; i++)
        CHECK(g11[i] > 0 && g12[i] == 0 && b1[i] == 0);
    o.samples = 1;
    CHECK(zm_invert_std(v, &out, &o, NULL) == ZM_E_ARG);
    CHECK(zm_invert_std(v, NULL, NULL, NULL) == ZM_E_ARG);
    zm_inversion_destroy(v);
    bench_free(&b);
}

static int stop_at_third(void *ctx, const zm_invert_iteration *p)
{
    (void)ctx;
    return p->iteration == 3;
}

/* A run that was stopped goes on in the same way whether or not deviations were asked for. */
TEST(deviations_do_not_change_what_follows)
{
    static const zm_invert_method methods[] = { ZM_INVERT_GNC, ZM_INVERT_GAUSS_NEWTON,
                                                ZM_INVERT_ADMM, ZM_INVERT_LBFGS,
                                                ZM_INVERT_ADAM };
    bench b = bench_make(0.05);
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    zm_invert_std_opts few = ZM_INVERT_STD_OPTS_INIT;
    double g11[CELLS];
    const zm_metric_out out = { .g11 = g11 };
    result r[2];

    few.samples = 2;
    o.monitor = stop_at_third;
    o.max_iterations = 8;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        o.method = methods[m];
        for (int asked = 0; asked < 2; asked++) {
            zm_inversion *v = seen_inversion(b.truth.grid, &o, &b.some, 1);

            CHECK(zm_invert_run(v, NULL) == ZM_E_CANCELLED);
            if (asked)
                CHECK(zm_invert_std(v, &out, &few, NULL) == ZM_OK);
            r[asked] = run_handle(t, v);
        }
        CHECK_MSG(same_planes(&r[0], &r[1]), "method %d", (int)methods[m]);
        CHECK(r[0].last.eps == r[1].last.eps &&
              r[0].last.objective == r[1].last.objective &&
              r[0].last.products == r[1].last.products &&
              r[0].report.solves == r[1].report.solves);
    }
    bench_free(&b);
}

TEST(the_last_point_of_an_l_curve_is_the_result)
{
    static const double lambdas[] = { 30, 3 }, rising[] = { 3, 30 };
    bench b = bench_make(0.05);
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    zm_lcurve_point curve[2];
    zm_inversion *v;
    size_t corner = 9;
    double *state;
    size_t n;

    o.method = ZM_INVERT_GAUSS_NEWTON;
    v = seen_inversion(b.truth.grid, &o, &b.some, 1);
    CHECK(zm_invert_lcurve(v, rising, 2, curve, NULL, NULL) == ZM_E_ARG);
    CHECK(zm_invert_lcurve(v, lambdas, 0, curve, NULL, NULL) == ZM_E_ARG);
    CHECK(zm_invert_lcurve(v, lambdas, 2, curve, &corner, NULL) == ZM_OK);
    CHECK(corner == 0); /* two points have none */
    CHECK(report_of(v).lambda == 3 && report_of(v).chi2 == curve[1].chi2);
    CHECK(curve[1].solves > curve[0].solves);
    n = zm_inversion_state_size(v);
    state = malloc(n * sizeof *state);
    CHECK(state && zm_inversion_save(v, state, NULL) == ZM_OK);
    zm_inversion_destroy(v);
    v = seen_inversion(b.truth.grid, &o, &b.some, 1);
    CHECK(zm_inversion_load(v, state, n, NULL) == ZM_OK);
    CHECK(zm_invert_lcurve(v, lambdas, 2, curve, NULL, NULL) == ZM_E_STATE);
    zm_inversion_destroy(v);
    o.method = ZM_INVERT_ADAM;
    v = seen_inversion(b.truth.grid, &o, &b.some, 1);
    CHECK(zm_invert_lcurve(v, lambdas, 2, curve, NULL, NULL) == ZM_E_ARG);
    zm_inversion_destroy(v);
    free(state);
    bench_free(&b);
}
