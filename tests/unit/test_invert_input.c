/* SPDX-License-Identifier: Apache-2.0
 * Arguments of an inversion that make no sense are refused, with a message. */
#include <stddef.h>
#include <string.h>

#include "check.h"
#include "support/seen.h"
#include "zermelo/invert.h"

enum { ROWS = 8, COLS = 9, N = ROWS * COLS };

static const zm_grid grid = { ROWS, COLS, 1.0, 1.0 };
static const zm_source source = { 2, 3, 0.0 };
static const int64_t cells[] = { 5, 40, 71 };
static const double times[] = { 3.0, 3.5, 8.0 };

static zm_experiment good(void)
{
    zm_experiment x = ZM_EXPERIMENT_INIT;

    x.sources = &source;
    x.n_sources = 1;
    x.n = 3;
    x.cells = cells;
    x.times = times;
    x.sigma = 0.1;
    return x;
}

/* The experiment is refused with these words, and the inversion still takes a good one. */
static void check_refused(test_run *t, const zm_experiment *x, zm_status status,
                          const char *words)
{
    const zm_experiment right = good();
    zm_error err = { .text = "" };
    zm_inversion *v;

    CHECK(zm_inversion_create(&v, grid, NULL, &err) == ZM_OK);
    CHECK(zm_inversion_add(v, x, &err) == status);
    CHECK_MSG(strstr(err.text, words) != NULL, "\"%s\" is not in \"%s\"", words,
              err.text);
    CHECK(zm_inversion_add(v, &right, &err) == ZM_OK);
    CHECK(report_of(v).experiments == 1);
    zm_inversion_destroy(v);
}

TEST(observations_outside_the_grid_are_refused)
{
    const int64_t bad[][3] = { { 5, N, 71 }, { 5, -1, 71 } };

    for (int i = 0; i < 2; i++) {
        zm_experiment x = good();

        x.cells = bad[i];
        check_refused(t, &x, ZM_E_ARG, "observation 1 of experiment 0: cell");
    }
}

/* Without cells; n rows and cols. */
static zm_experiment placed(const double *rows, const double *cols)
{
    zm_experiment x = good();

    x.cells = NULL;
    x.rows = rows;
    x.cols = cols;
    return x;
}

/* The grid has 8 rows and 9 cols: (7.5, 2) is outside, (2, 7.5) would not be. */
TEST(places_outside_the_grid_are_refused_and_swapped_ones_told)
{
    const double right[] = { 0.5, 4.0, 7.0 };
    const double bad[][3] = { { 1.0, 7.5, 3.0 }, { 1.0, -0.25, 3.0 }, { 1.0, NAN, 3.0 },
                              { 1.0, INFINITY, 3.0 }, { 1.0, 9.0, 3.0 } };
    const double low[] = { 1.0, 2.0, 3.0 };

    for (int i = 0; i < 5; i++) {
        const zm_experiment x = placed(bad[i], low);
        const bool swapped = i == 0;
        zm_error err = { .text = "" };
        zm_inversion *v;

        check_refused(t, &x, ZM_E_ARG, "observation 1 of experiment 0: row ");
        CHECK(zm_inversion_create(&v, grid, NULL, &err) == ZM_OK);
        CHECK(zm_inversion_add(v, &x, &err) == ZM_E_ARG);
        CHECK_MSG((strstr(err.text, "swapped?") != NULL) == swapped, "%s", err.text);
        zm_inversion_destroy(v);
    }
    const double cols[] = { 8.5, 2.0, 3.0 };
    const zm_experiment x = placed(right, cols);

    check_refused(t, &x, ZM_E_ARG, "row 0.5, col 8.5 is outside of the grid");
}

TEST(an_experiment_has_either_cells_or_rows_and_cols)
{
    zm_experiment both = good(), none = good(), half = good();

    both.rows = both.cols = times;
    none.cells = NULL;
    half.cells = NULL;
    half.rows = times;
    check_refused(t, &both, ZM_E_ARG, "either cells, or rows and cols");
    check_refused(t, &none, ZM_E_ARG, "either cells, or rows and cols");
    check_refused(t, &half, ZM_E_ARG, "either cells, or rows and cols");
}

/* Of the four cells around (3.5, 4.5) one is a wall: named, once the run begins. */
TEST(places_beside_a_wall_are_refused_with_both_places)
{
    const double rows[] = { 3.5, 6.0, 7.0 }, cols[] = { 4.5, 4.0, 7.0 };
    const zm_experiment x = placed(rows, cols);
    uint8_t walls[N] = { 0 };
    zm_error err = { .text = "" };
    zm_inversion *v;

    walls[4 * COLS + 5] = 1;
    CHECK(zm_inversion_create(&v, grid, NULL, &err) == ZM_OK);
    CHECK(zm_inversion_walls(v, walls, &err) == ZM_OK);
    CHECK(zm_inversion_add(v, &x, &err) == ZM_OK);
    CHECK(zm_invert_run(v, &err) == ZM_E_ARG);
    CHECK(err.cell == 4 * COLS + 5);
    CHECK_MSG(strstr(err.text, "row 3.5, col 4.5") && strstr(err.text, "row 4, col 5"), "%s",
              err.text);
    zm_inversion_destroy(v);
}

TEST(sources_between_cells_need_adaptive_stencils)
{
    const zm_source between = { 2.5, 3.0, 0.0 };
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    zm_experiment x = good();
    zm_error err = { .text = "" };
    zm_inversion *v;

    x.sources = &between;
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        o.stencils = (zm_stencil_choice)adaptive;
        CHECK(zm_inversion_create(&v, grid, &o, &err) == ZM_OK);
        CHECK(zm_inversion_add(v, &x, &err) == (adaptive ? ZM_OK : ZM_E_SOURCE));
        CHECK_MSG(strstr(err.text, "adaptive stencils") != NULL, "%s", err.text);
        zm_inversion_destroy(v);
    }
}

TEST(times_that_are_no_numbers_are_refused)
{
    const double bad[][3] = { { NAN, 3, 8 }, { INFINITY, 3, 8 } };

    for (int i = 0; i < 2; i++) {
        zm_experiment x = good();

        x.times = bad[i];
        check_refused(t, &x, ZM_E_ARG, "observation 0 of experiment 0: time");
    }
}

TEST(standard_deviations_must_be_positive)
{
    const double bad[] = { 0.0, -1.0, NAN, INFINITY };

    for (int i = 0; i < 4; i++) {
        const double sigmas[] = { 0.1, 0.1, bad[i] };
        zm_experiment x = good();

        x.sigmas = sigmas;
        check_refused(t, &x, ZM_E_ARG, "observation 2 of experiment 0: sigma");
        x.sigmas = NULL;
        x.sigma = bad[i];
        if (bad[i] != 0.0) /* which means no noise */
            check_refused(t, &x, ZM_E_ARG, "sigma of experiment 0");
    }
}

/* Squares of misfits over them are no numbers: the message says so, before anything is solved. */
TEST(standard_deviations_too_small_to_weigh_with_are_refused)
{
    const double sigmas[] = { 0.1, 1e-320, 0.1 };
    zm_experiment x = good();

    x.sigma = 1e-320;
    check_refused(t, &x, ZM_E_ARG, "so small that squares of misfits");
    x.sigmas = sigmas;
    check_refused(t, &x, ZM_E_ARG, "observation 1 of experiment 0: sigma");
}

TEST(intervals_must_not_end_before_they_begin)
{
    const double upper[] = { 3.0, 3.4, INFINITY };
    zm_experiment x = good();

    x.upper = upper;
    check_refused(t, &x, ZM_E_ARG, "observation 1 of experiment 0: upper time 3.4");
}

TEST(experiments_need_observations_and_sources_in_the_grid)
{
    const zm_source outside = { ROWS, 0, 0.0 };
    zm_experiment x = good();

    x.n = 0;
    check_refused(t, &x, ZM_E_ARG, "no observations");
    x = good();
    x.n_sources = 0;
    check_refused(t, &x, ZM_E_SOURCE, "source");
    x = good();
    x.sources = &outside;
    check_refused(t, &x, ZM_E_SOURCE, "source");
}

TEST(a_run_without_experiments_is_refused)
{
    double g[N];
    const zm_metric_out out = { .g11 = g };
    zm_error err = { .text = "" };
    zm_inversion *v;

    CHECK(zm_inversion_create(&v, grid, NULL, &err) == ZM_OK);
    CHECK(zm_invert_run(v, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "zm_inversion_add") != NULL);
    CHECK(zm_inversion_metric(v, &out, &err) == ZM_E_STATE);
    CHECK(zm_inversion_times(v, 0, g, &err) == ZM_E_STATE);
    CHECK(zm_inversion_save(v, g, &err) == ZM_E_STATE);
    zm_inversion_destroy(v);
    zm_inversion_destroy(NULL);
}

/* Walls before or after the experiment: no matter. */
TEST(sources_in_walls_are_refused)
{
    const zm_experiment x = good();
    uint8_t walls[N] = { 0 };
    zm_error err;

    walls[2 * COLS + 3] = 1;
    for (int before = 0; before < 2; before++) {
        zm_inversion *v;
        zm_status status;

        CHECK(zm_inversion_create(&v, grid, NULL, &err) == ZM_OK);
        if (before)
            CHECK(zm_inversion_walls(v, walls, &err) == ZM_OK);
        status = zm_inversion_add(v, &x, &err);
        if (!before) {
            CHECK(status == ZM_OK);
            status = zm_inversion_walls(v, walls, &err);
        }
        CHECK(status == ZM_E_SOURCE);
        CHECK_MSG(strstr(err.text, "wall") != NULL, "%s", err.text);
        zm_inversion_destroy(v);
    }
}

TEST(observations_of_sources_alone_are_refused)
{
    const int64_t at = 2 * COLS + 3;
    const double zero = 0.0;
    zm_experiment x = good();
    zm_inversion *v;
    zm_error err;

    x.n = 1;
    x.cells = &at;
    x.times = &zero;
    CHECK(zm_inversion_create(&v, grid, NULL, &err) == ZM_OK);
    CHECK(zm_inversion_add(v, &x, &err) == ZM_OK);
    CHECK(zm_invert_run(v, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "at the sources") != NULL, "%s", err.text);
    zm_inversion_destroy(v);
}

/* Cell 71 is in a corner that walls cut off. */
TEST(observed_cells_that_no_front_reaches_are_named)
{
    const zm_experiment x = good();
    uint8_t walls[N] = { 0 };
    zm_inversion *v;
    zm_error err;

    walls[70] = walls[61] = walls[62] = 1;
    CHECK(zm_inversion_create(&v, grid, NULL, &err) == ZM_OK);
    CHECK(zm_inversion_add(v, &x, &err) == ZM_OK);
    CHECK(zm_inversion_walls(v, walls, &err) == ZM_OK);
    CHECK(zm_invert_run(v, &err) == ZM_E_ARG);
    CHECK(err.cell == 71);
    CHECK_MSG(strstr(err.text, "row 7, col 8") != NULL, "%s", err.text);
    zm_inversion_destroy(v);
}

static void check_options(test_run *t, const zm_invert_opts *o, const char *words)
{
    zm_error err = { .text = "" };
    zm_inversion *v = NULL;

    CHECK(zm_inversion_create(&v, grid, o, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, words) != NULL, "\"%s\" is not in \"%s\"", words,
              err.text);
    CHECK(v == NULL);
}

TEST(options_out_of_range_are_refused)
{
    zm_invert_opts o;

#define CHECK_OPTION(field, bad)                                                       \
    o = (zm_invert_opts)ZM_INVERT_OPTS_INIT;                                           \
    o.field = (bad);                                                                   \
    check_options(t, &o, #field)
    CHECK_OPTION(threads, 0);
    CHECK_OPTION(unknown, (zm_unknown)8);
    CHECK_OPTION(metric_map, (zm_metric_map)3);
    CHECK_OPTION(drift_map, (zm_drift_map)2);
    CHECK_OPTION(rho, 1.0);
    CHECK_OPTION(rho, 0.0);
    CHECK_OPTION(huber, 0.0);
    CHECK_OPTION(lambda, 0.0);
    CHECK_OPTION(lambda, NAN);
    CHECK_OPTION(chi2, -1.0);
    CHECK_OPTION(eps, -1.0);
    CHECK_OPTION(method, (zm_invert_method)8);
    CHECK_OPTION(stencils, (zm_stencil_choice)2);
#undef CHECK_OPTION
}

TEST(options_that_do_not_go_together_are_refused)
{
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;

    o.regulariser = ZM_REG_FROBENIUS_TV; /* of one field */
    check_options(t, &o, "ZM_UNKNOWN_METRIC");
    o = (zm_invert_opts)ZM_INVERT_OPTS_INIT;
    o.method = ZM_INVERT_NEWTON;
    o.unknown = ZM_UNKNOWN_DRIFT;
    check_options(t, &o, "ZM_UNKNOWN_ISOTROPIC");
    o = (zm_invert_opts)ZM_INVERT_OPTS_INIT;
    o.method = ZM_INVERT_ADAM;
    o.lambda_rule = ZM_LAMBDA_DISCREPANCY;
    check_options(t, &o, "discrepancy");
}

TEST(newton_needs_all_times_without_noise)
{
    const zm_experiment x = good();
    zm_invert_opts o = ZM_INVERT_OPTS_INIT;
    zm_inversion *v;
    zm_error err;

    o.method = ZM_INVERT_NEWTON;
    CHECK(zm_inversion_create(&v, grid, &o, &err) == ZM_OK);
    CHECK(zm_inversion_add(v, &x, &err) == ZM_OK);
    CHECK(zm_invert_run(v, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "every cell") != NULL);
    zm_inversion_destroy(v);
}

TEST(the_problem_is_fixed_once_a_run_has_begun)
{
    const zm_experiment x = good();
    const double ones[N] = { 1 };
    const zm_metric metric = { .dtype = ZM_F64, .g11 = ones };
    const uint8_t walls[N] = { 0 };
    zm_inversion *v;
    zm_error err;

    CHECK(zm_inversion_create(&v, grid, NULL, &err) == ZM_OK);
    CHECK(zm_inversion_add(v, &x, &err) == ZM_OK);
    CHECK(zm_invert_run(v, &err) == ZM_OK);
    CHECK(zm_inversion_add(v, &x, &err) == ZM_E_STATE);
    CHECK(zm_inversion_walls(v, walls, &err) == ZM_E_STATE);
    CHECK(zm_inversion_known(v, &metric, &err) == ZM_E_STATE);
    CHECK(zm_inversion_start(v, &metric, &err) == ZM_E_STATE);
    zm_inversion_destroy(v);
}

/* A report whose size is missing cannot be written safely; one of a caller who knows less of
 * it is written as far as it goes. */
TEST(a_report_is_written_as_far_as_it_says)
{
    zm_invert_report report = ZM_INVERT_REPORT_INIT;
    zm_inversion *v;
    zm_error err;

    CHECK(zm_inversion_create(&v, grid, NULL, &err) == ZM_OK);
    CHECK(zm_inversion_report(v, NULL, &err) == ZM_E_ARG);
    report.size = 0;
    CHECK(zm_inversion_report(v, &report, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "zm_invert_report has size 0"), "%s", err.text);
    report.size = offsetof(zm_invert_report, chi2);
    report.experiments = 7;
    report.chi2 = report.slowness = -1;
    CHECK(zm_inversion_report(v, &report, &err) == ZM_OK);
    CHECK(report.experiments == 0 && report.chi2 == -1 && report.slowness == -1);
    CHECK(report.size == offsetof(zm_invert_report, chi2));
    zm_inversion_destroy(v);
}
