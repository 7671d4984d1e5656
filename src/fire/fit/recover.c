/* SPDX-License-Identifier: Apache-2.0
 * Calibration of fires that the model itself made, with factors that are known. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/random.h"
#include "fire/fit/correlation.h"
#include "zermelo/fire/calibrate.h"

/* Errors of the times: of the duration, the same for so many cells a side, as maps err. */
static const double NOISE = 0.02;
enum { SHARED = 4 };

static void add_noise(const zm_landscape *land, const double *T, double duration,
                      uint64_t seed, float *times)
{
    const size_t cols = (size_t)land->cols, n = (size_t)land->rows * cols;

    for (size_t i = 0; i < n; i++) {
        uint64_t state = seed + (i / cols / SHARED) * 65536 + i % cols / SHARED;

        zm_random_bits(&state);
        times[i] = (float)T[i];
        if (T[i] > 0 && isfinite(T[i]))
            times[i] =
                (float)fmax(0, T[i] + NOISE * duration * zm_random_normal(&state));
    }
}

/* Burns the fires with the factors; bounds has two planes a fire. */
static zm_status observe(const zm_landscape *land, zm_physics *physics,
                         const double *factor, const zm_fire *const *fires, size_t n,
                         uint64_t state, double *T, float *times, float *bounds,
                         zm_fire_evidence *evidence, zm_error *err)
{
    const size_t cells = (size_t)land->rows * (size_t)land->cols;
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_status st = ZM_OK;

    params.fuel_factor = factor;
    for (size_t f = 0; st >= 0 && f < n; f++) {
        const double duration = zm_fire_end(fires[f]);
        float *low = bounds + 2 * f * cells, *high = low + cells;

        st = zm_physics_set_fire(physics, fires[f], &params, duration, err);
        if (st >= 0)
            st = zm_physics_arrival(physics, NULL, 0, duration, T, err);
        if (st < 0)
            break;
        add_noise(land, T, duration, zm_random_bits(&state), times);
        zm_observe_times(times, cells, duration, low, high);
        evidence[f] = (zm_fire_evidence){ fires[f], NULL, 0, low, high, duration, 0 };
    }
    return st;
}

zm_status zm_recovery_trial(const zm_landscape *landscape, const zm_fire *const *fires,
                            size_t n, uint64_t seed, double *truth, zm_calibration *fit,
                            const zm_physics_opts *physics,
                            const zm_calibrate_opts *opts, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t cells = (size_t)landscape->rows * (size_t)landscape->cols;
    zm_fire_evidence *evidence = zm_block(&mem, n, sizeof *evidence);
    float *bounds = zm_block(&mem, 2 * n * cells, sizeof *bounds);
    float *times = zm_block(&mem, cells, sizeof *times);
    double *T = zm_block(&mem, cells, sizeof *T);
    zm_calibrate_opts o = ZM_CALIBRATE_OPTS_INIT;
    zm_physics *model = NULL;
    zm_status st = zm_options_read(&o, sizeof o, opts, "zm_calibrate_opts", err);

    if (st >= 0 && n == 0)
        st = zm_fail(err, ZM_E_ARG, -1, "a trial needs at least one fire");
    if (st >= 0 && !(evidence && bounds && times && T))
        st = zm_fail(err, ZM_E_NOMEM, -1, "trial with %zu fires", n);
    if (st >= 0)
        st = zm_physics_create(&model, landscape, physics, err);
    o.least_share = fmax(o.least_share, 0);
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        truth[k] = exp2(zm_random_between(&seed, -1, 1));
    if (st >= 0)
        st = observe(landscape, model, truth, fires, n, seed, T, times, bounds,
                     evidence, err);
    if (st >= 0)
        st = zm_calibrate(landscape, evidence, n, fit, physics, &o, err);
    zm_physics_destroy(model);
    zm_release(&mem, evidence);
    zm_release(&mem, bounds);
    zm_release(&mem, times);
    zm_release(&mem, T);
    return st;
}

/** Errors of all factors so far. */
typedef struct tally {
    double truth[ZM_FUEL_NUMBERS]; /* of the last draw */
    double *errors;                /* of logarithms; room for those of all draws */
    size_t within, covered;
    zm_recovery_report report;
} tally;

static void count(const zm_calibration *fit, tally *t)
{
    for (size_t k = 0; k < fit->n; k++) {
        const zm_calibrated *p = &fit->items[k];
        const double truth = p->kind == ZM_CALIBRATED_FUEL ? t->truth[p->fuel] : 1;

        if (p->kind != ZM_CALIBRATED_FUEL)
            continue;
        t->errors[t->report.factors++] = fabs(log(p->value / truth));
        t->within += fabs(p->value / truth - 1) <= 0.1;
        t->covered += p->low <= truth && truth <= p->high;
    }
    t->report.fits++;
    t->report.not_converged += !fit->converged;
    t->report.at_bound += zm_calibration_at_bound(fit) > 0;
}

static void sum_up(tally *t)
{
    const size_t n = t->report.factors;

    qsort(t->errors, n, sizeof *t->errors, zm_correlation_ascending);
    t->report.median_error = n ? t->errors[n / 2] : (double)NAN;
    t->report.within = (double)t->within / (double)n;
    t->report.covered = (double)t->covered / (double)n;
}

static zm_status draw_all(const zm_landscape *landscape, const zm_physics_opts *physics,
                          const zm_fire *const *fires, size_t n, int32_t draws,
                          const zm_calibrate_opts *o, tally *t, zm_error *err)
{
    for (int32_t k = 0; k < draws; k++) {
        zm_calibration fit = ZM_CALIBRATION_INIT;

        if (o->progress && o->progress(o->progress_ctx, (double)k / draws))
            return zm_fail(err, ZM_E_CANCELLED, -1, "trials cancelled");
        ZM_TRY(zm_recovery_trial(landscape, fires, n, (uint64_t)k + 1, t->truth, &fit,
                                 physics, o, err));
        count(&fit, t);
    }
    return ZM_OK;
}

zm_status zm_recovery_run(const zm_landscape *landscape, const zm_fire *const *fires,
                          size_t n, int32_t draws, const zm_physics_opts *physics,
                          const zm_calibrate_opts *opts, zm_recovery_report *out,
                          zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    zm_calibrate_opts o = ZM_CALIBRATE_OPTS_INIT;
    tally t = { .report = ZM_RECOVERY_REPORT_INIT };
    zm_status st = ZM_OK;

    ZM_GO(zm_options_check_report(out, "zm_recovery_report", err));
    ZM_GO(zm_options_read(&o, sizeof o, opts, "zm_calibrate_opts", err));
    if (draws < 1)
        ZM_GO(zm_fail(err, ZM_E_ARG, -1, "%d draws, must be at least 1", (int)draws));
    t.errors = zm_block(&mem, (size_t)draws * ZM_MOST_CALIBRATED, sizeof *t.errors);
    if (!t.errors)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "%d draws", (int)draws));
    ZM_GO(draw_all(landscape, physics, fires, n, draws, &o, &t, err));
    sum_up(&t);
    zm_options_write_report(out, &t.report, sizeof t.report);
done:
    zm_release(&mem, t.errors);
    return st;
}
