/* SPDX-License-Identifier: Apache-2.0
 * Inversion: metric and drift from observed arrival times.
 *
 * Sought are fields theta (zm_metric_map, zm_drift_map) that minimise
 *
 *     sum over observations of rho(r) + lambda R(theta),    r = (T(theta) - t) / sigma,
 *
 * over any number of experiments that share them.  Residuals are divided by their standard
 * deviations and theta by its scale, so lambda has no unit (docs/inversion.md).
 *
 *     zm_inversion_create, zm_inversion_add (each experiment), zm_invert_run,
 *     zm_inversion_metric, zm_inversion_destroy
 *
 * is all that most need: the default options choose method, lambda and start. */
#ifndef ZM_INVERT_H
#define ZM_INVERT_H

#include <math.h> /* HUGE_VAL in ZM_INVERT_OPTS_INIT */

#include "adjoint.h"
#include "project.h"
#include "reg.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An inverse problem and how far it has been solved.  One thread at a time per handle;
 *  solves and derivatives of several experiments run on its own threads. */
typedef struct zm_inversion zm_inversion;

/** What is sought; ZM_UNKNOWN_DRIFT may be or-ed to one of the others. */
typedef enum zm_unknown {
    ZM_UNKNOWN_ISOTROPIC = 1, /**< G = g I */
    ZM_UNKNOWN_DIAGONAL = 2,  /**< g11 and g22 */
    ZM_UNKNOWN_METRIC = 3,    /**< all of G */
    ZM_UNKNOWN_DRIFT = 4,     /**< b */
    ZM_UNKNOWN_ALL = 7        /**< G and b */
} zm_unknown;

/** How fields stand for the metric (isotropic, diagonal; full). */
typedef enum zm_metric_map {
    ZM_METRIC_FACTOR = 0, /**< slowness s, g = s^2; Cholesky factor L, G = L L' */
    ZM_METRIC_LOG = 1,    /**< log g; matrix logarithm */
    ZM_METRIC_PLAIN = 2   /**< g; the entries of G.  Projected after each step */
} zm_metric_map;

/** How fields stand for the drift. */
typedef enum zm_drift_map {
    /** b itself, scaled back to |b|_{G^-1} <= rho after each step.  ZM_INVERT_LBFGS, which
     *  knows bounds only, takes BALL in its place. */
    ZM_DRIFT_PROJECT = 0,
    /** b = rho L y / sqrt(1 + |y|^2), L L' = G: always inside. */
    ZM_DRIFT_BALL = 1
} zm_drift_map;

/** Cost of a residual.  Observations with an upper time cost nothing inside [t, upper]. */
typedef enum zm_misfit_kind {
    ZM_MISFIT_SQUARES = 0, /**< r^2 / 2 */
    ZM_MISFIT_HUBER = 1    /**< linear where |r| > huber: outliers count less */
} zm_misfit_kind;

typedef enum zm_lambda_rule {
    /** The strength at which the regulariser just holds down what noise of the stated
     *  sigma would do; for H1 and TIKHONOV, which have no such, as DISCREPANCY. */
    ZM_LAMBDA_AUTO = 0,
    ZM_LAMBDA_FIXED = 1,      /**< as given */
    ZM_LAMBDA_DISCREPANCY = 2, /**< so that chi2 per observation becomes `chi2` */
    /** The corner of the L-curve: a run for each of a number of strengths, and one more for the
     *  result.  It needs no sigma that is right.  Iterations of each run count from 0, and the
     *  history is that of the last (zm_inversion_lcurve has the others).  Where Newton's method is
     *  chosen there is no curve, and where the curve has no corner zm_lcurve_nearest chooses. */
    ZM_LAMBDA_LCURVE = 3
} zm_lambda_rule;

typedef enum zm_invert_method {
    /** NEWTON where it applies; for TV else GNC, but no LOG where the field turns out to be
     *  smooth, and other places of edges tried where data are few; else GAUSS_NEWTON. */
    ZM_INVERT_AUTO = 0,
    /** Gauss-Newton with conjugate gradients; primal-dual for TV; lambda continued. */
    ZM_INVERT_GAUSS_NEWTON = 1,
    /** The same with TV, then with the edge-preserving LOG. */
    ZM_INVERT_GNC = 2,
    ZM_INVERT_ADMM = 3, /**< exact TV through splitting */
    /** The equations solved cell by cell, then Newton's method: isotropic, one experiment,
     *  every cell observed without noise; no regulariser. */
    ZM_INVERT_NEWTON = 4,
    ZM_INVERT_LBFGS = 5,
    ZM_INVERT_ADAM = 6,
    ZM_INVERT_GRADIENT = 7 /**< projected gradient descent */
} zm_invert_method;

/** What a run tells about itself at the start and after each iteration.  Frozen: histories
 *  are arrays of it. */
typedef struct zm_invert_iteration {
    int32_t iteration; /**< from 0: the start */
    int32_t stage;     /**< of the schedule of lambda and eps */
    zm_invert_method method;
    int64_t solves;   /**< forward solves so far, of each experiment */
    int64_t products; /**< tangents and adjoints so far, of each experiment */
    double chi2;      /**< mean of r^2 */
    double misfit;    /**< sum of rho(r) */
    double lambda, eps;
    double objective; /**< misfit + lambda R */
    double step;      /**< part of the last step that was taken, 1: all of it */
    /** 0: on the grid itself; k: looking for a start on one of 1/2^k the resolution.
     *  The latter are not in the history. */
    int32_t level;
} zm_invert_iteration;

/** Called at the start and after each iteration on the thread that runs the inversion;
 *  non-zero: stop here.  At level 0 the functions that read results (zm_inversion_metric,
 *  _times, _report, _history, _save) may be called from it. */
typedef int zm_invert_monitor_fn(void *ctx, const zm_invert_iteration *iteration);

typedef struct zm_invert_opts {
    size_t size;
    /** All zero: malloc and free.  Every call that is not const may take memory, a run also
     *  while it lasts; with threads > 1 from several threads at once. */
    zm_alloc mem;
    int32_t threads; /**< >= 1 */

    zm_unknown unknown;
    zm_metric_map metric_map;
    zm_drift_map drift_map;
    /** Bounds of the eigenvalues of G; 0: 1e-3 and 1e3 times that of the start. */
    double eig_min, eig_max;
    double rho; /**< in (0, 1): largest |b|_{G^-1} */

    zm_misfit_kind misfit;
    double huber; /**< > 0, in sigmas */

    /** ZM_REG_FROBENIUS_TV needs ZM_METRIC_PLAIN, ZM_REG_LOG_EUCLIDEAN_TV ZM_METRIC_LOG;
     *  TV is then the same. */
    zm_reg_kind regulariser;
    /** > 0: in relative change from cell to cell; 0: 0.002 for TV, 0.01 for LOG and for TV
     *  of first-order methods.  GNC uses it for LOG. */
    double eps;
    zm_lambda_rule lambda_rule;
    /** FIXED: lambda > 0, or 0: no regulariser (not for GNC and ADMM); else > 0: factor on
     *  the lambda chosen. */
    double lambda;
    double chi2; /**< > 0: aim of DISCREPANCY */

    zm_invert_method method;
    /** 0: as many as the schedule has (first-order methods: 300). */
    int32_t max_iterations;
    int64_t max_solves;  /**< 0: no limit */
    double rate;         /**< ADAM, GRADIENT: learning rate or first step */
    int32_t line_search; /**< GRADIENT: non-zero: with line search */

    zm_invert_monitor_fn *monitor; /**< NULL: none */
    void *monitor_ctx;

    /** ADAM, and GRADIENT without line search: the gradient with respect to theta is
     *  shortened to this Euclidean norm; HUGE_VAL: never. */
    double clip;

    /** Of the solves, as in zm_solver_opts.  With ADAPTIVE a metric in which the eight neighbours
     *  are neither causal nor accurate is found where it is; T then jumps by a little where a
     *  stencil changes, and derivatives are those of the stencils at hand.  FIXED: no sources
     *  between cells. */
    zm_stencil_choice stencils;

    /** LCURVE: >= 3, strengths tried as in zm_invert_lcurve, unless zm_inversion_strengths gives
     *  others. */
    int32_t lcurve_points;
    /** Called after each iteration, on coarser grids too, with the share of the run that is done;
     *  a non-zero answer stops it as that of the monitor does.  NULL: never. */
    zm_progress_fn *progress;
    void *progress_ctx;
} zm_invert_opts;
#define ZM_INVERT_OPTS_INIT                                                            \
    {                                                                                  \
        sizeof(zm_invert_opts), { NULL, NULL, NULL }, 1, ZM_UNKNOWN_ISOTROPIC,         \
            ZM_METRIC_FACTOR, ZM_DRIFT_PROJECT, 0.0, 0.0, 0.98, ZM_MISFIT_SQUARES,     \
            1.345, ZM_REG_TV, 0.0, ZM_LAMBDA_AUTO, 1.0, 1.0, ZM_INVERT_AUTO, 0, 0,     \
            1e-2, 1, NULL, NULL, HUGE_VAL, ZM_STENCILS_ADAPTIVE, 13, NULL, NULL        \
    }

/**
 * @param out  out  to be given to zm_inversion_destroy; NULL after a failure
 * @param opts in   NULL: ZM_INVERT_OPTS_INIT
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM
 */
ZM_API zm_status zm_inversion_create(zm_inversion **out, zm_grid grid,
                                     const zm_invert_opts *opts, zm_error *err);
/** NULL is allowed. */
ZM_API void zm_inversion_destroy(zm_inversion *inversion);

/** A front, and when it was seen where.  Arrays are copied. */
typedef struct zm_experiment {
    size_t size;
    const zm_source *sources; /**< n_sources >= 1 */
    size_t n_sources;
    size_t n;             /**< observations, >= 1 */
    const int64_t *cells; /**< row*cols + col of each; or NULL, and `rows` and `cols` */
    const double *times;  /**< arrival times */
    /** NULL: times are exact to sigma.  Else the front came between times[i] and upper[i];
     *  INFINITY: not before times[i] */
    const double *upper;
    const double *sigmas; /**< > 0, standard deviation of each; NULL: `sigma` for all */
    /** 0: the times have no noise to speak of.  They then count with a standard deviation of
     *  a hundredth of what the front takes for a cell at the start. */
    double sigma;
    /** Where each was seen, in 0..rows-1 and 0..cols-1 of the grid; whole numbers are the middles
     *  of cells, and between them T is bilinear in the cells around (docs/inversion.md). */
    const double *rows, *cols;
} zm_experiment;
#define ZM_EXPERIMENT_INIT                                                             \
    {                                                                                  \
        sizeof(zm_experiment), NULL, 0, 0, NULL, NULL, NULL, NULL, 0.0, NULL, NULL     \
    }

/**
 * Adds an experiment, the next number from 0.
 *
 * @return ZM_OK; ZM_E_ARG (which observation, and what is wrong); ZM_E_SOURCE; ZM_E_NOMEM;
 *         ZM_E_STATE (a run has begun)
 */
ZM_API zm_status zm_inversion_add(zm_inversion *inversion,
                                  const zm_experiment *experiment, zm_error *err);

/**
 * Cells that nothing enters; rows*cols bytes, copied.
 *
 * @return ZM_OK, ZM_E_ARG, ZM_E_SOURCE (an experiment has a source in one of them),
 *         ZM_E_NOMEM, ZM_E_STATE (a run has begun)
 */
ZM_API zm_status zm_inversion_walls(zm_inversion *inversion, const uint8_t *walls,
                                    zm_error *err);

/**
 * What is known of metric and drift, of either number type, copied: planes of what is
 * unknown are ignored and may be NULL.  Without this call G = I and b = 0 where they are
 * not sought.
 *
 * @return ZM_OK, ZM_E_ARG, ZM_E_METRIC (err->cell), ZM_E_NOMEM, ZM_E_STATE
 */
ZM_API zm_status zm_inversion_known(zm_inversion *inversion, const zm_metric *metric,
                                    zm_error *err);

/**
 * Where to start, copied; planes of what is known are ignored and may be NULL, and so may
 * g11, where a drift is given, or the drift.  Without a metric the run starts from the best
 * uniform slowness, which takes a solve more; without a drift from none.
 *
 * @return as zm_inversion_known
 */
ZM_API zm_status zm_inversion_start(zm_inversion *inversion, const zm_metric *metric,
                                    zm_error *err);

/**
 * The strengths that ZM_LAMBDA_LCURVE tries, copied.
 *
 * @param lambdas in   n >= 3, > 0, falling
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM, ZM_E_STATE (a run has begun)
 */
ZM_API zm_status zm_inversion_strengths(zm_inversion *inversion, const double *lambdas,
                                        size_t n, zm_error *err);

/**
 * Runs, or goes on with, the inversion.
 *
 * @return ZM_OK; ZM_E_CANCELLED (the callback stopped it: results are those of the last
 *         iteration, and another call goes on); ZM_E_ARG (no experiment; an observed cell,
 *         or one around an observed place, that no front can reach: err->cell; options that do not go together);
 *         ZM_E_METRIC, ZM_E_SOURCE, ZM_E_NOMEM
 */
ZM_API zm_status zm_invert_run(zm_inversion *inversion, zm_error *err);

typedef enum zm_invert_stop {
    ZM_INVERT_NOT_RUN = 0,
    ZM_INVERT_DONE = 1,       /**< end of the schedule, or nothing left to gain */
    ZM_INVERT_FITTED = 2,     /**< fields without structure explain the data */
    ZM_INVERT_ITERATIONS = 3, /**< max_iterations */
    ZM_INVERT_SOLVES = 4,     /**< max_solves */
    ZM_INVERT_STOPPED = 5     /**< by the callback */
} zm_invert_stop;

typedef struct zm_invert_report {
    size_t size;
    zm_invert_method method; /**< that was used */
    zm_invert_stop stop;
    size_t experiments, observations;
    int32_t iterations;
    int64_t solves, products; /**< of each experiment; not those for zm_invert_std */
    int64_t coarse_solves;    /**< on coarser grids, for a start */
    double chi2, misfit, lambda, regulariser; /**< regulariser: R */
    double slowness; /**< scale of theta: slowness of the start */
    int64_t lcurve_solves; /**< of each experiment for the points of the L-curve, beside `solves` */
    int32_t lcurve_corner; /**< 1: lambda is that of its corner; 0: it has none, or is not there */
} zm_invert_report;
#define ZM_INVERT_REPORT_INIT                                                          \
    {                                                                                  \
        sizeof(zm_invert_report), ZM_INVERT_AUTO, ZM_INVERT_NOT_RUN, 0, 0, 0, 0, 0, 0, \
            0.0, 0.0, 0.0, 0.0, 0.0, 0, 0                                              \
    }

/**
 * State of the last run; before the first one, what was added so far.
 *
 * @param report out  begins as ZM_INVERT_REPORT_INIT
 * @return ZM_OK, ZM_E_ARG (NULL, or without its size)
 */
ZM_API zm_status zm_inversion_report(const zm_inversion *inversion,
                                     zm_invert_report *report, zm_error *err);

/** All iterations so far; owned by the handle, valid until the next call on it. */
ZM_API const zm_invert_iteration *zm_inversion_history(const zm_inversion *inversion,
                                                      size_t *count);

/**
 * The metric found, with what was known.
 *
 * @param out out  planes of rows*cols doubles; those that are NULL are left out
 * @return ZM_OK, ZM_E_STATE (no run yet)
 */
ZM_API zm_status zm_inversion_metric(const zm_inversion *inversion,
                                     const zm_metric_out *out, zm_error *err);

/**
 * Arrival times of one experiment in the metric found.
 *
 * @param experiment in   its number
 * @param T          out  rows*cols doubles
 * @return ZM_OK, ZM_E_STATE (no run yet), ZM_E_ARG (no such experiment)
 */
ZM_API zm_status zm_inversion_times(const zm_inversion *inversion, size_t experiment,
                                    double *T, zm_error *err);

/**
 * Computed times where and in the order they were observed, of one experiment.
 *
 * @param experiment in   its number
 * @param times      out  as many doubles as it has observations
 * @return as zm_inversion_times
 */
ZM_API zm_status zm_inversion_predicted(const zm_inversion *inversion, size_t experiment,
                                        double *times, zm_error *err);

typedef struct zm_invert_std_opts {
    size_t size;
    int32_t samples; /**< >= 2: relative accuracy of the result is 1/sqrt(2 samples) */
    uint64_t seed;
    double tolerance; /**< of the conjugate gradients, > 0 */
    /** Called after each sample; NULL: never. */
    zm_progress_fn *progress;
    void *progress_ctx;
} zm_invert_std_opts;
#define ZM_INVERT_STD_OPTS_INIT                                                        \
    {                                                                                  \
        sizeof(zm_invert_std_opts), 64, 1, 1e-4, NULL, NULL                            \
    }

/**
 * Posterior standard deviation of each plane, in Laplace's approximation: samples of the
 * normal distribution whose inverse covariance is the Gauss-Newton Hessian of misfit and
 * regulariser (frozen at the result), mapped linearly to the planes.
 *
 * @param out out  planes of rows*cols doubles; those that are NULL are left out; 0 for
 *                 what is known
 * @return ZM_OK; ZM_E_STATE (no run yet; a run without noise or without a regulariser);
 *         ZM_E_ARG; ZM_E_NOMEM; ZM_E_CANCELLED (nothing is written)
 */
ZM_API zm_status zm_invert_std(zm_inversion *inversion, const zm_metric_out *out,
                               const zm_invert_std_opts *opts, zm_error *err);

/** One point of an L-curve.  Frozen. */
typedef struct zm_lcurve_point {
    double lambda, chi2, misfit, regulariser;
    int64_t solves; /**< of this run and those before it */
} zm_lcurve_point;

/**
 * Points of the L-curve of ZM_LAMBDA_LCURVE so far, by falling lambda; owned by the handle, valid
 * until the next call on it.
 *
 * @param count  out  how many; 0 with other rules
 * @param chosen out  index of the one whose lambda was taken; = *count before that.  Or NULL
 */
ZM_API const zm_lcurve_point *zm_inversion_lcurve(const zm_inversion *inversion,
                                                  size_t *count, size_t *chosen);

/**
 * Runs with each of n fixed lambdas, from the largest down; each point is what a run with
 * ZM_LAMBDA_FIXED comes to, and the last is then the result of the handle.
 *
 * @param lambdas in   > 0, falling; or NULL, n >= 2: two to a power of ten around the one
 *                     that ZM_LAMBDA_AUTO begins with, from 1000 times to a thousandth of it
 *                     at most
 * @param curve   out  n points
 * @param corner  out  index of the corner of log R over log misfit (docs/inversion.md); 0:
 *                     there is none; or NULL
 * @return as zm_invert_run; ZM_E_ARG (also: a method whose lambda is not continued);
 *         ZM_E_STATE (a state was loaded; nothing to regularise)
 *
 * A run with ZM_LAMBDA_LCURVE draws the same curve, chooses, can be stopped and saved, and is what
 * most want.
 */
ZM_API zm_status zm_invert_lcurve(zm_inversion *inversion, const double *lambdas,
                                  size_t n, zm_lcurve_point *curve, size_t *corner,
                                  zm_error *err);

/** The point to take of a curve without a corner: the one whose chi2 is nearest to 1, by
 *  ratio.  curve has n >= 1 points. */
ZM_API size_t zm_lcurve_nearest(const zm_lcurve_point *curve, size_t n);

/** Doubles that zm_inversion_save writes at present; 0 before the first run. */
ZM_API size_t zm_inversion_state_size(const zm_inversion *inversion);

/**
 * The state of a run as plain numbers, which may be written to a file.  Another handle, made
 * in the same way and given this before its first run, goes on as if nothing had happened.
 * Digests of options and data are in it, so that a handle that was made otherwise refuses it;
 * only mem, threads, max_iterations, max_solves and callbacks may differ.
 * May be called from the callback.
 *
 * @param state out  zm_inversion_state_size doubles
 * @return ZM_OK, ZM_E_STATE (no run yet)
 */
ZM_API zm_status zm_inversion_save(const zm_inversion *inversion, double *state,
                                   zm_error *err);

/** @return ZM_OK; ZM_E_STATE (a run has begun; these are no state, or one of another version);
 *          ZM_E_NOMEM.  Whether the state is of another problem shows when the run begins, which
 *          then answers ZM_E_STATE and says what differs. */
ZM_API zm_status zm_inversion_load(zm_inversion *inversion, const double *state,
                                   size_t size, zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
