/* SPDX-License-Identifier: Apache-2.0
 * An inversion that runs out of memory. */
#include <stdlib.h>

#include "check.h"
#include "support/counted.h"
#include "support/seen.h"

/* The whole life of an inversion. */
static zm_status live(const zm_invert_opts *o, zm_grid grid, const seen *some,
                      zm_error *err)
{
    zm_invert_std_opts few = ZM_INVERT_STD_OPTS_INIT;
    const zm_metric_out none = { 0 };
    zm_inversion *v;
    zm_status st = zm_inversion_create(&v, grid, o, err);

    few.samples = 2;
    if (st == ZM_OK)
        st = zm_inversion_add(v, &some->experiment, err);
    if (st == ZM_OK)
        st = zm_invert_run(v, err);
    if (st == ZM_E_NOMEM && v && report_of(v).experiments == 1 &&
        report_of(v).stop == ZM_INVERT_NOT_RUN &&
        zm_invert_run(v, err) != ZM_OK) /* one refusal: a second attempt goes well */
        st = ZM_E_STATE;
    if (st == ZM_OK)
        st = zm_invert_std(v, &none, &few, err);
    zm_inversion_destroy(v);
    return st;
}

/* Fails the 1st, 2nd, ... request until all goes well. */
static void refuse_each(test_run *t, zm_invert_opts o, zm_grid grid, const seen *some)
{
    zm_status st = ZM_E_NOMEM;
    size_t refuse = 0;

    o.max_iterations = 3;
    while (st == ZM_E_NOMEM && refuse < 1000) {
        counter c = { .refuse = ++refuse };
        zm_error err = { .text = "" };

        o.mem = counted(&c);
        st = live(&o, grid, some, &err);
        CHECK_MSG(c.live == 0, "request %zu: %zu blocks not given back", refuse,
                  c.live);
        CHECK_MSG(st == ZM_OK || st == ZM_E_NOMEM, "request %zu: status %d: %s", refuse,
                  (int)st, err.text);
    }
    CHECK(st == ZM_OK && refuse > 20);
}

TEST(every_refused_request_is_reported_and_nothing_leaks)
{
    static const zm_invert_method methods[] = { ZM_INVERT_AUTO, ZM_INVERT_ADMM,
                                                ZM_INVERT_LBFGS, ZM_INVERT_ADAM };
    test_case truth = case_create(8, 9);

    fill_halves(&truth, 1, 2);
    case_add_source(&truth, 3, 4, 0);
    seen some = seen_make(&truth, 7, 0, 1);

    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        zm_invert_opts o = ZM_INVERT_OPTS_INIT;

        o.method = methods[m];
        refuse_each(t, o, truth.grid, &some);
    }
    seen_free(&some);
    case_free(&truth);
}

/* The automatic strength, some points and the last run. */
TEST(refused_requests_of_an_l_curve_are_reported_and_nothing_leaks)
{
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    test_case truth = case_create(8, 9);

    fill_halves(&truth, 1, 2);
    case_add_source(&truth, 3, 4, 0);
    seen some = seen_make(&truth, 7, 0.05, 1);

    o.lambda_rule = ZM_LAMBDA_LCURVE;
    o.lcurve_points = 3;
    refuse_each(t, o, truth.grid, &some);
    seen_free(&some);
    case_free(&truth);
}

/* Sources and places between cells and a strong metric: another engine, which takes its memory
 * when it first solves. */
TEST(refused_requests_between_cells_are_reported_and_nothing_leaks)
{
    double rows[72], cols[72];
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    test_case truth = case_create(8, 9);

    fill_rotated(&truth, 9, 1.0 / 9, 0.6, 0, 0);
    case_add_source_at(&truth, 3.5, 4.25, 0);
    seen some = seen_make(&truth, 7, 0, 1);

    for (size_t i = 0; i < some.experiment.n; i++) {
        rows[i] = fmin((double)(some.cells[i] / 9) + 0.25, 7);
        cols[i] = (double)(some.cells[i] % 9);
    }
    some.experiment.cells = NULL;
    some.experiment.rows = rows;
    some.experiment.cols = cols;
    o.unknown = ZM_UNKNOWN_METRIC;
    refuse_each(t, o, truth.grid, &some);
    seen_free(&some);
    case_free(&truth);
}
