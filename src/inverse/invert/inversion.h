/* SPDX-License-Identifier: Apache-2.0
 * What an inversion is made of. */
#ifndef ZM_INVERT_INVERSION_H
#define ZM_INVERT_INVERSION_H

#include "inverse/invert/gauss_newton.h"
#include "inverse/invert/schedule.h"

/** Of first-order methods, where the options do not say. */
enum { ZM_FIRST_ORDER_ITERATIONS = 300 };

/** What a coarser grid has told about the field. */
typedef enum zm_level_result {
    ZM_LEVEL_NONE, /* there was none */
    ZM_LEVEL_SHARP,
    ZM_LEVEL_SMOOTH
} zm_level_result;

/** Where a run stands: with theta and the dual fields all that is needed to go on. */
typedef struct zm_run_state {
    zm_invert_method method; /* AUTO until it is chosen */
    zm_invert_stop stop;
    int32_t iteration, stage, in_stage;
    double slowness; /* scale of theta */
    double noise;    /* strength of a TV that just holds down the noise */
    double lambda;   /* of the last stages; earlier ones multiply it */
    double R;        /* of the regulariser at the current point */
    double chi2;     /* at the end of the stage before */
    double power;    /* discrepancy: how lambda follows chi2 */
    double off;      /* discrepancy: log(aim / chi2) in the iteration before */
    zm_level_result from_level;
    int64_t coarse_solves; /* on all coarser grids together */
    double best;           /* objective before the edges were loosened */
    bool smooth;           /* the field was found to be smooth */
    int32_t smooth_from;   /* the stage for that */
} zm_run_state;

struct zm_inversion {
    zm_grid grid;
    size_t n; /* cells */
    zm_invert_opts o;
    zm_alloc mem;
    /* The problem: */
    zm_observed *observed;
    size_t n_experiments, room_experiments;
    uint8_t *walls;
    double *known[ZM_PLANES]; /* NULL: I and 0 */
    double *start[ZM_PLANES];
    bool has_start;
    bool is_level; /* of a finer inversion */
    /* The L-curve, by ZM_LAMBDA_LCURVE: */
    double *strengths; /* NULL: not chosen yet */
    size_t n_strengths;
    bool strengths_given;
    zm_lcurve_point *curve; /* n_curve of n_strengths */
    size_t n_curve, chosen; /* chosen >= n_curve: not yet */
    bool corner;            /* the one chosen is the corner */
    /* How the present run comes to its lambda: as the options say, or as a point of the curve. */
    zm_lambda_rule rule;
    double factor; /* FIXED: lambda; else on the lambda chosen */
    /* Of the runs of a curve, which one it is and how many there are; 0: only one. */
    size_t part, parts;
    double told; /* what the progress callback was told last */
    /* The run, once it has begun: */
    bool begun;
    zm_invert_model model; /* from here on cleared by zm_inversion_forget_run */
    zm_penalty penalty;
    zm_gauss_newton gauss_newton;
    zm_schedule schedule;
    zm_run_state run;
    double *reference;    /* TIKHONOV: theta at the start */
    double *best;         /* theta before the edges were loosened */
    double *split, *dual; /* ADMM: 2 n_theta each */
    double *optimiser;    /* first-order methods: state of zm_minimise */
    size_t optimiser_size;
    zm_invert_iteration *history;
    size_t n_history, history_capacity;
    double *loaded; /* state to begin from, or NULL */
    size_t loaded_size;
};

/** ZM_E_ARG unless the options are in their ranges and go together. */
zm_status zm_inversion_check_options(const zm_invert_opts *o, zm_error *err);

/** n doubles of the inversion's memory, zeroed; NULL and a message when there are none. */
double *zm_inversion_doubles(zm_inversion *v, size_t n, zm_error *err);

/** Frees all that a run has made; the problem stays. */
void zm_inversion_forget_run(zm_inversion *v);

/** Places the start of a run and chooses method, lambda and schedule; the problem is checked. */
zm_status zm_inversion_begin(zm_inversion *v, zm_error *err);

/** theta of the best uniform slowness, or of the start given; sigmas of exact times; the
 *  scale.  Then solves there. */
zm_status zm_inversion_place_start(zm_inversion *v, zm_error *err);

/** Sets scale, bounds and sigmas of exact times for this slowness. */
void zm_inversion_rescale(zm_inversion *v, double slowness);

/** The regulariser as the methods know it: the TVs of G are plain TV of scaled fields. */
zm_reg_kind zm_inversion_reg_kind(const zm_inversion *v);

/** One run from its start to its end by v->rule, or what is left of it. */
zm_status zm_inversion_run_once(zm_inversion *v, zm_error *err);

/** The runs of ZM_LAMBDA_LCURVE, or what is left of them. */
zm_status zm_inversion_run_lcurve(zm_inversion *v, zm_error *err);

/** The part of a run that coarser grids take, as far as progress is told. */
#define ZM_LEVELS_SHARE 0.3

/** Calls the progress callback, if there is one, when this part of the present run is done; what
 *  it answers. */
int zm_inversion_progress(zm_inversion *v, double part);

/** Sets the penalty: eps in relative change from cell to cell, lambda the run's times factor. */
void zm_inversion_set_penalty(zm_inversion *v, zm_reg_kind kind, double eps,
                              double factor);

/** ZM_E_STATE before the first run. */
zm_status zm_inversion_check_begun(const zm_inversion *v, zm_error *err);

/** Puts the present iteration into the history and calls back; ZM_E_CANCELLED to stop. */
zm_status zm_inversion_tell(zm_inversion *v, int32_t stage, double step, zm_error *err);

/** Runs of the methods that are not stages of Gauss-Newton. */
zm_status zm_inversion_newton(zm_inversion *v, zm_error *err);
zm_status zm_inversion_first_order(zm_inversion *v, zm_error *err);

/** One iteration of ADMM with the penalty as it is set. */
zm_status zm_inversion_admm_step(zm_inversion *v, zm_step *step, zm_error *err);

#endif
