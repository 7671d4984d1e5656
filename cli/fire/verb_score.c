/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire score: predicted arrival times against the true ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/value.h"
#include "core/file.h"
#include "fire/choose_fires.h"
#include "fire/folders.h"
#include "fire/forecast.h"
#include "fire/physics_model.h"
#include "fire/results.h"
#include "fire/rows.h"
#include "fire/verbs.h"

typedef struct score_settings {
    const char *scene, *predicted, *split, *json, *report, *growth;
    bool each;
} score_settings;

#define FIELD(name) offsetof(score_settings, name)

static const option score_list[] = {
    SCENE_ROW("scene with the true times, arrival/"),
    NEEDED_TEXT_ROW(
        "predicted", "DIR", predicted, "a folder",
        "folder with FIRE.tif for each fire: hours on the landscape's "
        "grid, whole or cropped; nodata: never. With --growth growth-KK.tif "
        "as of zermelo fire forecast"),
    TEXT_ROW("growth", "DIR", growth, "the folder of an observed fire",
             "instead of --scene: score the probabilities with which cells burn until "
             "perimeter KK of this fire, beside persistence and a buffer"),
    SPLIT_ROW("only fires with this word in the column split of fires.csv: train, val, "
              "test; default: all"),
    EACH_ROW,
    JSON_ROW("scores as JSON; - is standard output, instead of the table"),
    REPORT_ROW("folder for report.md, scores.csv, scores.json and figures"),
    { 0 }
};
static const option_table score_options = { "Options", score_list };

/* What is scored, and the maps of up to three fires for the figures. */
typedef struct scoring {
    zm_scene *scene;
    const score_settings *settings;
    fire_results results;
    size_t *fires; /* index in the scene of each result */
    float *maps[3][2];
} scoring;

static size_t cells(const scoring *s)
{
    const zm_landscape *land = zm_scene_landscape(s->scene);

    return (size_t)land->rows * (size_t)land->cols;
}

static char *prediction_path(const scoring *s, size_t i)
{
    const char *name = zm_scene_fire(s->scene, i)->name;
    const size_t room = strlen(s->settings->predicted) + strlen(name) + 8;
    char *path = grow(NULL, room, 1);

    snprintf(path, room, "%s/%s.tif", s->settings->predicted, name);
    return path;
}

/* 1: both maps read; 0: no prediction; -1: failed after a message. */
static int read_maps(const scoring *s, size_t i, float *truth, float *predicted)
{
    char *path = prediction_path(s, i);
    int found = zm_file_exists(path);
    zm_error err;

    if (found) {
        if (zm_scene_arrival(s->scene, i, truth, &err) < 0 ||
            zm_scene_times(s->scene, path, predicted, &err) < 0) {
            library_failure(&err);
            found = -1;
        }
    }
    free(path);
    return found;
}

static int score_one(scoring *s, size_t i, float *truth, float *predicted)
{
    const zm_landscape *land = zm_scene_landscape(s->scene);
    const zm_fire *fire = zm_scene_fire(s->scene, i);
    const int found = read_maps(s, i, truth, predicted);
    zm_score score = ZM_SCORE_INIT;
    zm_error err;

    if (found < 0)
        return FAILED;
    if (found && zm_score_fire(truth, predicted, land->rows, land->cols, fire->row,
                               fire->col, fire->duration, &score, &err) < 0)
        return failure("%s: %s", fire->name, err.text);
    s->fires[s->results.n] = i;
    if (found)
        fire_results_add(&s->results, zm_scene_name(s->scene), fire->name, &score);
    else
        fire_results_add_missing(&s->results, zm_scene_name(s->scene), fire->name,
                                 "no prediction");
    return DONE;
}

static int score_all(scoring *s)
{
    const char *split = s->settings->split;
    size_t scored = 0;

    s->fires = grow(NULL, zm_scene_count(s->scene) + 1, sizeof *s->fires);
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 2; m++)
            s->maps[k][m] = grow(NULL, cells(s), sizeof(float));
    for (size_t i = 0; i < zm_scene_count(s->scene); i++)
        if (fire_is_chosen(s->scene, i, split, NULL))
            TRY(score_one(s, i, s->maps[0][0], s->maps[0][1]));
    if (s->results.n == 0)
        return no_fire_chosen(s->scene, split, NULL);
    for (size_t i = 0; i < s->results.n; i++)
        scored += !s->results.items[i].missing;
    if (scored == 0)
        return failure("%s: no prediction in it; wanted are files like %s.tif",
                       s->settings->predicted, s->results.items[0].fire);
    return DONE;
}

static bool get_maps(void *ctx, size_t i, int slot, const zm_landscape **land,
                     int32_t *row, int32_t *col, const float **truth,
                     const float **predicted)
{
    scoring *s = ctx;
    const zm_fire *fire = zm_scene_fire(s->scene, s->fires[i]);

    *land = zm_scene_landscape(s->scene);
    *row = fire->row;
    *col = fire->col;
    *truth = s->maps[slot][0];
    *predicted = s->maps[slot][1];
    return read_maps(s, s->fires[i], s->maps[slot][0], s->maps[slot][1]) == 1;
}

static int save(scoring *s)
{
    const fire_maps maps = { s, get_maps };
    json j = { 0 };

    if (!s->settings->json || strcmp(s->settings->json, "-") != 0)
        fire_results_print(&s->results, s->settings->each);
    if (s->settings->json) {
        json_open(&j, NULL, '{');
        json_text(&j, "scene", s->settings->scene);
        json_text(&j, "predicted", s->settings->predicted);
        fire_results_json(&s->results, &j);
        json_close(&j, '}');
        TRY(json_save(&j, "--json ", s->settings->json));
    }
    return s->settings->report ? fire_results_report(&s->results, s->settings->report,
                                                     zm_scene_name(s->scene), &maps)
                               : DONE;
}

static int run(const void *settings, char **operands, int n_operands)
{
    scoring s = { .settings = settings };
    int code;

    (void)operands, (void)n_operands;
    if (!s.settings->scene == !s.settings->growth)
        return usage_error("give one of --scene and --growth");
    if (s.settings->growth &&
        (s.settings->split || s.settings->report || s.settings->each))
        return usage_error("--split, --report and --each are of fires of a --scene");
    if (s.settings->growth)
        return score_growth(s.settings->growth, s.settings->predicted,
                            s.settings->json);
    TRY(scene_open(NULL, s.settings->scene, &s.scene));
    GO(score_all(&s));
    GO(save(&s));
done:
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 2; m++)
            free(s.maps[k][m]);
    free(s.fires);
    fire_results_free(&s.results);
    zm_scene_close(s.scene);
    return code;
}

static const score_settings defaults = { 0 };

const verb verb_fire_score = {
    .name = "fire score",
    .summary = "scores of predicted arrival times",
    .usage = "--scene DIR | --growth DIR --predicted DIR [options]",
    .description =
        "Compares predicted arrival times, whoever made them, with the true ones of a "
        "scene: correlation, relative RMSE (over the latest true time), mean absolute "
        "error in hours, IoU of the burned areas at 25, 50, 75 and 100 % of the "
        "duration over the whole landscape, rank correlation. Times are compared in "
        "the cells that burned, without the 3 x 3 block of the ignition; a burned cell "
        "that the prediction never reaches counts as late. Fires without a prediction "
        "and degenerate ones are named.\n\nOver all fires: mean with its 95 % interval "
        "(bootstrap), median.\n\nWith --growth forecasts of an observed fire, whoever "
        "made "
        "them: Brier skill against persistence, IoU of the new growth, fractions skill "
        "score in squares of 500 m, reliability; beside a buffer about the perimeter "
        "whose "
        "spread other fires taught (docs/fire-forecast.md).",
    .example =
        "  zermelo fire simulate --out valley --fires 2 --shape 80,80 --quiet\n"
        "  zermelo fire score --scene valley --predicted valley/arrival --each\n",
    .tables = { &score_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
