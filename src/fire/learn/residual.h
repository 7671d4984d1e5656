/* SPDX-License-Identifier: Apache-2.0
 * Physics with a learned residual: the network gives corrections of each cell of a fire, the
 * physics gives the times (zermelo/physics.h).  Corrections of 0 are the physics. */
#ifndef ZM_LEARN_RESIDUAL_H
#define ZM_LEARN_RESIDUAL_H

#include "fire/learn/sample.h"
#include "zermelo/fire/physics.h"

enum { ZM_CORRECTIONS = 3 };

/** A fire on its landscape with corrections in the window of a field.  One thread at a time. */
typedef struct zm_residual {
    zm_field *field;
    const zm_landscape *landscape;
    zm_physics *physics;
    size_t n;                       /**< cells of the landscape */
    double *planes[ZM_CORRECTIONS]; /**< log_rate, rotation, elongation */
    double *d_planes[ZM_CORRECTIONS];
    double *T;      /**< of the landscape */
    int32_t *cells; /**< of the window, that have fuel */
    size_t n_cells;
} zm_residual;

/** Finds the corrections.  The field must outlive it; its one hour is of mean weather. */
zm_status zm_residual_create(zm_residual **out, zm_field *field,
                             const zm_landscape *landscape, zm_error *err);
void zm_residual_destroy(zm_residual *residual);

/**
 * Arrival times of a fire: residual->T.
 *
 * @param sources in  in cells of the landscape; NULL: the fire's own ignition
 */
zm_status zm_residual_solve(zm_residual *residual, const zm_fire *fire,
                            const zm_source *sources, size_t n_sources, double t_max,
                            zm_error *err);

/** Adds dL/d(parameters) and region->d_features, from dL/dT of the landscape's cells and
 *  `shrink` times the mean square of the corrections.  failed: derivatives are not finite, and
 *  nothing was added. */
zm_status zm_residual_backward(zm_residual *residual, const double *dL_dT,
                               double shrink, double *d_parameters, bool *failed,
                               zm_error *err);

/** The mean over cells with fuel of the sum of squares of their corrections. */
double zm_residual_square(const zm_residual *residual);

#endif
