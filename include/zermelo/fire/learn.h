/* SPDX-License-Identifier: Apache-2.0
 * Models of fire spread that are learned: networks from landscape and weather to the metric,
 * trained through the solver's adjoint (docs/fire-model.md).
 *
 * Times are hours since ignition, lengths metres. */
#ifndef ZM_LEARN_H
#define ZM_LEARN_H

#include <math.h> /* HUGE_VAL in the _INIT macros */

#include "../export.h"
#include "../forward.h"
#include "../status.h"
#include "dataset.h"
#include "landscape.h"
#include "physics.h"
#include "score.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Parameters with the table of channels, normalisation and architecture they belong to.  Any
 *  number of threads may predict with one model. */
typedef struct zm_model zm_model;

typedef enum zm_model_form {
    /** As printed: G = G0 + alpha G_local, b = b0 + alpha b_local, projected; G0 and b0 from a
     *  perceptron on the mean weather, the local parts from five 3 x 3 convolutions. */
    ZM_MODEL_PAPER = 0,
    /** log-slowness = perceptron + convolutions, drift along a learned combination of the wind
     *  and the upslope vector, hour by hour: the fire ellipse lit at its focus. */
    ZM_MODEL_MULTIPLICATIVE = 1,
    /** The physics of zermelo/fire/physics.h, hour by hour, and a network that corrects it: factors
     *  on the rate of spread per cell and per fuel model, turn and elongation of the ellipse.
     *  A new model is the physics. */
    ZM_MODEL_PHYSICS = 2
} zm_model_form;

typedef struct zm_model_opts {
    size_t size;
    zm_model_form form;
    uint64_t seed; /**< of the initial weights */
    double rate;   /**< m/h > 0: spread that the initial weights are near to */
    int32_t
        layers; /**< of convolutions; -1: as usual for the form; 0: none (not PAPER) */
    int32_t channels; /**< between convolutions; 0: as usual */
    int32_t hidden;   /**< width of the perceptron's hidden layers; 0: as usual */
    int32_t
        hourly; /**< MULTIPLICATIVE: 1: each hour its weather; 0: the mean of all hours */
    int32_t
        prior; /**< MULTIPLICATIVE: 1: outputs correct Rothermel's spread; 0: they say all */
    double alpha; /**< PAPER: weight of the local part, > 0 */
    /** Of the solver that the model is trained with, and then predicts with: its file says which,
     *  as parameters learn to make up for errors of the scheme.  Unlike elsewhere the default is
     *  fixed: the models that are shipped were trained so and have other scores with adaptive
     *  stencils, whose solves take longer. */
    zm_stencil_choice stencils;
    zm_front_kind front; /**< PHYSICS: what carries its fires */
} zm_model_opts;
#define ZM_MODEL_OPTS_INIT                                                             \
    {                                                                                  \
        sizeof(zm_model_opts), ZM_MODEL_MULTIPLICATIVE, 1, 60.0, -1, 0, 0, 1, 1, 0.5,  \
            ZM_STENCILS_FIXED, ZM_FRONT_TRAVEL_TIME                                    \
    }

/** @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM; *out is NULL after a failure */
ZM_API zm_status zm_model_create(zm_model **out, const zm_model_opts *opts,
                                 zm_error *err);
/** NULL is allowed. */
ZM_API void zm_model_destroy(zm_model *model);

/** Reads a model file (safetensors).  Refuses files whose channels, normalisation or sizes are
 *  not those this library knows.
 *  @return ZM_OK, ZM_E_IO, ZM_E_FORMAT, ZM_E_NOMEM */
ZM_API zm_status zm_model_load(const char *path, zm_model **out, zm_error *err);

/** The same from n bytes in memory; `name` is for messages. */
ZM_API zm_status zm_model_parse(const void *bytes, size_t n, const char *name,
                                zm_model **out, zm_error *err);

/** Writes a model file; parameters are rounded to float32.  `note` goes into the metadata;
 *  NULL: none. */
ZM_API zm_status zm_model_save(const zm_model *model, const char *path,
                               const char *note, zm_error *err);

/** Sets the rate that outputs are relative to, m/h: a new model starts from it. */
ZM_API zm_status zm_model_set_rate(zm_model *model, double rate, zm_error *err);

ZM_API zm_model_form zm_model_form_of(const zm_model *model);
ZM_API size_t zm_model_parameters(const zm_model *model);

/** Hours to which maps of a fire go that nothing else is said about, for t_max of zm_predict_opts: as
 *  zm_fire_map_end for the form physics, whose weather ends; INFINITY for the others. */
ZM_API double zm_model_map_end(const zm_model *model, const zm_fire *fire);

typedef struct zm_predict_opts {
    size_t size;
    double t_max; /**< h; cells later than this stay INFINITY.  INFINITY: no limit, but
                          models of the form physics end with the fire or its weather */
    int32_t threads; /**< of the convolutions, >= 1 */
} zm_predict_opts;
#define ZM_PREDICT_OPTS_INIT                                                           \
    {                                                                                  \
        sizeof(zm_predict_opts), HUGE_VAL, 1                                           \
    }

/**
 * Arrival times of a fire over the whole landscape, from the 3 x 3 block about its ignition.
 *
 * @param T out  rows*cols, h; INFINITY where nothing comes
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM
 */
ZM_API zm_status zm_model_predict(const zm_model *model, const zm_landscape *landscape,
                                  const zm_fire *fire, float *T,
                                  const zm_predict_opts *opts, zm_error *err);

/** The same from any cells: `start` has rows*cols hours, not finite: no source; NULL: the block
 *  about the ignition. */
ZM_API zm_status zm_model_predict_from(const zm_model *model,
                                       const zm_landscape *landscape,
                                       const zm_fire *fire, const float *start,
                                       float *T, const zm_predict_opts *opts,
                                       zm_error *err);

/** The same of an observed fire, from where it is at time 0 (zm_observed_start).  Without t_max
 *  models of the form physics go on to the end of its weather, which scores of equal area need.
 *  @return also ZM_E_ARG where nothing is known of its start */
ZM_API zm_status zm_model_predict_observed(const zm_model *model,
                                           const zm_observed *observed, float *T,
                                           const zm_predict_opts *opts, zm_error *err);

/** Times of temporal band k, from 0, of a fire with this latest time: bands are `width` of it long
 *  and begin every `stride` > 0 of it.  0: there is no band k. */
ZM_API int zm_band_times(double latest, double width, double stride, int32_t k,
                         double *from, double *to);

/**
 * Scores a model on the part of a fire between two times, h: it predicts from where the fire had
 * burned by `from` (from the block about the ignition where that is 0), and is compared in hours
 * since then on the cells that burned later.
 *
 * @param truth in   rows*cols, h; INFINITY: not burned
 * @param out   out  as of zm_score_fire; burned is 0, and there are no scores, where nothing burns
 *                   between the times
 * @return ZM_OK, as zm_model_predict_from and zm_score_fire
 */
ZM_API zm_status zm_model_score_band(const zm_model *model,
                                     const zm_landscape *landscape, const zm_fire *fire,
                                     const float *truth, double from, double to,
                                     zm_score *out, const zm_predict_opts *opts,
                                     zm_error *err);

/** What a loss compares: hours over the fire's duration D, or log(T + offset D). */
typedef enum zm_loss_time { ZM_TIME_LINEAR = 0, ZM_TIME_LOG = 1 } zm_loss_time;

typedef struct zm_loss_opts {
    size_t size;
    zm_loss_time time;
    double
        offset; /**< > 0, of log times: below this share of the duration errors count less */
    double
        huber; /**< beyond this residual the square becomes a line; HUGE_VAL: never */
    /** Weight of cells that had not burned when the fire ended, each as much as a burned one
     *  where it is 1: predicted before the end, they count by how much (censored). */
    double censored;
} zm_loss_opts;
#define ZM_LOSS_OPTS_INIT                                                              \
    {                                                                                  \
        sizeof(zm_loss_opts), ZM_TIME_LOG, 0.1, 0.5, 1.0                               \
    }

/** Losses with a name. */
typedef enum zm_loss_kind {
    ZM_LOSS_LOG = 0, /**< Huber's function of log times */
    ZM_LOSS_HUBER,   /**< of hours over the duration */
    ZM_LOSS_MSE,     /**< their square */
    ZM_LOSS_AREA /**< nearly their absolute value: as much as the area between the fronts */
} zm_loss_kind;

/** Sets opts->time and opts->huber as the named loss has them. */
ZM_API void zm_loss_opts_for(zm_loss_kind kind, zm_loss_opts *opts);

/**
 * Loss of times against intervals [low, high] in which cells burned: the weighted sum over
 * cells; the residual is 0 inside the interval, else that to the nearer end.
 *
 * @param T         in   n predicted times, may be INFINITY
 * @param low, high in   n; equal: a known time; high INFINITY: not before low
 * @param weight    in   n, >= 0
 * @param duration  in   h, > 0
 * @param dL_dT     out  n, or NULL
 * @param opts      in
 */
ZM_API double zm_loss(size_t n, const double *T, const double *low, const double *high,
                      const double *weight, double duration, double *dL_dT,
                      const zm_loss_opts *opts);

/** What early stopping and the best checkpoint go by, on the validation fires. */
typedef enum zm_train_score {
    ZM_TRAIN_BOTH = 0,    /**< mean of correlation and IoU at half the duration */
    ZM_TRAIN_CORRELATION, /**< as in the paper */
    ZM_TRAIN_IOU,
    ZM_TRAIN_RMSE, /**< relative RMSE, the lower the better; the score is its negative */
    ZM_TRAIN_END   /**< mean of correlation and IoU at the end */
} zm_train_score;

/** What the monitor is told.  The library makes it, and may add to it at the end. */
typedef struct zm_train_iteration {
    int32_t epoch;          /**< from 1 */
    int32_t batch, batches; /**< of the epoch; batch == batches: the epoch is done */
    double loss;            /**< mean of the epoch so far */
    double rate;            /**< of Adam */
    double seconds;         /**< CPU time of the epoch so far */
    double correlation, iou50, iou100; /**< validation, after the epoch; else NAN */
    double relative_rmse;
    double
        score; /**< of the epoch, after it; else NAN.  Without fires to validate on it is
                       -loss */
    double best; /**< the best score so far */
    int32_t best_epoch;
    int64_t failed; /**< fires whose derivatives could not be had, in the epoch */
} zm_train_iteration;

/** Called after each batch and each epoch; a non-zero answer ends the training: what has been
 *  reached is kept, and it can be resumed. */
typedef int zm_train_monitor_fn(void *ctx, const zm_train_iteration *iteration);

typedef struct zm_train_opts {
    size_t size;
    zm_loss_opts loss;
    double tv_metric, tv_drift; /**< weights of total variation of G and b, >= 0 */
    double rate;                /**< of Adam, at first */
    double clip;                /**< longest gradient */
    int32_t batch;              /**< fires of one scene in a step */
    int32_t epochs;             /**< at most */
    int32_t patience;           /**< epochs without a better score, then it stops */
    int32_t plateau; /**< epochs without a better score, then the rate is halved */
    zm_train_score score;
    uint64_t seed;      /**< of the order of fires */
    double band_width;  /**< > 0: temporal bands of this share of the latest time ... */
    double band_stride; /**< ... that begin every such share */
    const char *model_path; /**< the best model is kept here, in no pipe; NULL: nowhere */
    const char
        *state_path;  /**< state to resume from is kept here after each epoch; NULL */
    int32_t resume;   /**< 1: go on from state_path, if it is there */
    const char *note; /**< into the model file; NULL: none */
    zm_train_monitor_fn *monitor; /**< NULL: none */
    void *monitor_ctx;
    int32_t threads; /**< that share the fires of a batch, >= 1; the same result */
    double average;  /**< in [0, 1): what is judged and kept is a running mean of the
                          parameters, that decays by this factor a step; 0: the last ones */
    int32_t warm_up; /**< epochs in which the rate of Adam rises to its own; 0: none */
    double shrink;   /**< PHYSICS: weight of the mean square of the corrections, >= 0 */
} zm_train_opts;
#define ZM_TRAIN_OPTS_INIT                                                             \
    {                                                                                  \
        sizeof(zm_train_opts), ZM_LOSS_OPTS_INIT, 0.0, 0.0, 2e-3, 1.0, 8, 200, 20, 6,  \
            ZM_TRAIN_BOTH, 1, 0.0, 0.25, NULL, NULL, 0, NULL, NULL, NULL, 1, 0.99, 0,  \
            0.0                                                                        \
    }

/** Sets rate, batch, plateau, average, warm_up and shrink in `opts` to what suits models of a
 *  form. */
ZM_API void zm_train_opts_for(zm_model_form form, zm_train_opts *opts);

/** Fires to train with and to validate on.  One thread at a time. */
typedef struct zm_trainer zm_trainer;

/** The model is trained in place and must outlive the trainer. */
ZM_API zm_status zm_trainer_create(zm_trainer **out, zm_model *model, zm_error *err);
/** NULL is allowed. */
ZM_API void zm_trainer_destroy(zm_trainer *trainer);

/**
 * Fires of scenes that are added from now on to train with are cut into patches, each a sample:
 * a source for each connected part that burned in it, times from when the part was entered
 * (zm_patch_extract).  Only burned cells count.  A fire without a patch that has enough of them
 * is left out.  Fires to validate on stay whole.
 *
 * Times of a patch have no common clock, so the model must take the mean of the weather:
 * ZM_MODEL_PAPER, or ZM_MODEL_MULTIPLICATIVE with hourly = 0.
 *
 * @param opts in  NULL means ZM_PATCH_OPTS_INIT; stride at most the side, min_burned from 10 to
 *                 side * side
 * @return ZM_OK, ZM_E_ARG (another model, sizes)
 */
ZM_API zm_status zm_trainer_set_patches(zm_trainer *trainer, const zm_patch_opts *opts,
                                        zm_error *err);

/**
 * Adds a scene: its fires of one split to train with, those of another to validate on;
 * ZM_SPLITS: none.
 *
 * @param scene in  must outlive the trainer
 * @param most  in  at most so many to train with, the first ones; 0: all
 * @return ZM_OK, ZM_E_IO, ZM_E_FORMAT, ZM_E_NOMEM
 */
ZM_API zm_status zm_trainer_add(zm_trainer *trainer, const zm_scene *scene,
                                zm_split train, zm_split validate, size_t most,
                                zm_error *err);

/** Adds one fire of a scene, to train with and to validate on: how well a model can fit it. */
ZM_API zm_status zm_trainer_add_one(zm_trainer *trainer, const zm_scene *scene,
                                    size_t i, zm_error *err);

/**
 * Adds an observed fire to train with: it starts from the first perimeter, and each cell burned
 * between two observations.
 *
 * @param observed in  must outlive the trainer
 * @return ZM_OK, ZM_E_NOMEM, ZM_E_ARG (fewer than two perimeters with known times; patches)
 */
ZM_API zm_status zm_trainer_add_observed(zm_trainer *trainer,
                                         const zm_observed *observed, zm_error *err);

/** Fires to train with, without those left out. */
ZM_API size_t zm_trainer_fires(const zm_trainer *trainer);

/** Samples that an epoch goes through (before temporal bands): fires, or their patches. */
ZM_API size_t zm_trainer_samples(const zm_trainer *trainer);

/** Mean over samples of sqrt(burned area / pi) / duration, m/h, geometric: what a new model's
 *  rate should be.  NAN where there are none. */
ZM_API double zm_trainer_mean_rate(const zm_trainer *trainer);

/** Gives the model, which must be new, this rate; where there is none it keeps its own. */
ZM_API zm_status zm_trainer_set_mean_rate(zm_trainer *trainer, zm_error *err);

/**
 * Trains until the score stops getting better; the model then is the best one.
 *
 * @return ZM_OK; ZM_E_CANCELLED (by the monitor; the model is the best one so far); ZM_E_ARG (no
 *         samples, options, bands of patches), ZM_E_STATE (state of another model or task),
 *         ZM_E_NOMEM, ZM_E_IO
 */
ZM_API zm_status zm_trainer_run(zm_trainer *trainer, const zm_train_opts *opts,
                                zm_error *err);

/** How well any metric can explain one fire: a metric for each cell of its window, no
 *  network, no regularisation. */
typedef struct zm_capacity_opts {
    size_t size;
    int32_t iterations; /**< of L-BFGS, at most */
    double rate;        /**< m/h: isotropic start; <= 0: the mean rate of the fire */
    zm_progress_fn
        *progress; /**< before each evaluation, after each epoch; NULL: none */
    void *progress_ctx;
    int32_t
        from_times; /**< 1: the start is the isotropic slowness of each cell that its time
                             and those of its neighbours ask for; 0: rate everywhere */
    int32_t epochs;       /**< of zm_capacity_network: steps of Adam */
    double learning_rate; /**< of Adam */
    uint64_t seed;        /**< of the weights of the network */
    int32_t threads;      /**< of the convolutions of its prediction */
} zm_capacity_opts;
#define ZM_CAPACITY_OPTS_INIT                                                          \
    {                                                                                  \
        sizeof(zm_capacity_opts), 100, 0.0, NULL, NULL, 1, 300, 3e-3, 1, 1             \
    }

/**
 * Fits G and b of each cell to one fire of a scene.
 *
 * @param T          out  rows*cols of the landscape, h; INFINITY outside the window
 * @param parameters out  number of parameters, or NULL
 * @return ZM_OK, ZM_E_ARG, ZM_E_IO, ZM_E_FORMAT, ZM_E_NOMEM, ZM_E_CANCELLED (by progress)
 */
ZM_API zm_status zm_capacity_fit(const zm_scene *scene, size_t i, float *T,
                                 size_t *parameters, const zm_capacity_opts *opts,
                                 zm_error *err);

/** The same by the paper's encoder as printed: trained on the one fire in hours, without
 *  regularisation, and judged on it. */
ZM_API zm_status zm_capacity_network(const zm_scene *scene, size_t i, float *T,
                                     const zm_capacity_opts *opts, zm_error *err);

/** Predictions that any model should beat, fitted to the fires of one scene. */
typedef enum zm_baseline_kind {
    ZM_BASELINE_DISTANCE = 0, /**< one speed in all directions */
    /** One ellipse lit at its focus, with one heading, or with one turn from each fire's mean
     *  wind, whichever fits better. */
    ZM_BASELINE_ELLIPSE = 1
} zm_baseline_kind;

/** This struct is frozen. */
typedef struct zm_baseline {
    double rate;         /**< p, m/h */
    double eccentricity; /**< 0 to below 1 */
    double heading[2];   /**< unit vector, x east and y south */
    int32_t
        follows_wind; /**< 1: the heading is turned by where the mean wind blows to */
} zm_baseline;

/** T = (|x| - e u.x) / p, least squares of log(T + offset duration) over the burned cells of
 *  the fires of a split. */
ZM_API zm_status zm_baseline_fit(zm_baseline_kind kind, const zm_scene *scene,
                                 zm_split split, zm_baseline *out, zm_error *err);

/** T: rows*cols, h; INFINITY where it is later than t_max. */
ZM_API void zm_baseline_predict(const zm_baseline *baseline,
                                const zm_landscape *landscape, const zm_fire *fire,
                                double t_max, float *T);

#ifdef __cplusplus
}
#endif
#endif
