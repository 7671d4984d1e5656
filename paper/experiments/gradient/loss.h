/* SPDX-License-Identifier: Apache-2.0
 * A loss of arrival times, L = 1/2 sum (T - T_obs)^2 over observed cells, and its
 * derivatives by the parameters of a medium: by the adjoint and by differences. */
#ifndef ZM_EXPERIMENTS_LOSS_H
#define ZM_EXPERIMENTS_LOSS_H

#include "medium.h"

typedef struct loss {
    medium *m;
    zm_solver *solver, *single; /**< in float64; in float32 where asked for, or NULL */
    double *T;                  /**< of the medium as it was given */
    double *observed;           /**< T_obs; NaN: not observed */
    double *dL_dT;
    double *gradient; /**< by all parameters, in the order of medium_parameters */
    double by_start;  /**< derivative by the start time of the first source */
    double *up, *down;
} loss;

/** Solves in the medium, which must stay where it is; nothing is observed yet. */
loss loss_new(experiment_run *run, medium *m);
void loss_free(loss *l);

/** Observes `cell`; the time seen there is 10 % earlier than the medium's. */
void loss_observe(loss *l, size_t cell);
void loss_observe_all(loss *l);

/** The gradient by one adjoint. */
void loss_gradient(experiment_run *run, loss *l);

/** Times and gradient of the medium as it is now; what was observed stays. */
void loss_refresh(experiment_run *run, loss *l);

/** (L(p + h v) - L(p - h v)) / 2h of the parameters p, which are put back.  The difference
 *  of both sums is summed cell by cell, so that only the rounding of T is left in it. */
double loss_difference(experiment_run *run, loss *l, const double *v, double h);

/** The same along one parameter. */
double loss_difference_by(experiment_run *run, loss *l, size_t parameter, double h);

/** The step of all central differences in the paper. */
#define PAPER_STEP 1e-5

/** What loss_difference solves with; float64 at first. */
void loss_solve_in_float32(experiment_run *run, loss *l);

/** |dL/dG| and |dL/db| of each cell: the Euclidean norm of the components. */
void loss_magnitudes(const loss *l, double *by_G, double *by_b);

#endif
