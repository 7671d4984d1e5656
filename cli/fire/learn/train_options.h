/* SPDX-License-Identifier: Apache-2.0
 * Options of zermelo fire train. */
#ifndef ZM_CLI_LEARN_TRAIN_OPTIONS_H
#define ZM_CLI_LEARN_TRAIN_OPTIONS_H

#include "common/option.h"
#include "fire/learn/words.h"

typedef struct train_settings {
    const char *data, *scenes, *model, *from, *log, *observed;
    form_choice form;
    stencil_choice stencils;
    front_choice front;
    zm_loss_kind loss;
    zm_train_score score;
    double rate, clip, average, censored, tv_metric, tv_drift, spread, bands[2], shrink;
    int32_t epochs, batch, patience, plateau, most, layers, channels, hidden, threads,
        warm_up, patches[2];
    uint64_t seed;
    bool resume, mean_weather, no_prior, quiet;
} train_settings;

extern const option_table train_data_options, train_model_options, training_options;
extern const train_settings train_defaults;

/** DONE, or a usage error where options do not go together. */
int train_settings_check(const train_settings *s);

#endif
