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
    &experiment_anisotropy_map,
    &experiment_iterations,
    &experiment_gradient_pointwise,
    &experiment_adjoint_ring,
    &experiment_decay,
    &experiment_stencil_map,
    &experiment_random_directions,
    &experiment_stability,
    &experiment_terrain,
    &experiment_wind,
    &experiment_patches,
    &experiment_combined_scenario,
    &experiment_wavefront,
    &experiment_sensitivity,
    NULL,
};
