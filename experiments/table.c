/* SPDX-License-Identifier: Apache-2.0
 * The experiments, in the order of the report. */
#include "table.h"

const experiment *const experiments[] = {
    &experiment_isotropic,
    &experiment_diagonal,
    &experiment_rotated,
    NULL,
};
