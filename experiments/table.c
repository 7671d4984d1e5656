/* SPDX-License-Identifier: Apache-2.0
 * The experiments, in the order of the report. */
#include "table.h"

const experiment *const experiments[] = {
    &experiment_isotropic,
    &experiment_diagonal,
    &experiment_rotated,
    &experiment_drift,
    &experiment_combined,
    &experiment_piecewise,
    &experiment_varying,
    &experiment_three_sources,
    &experiment_complexity,
    NULL,
};
