/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire predict: arrival times of the fires of a scene. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/picture.h"
#include "common/value.h"
#include "fire/choose_fires.h"
#include "fire/fire_picture.h"
#include "fire/folders.h"
#include "fire/learn/words.h"
#include "fire/physics_model.h"
#include "fire/verbs.h"
#include "zermelo/fire/learn.h"
#include "zermelo/fire/score.h"

typedef struct predict_settings {
    const char *model, *scene, *out, *split, *fire, *isochrones, *plot;
    double t_max;
    int32_t threads;
    bool quiet;
} predict_settings;

#define FIELD(name) offsetof(predict_settings, name)

static const option predict_list[] = {
    { "model", "FILE", OPTION_INPUT, FIELD(model), .required = true,
      .help = "model made by zermelo fire train" },
    { "scene", "DIR", OPTION_VALUE, FIELD(scene), .required = true, .parse = parse_name,
      .expects = "the folder of a scene",
      .help = "scene; landscape.tif, fires.csv and weather/ are enough" },
    { "out", "DIR", OPTION_VALUE, FIELD(out), .required = true, .parse = parse_name,
      .expects = "a folder",
      .help = "folder for FIRE.tif: hours, float32, on the landscape's grid, nodata "
              "-9999" },
    { "split", "WORD", OPTION_VALUE, FIELD(split), .parse = parse_name,
      .expects = "a word of the column split",
      .help = "only fires with this word in the column split; default: all" },
    { "fire", "NAME", OPTION_VALUE, FIELD(fire), .parse = parse_name,
      .expects = "the name of a fire", .help = "only this fire" },
    { "t-max", "H", OPTION_VALUE, FIELD(t_max), .parse = parse_time,
      .expects = "a number of hours or inf",
      .help = "cells reached later have no data; default inf, but models of the form "
              "physics end a quarter of its duration after the fire" },
    { "isochrones", "FILE", OPTION_OUTPUT, FIELD(isochrones),
      .help = "burned areas of the one fire as GeoJSON; up to --t-max, or to its "
              "duration" },
    PLOT_OPTION(FIELD(plot), "picture of the one fire")
    { "threads", "N", OPTION_VALUE, FIELD(threads), .parse = parse_threads,
      .expects = "a whole number >= 1, or all",
      .help = "of the convolutions; default 1" },
    { "quiet", NULL, OPTION_FLAG, FIELD(quiet), .help = "no progress" },
    { 0 }
};
static const option_table predict_options = { "Options", predict_list };

typedef struct predicting {
    const predict_settings *s;
    zm_model *model;
    zm_scene *scene;
    float *T;
    size_t wanted;
} predicting;

/* Latest time that isochrones and pictures show. */
static double shown_until(const predicting *p, const zm_fire *fire)
{
    const zm_landscape *l = zm_scene_landscape(p->scene);

    if (isfinite(p->s->t_max))
        return p->s->t_max;
    if (isfinite(fire->duration) && fire->duration > 0)
        return fire->duration;
    return zm_score_latest(p->T, (size_t)l->rows * (size_t)l->cols);
}

static int save_extras(const predicting *p, const zm_fire *fire)
{
    int code = DONE;

    if (p->s->isochrones)
        code = isochrones_save(p->s->isochrones, zm_scene_landscape(p->scene),
                               zm_scene_georeference(p->scene), p->T,
                               shown_until(p, fire));
#if defined(ZM_WITH_CAIRO)
    if (code == DONE && p->s->plot) {
        const fire_view view = { .land = zm_scene_landscape(p->scene),
                                 .title = fire->name,
                                 .row = fire->row,
                                 .col = fire->col,
                                 .predicted = p->T,
                                 .t_max = shown_until(p, fire) };

        code = fire_picture_save(p->s->plot, &view);
    }
#endif
    return code;
}

static int save_times(const predicting *p, const zm_fire *fire)
{
    const zm_landscape *l = zm_scene_landscape(p->scene);
    static const char *const name = "arrival_h";
    const float *const plane = p->T;
    const zm_raster_planes raster = {
        l->rows, l->cols, 1, &plane, &name, zm_scene_georeference(p->scene)
    };
    const size_t room = strlen(fire->name) + 8;
    char *file = grow(NULL, room, 1), *path;
    zm_error err;
    int code = DONE;

    snprintf(file, room, "%s.tif", fire->name);
    path = path_in(p->s->out, file);
    if (zm_raster_write(path, &raster, &err) < 0)
        code = library_failure(&err);
    free(path);
    free(file);
    return code;
}

static int predict_one(predicting *p, size_t i)
{
    const zm_fire *fire = zm_scene_fire(p->scene, i);
    zm_predict_opts o = ZM_PREDICT_OPTS_INIT;
    zm_error err;
    int code;

    o.t_max = p->s->t_max;
    if (isinf(o.t_max) && zm_model_form_of(p->model) == ZM_MODEL_PHYSICS)
        o.t_max = zm_fire_map_end(fire);
    o.threads = p->s->threads;
    if (zm_model_predict(p->model, zm_scene_landscape(p->scene), fire, p->T, &o, &err) <
        0)
        return library_failure(&err);
    code = save_times(p, fire);
    return code == DONE ? save_extras(p, fire) : code;
}

static int predict_all(predicting *p)
{
    progress bar = progress_begin(p->s->quiet);
    size_t done = 0;
    int code = DONE;

    for (size_t i = 0; code == DONE && i < zm_scene_count(p->scene); i++)
        if (fire_is_chosen(p->scene, i, p->s->split, p->s->fire)) {
            progress_show(&bar, (double)done / (double)p->wanted, "%s",
                          zm_scene_fire(p->scene, i)->name);
            code = maps_interrupted(done++, p->wanted);
            if (code == DONE)
                code = predict_one(p, i);
        }
    progress_end(&bar);
    return code;
}

static int prepare(predicting *p)
{
    const zm_landscape *l;
    zm_error err;

    if (zm_model_load(p->s->model, &p->model, &err) < 0 ||
        zm_scene_open(p->s->scene, &p->scene, &err) < 0)
        return library_failure(&err);
    l = zm_scene_landscape(p->scene);
    p->T = grow(NULL, (size_t)l->rows * (size_t)l->cols, sizeof *p->T);
    p->wanted = fires_chosen(p->scene, p->s->split, p->s->fire);
    if (p->wanted == 0)
        return no_fire_chosen(p->scene, p->s->split, p->s->fire);
    if (p->wanted > 1 && (p->s->isochrones || p->s->plot))
        return failure(
            "--isochrones and --plot show one fire, here are %zu: add --fire",
            p->wanted);
    return make_folder(p->s->out);
}

static int run(const void *settings, char **operands, int n_operands)
{
    predicting p = { .s = settings };
    int code;

    (void)operands, (void)n_operands;
    code = prepare(&p);
    if (code == DONE)
        code = predict_all(&p);
    free(p.T);
    zm_scene_close(p.scene);
    zm_model_destroy(p.model);
    return code;
}

static const predict_settings defaults = { .t_max = INFINITY, .threads = 1 };

const verb verb_fire_predict = {
    .name = "fire predict",
    .summary = "arrival times of fires by a learned model",
    .usage = "--model FILE --scene DIR --out DIR [options]",
    .description = "Predicts when each cell of the landscape burns, for every fire in "
                   "fires.csv, from "
                   "its ignition, its weather and the landscape alone. The weather of "
                   "the last hour "
                   "holds for ever after it.",
    .example = "  zermelo fire simulate --out demo/valley --fires 12 --shape 120,120\n"
               "  zermelo fire train --data demo --model fire.safetensors --epochs 5\n"
               "  zermelo fire predict --model fire.safetensors --scene demo/valley "
               "--out times\n",
    .tables = { &predict_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
