/* SPDX-License-Identifier: Apache-2.0
 * Arrival times of all experiments at given unknowns, and products with their Jacobian.
 *
 * With theta -> planes -> T of each experiment -> misfit:
 *
 *     gradient   g = sum_e J_e' rho'(r_e) / sigma_e
 *     product    H v = sum_e J_e' H_e J_e v,      J_e = dT_e/dtheta at the recorded stencils. */
#ifndef ZM_INVERT_MODEL_H
#define ZM_INVERT_MODEL_H

#include "inverse/invert/misfit.h"
#include "inverse/invert/parameter.h"

/** A point theta with its times and the record of its solves. */
typedef struct zm_point {
    double *theta;             /* fields * n */
    double *planes[ZM_PLANES]; /* those that vary */
    double **T;                /* of each experiment */
    zm_problem *problems;
    zm_solver *solver;
    zm_misfit_sum misfit;
} zm_point;

typedef struct zm_invert_model {
    zm_grid grid;
    zm_alloc mem;
    zm_parameters parameters;
    size_t n_fields, n_theta; /* n_theta = n_fields * cells */
    size_t n_experiments, n_data;
    const zm_observed *observed; /* n_experiments */
    double huber;
    zm_stencil_choice stencils;
    zm_point points[2];   /* the current one and one to try */
    zm_point *at, *trial; /* of points */
    /* Scratch: of the planes, and for each experiment. */
    double *d_planes[ZM_PLANES];
    double **dT; /* n_experiments */
    double **slope;
    double **gradients; /* n_experiments * ZM_PLANES */
    zm_direction *directions;
    zm_gradient *outputs;
    /* Counted: */
    int64_t solves;   /* of each experiment */
    int64_t products; /* tangents and adjoints, each over all experiments */
} zm_invert_model;

/**
 * Takes memory and makes the solvers; grid, mem, parameters, experiments, huber and
 * stencils must be set, all else zero.
 */
zm_status zm_invert_model_make(zm_invert_model *m, int32_t threads, zm_error *err);
void zm_invert_model_free(zm_invert_model *m);

/** Times and misfit at point->theta.  ZM_E_ARG if an observed cell is not reached. */
zm_status zm_invert_model_solve(zm_invert_model *m, zm_point *point, zm_error *err);

/** The trial point becomes the current one, and the other way round. */
void zm_invert_model_swap(zm_invert_model *m);

/** Gradient of the misfit at the current point. */
zm_status zm_invert_model_gradient(zm_invert_model *m, double *gradient, zm_error *err);

/** Gauss-Newton product H v at the current point. */
zm_status zm_invert_model_product(zm_invert_model *m, const double *v, double *Hv,
                                  zm_error *err);

/** J v into m->dT. */
zm_status zm_invert_model_tangent(zm_invert_model *m, const double *v, zm_error *err);

/** out = J' m->slope. */
zm_status zm_invert_model_adjoint(zm_invert_model *m, double *out, zm_error *err);

#endif
