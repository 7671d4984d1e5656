/* SPDX-License-Identifier: Apache-2.0
 * The experiments.  To add one: declare it here, list it in table.c. */
#ifndef ZM_EXPERIMENTS_TABLE_H
#define ZM_EXPERIMENTS_TABLE_H

#include "experiment.h"

/** In the order of the report, those of one group together; ends with NULL. */
extern const experiment *const experiments[];

/* forward/ */
extern const experiment experiment_isotropic;
extern const experiment experiment_diagonal;
extern const experiment experiment_rotated;
extern const experiment experiment_drift;
extern const experiment experiment_combined;
extern const experiment experiment_piecewise;
extern const experiment experiment_varying;
extern const experiment experiment_three_sources;
extern const experiment experiment_complexity;

/* beyond/ */
extern const experiment experiment_anisotropy_map;
extern const experiment experiment_accurate;
extern const experiment experiment_iterations;

/* gradient/ */
extern const experiment experiment_gradient_pointwise;
extern const experiment experiment_adjoint_ring;
extern const experiment experiment_decay;
extern const experiment experiment_stencil_map;
extern const experiment experiment_random_directions;
extern const experiment experiment_stability;

/* efficiency/ */
extern const experiment experiment_forward_time;
extern const experiment experiment_backward_time;
extern const experiment experiment_backward_breakdown;
extern const experiment experiment_scalability;
extern const experiment experiment_sweeping_jacobi;
extern const experiment experiment_adjoint_differences;
extern const experiment experiment_memory;

/* scenarios/ */
extern const experiment experiment_terrain;
extern const experiment experiment_wind;
extern const experiment experiment_patches;
extern const experiment experiment_combined_scenario;
extern const experiment experiment_wavefront;
extern const experiment experiment_sensitivity;

/* inverse/ */
extern const experiment experiment_recover_isotropic;
extern const experiment experiment_recover_sparse;
extern const experiment experiment_recover_diagonal;
extern const experiment experiment_recover_drift;
extern const experiment experiment_regularisation_strength;
extern const experiment experiment_observation_density;
extern const experiment experiment_noise;
extern const experiment experiment_several_ignitions;
extern const experiment experiment_multi_source;
extern const experiment experiment_regulariser_comparison;
extern const experiment experiment_optimiser_comparison;
extern const experiment experiment_joint;
extern const experiment experiment_wavefront_inversion;
extern const experiment experiment_fine_data;
extern const experiment experiment_uncertainty;
extern const experiment experiment_large;

#endif
