/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire physics: arrival times by the physics of fire, without any training. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/picture.h"
#include "fire/assets.h"
#include "fire/behaviour.h"
#include "fire/burning.h"
#include "fire/choose_fires.h"
#include "fire/folders.h"
#include "fire/rows.h"
#include "fire/sensitivity.h"
#include "fire/spotting_options.h"
#include "fire/verbs.h"
#include "fire/ways.h"

#define FIELD(name) offsetof(physics_settings, name)

static const option from_list[] = {
    SCENE_ROW("scene; landscape.tif, fires.csv and weather/ are enough"),
    OBSERVED_ROW("observed fire: goes on from its first perimeter, with the IoU at "
                 "each later date"),
    INPUT_ROW(
        "landscape", landscape,
        "landscape.tif, or what zermelo fire import takes (.lcp, LANDFIRE); with "
        "--weather and --ignition. It becomes a scene in the folder scene of --out"),
    INPUT_ROW("weather", weather,
              "weather: hours from the ignition on (.csv), whose last one goes on, or with "
              "dates (.wxs, .input, a station's .csv), which must cover the fire"),
    IGNITION_OPTION(FIELD(ignition), "where the fire starts, perhaps several times"),
    START_OPTION(FIELD(times.start)),
    ZONE_OPTION(FIELD(times.zone)),
    CONDITIONING_OPTION(FIELD(times.conditioning)),
    INPUT_ROW("barriers", barriers,
              "points, lines and polygons that no front enters (GeoJSON, GeoPackage, "
              "Shapefile, KML), from a field time_h (hours after the start) or date on; "
              "all cells that they touch"),
    INPUT_ROW("treatments", treatments,
              "polygons with new values in fields fuel, cover_pct, height_m, base_m, "
              "density_kgm3: fuel treatments, for this run alone"),
    SPLIT_ROW("only fires with this word in the column split; default: all"),
    FIRE_ROW("only this fire"),
    { 0 }
};
static const option_table from_options = { "What burns", from_list };

static const option to_list[] = {
    TEXT_ROW(
        "out", "DIR", out, "a folder",
        "folder for FIRE.tif: hours, float32, on the landscape's grid, nodata -9999"),
    POSITIVE_ROW("t-max", "H", t_max,
                 "hours; default the duration of the fire, which maps of --out exceed "
                 "by a quarter, else the hours of weather"),
    FLAG_ROW("until-last", until_last,
             "maps of --out go on until the last cell that the fire can reach, in the weather of "
             "the last hour, 2400 h at most"),
    FLAG_ROW("score", score, "compare with the true times of the scene"),
    FLAG_ROW("each", each, "with --score: a line for each fire as well"),
    JSON_ROW("scores as JSON; - is standard output, instead of the table"),
    OUTPUT_ROW("isochrones", isochrones,
               "burned areas of the one fire, " ISOCHRONES_HELP),
    POSITIVE_ROW("step", "HOURS", step,
                 "time from one isochrone to the next; default: some ten of them"),
    FLAG_ROW("behaviour", behaviour,
             "beside the times of --out FIRE.behaviour.tif: rate of spread, flame length, "
             "fireline intensity, heat per area, direction and crown activity when the "
             "fire arrives"),
    NOT_NEGATIVE_ROW("potential", "HOUR", potential,
                     "the same as potential, of a heading fire in every cell at this hour "
                     "after the start: FIRE.potential.tif"),
    PLOT_OPTION(FIELD(plot),
                "picture of the one fire, with its true or observed perimeters")
        TEXT_ROW(
            "sensitivity", "ASSETS", sensitivity, ASSETS_EXPECTS,
            "what decides when the fire comes there: beside the times of --out "
            "FIRE.sensitivity.tif (minutes later by the rate, wind, moisture and "
            "heading of each cell) and FIRE.sensitivity.csv (by each hour of weather, "
            "moisture and fuel); exact derivatives, one backward pass"),
    OUTPUT_ROW("ways", ways,
               "major flow paths of the one fire: ways of minimum travel time by which most "
               "of it burns, as lines (.geojson, .gpkg)"),
    COUNT_ROW("ways-interval", along.interval,
              "ways to every so many burned cells are followed; default 3"),
    VALUE_ROW("ways-share", "S", along.least, parse_share, "a number from 0 to below 1",
              "ways are shown as far as such a share of these cells burns by them; default "
              "0.02"),
    QUIET_ROW("no progress, no notes"),
    { 0 }
};
static const option_table to_options = { "Results", to_list };

static double until(const burning *b, const zm_fire *fire)
{
    return b->s->t_max > 0 ? b->s->t_max : zm_fire_end(fire);
}

static double map_until(const burning *b, const zm_fire *fire)
{
    return b->s->out && !(b->s->t_max > 0) ? zm_fire_map_end(fire) : until(b, fire);
}

static int score_one(burning *b, size_t i, const zm_fire *fire)
{
    zm_score score = ZM_SCORE_INIT;
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
    size_t burned = 0;
    int code = DONE;

    for (size_t i = 0; i < zm_scene_count(b->scene); i++) {
        const zm_fire *fire = zm_scene_fire(b->scene, i);

        if (!fire_is_chosen(b->scene, i, b->s->split, b->s->fire))
            continue;
        progress_show(&bar, (double)burned / (double)b->wanted, "%s", fire->name);
        GO(b->s->out ? maps_interrupted(burned, b->wanted) : interrupt_check());
        burned++;
        GO(b->s->until_last
               ? burning_solve_all(b, fire, map_until(b, fire), until(b, fire))
               : burning_solve(b, fire, NULL, 0, map_until(b, fire), until(b, fire)));
        GO(burning_save_map(b, fire->name, b->whole));
        GO(burning_save_views(b, fire, fire->name, until(b, fire)));
        GO(behaviour_save(b, fire->name));
        if (b->assets)
            GO(sensitivity_save(b, fire, fire->name));
        if (b->s->score || b->s->json)
            GO(score_one(b, i, fire));
    }
done:
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
    json_text(&j, "scene", zm_scene_folder(b->scene));
    json_number(&j, "seconds_per_fire", b->seconds / (double)b->wanted);
    json_number(&j, "seconds_at_most", b->slowest);
    fire_results_json(&b->results, &j);
    json_close(&j, '}');
    return json_save(&j, "--json ", b->s->json);
}

/* A landscape of its own becomes a scene in a folder beside the results. */
static int import_scene(const physics_settings *s, const char *folder)
{
    zm_import_report report = ZM_IMPORT_REPORT_INIT;
    weather_times times = s->times;
    zm_import_opts o;
    zm_fuel *fuels = NULL;
    size_t n_fuels = 0;
    zm_error err;
    int code;

    if (s->model.fuels)
        TRY(fuels_read(s->model.fuels, &fuels, &n_fuels));
    times.hours = s->t_max;
    GO(import_opts(&times, &s->model.moisture, &s->ignition, fuels, n_fuels, &o));
    code = checked(zm_import_scene(s->landscape, s->weather, -1, -1, folder, &o, &report,
                                   &err),
                   &err);
    if (code == DONE)
        tell_import(&report);
done:
    free(fuels);
    return code;
}

static int check_settings(const physics_settings *s)
{
    const int places = !!s->scene + !!s->observed + !!s->landscape;

    if (places != 1)
        return usage_error("give one of --scene, --observed and --landscape");
    if (s->landscape && (!s->weather || !s->ignition.count || !s->out))
        return usage_error("--landscape needs --weather, --ignition and --out");
    if (!s->landscape && (s->weather || s->ignition.count || times_given(&s->times)))
        return usage_error("--weather, --ignition, --start, --time-zone and --conditioning go "
                           "with --landscape");
    TRY(check_ignition(&s->ignition));
    TRY(isochrones_check(s->isochrones));
    if (s->step > 0 && !s->isochrones)
        return usage_error("--step goes with --isochrones");
    if (s->scene)
        TRY(refuse_moisture_of_scenes(&s->model));
    if (!s->scene && (s->split || s->fire || s->score))
        return usage_error("--split, --fire and --score go with --scene");
    if ((s->behaviour || s->potential >= 0) && !s->out)
        return usage_error("--%s needs --out, where the map goes",
                           s->behaviour ? "behaviour" : "potential");
    if (s->sensitivity && !s->out)
        return usage_error("--sensitivity needs --out, where maps and table go");
    if (s->until_last && (!s->out || s->observed || s->t_max > 0))
        return usage_error("--until-last goes with --out, without --observed and --t-max");
    if (s->each && !s->score)
        return usage_error("--each goes with --score");
    if (!s->out && !s->score && !s->json && !s->isochrones && !s->plot && !s->ways &&
        !s->observed)
        return usage_error("nothing to do: give --out, --score, --json, --isochrones, "
                           "--ways or --plot");
    return ways_check(s);
}

static int prepare_scene(burning *b)
{
    char *own = b->s->landscape ? path_in(b->s->out, "scene") : NULL;
    const char *folder = own ? own : b->s->scene;
    int code = own ? import_scene(b->s, own) : DONE;

    if (code == DONE)
        code = scene_open(&b->s->model, folder, &b->scene);
    free(own);
    TRY(code);
    b->wanted = fires_chosen(b->scene, b->s->split, b->s->fire);
    if (b->wanted == 0)
        return no_fire_chosen(b->scene, b->s->split, b->s->fire);
    if (b->wanted > 1 && (b->s->isochrones || b->s->plot || b->s->ways))
        return usage_error(
            "--isochrones, --plot and --ways show one fire, here are %zu: add --fire",
            b->wanted);
    b->where = zm_scene_georeference(b->scene);
    return model_prepare(&b->model, zm_scene_landscape(b->scene), &b->s->model);
}

static int prepare(burning *b)
{
    zm_error err;

    if (b->s->out)
        TRY(make_folder(b->s->out));
    if (b->s->observed) {
        TRY(observed_open(&b->s->model, b->s->observed, &b->observed));
        b->where = zm_observed_georeference(b->observed);
        TRY(model_prepare(&b->model, zm_observed_landscape(b->observed), &b->s->model));
    } else {
        TRY(prepare_scene(b));
    }
    TRY(burning_treat(b));
    TRY(checked(zm_physics_create(&b->physics, &b->model.land, &b->model.opts, &err),
                &err));
    b->cells = (size_t)b->model.land.rows * (size_t)b->model.land.cols;
    b->whole = grow(NULL, b->cells, sizeof *b->whole);
    b->T = grow(NULL, b->cells, sizeof *b->T);
    b->truth = grow(NULL, b->cells, sizeof *b->truth);
    return b->s->sensitivity
               ? assets_read(b->s->sensitivity, &b->model.land, b->where, &b->assets)
               : DONE;
}

static int run(const void *settings, char **operands, int n_operands)
{
    burning b = { .s = settings };
    int code;

    (void)operands, (void)n_operands;
    message_quiet(b.s->quiet);
    TRY(check_settings(b.s));
    GO(prepare(&b));
    GO(b.observed ? burn_observed(&b) : burn_scene(&b));
    if (b.scene)
        GO(tell_scene(&b));
done:
    free(b.whole);
    free(b.T);
    free(b.truth);
    free(b.assets);
    free(b.barrier);
    free(b.treated);
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

static const physics_settings defaults = { .model = MODEL_SETTINGS_DEFAULT,
                                           .times = WEATHER_TIMES_DEFAULT,
                                           .along = ZM_WAYS_OPTS_INIT,

                                           .potential = -1 };

const verb verb_fire_physics = {
    .name = "fire physics",
    .summary = "arrival times of fires by physics, without training",
    .usage = "--scene DIR --out DIR [options]",
    .description = "Predicts when each cell burns from landscape, weather and ignition "
                   "alone: Rothermel's surface fire with the published fuel models, "
                   "wind under canopies, slope, hourly moisture of dead fuel, crown "
                   "fire. docs/fire-physics.md has the formulas. Nothing is trained; "
                   "zermelo fire calibrate makes factors that --calibration takes.",
    .example = "  zermelo fire physics --scene valley --out times --score\n",
    .tables = { &from_options, &to_options, &factor_options, &model_options,
                &spotting_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
    .release = release,
};
