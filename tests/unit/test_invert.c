/* SPDX-License-Identifier: Apache-2.0
 * Inversion finds what made the times, as well as the data allow, and stays feasible. */
#include <stdlib.h>

#include "check.h"
#include "support/seen.h"

static test_case halves(int32_t side, int32_t row, int32_t col)
{
    test_case c = case_create(side, side);

    fill_halves(&c, 1, 2);
    case_add_source(&c, row, col, 0);
    return c;
}

/* The metric that comes out; its report if wanted. */
static test_case invert(test_run *t, const test_case *truth, const zm_invert_opts *opts,
                        const seen *list, size_t count, zm_invert_report *report)
{
    zm_inversion *v = seen_inversion(truth->grid, opts, list, count);
    zm_error err = { .text = "" };
    zm_status status;
    test_case found;

    status = zm_invert_run(v, &err);
    CHECK_MSG(status == ZM_OK, "%s", err.text);
    found = found_case(v, truth->grid);
    if (report)
        *report = report_of(v);
    zm_inversion_destroy(v);
    return found;
}

/* Also where the ground has no structure that a regulariser would like. */
TEST(all_times_without_noise_give_the_metric_to_rounding)
{
    for (int kind = 0; kind < 2; kind++) {
        test_case truth = halves(40, 11, 7);
        uint64_t seed = 5;

        for (size_t i = 0; kind == 1 && i < truth.n; i++)
            truth.g11[i] = truth.g22[i] = 1 + zm_random_unit(&seed);

        seen all = seen_make(&truth, 1, 0, 1);
        zm_invert_report report;
        test_case found = invert(t, &truth, NULL, &all, 1, &report);

        found.g11[11 * 40 + 7] = truth.g11[11 * 40 + 7]; /* has no effect on any time */
        CHECK_AT_MOST(max_relative_difference(found.g11, truth.g11, truth.n), 1e-8);
        CHECK(report.method == ZM_INVERT_NEWTON);
        CHECK_AT_MOST((double)report.solves, 10);
        CHECK(report.observations == truth.n - 1);
        case_free(&found);
        seen_free(&all);
        case_free(&truth);
    }
}

TEST(a_constant_drift_is_found_to_1e_4)
{
    zm_invert_opts opts = ZM_INVERT_OPTS_INIT;
    test_case truth = case_create(40, 40);

    opts.unknown = ZM_UNKNOWN_DRIFT;
    fill_constant(&truth, 1, 0, 1, 0.3, -0.2);
    case_add_source(&truth, 13, 22, 0);
    for (size_t every = 1; every <= 14; every += 13) {
        seen some = seen_make(&truth, every, 0, 2);
        zm_invert_report report;
        test_case found = invert(t, &truth, &opts, &some, 1, &report);

        CHECK_AT_MOST(drift_error(&found, &truth), 1e-4);
        CHECK(same_bits(found.g11, truth.g11, truth.n));
        CHECK_AT_MOST((double)report.solves, 10);
        case_free(&found);
        seen_free(&some);
    }
    case_free(&truth);
}

/* The best constant is 32 % off. */
TEST(noise_of_two_per_cent_costs_two_per_cent)
{
    test_case truth = halves(40, 20, 5);
    seen all = seen_make(&truth, 1, 0.02, 3);
    zm_invert_report report;
    test_case found = invert(t, &truth, NULL, &all, 1, &report);

    CHECK_AT_MOST(metric_error(&found, &truth), 0.02);
    CHECK_NEAR(report.chi2, 0.95, 0.15); /* some of the noise is fitted */
    CHECK_AT_MOST((double)report.solves, 40);
    case_free(&found);
    seen_free(&all);
    case_free(&truth);
}

TEST(two_fronts_tell_the_two_axes_apart)
{
    zm_invert_opts opts = ZM_INVERT_OPTS_INIT;
    test_case truth = case_create(32, 32), other;

    opts.unknown = ZM_UNKNOWN_DIAGONAL;
    fill_halves(&truth, 1, 2);
    for (size_t i = 0; i < truth.n; i++)
        truth.g22[i] = i / 32 < 16 ? 1.5 : 1;
    other = case_copy(&truth);
    case_add_source(&truth, 4, 4, 0);
    case_add_source(&other, 5, 27, 1);

    seen list[2] = { seen_make(&truth, 1, 0, 1), seen_make(&other, 1, 0, 2) };
    test_case found = invert(t, &truth, &opts, list, 2, NULL);

    CHECK_AT_MOST(metric_error(&found, &truth), 0.02);
    case_free(&found);
    for (int i = 0; i < 2; i++)
        seen_free(&list[i]);
    case_free(&other);
    case_free(&truth);
}

static void check_feasible(test_run *t, test_case *found, const zm_invert_opts *o)
{
    const bool bounded = (o->unknown & 3) != 0;
    zm_error err = { .text = "" };

    case_add_source(found, 9, 9, 0);

    const zm_problem problem = case_problem(found);
    const zm_status status = zm_problem_check(found->grid, &problem, &err);

    CHECK_MSG(status == ZM_OK, "unknown %d, maps %d %d: %s", (int)o->unknown,
              (int)o->metric_map, (int)o->drift_map, err.text);
    for (size_t i = 0; i < found->n; i++) {
        const double a = found->g11[i], c = found->g12[i], d = found->g22[i];
        const double mean = 0.5 * (a + d), spread = hypot(0.5 * (a - d), c);
        const double b1 = found->b1[i], b2 = found->b2[i];
        const double b =
            (d * b1 * b1 - 2 * c * b1 * b2 + a * b2 * b2) / (a * d - c * c);

        if (bounded && !(mean - spread >= 0.8 - 1e-9 && mean + spread <= 1.6 + 1e-9))
            test_fail(t, __FILE__, __LINE__, "unknown %d, map %d: eigenvalues %g, %g",
                      (int)o->unknown, (int)o->metric_map, mean - spread,
                      mean + spread);
        if (!(sqrt(b) <= o->rho + 1e-9))
            test_fail(t, __FILE__, __LINE__, "unknown %d, map %d: drift of norm %g",
                      (int)o->unknown, (int)o->drift_map, sqrt(b));
    }
}

/* Data that ask for more than the bounds allow: contrast 4, drift 0.5, strong noise. */
TEST(results_are_feasible_for_all_unknowns_and_maps)
{
    static const zm_unknown unknowns[] = {
        ZM_UNKNOWN_ISOTROPIC, ZM_UNKNOWN_DIAGONAL,
        ZM_UNKNOWN_METRIC,    ZM_UNKNOWN_DRIFT,
        ZM_UNKNOWN_ALL,       (zm_unknown)(ZM_UNKNOWN_ISOTROPIC | ZM_UNKNOWN_DRIFT)
    };
    test_case truth = case_create(20, 20);

    fill_halves(&truth, 0.5, 2);
    for (size_t i = 0; i < truth.n; i++)
        truth.b1[i] = 0.35;
    case_add_source(&truth, 9, 9, 0);

    seen noisy = seen_make(&truth, 2, 0.1, 4);

    for (size_t u = 0; u < sizeof unknowns / sizeof *unknowns; u++)
        for (int maps = 0; maps < 6; maps++) {
            zm_invert_opts o = ZM_INVERT_OPTS_INIT;

            o.unknown = unknowns[u];
            o.metric_map = (zm_metric_map)(maps % 3);
            o.drift_map = (zm_drift_map)(maps / 3);
            o.eig_min = 0.8;
            o.eig_max = 1.6;
            o.rho = 0.3;
            o.max_iterations = 4;

            test_case found = invert(t, &truth, &o, &noisy, 1, NULL);

            check_feasible(t, &found, &o);
            case_free(&found);
        }
    seen_free(&noisy);
    case_free(&truth);
}

TEST(huber_without_outliers_and_intervals_without_width_are_least_squares)
{
    zm_invert_opts huber = ZM_INVERT_OPTS_INIT;
    test_case truth = halves(24, 12, 3);
    seen some = seen_make(&truth, 3, 0.02, 6), point = some;

    huber.misfit = ZM_MISFIT_HUBER;
    huber.huber = 1e9;
    point.experiment.upper = point.times;

    test_case squares = invert(t, &truth, NULL, &some, 1, NULL);
    test_case with_huber = invert(t, &truth, &huber, &some, 1, NULL);
    test_case with_upper = invert(t, &truth, NULL, &point, 1, NULL);

    CHECK_AT_MOST(max_relative_difference(with_huber.g11, squares.g11, truth.n), 1e-12);
    CHECK_AT_MOST(max_relative_difference(with_upper.g11, squares.g11, truth.n), 1e-12);
    case_free(&with_upper);
    case_free(&with_huber);
    case_free(&squares);
    seen_free(&some);
    case_free(&truth);
}

/* One time in twenty is 30 sigmas late. */
TEST(outliers_hurt_huber_less_than_squares)
{
    zm_invert_opts huber = ZM_INVERT_OPTS_INIT;
    test_case truth = halves(32, 16, 4);
    seen some = seen_make(&truth, 2, 0.02, 7);

    huber.misfit = ZM_MISFIT_HUBER;
    for (size_t i = 0; i < some.experiment.n; i += 20)
        some.times[i] += 30 * some.experiment.sigma;

    test_case squares = invert(t, &truth, NULL, &some, 1, NULL);
    test_case robust = invert(t, &truth, &huber, &some, 1, NULL);
    const double error = metric_error(&robust, &truth);

    CHECK_AT_MOST(error, 0.5 * metric_error(&squares, &truth));
    CHECK_AT_MOST(error, 0.06);
    case_free(&robust);
    case_free(&squares);
    seen_free(&some);
    case_free(&truth);
}

/* Known only to have come between two looks, two units of time apart. */
TEST(arrivals_between_looks_are_explained)
{
    test_case truth = halves(32, 16, 4);
    seen some = seen_make(&truth, 2, 0, 8);
    double *upper = nan_doubles(some.experiment.n);

    for (size_t i = 0; i < some.experiment.n; i++) {
        some.times[i] = 2 * floor(some.times[i] / 2);
        upper[i] = some.times[i] + 2;
    }
    some.experiment.upper = upper;
    some.experiment.sigma = 0.1;

    zm_invert_report report;
    test_case found = invert(t, &truth, NULL, &some, 1, &report);

    CHECK_AT_MOST(report.chi2, 1.0);
    CHECK_AT_MOST(metric_error(&found, &truth), 0.1);
    case_free(&found);
    free(upper);
    seen_free(&some);
    case_free(&truth);
}

/* The front was seen in the left half only, and comes to the right half from there. */
TEST(deviations_are_larger_where_nothing_was_seen)
{
    test_case truth = halves(24, 12, 3);
    seen some = seen_make(&truth, 2, 0.02, 9);
    double *std = nan_doubles(truth.n), *known = nan_doubles(truth.n);
    const zm_metric_out out = { .g11 = std, .b1 = known };
    zm_invert_std_opts opts = ZM_INVERT_STD_OPTS_INIT;
    double left = 0.0, right = 0.0;
    zm_error err = { .text = "" };
    size_t kept = 0;

    opts.samples = 16;
    for (size_t i = 0; i < some.experiment.n; i++)
        if (some.cells[i] % 24 < 12) {
            some.cells[kept] = some.cells[i];
            some.times[kept++] = some.times[i];
        }
    some.experiment.n = kept;

    zm_inversion *v = seen_inversion(truth.grid, NULL, &some, 1);

    CHECK(zm_invert_std(v, &out, &opts, &err) == ZM_E_STATE);
    CHECK(zm_invert_run(v, &err) == ZM_OK);
    CHECK_MSG(zm_invert_std(v, &out, &opts, &err) == ZM_OK, "%s", err.text);
    for (size_t i = 0; i < truth.n; i++) {
        CHECK(std[i] > 0 && isfinite(std[i]));
        CHECK(known[i] == 0); /* no drift was sought */
        if (i % 24 < 12)
            left += std[i];
        else
            right += std[i];
    }
    CHECK_MSG(right > 1.5 * left, "mean deviation %g where seen, %g elsewhere",
              left / 288, right / 288);
    zm_inversion_destroy(v);
    free(known);
    free(std);
    seen_free(&some);
    case_free(&truth);
}

/* 0.4 is nearer to 1 than 3 is, by ratio, and 0.9 the nearest. */
TEST(of_a_curve_without_corner_the_chi2_nearest_to_one_is_taken)
{
    const zm_lcurve_point curve[] = { { .chi2 = 3 }, { .chi2 = 0.9 }, { .chi2 = 0.4 } };

    CHECK(zm_lcurve_nearest(curve, 3) == 1);
    CHECK(zm_lcurve_nearest(curve, 1) == 0);
    CHECK(zm_lcurve_nearest((const zm_lcurve_point[]){ curve[0], curve[2] }, 2) == 1);
}

TEST(along_an_l_curve_misfit_falls_and_the_regulariser_grows)
{
    static const double lambdas[] = { 300, 30, 3, 0.3 };
    zm_invert_opts opts = ZM_INVERT_OPTS_INIT;
    test_case truth = halves(24, 12, 3);
    seen some = seen_make(&truth, 2, 0.05, 10);
    zm_lcurve_point curve[4], around[3];
    zm_error err = { .text = "" };
    size_t corner = 9;

    opts.method = ZM_INVERT_GAUSS_NEWTON;

    zm_inversion *v = seen_inversion(truth.grid, &opts, &some, 1);

    CHECK_MSG(zm_invert_lcurve(v, lambdas, 4, curve, &corner, &err) == ZM_OK, "%s",
              err.text);
    CHECK(corner < 4);
    for (int i = 0; i < 4; i++) {
        CHECK(curve[i].lambda == lambdas[i]);
        if (i > 0) {
            CHECK(curve[i].misfit < curve[i - 1].misfit);
            CHECK(curve[i].regulariser > curve[i - 1].regulariser);
        }
    }
    /* without a list: a factor of 30 around the lambda of a run with ZM_LAMBDA_AUTO */
    CHECK(zm_invert_lcurve(v, NULL, 1, around, NULL, &err) == ZM_E_ARG);
    CHECK(zm_invert_lcurve(v, NULL, 3, around, NULL, &err) == ZM_OK);
    zm_inversion_destroy(v);
    v = seen_inversion(truth.grid, &opts, &some, 1);
    CHECK(zm_invert_run(v, &err) == ZM_OK);
    CHECK_NEAR(around[0].lambda, sqrt(10) * report_of(v).lambda, 1e-12 * around[0].lambda);
    CHECK_NEAR(around[1].lambda, report_of(v).lambda, 1e-12 * around[1].lambda);
    CHECK_NEAR(around[2].lambda, report_of(v).lambda / sqrt(10), 1e-12 * around[2].lambda);
    zm_inversion_destroy(v);

    opts.lambda_rule = ZM_LAMBDA_FIXED; /* a point is a run of its own */
    opts.lambda = lambdas[2];
    v = seen_inversion(truth.grid, &opts, &some, 1);
    CHECK(zm_invert_run(v, &err) == ZM_OK);
    CHECK(report_of(v).chi2 == curve[2].chi2);
    CHECK(report_of(v).regulariser == curve[2].regulariser);
    zm_inversion_destroy(v);
    seen_free(&some);
    case_free(&truth);
}
