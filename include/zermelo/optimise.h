/* SPDX-License-Identifier: Apache-2.0
 * Minimisers of a function of many variables from its value and gradient: projected
 * L-BFGS, Adam, (projected) gradient descent.  One interface, stop rules, a callback each
 * iteration, exact resume. */
#ifndef ZM_OPTIMISE_H
#define ZM_OPTIMISE_H

#include <math.h> /* HUGE_VAL in ZM_MINIMISE_OPTS_INIT */
#include <stddef.h>
#include <stdint.h>

#include "alloc.h"
#include "export.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The objective: value and gradient (n values) at x.
 *
 * @return >= 0 when done.  A negative status, a value or a gradient that is not finite
 *         mean that x cannot be evaluated: a shorter step is tried.  ZM_E_CANCELLED ends
 *         the run at once.
 */
typedef zm_status zm_objective_fn(void *ctx, const double *x, double *value,
                                  double *gradient);

/** Moves x (n values) to the nearest point of a closed convex set, in place. */
typedef void zm_feasible_fn(void *ctx, size_t n, double *x);

/** out = M in, with M symmetric positive definite and near the inverse Hessian; n values
 *  each, not overlapping.  M may change from one iteration to the next. */
typedef void zm_precondition_fn(void *ctx, size_t n, const double *in, double *out);

/** How a run stands after an iteration. */
typedef struct zm_minimise_iteration {
    size_t size;          /**< of the library's struct, which may grow at its end */
    int32_t iteration;    /**< 0: the start */
    int32_t evaluations;  /**< of the objective, failed ones included */
    double value;         /**< at x */
    double gradient_norm; /**< largest component of x - P(x - gradient), P the projection
                               onto bounds or set; the gradient's where there are none */
    double step;          /**< length of the last move, Euclidean */
    const double *x;
} zm_minimise_iteration;

/** Called at the start and after each iteration; non-zero ends the run (ZM_E_CANCELLED). */
typedef int zm_minimise_monitor_fn(void *ctx, const zm_minimise_iteration *iteration);

typedef enum zm_method {
    ZM_METHOD_LBFGS = 0,   /**< two-metric projected L-BFGS; bounds, no other set */
    ZM_METHOD_ADAM = 1,    /**< projected after each step where there are bounds or a set */
    ZM_METHOD_GRADIENT = 2 /**< projected gradient descent */
} zm_method;

/** Learning rate of Adam, and step of ZM_METHOD_GRADIENT without line search, in iteration
 *  t = 1, 2, ...:
 *    CONSTANT  rate
 *    STEP      rate * rate_factor^floor((t-1) / rate_period)
 *    COSINE    rate * (f + (1-f) (1 + cos(pi min(t-1, p)/p)) / 2),  f = rate_factor,
 *              p = rate_period */
typedef enum zm_rate_schedule {
    ZM_RATE_CONSTANT = 0,
    ZM_RATE_STEP = 1,
    ZM_RATE_COSINE = 2
} zm_rate_schedule;

typedef struct zm_minimise_opts {
    size_t size;
    zm_method method;

    const double *lower, *upper;       /**< n bounds each (-+HUGE_VAL: none there); NULL: none */
    zm_feasible_fn *feasible;          /**< the set, instead of bounds; NULL: none.  Adam keeps
                                            to it, but as it scales each variable by itself
                                            it need not end in the minimum over the set */
    zm_precondition_fn *precondition;  /**< L-BFGS: initial inverse Hessian; NULL: scaled I */
    zm_minimise_monitor_fn *monitor;   /**< NULL: none */

    int32_t max_iterations;            /**< >= 0, in all, over resumed runs */
    int32_t max_evaluations;           /**< >= 1, in all, over resumed runs */
    double gradient_tolerance;         /**< stop when gradient_norm is at most this, >= 0 */
    double decrease_tolerance;         /**< stop when the value fell by at most this part of
                                            |value| over decrease_window iterations; 0: off */
    int32_t decrease_window;           /**< 1 to 32 */
    double target;                     /**< stop when value <= target; -HUGE_VAL: off */

    int32_t memory;                    /**< L-BFGS: pairs kept, 1 to 100 */
    int32_t line_search;               /**< GRADIENT: non-zero: backtracking from `rate`, the
                                            step growing again; zero: step by the schedule */
    double rate;                       /**< Adam: learning rate; GRADIENT: (first) step */
    zm_rate_schedule schedule;
    double rate_factor;                /**< see zm_rate_schedule; in [0, 1] */
    int32_t rate_period;               /**< see zm_rate_schedule; >= 1 */
    double beta1, beta2, epsilon;      /**< Adam: decay of the two moments; divisor's floor */
    double clip;                       /**< Adam, and GRADIENT without line search: the
                                            gradient is shortened to this Euclidean norm;
                                            HUGE_VAL: never */

    double *history;                   /**< out: value at iterations 0, 1, ...; NULL: none */
    size_t history_capacity;           /**< room; later values are not kept */

    double *state;                     /**< in,out: zm_minimise_state_size doubles, always
                                            that of the last finished iteration, also in
                                            `monitor`; NULL: none kept */
    int32_t resume;                    /**< non-zero: go on from `state` to the same iterates,
                                            bit for bit, as a run that was not interrupted;
                                            x is overwritten.  Evaluations of an iteration
                                            that was cancelled are repeated */
    zm_alloc mem;                      /**< work memory; all zero: malloc and free */
} zm_minimise_opts;
#define ZM_MINIMISE_OPTS_INIT                                                            \
    { sizeof(zm_minimise_opts), ZM_METHOD_LBFGS, NULL, NULL, NULL, NULL, NULL, 1000,     \
      100000, 0.0, 0.0, 5, -HUGE_VAL, 10, 1, 1e-2, ZM_RATE_CONSTANT, 0.0, 1000, 0.9,     \
      0.999, 1e-8, HUGE_VAL, NULL, 0, NULL, 0, { NULL, NULL, NULL } }

typedef enum zm_stop {
    ZM_STOP_GRADIENT = 0,    /**< gradient_tolerance */
    ZM_STOP_DECREASE = 1,    /**< decrease_tolerance */
    ZM_STOP_TARGET = 2,      /**< target */
    ZM_STOP_ITERATIONS = 3,  /**< max_iterations */
    ZM_STOP_EVALUATIONS = 4, /**< max_evaluations */
    ZM_STOP_NO_STEP = 5,     /**< no lower value found along the last direction: as a rule
                                  the limit of rounding, or a gradient that is wrong */
    ZM_STOP_CANCELLED = 6    /**< by the monitor or by the objective */
} zm_stop;

typedef struct zm_minimise_report {
    size_t size;
    int32_t iterations, evaluations; /**< in all, over resumed runs */
    int32_t failures;                /**< trial points that could not be evaluated */
    double value, gradient_norm;     /**< at the x returned */
    zm_stop stop;
    size_t history_count;            /**< values written to history, at most its capacity */
} zm_minimise_report;
#define ZM_MINIMISE_REPORT_INIT \
    { sizeof(zm_minimise_report), 0, 0, 0, 0.0, 0.0, ZM_STOP_GRADIENT, 0 }

/** Doubles that `state` needs for these options; 0 where they are not valid.  The blob
 *  holds the method, counters, x, gradient and moments or pairs as plain numbers: it may
 *  be written to a file and read on any machine with IEEE doubles. */
ZM_API size_t zm_minimise_state_size(size_t n, const zm_minimise_opts *opts);

/**
 * Minimises the objective.
 *
 * @param n         in      number of variables, >= 1
 * @param objective in
 * @param ctx       in      handed to all callbacks, which run on the calling thread
 * @param x         in,out  start, and the last accepted point.  A start outside the bounds
 *                          or the set is projected first
 * @param opts      in      NULL: ZM_MINIMISE_OPTS_INIT
 * @param report    out     begins as ZM_MINIMISE_REPORT_INIT; NULL: not wanted
 * @return ZM_OK whatever rule stopped it (report->stop tells which); ZM_E_CANCELLED (x and
 *         report valid); ZM_E_ARG; ZM_E_NOMEM; ZM_E_STATE (state to resume from is of
 *         another problem); the objective's status where it fails at the start.  After a
 *         failure other than ZM_E_CANCELLED x and report are as they were; work memory is
 *         taken before the first iteration, on the calling thread, and given back
 */
ZM_API zm_status zm_minimise(size_t n, zm_objective_fn *objective, void *ctx, double *x,
                             const zm_minimise_opts *opts, zm_minimise_report *report,
                             zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
