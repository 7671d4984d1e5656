/* SPDX-License-Identifier: Apache-2.0
 * Metric and drift come back from arrival times: special cases, rules, limits. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/seen.h"

static test_case halves(int32_t rows, int32_t cols, int32_t row, int32_t col)
{
    test_case c = case_create(rows, cols);

    fill_halves(&c, 1, 2);
    case_add_source(&c, row, col, 0);
    return c;
}

static zm_invert_opts options(int unknown)
{
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;

    o.unknown = (zm_unknown)unknown;
    return o;
}

static void run(test_run *t, zm_inversion *v)
{
    zm_error err = { .text = "" };
    const zm_status st = zm_invert_run(v, &err);

    CHECK_MSG(st == ZM_OK, "status %d: %s", (int)st, err.text);
}

/* Runs, then the relative errors of G and b. */
static void errors(test_run *t, zm_inversion *v, const test_case *truth, double *metric,
                   double *drift)
{
    run(t, v);
    test_case found = found_case(v, truth->grid);

    *metric = metric_error(&found, truth);
    if (drift)
        *drift = drift_error(&found, truth);
    case_free(&found);
}

/* The source cell's own metric has no effect on any time: it takes that of its
 * neighbours, which here is right.  In all maps, and also behind a wall, which keeps its G. */
TEST(all_times_without_noise_give_every_cell_by_every_map)
{
    for (int map = 0; map < 3; map++) {
        test_case c = halves(22, 24, 5, 4);
        zm_invert_opts o = options(ZM_UNKNOWN_ISOTROPIC);
        zm_error err = { .text = "" };

        case_add_walls(&c);
        for (int row = 3; row < 22; row++)
            c.walls[row * 24 + 10] = 1;
        o.metric_map = (zm_metric_map)map;
        seen all = seen_make(&c, 1, 0, 1);
        zm_inversion *v = seen_inversion(c.grid, &o, NULL, 0);

        CHECK(zm_inversion_walls(v, c.walls, &err) == ZM_OK);
        CHECK_MSG(zm_inversion_add(v, &all.experiment, &err) == ZM_OK, "%s", err.text);
        run(t, v);
        test_case found = found_case(v, c.grid);

        for (size_t i = 0; i < c.n; i++)
            if (!c.walls[i])
                CHECK_NEAR(found.g11[i], c.g11[i], 1e-8);
        CHECK(report_of(v).method == ZM_INVERT_NEWTON);
        CHECK(report_of(v).stop == ZM_INVERT_DONE);
        CHECK_AT_MOST((double)report_of(v).solves, 10);
        case_free(&found);
        zm_inversion_destroy(v);
        seen_free(&all);
        case_free(&c);
    }
}

/* A drift known beforehand is part of the model; no plane of the metric is asked for, nor
 * looked at: it is sought. */
TEST(known_drift_is_used_and_kept_with_or_without_a_metric)
{
    test_case c = halves(24, 24, 11, 6);

    for (size_t i = 0; i < c.n; i++)
        c.b1[i] = 0.3;
    seen some = seen_make(&c, 3, 0, 1);

    for (int with = 0; with < 2; with++) {
        const double nonsense[24 * 24] = { NAN };
        const zm_metric known = {
            .dtype = ZM_F64, .g11 = with ? nonsense : NULL, .b1 = c.b1, .b2 = c.b2
        };
        zm_inversion *v = seen_inversion(c.grid, NULL, &some, 1);
        zm_error err = { .text = "" };
        double metric, drift;

        CHECK_MSG(zm_inversion_known(v, &known, &err) == ZM_OK, "%s", err.text);
        errors(t, v, &c, &metric, &drift);
        CHECK(drift == 0);
        CHECK_AT_MOST(metric, 0.03);
        zm_inversion_destroy(v);
    }
    seen_free(&some);
    case_free(&c);
}

/* The right drift to start from, and no word about the metric: nearer to the data than the
 * start without.  Only the drift is sought by the second, whose start then explains them. */
TEST(a_drift_to_start_from_needs_no_metric)
{
    test_case c = case_create(20, 20);

    fill_constant(&c, 1, 0, 1, 0.3, 0.2);
    case_add_source(&c, 10, 6, 0);
    seen some = seen_make(&c, 2, 0, 1);
    const zm_metric drift = { .dtype = ZM_F64, .b1 = c.b1, .b2 = c.b2 };

    for (int both = 0; both < 2; both++) {
        zm_invert_opts o =
            options(ZM_UNKNOWN_DRIFT | (both ? ZM_UNKNOWN_ISOTROPIC : 0));
        double chi2[2];

        for (int with = 0; with < 2; with++) {
            zm_inversion *v = seen_inversion(c.grid, &o, &some, 1);
            zm_error err = { .text = "" };
            size_t n;

            if (with)
                CHECK_MSG(zm_inversion_start(v, &drift, &err) == ZM_OK, "%s", err.text);
            run(t, v);
            chi2[with] = zm_inversion_history(v, &n)->chi2;
            zm_inversion_destroy(v);
        }
        CHECK_AT_MOST(chi2[1], both ? 0.5 * chi2[0] : 1e-20);
    }
    seen_free(&some);
    case_free(&c);
}

/* An edge of 2:1 from one cell in seven.  The best constant is 32 % off, one column at the
 * wrong side of the edge costs 9 %. */
TEST(half_planes_come_back_from_sparse_times)
{
    test_case c = halves(32, 32, 16, 8);
    seen some = seen_make(&c, 7, 0, 1);
    zm_inversion *v = seen_inversion(c.grid, NULL, &some, 1);
    double metric;

    errors(t, v, &c, &metric, NULL);
    CHECK_AT_MOST(metric, 0.04);
    CHECK_AT_MOST((double)report_of(v).solves, 40);
    zm_inversion_destroy(v);
    seen_free(&some);
    case_free(&c);
}

/* G and b together, by either drift map. */
TEST(metric_and_drift_come_back_from_four_sources)
{
    static const int32_t at[4][2] = { { 3, 3 }, { 4, 19 }, { 18, 6 }, { 17, 20 } };

    for (int ball = 0; ball < 2; ball++) {
        test_case c[4];
        seen list[4];
        zm_invert_opts o = options(ZM_UNKNOWN_ALL);
        double metric, drift;

        o.drift_map = (zm_drift_map)ball;
        for (int e = 0; e < 4; e++) {
            c[e] = case_create(22, 24);
            for (size_t i = 0; i < c[e].n; i++) {
                const bool right = i % 24 >= 12;

                c[e].g11[i] = right ? 2 : 1;
                c[e].g12[i] = right ? -0.3 : 0.2;
                c[e].g22[i] = right ? 1 : 1.5;
                c[e].b1[i] = right ? -0.1 : 0.15;
                c[e].b2[i] = right ? 0.2 : 0.08;
            }
            case_add_source(&c[e], at[e][0], at[e][1], 0);
            list[e] = seen_make(&c[e], 1, 0, 1);
        }
        zm_inversion *v = seen_inversion(c[0].grid, &o, list, 4);

        errors(t, v, &c[0], &metric, &drift);
        CHECK_AT_MOST(metric, 0.02);
        CHECK_AT_MOST(drift, 0.06);
        zm_inversion_destroy(v);
        for (int e = 0; e < 4; e++) {
            seen_free(&list[e]);
            case_free(&c[e]);
        }
    }
}

/* A smooth field must not be cut into terraces: the automatic choice notices. */
TEST(smooth_fields_stay_smooth)
{
    test_case c = case_create(36, 36);
    double metric;

    for (size_t i = 0; i < c.n; i++) {
        const double x = (double)(i % 36), y = (double)(i / 36);

        c.g11[i] = c.g22[i] = exp(0.4 * sin(x / 6) * cos(y / 7));
    }
    case_add_source(&c, 17, 9, 0);
    seen some = seen_make(&c, 3, 0, 3);
    zm_inversion *v = seen_inversion(c.grid, NULL, &some, 1);

    errors(t, v, &c, &metric, NULL);
    CHECK_AT_MOST(metric, 0.02);
    zm_inversion_destroy(v);
    seen_free(&some);
    case_free(&c);
}

/* lambda is changed until the mean squared residual is 1: within 5 %, which for 800 data is
 * the standard deviation of that mean.  The second experiment has five times the noise of
 * the first, and its own sigma: both are explained as they should be. */
TEST(discrepancy_rule_brings_chi2_to_its_aim_with_a_sigma_for_each_source)
{
    static const zm_reg_kind kinds[] = { ZM_REG_TV, ZM_REG_H1, ZM_REG_TIKHONOV };
    test_case c[2] = { halves(28, 28, 14, 6), halves(28, 28, 5, 22) };
    seen list[2] = { seen_make(&c[0], 1, 0.01, 5), seen_make(&c[1], 1, 0.05, 6) };

    for (size_t k = 0; k < 3; k++) {
        zm_invert_opts o = options(ZM_UNKNOWN_ISOTROPIC);
        double *T = nan_doubles(c[0].n);
        zm_error err = { .text = "" };

        o.regulariser = kinds[k];
        o.lambda_rule = ZM_LAMBDA_DISCREPANCY;
        o.method = ZM_INVERT_GAUSS_NEWTON;
        o.max_iterations = 40;
        zm_inversion *v = seen_inversion(c[0].grid, &o, list, 2);

        run(t, v);
        CHECK_NEAR(report_of(v).chi2, 1.0, 0.05);
        for (size_t e = 0; e < 2; e++) {
            const zm_experiment *x = &list[e].experiment;
            double sum = 0.0;

            CHECK(zm_inversion_times(v, e, T, &err) == ZM_OK);
            for (size_t i = 0; i < x->n; i++)
                sum += pow((T[x->cells[i]] - x->times[i]) / x->sigma, 2);
            CHECK_NEAR(sum / (double)x->n, 1.0, 0.2);
        }
        zm_inversion_destroy(v);
        free(T);
    }
    for (int e = 0; e < 2; e++) {
        seen_free(&list[e]);
        case_free(&c[e]);
    }
}

/* Whatever the method, the objective falls and the drift stays below its bound. */
TEST(every_method_lowers_its_objective_and_stays_feasible)
{
    test_case c = halves(18, 20, 8, 5);
    seen some = seen_make(&c, 2, 0.02, 10);

    for (int method = ZM_INVERT_GAUSS_NEWTON; method <= ZM_INVERT_GRADIENT; method++)
        for (int drift = 0; drift <= ZM_UNKNOWN_DRIFT; drift += ZM_UNKNOWN_DRIFT) {
            zm_invert_opts o = options(ZM_UNKNOWN_ISOTROPIC | drift);
            size_t n;

            if (method == ZM_INVERT_NEWTON)
                continue;
            o.method = (zm_invert_method)method;
            o.max_iterations = 15;
            o.rate = 0.02;
            o.rho = 0.05; /* which noise exceeds */
            zm_inversion *v = seen_inversion(c.grid, &o, &some, 1);

            run(t, v);
            const zm_invert_iteration *h = zm_inversion_history(v, &n);

            CHECK_MSG(n > 2 && h[n - 1].objective < 0.7 * h[0].objective,
                      "method %d: %zu iterations, from %g to %g", method, n,
                      h[0].objective, h[n - 1].objective);
            test_case found = found_case(v, c.grid);
            double largest = 0.0;

            for (size_t i = 0; i < c.n; i++)
                largest =
                    fmax(largest, hypot(found.b1[i], found.b2[i]) / sqrt(found.g11[i]));
            CHECK_AT_MOST(largest, o.rho + 1e-9);
            case_free(&found);
            CHECK_MSG(h[n - 1].chi2 < 0.7 * h[0].chi2, "method %d: chi2 from %g to %g",
                      method, h[0].chi2, h[n - 1].chi2);
            zm_inversion_destroy(v);
        }
    seen_free(&some);
    case_free(&c);
}

/* Without a regulariser noise is fitted as far as it can be; methods that are about one
 * say so. */
TEST(lambda_of_zero_is_a_run_without_regulariser)
{
    static const zm_invert_method methods[] = { ZM_INVERT_AUTO, ZM_INVERT_GAUSS_NEWTON,
                                                ZM_INVERT_LBFGS };
    test_case c = halves(18, 20, 8, 5);
    seen some = seen_make(&c, 2, 0.05, 10);

    for (int m = 0; m < 3; m++) {
        zm_invert_opts o = options(ZM_UNKNOWN_ISOTROPIC);

        o.method = methods[m];
        o.lambda_rule = ZM_LAMBDA_FIXED;
        o.lambda = 0;
        zm_inversion *v = seen_inversion(c.grid, &o, &some, 1);

        run(t, v);
        CHECK_MSG(report_of(v).chi2 < 0.5, "method %d: chi2 %g", (int)methods[m],
                  report_of(v).chi2);
        zm_inversion_destroy(v);
    }
    for (int method = ZM_INVERT_GNC; method <= ZM_INVERT_ADMM; method++) {
        zm_invert_opts o = options(ZM_UNKNOWN_ISOTROPIC);
        zm_error err = { .text = "" };
        zm_inversion *v;

        o.method = (zm_invert_method)method;
        o.lambda_rule = ZM_LAMBDA_FIXED;
        o.lambda = 0;
        CHECK(zm_inversion_create(&v, c.grid, &o, &err) == ZM_E_ARG);
        CHECK_MSG(strstr(err.text, "lambda = 0") != NULL, "%s", err.text);
    }
    seen_free(&some);
    case_free(&c);
}

/* The predicted times are a solve in the metric that was found. */
TEST(times_of_the_result_are_those_of_its_metric)
{
    test_case c = halves(20, 20, 10, 5);
    seen some = seen_make(&c, 3, 0.02, 14);
    zm_inversion *v = seen_inversion(c.grid, NULL, &some, 1);
    double *T = nan_doubles(c.n), *own = nan_doubles(c.n);
    zm_error err;

    run(t, v);
    test_case found = found_case(v, c.grid);

    CHECK(zm_inversion_times(v, 0, T, &err) == ZM_OK);
    case_add_source(&found, 10, 5, 0);
    CHECK(case_solve(&found, own) == ZM_OK);
    CHECK_AT_MOST(max_relative_difference(T, own, c.n), 1e-12);
    case_free(&found);
    free(own);
    free(T);
    zm_inversion_destroy(v);
    seen_free(&some);
    case_free(&c);
}

/* A limit on solves is kept, but for the line search that is under way. */
TEST(limits_on_iterations_and_solves_are_kept)
{
    test_case c = halves(20, 20, 10, 5);
    seen some = seen_make(&c, 3, 0.02, 14);

    for (int limit = 0; limit < 2; limit++) {
        zm_invert_opts o = options(ZM_UNKNOWN_ISOTROPIC);

        o.max_iterations = limit ? 3 : 0;
        o.max_solves = limit ? 0 : 5;
        zm_inversion *v = seen_inversion(c.grid, &o, &some, 1);

        run(t, v);
        const zm_invert_report r = report_of(v);

        CHECK(r.stop == (limit ? ZM_INVERT_ITERATIONS : ZM_INVERT_SOLVES));
        CHECK(limit ? r.iterations == 3 : r.solves >= 5 && r.solves < 10);
        zm_inversion_destroy(v);
    }
    seen_free(&some);
    case_free(&c);
}
