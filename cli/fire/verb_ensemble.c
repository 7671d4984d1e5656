/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire ensemble: probability to burn in weather that is not known for sure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/json.h"
#include "common/message.h"
#include "common/picture.h"
#include "common/stopwatch.h"
#include "common/value.h"
#include "fire/fire_picture.h"
#include "fire/folders.h"
#include "fire/rows.h"
#include "fire/spotting_options.h"
#include "fire/uncertain.h"
#include "fire/verbs.h"

typedef struct ensemble_settings {
    uncertain_settings of;
    const char *out, *json, *plot;
    number_list quantiles;
} ensemble_settings;

/* Rows of the first member's fields, too. */
#define FIELD(name) offsetof(ensemble_settings, name)

static bool parse_quantiles(const char *text, void *field)
{
    number_list *list = field;

    if (!parse_positive_list(text, list))
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (!(list->items[i] < 1))
            return false;
    return true;
}

static const option ensemble_list[] = {
    UNCERTAIN_ROWS,
    NEEDED_TEXT_ROW(
        "out", "DIR", out, "a folder",
        "folder for probability.tif and quantiles.tif, whose bands are hours"),
    POSITIVE_ROW("t-max", "H", of.t_max,
                 "hours; default the duration of the fire, else the hours of weather"),
    VALUE_ROW("quantiles", "LIST", quantiles, parse_quantiles,
              "numbers between 0 and 1 with commas, e.g. 0.1,0.5,0.9",
              "of the arrival time over all members; default 0.1,0.5,0.9"),
    JSON_ROW("areas, and what was drawn, as JSON; - is standard output"),
    PLOT_OPTION(FIELD(plot),
                "picture of the probability, with the perimeter of half the members"){
        0 }
};
static const option_table ensemble_options = { "Options", ensemble_list };

static int save(const ensemble_settings *s, const origin *o, const zm_ensemble_out *out)
{
    static const char *const probability = "burn_probability";
    const float *const plane = out->probability;
    char(*texts)[32] = grow(NULL, out->n_quantiles, sizeof *texts);
    const char **name = grow(NULL, out->n_quantiles, sizeof *name);
    int code;

    for (size_t q = 0; q < out->n_quantiles; q++) {
        snprintf(texts[q], sizeof texts[q], "arrival_h_q%g", 100 * out->levels[q]);
        name[q] = texts[q];
    }
    GO(planes_save(s->out, "probability.tif", o->land, o->where, 1, &plane,
                   &probability));
    GO(planes_save(s->out, "quantiles.tif", o->land, o->where,
                   (int32_t)out->n_quantiles, (const float *const *)out->quantiles,
                   name));
done:
    free(texts);
    free(name);
    return code;
}

/* Probabilities whose areas are told. */
enum { LEVELS = 3 };
static const double levels[LEVELS] = { 0.05, 0.5, 0.95 };

static void spreads_json(json *j, const zm_ensemble_opts *spread)
{
    json_open(j, "uncertainty", '{');
    json_number(j, "wind_speed", spread->wind_speed);
    json_number(j, "wind_dir_deg", spread->wind_dir);
    json_number(j, "temperature_c", spread->temperature);
    json_number(j, "humidity_pct", spread->humidity);
    json_number(j, "moisture_pct", spread->moisture);
    json_number(j, "live_moisture", spread->live_moisture);
    json_number(j, "rate", spread->rate);
    json_number(j, "ignition_m", spread->ignition);
    json_close(j, '}');
}

static int save_json(const ensemble_settings *s, const origin *o,
                     const float *probability, double seconds)
{
    json j = { 0 };

    json_open(&j, NULL, '{');
    json_text(&j, "fire", o->fire->name);
    json_int(&j, "members", s->of.spread.members);
    json_int(&j, "seed", (int64_t)s->of.spread.seed);
    json_number(&j, "t_max_h", o->t_max);
    json_number(&j, "expected_ha", zm_ensemble_expected_area(o->land, probability));
    json_open(&j, "areas", '[');
    for (int k = 0; k < LEVELS; k++) {
        json_open(&j, NULL, '{');
        json_number(&j, "probability", levels[k]);
        json_number(&j, "ha", zm_ensemble_area(o->land, probability, levels[k]));
        json_close(&j, '}');
    }
    json_close(&j, ']');
    spreads_json(&j, &s->of.spread);
    json_number(&j, "seconds", seconds);
    json_close(&j, '}');
    return json_save(&j, "--json ", s->json);
}

#if defined(ZM_WITH_CAIRO)
static int save_picture(const ensemble_settings *s, const origin *o,
                        const float *probability)
{
    const bool moved = o->sources || s->of.spread.ignition > 0;
    const fire_view view = { .land = o->land,
                             .title = o->fire->name,
                             .row = moved ? -1 : o->fire->row,
                             .col = o->fire->col,
                             .predicted = probability,
                             .t_max = INFINITY };
    char bar[64];

    snprintf(bar, sizeof bar, "probability to burn within %g hours", o->t_max);
    return chances_picture_save(s->plot, &view, bar);
}
#endif

static int tell(const ensemble_settings *s, const origin *o, const float *probability,
                double seconds)
{
    double ha[LEVELS];

    for (int k = 0; k < LEVELS; k++)
        ha[k] = zm_ensemble_area(o->land, probability, levels[k]);
    note("%d members until %g h in %.1f s: %.1f ha expected, %.1f ha with 5 %% or "
         "more, %.1f ha with 50 %%, %.1f ha with 95 %%",
         (int)s->of.spread.members, o->t_max, seconds,
         zm_ensemble_expected_area(o->land, probability), ha[0], ha[1], ha[2]);
#if defined(ZM_WITH_CAIRO)
    if (s->plot)
        TRY(save_picture(s, o, probability));
#endif
    return s->json ? save_json(s, o, probability, seconds) : DONE;
}

static int draw(const ensemble_settings *s, const origin *o)
{
    const fire_model *m = &o->model;
    static const double usual[] = { 0.1, 0.5, 0.9 };
    const size_t n = (size_t)o->land->rows * (size_t)o->land->cols;
    const size_t n_q = s->quantiles.count ? s->quantiles.count : 3;
    float *planes = grow(NULL, n * (n_q + 1), sizeof *planes);
    float **quantiles = grow(NULL, n_q, sizeof *quantiles);
    const zm_ensemble_out out = { sizeof out, planes, n_q,
                                  s->quantiles.count ? s->quantiles.items : usual,
                                  quantiles };
    zm_ensemble_opts opts = s->of.spread;
    progress bar = progress_begin(s->of.quiet);
    const double started = seconds_now();
    zm_error err;
    zm_status st;
    int code;

    for (size_t q = 0; q < n_q; q++)
        quantiles[q] = planes + (q + 1) * n;
    bar.of = "the members";
    opts.progress = progress_step;
    opts.progress_ctx = &bar;
    st = zm_ensemble_run(&m->land, o->fire, &m->params, o->sources, o->n_sources,
                         o->t_max, &out, &m->opts, &opts, &err);
    progress_end(&bar);
    if (st == ZM_E_CANCELLED)
        GO(interrupt_status("stopped; nothing is written"));
    GO(checked(st, &err));
    GO(save(s, o, &out));
    GO(tell(s, o, planes, seconds_now() - started));
done:
    free(planes);
    free(quantiles);
    return code;
}

static int run(const void *settings, char **operands, int n_operands)
{
    const ensemble_settings *s = settings;
    origin o = { 0 };
    int code;

    (void)operands, (void)n_operands;
    message_quiet(s->of.quiet);
    GO(origin_open(&s->of, &o));
    GO(make_folder(s->out));
    GO(draw(s, &o));
done:
    origin_close(&o);
    return code;
}

static void release(void *settings)
{
    free(((ensemble_settings *)settings)->quantiles.items);
}

static const ensemble_settings defaults = { .of = UNCERTAIN_DEFAULT };

const verb verb_fire_ensemble = {
    .name = "fire ensemble",
    .summary = "probability to burn in uncertain weather, moisture and ignition",
    .usage = "--scene DIR --fire NAME --out DIR [options]",
    .description =
        "Burns one fire many times with the model of zermelo fire physics, each time "
        "in weather, moisture, rates of spread and from an ignition drawn about the "
        "given ones, and writes the share of members that reach each cell until "
        "--t-max and quantiles of the time of arrival. A quantile has no data where so "
        "many members do not arrive at all. The same seed gives the same maps.",
    .example = "  zermelo fire ensemble --scene valley --fire f0001 --members 20 --out "
               "chances\n",
    .tables = { &ensemble_options, &spread_options, &factor_options, &model_options,
                &spotting_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
    .release = release,
};
