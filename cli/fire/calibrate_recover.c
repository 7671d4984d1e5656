/* SPDX-License-Identifier: Apache-2.0
 * Calibration of fires that the model itself made, with factors that are known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"
#include "core/random.h"
#include "fire/calibrate.h"
#include "fire/results.h"

/* Errors of the times: of the duration, the same for so many cells a side. */
static const double NOISE = 0.02;
enum { SHARED = 4 };

/** Fires with times of the model's making. */
typedef struct made {
    const fire_model *m;
    const zm_fire *const *fires;
    size_t n_fires, cells;
    double factor[ZM_FUEL_NUMBERS];
    zm_fire_evidence *evidence;
    float *bounds; /* two planes a fire */
    double *T;
    float *times;
} made;

/** What came back. */
typedef struct tally {
    double *errors; /* of logarithms */
    size_t n, within, covered;
    fit_count fits;
} tally;

static void add_noise(made *x, double duration, uint64_t seed)
{
    const size_t cols = (size_t)x->m->land.cols;

    for (size_t i = 0; i < x->cells; i++) {
        uint64_t state = seed + (i / cols / SHARED) * 65536 + i % cols / SHARED;

        zm_random_bits(&state);
        x->times[i] = (float)x->T[i];
        if (x->T[i] > 0 && isfinite(x->T[i]))
            x->times[i] =
                (float)fmax(0, x->T[i] + NOISE * duration * zm_random_normal(&state));
    }
}

/* Burns the fires with factors drawn anew. */
static int make(made *x, zm_physics *physics, uint64_t seed)
{
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    uint64_t state = seed;

    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        x->factor[k] = exp2(zm_random_between(&state, -1, 1));
    params.fuel_factor = x->factor;
    for (size_t f = 0; f < x->n_fires; f++) {
        const double duration = zm_fire_end(x->fires[f]);
        float *low = x->bounds + 2 * f * x->cells, *high = low + x->cells;
        zm_error err;

        if (zm_physics_set_fire(physics, x->fires[f], &params, duration, &err) < 0 ||
            zm_physics_arrival(physics, NULL, 0, duration, x->T, &err) < 0)
            return library_failure(&err);
        add_noise(x, duration, zm_random_bits(&state));
        zm_observe_times(x->times, x->cells, duration, low, high);
        x->evidence[f] =
            (zm_fire_evidence){ x->fires[f], NULL, 0, low, high, duration, 0 };
    }
    return DONE;
}

static void count(const made *x, const zm_calibration *c, tally *t)
{
    t->errors = grow(t->errors, t->n + c->n + 1, sizeof *t->errors);
    for (size_t k = 0; k < c->n; k++) {
        const zm_calibrated *p = &c->items[k];
        const double truth = p->kind == ZM_CALIBRATED_FUEL ? x->factor[p->fuel] : 1;

        if (p->kind != ZM_CALIBRATED_FUEL)
            continue;
        t->errors[t->n] = fabs(log(p->value / truth));
        t->within += fabs(p->value / truth - 1) <= 0.1;
        t->covered += p->low <= truth && truth <= p->high;
        t->n++;
    }
}

static int tell(const calibrate_settings *s, size_t n_fires, tally *t)
{
    const double n = (double)t->n;
    json j = { 0 };

    qsort(t->errors, t->n, sizeof *t->errors, ascending);
    fits_tell(&t->fits);
    if (!s->json || strcmp(s->json, "-") != 0)
        printf("%zu factors of fuels, %d draws of %zu fires: median error %.1f %%, "
               "%.1f %% within 10 %%, %.1f %% in their 95 %% intervals\n",
               t->n, (int)s->recover, n_fires, 100 * t->errors[t->n / 2],
               100 * (double)t->within / n, 100 * (double)t->covered / n);
    if (!s->json)
        return DONE;
    json_open(&j, NULL, '{');
    json_int(&j, "draws", s->recover);
    json_int(&j, "fires", (int64_t)n_fires);
    json_int(&j, "factors", (int64_t)t->n);
    json_number(&j, "median_error", t->errors[t->n / 2]);
    json_number(&j, "within_10_percent", (double)t->within / n);
    json_number(&j, "in_their_intervals", (double)t->covered / n);
    fits_json(&t->fits, &j);
    json_close(&j, '}');
    return json_save(&j, "--json ", s->json);
}

/* One draw: makes the fires and fits them. */
static int draw(const calibrate_settings *s, made *x, zm_physics *physics,
                uint64_t seed, tally *t)
{
    const zm_calibrate_opts opts = calibrate_opts_of(s);
    zm_calibration *c = grow(NULL, 1, sizeof *c);
    zm_error err;
    int code = make(x, physics, seed);

    if (code == DONE && zm_calibrate(&x->m->land, &x->m->opts, x->evidence, x->n_fires,
                                     &opts, c, &err) < 0)
        code = interrupt_pending() ? interrupt_check() : library_failure(&err);
    if (code == DONE) {
        count(x, c, t);
        fits_add(&t->fits, c);
    }
    free(c);
    return code;
}

int calibrate_recover(const calibrate_settings *s, const fire_model *m,
                      const zm_fire *const *fires, size_t n_fires)
{
    const size_t cells = (size_t)m->land.rows * (size_t)m->land.cols;
    made x = { .m = m,
               .fires = fires,
               .n_fires = n_fires,
               .cells = cells,
               .evidence = grow(NULL, n_fires, sizeof *x.evidence),
               .bounds = grow(NULL, 2 * n_fires * cells, sizeof *x.bounds),
               .T = grow(NULL, cells, sizeof *x.T),
               .times = grow(NULL, cells, sizeof *x.times) };
    progress bar = progress_begin(s->quiet);
    zm_physics *physics = NULL;
    tally t = { 0 };
    zm_error err;
    int code = zm_physics_create(&physics, &m->land, &m->opts, &err) < 0
                   ? library_failure(&err)
                   : DONE;

    for (int32_t k = 0; code == DONE && k < s->recover; k++) {
        progress_show(&bar, (double)k / s->recover, "draw %d", (int)k + 1);
        code = interrupt_check();
        if (code == DONE)
            code = draw(s, &x, physics, (uint64_t)k + 1, &t);
    }
    progress_end(&bar);
    if (code == DONE)
        code = t.n ? tell(s, n_fires, &t) : failure("no factor of a fuel was fitted");
    zm_physics_destroy(physics);
    free(t.errors);
    free(x.evidence);
    free(x.bounds);
    free(x.T);
    free(x.times);
    return code;
}
