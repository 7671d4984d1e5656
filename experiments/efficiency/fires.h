/* SPDX-License-Identifier: Apache-2.0
 * The paper's fires to take the time of: problems of one size, and what is done on them. */
#ifndef ZM_EXPERIMENTS_FIRES_H
#define ZM_EXPERIMENTS_FIRES_H

#include "measure.h"
#include "medium.h"
#include "zermelo/adjoint.h"

/** N x N cells of spacing 1 and a source of 3 x 3 cells in the centre. */
typedef enum fire_kind {
    /** The forward benchmark: axes of G turned by 0 to pi/2 with a ratio of 1.5 to 2 and
     *  drift of size 0.02, all of them waves over the grid with phases of their own in
     *  every problem. */
    FIRE_VARIED,
    /** The backward benchmark: axes of G at 30 degrees with a ratio of 1.8, drift of size
     *  0.02, constant. */
    FIRE_TILTED
} fire_kind;

/** n problems, a solver for them, and room for what comes out.  Losses are half the mean
 *  squared error of the times at 30 % of the cells, observed 10 % early. */
typedef struct fires {
    size_t n;
    medium *media;
    zm_problem *problems;
    double **T, **dL_dT;
    zm_gradient *gradients; /**< all five planes */
    zm_solver *solver;
    double *block; /**< owned: all fields */
} fires;

/** Solved once, with dL/dT; to be given to fires_free. */
fires fires_new(experiment_run *run, fire_kind kind, int32_t side, size_t n);
void fires_free(fires *f);

/** zm_forward of the one problem, or zm_forward_batch. */
void fires_forward(experiment_run *run, const fires *f);

/** zm_adjoint or zm_adjoint_batch by all planes. */
void fires_backward(experiment_run *run, const fires *f);

/** The adjoint of problem 0 alone: lambda is carried to the sources, no plane is asked for. */
void fires_transport(experiment_run *run, const fires *f);

/** Seconds for one problem: the median of repeated calls.  The backward pass is the first after
 *  a solve, which finds stencils and order; again is the next one, which finds them ready. */
double seconds_forward(experiment_run *run, const fires *f);
double seconds_backward(experiment_run *run, const fires *f);
double seconds_backward_again(experiment_run *run, const fires *f);
double seconds_transport(experiment_run *run, const fires *f);

/** Algorithms 1 and 2 of the paper on problem 0. */
double seconds_algorithm_1(experiment_run *run, const fires *f);
double seconds_algorithm_2(experiment_run *run, const fires *f);

/** A timer for this run: 3 times and 50 ms with --quick, else 7 times and 300 ms; of
 *  processor time on one thread, of the clock on several. */
timer timer_for(const experiment_run *run);

/** Whether a size is measured: --quick takes 50, 100 and 250, for which the paper tells
 *  most. */
bool size_wanted(const experiment_run *run, int32_t side);

/** "seconds against N" on two logarithmic axes. */
void axes_of_times(zm_plot *plot, const char *title, const char *y_label);

/** Says what times can be compared with. */
void remark_on_machines(experiment_run *run);

#endif
