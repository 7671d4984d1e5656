/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire train: learns a model of spread from the fires of scenes. */
#define _XOPEN_SOURCE 700 /* truncate */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/json.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/folders.h"
#include "fire/learn/train_options.h"
#include "fire/physics_model.h"
#include "fire/verbs.h"
#include "zermelo/fire/learn.h"

typedef struct training {
    const train_settings *s;
    progress bar;
    FILE *log;
    zm_train_iteration last; /* of the last epoch that was done */
    names scenes;
    zm_scene **opened;
    zm_observed **observed;
    size_t n;
    zm_model *model;
    zm_trainer *trainer;
} training;

/* Cuts off a line that a killed program has left without its end, so that all lines are whole. */
static void end_at_a_line(const char *path)
{
    struct stat info;
    FILE *log = !stat(path, &info) && S_ISREG(info.st_mode) ? fopen(path, "r") : NULL;
    off_t whole = 0, at = 0;

    if (!log)
        return;
    for (int c = getc(log); c != EOF; c = getc(log)) {
        at++;
        if (c == '\n')
            whole = at;
    }
    if (!ferror(log) && whole < at && truncate(path, whole))
        warning("cannot cut the unfinished line off %s: %s", path, strerror(errno));
    fclose(log);
}

static void log_epoch(FILE *log, const zm_train_iteration *p)
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
static const char *scored(zm_train_score score, const zm_train_iteration *p,
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

static int on_progress(void *ctx, const zm_train_iteration *p)
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

static int open_model(training *t)
{
    const train_settings *s = t->s;
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    zm_error err;

    o.form = s->form.form;
    o.seed = s->seed;
    if (s->spread > 0)
        o.rate = s->spread;
    o.layers = s->layers;
    o.channels = s->channels;
    o.hidden = s->hidden;
    o.hourly = !s->mean_weather;
    o.prior = !s->no_prior;
    o.stencils = s->stencils.stencils;
    o.front = s->front.front;
    return checked(s->from ? zm_model_load(s->from, &t->model, &err)
                           : zm_model_create(&t->model, &o, &err),
                   &err);
}

static int add_scenes(training *t)
{
    zm_error err;

    for (size_t i = 0; i < t->n; i++)
        TRY(checked(t->s->observed
                        ? zm_trainer_add_observed(t->trainer, t->observed[i], &err)
                        : zm_trainer_add(t->trainer, t->opened[i], ZM_SPLIT_TRAIN,
                                         ZM_SPLIT_VAL, (size_t)t->s->most, &err),
                    &err));
    return DONE;
}

static int open_scenes(training *t)
{
    const char *data = t->s->data;

    TRY(t->s->observed ? choose_observed(data, t->s->observed, &t->scenes)
                       : choose_scenes(data, t->s->scenes, &t->scenes));
    t->opened = grow(NULL, t->scenes.n + 1, sizeof *t->opened);
    t->observed = grow(NULL, t->scenes.n + 1, sizeof *t->observed);
    for (; t->n < t->scenes.n; t->n++) {
        const char *name = t->scenes.items[t->n];

        t->opened[t->n] = NULL;
        t->observed[t->n] = NULL;
        TRY(t->s->observed ? observed_open_in(data, name, &t->observed[t->n])
                           : scene_open_in(data, name, &t->opened[t->n]));
    }
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

/* The mean rate is known when the fires are. */
static int prepare(training *t)
{
    const train_settings *s = t->s;
    zm_error err;

    TRY(train_settings_check(s));
    TRY(open_scenes(t));
    TRY(open_model(t));
    TRY(checked(zm_trainer_create(&t->trainer, t->model, &err), &err));
    TRY(checked(set_patches(t, &err), &err));
    TRY(add_scenes(t));
    return s->from || s->spread > 0
               ? DONE
               : checked(zm_trainer_set_mean_rate(t->trainer, &err), &err);
}

/* What suits the form of the model, but for what was chosen. */
static zm_train_opts train_opts(training *t, const char *state)
{
    const train_settings *s = t->s;
    zm_train_opts o = ZM_TRAIN_OPTS_INIT;

    zm_train_opts_for(zm_model_form_of(t->model), &o);
    zm_loss_opts_for(s->loss, &o.loss);
    if (s->censored >= 0)
        o.loss.censored = s->censored;
    o.tv_metric = s->tv_metric;
    o.tv_drift = s->tv_drift;
    if (s->shrink >= 0)
        o.shrink = s->shrink;
    if (s->rate > 0)
        o.rate = s->rate;
    o.clip = s->clip;
    if (s->average >= 0)
        o.average = s->average;
    if (s->batch)
        o.batch = s->batch;
    o.epochs = s->epochs;
    o.patience = s->patience;
    if (s->plateau)
        o.plateau = s->plateau;
    if (s->warm_up >= 0)
        o.warm_up = s->warm_up;
    o.score = s->score;
    o.seed = s->seed;
    o.band_width = s->bands[0];
    o.band_stride = s->bands[1];
    o.model_path = s->model;
    o.state_path = state;
    o.resume = s->resume;
    o.monitor = on_progress;
    o.monitor_ctx = t;
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
    TRY(checked(st, &err));
    printf("%s: best in epoch %d of %d, score %.4f\n", printable(t->s->model).text,
           (int)t->last.best_epoch, (int)t->last.epoch, t->last.best);
    return flush_output();
}

static int run(const void *settings, char **operands, int n_operands)
{
    training t = { .s = settings, .last = { .correlation = NAN, .iou50 = NAN } };
    int code;

    (void)operands, (void)n_operands;
    if (t.s->log)
        end_at_a_line(t.s->log);
    if (t.s->log && !(t.log = fopen(t.s->log, "a")))
        return failure("cannot write %s", t.s->log);
    GO(prepare(&t));
    GO(train(&t));
done:
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

const verb verb_fire_train = {
    .name = "fire train",
    .summary = "learn spread from landscape and weather",
    .usage = "--data DIR --model FILE [options]",
    .description =
        "Trains a network from landscape and weather to the metric of the front, "
        "through the solver and its adjoint, on the fires of scenes with the word "
        "train in the column split; those with val decide when to stop. The best model "
        "so far is always in FILE. Ctrl-C ends it cleanly, and --resume continues "
        "it.\n\nOne scene is the paper's protocol within scenes, several that across "
        "scenes; --bands trains on temporal bands, --patches on windows of one size; "
        "--from with --observed fine-tunes on real fires.",
    .example = "  zermelo fire simulate --out demo/valley --fires 12 --shape 120,120\n"
               "  zermelo fire train --data demo --model fire.safetensors --epochs 5\n",
    .tables = { &train_data_options, &train_model_options, &training_options },
    .defaults = &train_defaults,
    .settings_size = sizeof train_defaults,
    .run = run,
};
