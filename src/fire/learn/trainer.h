/* SPDX-License-Identifier: Apache-2.0
 * The trainer: fires, the order in which they come, the state between epochs. */
#ifndef ZM_LEARN_TRAINER_H
#define ZM_LEARN_TRAINER_H

#include "fire/learn/objective.h"
#include "zermelo/optimise.h"

/** Fires in a growing list. */
typedef struct zm_sample_list {
    zm_sample **items;
    size_t n, room;
} zm_sample_list;

struct zm_trainer {
    zm_model *model;
    zm_place **places;
    size_t n_places, places_room;
    zm_sample_list train, validate;
    size_t fires;          /**< that `train` is made of */
    bool in_patches;       /**< fires to train with are cut ... */
    zm_patch_opts patches; /**< ... into such ones */
};

/** Appends; the list owns the sample from then on, also after a failure. */
zm_status zm_sample_list_add(zm_sample_list *list, zm_sample *sample, zm_error *err);
void zm_sample_list_free(zm_sample_list *list);

/** Batches of one epoch: lists of fires of one place each. */
typedef struct zm_epoch_plan {
    zm_sample **order; /**< all fires */
    size_t *first;     /**< batch b is order[first[b]] to order[first[b + 1] - 1] */
    size_t batches;
} zm_epoch_plan;

/** Fires shuffled within their places, cut into batches, batches shuffled; by seed and
 *  epoch alone. */
zm_status zm_epoch_plan_make(zm_epoch_plan *plan, const zm_sample_list *fires,
                             size_t batch, uint64_t seed, uint64_t epoch,
                             zm_error *err);
void zm_epoch_plan_free(zm_epoch_plan *plan);
/** Batches in each epoch. */
size_t zm_epoch_batches(const zm_sample_list *fires, size_t batch);

/** What is kept between epochs, beside the minimiser's state. */
typedef struct zm_train_state {
    double epoch; /**< done */
    double rate;
    double best, best_epoch;
    double
        waited; /**< epochs since the rate was last changed or the score got better */
    /* The task, of which another one is refused. */
    double seed, fires, score, batch, first_rate, form;
    double data[2], loss[2], steps[2]; /**< halves of digests */
} zm_train_state;
enum { ZM_TRAIN_STATE_NUMBERS = sizeof(zm_train_state) / sizeof(double) };

/** The state before the first epoch of a training with these fires and options. */
zm_train_state zm_train_task(const zm_trainer *trainer, const zm_sample_list *fires,
                             const zm_train_opts *o);
/** ZM_OK if `then`, read from a file, is a state of the same task as `now`; else ZM_E_FORMAT, or
 *  ZM_E_STATE and what differs. */
zm_status zm_train_task_check(const char *path, const zm_train_state *then,
                              const zm_train_state *now, zm_error *err);

zm_status zm_train_state_save(const char *path, const zm_train_state *state,
                              const double *minimiser, size_t n_minimiser,
                              const double *best, const double *mean, size_t n_best,
                              zm_error *err);
/** @return ZM_OK, ZM_E_STATE (of a model of another size), ZM_E_IO, ZM_E_FORMAT (also: damaged,
 *          which its checksum tells) */
zm_status zm_train_state_load(const char *path, zm_train_state *state,
                              double *minimiser, size_t n_minimiser, double *best,
                              double *mean, size_t n_best, zm_error *err);

/** Mean scores over fires, each in its window. */
typedef struct zm_validation {
    double correlation, iou50, iou100, relative_rmse;
} zm_validation;

zm_status zm_train_validate(const zm_batch_task *task, const zm_sample_list *fires,
                            zm_validation *out, zm_error *err);

#endif
