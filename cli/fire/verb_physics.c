/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire physics: arrival times by the physics of fire, without any training. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fire/choose_fires.h"
#include "fire/fire_picture.h"
#include "fire/folders.h"
#include "fire/import_options.h"
#include "fire/physics_model.h"
#include "fire/results.h"
#include "fire/verbs.h"
#include "interrupt.h"
#include "message.h"
#include "picture.h"
#include "value.h"

typedef struct physics_settings {
    model_settings model;
    const char *scene, *observed, *landscape, *weather, *out, *split, *fire;
    const char *isochrones, *plot, *json;
    source_list ignition;
    fire_start start;
    double t_max;
    bool score, each, quiet;
} physics_settings;

#define FIELD(name) offsetof(physics_settings, name)

static const option from_list[] = {
    { "scene", "DIR", OPTION_VALUE, FIELD(scene), .parse = parse_name,
      .expects = "the folder of a scene",
      .help = "scene; landscape.tif, fires.csv and weather/ are enough" },
    { "observed", "DIR", OPTION_VALUE, FIELD(observed), .parse = parse_name,
      .expects = "the folder of an observed fire",
      .help = "observed fire: goes on from its first perimeter, with the IoU at each "
              "later date" },
    { "landscape", "FILE", OPTION_INPUT, FIELD(landscape),
      .help =
          "landscape.tif, or what zermelo fire import takes (.lcp, LANDFIRE); "
          "with --weather and --ignition. It becomes a scene in the folder scene of "
          "--out" },
    { "weather", "FILE", OPTION_INPUT, FIELD(weather),
      .help = "weather of the hours from the ignition on (.csv, .wxs); the last one "
              "goes on" },
    { "ignition", "ROW,COL", OPTION_VALUE, FIELD(ignition), .parse = parse_cell,
      .expects = "ROW,COL with whole numbers, e.g. 120,44",
      .help = "cell where the fire starts" },
    START_OPTION(FIELD(start)),
    { "split", "WORD", OPTION_VALUE, FIELD(split), .parse = parse_name,
      .expects = "a word of the column split",
      .help = "only fires with this word in the column split; default: all" },
    { "fire", "NAME", OPTION_VALUE, FIELD(fire), .parse = parse_name,
      .expects = "the name of a fire", .help = "only this fire" },
    { 0 }
};
static const option_table from_options = { "What burns", from_list };

static const option to_list[] = {
    { "out", "DIR", OPTION_VALUE, FIELD(out), .parse = parse_name,
      .expects = "a folder",
      .help = "folder for FIRE.tif: hours, float32, on the landscape's grid, nodata "
              "-9999" },
    { "t-max", "H", OPTION_VALUE, FIELD(t_max), .parse = parse_positive,
      .expects = "a number above 0",
      .help =
          "hours; default the duration of the fire, which maps of --out exceed by a "
          "quarter, else the hours of weather" },
    { "score", NULL, OPTION_FLAG, FIELD(score),
      .help = "compare with the true times of the scene" },
    { "each", NULL, OPTION_FLAG, FIELD(each),
      .help = "with --score: a line for each fire as well" },
    { "json", "FILE", OPTION_OUTPUT, FIELD(json), .dash_allowed = true,
      .help = "scores as JSON; - is standard output, instead of the table" },
    { "isochrones", "FILE", OPTION_OUTPUT, FIELD(isochrones),
      .help = "burned areas of the one fire as GeoJSON" },
#if defined(ZM_WITH_CAIRO)
    { "plot", "FILE", OPTION_OUTPUT, FIELD(plot), .parse = parse_picture,
      .expects = "a file name that ends in .png, .svg or .pdf",
      .help = "picture of the one fire, with its true or observed perimeters" },
#endif
    { "quiet", NULL, OPTION_FLAG, FIELD(quiet), .help = "no progress, no notes" },
    { 0 }
};
static const option_table to_options = { "Results", to_list };

/** One run. */
typedef struct burning {
    const physics_settings *s;
    zm_scene *scene;
    zm_observed *observed;
    fire_model model;
    zm_physics *physics;
    const zm_georeference *where;
    size_t cells, wanted;
    double *times, seconds, slowest; /* processor time: of all fires, of one */
    float *T, *truth;
    fire_results results;
} burning;

static double until(const burning *b, const zm_fire *fire)
{
    return b->s->t_max > 0 ? b->s->t_max : zm_fire_end(fire);
}

static double map_until(const burning *b, const zm_fire *fire)
{
    return b->s->out && !(b->s->t_max > 0) ? map_end(fire) : until(b, fire);
}

static void forget_later(burning *b, double t_max)
{
    for (size_t i = 0; i < b->cells; i++)
        if (b->times[i] > t_max)
            b->T[i] = INFINITY;
}

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Times of a fire up to t_max into b->T. */
static int burn(burning *b, const zm_fire *fire, const zm_source *sources, size_t n,
                double t_max)
{
    const double started = processor_seconds();
    double seconds;
    zm_error err;
    zm_status st = zm_physics_set_fire(b->physics, fire, &b->model.params, t_max, &err);

    if (st >= 0)
        st = zm_physics_arrival(b->physics, sources, n, t_max, b->times, &err);
    if (st < 0)
        return failure("%s: %s", fire->name ? fire->name : "fire", err.text);
    if (st > 0)
        warning("%s: %s", fire->name ? fire->name : "fire", err.text);
    seconds = processor_seconds() - started;
    b->seconds += seconds;
    b->slowest = fmax(b->slowest, seconds);
    for (size_t i = 0; i < b->cells; i++)
        b->T[i] = (float)b->times[i];
    return DONE;
}

static int save_map(const burning *b, const char *name)
{
    static const char *const band = "arrival_h";
    const float *const plane = b->T;
    const size_t room = strlen(name) + 8;
    char *file;
    int code;

    if (!b->s->out)
        return DONE;
    file = grow(NULL, room, 1);
    snprintf(file, room, "%s.tif", name);
    code = planes_save(b->s->out, file, &b->model.land, b->where, 1, &plane, &band);
    free(file);
    return code;
}

/* Perimeters up to --t-max; those whose date is not known count. */
static size_t count_dates(const burning *b)
{
    const double *hours = zm_observed_hours(b->observed);
    size_t n, used = 0;

    zm_observed_perimeters(b->observed, &n);
    while (used < n && !(b->s->t_max > 0 && hours[used] > b->s->t_max))
        used++;
    return used;
}

#if defined(ZM_WITH_CAIRO)
/* What is known of the fire up to t_max into b->truth; false: nothing is. */
static bool read_truth(burning *b, const zm_fire *fire, double t_max)
{
    const size_t i = b->scene ? zm_scene_find(b->scene, fire->name) : 0;

    if (b->observed)
        observed_times(b->observed, b->truth);
    else if (!zm_scene_has_arrival(b->scene, i) ||
             zm_scene_arrival(b->scene, i, b->truth, NULL) < 0)
        return false;
    for (size_t k = 0; k < b->cells; k++)
        if ((double)b->truth[k] > t_max)
            b->truth[k] = INFINITY;
    return true;
}

/* The fire, with what is known of it as perimeters. */
static int save_picture(burning *b, const zm_fire *fire, const char *name, double t_max)
{
    const size_t n = b->observed ? count_dates(b) : 0;
    double *dates = grow(NULL, n + 1, sizeof *dates);
    const fire_view view = { .land = &b->model.land,
                             .title = name,
                             .row = fire->row,
                             .col = fire->col,
                             .truth = read_truth(b, fire, t_max) ? b->truth : NULL,
                             .predicted = b->T,
                             .t_max = t_max,
                             .dates = b->observed ? dates : NULL,
                             .n_dates = n };
    int code;

    for (size_t k = 0; k < n; k++)
        dates[k] = observed_hour(b->observed, k);
    code = fire_picture_save(b->s->plot, &view);
    free(dates);
    return code;
}
#endif

/* Isochrones and picture. */
static int save_views(burning *b, const zm_fire *fire, const char *name, double t_max)
{
    int code = DONE;

    (void)fire, (void)name; /* without Cairo */
    if (b->s->isochrones)
        code = isochrones_save(b->s->isochrones, &b->model.land, b->where, b->T, t_max);
#if defined(ZM_WITH_CAIRO)
    if (code == DONE && b->s->plot)
        code = save_picture(b, fire, name, t_max);
#endif
    return code;
}

static int score_one(burning *b, size_t i, const zm_fire *fire)
{
    zm_score score;
    zm_error err;

    if (!zm_scene_has_arrival(b->scene, i)) {
        fire_results_add_missing(&b->results, zm_scene_name(b->scene), fire->name,
                                 "no true times");
        return DONE;
    }
    if (zm_scene_arrival(b->scene, i, b->truth, &err) < 0 ||
        zm_score_fire(b->truth, b->T, b->model.land.rows, b->model.land.cols, fire->row,
                      fire->col, fire->duration, &score, &err) < 0)
        return failure("%s: %s", fire->name, err.text);
    fire_results_add(&b->results, zm_scene_name(b->scene), fire->name, &score);
    return DONE;
}

static int burn_scene(burning *b)
{
    progress bar = progress_begin(b->s->quiet);
    size_t done = 0;
    int code = DONE;

    for (size_t i = 0; code == DONE && i < zm_scene_count(b->scene); i++) {
        const zm_fire *fire = zm_scene_fire(b->scene, i);

        if (!fire_is_chosen(b->scene, i, b->s->split, b->s->fire))
            continue;
        progress_show(&bar, (double)done / (double)b->wanted, "%s", fire->name);
        code = b->s->out ? maps_interrupted(done, b->wanted) : interrupt_check();
        done++;
        if (code == DONE)
            code = burn(b, fire, NULL, 0, map_until(b, fire));
        if (code == DONE)
            code = save_map(b, fire->name);
        forget_later(b, until(b, fire));
        if (code == DONE)
            code = save_views(b, fire, fire->name, until(b, fire));
        if (code == DONE && (b->s->score || b->s->json))
            code = score_one(b, i, fire);
    }
    progress_end(&bar);
    return code;
}

static int tell_scene(burning *b)
{
    json j = { 0 };

    note("%zu fire%s, %.3f s of processor time each, at most %.3f s", b->wanted,
         b->wanted == 1 ? "" : "s", b->seconds / (double)b->wanted, b->slowest);
    if (b->s->score && !(b->s->json && !strcmp(b->s->json, "-")))
        fire_results_print(&b->results, b->s->each);
    if (!b->s->json)
        return DONE;
    json_open(&j, NULL, '{');
    json_string(&j, "scene", zm_scene_folder(b->scene));
    json_number(&j, "seconds_per_fire", b->seconds / (double)b->wanted);
    json_number(&j, "seconds_at_most", b->slowest);
    fire_results_json(&b->results, &j);
    json_close(&j, '}');
    return json_save(&j, "--json ", b->s->json);
}

/* A line: the mean, and the IoU at each date. */
static void print_observed(const char *name, const double *iou, const double *hours,
                           size_t n, const zm_observed_score *score)
{
    if (isfinite(score->mean_iou))
        printf("%-16s mean IoU %.3f", name, score->mean_iou);
    else
        printf("%-16s no later date to compare with", name);
    if (isfinite(score->equal_area_iou))
        printf(", equal area %.3f", score->equal_area_iou);
    printf("  ");
    for (size_t k = 0; k < n; k++)
        if (isfinite(iou[k]))
            printf(" %.2f@%.0fh", iou[k], hours[k]);
    printf("\n");
}

static int tell_observed(burning *b, const char *name, const double *iou, size_t n,
                         const zm_observed_score *score)
{
    const double *hours = zm_observed_hours(b->observed);
    json j = { 0 };

    if (!b->s->json || strcmp(b->s->json, "-") != 0)
        print_observed(name, iou, hours, n, score);
    if (!b->s->json)
        return DONE;
    json_open(&j, NULL, '{');
    json_string(&j, "fire", name);
    json_number(&j, "mean_iou", score->mean_iou);
    json_number(&j, "equal_area_iou", score->equal_area_iou);
    json_open(&j, "dates", '[');
    for (size_t k = 0; k < n; k++) {
        json_open(&j, NULL, '{');
        json_number(&j, "hours", hours[k]);
        json_number(&j, "iou", iou[k]);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    return json_save(&j, "--json ", b->s->json);
}

static int score_observed(burning *b, const char *name)
{
    const int has_start = zm_observed_has_start(b->observed);
    const size_t n = count_dates(b);
    size_t all;
    const zm_perimeter *p = zm_observed_perimeters(b->observed, &all);
    const uint8_t **masks = grow(NULL, n + 1, sizeof *masks);
    double *iou = grow(NULL, n + 1, sizeof *iou);
    zm_observed_score score = { .mean_iou = NAN, .equal_area_iou = NAN };
    zm_error err;
    int code = DONE;

    for (size_t k = 0; k < n; k++) {
        masks[k] = p[k].mask;
        iou[k] = NAN;
    }
    if (n > (size_t)has_start &&
        zm_score_observed(masks, zm_observed_hours(b->observed), n, has_start, b->T,
                          b->cells, iou, &score, &err) < 0)
        code = library_failure(&err);
    if (code == DONE)
        code = tell_observed(b, name, iou, n, &score);
    free(masks);
    free(iou);
    return code;
}

/* To the end of the weather, as areas are also compared apart from dates; maps end with the last
 * date. */
static int burn_observed(burning *b)
{
    const zm_fire *fire = zm_observed_fire(b->observed);
    char *name = last_name(b->s->observed);
    const double end = observed_end(b->observed);
    const double t_max = b->s->t_max > 0 ? b->s->t_max
                         : end > 0       ? end
                                         : (double)fire->hours;
    size_t n;
    zm_source *sources;
    int code = observed_sources(b->observed, &sources, &n);

    if (code == DONE)
        code = burn(b, fire, sources, n, fmax(t_max, (double)fire->hours));
    if (code == DONE)
        code = score_observed(b, name);
    forget_later(b, t_max);
    if (code == DONE)
        code = save_map(b, name);
    if (code == DONE)
        code = save_views(b, fire, name, t_max);
    free(name);
    free(sources);
    return code;
}

/* A landscape of its own becomes a scene in a folder beside the results. */
static int import_scene(const physics_settings *s, const char *folder)
{
    const zm_source *at = s->ignition.items;
    zm_fuel *fuels = NULL;
    size_t n_fuels = 0;
    int code = s->model.fuels ? fuels_read(s->model.fuels, &fuels, &n_fuels) : DONE;

    if (code == DONE) {
        const zm_import_opts o =
            import_opts(&s->start, &s->model.moisture, fuels, n_fuels);
        zm_import_report report;
        zm_error err;

        if (zm_import_scene(s->landscape, s->weather, (int32_t)at->row,
                            (int32_t)at->col, folder, &o, &report, &err) < 0)
            code = library_failure(&err);
        else
            tell_import(&report);
    }
    free(fuels);
    return code;
}

static int check_settings(const physics_settings *s)
{
    const int places = !!s->scene + !!s->observed + !!s->landscape;

    if (places != 1)
        return usage_error("give one of --scene, --observed and --landscape");
    if (s->landscape && (!s->weather || s->ignition.count != 1 || !s->out))
        return usage_error("--landscape needs --weather, one --ignition and --out");
    if (!s->landscape && (s->weather || s->ignition.count || s->start.month))
        return usage_error("--weather, --ignition and --start go with --landscape");
    if (s->scene && refuse_moisture_of_scenes(&s->model) != DONE)
        return USAGE;
    if (!s->scene && (s->split || s->fire || s->score))
        return usage_error("--split, --fire and --score go with --scene");
    if (s->each && !s->score)
        return usage_error("--each goes with --score");
    if (!s->out && !s->score && !s->json && !s->isochrones && !s->plot && !s->observed)
        return usage_error(
            "nothing to do: give --out, --score, --json, --isochrones or "
            "--plot");
    return DONE;
}

static int prepare_scene(burning *b)
{
    char *own = b->s->landscape ? path_in(b->s->out, "scene") : NULL;
    const char *folder = own ? own : b->s->scene;
    int code = own ? import_scene(b->s, own) : DONE;

    if (code == DONE)
        code = scene_open(&b->s->model, folder, &b->scene);
    free(own);
    if (code != DONE)
        return code;
    b->wanted = fires_chosen(b->scene, b->s->split, b->s->fire);
    if (b->wanted == 0)
        return no_fire_chosen(b->scene, b->s->split, b->s->fire);
    if (b->wanted > 1 && (b->s->isochrones || b->s->plot))
        return usage_error("--isochrones and --plot show one fire, here are %zu: add "
                           "--fire",
                           b->wanted);
    b->where = zm_scene_georeference(b->scene);
    return model_prepare(&b->model, zm_scene_landscape(b->scene), &b->s->model);
}

static int prepare(burning *b)
{
    zm_error err;
    int code = b->s->out ? make_folder(b->s->out) : DONE;

    if (code == DONE && b->s->observed) {
        code = observed_open(&b->s->model, b->s->observed, &b->observed);
        if (code != DONE)
            return code;
        b->where = zm_observed_georeference(b->observed);
        code =
            model_prepare(&b->model, zm_observed_landscape(b->observed), &b->s->model);
    } else if (code == DONE) {
        code = prepare_scene(b);
    }
    if (code != DONE)
        return code;
    if (zm_physics_create(&b->physics, &b->model.land, &b->model.opts, &err) < 0)
        return library_failure(&err);
    b->cells = (size_t)b->model.land.rows * (size_t)b->model.land.cols;
    b->times = grow(NULL, b->cells, sizeof *b->times);
    b->T = grow(NULL, b->cells, sizeof *b->T);
    b->truth = grow(NULL, b->cells, sizeof *b->truth);
    return DONE;
}

static int run(const void *settings, char **operands, int n_operands)
{
    burning b = { .s = settings };
    int code = check_settings(b.s);

    (void)operands, (void)n_operands;
    message_quiet(b.s->quiet);
    if (code == DONE)
        code = prepare(&b);
    if (code == DONE && b.observed)
        code = burn_observed(&b);
    else if (code == DONE)
        code = burn_scene(&b);
    if (code == DONE && b.scene)
        code = tell_scene(&b);
    free(b.times);
    free(b.T);
    free(b.truth);
    fire_results_free(&b.results);
    zm_physics_destroy(b.physics);
    model_free(&b.model);
    zm_scene_close(b.scene);
    zm_observed_close(b.observed);
    return code;
}

static void release(void *settings)
{
    free(((physics_settings *)settings)->ignition.items);
}

static const physics_settings defaults = { .model = MODEL_SETTINGS_DEFAULT };

const verb verb_fire_physics = {
    .name = "fire physics",
    .summary = "arrival times of fires by physics, without training",
    .usage = "--scene DIR --out DIR [options]",
    .description =
        "Predicts when each cell burns from landscape, weather and ignition alone: "
        "Rothermel's surface fire with the published fuel models, wind under canopies, "
        "slope, hourly moisture of dead fuel, crown fire. docs/fire-physics.md has the "
        "formulas. Nothing is trained; zermelo fire calibrate makes factors that "
        "--calibration takes.",
    .example = "  zermelo fire physics --scene valley --out times --score\n",
    .tables = { &from_options, &to_options, &factor_options, &model_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
    .release = release,
};
