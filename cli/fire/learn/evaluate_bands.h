/* SPDX-License-Identifier: Apache-2.0
 * Scores of a model on temporal bands of a fire. */
#ifndef ZM_CLI_LEARN_EVALUATE_BANDS_H
#define ZM_CLI_LEARN_EVALUATE_BANDS_H

#include "fire/learn/evaluate_observed.h"
#include "fire/results.h"

/**
 * Adds a result for each band [t_k, t_k + width T_max] of fire i, t_k every stride T_max, in
 * which something burns: predicted from where the fire had burned by t_k, scored in hours
 * since t_k on the cells that burned, or were predicted to burn, later.
 *
 * @param truth in  the fire's times over the landscape
 */
int evaluate_bands(const evaluate_settings *settings, const zm_model *model,
                   const char *scene_name, const zm_scene *scene, size_t i,
                   const float *truth, fire_results *results);

#endif
