/* SPDX-License-Identifier: Apache-2.0
 * The verbs of zermelo fire. */
#ifndef ZM_CLI_FIRE_VERBS_H
#define ZM_CLI_FIRE_VERBS_H

#include "common/verb.h"

extern const verb verb_fire_info;
extern const verb verb_fire_import;
extern const verb verb_fire_score;
extern const verb verb_fire_physics, verb_fire_calibrate, verb_fire_ensemble,
    verb_fire_protect, verb_fire_risk, verb_fire_forecast, verb_fire_origin;
extern const verb verb_fire_simulate;
/* cli/fire/learn */
extern const verb verb_fire_train, verb_fire_predict, verb_fire_evaluate,
    verb_fire_compare, verb_fire_capacity;

#endif
