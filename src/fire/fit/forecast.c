/* SPDX-License-Identifier: Apache-2.0
 * Forecasts of the later dates of a fire by a model fitted to the earlier ones. */
#include <math.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "zermelo/fire/calibrate.h"
#include "zermelo/fire/score.h"

/** A fire under test. */
typedef struct trial {
    const zm_landscape *land;
    const zm_physics_opts *opts;
    const zm_dated_fire *fire;
    size_t cells;
    zm_alloc mem;
    zm_physics *physics;
    zm_fire_evidence *intervals; /* from date k to date k + 1 */
    zm_source *sources;          /* of all of them */
    float *bounds;               /* two planes each */
    double *T, *iou;
    float *times;
} trial;

static void trial_free(trial *t)
{
    zm_physics_destroy(t->physics);
    zm_release(&t->mem, t->intervals);
    zm_release(&t->mem, t->sources);
    zm_release(&t->mem, t->bounds);
    zm_release(&t->mem, t->T);
    zm_release(&t->mem, t->iou);
    zm_release(&t->mem, t->times);
}

/* What burned from date k to the next, of a fire that goes on from date k; returns where the
 * sources of the next one go. */
static zm_source *observe_interval(trial *t, size_t k, zm_source *sources)
{
    const size_t cols = (size_t)t->land->cols;
    const uint8_t *first = t->fire->masks[k], *second = t->fire->masks[k + 1];
    const double begin = t->fire->hours[k], end = t->fire->hours[k + 1];
    float *earliest = t->bounds + 2 * k * t->cells, *latest = earliest + t->cells;
    size_t n = 0;

    for (size_t i = 0; i < t->cells; i++) {
        if (first[i])
            sources[n++] = (zm_source){ (double)(i / cols), (double)(i % cols), begin };
        earliest[i] = first[i] ? NAN : (float)(second[i] ? begin : end);
        latest[i] = first[i] ? NAN : second[i] ? (float)end : INFINITY;
    }
    t->intervals[k] = (zm_fire_evidence){ .fire = t->fire->fire,
                                          .sources = sources,
                                          .n_sources = n,
                                          .earliest = earliest,
                                          .latest = latest,
                                          .begin = begin,
                                          .duration = end };
    return sources + n;
}

static zm_status trial_prepare(trial *t, zm_error *err)
{
    const size_t n = t->fire->n;
    zm_source *at;
    size_t burned = 0;

    for (size_t k = 0; k + 1 < n; k++)
        for (size_t i = 0; i < t->cells; i++)
            burned += t->fire->masks[k][i] != 0;
    t->intervals = zm_block(&t->mem, n, sizeof *t->intervals);
    t->sources = zm_block(&t->mem, burned + 1, sizeof *t->sources);
    t->bounds = zm_block(&t->mem, 2 * n * t->cells, sizeof *t->bounds);
    t->T = zm_block(&t->mem, t->cells, sizeof *t->T);
    t->iou = zm_block(&t->mem, n, sizeof *t->iou);
    t->times = zm_block(&t->mem, t->cells, sizeof *t->times);
    if (!t->intervals || !t->sources || !t->bounds || !t->T || !t->iou || !t->times)
        return zm_fail(err, ZM_E_NOMEM, -1, "forecasts of %zu dates", n);
    at = t->sources;
    for (size_t k = 0; k + 1 < n; k++)
        at = observe_interval(t, k, at);
    return zm_physics_create(&t->physics, t->land, t->opts, err);
}

static zm_status check(const zm_dated_fire *fire, size_t known, zm_error *err)
{
    if (known < 2 || known >= fire->n)
        return zm_fail(err, ZM_E_ARG, -1,
                       "%zu of %zu dates are known, must be 2 to %zu", known, fire->n,
                       fire->n - 1);
    for (size_t k = 0; k < fire->n; k++)
        if (!(fire->hours[k] < HUGE_VAL &&
              (k == 0 || fire->hours[k] > fire->hours[k - 1])))
            return zm_fail(err, ZM_E_ARG, -1, "date %zu is at %g h, dates must rise", k,
                           fire->hours[k]);
    return ZM_OK;
}

/* IoU at dates up to `to`, into t->iou, of the fire that goes on from date `from`; c NULL: the
 * model as it is. */
static zm_status burn(trial *t, size_t from, size_t to, const zm_calibration *c,
                      zm_error *err)
{
    const zm_dated_fire *f = t->fire;
    const zm_fire_evidence *start = &t->intervals[from];
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_observed_score unused = ZM_OBSERVED_SCORE_INIT;
    zm_status st;

    if (c) {
        params.wind_factor = c->wind_factor;
        params.moisture_offset = c->moisture_offset;
        params.fuel_factor = c->fuel_factor;
    }
    st = zm_physics_set_fire(t->physics, f->fire, &params, f->hours[to], err);
    if (st >= 0)
        st = zm_physics_arrival(t->physics, start->sources, start->n_sources,
                                f->hours[to], t->T, err);
    if (st < 0)
        return st;
    for (size_t i = 0; i < t->cells; i++)
        t->times[i] = (float)t->T[i];
    return zm_score_observed(f->masks, f->hours, f->n, 1, t->times, t->cells, t->iou,
                             &unused, err);
}

static double overlap(const uint8_t *a, const uint8_t *b, size_t n)
{
    size_t both = 0, either = 0;

    for (size_t i = 0; i < n; i++) {
        both += a[i] && b[i];
        either += a[i] || b[i];
    }
    return either ? (double)both / (double)either : (double)NAN;
}

/* Forecasts of the dates after `last`, up to `to`, from date `from` on. */
static zm_status forecast(trial *t, size_t from, size_t last, size_t to,
                          const zm_calibration *c, bool again, zm_date_forecast *out,
                          zm_error *err)
{
    for (int fitted = 0; fitted < 2; fitted++) {
        const zm_status st = burn(t, from, to, fitted ? c : NULL, err);

        if (st < 0)
            return st;
        for (size_t k = last + 1; k <= to; k++) {
            zm_forecast *f = again ? &out[k].restart : &out[k].first;

            *(fitted ? &f->fitted : &f->model) = t->iou[k];
            f->no_growth = overlap(t->fire->masks[last], t->fire->masks[k], t->cells);
        }
    }
    return ZM_OK;
}

/* Element k of the caller's fits, which are as large as the first says; NULL: not wanted. */
static void keep(const zm_calibration *fit, zm_calibration *fits, size_t k)
{
    zm_calibration *to;

    if (!fits)
        return;
    to = zm_options_at(fits, k);
    to->size = fits->size;
    zm_options_write_report(to, fit, sizeof *fit);
}

zm_status zm_forecast_dates(const zm_landscape *landscape, const zm_dated_fire *fire,
                            size_t known, int restart, zm_date_forecast *out,
                            zm_calibration *fits, const zm_physics_opts *physics,
                            const zm_calibrate_opts *opts, zm_error *err)
{
    trial t = { .land = landscape,
                .opts = physics,
                .fire = fire,
                .cells = (size_t)landscape->rows * (size_t)landscape->cols,
                .mem = zm_alloc_or_default(NULL) };
    const zm_date_forecast none = { { 0, 0, 0 }, { 0, 0, 0 } };
    const size_t end = restart ? fire->n : known + 1;
    zm_calibrate_opts o = ZM_CALIBRATE_OPTS_INIT;
    zm_calibration fit = ZM_CALIBRATION_INIT;
    zm_status st = check(fire, known, err);

    if (st >= 0)
        st = zm_options_check_report(fits, "zm_calibration", err);
    if (st >= 0)
        st = zm_options_read(&o, sizeof o, opts, "zm_calibrate_opts", err);
    if (st >= 0)
        st = trial_prepare(&t, err);
    for (size_t k = 0; st >= 0 && k < fire->n; k++)
        out[k] = none;
    for (size_t k = known; st >= 0 && k < end; k++) {
        if (o.progress &&
            o.progress(o.progress_ctx, (double)(k - known) / (double)(end - known))) {
            st = zm_fail(err, ZM_E_CANCELLED, -1, "forecasts cancelled");
            break;
        }
        st = zm_calibrate(landscape, t.intervals, k - 1, &fit, physics, &o, err);
        if (st >= 0)
            keep(&fit, fits, k);
        if (st >= 0 && k == known)
            st = forecast(&t, 0, k - 1, fire->n - 1, &fit, false, out, err);
        if (st >= 0 && restart)
            st = forecast(&t, k - 1, k - 1, k, &fit, true, out, err);
    }
    trial_free(&t);
    return st < 0 ? st : ZM_OK;
}

static void add(zm_forecast *sum, const zm_forecast *f)
{
    sum->model += f->model;
    sum->fitted += f->fitted;
    sum->no_growth += f->no_growth;
}

static void divide(zm_forecast *sum, double n)
{
    sum->model /= n;
    sum->fitted /= n;
    sum->no_growth /= n;
}

zm_date_forecast zm_forecast_mean(const zm_date_forecast *forecasts, size_t n)
{
    zm_date_forecast mean = { { 0, 0, 0 }, { 0, 0, 0 } };

    for (size_t i = 0; i < n; i++) {
        add(&mean.first, &forecasts[i].first);
        add(&mean.restart, &forecasts[i].restart);
    }
    divide(&mean.first, (double)n);
    divide(&mean.restart, (double)n);
    return mean;
}
