/* SPDX-License-Identifier: Apache-2.0
 * Forecasts of later dates from earlier ones, and calibration of fires with known factors. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/calibrate.h"

enum { ROWS = 52, COLS = 56, CELLS = ROWS * COLS, DATES = 4 };

/** A fire that is faster than the model, seen every half hour. */
typedef struct seen {
    test_land land;
    zm_weather_hour weather[TEST_HOURS];
    zm_fire fire;
    uint8_t area[DATES][CELLS];
    const uint8_t *masks[DATES];
    double hours[DATES];
    zm_dated_fire dated;
    zm_calibration fits[DATES];
} seen;

static seen *seen_make(double factor)
{
    seen *x = calloc(1, sizeof *x);
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    double *T = malloc(CELLS * sizeof *T), factors[ZM_FUEL_NUMBERS];
    zm_source lit[9];
    zm_physics *model = NULL;

    x->land = test_land_hills(ROWS, COLS, 21);
    x->fire = test_fire(&x->land, x->weather);
    x->fire.row = ROWS / 2;
    x->fire.col = COLS / 2;
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        factors[k] = factor;
    params.fuel_factor = factors;
    for (int k = 0; k < 9; k++)
        lit[k] = (zm_source){ ROWS / 2 + k / 3 - 1, COLS / 2 + k % 3 - 1, 0 };
    x->fits->size = sizeof *x->fits;
    x->dated = (zm_dated_fire){ &x->fire, x->masks, x->hours, DATES };
    if (zm_physics_create(&model, &x->land.land, NULL, NULL) != ZM_OK ||
        zm_physics_set_fire(model, &x->fire, &params, DATES, NULL) != ZM_OK ||
        zm_physics_arrival(model, lit, 9, DATES, T, NULL) != ZM_OK)
        abort();
    for (int d = 0; d < DATES; d++) {
        x->hours[d] = 0.5 * d;
        x->masks[d] = x->area[d];
        for (int i = 0; i < CELLS; i++)
            x->area[d][i] = T[i] <= x->hours[d];
    }
    zm_physics_destroy(model);
    free(T);
    return x;
}

static void seen_free(seen *x)
{
    test_land_free(&x->land);
    free(x);
}

static zm_calibrate_opts rate_only(void)
{
    zm_calibrate_opts opts = ZM_CALIBRATE_OPTS_INIT;

    opts.fit_rate = 1;
    opts.fit_fuels = opts.fit_wind = opts.fit_moisture = 0;
    return opts;
}

/* A fit to the first half hour finds the rate, so that its forecasts are better than those of the model
 * as it is, and much better than no growth; from nearer by they are no worse. */
TEST(later_dates_are_forecast_from_earlier_ones)
{
    zm_calibrate_opts opts = rate_only();
    zm_date_forecast out[DATES];
    seen *x = seen_make(2);

    CHECK(zm_forecast_dates(&x->land.land, &x->dated, 2, 1, out, x->fits, NULL, &opts,
                            NULL) == ZM_OK);
    CHECK_NEAR(x->fits[2].rate_factor, 2, 0.5);
    for (int d = 2; d < DATES; d++) {
        CHECK(out[d].first.fitted > out[d].first.model + 0.1);
        CHECK(out[d].first.fitted > out[d].first.no_growth + 0.1);
        CHECK(out[d].first.fitted > 0.75);
        CHECK(out[d].restart.fitted > out[d].restart.model);
        CHECK(out[d].restart.fitted > 0.75);
    }
    CHECK(out[1].first.fitted == 0 && out[1].restart.fitted == 0);
    CHECK(zm_forecast_dates(&x->land.land, &x->dated, 2, 0, out, x->fits, NULL, &opts,
                            NULL) == ZM_OK);
    CHECK(out[3].first.fitted > 0.75 && out[3].restart.fitted == 0);
    seen_free(x);
}

/** Steps of a fit so far, after which it is stopped; how often they were out of order. */
typedef struct steps {
    int32_t seen, most, wrong, last;
} steps;

static int count_step(void *ctx, const zm_calibrate_iteration *now)
{
    steps *s = ctx;

    s->wrong += now->iteration < s->last || !(now->objective >= 0);
    s->last = now->iteration;
    return ++s->seen > s->most;
}

/* A fit tells its steps in order, and can be stopped after any of them. */
TEST(fits_tell_their_steps_and_can_be_stopped)
{
    zm_calibrate_opts opts = rate_only();
    zm_date_forecast out[DATES];
    steps all = { .most = 1000 }, few = { .most = 1 };
    seen *x = seen_make(2);

    opts.monitor = count_step;
    opts.monitor_ctx = &all;
    CHECK(zm_forecast_dates(&x->land.land, &x->dated, 2, 0, out, NULL, NULL, &opts,
                            NULL) == ZM_OK);
    CHECK(all.seen > 2 && all.wrong == 0);
    opts.monitor_ctx = &few;
    CHECK(zm_forecast_dates(&x->land.land, &x->dated, 2, 0, out, NULL, NULL, &opts,
                            NULL) == ZM_E_CANCELLED);
    CHECK(few.seen == 2);
    seen_free(x);
}

/* Each part of a forecast has the mean of its own. */
TEST(forecasts_are_averaged_part_by_part)
{
    const zm_date_forecast two[2] = { { { 0.25, 0.5, 0.125 }, { 0, 0.5, 1 } },
                                      { { 0.75, 1, 0.375 }, { 1, 0.25, 0 } } };
    const zm_date_forecast mean = zm_forecast_mean(two, 2);

    CHECK(mean.first.model == 0.5 && mean.first.fitted == 0.75 &&
          mean.first.no_growth == 0.25);
    CHECK(mean.restart.model == 0.5 && mean.restart.fitted == 0.375 &&
          mean.restart.no_growth == 0.5);
}

TEST(forecasts_need_dates_to_fit_and_dates_to_forecast)
{
    const zm_calibrate_opts opts = ZM_CALIBRATE_OPTS_INIT;
    zm_date_forecast out[DATES];
    seen *x = seen_make(1);

    CHECK(zm_forecast_dates(&x->land.land, &x->dated, 1, 0, out, x->fits, NULL, &opts,
                            NULL) == ZM_E_ARG);
    CHECK(zm_forecast_dates(&x->land.land, &x->dated, DATES, 0, out, x->fits, NULL,
                            &opts, NULL) == ZM_E_ARG);
    x->hours[3] = x->hours[2];
    CHECK(zm_forecast_dates(&x->land.land, &x->dated, 2, 0, out, x->fits, NULL, &opts,
                            NULL) == ZM_E_ARG);
    x->hours[3] = NAN;
    CHECK(zm_forecast_dates(&x->land.land, &x->dated, 2, 0, out, x->fits, NULL, &opts,
                            NULL) == ZM_E_ARG);
    seen_free(x);
}

/* Fits may be left out; after a failed fit nothing is written to them. */
TEST(fits_of_forecasts_are_optional_and_not_written_after_a_failure)
{
    zm_calibrate_opts opts = rate_only();
    zm_date_forecast with[DATES], without[DATES];
    seen *x = seen_make(2);

    CHECK(zm_forecast_dates(&x->land.land, &x->dated, 2, 0, with, x->fits, NULL, &opts,
                            NULL) == ZM_OK);
    CHECK(zm_forecast_dates(&x->land.land, &x->dated, 2, 0, without, NULL, NULL, &opts,
                            NULL) == ZM_OK);
    for (int d = 2; d < DATES; d++)
        CHECK(with[d].first.fitted == without[d].first.fitted);
    x->fits[2].rate_factor = 77;
    opts.max_iterations = 0;
    CHECK(zm_forecast_dates(&x->land.land, &x->dated, 2, 0, with, x->fits, NULL, &opts,
                            NULL) == ZM_E_ARG);
    CHECK(x->fits[2].rate_factor == 77);
    seen_free(x);
}

/** A calibration of fires whose factors are known. */
typedef struct trial {
    double truth[ZM_FUEL_NUMBERS];
    zm_calibration fit;
} trial;

static trial *trial_make(void)
{
    trial *made = calloc(1, sizeof *made);

    if (!made)
        abort();
    made->fit.size = sizeof made->fit;
    return made;
}

/* Factors that were drawn between 1/2 and 2 come back, and the seed says which they are. */
TEST(drawn_factors_are_recovered)
{
    zm_calibrate_opts opts = ZM_CALIBRATE_OPTS_INIT;
    trial *found = trial_make(), *again = trial_make();
    seen *x = seen_make(1);
    const zm_fire *fires[1] = { &x->fire };

    x->fire.duration = 3;
    opts.fit_wind = opts.fit_moisture = 0;
    CHECK(zm_recovery_trial(&x->land.land, fires, 1, 7, found->truth, &found->fit, NULL,
                            &opts, NULL) >= 0);
    CHECK(found->fit.n > 0);
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        CHECK(found->truth[k] >= 0.5 && found->truth[k] <= 2);
    for (size_t k = 0; k < found->fit.n; k++) {
        const zm_calibrated *c = &found->fit.items[k];

        if (c->cells >= 200)
            CHECK_NEAR(log(c->value / found->truth[c->fuel]), 0, 0.2);
    }
    CHECK(zm_recovery_trial(&x->land.land, fires, 1, 7, again->truth, &again->fit, NULL,
                            &opts, NULL) >= 0);
    CHECK(again->truth[101] == found->truth[101] &&
          again->fit.items[0].value == found->fit.items[0].value);
    CHECK(zm_recovery_trial(&x->land.land, fires, 1, 8, again->truth, &again->fit, NULL,
                            &opts, NULL) >= 0);
    CHECK(again->truth[101] != found->truth[101]);
    seen_free(x);
    free(found);
    free(again);
}

static int stop_at_the_second(void *ctx, double fraction)
{
    *(int *)ctx += 1;
    return fraction > 0;
}

/* The report of several draws is what the trials with seeds 1, 2, ... add up to. */
TEST(trials_are_summed_up)
{
    zm_calibrate_opts opts = ZM_CALIBRATE_OPTS_INIT;
    zm_recovery_report report = ZM_RECOVERY_REPORT_INIT, unset = { 0 };
    trial *r = trial_make();
    seen *x = seen_make(1);
    const zm_fire *fires[1] = { &x->fire };
    size_t factors = 0;
    double covered = 0, least = HUGE_VAL, most = 0;
    int calls = 0;

    x->fire.duration = 3;
    opts.fit_wind = opts.fit_moisture = 0;
    CHECK(zm_recovery_run(&x->land.land, fires, 1, 2, NULL, &opts, &report, NULL) ==
          ZM_OK);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        CHECK(zm_recovery_trial(&x->land.land, fires, 1, seed, r->truth, &r->fit, NULL,
                                &opts, NULL) >= 0);
        for (size_t k = 0; k < r->fit.n; k++) {
            const zm_calibrated *c = &r->fit.items[k];
            const double truth = r->truth[c->fuel], error = fabs(log(c->value / truth));

            factors++;
            covered += c->low <= truth && truth <= c->high;
            least = fmin(least, error);
            most = fmax(most, error);
            CHECK(!zm_calibrated_at_bound(c));
        }
    }
    CHECK(report.factors == factors && report.fits == 2 && report.at_bound == 0);
    CHECK_NEAR(report.covered, covered / (double)factors, 1e-15);
    CHECK(report.median_error >= least && report.median_error <= most);
    CHECK(report.within >= 0 && report.within <= 1);
    opts.progress = stop_at_the_second;
    opts.progress_ctx = &calls;
    CHECK(zm_recovery_run(&x->land.land, fires, 1, 5, NULL, &opts, &report, NULL) ==
          ZM_E_CANCELLED);
    CHECK(calls == 2 && report.factors == factors);
    CHECK(zm_recovery_run(&x->land.land, fires, 1, 1, NULL, &opts, &unset, NULL) ==
          ZM_E_ARG);
    CHECK(zm_recovery_run(&x->land.land, fires, 1, 0, NULL, &opts, &report, NULL) ==
          ZM_E_ARG);
    seen_free(x);
    free(r);
}

/* Without fires there is nothing to fit; with fires and no factor there are no shares. */
TEST(trials_need_fires_and_factors)
{
    zm_calibrate_opts opts = ZM_CALIBRATE_OPTS_INIT;
    zm_recovery_report report = ZM_RECOVERY_REPORT_INIT;
    trial *r = trial_make();
    seen *x = seen_make(1);
    const zm_fire *fires[1] = { &x->fire };

    x->fire.duration = 3;
    CHECK(zm_recovery_trial(&x->land.land, fires, 0, 7, r->truth, &r->fit, NULL, &opts,
                            NULL) == ZM_E_ARG);
    CHECK(zm_recovery_run(&x->land.land, fires, 0, 1, NULL, &opts, &report, NULL) ==
          ZM_E_ARG);
    opts.fit_fuels = opts.fit_moisture = 0;
    CHECK(zm_recovery_run(&x->land.land, fires, 1, 1, NULL, &opts, &report, NULL) ==
          ZM_OK);
    CHECK(report.factors == 0 && report.fits == 1 && isnan(report.median_error) &&
          isnan(report.within) && isnan(report.covered));
    seen_free(x);
    free(r);
}

/* Where the share is not told, rare fuels stay as they are in a fit of fires as they are, but not
 * where errors are drawn. */
TEST(rare_fuels_stay_as_they_are_unless_errors_are_drawn)
{
    const zm_calibrated at = { ZM_CALIBRATED_RATE, 0, 1, exp(4), 1, 2 };
    const zm_calibrated off = { ZM_CALIBRATED_MOISTURE, 0, 1, -30, 1, 2 };
    const zm_calibrated free_ = { ZM_CALIBRATED_MOISTURE, 0, 1, 29, 1, 2 };
    zm_calibrate_opts opts = ZM_CALIBRATE_OPTS_INIT;
    trial *usual = trial_make(), *all = trial_make();
    seen *x = seen_make(1);
    const zm_fire *fires[1] = { &x->fire };

    CHECK(zm_calibrated_at_bound(&at) && zm_calibrated_at_bound(&off));
    CHECK(!zm_calibrated_at_bound(&free_));
    usual->fit.items[0] = at;
    usual->fit.items[1] = free_;
    usual->fit.items[2] = off;
    usual->fit.n = 3;
    CHECK(zm_calibration_at_bound(&usual->fit) == 2);
    x->fire.duration = 3;
    opts.fit_wind = opts.fit_moisture = 0;
    CHECK(zm_recovery_trial(&x->land.land, fires, 1, 7, usual->truth, &usual->fit, NULL,
                            &opts, NULL) >= 0);
    opts.least_share = 0;
    CHECK(zm_recovery_trial(&x->land.land, fires, 1, 7, all->truth, &all->fit, NULL,
                            &opts, NULL) >= 0);
    CHECK(usual->fit.n == all->fit.n);
    opts.least_share = 0.6;
    CHECK(zm_recovery_trial(&x->land.land, fires, 1, 7, usual->truth, &usual->fit, NULL,
                            &opts, NULL) < 0 ||
          usual->fit.n < all->fit.n);
    seen_free(x);
    free(usual);
    free(all);
}

/* One solve, two maps: to the horizon, and without what is later than t_max.  Maps of a fire go a
 * quarter of its duration beyond its end. */
TEST(a_burn_has_a_whole_map_and_one_that_ends)
{
    float *whole = malloc(CELLS * sizeof *whole), *T = malloc(CELLS * sizeof *T);
    double *times = malloc(CELLS * sizeof *times);
    zm_physics *model = NULL;
    seen *x = seen_make(1);
    int later = 0;

    x->fire.duration = 2;
    CHECK(zm_fire_map_end(&x->fire) == 2.5);
    CHECK(zm_physics_create(&model, &x->land.land, NULL, NULL) == ZM_OK);
    CHECK(zm_physics_burn(model, &x->fire, NULL, NULL, 0, 2.5, 2, whole, T, NULL) ==
          ZM_OK);
    CHECK(zm_physics_arrival(model, NULL, 0, 2.5, times, NULL) == ZM_OK);
    for (int i = 0; i < CELLS; i++) {
        CHECK(whole[i] == (float)times[i]);
        CHECK(times[i] > 2 ? isinf(T[i]) : T[i] == whole[i]);
        later += times[i] > 2 && isfinite(times[i]);
    }
    CHECK(later > 10);
    CHECK(zm_physics_burn(model, &x->fire, NULL, NULL, 0, 2, 2.5, whole, T, NULL) ==
          ZM_E_ARG);
    CHECK(zm_physics_burn(model, &x->fire, NULL, NULL, 0, 2, 2, NULL, T, NULL) ==
          ZM_OK);
    x->fire.duration = INFINITY;
    CHECK(zm_fire_map_end(&x->fire) == TEST_HOURS);
    zm_physics_destroy(model);
    seen_free(x);
    free(whole);
    free(T);
    free(times);
}
