/* SPDX-License-Identifier: Apache-2.0
 * Calibration of fires that the model itself made, with factors that are known. */
#include <math.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/random.h"
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

zm_status zm_recovery_trial(const zm_landscape *landscape,
                            const zm_physics_opts *physics, const zm_fire *const *fires,
                            size_t n, uint64_t seed, const zm_calibrate_opts *opts,
                            zm_recovery *out, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t cells = (size_t)landscape->rows * (size_t)landscape->cols;
    zm_fire_evidence *evidence = zm_block(&mem, n, sizeof *evidence);
    float *bounds = zm_block(&mem, 2 * n * cells, sizeof *bounds);
    float *times = zm_block(&mem, cells, sizeof *times);
    double *T = zm_block(&mem, cells, sizeof *T);
    zm_physics *model = NULL;
    zm_status st = evidence && bounds && times && T
                       ? zm_physics_create(&model, landscape, physics, err)
                       : zm_fail(err, ZM_E_NOMEM, -1, "trial with %zu fires", n);

    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        out->truth[k] = exp2(zm_random_between(&seed, -1, 1));
    if (st >= 0)
        st = observe(landscape, model, out->truth, fires, n, seed, T, times, bounds,
                     evidence, err);
    if (st >= 0)
        st = zm_calibrate(landscape, physics, evidence, n, opts, &out->fit, err);
    zm_physics_destroy(model);
    zm_release(&mem, evidence);
    zm_release(&mem, bounds);
    zm_release(&mem, times);
    zm_release(&mem, T);
    return st;
}
