/* SPDX-License-Identifier: Apache-2.0
 * The paper's fires to take the time of: problems of one size, and what is done on them. */
#ifndef ZM_EXPERIMENTS_FIRES_H
#define ZM_EXPERIMENTS_FIRES_H

#include "measure.h"
#include "medium.h"
#include "zermelo/adjoint.h"

/** N x N cells of spacing 1 and a source of 3 x 3 cells in the centre. */
typedef enum fire_kind {
    /** The forward benchmark: medium_fill_wildfire, with phases of its own in every
     *  problem. */
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
    double *spare; /**< a field for what is not to be kept */
} fires;

/** Solved once, with dL/dT; to be given to fires_free. */
fires fires_new(experiment_run *run, fire_kind kind, int32_t side, size_t n);
void fires_free(fires *f);

/** Something done on fires. */
typedef void fires_act(experiment_run *run, const fires *f);

/** zm_forward of the one problem, or zm_forward_batch; zm_adjoint or zm_adjoint_batch by
 *  all planes. */
fires_act fires_forward, fires_backward;

/** On problem 0 alone: the adjoint without asking for a plane, so that lambda is only
 *  carried to the sources; zm_stencils, which finds stencils and weights but no order, and
 *  the same after a solve. */
fires_act fires_transport, fires_stencils, fires_up_to_stencils;

/** Algorithms 1 and 2 of the paper on problem 0; 1 leaves T alone. */
fires_act fires_algorithm_1, fires_algorithm_2;

/** Seconds of `timed` for one problem: the median of repeated calls.  What comes `before`
 *  each (NULL: nothing) does not count.  The first backward pass after a solve finds
 *  stencils and order; the next one has them. */
double fires_seconds(experiment_run *run, const fires *f, fires_act *before,
                     fires_act *timed);

/** A timer for this run: 3 times and 50 ms with --quick, else 7 times and 300 ms; of
 *  processor time on one thread, of the clock on several. */
timer timer_for(const experiment_run *run);

/** Whether a size is measured: --quick takes 50, 100 and 250, for which the paper tells
 *  most. */
bool size_wanted(const experiment_run *run, int32_t side);

/** "seconds against N" on two logarithmic axes. */
void axes_of_times(zm_plot *plot, const char *title, const char *y_label);

/** Says what times can be compared with, and which they are: "medians of ...". */
void remark_on_machines(experiment_run *run, const char *kind_of_times);
#define MEDIANS "medians of repeated calls"

#endif
