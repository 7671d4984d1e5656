/* SPDX-License-Identifier: Apache-2.0
 * Scores of a model on observed fires. */
#ifndef ZM_CLI_LEARN_EVALUATE_OBSERVED_H
#define ZM_CLI_LEARN_EVALUATE_OBSERVED_H

#include "fire/folders.h"
#include "zermelo/fire/learn.h"

typedef struct evaluate_settings {
    const char *data, *scenes, *split, *model, *observed, *json, *report;
    double bands[2]; /* width 0: whole fires */
    int32_t threads;
    bool no_baselines, each, quiet;
} evaluate_settings;

/** Table, JSON; an exit status. */
int evaluate_observed(const evaluate_settings *settings, const zm_model *model);

#endif
