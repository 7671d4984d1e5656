/* SPDX-License-Identifier: Apache-2.0
 * Calibration of fires that the model itself made, with factors that are known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/calibrate.h"
#include "fire/results.h"

/** What came back. */
typedef struct tally {
    double *errors; /* of logarithms */
    size_t n, within, covered;
    fit_count fits;
} tally;

static void count(const zm_recovery *r, tally *t)
{
    const zm_calibration *c = &r->fit;

    t->errors = grow(t->errors, t->n + c->n + 1, sizeof *t->errors);
    for (size_t k = 0; k < c->n; k++) {
        const zm_calibrated *p = &c->items[k];
        const double truth = p->kind == ZM_CALIBRATED_FUEL ? r->truth[p->fuel] : 1;

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
static int draw(const calibrate_settings *s, const fire_model *m,
                const zm_fire *const *fires, size_t n, uint64_t seed, tally *t)
{
    const zm_calibrate_opts opts = calibrate_opts_of(s);
    zm_recovery *r = grow(NULL, 1, sizeof *r);
    zm_error err;
    int code = DONE;

    if (zm_recovery_trial(&m->land, &m->opts, fires, n, seed, &opts, r, &err) < 0)
        code = interrupt_pending() ? interrupt_check() : library_failure(&err);
    if (code == DONE) {
        count(r, t);
        fits_add(&t->fits, &r->fit);
    }
    free(r);
    return code;
}

int calibrate_recover(const calibrate_settings *s, const fire_model *m,
                      const zm_fire *const *fires, size_t n_fires)
{
    progress bar = progress_begin(s->quiet);
    tally t = { 0 };
    int code = DONE;

    for (int32_t k = 0; code == DONE && k < s->recover; k++) {
        progress_show(&bar, (double)k / s->recover, "draw %d", (int)k + 1);
        code = interrupt_check();
        if (code == DONE)
            code = draw(s, m, fires, n_fires, (uint64_t)k + 1, &t);
    }
    progress_end(&bar);
    if (code == DONE)
        code = t.n ? tell(s, n_fires, &t) : failure("no factor of a fuel was fitted");
    free(t.errors);
    return code;
}
