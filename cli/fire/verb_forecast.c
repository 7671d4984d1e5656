/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire forecast: where a fire whose perimeters come in one by one burns next. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/value.h"
#include "fire/calibrate.h"
#include "fire/forecast.h"
#include "fire/rows.h"
#include "fire/verbs.h"
#include "zermelo/fire/forecast_file.h"

#define FIELD(name) offsetof(forecast_settings, name)

static const option forecast_list[] = {
    NEEDED_TEXT_ROW("observed", "DIR", observed, "the folder of an observed fire",
                    "observed fire with two dated perimeters or more; with "
                    "--leave-one-out and --learn a folder of them"),
    TEXT_ROW("out", "DIR", out, "a folder",
             "folder for state-KK.json after perimeter KK and growth-KK.tif, the "
             "probability to burn until it; states that are there are taken up"),
    POSITIVE_ROW("hours", "H", hours,
                 "forecast the growth for so many hours after the last perimeter; "
                 "default 24"),
    FLAG_ROW("hindcast", hindcast,
             "also forecast every perimeter from the one before it, and score that"),
    INPUT_ROW(
        "prior", prior,
        "what other fires tell, made by --learn; default: learned from nine fires"),
    COUNT_ROW("draws", draws,
              "fires burned from the state to spread a forecast; default 8"),
    VALUE_ROW("seed", "N", seed, parse_seed, "a whole number >= 0",
              "of the draws; default 1"),
    FLAG_ROW(
        "leave-one-out", leave_one_out,
        "forecast every fire of the folder with what the others tell, and score it"),
    OUTPUT_ROW("learn", learn, "write what all fires of the folder tell, for --prior"),
    JSON_ROW("scores and grown areas as JSON; - is standard output, instead of tables"),
    QUIET_ROW("no messages"),
    { 0 }
};
static const option_table forecast_options = { "Options", forecast_list };

int prior_of(const forecast_settings *s, zm_growth_prior *out)
{
    zm_error err;

    *out = (zm_growth_prior)ZM_GROWTH_PRIOR_NINE_FIRES;
    return s->prior ? checked(zm_growth_prior_read(s->prior, out, &err), &err) : DONE;
}

/* Every date after the first from the one before it. */
static int hindcast(const tracked_fire *t, const zm_growth_prior *prior,
                    scored_forecast *scored)
{
    for (size_t k = 0; k + 1 < t->dated.n; k++) {
        zm_growth_case *c = NULL;
        zm_growth_area area = ZM_GROWTH_AREA_INIT;
        int code;

        GO(tracked_case(t, k, (double)NAN, prior, &c));
        GO(tracked_score(t, k, c, prior, &scored[k]));
        if (t->out)
            GO(tracked_save(t, k + 2, c, prior, &area));
    done:
        zm_growth_case_destroy(c);
        TRY(code);
    }
    return DONE;
}

/* The growth after the last perimeter. */
static int next_growth(const tracked_fire *t, const zm_growth_prior *prior,
                       zm_growth_area *area)
{
    const size_t last = t->dated.n - 1;
    const double hours = t->s->hours > 0 ? t->s->hours : 24;
    zm_growth_case *c = NULL;
    zm_error err;
    int code;

    area->size = sizeof *area;
    GO(tracked_case(t, last, t->dated.hours[last] + hours, prior, &c));
    GO(t->out ? tracked_save(t, last + 2, c, prior, area)
              : checked(zm_growth_forecast(c, prior, NULL, NULL, area, &err), &err));
done:
    zm_growth_case_destroy(c);
    return code;
}

static int tell(const tracked_fire *t, const scored_forecast *scored,
                const zm_growth_area *area)
{
    const forecast_settings *s = t->s;
    const double ha = t->model.land.cell * t->model.land.cell / 1e4;
    const double hours = s->hours > 0 ? s->hours : 24;
    json j = { 0 };

    note("%zu of %zu states taken up; %g h after the last perimeter %.0f ha more are "
         "expected, with 90 %% between %.0f and %.0f ha",
         t->resumed, t->dated.n, hours, area->expected * ha, area->low * ha,
         area->high * ha);
    if (s->hindcast && (!s->json || strcmp(s->json, "-") != 0))
        forecasts_print(scored, t->dated.n - 1);
    if (!s->json)
        return DONE;
    json_open(&j, NULL, '{');
    json_text(&j, "fire", t->name);
    json_number(&j, "hours", hours);
    json_number(&j, "expected_ha", area->expected * ha);
    json_number(&j, "low_ha", area->low * ha);
    json_number(&j, "high_ha", area->high * ha);
    if (s->hindcast)
        forecasts_json(scored, t->dated.n - 1, &j);
    json_close(&j, '}');
    return json_save(&j, "--json ", s->json);
}

static int forecast_one(const forecast_settings *s)
{
    tracked_fire t = { 0 };
    scored_forecast *scored = NULL;
    zm_growth_area area = ZM_GROWTH_AREA_INIT;
    zm_growth_prior prior;
    int code;

    GO(prior_of(s, &prior));
    GO(tracked_open(&t, s, s->observed, s->out));
    if (t.dated.n == 0)
        GO(failure("%s: two dated perimeters are needed, or more", s->observed));
    scored = grow(NULL, t.dated.n, sizeof *scored);
    GO(tracked_update(&t, &prior));
    if (s->hindcast)
        GO(hindcast(&t, &prior, scored));
    GO(next_growth(&t, &prior, &area));
    GO(tell(&t, scored, &area));
done:
    free(scored);
    tracked_close(&t);
    return code;
}

static int check_settings(const forecast_settings *s, bool many)
{
    names list = observed_fires_in(s->observed);
    const bool folder = list.n && *list.items[0];
    char first[256];

    snprintf(first, sizeof first, "%s", folder ? list.items[0] : "");
    names_free(&list);
    if (s->model.front == ZM_FRONT_MARKERS)
        return usage_error("--front markers has no derivatives: forecasts need "
                           "travel-time");
    if (many && (s->prior || s->hindcast || s->hours > 0))
        return usage_error("--prior, --hindcast and --hours are of one fire, "
                           "--leave-one-out and --learn of a folder of fires");
    if (!many && !s->out && !s->hindcast && !s->json)
        return usage_error("give --out, --hindcast or --json: nothing else is written");
    if (!many && folder)
        return usage_error(
            "%s is a folder of fires, which goes with --leave-one-out or "
            "--learn; without them name one, e.g. %s/%s",
            s->observed, s->observed, first);
    if (many && !folder)
        return usage_error(
            "--leave-one-out and --learn need a folder of observed fires, "
            "and %s is not",
            s->observed);
    return DONE;
}

static int run(const void *settings, char **operands, int n_operands)
{
    const forecast_settings *s = settings;
    const bool many = s->leave_one_out || s->learn;

    (void)operands, (void)n_operands;
    message_quiet(s->quiet);
    TRY(check_settings(s, many));
    return many ? forecast_fires(s) : forecast_one(s);
}

static const forecast_settings defaults = { .model = MODEL_SETTINGS_DEFAULT,
                                            .seed = 1 };

const verb verb_fire_forecast = {
    .name = "fire forecast",
    .summary = "where a fire burns next, from its perimeters so far",
    .usage = "--observed DIR [--out DIR] [options]",
    .description =
        "Perimeters come in one by one. Each updates what is not known of the fire: "
        "rates "
        "of spread of all fuels, of single ones and by sector, wind, moisture; by "
        "Gauss-Newton steps with exact derivatives, from what other fires tell. The "
        "growth "
        "until the next perimeter is then forecast with probabilities. Every step is a "
        "file: with a further perimeter only that is new, and the results are those of "
        "all at once.\n\nScores: Brier skill against persistence (nothing grows), IoU "
        "of "
        "the new growth, fractions skill score in squares of 500 m, reliability; those "
        "of a "
        "buffer about the perimeter, learned from the same fires, stand beside. "
        "--leave-one-out forecasts each fire with what the others tell, "
        "docs/fire-forecast.md has what came of it.",
    .example =
        "  zermelo fire forecast --observed fires/dalmatia --out steps --hindcast\n"
        "  zermelo fire forecast --observed fires --leave-one-out --out left-out\n"
        "  zermelo fire forecast --observed fires --learn prior.json\n",
    .tables = { &forecast_options, &model_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
