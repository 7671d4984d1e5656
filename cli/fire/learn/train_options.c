/* SPDX-License-Identifier: Apache-2.0
 * Options of zermelo fire train, and which of them go together. */
#include "fire/learn/train_options.h"

#include "common/message.h"
#include "common/value.h"
#include "fire/physics_model.h"
#include "fire/rows.h"

#define FIELD(name) offsetof(train_settings, name)

static const option data_list[] = {
    DATA_ROW,
    SCENES_ROW("scenes to train on, with their splits train and val; a last * stands "
               "for any ending; default: all"),
    { "model", "FILE", OPTION_OUTPUT, FIELD(model), .required = true,
      .help = "where the best model is kept; FILE.state holds what --resume needs" },
    INPUT_ROW("from", from,
              "model to start from (fine-tuning); it has what the options of Model "
              "below choose, which are refused"),
    TEXT_ROW(
        "observed", "A,B", observed, "names of observed fires",
        "train on observed fires of --data instead of scenes (perimeters at dates)"),
    COUNT_ROW("most", most, "at most N fires of each scene"),
    TEXT_ROW("log", "FILE", log, "a file name", "append a line of JSON for each epoch"),
    { 0 }
};
static const option model_list[] = {
    VALUE_ROW("form", "WORD", form, parse_form, "paper, multiplicative or physics",
              "paper: G = G0 + alpha G_local as printed; multiplicative (default): "
              "log-slowness, drift along wind and slope, hour by hour; physics: that "
              "of zermelo fire physics with corrections per cell and fuel model"),
    VALUE_ROW("layers", "N", layers, parse_whole, "a whole number",
              "layers of 3 x 3 convolutions; default 3, paper 5"),
    COUNT_ROW("channels", channels, "between them; default 24, paper 64"),
    COUNT_ROW("hidden", hidden, "width of the perceptron; default 48, paper 32"),
    FLAG_ROW("mean-weather", mean_weather,
             "one metric a fire, from mean weather (always so with --form paper and "
             "physics)"),
    FLAG_ROW("no-prior", no_prior,
             "multiplicative: learn all of the spread, not what corrects the physics"),
    VALUE_ROW("spread", "M/H", spread, parse_positive, "a number > 0",
              "rate of spread a new model starts from; default: the mean of the fires"),
    VALUE_ROW("stencils", "KIND", stencils, parse_model_stencils, "adaptive or fixed",
              "of the solver; default fixed"),
    VALUE_ROW(
        "front", "KIND", front, parse_model_front, FRONT_EXPECTS,
        "physics: how its fronts move, here and when it predicts; travel-time (the "
        "default), or markers as in FARSITE, with the derivatives of travel-time"),
    { 0 }
};
static const option training_list[] = {
    VALUE_ROW(
        "loss", "WORD", loss, parse_loss, "log, huber, mse or area",
        "log (default): Huber of log times; huber: of hours; mse: square of hours; "
        "area: nearly the absolute error, as much as the area between the fronts"),
    NOT_NEGATIVE_ROW("censored", "X", censored,
                     "weight of cells that had not burned at the end, if predicted "
                     "before it; default 1"),
    NOT_NEGATIVE_ROW("tv-metric", "X", tv_metric,
                     "weight of total variation of G; default 0"),
    NOT_NEGATIVE_ROW("tv-drift", "X", tv_drift,
                     "weight of total variation of b; default 0"),
    NOT_NEGATIVE_ROW(
        "shrink", "X", shrink,
        "physics: weight of the mean square of the corrections; default 0.0005"),
    VALUE_ROW(
        "bands", "W,S", bands, parse_bands,
        "two numbers in (0, 1], the second at least 0.001",
        "temporal bands of W of the latest time, every S: from the true perimeter"),
    VALUE_ROW("patches", "SIDE,STRIDE", patches, parse_patches,
              "two whole numbers, the first at least 10, the second from 1 to that",
              "cut fires to train with into windows of SIDE x SIDE cells, every STRIDE "
              "cells; each with 100 burned cells or more is a sample, with a source "
              "where each of its parts was entered and times from then on. The paper's "
              "across scenes are 256,128. Only with mean weather (--form paper or "
              "--mean-weather), as times in a patch have no hour of the day"),
    VALUE_ROW("rate", "X", rate, parse_positive, "a number > 0",
              "learning rate of Adam; default 0.002, paper 0.003, physics 0.001"),
    VALUE_ROW("clip", "X", clip, parse_positive, "a number > 0",
              "longest gradient; default 1"),
    NOT_NEGATIVE_ROW("average", "X", average,
                     "decay a step, below 1, of the running mean of parameters that is "
                     "judged and kept; 0: none; default 0.99, paper 0.95"),
    COUNT_ROW("batch", batch, "fires (bands, patches) in a step; default 8, paper 4"),
    COUNT_ROW("epochs", epochs, "at most; default 200"),
    COUNT_ROW("patience", patience,
              "stop after so many epochs without a better score; default 20"),
    COUNT_ROW("plateau", plateau,
              "halve the rate after so many epochs without a better score; default 4, "
              "paper 6"),
    VALUE_ROW("warm-up", "N", warm_up, parse_whole, "a whole number",
              "epochs in which the learning rate rises to its own; default 0, paper 3"),
    VALUE_ROW(
        "score", "WORD", score, parse_score, "both, correlation, iou, rmse or end",
        "of validation fires: both (default) is the mean of correlation and IoU at "
        "half the duration, end that of correlation and IoU at the end; correlation, "
        "iou (at half the duration) and rmse (relative) are themselves"),
    VALUE_ROW("seed", "N", seed, parse_seed, "a whole number",
              "of weights and order; default 1"),
    THREADS_ROW(threads,
                "that share the fires of a step, with the same result; default 1"),
    FLAG_ROW("resume", resume,
             "go on from FILE.state, to the same result as without the break"),
    QUIET_ROW("no progress"),
    { 0 }
};
const option_table train_data_options = { "Data", data_list };
const option_table train_model_options = { "Model", model_list };
const option_table training_options = { "Training", training_list };

const train_settings train_defaults = { .form.form = ZM_MODEL_MULTIPLICATIVE,
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
            return usage_error(
                "--%s is of new models; with --from that of the file holds",
                all[i].name);
    if (s->from)
        return DONE;
    if (s->front.front != ZM_FRONT_TRAVEL_TIME && s->form.form != ZM_MODEL_PHYSICS)
        return usage_error("--front is of new models of --form physics");
    if (s->form.form == ZM_MODEL_PHYSICS &&
        (s->no_prior || s->mean_weather || s->spread > 0 ||
         s->stencils.stencils != ZM_STENCILS_FIXED))
        return usage_error("--no-prior, --mean-weather, --spread and --stencils are "
                           "not for --form physics");
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
        return usage_error(
            "--censored: cells that did not burn do not count in --patches");
    if (!s->from && s->form.form != ZM_MODEL_PAPER &&
        (s->form.form == ZM_MODEL_PHYSICS || !s->mean_weather))
        return usage_error("--patches need mean weather: --form paper or --form "
                           "multiplicative --mean-weather");
    return DONE;
}

int train_settings_check(const train_settings *s)
{
    TRY(check_model(s));
    return check_patches(s);
}
