/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire evaluate: scores of a model, and of baselines, on the fires of scenes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/choose_fires.h"
#include "fire/learn/evaluate_observed.h"
#include "fire/learn/words.h"
#include "fire/physics_model.h"
#include "fire/results.h"
#include "fire/rows.h"
#include "fire/verbs.h"
#include "zermelo/fire/learn.h"

#define FIELD(name) offsetof(evaluate_settings, name)

static const option evaluate_list[] = {
    DATA_ROW,
    SCENES_ROW("scenes; a last * stands for any ending; default: all"),
    SPLIT_ROW("fires with this word in the column split; default test"),
    INPUT_ROW("model", model, "model; without it, baselines only"),
    TEXT_ROW("observed", "A,B", observed, "names of observed fires, or all",
             "observed fires of --data instead of scenes: IoU at every date"),
    VALUE_ROW("bands", "W,S", bands, parse_bands,
              "two numbers in (0, 1], the second at least 0.001",
              "temporal bands of W of the latest time, every S, each from the true "
              "perimeter, instead of whole fires; no baselines"),
    FLAG_ROW("no-baselines", no_baselines,
             "the model only; else also distance (one speed a scene) and the best "
             "ellipse of each scene, fitted to its fires of split train"),
    EACH_ROW,
    JSON_ROW("scores as JSON; - is standard output, instead of the tables"),
    REPORT_ROW(
        "folder for report.md, scores.csv, scores.json and figures of the model"),
    THREADS_ROW(threads, "of the convolutions; default 1"),
    QUIET_ROW("no progress"),
    { 0 }
};
static const option_table evaluate_options = { "Options", evaluate_list };

enum { METHODS = 3 }; /* the model, distance, ellipse */
static const char *const method_names[METHODS] = { "model", "distance", "ellipse" };

/* Which fire a result is of. */
typedef struct where {
    size_t scene, fire;
} where;

typedef struct evaluation {
    const evaluate_settings *s;
    zm_model *model;
    names scenes;
    zm_scene **opened;
    size_t n_opened;
    fire_results results[METHODS];
    where *fires;
    size_t n_fires, room;
    zm_baseline baselines[METHODS];
    float *maps[3][2];
    size_t map_cells;
} evaluation;

static size_t cells_of(const zm_scene *scene)
{
    const zm_landscape *l = zm_scene_landscape(scene);

    return (size_t)l->rows * (size_t)l->cols;
}

static zm_status predict(const evaluation *e, int method, const zm_scene *scene,
                         const zm_fire *fire, float *T, zm_error *err)
{
    zm_predict_opts o = ZM_PREDICT_OPTS_INIT;

    o.threads = e->s->threads;
    if (method == 0)
        return zm_model_predict(e->model, zm_scene_landscape(scene), fire, T, &o, err);
    zm_baseline_predict(&e->baselines[method], zm_scene_landscape(scene), fire,
                        INFINITY, T);
    return ZM_OK;
}

static bool is_used(const evaluation *e, int method)
{
    return method == 0 ? e->model != NULL
                       : !e->s->no_baselines && !(e->s->bands[0] > 0);
}

/* A result for each temporal band in which something burns. */
static int score_bands(evaluation *e, size_t at, const zm_fire *fire,
                       const float *truth)
{
    const zm_landscape *l = zm_scene_landscape(e->opened[at]);
    const double latest = zm_score_latest(truth, (size_t)l->rows * (size_t)l->cols);
    zm_predict_opts o = ZM_PREDICT_OPTS_INIT;
    double from, to;
    zm_error err;

    o.threads = e->s->threads;
    for (int32_t k = 0;
         zm_band_times(latest, e->s->bands[0], e->s->bands[1], k, &from, &to); k++) {
        zm_score score = ZM_SCORE_INIT;
        char name[128];

        TRY(checked(
            zm_model_score_band(e->model, l, fire, truth, from, to, &score, &o, &err),
            &err));
        snprintf(name, sizeof name, "%s %.3g-%.3g h", fire->name, from, to);
        if (score.burned)
            fire_results_add(&e->results[0], e->scenes.items[at], name, &score);
        TRY(interrupt_check());
    }
    return DONE;
}

static int score_fire(evaluation *e, size_t at, size_t i, float *truth,
                      float *predicted)
{
    const zm_scene *scene = e->opened[at];
    const zm_landscape *l = zm_scene_landscape(scene);
    const zm_fire *fire = zm_scene_fire(scene, i);
    zm_error err;

    TRY(checked(zm_scene_arrival(scene, i, truth, &err), &err));
    if (e->n_fires == e->room)
        e->fires = grow(e->fires, e->room = 2 * e->room + 64, sizeof *e->fires);
    e->fires[e->n_fires++] = (where){ at, i };
    if (e->s->bands[0] > 0)
        return score_bands(e, at, fire, truth);
    for (int m = 0; m < METHODS; m++) {
        zm_score score = ZM_SCORE_INIT;

        if (!is_used(e, m))
            continue;
        TRY(checked(predict(e, m, scene, fire, predicted, &err), &err));
        TRY(checked(zm_score_fire(truth, predicted, l->rows, l->cols, fire->row,
                                  fire->col, fire->duration, &score, &err),
                    &err));
        fire_results_add(&e->results[m], e->scenes.items[at], fire->name, &score);
    }
    return interrupt_check();
}

static int fit_baselines(evaluation *e, const zm_scene *scene)
{
    zm_error err;

    for (int m = 1; m < METHODS && is_used(e, m); m++)
        if (zm_baseline_fit(m == 1 ? ZM_BASELINE_DISTANCE : ZM_BASELINE_ELLIPSE, scene,
                            ZM_SPLIT_TRAIN, &e->baselines[m], &err) < 0)
            return failure("%s; --no-baselines leaves them out", err.text);
    return DONE;
}

static int score_scene(evaluation *e, size_t at, progress *bar)
{
    const zm_scene *scene = e->opened[at];
    float *truth = grow(NULL, cells_of(scene), sizeof *truth);
    float *predicted = grow(NULL, cells_of(scene), sizeof *predicted);
    int code;

    GO(fit_baselines(e, scene));
    for (size_t i = 0; i < zm_scene_count(scene); i++)
        if (fire_is_chosen(scene, i, e->s->split, NULL)) {
            progress_show(bar, (double)at / (double)e->scenes.n, "%s %s",
                          e->scenes.items[at], zm_scene_fire(scene, i)->name);
            GO(score_fire(e, at, i, truth, predicted));
        }
done:
    free(truth);
    free(predicted);
    return code;
}

/* fire_maps.get */
static bool get_maps(void *ctx, size_t i, int slot, const zm_landscape **land,
                     int32_t *row, int32_t *col, const float **truth,
                     const float **predicted)
{
    evaluation *e = ctx;
    const zm_scene *scene = e->opened[e->fires[i].scene];
    const zm_fire *fire = zm_scene_fire(scene, e->fires[i].fire);

    for (int m = 0; m < 2; m++)
        e->maps[slot][m] = grow(e->maps[slot][m], cells_of(scene), sizeof(float));
    *land = zm_scene_landscape(scene);
    *row = fire->row;
    *col = fire->col;
    *truth = e->maps[slot][0];
    *predicted = e->maps[slot][1];
    return zm_scene_arrival(scene, e->fires[i].fire, e->maps[slot][0], NULL) >= 0 &&
           predict(e, 0, scene, fire, e->maps[slot][1], NULL) >= 0;
}

static int save(evaluation *e)
{
    const fire_maps maps = { e, get_maps };
    json j = { 0 };

    for (int m = 0; m < METHODS && (!e->s->json || strcmp(e->s->json, "-") != 0); m++)
        if (is_used(e, m)) {
            printf("%s%s\n", m ? "\n" : "", method_names[m]);
            fire_results_print(&e->results[m], e->s->each);
        }
    if (e->s->json) {
        json_open(&j, NULL, '{');
        if (e->s->model)
            json_text(&j, "model_file", e->s->model);
        json_text(&j, "split", e->s->split);
        for (int m = 0; m < METHODS; m++)
            if (is_used(e, m)) {
                json_open(&j, method_names[m], '{');
                fire_results_json(&e->results[m], &j);
                json_close(&j, '}');
            }
        json_close(&j, '}');
        TRY(json_save(&j, "--json ", e->s->json));
    }
    if (e->s->report)
        TRY(fire_results_report(&e->results[is_used(e, 0) ? 0 : 1], e->s->report,
                                e->s->model ? e->s->model : "baselines",
                                is_used(e, 0) && !(e->s->bands[0] > 0) ? &maps : NULL));
    return flush_output();
}

static int score_scenes(evaluation *e)
{
    progress bar = progress_begin(e->s->quiet);
    int code;

    GO(choose_scenes(e->s->data, e->s->scenes, &e->scenes));
    e->opened = grow(NULL, e->scenes.n + 1, sizeof *e->opened);
    for (size_t i = 0; i < e->scenes.n; i++) {
        GO(scene_open_in(e->s->data, e->scenes.items[i], &e->opened[i]));
        e->n_opened++;
        GO(score_scene(e, i, &bar));
    }
done:
    progress_end(&bar);
    TRY(code);
    if (e->n_fires == 0)
        return failure("no fire has '%s' in the column split", e->s->split);
    if (e->s->bands[0] > 0 && e->results[0].n == 0)
        return failure("no fire burns in bands of %g every %g", e->s->bands[0],
                       e->s->bands[1]);
    return save(e);
}

static int run(const void *settings, char **operands, int n_operands)
{
    evaluation e = { .s = settings };
    zm_error err;
    int code;

    (void)operands, (void)n_operands;
    if (!e.s->model && (e.s->no_baselines || e.s->observed || e.s->bands[0] > 0))
        return usage_error("give a --model");
    if (e.s->observed && e.s->bands[0] > 0)
        return usage_error(
            "--bands are of the fires of scenes, not of --observed ones");
    if (e.s->model)
        TRY(checked(zm_model_load(e.s->model, &e.model, &err), &err));
    code = e.s->observed ? evaluate_observed(e.s, e.model) : score_scenes(&e);
    for (int m = 0; m < METHODS; m++)
        fire_results_free(&e.results[m]);
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 2; m++)
            free(e.maps[k][m]);
    for (size_t i = 0; i < e.n_opened; i++)
        zm_scene_close(e.opened[i]);
    free(e.opened);
    free(e.fires);
    names_free(&e.scenes);
    zm_model_destroy(e.model);
    return code;
}

static const evaluate_settings defaults = { .split = "test", .threads = 1 };

const verb verb_fire_evaluate = {
    .name = "fire evaluate",
    .summary = "scores of a model and of baselines on fires of scenes",
    .usage = "--data DIR [--model FILE] [options]",
    .description =
        "Predicts the fires of scenes over their whole landscapes and scores them as "
        "zermelo fire score does. In the same run, so that tables compare: the time by "
        "distance from the ignition at one speed a scene, and the best single ellipse "
        "of each scene.\n\nWith --observed real fires: from the first perimeter (or "
        "the ignition) on, IoU at every date, Pearson and Spearman correlation with "
        "the quantised times; what is degenerate is named.",
    .example = "  zermelo fire simulate --out demo/valley --fires 12 --shape 120,120\n"
               "  zermelo fire train --data demo --model fire.safetensors --epochs 5\n"
               "  zermelo fire evaluate --data demo --model fire.safetensors\n",
    .tables = { &evaluate_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
