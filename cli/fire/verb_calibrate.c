/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire calibrate: a few factors of the fire model from fires that were observed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/calibrate.h"
#include "fire/choose_fires.h"
#include "fire/rows.h"
#include "fire/verbs.h"
#include "zermelo/fire/evidence.h"

#define FIELD(name) offsetof(calibrate_settings, name)

static const option calibrate_list[] = {
    SCENE_ROW("scene with true times, arrival/"),
    SPLIT_ROW("only fires with this word in the column split; default: all"),
    COUNT_ROW("most", most, "only the first N of them"),
    OBSERVED_ROW("instead of a scene: an observed fire with dated perimeters; with "
                 "--test also a folder of them"),
    COUNT_ROW("intervals", intervals,
              "use the first N intervals between its dates; default all"),
    FLAG_ROW("test", test,
             "fit the first --intervals (default 1) of the observed fire, or of every "
             "one in a folder of fires, and tell the IoU at each later date, beside "
             "the model without factors"),
    FLAG_ROW("restart", restart,
             "with --test: also from the perimeter before each date, fitted to all "
             "intervals before it"),
    COUNT_ROW("recover", recover,
              "with --scene, instead of true times: N times draw factors of 0.5 to 2, "
              "burn the fires with them, and tell how well they come back"),
    JSON_ROW("what is printed as JSON; - is standard output, instead of the table"),
    OUTPUT_ROW("out", out, "calibration as JSON, for --calibration of the other verbs"),
    FLAG_ROW("no-fuels", no_fuels, "no factors of fuels"),
    FLAG_ROW("no-wind", no_wind, "no wind factor"),
    FLAG_ROW("no-moisture", no_moisture, "no offset of the moisture"),
    FLAG_ROW(
        "rate", rate,
        "also a factor on the rates of all fuels, which theirs then are relative to"),
    FLAG_ROW("rate-only", rate_only,
             "a factor on the rates of all fuels and nothing else: what a single "
             "interval can tell"),
    POSITIVE_ROW("rate-spread", "S", rate_spread,
                 "standard deviation of the logarithm of that factor that is expected "
                 "beforehand; default 1"),
    POSITIVE_ROW("fuel-spread", "S", fuel_spread,
                 "the same of the factors of fuels; default 1"),
    POSITIVE_ROW("wind-spread", "S", wind_spread,
                 "the same of the wind factor; default 0.5"),
    POSITIVE_ROW("moisture-spread", "PERCENT", moisture_spread,
                 "standard deviation of the offset of the moisture; default 3"),
    VALUE_ROW("least-cells", "N", least_cells, parse_cells, "a whole number >= 1",
              "fuels with fewer observed cells keep their rates; default 50"),
    VALUE_ROW("least-share", "X", least_share, parse_share,
              "a number from 0 to below 1",
              "so do those with a lower share of the observed cells, whose errors are "
              "mostly their neighbours'; default 0.04, with --recover 0"),
    THREADS_ROW(threads, "fires are shared among them; default 1"),
    QUIET_ROW("no progress"),
    { 0 }
};
static const option_table calibrate_options = { "Options", calibrate_list };

static bool is_wanted(const calibrate_settings *s, const zm_scene *scene, size_t i)
{
    return zm_scene_has_arrival(scene, i) && fire_is_chosen(scene, i, s->split, NULL);
}

static int take_scene(const calibrate_settings *s, const zm_scene *scene,
                      zm_evidence **out)
{
    const size_t all = zm_scene_count(scene);
    size_t *fires = grow(NULL, all + 1, sizeof *fires), n = 0;
    zm_error err;
    int code;

    for (size_t i = 0; i < all; i++)
        if (is_wanted(s, scene, i) && (!s->most || n < (size_t)s->most))
            fires[n++] = i;
    if (n > 0)
        code = checked(zm_scene_evidence(scene, fires, n, out, &err), &err);
    else if (fires_chosen(scene, s->split, NULL) == 0)
        code = no_fire_chosen(scene, s->split, NULL);
    else
        code = failure("%s: no fire with true times to calibrate with", s->scene);
    free(fires);
    return code;
}

static int take_observed(const calibrate_settings *s, const zm_observed *observed,
                         zm_evidence **out)
{
    const size_t all = zm_observed_intervals(observed);
    const size_t wanted = s->intervals ? (size_t)s->intervals : all;
    zm_error err;

    if (all == 0)
        return failure("%s: has no interval between dates to calibrate with",
                       s->observed);
    if (wanted > all)
        return failure("%s: --intervals %d, but it has %zu", s->observed,
                       (int)s->intervals, all);
    return checked(zm_observed_evidence(observed, wanted, out, &err), &err);
}

typedef struct watch {
    progress bar;
    int32_t most;
} watch;

static int show_step(void *ctx, const zm_calibrate_iteration *i)
{
    watch *w = ctx;

    progress_show(&w->bar, (double)i->iteration / w->most, "step %d, %.6g",
                  (int)i->iteration, i->objective);
    return interrupt_pending();
}

/* zm_calibrate_opts.monitor of fits that show nothing. */
static int stop_when_asked(void *ctx, const zm_calibrate_iteration *i)
{
    (void)ctx, (void)i;
    return interrupt_pending();
}

zm_calibrate_opts calibrate_opts_of(const calibrate_settings *s)
{
    zm_calibrate_opts opts = ZM_CALIBRATE_OPTS_INIT;

    opts.threads = s->threads;
    opts.fit_rate = s->rate || s->rate_only;
    opts.fit_fuels = !s->no_fuels && !s->rate_only;
    opts.fit_wind = !s->no_wind && !s->rate_only;
    opts.fit_moisture = !s->no_moisture && !s->rate_only;
    opts.least_share = s->least_share;
    if (s->least_cells)
        opts.least_cells = s->least_cells;
    if (s->fuel_spread > 0)
        opts.fuel_spread = s->fuel_spread;
    if (s->rate_spread > 0)
        opts.rate_spread = s->rate_spread;
    if (s->wind_spread > 0)
        opts.wind_spread = s->wind_spread;
    if (s->moisture_spread > 0)
        opts.moisture_spread = s->moisture_spread;
    opts.monitor = stop_when_asked;
    return opts;
}

static int tell(const calibrate_settings *s, const zm_calibration *c, size_t n_fires)
{
    fit_count fits = { 0 };
    json j = { 0 };
    zm_error err;

    fits_add(&fits, c);
    fits_tell(&fits);
    if (!s->json || strcmp(s->json, "-") != 0)
        calibration_print(c);
    if (s->out)
        TRY(checked(zm_calibration_write(s->out, c, &err), &err));
    if (!s->json)
        return DONE;
    json_open(&j, NULL, '{');
    json_int(&j, "fires", (int64_t)n_fires);
    calibration_json(c, &j);
    json_close(&j, '}');
    return json_save(&j, "--json ", s->json);
}

static int calibrate(const calibrate_settings *s, const fire_model *m,
                     const zm_evidence *evidence)
{
    size_t n;
    const zm_fire_evidence *fires = zm_evidence_fires(evidence, &n);
    zm_calibrate_opts opts = calibrate_opts_of(s);
    watch w = { progress_begin(s->quiet), opts.max_iterations };
    zm_calibration c = ZM_CALIBRATION_INIT;
    zm_error err;
    zm_status st;

    opts.monitor = show_step;
    opts.monitor_ctx = &w;
    st = zm_calibrate(&m->land, fires, n, &c, &m->opts, &opts, &err);
    progress_end(&w.bar);
    if (st == ZM_E_CANCELLED)
        return interrupt_status("stopped");
    TRY(checked(st, &err));
    return tell(s, &c, n);
}

static int recover(const calibrate_settings *s, const fire_model *m,
                   const zm_scene *scene)
{
    const zm_fire **fires = grow(NULL, zm_scene_count(scene) + 1, sizeof *fires);
    size_t n = 0;
    int code;

    for (size_t i = 0; i < zm_scene_count(scene); i++)
        if (fire_is_chosen(scene, i, s->split, NULL) &&
            (!s->most || n < (size_t)s->most))
            fires[n++] = zm_scene_fire(scene, i);
    code =
        n ? calibrate_recover(s, m, fires, n) : no_fire_chosen(scene, s->split, NULL);
    free(fires);
    return code;
}

/* Something is fitted, and no option is of what is not. */
static int check_fitted(const calibrate_settings *s)
{
    const zm_calibrate_opts o = calibrate_opts_of(s);
    const struct {
        bool given;
        int32_t fitted;
        const char *option, *what;
    } all[] = {
        { s->fuel_spread > 0, o.fit_fuels, "--fuel-spread", "factors of fuels" },
        { s->least_cells > 0, o.fit_fuels, "--least-cells", "factors of fuels" },
        { s->least_share >= 0, o.fit_fuels, "--least-share", "factors of fuels" },
        { s->rate_spread > 0, o.fit_rate, "--rate-spread", "a factor of all fuels" },
        { s->wind_spread > 0, o.fit_wind, "--wind-spread", "a wind factor" },
        { s->moisture_spread > 0, o.fit_moisture, "--moisture-spread",
          "an offset of the moisture" },
    };

    if (!o.fit_fuels && !o.fit_wind && !o.fit_moisture && !o.fit_rate)
        return usage_error("--no-fuels, --no-wind and --no-moisture leave nothing to "
                           "fit: add --rate, or leave one out");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].given && !all[i].fitted)
            return usage_error("%s is of %s, not fitted here", all[i].option,
                               all[i].what);
    return DONE;
}

static int check_settings(const calibrate_settings *s)
{
    if (!s->scene == !s->observed)
        return usage_error("give one of --scene and --observed");
    if (s->scene)
        TRY(refuse_moisture_of_scenes(&s->model));
    if (s->intervals && !s->observed)
        return usage_error("--intervals goes with --observed");
    if (s->rate_only && (s->rate || s->no_fuels || s->no_wind || s->no_moisture))
        return usage_error("--rate-only leaves nothing else to choose");
    if (s->test && (!s->observed || s->out))
        return usage_error("--test goes with --observed and without --out");
    if (s->restart && !s->test)
        return usage_error("--restart goes with --test");
    if (s->recover && (!s->scene || s->out))
        return usage_error("--recover goes with --scene and without --out");
    if (s->recover && (s->rate_only || s->no_fuels))
        return usage_error("--recover tells of factors of fuels, which must be fitted");
    if (s->observed && (s->split || s->most))
        return usage_error("--split and --most choose fires of a --scene");
    return check_fitted(s);
}

/* The folder of an observed fire, not one of many. */
static int check_observed(const char *folder)
{
    names list = observed_fires_in(folder);
    int code = DONE;

    if (list.n && *list.items[0])
        code = usage_error("%s is a folder of fires, which goes with --test; without "
                           "it name one, e.g. %s/%s",
                           folder, folder, list.items[0]);
    names_free(&list);
    return code;
}

static int run(const void *settings, char **operands, int n_operands)
{
    const calibrate_settings *s = settings;
    zm_scene *scene = NULL;
    zm_observed *observed = NULL;
    fire_model model = { 0 };
    zm_evidence *e = NULL;
    int code;

    (void)operands, (void)n_operands;
    message_quiet(s->quiet);
    TRY(check_settings(s));
    if (s->test)
        return calibrate_test(s);
    if (s->observed)
        TRY(check_observed(s->observed));
    TRY(s->scene ? scene_open(&s->model, s->scene, &scene)
                 : observed_open(&s->model, s->observed, &observed));
    GO(model_prepare(
        &model, scene ? zm_scene_landscape(scene) : zm_observed_landscape(observed),
        &s->model));
    if (!s->recover)
        GO(scene ? take_scene(s, scene, &e) : take_observed(s, observed, &e));
    GO(s->recover ? recover(s, &model, scene) : calibrate(s, &model, e));
done:
    zm_evidence_destroy(e);
    model_free(&model);
    zm_scene_close(scene);
    zm_observed_close(observed);
    return code;
}

static const calibrate_settings defaults = { .model = MODEL_SETTINGS_DEFAULT,
                                             .threads = 1,
                                             .least_share = -1 };

const verb verb_fire_calibrate = {
    .name = "fire calibrate",
    .summary = "factors of fuels, wind and moisture from observed fires",
    .usage = "--scene DIR | --observed DIR [--out FILE] [options]",
    .description = "Fits a few parameters of the fire model of zermelo fire physics to "
                   "fires whose times or dated perimeters are known: a factor on the "
                   "rate of spread for each fuel model that burned enough, a factor on "
                   "the wind, an offset of the moisture of dead fuel; each with its 95 "
                   "% interval. Gauss-Newton steps with exact derivatives; dates are "
                   "intervals, so nothing is made up between them. --test tells what "
                   "the fit is worth: on dates of real fires that it has not seen.",
    .example =
        "  zermelo fire calibrate --scene valley --most 3 --out factors.json\n"
        "  zermelo fire calibrate --observed fires --test --rate-only --restart\n"
        "  zermelo fire calibrate --scene valley --recover 10 --no-wind "
        "--no-moisture\n",
    .tables = { &calibrate_options, &model_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
