/* SPDX-License-Identifier: Apache-2.0
 * zermelo invert: its options, data, run and results. */
#ifndef ZM_CLI_INVERT_H
#define ZM_CLI_INVERT_H

#include "common/inputs.h"
#include "zermelo/invert.h"
#include "zermelo/observations.h"

/* ---- options ---------------------------------------------------------------------- */

/** Values of --observations: [K:]FILE. */
typedef struct observation_files {
    file_list files;      /**< first member: see OPTION_INPUTS */
    int32_t *experiments; /**< K of each; NOT_SAID where it is missing */
} observation_files;
enum { NOT_SAID = -1 };

/** Values of --source: [K:]ROW,COL[,TIME]. */
typedef struct numbered_sources {
    source_list list;
    int32_t *experiments; /**< of each */
} numbered_sources;

/** Value of --regulariser beside those of zm_reg_kind. */
enum { REGULARISER_NONE = ZM_REG_LOG_EUCLIDEAN_TV + 1 };

/** Value of --lcurve: a number of strengths, or the strengths. */
typedef struct lcurve_choice {
    int32_t n; /**< 0: not given */
    number_list lambdas;
} lcurve_choice;

typedef struct invert_settings {
    observation_files observations;
    numbered_sources sources;
    grid_shape shape;
    spacing spacing;
    const char *walls, *metric, *drift, *start_metric, *start_drift;
    zm_invert_opts opts; /**< unknown, lambda, method, misfit, limits, threads */
    bool lambda_given;
    int regulariser; /**< zm_reg_kind or REGULARISER_NONE */
    lcurve_choice lcurve;
    double sigma; /**< 0: not given */
    zm_invert_std_opts std;
    const char *out_metric, *out_drift, *out_std, *out_times, *json, *plot, *checkpoint;
    bool resume, quiet;
} invert_settings;

extern const option_table invert_tables[4];

/** DONE, or USAGE after a message about options that do not go together. */
int invert_check(const invert_settings *s);

/** `release` of the verb. */
void invert_settings_release(void *settings);

const char *invert_unknown_name(zm_unknown unknown);
const char *invert_regulariser_name(int regulariser);
const char *invert_method_name(zm_invert_method method);
const char *invert_misfit_name(zm_misfit_kind misfit);

static inline bool seeks_metric(const invert_settings *s)
{
    return ((int)s->opts.unknown & ZM_UNKNOWN_METRIC) != 0;
}

static inline bool seeks_drift(const invert_settings *s)
{
    return ((int)s->opts.unknown & ZM_UNKNOWN_DRIFT) != 0;
}

/** Planes of the metric that is written: 1 or 3. */
static inline size_t metric_planes_of(const invert_settings *s)
{
    return ((int)s->opts.unknown & ZM_UNKNOWN_METRIC) == ZM_UNKNOWN_ISOTROPIC ? 1 : 3;
}

/* ---- data ------------------------------------------------------------------------- */

typedef struct experiment_data {
    zm_source *sources;
    size_t n_sources;
    size_t n, room;
    double *rows, *cols; /**< where */
    double *times, *upper, *sigmas;
    size_t without_sigma;         /**< of the observations */
    zm_observation first_without; /**< the first of them, and its file */
    const char *first_file;
    bool exact; /**< no sigma is known */
} experiment_data;

typedef struct invert_data {
    inputs in; /**< grid, walls, known metric and drift */
    zm_npy start_metric, start_drift;
    experiment_data *experiments;
    size_t n_experiments, n_observations;
} invert_data;

/** Reads all files.  DONE, or another exit status after a message. */
int invert_data_read(invert_data *d, const invert_settings *s);

void invert_data_free(invert_data *d);

/** Puts the data into a new inversion. */
int invert_data_give(const invert_data *d, const invert_settings *s, zm_inversion *v);

/* ---- run -------------------------------------------------------------------------- */

typedef struct inversion {
    zm_inversion *handle;
    double seconds;
    const zm_lcurve_point *lcurve; /**< n_lcurve points, those of the handle */
    size_t n_lcurve, chosen;
    bool unsaved; /**< the last checkpoint could not be written, as a message has said */
} inversion;

/** Runs, with progress, checkpoints and the L-curve.  DONE, or an exit status after a
 *  message. */
int inversion_run(inversion *r, invert_data *d, const invert_settings *s);

/** Why it ended: "done", "fitted", "max-iterations" or "max-solves". */
const char *inversion_stop_name(const inversion *r);

/** How the run went. */
zm_invert_report inversion_report(const zm_inversion *handle);

/** Strength of the regulariser; 0 if there is none. */
double inversion_lambda(const inversion *r, const invert_settings *s);

void inversion_free(inversion *r);

/* ---- results ---------------------------------------------------------------------- */

/** Plane k of g11, g12, g22, b1, b2. */
enum { G11, G12, G22, B1, B2, N_PLANES };

typedef struct invert_result {
    double *planes; /**< N_PLANES fields */
    double *std;    /**< the same; NULL: not asked for */
    double *times;  /**< one field for each experiment */
    double **predicted; /**< computed times of the observations of each experiment */
    size_t n_experiments;
    double *rms;    /**< root mean square of the residuals of each experiment */
    double seconds_std;
} invert_result;

/** Fetches fields and computes standard deviations. */
int invert_result_find(invert_result *r, const inversion *run, const invert_data *d,
                       const invert_settings *s);

/** Writes every file that was asked for. */
int invert_result_save(const invert_result *r, const inversion *run,
                       const invert_data *d, const invert_settings *s);

void invert_result_free(invert_result *r);

/** Residual of observation i of experiment e: time past its interval, < 0: before. */
double invert_residual(const invert_data *d, const invert_result *r, size_t e,
                       size_t i);

#if defined(ZM_WITH_CAIRO)
/** Draws --plot. */
int invert_picture_save(const char *path, const invert_result *r, const inversion *run,
                        const invert_data *d, const invert_settings *s);
#endif

#endif
