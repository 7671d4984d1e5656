/* SPDX-License-Identifier: Apache-2.0
 * Loss of a model on a batch of fires of one landscape, with its derivatives. */
#ifndef ZM_LEARN_OBJECTIVE_H
#define ZM_LEARN_OBJECTIVE_H

#include "fire/learn/sample.h"

typedef struct zm_batch_task {
    const zm_model *model;
    const double *parameters; /**< in the place of the model's own */
    zm_mlp *head;             /**< of the same make */
    zm_net_make make;
    zm_loss_opts loss;
    double tv_metric, tv_drift;
    double tol;      /**< of the solver, share of the duration; 0: to rounding */
    double shrink;   /**< physics: weight of the mean square of the corrections */
    int32_t threads; /**< that share the fires of a batch; <= 1: one */
} zm_batch_task;

typedef struct zm_batch_result {
    double loss;    /**< sum over the fires */
    int64_t failed; /**< fires without a usable derivative, left out */
} zm_batch_result;

/** The part of one fire of any form: its window lies in the region.
 *  @param failed out  no usable derivative: none was added */
zm_status zm_train_fire_loss(const zm_batch_task *task, zm_region *region,
                             const zm_sample *sample, double *d_parameters, double *T,
                             double *loss, bool *failed, zm_error *err);

/**
 * The convolutions run once for the batch, over the whole landscape or over the windows of
 * the fires, whichever is less; their backward pass once likewise.
 *
 * @param samples      in      n fires of one place
 * @param d_parameters in,out  dL/d(parameters) of the sum is added; NULL: not wanted
 * @param T            out     n pointers to the times in each fire's window, or NULL
 */
zm_status zm_train_batch_loss(const zm_batch_task *task, zm_sample *const *samples,
                              size_t n, double *d_parameters, double *const *T,
                              zm_batch_result *result, zm_error *err);

/** The part of one fire, for physics with a residual; T: times in its window, or NULL. */
zm_status zm_train_physics_fire_loss(const zm_batch_task *task, zm_region *region,
                                     const zm_sample *sample, double *d_parameters,
                                     double *T, double *loss, bool *failed,
                                     zm_error *err);

#endif
