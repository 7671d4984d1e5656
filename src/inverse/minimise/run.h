/* SPDX-License-Identifier: Apache-2.0
 * A minimisation under way: its state, which is also what is resumed from, and the steps
 * that the methods share. */
#ifndef ZM_OPTIMISE_RUN_H
#define ZM_OPTIMISE_RUN_H

#include <stdbool.h>

#include "zermelo/optimise.h"

/* Places in the head of the state, which is an array of doubles. */
enum {
    STATE_FORMAT, /* STATE_VERSION */
    STATE_METHOD, /* zm_method */
    STATE_N,      /* variables */
    STATE_MEMORY, /* pairs there is room for */
    STATE_ITERATION,
    STATE_EVALUATIONS,
    STATE_FAILURES,
    STATE_VALUE,
    STATE_MOVE,   /* length of the last move */
    STATE_STEP,   /* GRADIENT: next step to try */
    STATE_PAIRS,  /* L-BFGS: pairs in use */
    STATE_SLOT,   /* L-BFGS: where the next pair goes */
    STATE_VALUES, /* the last MOST_WINDOW + 1 values, by iteration */
    MOST_WINDOW = 32,
    STATE_HEAD = STATE_VALUES + MOST_WINDOW + 1,
    STATE_VERSION = 1
};

typedef struct zm_minimise_run {
    size_t n;
    zm_minimise_opts o;
    zm_objective_fn *objective;
    void *ctx;

    double *state;        /* head, x, gradient, then what the method keeps */
    double *x, *gradient; /* in the state */
    double *kept;         /* L-BFGS: pairs s, then pairs y; Adam: two moments */

    double *trial_x, *trial_gradient;
    double *direction; /* L-BFGS */
    double *scratch;
    double *alpha; /* L-BFGS: one a pair */
    uint8_t *free; /* L-BFGS: non-zero where a variable is not held by a bound */
} zm_minimise_run;

/** How an evaluation or an iteration ended. */
typedef enum zm_outcome {
    OUTCOME_DONE,
    OUTCOME_FAILED, /* evaluation: no value here; iteration: no step found */
    OUTCOME_CANCELLED,
    OUTCOME_LIMIT /* no evaluations left */
} zm_outcome;

/** Value and gradient at trial_x into *value and trial_gradient. */
zm_outcome zm_minimise_run_evaluate(zm_minimise_run *run, double *value);

/** Moves x into the bounds or the set. */
void zm_minimise_run_project(const zm_minimise_run *run, double *x);

/** The trial point becomes x: the one place where the state moves on.  What the method
 *  keeps must have been updated before. */
void zm_minimise_run_accept(zm_minimise_run *run, double value);

/** Largest component of x - P(x - gradient); uses scratch. */
double zm_minimise_run_gradient_norm(zm_minimise_run *run);

/** Learning rate or step of the coming iteration, by the schedule. */
double zm_minimise_run_rate(const zm_minimise_run *run);

/** What the gradient is multiplied by, so that its norm is at most opts.clip. */
double zm_minimise_run_clip_factor(const zm_minimise_run *run);

/** One iteration of each method. */
zm_outcome zm_lbfgs_step(zm_minimise_run *run);
zm_outcome zm_adam_step(zm_minimise_run *run);
zm_outcome zm_minimise_gradient_step(zm_minimise_run *run);

#endif
