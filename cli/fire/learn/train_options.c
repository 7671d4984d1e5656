/* SPDX-License-Identifier: Apache-2.0
 * Options of zermelo fire train, and which of them go together. */
#include "fire/learn/train_options.h"

#include "common/message.h"
#include "common/value.h"
#include "fire/physics_model.h"

#define FIELD(name) offsetof(train_settings, name)

static const option data_list[] = {
    { "data", "DIR", OPTION_VALUE, FIELD(data), .required = true, .parse = parse_name,
      .expects = "a folder", .help = "dataset: a folder of scenes" },
    { "scenes", "A,B", OPTION_VALUE, FIELD(scenes), .parse = parse_name,
      .expects = "names of scenes",
      .help = "scenes to train on, with their splits train and val; a last * stands "
              "for any "
              "ending; default: all" },
    { "model", "FILE", OPTION_OUTPUT, FIELD(model), .required = true,
      .help = "where the best model is kept; FILE.state holds what --resume needs" },
    { "from", "FILE", OPTION_INPUT, FIELD(from),
      .help = "model to start from (fine-tuning); it has what the options of Model "
              "below choose, which are refused" },
    { "observed", "A,B", OPTION_VALUE, FIELD(observed), .parse = parse_name,
      .expects = "names of observed fires",
      .help =
          "train on observed fires of --data instead of scenes (perimeters at dates)" },
    { "most", "N", OPTION_VALUE, FIELD(most), .parse = parse_count,
      .expects = "a whole number >= 1", .help = "at most N fires of each scene" },
    { "log", "FILE", OPTION_VALUE, FIELD(log), .parse = parse_name,
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

int train_settings_check(const train_settings *s)
{
    TRY(check_model(s));
    return check_patches(s);
}
