/* SPDX-License-Identifier: Apache-2.0
 * Options of spotting, of verbs that burn fires. */
#ifndef ZM_CLI_FIRE_SPOTTING_OPTIONS_H
#define ZM_CLI_FIRE_SPOTTING_OPTIONS_H

#include "fire/physics_model.h"

/** The settings of such verbs begin with model_settings, which has them. */
extern const option_table spotting_options;

/** DONE, or a usage error where options of embers are given without --spotting. */
int spotting_check(const model_settings *s);

/** What embers did in the last times of a model, as a note; nothing where there are none. */
void spotting_tell(const model_settings *s, const zm_physics *physics);

#endif
