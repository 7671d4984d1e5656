/* SPDX-License-Identifier: Apache-2.0
 * The strength of the regulariser from the L-curve, as a rule of a run. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/seen.h"

enum { SIDE = 24, POINTS = 9 };

static test_case ground(bool smooth)
{
    test_case c = case_create(SIDE, SIDE);

    fill_halves(&c, 1, 2);
    for (size_t i = 0; smooth && i < c.n; i++)
        c.g11[i] = c.g22[i] =
            exp(0.4 * sin((double)(i % SIDE) / 4) * cos((double)(i / SIDE) / 5));
    case_add_source(&c, 5, 4, 0);
    return c;
}

static zm_invert_opts options(zm_reg_kind kind)
{
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;

    o.regulariser = kind;
    o.lambda_rule = ZM_LAMBDA_LCURVE;
    o.lcurve_points = POINTS;
    return o;
}

static double error_of(const zm_inversion *v, const test_case *truth)
{
    test_case found = found_case(v, truth->grid);
    const double error = metric_error(&found, truth);

    case_free(&found);
    return error;
}

/* The error of a run with each strength of the curve; the least of them. */
static double least_error(test_run *t, const test_case *truth, const seen *some,
                          zm_invert_opts o, const zm_lcurve_point *curve, size_t n,
                          double *best)
{
    double least = HUGE_VAL;

    o.lambda_rule = ZM_LAMBDA_FIXED;
    for (size_t i = 0; i < n; i++) {
        o.lambda = curve[i].lambda;
        zm_inversion *v = seen_inversion(truth->grid, &o, some, 1);

        CHECK(zm_invert_run(v, NULL) == ZM_OK);
        const double error = error_of(v, truth);

        if (error < least) {
            least = error;
            *best = o.lambda;
        }
        zm_inversion_destroy(v);
    }
    return least;
}

/* What docs/inversion.md states: the strength within a factor of 20 of the one with the least error,
 * and the error at most 1.6 times that one; of a smooth and of a broken field, and with a sigma that
 * is right or 4 times too large, which the choice must not notice. */
TEST(the_corner_is_near_the_strength_of_least_error_whatever_sigma_says)
{
    for (int smooth = 0; smooth < 2; smooth++)
        for (int off = 0; off < 2; off++) {
            test_case truth = ground(smooth);
            seen some = seen_make(&truth, 2, 0.05, 3);
            const zm_invert_opts o = options(smooth ? ZM_REG_H1 : ZM_REG_TV);
            zm_error err = { .text = "" };
            size_t n, chosen;
            double best = 0;

            some.experiment.sigma *= off ? 4 : 1;
            zm_inversion *v = seen_inversion(truth.grid, &o, &some, 1);

            CHECK_MSG(zm_invert_run(v, &err) == ZM_OK, "%s", err.text);
            const zm_lcurve_point *curve = zm_inversion_lcurve(v, &n, &chosen);

            CHECK(n == POINTS && chosen < n && report_of(v).lcurve_corner == 1);
            CHECK(report_of(v).lambda == curve[chosen].lambda);
            CHECK(report_of(v).lcurve_solves == curve[n - 1].solves);
            const double least =
                least_error(t, &truth, &some, o, curve, n, &best);

            CHECK_AT_MOST(error_of(v, &truth), 1.6 * least);
            CHECK_AT_MOST(fabs(log(report_of(v).lambda / best)), log(20));
            zm_inversion_destroy(v);
            seen_free(&some);
            case_free(&truth);
        }
}

/* r / 2 and lambda / 4 give a quarter of the objective everywhere: powers of two are exact, so the
 * curves and their choices are the same, to the bit. */
TEST(twice_the_sigma_and_a_quarter_of_the_strengths_are_the_same)
{
    test_case truth = ground(false);
    seen some = seen_make(&truth, 2, 0.05, 3);
    enum { STRENGTHS = 7 };
    double strengths[2][STRENGTHS] = { { 1000, 300, 100, 30, 10, 3, 1 } };
    test_case found[2];
    size_t chosen[2], n;
    zm_error err = { .text = "" };

    for (int twice = 0; twice < 2; twice++) {
        const zm_invert_opts o = options(ZM_REG_TV);

        for (int i = 0; twice && i < STRENGTHS; i++)
            strengths[1][i] = strengths[0][i] / 4;
        some.experiment.sigma *= twice ? 2 : 1;
        zm_inversion *v = seen_inversion(truth.grid, &o, &some, 1);

        CHECK(zm_inversion_strengths(v, strengths[twice], STRENGTHS, &err) == ZM_OK);
        CHECK_MSG(zm_invert_run(v, &err) == ZM_OK, "%s", err.text);
        const zm_lcurve_point *curve = zm_inversion_lcurve(v, &n, &chosen[twice]);

        CHECK(n == STRENGTHS && curve[3].lambda == strengths[twice][3]);
        CHECK(report_of(v).lcurve_corner == 1);
        found[twice] = found_case(v, truth.grid);
        zm_inversion_destroy(v);
    }
    CHECK(chosen[0] == chosen[1]);
    CHECK(same_bits(found[0].g11, found[1].g11, truth.n));
    case_free(&found[0]);
    case_free(&found[1]);
    seen_free(&some);
    case_free(&truth);
}

/* ---- breaks ------------------------------------------------------------------------- */

typedef struct stopper {
    zm_inversion *inversion;
    int at, calls; /* stops at this call and none after it */
    double *state, last;
    size_t size;
    int by_progress;
    bool falls; /* progress went back */
} stopper;

static int stop_now(stopper *s)
{
    if (s->calls++ != s->at)
        return 0;
    s->size = zm_inversion_state_size(s->inversion);
    s->state = malloc(s->size * sizeof *s->state);
    if (s->state)
        zm_inversion_save(s->inversion, s->state, NULL);
    return 1;
}

static int monitor(void *ctx, const zm_invert_iteration *p)
{
    (void)p;
    return ((stopper *)ctx)->by_progress ? 0 : stop_now(ctx);
}

static int progress(void *ctx, double fraction)
{
    stopper *s = ctx;

    s->falls |= fraction < s->last || fraction > 1;
    s->last = fraction;
    return s->by_progress ? stop_now(s) : 0;
}

static void check_same(test_run *t, const zm_inversion *v, const zm_inversion *whole,
                       zm_grid grid, const char *how, int at)
{
    test_case a = found_case(v, grid), b = found_case(whole, grid);
    size_t n_a, n_b, chosen_a, chosen_b;
    const zm_lcurve_point *x = zm_inversion_lcurve(v, &n_a, &chosen_a),
                          *y = zm_inversion_lcurve(whole, &n_b, &chosen_b);

    CHECK_MSG(same_bits(a.g11, b.g11, a.n), "%s at %d: another field", how, at);
    CHECK_MSG(n_a == n_b && chosen_a == chosen_b, "%s at %d: %zu points, %zu", how, at, n_a,
              n_b);
    for (size_t i = 0; i < n_a && n_a == n_b; i++)
        CHECK_MSG(x[i].lambda == y[i].lambda && x[i].misfit == y[i].misfit &&
                      x[i].regulariser == y[i].regulariser && x[i].solves == y[i].solves,
                  "%s at %d: point %zu", how, at, i);
    CHECK(report_of(v).solves == report_of(whole).solves);
    case_free(&a);
    case_free(&b);
}

static zm_inversion *make(zm_grid grid, const seen *some, stopper *s)
{
    zm_invert_opts o = options(ZM_REG_TV);

    o.lcurve_points = 3;
    o.max_iterations = 3;
    if (s) {
        o.monitor = monitor;
        o.progress = progress;
        o.monitor_ctx = o.progress_ctx = s;
    }
    return seen_inversion(grid, &o, some, 1);
}

/* Stopped wherever the callbacks are called, among them the last call of a strength, and gone on with
 * by the same handle or by another from the saved state. */
TEST(an_l_curve_that_is_stopped_anywhere_goes_on_to_the_same_bits)
{
    test_case truth = ground(false);
    seen some = seen_make(&truth, 3, 0.05, 3);
    stopper never = { .at = -1 };
    zm_inversion *whole = make(truth.grid, &some, &never);
    zm_error err = { .text = "" };

    CHECK(zm_invert_run(whole, &err) == ZM_OK);
    CHECK(!never.falls && never.last == 1.0);
    CHECK(never.calls > 12);
    for (int at = 0; at + 1 < never.calls; at++) {
        stopper s = { .at = at, .by_progress = at % 2 };
        zm_inversion *v = make(truth.grid, &some, &s), *again;

        s.inversion = v;
        CHECK_MSG(zm_invert_run(v, &err) == ZM_E_CANCELLED, "at %d", at);
        CHECK_MSG(report_of(v).stop == ZM_INVERT_STOPPED, "at %d: stop %d", at,
                  (int)report_of(v).stop);
        CHECK_MSG(zm_invert_run(v, &err) == ZM_OK, "at %d: %s", at, err.text);
        check_same(t, v, whole, truth.grid, "stopped", at);
        again = make(truth.grid, &some, NULL);
        CHECK(s.state && zm_inversion_load(again, s.state, s.size, &err) == ZM_OK);
        CHECK_MSG(zm_invert_run(again, &err) == ZM_OK, "at %d: %s", at, err.text);
        check_same(t, again, whole, truth.grid, "loaded", at);
        free(s.state);
        zm_inversion_destroy(again);
        zm_inversion_destroy(v);
    }
    zm_inversion_destroy(whole);
    seen_free(&some);
    case_free(&truth);
}

/* ---- what is refused, and what has no curve ----------------------------------------- */

TEST(without_noise_there_is_no_curve)
{
    test_case truth = ground(false);
    seen all = seen_make(&truth, 1, 0, 1);
    const zm_invert_opts o = options(ZM_REG_TV);
    zm_inversion *v = seen_inversion(truth.grid, &o, &all, 1);
    size_t n, chosen;

    CHECK(zm_invert_run(v, NULL) == ZM_OK);
    zm_inversion_lcurve(v, &n, &chosen);
    CHECK(n == 0 && chosen == 0 && report_of(v).method == ZM_INVERT_NEWTON);
    zm_inversion_destroy(v);
    seen_free(&all);
    case_free(&truth);
}

TEST(strengths_and_options_that_make_no_curve_are_refused)
{
    static const double bad[][3] = { { 1, 1, 0.5 }, { 1, 2, 3 }, { 3, 2, 0 }, { NAN, 2, 1 } };
    static const double good[] = { 3, 2, 1 };
    const zm_grid grid = { 8, 8, 1, 1 };
    zm_invert_opts o = options(ZM_REG_TV);
    zm_error err = { .text = "" };
    zm_inversion *v;

    CHECK(zm_inversion_create(&v, grid, &o, &err) == ZM_OK);
    for (int i = 0; i < 4; i++) {
        CHECK(zm_inversion_strengths(v, bad[i], 3, &err) == ZM_E_ARG);
        CHECK_MSG(strstr(err.text, "must be > 0 and falling") != NULL, "%s", err.text);
    }
    CHECK(zm_inversion_strengths(v, good, 2, &err) == ZM_E_ARG);
    CHECK(zm_inversion_strengths(v, NULL, 3, &err) == ZM_E_ARG);
    CHECK(zm_inversion_strengths(v, good, 3, &err) == ZM_OK);
    zm_inversion_destroy(v);

    o.lcurve_points = 2;
    CHECK(zm_inversion_create(&v, grid, &o, &err) == ZM_E_ARG);
    o = options(ZM_REG_TV);
    o.method = ZM_INVERT_ADAM;
    CHECK(zm_inversion_create(&v, grid, &o, &err) == ZM_E_ARG);
    o = options(ZM_REG_TV);
    o.max_solves = 5;
    CHECK(zm_inversion_create(&v, grid, &o, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "several runs") != NULL, "%s", err.text);
}
