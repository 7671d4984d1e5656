/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire info: what is in a scene, a dataset, an observed fire or a landscape. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/picture.h"
#include "common/value.h"
#include "fire/fire_picture.h"
#include "fire/folders.h"
#include "fire/physics_model.h"
#include "fire/rows.h"
#include "fire/scene_info.h"
#include "fire/verbs.h"
#include "zermelo/fire/score.h"

typedef struct info_settings {
    const char *fire, *isochrones, *json, *plot;
    double step;
} info_settings;

#define FIELD(name) offsetof(info_settings, name)

static const option info_list[] = {
    FIRE_ROW(
        "describe this fire of the scene: its weather hour by hour and how it grew"),
    OUTPUT_ROW("isochrones", isochrones,
               "burned areas of the fire, " ISOCHRONES_HELP "; needs --fire"),
    POSITIVE_ROW("step", "HOURS", step,
                 "time from one isochrone to the next; default: some ten of them"),
    PLOT_OPTION(FIELD(plot),
                "picture: of the fire with --fire, else of fuels and relief")
        JSON_ROW("the same as JSON; - is standard output, instead of the text"),
    { 0 }
};
static const option_table info_options = { "Options", info_list };

typedef struct report {
    const info_settings *settings;
    description d;
} report;

static int save_isochrones(const report *r, const zm_scene *scene, const zm_fire *fire,
                           const float *T)
{
    const zm_landscape *land = zm_scene_landscape(scene);
    const double latest = zm_score_latest(T, (size_t)land->rows * (size_t)land->cols);
    const double step = r->settings->step;

    if (!r->settings->isochrones)
        return DONE;
    return isochrones_save(r->settings->isochrones, land, zm_scene_georeference(scene), fire,
                           T, latest, step > 0 ? step : zm_isochrone_step(latest));
}

static int describe_fire(report *r, const zm_scene *scene, const char *name)
{
    const size_t i = zm_scene_find(scene, name);
    const zm_landscape *land = zm_scene_landscape(scene);
    const zm_fire *fire = zm_scene_fire(scene, i);
    float *T = NULL;
    zm_error err;
    int code = DONE;

    if (!fire)
        return failure("%s has no fire %s; the first of %zu is %s",
                       zm_scene_name(scene), name, zm_scene_count(scene),
                       zm_scene_fire(scene, 0)->name);
    if (r->d.print)
        printf("%s/%s (%s)\n", printable(zm_scene_name(scene)).text,
               printable(name).text, zm_scene_split_word(scene, i));
    json_text(&r->d.j, "fire", name);
    json_text(&r->d.j, "split", zm_scene_split_word(scene, i));
    describe_start(&r->d, fire);
    if (zm_scene_has_arrival(scene, i)) {
        T = grow(NULL, (size_t)land->rows * (size_t)land->cols, sizeof *T);
        GO(checked(zm_scene_arrival(scene, i, T, &err), &err));
        describe_growth(&r->d, land, T);
    }
    describe_weather(&r->d, fire, (size_t)ceil(fmin(fire->duration, 1000)));
    if (r->settings->isochrones && !T)
        GO(failure("--isochrones: %s has no arrival times", name));
    if (T)
        GO(save_isochrones(r, scene, fire, T));
#if defined(ZM_WITH_CAIRO)
    if (r->settings->plot && !T)
        GO(failure("--plot: %s has no arrival times", name));
    GO(fire_picture_save(
        r->settings->plot,
        &(fire_view){ land, name, fire->row, fire->col, T, NULL, INFINITY, NULL, 0 }));
#endif
done:
    free(T);
    return code;
}

/* ---- kinds of paths --------------------------------------------------------------- */

static int describe_scene(report *r, const char *path)
{
    zm_scene *scene;
    int code = DONE;

    TRY(scene_open(NULL, path, &scene));
    json_text(&r->d.j, "kind", "scene");
    json_text(&r->d.j, "name", zm_scene_name(scene));
    if (r->settings->fire) {
        code = describe_fire(r, scene, r->settings->fire);
    } else {
        if (r->d.print)
            printf("%s: scene\n", printable(path).text);
        describe_landscape(&r->d, zm_scene_landscape(scene),
                           zm_scene_georeference(scene));
        describe_fires(&r->d, scene);
#if defined(ZM_WITH_CAIRO)
        code = scene_picture_save(r->settings->plot, scene);
#endif
    }
    zm_scene_close(scene);
    return code;
}

/* A landscape alone; its facts may stand beside it, in a file of the same name. */
static int describe_file(report *r, const char *path)
{
    char json_path[4096];
    zm_scene *scene;
    zm_error err;
    int code = DONE;

    snprintf(json_path, sizeof json_path, "%.*s.json", (int)strlen(path) - 4, path);
    TRY(checked(zm_scene_open_landscape(path, json_path, &scene, &err), &err));
    if (r->d.print)
        printf("%s: landscape\n", printable(path).text);
    json_text(&r->d.j, "kind", "landscape");
    describe_landscape(&r->d, zm_scene_landscape(scene), zm_scene_georeference(scene));
#if defined(ZM_WITH_CAIRO)
    code = scene_picture_save(r->settings->plot, scene);
#endif
    zm_scene_close(scene);
    return code;
}

#if defined(ZM_WITH_CAIRO)
static int draw_observed(const report *r, const zm_observed *observed)
{
    const zm_landscape *land = zm_observed_landscape(observed);
    const zm_fire *fire = zm_observed_fire(observed);
    const size_t cells = (size_t)land->rows * (size_t)land->cols;
    float *T = grow(NULL, cells, sizeof *T);
    fire_view view = { land, fire->name, fire->row, fire->col, T,
                       NULL, INFINITY,   NULL,      0 };
    int code;

    zm_observed_times(observed, T);
    code = fire_picture_save(r->settings->plot, &view);
    free(T);
    return code;
}
#endif

static int describe_observed(report *r, const char *path)
{
    zm_observed *observed;
    const zm_perimeter *perimeters;
    size_t n;
    int code = DONE;

    TRY(observed_open(NULL, path, &observed));
    perimeters = zm_observed_perimeters(observed, &n);
    if (r->d.print)
        printf("%s: observed fire\n", printable(path).text);
    json_text(&r->d.j, "kind", "observed");
    describe_landscape(&r->d, zm_observed_landscape(observed),
                       zm_observed_georeference(observed));
    describe_start(&r->d, zm_observed_fire(observed));
    json_open(&r->d.j, "perimeters", '[');
    for (size_t k = 0; k < n; k++) {
        const double hours = zm_observed_hours(observed)[k];

        if (r->d.print)
            printf("  perimeter %d, %s: %.4g ha, %lld cells; %s%.2f h\n",
                   perimeters[k].sequence, printable(perimeters[k].observed).text,
                   perimeters[k].area / 1e4, (long long)perimeters[k].cells,
                   isnan(hours) ? "time since the start not known, " : "", hours);
        json_open(&r->d.j, NULL, '{');
        json_text(&r->d.j, "observed", perimeters[k].observed);
        json_number(&r->d.j, "hours", hours);
        json_number(&r->d.j, "area_ha", perimeters[k].area / 1e4);
        json_int(&r->d.j, "cells", perimeters[k].cells);
        json_close(&r->d.j, '}');
    }
    json_close(&r->d.j, ']');
    json_int(&r->d.j, "weather_hours", (int64_t)zm_observed_fire(observed)->hours);
    json_int(&r->d.j, "weather_lines_skipped",
             (int64_t)zm_observed_skipped_lines(observed));
    if (r->d.print)
        printf("  weather of %zu hours; %zu lines of its files left out\n",
               zm_observed_fire(observed)->hours, zm_observed_skipped_lines(observed));
#if defined(ZM_WITH_CAIRO)
    if (r->settings->plot)
        code = draw_observed(r, observed);
#endif
    zm_observed_close(observed);
    return code;
}

/* A line and an object of the scene `name` in a dataset. */
static int describe_member(report *r, const char *path, const char *name)
{
    const zm_landscape *land;
    size_t counts[ZM_SPLITS];
    zm_scene *scene;

    TRY(scene_open_in(path, name, &scene));
    land = zm_scene_landscape(scene);
    count_splits(scene, counts);
    if (r->d.print)
        printf("%-28s %5d x %-4d %7g %7.0f %% %6zu %6zu %6zu %6zu\n",
               printable(name).text, land->rows, land->cols, land->cell,
               100 * burnable_share(land), zm_scene_count(scene),
               counts[ZM_SPLIT_TRAIN], counts[ZM_SPLIT_VAL], counts[ZM_SPLIT_TEST]);
    json_open(&r->d.j, NULL, '{');
    json_text(&r->d.j, "name", name);
    json_int(&r->d.j, "rows", land->rows);
    json_int(&r->d.j, "cols", land->cols);
    json_number(&r->d.j, "cell_m", land->cell);
    json_int(&r->d.j, "fires", (int64_t)zm_scene_count(scene));
    json_close(&r->d.j, '}');
    zm_scene_close(scene);
    return DONE;
}

static int describe_dataset(report *r, const char *path)
{
    names scenes = folders_with(path, "fires.csv");
    int code;

    if (scenes.n && r->settings->plot)
        GO(usage_error("--plot is of one scene; %s holds several", path));
    if (scenes.n == 0)
        GO(failure("%s: no scene (fires.csv), observed fire (perimeters.gpkg) or "
                   "folder of scenes",
                   path));
    if (r->d.print)
        printf("%-28s %11s %8s %9s %6s %6s %6s %6s\n", printable(path).text, "cells",
               "cell m", "burnable", "fires", "train", "val", "test");
    json_text(&r->d.j, "kind", "dataset");
    json_open(&r->d.j, "scenes", '[');
    for (size_t i = 0; i < scenes.n; i++)
        GO(describe_member(r, path, scenes.items[i]));
    json_close(&r->d.j, ']');
done:
    names_free(&scenes);
    return code;
}

static int describe(report *r, const char *path)
{
    const char *ending = strrchr(path, '.');

    if (has_file(path, "fires.csv"))
        return describe_scene(r, path);
    if (r->settings->fire)
        return usage_error("--fire is for scenes; %s has no fires.csv", path);
    if (is_observed(path))
        return describe_observed(r, path);
    if (ending && !strcmp(ending, ".tif"))
        return describe_file(r, path);
    return describe_dataset(r, path);
}

static int run(const void *settings, char **operands, int n_operands)
{
    report r = { .settings = settings };
    int code;

    if (n_operands != 1)
        return usage_error("one folder or landscape is needed, not %d", n_operands);
    if ((r.settings->isochrones || r.settings->step > 0) && !r.settings->fire)
        return usage_error("--%s is of a fire; name it with --fire",
                           r.settings->isochrones ? "isochrones" : "step");
    TRY(isochrones_check(r.settings->isochrones));
    r.d.print = !r.settings->json || strcmp(r.settings->json, "-") != 0;
    json_open(&r.d.j, NULL, '{');
    json_text(&r.d.j, "path", operands[0]);
    code = describe(&r, operands[0]);
    json_close(&r.d.j, '}');
    if (code == DONE && r.settings->json)
        return json_save(&r.d.j, "--json ", r.settings->json);
    json_free(&r.d.j);
    return code;
}

static const info_settings defaults = { 0 };

const verb verb_fire_info = {
    .name = "fire info",
    .summary = "what is in a scene, a dataset or an observed fire",
    .usage = "PATH [options]",
    .description = "Reads a scene, a folder of scenes, an observed fire or a landscape "
                   "(landscape.tif) and tells what is in it. Everything is checked as "
                   "for training and prediction, so this is also how to find out what "
                   "is wrong with a dataset of one's own.",
    .example = "  zermelo fire simulate --out valley --fires 2 --shape 80,80 --quiet\n"
               "  zermelo fire info valley --fire f0001 --isochrones f0001.geojson\n",
    .tables = { &info_options },
    .takes_operands = true,
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
