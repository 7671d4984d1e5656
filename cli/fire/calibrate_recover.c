/* SPDX-License-Identifier: Apache-2.0
 * Calibration of fires that the model itself made, with factors that are known. */
#include <stdio.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "fire/calibrate.h"

static int tell(const calibrate_settings *s, size_t n_fires,
                const zm_recovery_report *r)
{
    const fit_count fits = { r->fits, r->not_converged, r->at_bound };
    json j = { 0 };

    fits_tell(&fits);
    if (!s->json || strcmp(s->json, "-") != 0)
        printf("%zu factors of fuels, %d draws of %zu fires: median error %.1f %%, "
               "%.1f %% within 10 %%, %.1f %% in their 95 %% intervals\n",
               r->factors, (int)s->recover, n_fires, 100 * r->median_error,
               100 * r->within, 100 * r->covered);
    if (!s->json)
        return DONE;
    json_open(&j, NULL, '{');
    json_int(&j, "draws", s->recover);
    json_int(&j, "fires", (int64_t)n_fires);
    json_int(&j, "factors", (int64_t)r->factors);
    json_number(&j, "median_error", r->median_error);
    json_number(&j, "within_10_percent", r->within);
    json_number(&j, "in_their_intervals", r->covered);
    fits_json(&fits, &j);
    json_close(&j, '}');
    return json_save(&j, "--json ", s->json);
}

/** What zm_progress_fn shows. */
typedef struct draw_bar {
    progress bar;
    int32_t draws;
} draw_bar;

static int show_draw(void *ctx, double fraction)
{
    draw_bar *b = ctx;

    progress_show(&b->bar, fraction, "draw %d", (int)(fraction * b->draws + 0.5) + 1);
    return interrupt_pending();
}

int calibrate_recover(const calibrate_settings *s, const fire_model *m,
                      const zm_fire *const *fires, size_t n_fires)
{
    draw_bar b = { progress_begin(s->quiet), s->recover };
    zm_calibrate_opts opts = calibrate_opts_of(s);
    zm_recovery_report r = ZM_RECOVERY_REPORT_INIT;
    zm_error err;
    zm_status st;

    opts.progress = show_draw;
    opts.progress_ctx = &b;
    st = zm_recovery_run(&m->land, fires, n_fires, s->recover, &m->opts, &opts, &r,
                         &err);
    progress_end(&b.bar);
    if (st < 0)
        return interrupt_pending() ? interrupt_check() : library_failure(&err);
    return r.factors ? tell(s, n_fires, &r) : failure("no factor of a fuel was fitted");
}
