/* SPDX-License-Identifier: Apache-2.0
 * One Gauss-Newton step on misfit + lambda R:  with H and P the Hessians of both,
 *
 *     (H + P + mu) d = -gradient
 *
 * by preconditioned conjugate gradients on Jacobian products, then a line search whose
 * trial points are forward solves. */
#ifndef ZM_INVERT_GAUSS_NEWTON_H
#define ZM_INVERT_GAUSS_NEWTON_H

#include "inverse/invert/model.h"
#include "inverse/invert/penalty.h"

typedef struct zm_gauss_newton {
    zm_invert_model *model;
    zm_penalty *penalty;
    double damping;      /* mu by the mean diagonal of H */
    double diagonal;     /* mean diagonal of H at the current point */
    double first_length; /* of the next line search's trials; 0: 1 */
    bool lagged;         /* P is the lagged operator also for TV */
    /* n_theta each: */
    double *gradient; /* of the misfit */
    double *step;
    double *rhs, *residual, *conjugate, *image;
} zm_gauss_newton;

typedef struct zm_step {
    bool accepted;
    double length; /* part of the step taken */
    double before, objective;
    double cost;        /* part of `before` that is not misfit */
    double predicted;   /* fall of the objective by the quadratic model */
    int32_t iterations; /* of conjugate gradients */
} zm_step;

/** Takes memory; model and penalty must be set, all else zero. */
zm_status zm_gauss_newton_create(zm_gauss_newton *g, zm_error *err);
void zm_gauss_newton_destroy(zm_gauss_newton *g);

/** Gradient and mean diagonal at the current point. */
zm_status zm_gauss_newton_linearise(zm_gauss_newton *g, zm_error *err);

/** Minimises x'Ax/2 - rhs'x, A = H + P + mu, from x = 0; the penalty is frozen.
 *  tolerance: stop when several iterations together gained less than this part.  Adds its
 *  iterations and the fall of the model to those of `step`. */
zm_status zm_gauss_newton_solve(zm_gauss_newton *g, double tolerance,
                                int32_t most_iterations, double *x, zm_step *step,
                                zm_error *err);

/** What a trial point costs besides its misfit. */
typedef zm_status zm_cost_fn(void *ctx, const double *theta, double *cost,
                             zm_error *err);

/** Tries parts of g->step, most first, until misfit + cost falls below step->before; the
 *  trial point then is the current one. */
zm_status zm_gauss_newton_search(zm_gauss_newton *g, zm_cost_fn *cost, void *ctx,
                                 zm_step *step, zm_error *err);

/** One step with the penalty as it is set. */
zm_status zm_gauss_newton_step(zm_gauss_newton *g, zm_step *step, zm_error *err);

#endif
