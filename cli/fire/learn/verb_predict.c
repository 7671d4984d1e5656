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
#include "fire/rows.h"
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
    NEEDED_TEXT_ROW("scene", "DIR", scene, "the folder of a scene",
                    "scene; landscape.tif, fires.csv and weather/ are enough"),
    NEEDED_TEXT_ROW(
        "out", "DIR", out, "a folder",
        "folder for FIRE.tif: hours, float32, on the landscape's grid, nodata -9999"),
    SPLIT_ROW("only fires with this word in the column split; default: all"),
    FIRE_ROW("only this fire"),
    VALUE_ROW("t-max", "H", t_max, parse_time, "a number of hours or inf",
              "cells reached later have no data; default inf, but models of the form "
              "physics end a quarter of its duration after the fire"),
    OUTPUT_ROW(
        "isochrones", isochrones,
        "burned areas of the one fire up to --t-max, or to its duration, " ISOCHRONES_HELP),
    PLOT_OPTION(FIELD(plot), "picture of the one fire")
    THREADS_ROW(threads, "of the convolutions; default 1"),
    QUIET_ROW("no progress"),
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
    if (p->s->isochrones)
        TRY(isochrones_save(p->s->isochrones, zm_scene_landscape(p->scene),
                            zm_scene_georeference(p->scene), fire, p->T,
                            shown_until(p, fire), 0));
#if defined(ZM_WITH_CAIRO)
    if (p->s->plot) {
        const fire_view view = { .land = zm_scene_landscape(p->scene),
                                 .title = fire->name,
                                 .row = fire->row,
                                 .col = fire->col,
                                 .predicted = p->T,
                                 .t_max = shown_until(p, fire) };

        TRY(fire_picture_save(p->s->plot, &view));
    }
#endif
    return DONE;
}

static int predict_one(predicting *p, size_t i)
{
    const zm_fire *fire = zm_scene_fire(p->scene, i);
    zm_predict_opts o = ZM_PREDICT_OPTS_INIT;
    zm_error err;

    o.t_max = p->s->t_max;
    if (isinf(o.t_max))
        o.t_max = zm_model_map_end(p->model, fire);
    o.threads = p->s->threads;
    TRY(checked(
        zm_model_predict(p->model, zm_scene_landscape(p->scene), fire, p->T, &o, &err),
        &err));
    TRY(times_save(p->s->out, fire->name, zm_scene_landscape(p->scene),
                   zm_scene_georeference(p->scene), p->T));
    return save_extras(p, fire);
}

static int predict_all(predicting *p)
{
    progress bar = progress_begin(p->s->quiet);
    size_t written = 0;
    int code = DONE;

    for (size_t i = 0; i < zm_scene_count(p->scene); i++)
        if (fire_is_chosen(p->scene, i, p->s->split, p->s->fire)) {
            progress_show(&bar, (double)written / (double)p->wanted, "%s",
                          zm_scene_fire(p->scene, i)->name);
            GO(maps_interrupted(written++, p->wanted));
            GO(predict_one(p, i));
        }
done:
    progress_end(&bar);
    return code;
}

static int prepare(predicting *p)
{
    const zm_landscape *l;
    zm_error err;

    TRY(isochrones_check(p->s->isochrones));
    TRY(checked(zm_model_load(p->s->model, &p->model, &err), &err));
    TRY(scene_open(NULL, p->s->scene, &p->scene));
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
    GO(prepare(&p));
    GO(predict_all(&p));
done:
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
                   "fires.csv, from its ignition, its weather and the landscape alone. "
                   "The weather of the last hour holds for ever after it.",
    .example = "  zermelo fire simulate --out demo/valley --fires 12 --shape 120,120\n"
               "  zermelo fire train --data demo --model fire.safetensors --epochs 5\n"
               "  zermelo fire predict --model fire.safetensors --scene demo/valley "
               "--out times\n",
    .tables = { &predict_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
