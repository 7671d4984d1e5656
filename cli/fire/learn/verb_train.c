/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire train: learns a model of spread from the fires of scenes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/json.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/folders.h"
#include "fire/learn/observed_names.h"
#include "fire/learn/words.h"
#include "fire/physics_model.h"
#include "fire/verbs.h"
#include "zermelo/fire/learn.h"

typedef struct train_settings {
    const char *data, *scenes, *model, *from, *log, *observed;
    form_choice form;
    stencil_choice stencils;
    front_choice front;
    loss_choice loss;
    zm_train_score score;
    double rate, clip, average, censored, tv_metric, tv_drift, spread, bands[2], shrink;
    int32_t epochs, batch, patience, plateau, most, layers, channels, hidden, threads,
        warm_up, patches[2];
    uint64_t seed;
    bool resume, mean_weather, no_prior, quiet;
} train_settings;

#define FIELD(name) offsetof(train_settings, name)

static const option data_list[] = {
    { "data", "DIR", OPTION_VALUE, FIELD(data), .required = true, .parse = parse_word,
      .expects = "a folder", .help = "dataset: a folder of scenes" },
    { "scenes", "A,B", OPTION_VALUE, FIELD(scenes), .parse = parse_word,
      .expects = "names of scenes",
      .help = "scenes to train on, with their splits train and val; a last * stands "
              "for any "
              "ending; default: all" },
    { "model", "FILE", OPTION_OUTPUT, FIELD(model), .required = true,
      .help = "where the best model is kept; FILE.state holds what --resume needs" },
    { "from", "FILE", OPTION_INPUT, FIELD(from),
      .help = "model to start from (fine-tuning); it has what the options of Model "
              "below choose, which are refused" },
    { "observed", "A,B", OPTION_VALUE, FIELD(observed), .parse = parse_word,
      .expects = "names of observed fires",
      .help =
          "train on observed fires of --data instead of scenes (perimeters at dates)" },
    { "most", "N", OPTION_VALUE, FIELD(most), .parse = parse_count,
      .expects = "a whole number >= 1", .help = "at most N fires of each scene" },
    { "log", "FILE", OPTION_VALUE, FIELD(log), .parse = parse_word,
      .expects = "a file name", .help = "append a line of JSON for each epoch" },
    { 0 }
};
static const option model_list[] = {
    { "form", "WORD", OPTION_VALUE, FIELD(form), .parse = parse_form,
      .expects = "paper, multiplicative or physics",
      .help =
          "paper: G = G0 + alpha G_local as printed; multiplicative (default): "
          "log-slowness, drift along wind and slope, hour by hour; physics: that of "
          "zermelo fire physics with corrections per cell and fuel model" },
    { "layers", "N", OPTION_VALUE, FIELD(layers), .parse = parse_whole,
      .expects = "a whole number",
      .help = "layers of 3 x 3 convolutions; default 3, paper 5" },
    { "channels", "N", OPTION_VALUE, FIELD(channels), .parse = parse_count,
      .expects = "a whole number >= 1", .help = "between them; default 24, paper 64" },
    { "hidden", "N", OPTION_VALUE, FIELD(hidden), .parse = parse_count,
      .expects = "a whole number >= 1",
      .help = "width of the perceptron; default 48, paper 32" },
    { "mean-weather", NULL, OPTION_FLAG, FIELD(mean_weather),
      .help = "one metric a fire, from mean weather (always so with --form paper "
              "and physics)" },
    { "no-prior", NULL, OPTION_FLAG, FIELD(no_prior),
      .help =
          "multiplicative: learn all of the spread, not what corrects the physics" },
    { "spread", "M/H", OPTION_VALUE, FIELD(spread), .parse = parse_positive,
      .expects = "a number > 0",
      .help =
          "rate of spread a new model starts from; default: the mean of the fires" },
    { "stencils", "KIND", OPTION_VALUE, FIELD(stencils), .parse = parse_model_stencils,
      .expects = "adaptive or fixed", .help = "of the solver; default fixed" },
    { "front", "KIND", OPTION_VALUE, FIELD(front), .parse = parse_model_front,
      .expects = FRONT_EXPECTS,
      .help =
          "physics: how its fronts move, here and when it predicts; travel-time (the "
          "default), or markers as in FARSITE, with the derivatives of travel-time" },
    { 0 }
};
static const option training_list[] = {
    { "loss", "WORD", OPTION_VALUE, FIELD(loss), .parse = parse_loss,
      .expects = "log, huber, mse or area",
      .help =
          "log (default): Huber of log times; huber: of hours; mse: square of hours; "
          "area: nearly the absolute error, as much as the area between the fronts" },
    { "censored", "X", OPTION_VALUE, FIELD(censored), .parse = parse_tolerance,
      .expects = "a number >= 0",
      .help = "weight of cells that had not burned at the end, if predicted before it; "
              "default 1" },
    { "tv-metric", "X", OPTION_VALUE, FIELD(tv_metric), .parse = parse_tolerance,
      .expects = "a number >= 0", .help = "weight of total variation of G; default 0" },
    { "tv-drift", "X", OPTION_VALUE, FIELD(tv_drift), .parse = parse_tolerance,
      .expects = "a number >= 0", .help = "weight of total variation of b; default 0" },
    { "shrink", "X", OPTION_VALUE, FIELD(shrink), .parse = parse_tolerance,
      .expects = "a number >= 0",
      .help = "physics: weight of the mean square of the corrections; default 0.0005" },
    { "bands", "W,S", OPTION_VALUE, FIELD(bands), .parse = parse_bands,
      .expects = "two numbers in (0, 1], the second at least 0.001",
      .help =
          "temporal bands of W of the latest time, every S: from the true perimeter" },
    { "patches", "SIDE,STRIDE", OPTION_VALUE, FIELD(patches), .parse = parse_patches,
      .expects = "two whole numbers, the first at least 10, the second from 1 to that",
      .help =
          "cut fires to train with into windows of SIDE x SIDE cells, every STRIDE "
          "cells; each with 100 burned cells or more is a sample, with a source where "
          "each of its parts was entered and times from then on. The paper's across "
          "scenes are 256,128. Only with mean weather (--form paper or "
          "--mean-weather), as times in a patch have no hour of the day" },
    { "rate", "X", OPTION_VALUE, FIELD(rate), .parse = parse_positive,
      .expects = "a number > 0",
      .help = "learning rate of Adam; default 0.002, paper 0.003, physics 0.001" },
    { "clip", "X", OPTION_VALUE, FIELD(clip), .parse = parse_positive,
      .expects = "a number > 0", .help = "longest gradient; default 1" },
    { "average", "X", OPTION_VALUE, FIELD(average), .parse = parse_tolerance,
      .expects = "a number >= 0",
      .help =
          "decay a step, below 1, of the running mean of parameters that is judged and "
          "kept; 0: none; default 0.99, paper 0.95" },
    { "batch", "N", OPTION_VALUE, FIELD(batch), .parse = parse_count,
      .expects = "a whole number >= 1",
      .help = "fires (bands, patches) in a step; default 8, paper 4" },
    { "epochs", "N", OPTION_VALUE, FIELD(epochs), .parse = parse_count,
      .expects = "a whole number >= 1", .help = "at most; default 200" },
    { "patience", "N", OPTION_VALUE, FIELD(patience), .parse = parse_count,
      .expects = "a whole number >= 1",
      .help = "stop after so many epochs without a better score; default 20" },
    { "plateau", "N", OPTION_VALUE, FIELD(plateau), .parse = parse_count,
      .expects = "a whole number >= 1",
      .help = "halve the rate after so many epochs without a better score; default 4, "
              "paper 6" },
    { "warm-up", "N", OPTION_VALUE, FIELD(warm_up), .parse = parse_whole,
      .expects = "a whole number",
      .help =
          "epochs in which the learning rate rises to its own; default 0, paper 3" },
    { "score", "WORD", OPTION_VALUE, FIELD(score), .parse = parse_score,
      .expects = "both, correlation, iou, rmse or end",
      .help =
          "of validation fires: both (default) is the mean of correlation and IoU at "
          "half the duration, end that of correlation and IoU at the end; correlation, "
          "iou (at half the duration) and rmse (relative) are themselves" },
    { "seed", "N", OPTION_VALUE, FIELD(seed), .parse = parse_seed,
      .expects = "a whole number", .help = "of weights and order; default 1" },
    { "threads", "N", OPTION_VALUE, FIELD(threads), .parse = parse_threads,
      .expects = "a whole number >= 1, or all",
      .help = "that share the fires of a step, with the same result; default 1" },
    { "resume", NULL, OPTION_FLAG, FIELD(resume),
      .help = "go on from FILE.state, to the same result as without the break" },
    { "quiet", NULL, OPTION_FLAG, FIELD(quiet), .help = "no progress" },
    { 0 }
};
static const option_table data_options = { "Data", data_list };
static const option_table network_options = { "Model", model_list };
static const option_table training_options = { "Training", training_list };

typedef struct training {
    const train_settings *s;
    progress bar;
    FILE *log;
    zm_train_progress last; /* of the last epoch that was done */
    names scenes;
    zm_scene **opened;
    zm_observed **observed;
    size_t n;
    zm_model *model;
    zm_trainer *trainer;
} training;

static void log_epoch(FILE *log, const zm_train_progress *p)
{
    fprintf(log,
            "{\"epoch\": %d, \"loss\": %.6g, \"rate\": %.6g, \"seconds\": %.3f, "
            "\"best\": %.6g, \"best_epoch\": %d, \"failed\": %lld",
            (int)p->epoch, p->loss, p->rate, p->seconds, p->best, (int)p->best_epoch,
            (long long)p->failed);
    if (isfinite(p->correlation))
        fprintf(log,
                ", \"correlation\": %.6g, \"iou50\": %.6g, \"iou100\": %.6g, "
                "\"relative_rmse\": %.6g",
                p->correlation, p->iou50, p->iou100, p->relative_rmse);
    fprintf(log, "}\n");
    fflush(log);
}

/* What decides which model is best; nothing where there is nothing to judge by yet. */
enum { ROOM = 80 };
static const char *scored(zm_train_score score, const zm_train_progress *p,
                          char text[ROOM])
{
    *text = '\0';
    if (isnan(p->correlation) && isnan(p->iou50))
        return text;
    if (score == ZM_TRAIN_CORRELATION)
        snprintf(text, ROOM, ", correlation %.3f", p->correlation);
    else if (score == ZM_TRAIN_IOU)
        snprintf(text, ROOM, ", IoU@50 %.3f", p->iou50);
    else if (score == ZM_TRAIN_RMSE)
        snprintf(text, ROOM, ", relative RMSE %.3f", p->relative_rmse);
    else if (score == ZM_TRAIN_END)
        snprintf(text, ROOM, ", correlation %.3f, IoU@100 %.3f", p->correlation,
                 p->iou100);
    else
        snprintf(text, ROOM, ", correlation %.3f, IoU@50 %.3f", p->correlation,
                 p->iou50);
    return text;
}

static int on_progress(void *ctx, const zm_train_progress *p)
{
    training *t = ctx;
    char text[ROOM];

    if (p->batch == p->batches) {
        t->last = *p;
        if (t->log)
            log_epoch(t->log, p);
        if (!t->s->quiet && !t->bar.show)
            note("epoch %d: loss %.4f%s, best in epoch %d, %.0f s", (int)p->epoch,
                 p->loss, scored(t->s->score, p, text), (int)p->best_epoch, p->seconds);
    }
    progress_show(&t->bar, (double)p->batch / p->batches,
                  "epoch %d, loss %.4f%s (best epoch %d)", (int)p->epoch, p->loss,
                  scored(t->s->score, &t->last, text), (int)t->last.best_epoch);
    return interrupt_pending();
}

static int open_model(training *t, double mean_rate)
{
    const train_settings *s = t->s;
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    zm_error err;

    o.form = s->form.form;
    o.seed = s->seed;
    o.rate = s->spread > 0 ? s->spread : mean_rate;
    o.layers = s->layers;
    o.channels = s->channels;
    o.hidden = s->hidden;
    o.hourly = !s->mean_weather;
    o.prior = !s->no_prior;
    o.stencils = s->stencils.stencils;
    o.front = s->front.front;
    if ((s->from ? zm_model_load(s->from, &t->model, &err)
                 : zm_model_create(&t->model, &o, &err)) < 0)
        return library_failure(&err);
    return DONE;
}

static int add_scenes(training *t)
{
    zm_error err;

    for (size_t i = 0; i < t->n; i++)
        if ((t->s->observed
                 ? zm_trainer_add_observed(t->trainer, t->observed[i], &err)
                 : zm_trainer_add(t->trainer, t->opened[i], ZM_SPLIT_TRAIN,
                                  ZM_SPLIT_VAL, (size_t)t->s->most, &err)) < 0)
            return library_failure(&err);
    return DONE;
}

static int open_scenes(training *t)
{
    zm_error err;
    zm_status st;
    int code;

    if (t->s->observed) {
        if ((code = choose_observed(t->s->data, t->s->observed, &t->scenes)) != DONE)
            return code;
    } else if ((code = choose_scenes(t->s->data, t->s->scenes, &t->scenes)) != DONE) {
        return code;
    }
    t->opened = grow(NULL, t->scenes.n + 1, sizeof *t->opened);
    t->observed = grow(NULL, t->scenes.n + 1, sizeof *t->observed);
    for (; t->n < t->scenes.n; t->n++) {
        char *folder = path_in(t->s->data, t->scenes.items[t->n]);

        t->opened[t->n] = NULL;
        t->observed[t->n] = NULL;
        st = t->s->observed ? zm_observed_open(folder, &t->observed[t->n], &err)
                            : zm_scene_open(folder, &t->opened[t->n], &err);

        free(folder);
        if (st < 0)
            return library_failure(&err);
    }
    return DONE;
}

/* Options of the model: of a new one, and of its form. */
static int check_model(const train_settings *s)
{
    const struct {
        bool given;
        const char *name;
    } all[] = { { s->form.given, "form" },           { s->layers >= 0, "layers" },
                { s->channels > 0, "channels" },     { s->hidden > 0, "hidden" },
                { s->mean_weather, "mean-weather" }, { s->no_prior, "no-prior" },
                { s->spread > 0, "spread" },         { s->stencils.given, "stencils" },
                { s->front.given, "front" } };

    for (size_t i = 0; s->from && i < sizeof all / sizeof *all; i++)
        if (all[i].given)
            return usage_error("--%s is of new models; with --from that of the file "
                               "holds",
                               all[i].name);
    if (s->from)
        return DONE;
    if (s->front.front != ZM_FRONT_TRAVEL_TIME && s->form.form != ZM_MODEL_PHYSICS)
        return usage_error("--front is of new models of --form physics");
    if (s->form.form == ZM_MODEL_PHYSICS &&
        (s->no_prior || s->mean_weather || s->spread > 0 ||
         s->stencils.stencils != ZM_STENCILS_FIXED))
        return usage_error(
            "--no-prior, --mean-weather, --spread and --stencils are not "
            "for --form physics");
    return DONE;
}

static int check_patches(const train_settings *s)
{
    if (!s->patches[0])
        return DONE;
    if (s->observed)
        return usage_error(
            "--patches are of the fires of scenes, not of --observed ones");
    if (s->bands[0] > 0)
        return usage_error(
            "--patches and --bands are two ways to cut a fire: take one");
    if (s->censored >= 0)
        return usage_error("--censored: cells that did not burn do not count in "
                           "--patches");
    if (!s->from && s->form.form != ZM_MODEL_PAPER &&
        (s->form.form == ZM_MODEL_PHYSICS || !s->mean_weather))
        return usage_error("--patches need mean weather: --form paper or "
                           "--form multiplicative --mean-weather");
    return DONE;
}

/* Before scenes are added. */
static zm_status set_patches(training *t, zm_error *err)
{
    zm_patch_opts o = ZM_PATCH_OPTS_INIT;

    if (!t->s->patches[0])
        return ZM_OK;
    o.side = t->s->patches[0];
    o.stride = t->s->patches[1];
    return zm_trainer_set_patches(t->trainer, &o, err);
}

/* The mean rate is known when the fires are; a model of the same kind stands in until then. */
static int prepare(training *t)
{
    const train_settings *s = t->s;
    zm_error err;
    double mean;
    int code;

    if ((code = check_model(s)) != DONE || (code = check_patches(s)) != DONE ||
        (code = open_scenes(t)) != DONE || (code = open_model(t, 30)) != DONE)
        return code;
    if (zm_trainer_create(&t->trainer, t->model, &err) < 0 || set_patches(t, &err) < 0)
        return library_failure(&err);
    if ((code = add_scenes(t)) != DONE)
        return code;
    mean = zm_trainer_mean_rate(t->trainer);
    if (t->s->from || t->s->spread > 0 || !(mean > 0))
        return DONE;
    if (zm_model_set_rate(t->model, mean, &err) < 0)
        return library_failure(&err);
    return DONE;
}

static zm_train_opts train_opts(training *t, const char *state)
{
    const train_settings *s = t->s;
    const bool paper = zm_model_form_of(t->model) == ZM_MODEL_PAPER;
    const bool physics = zm_model_form_of(t->model) == ZM_MODEL_PHYSICS;
    static const double bounds[] = {
        [LOSS_LOG] = 0.5, [LOSS_HUBER] = 0.1, [LOSS_MSE] = HUGE_VAL, [LOSS_AREA] = 0.01
    };
    zm_train_opts o = ZM_TRAIN_OPTS_INIT;

    o.loss.time = s->loss == LOSS_LOG ? ZM_TIME_LOG : ZM_TIME_LINEAR;
    o.loss.huber = bounds[s->loss];
    o.loss.censored = s->censored >= 0 ? s->censored : 1;
    o.tv_metric = s->tv_metric;
    o.tv_drift = s->tv_drift;
    o.shrink = s->shrink >= 0 ? s->shrink : physics ? 5e-4 : 0;
    o.rate = s->rate > 0 ? s->rate : paper ? 3e-3 : physics ? 1e-3 : 2e-3;
    o.clip = s->clip;
    o.average = s->average >= 0 ? s->average : paper ? 0.95 : 0.99;
    o.batch = s->batch ? s->batch : paper ? 4 : 8;
    o.epochs = s->epochs;
    o.patience = s->patience;
    o.plateau = s->plateau ? s->plateau : paper ? 6 : 4;
    o.warm_up = s->warm_up >= 0 ? s->warm_up : paper ? 3 : 0;
    o.score = s->score;
    o.seed = s->seed;
    o.band_width = s->bands[0];
    o.band_stride = s->bands[1];
    o.model_path = s->model;
    o.state_path = state;
    o.resume = s->resume;
    o.progress = on_progress;
    o.progress_ctx = t;
    o.threads = s->threads;
    return o;
}

static void tell_size(const training *t)
{
    const size_t fires = zm_trainer_fires(t->trainer),
                 parameters = zm_model_parameters(t->model);

    if (t->s->patches[0])
        note("%zu patches of %zu fires, %zu parameters", zm_trainer_samples(t->trainer),
             fires, parameters);
    else
        note("%zu fires, %zu parameters", fires, parameters);
}

static int train(training *t)
{
    const size_t room = strlen(t->s->model) + 8;
    char *state = grow(NULL, room, 1);
    zm_train_opts o;
    zm_error err;
    zm_status st;

    snprintf(state, room, "%s.state", t->s->model);
    if (!t->s->quiet)
        tell_size(t);
    t->bar = progress_begin(t->s->quiet);
    o = train_opts(t, state);
    st = zm_trainer_run(t->trainer, &o, &err);
    progress_end(&t->bar);
    free(state);
    if (st == ZM_E_CANCELLED)
        return interrupt_status("stopped after epoch %d; --resume goes on",
                                (int)t->last.epoch);
    if (st < 0)
        return library_failure(&err);
    printf("%s: best in epoch %d of %d, score %.4f\n", t->s->model,
           (int)t->last.best_epoch, (int)t->last.epoch, t->last.best);
    return flush_output();
}

static int run(const void *settings, char **operands, int n_operands)
{
    training t = { .s = settings, .last = { .correlation = NAN, .iou50 = NAN } };
    int code;

    (void)operands, (void)n_operands;
    if (t.s->log && !(t.log = fopen(t.s->log, "a")))
        return failure("cannot write %s", t.s->log);
    code = prepare(&t);
    if (code == DONE)
        code = train(&t);
    if (t.log && fclose(t.log) && code == DONE)
        code = failure("cannot write %s", t.s->log);
    zm_trainer_destroy(t.trainer);
    zm_model_destroy(t.model);
    for (size_t i = 0; i < t.n; i++) {
        zm_scene_close(t.opened[i]);
        zm_observed_close(t.observed[i]);
    }
    free(t.opened);
    free(t.observed);
    names_free(&t.scenes);
    return code;
}

static const train_settings defaults = { .form.form = ZM_MODEL_MULTIPLICATIVE,
                                         .censored = -1, /* 1 */
                                         .shrink = -1,
                                         .clip = 1,
                                         .average = -1, /* by the form */
                                         .warm_up = -1,
                                         .epochs = 200,
                                         .patience = 20,
                                         .layers = -1,
                                         .threads = 1,
                                         .seed = 1 };

const verb verb_fire_train = {
    .name = "fire train",
    .summary = "learn spread from landscape and weather",
    .usage = "--data DIR --model FILE [options]",
    .description =
        "Trains a network from landscape and weather to the metric of the front, "
        "through "
        "the solver and its adjoint, on the fires of scenes with the word train in the "
        "column split; those with val decide when to stop. The best model so far is "
        "always in FILE. Ctrl-C ends it cleanly, and --resume continues it.\n\nOne "
        "scene "
        "is the paper's protocol within scenes, several that across scenes; --bands "
        "trains on temporal bands, --patches on windows of one size; --from with "
        "--observed fine-tunes on real fires.",
    .example = "  zermelo fire simulate --out demo/valley --fires 12 --shape 120,120\n"
               "  zermelo fire train --data demo --model fire.safetensors --epochs 5\n",
    .tables = { &data_options, &network_options, &training_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
};
