/* SPDX-License-Identifier: Apache-2.0
 * The minimiser's frame: options, state, stop rules, report. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/options.h"
#include "inverse/minimise/run.h"

enum { MOST_MEMORY = 100 };

static bool is_part(double a)
{
    return a >= 0 && a < 1;
}

static zm_status check_sizes(const zm_minimise_opts *o, zm_error *err)
{
    if (o->method < ZM_METHOD_LBFGS || o->method > ZM_METHOD_GRADIENT)
        return zm_fail(err, ZM_E_ARG, -1, "method %d is not known", (int)o->method);
    if (o->max_iterations < 0 || o->max_evaluations < 1)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "max_iterations = %d, max_evaluations = %d, must be >= 0 and >= 1",
            (int)o->max_iterations, (int)o->max_evaluations);
    if (o->decrease_window < 1 || o->decrease_window > MOST_WINDOW)
        return zm_fail(err, ZM_E_ARG, -1, "decrease_window = %d, must be 1 to %d",
                       (int)o->decrease_window, MOST_WINDOW);
    if (!(o->gradient_tolerance >= 0 && o->decrease_tolerance >= 0) || isnan(o->target))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "gradient_tolerance = %g, decrease_tolerance = %g, target = %g: must "
            "be >= 0 and a number",
            o->gradient_tolerance, o->decrease_tolerance, o->target);
    if (o->method == ZM_METHOD_LBFGS && (o->memory < 1 || o->memory > MOST_MEMORY))
        return zm_fail(err, ZM_E_ARG, -1, "memory = %d, must be 1 to %d",
                       (int)o->memory, MOST_MEMORY);
    return ZM_OK;
}

static zm_status check_rates(const zm_minimise_opts *o, zm_error *err)
{
    if (o->method == ZM_METHOD_LBFGS)
        return ZM_OK;
    if (!(o->rate > 0 && isfinite(o->rate) && o->clip > 0))
        return zm_fail(err, ZM_E_ARG, -1, "rate = %g, clip = %g, must be > 0", o->rate,
                       o->clip);
    if (o->schedule < ZM_RATE_CONSTANT || o->schedule > ZM_RATE_COSINE ||
        !(o->rate_factor >= 0 && o->rate_factor <= 1) || o->rate_period < 1)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "rate schedule %d with factor %g and period %d: the factor must be "
            "in [0, 1], the period >= 1",
            (int)o->schedule, o->rate_factor, (int)o->rate_period);
    if (o->method == ZM_METHOD_ADAM &&
        !(is_part(o->beta1) && is_part(o->beta2) && o->epsilon > 0))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "beta1 = %g, beta2 = %g, epsilon = %g: must be in [0, 1) and > 0", o->beta1,
            o->beta2, o->epsilon);
    if (o->method == ZM_METHOD_GRADIENT && o->line_search &&
        (o->schedule != ZM_RATE_CONSTANT || isfinite(o->clip)))
        return zm_fail(err, ZM_E_ARG, -1,
                       "a line search chooses its steps: no schedule, no clip");
    return ZM_OK;
}

static zm_status check_constraints(size_t n, const zm_minimise_opts *o, zm_error *err)
{
    if (o->feasible && (o->lower || o->upper))
        return zm_fail(err, ZM_E_ARG, -1,
                       "bounds and a feasible set: give one of them");
    if (o->feasible && o->method == ZM_METHOD_LBFGS)
        return zm_fail(err, ZM_E_ARG, -1,
                       "L-BFGS takes bounds, not a feasible set: use ADAM or GRADIENT");
    if (o->precondition && o->method != ZM_METHOD_LBFGS)
        return zm_fail(err, ZM_E_ARG, -1, "only L-BFGS takes a preconditioner");
    for (size_t i = 0; i < n && (o->lower || o->upper); i++) {
        const double low = o->lower ? o->lower[i] : -HUGE_VAL;
        const double high = o->upper ? o->upper[i] : HUGE_VAL;

        if (!(low <= high))
            return zm_fail(err, ZM_E_ARG, (int64_t)i,
                           "bounds %g and %g of variable %zu, must be lower <= upper",
                           low, high, i);
    }
    return ZM_OK;
}

/* Doubles that the method keeps beside x and gradient. */
static size_t kept_size(size_t n, const zm_minimise_opts *o)
{
    return o->method == ZM_METHOD_LBFGS  ? 2 * (size_t)o->memory * n
           : o->method == ZM_METHOD_ADAM ? 2 * n
                                         : 0;
}

static size_t state_size(size_t n, const zm_minimise_opts *o)
{
    return STATE_HEAD + 2 * n + kept_size(n, o);
}

size_t zm_minimise_state_size(size_t n, const zm_minimise_opts *opts)
{
    zm_minimise_opts o = ZM_MINIMISE_OPTS_INIT;
    size_t most;

    if (n < 1 || !zm_mul_size(n, 8 * (2 * MOST_MEMORY + 4), &most) ||
        zm_options_read(&o, sizeof o, opts, "", NULL) < 0 || check_sizes(&o, NULL) < 0)
        return 0;
    return state_size(n, &o);
}

static zm_status read_options(zm_run *run, const zm_minimise_opts *opts, zm_error *err)
{
    zm_minimise_opts *o = &run->o;
    zm_status st;

    *o = (zm_minimise_opts)ZM_MINIMISE_OPTS_INIT;
    if ((st = zm_options_read(o, sizeof *o, opts, "zm_minimise_opts", err)) < 0 ||
        (st = check_sizes(o, err)) < 0 || (st = check_rates(o, err)) < 0 ||
        (st = check_constraints(run->n, o, err)) < 0)
        return st;
    if (o->resume && !o->state)
        return zm_fail(err, ZM_E_ARG, -1, "resume without a state");
    if (o->history_capacity && !o->history)
        return zm_fail(err, ZM_E_ARG, -1, "history is NULL, its capacity %zu",
                       o->history_capacity);
    o->mem = zm_alloc_or_default(&o->mem);
    return ZM_OK;
}

static zm_status allocate(zm_run *run, zm_error *err)
{
    const zm_alloc *mem = &run->o.mem;
    const size_t n = run->n, size = state_size(n, &run->o);
    const bool lbfgs = run->o.method == ZM_METHOD_LBFGS;

    run->state = run->o.state ? run->o.state : zm_zalloc(mem, size, sizeof(double));
    run->trial_x = zm_block(mem, n, sizeof(double));
    run->trial_gradient = zm_block(mem, n, sizeof(double));
    run->scratch = zm_block(mem, n, sizeof(double));
    if (lbfgs) {
        run->direction = zm_block(mem, n, sizeof(double));
        run->alpha = zm_block(mem, 2 * (size_t)run->o.memory, sizeof(double));
        run->free = zm_block(mem, n, 1);
    }
    if (!run->state || !run->trial_x || !run->trial_gradient || !run->scratch ||
        (lbfgs && (!run->direction || !run->alpha || !run->free)))
        return zm_fail(err, ZM_E_NOMEM, -1, "minimiser of %zu variables", n);
    run->x = run->state + STATE_HEAD;
    run->gradient = run->x + n;
    run->kept = run->gradient + n;
    return ZM_OK;
}

static void release(zm_run *run)
{
    const zm_alloc *mem = &run->o.mem;

    zm_release(mem, run->free);
    zm_release(mem, run->alpha);
    zm_release(mem, run->direction);
    zm_release(mem, run->scratch);
    zm_release(mem, run->trial_gradient);
    zm_release(mem, run->trial_x);
    if (!run->o.state)
        zm_release(mem, run->state);
}

static zm_status check_state(const zm_run *run, zm_error *err)
{
    const double *s = run->state;
    const double memory = run->o.method == ZM_METHOD_LBFGS ? (double)run->o.memory : 0;

    if (s[STATE_FORMAT] != STATE_VERSION || s[STATE_METHOD] != (double)run->o.method ||
        s[STATE_N] != (double)run->n || s[STATE_MEMORY] != memory ||
        !(s[STATE_PAIRS] >= 0 && s[STATE_PAIRS] <= memory) ||
        !(s[STATE_SLOT] >= 0 && s[STATE_SLOT] <= memory) ||
        !(s[STATE_ITERATION] >= 0) ||
        !(s[STATE_ITERATION] <= INT32_MAX && s[STATE_EVALUATIONS] <= INT32_MAX))
        return zm_fail(err, ZM_E_STATE, -1,
                       "state of format %g, method %g, %g variables, memory %g; needed "
                       "%d, %d, %zu, %g",
                       s[STATE_FORMAT], s[STATE_METHOD], s[STATE_N], s[STATE_MEMORY],
                       STATE_VERSION, (int)run->o.method, run->n, memory);
    return ZM_OK;
}

/* Evaluates the start; the state is then that of iteration 0. */
static zm_status start(zm_run *run, const double *x, zm_error *err)
{
    double *s = run->state, value = NAN;
    zm_status st;

    memset(s, 0, state_size(run->n, &run->o) * sizeof *s);
    s[STATE_FORMAT] = STATE_VERSION;
    s[STATE_METHOD] = (double)run->o.method;
    s[STATE_N] = (double)run->n;
    s[STATE_MEMORY] = run->o.method == ZM_METHOD_LBFGS ? (double)run->o.memory : 0;
    s[STATE_STEP] = run->o.rate;
    for (size_t i = 0; i < run->n; i++) {
        if (!isfinite(x[i]))
            return zm_fail(err, ZM_E_ARG, (int64_t)i, "x[%zu] = %g at the start", i,
                           x[i]);
        run->x[i] = x[i];
    }
    zm_run_project(run, run->x);
    s[STATE_EVALUATIONS] = 1;
    st = run->objective(run->ctx, run->x, &value, run->gradient);
    if (st < 0)
        return zm_fail(err, st, -1, "the objective fails at the start: %s",
                       zm_status_text(st));
    s[STATE_VALUE] = s[STATE_VALUES] = value;
    if (!isfinite(value) || !isfinite(zm_dot(run->n, run->gradient, run->gradient)))
        return zm_fail(err, ZM_E_ARG, -1,
                       "objective %g or its gradient is not finite at the start",
                       value);
    return ZM_OK;
}

static bool has_stalled(const zm_run *run)
{
    const double *s = run->state;
    const double before = s[STATE_ITERATION] - run->o.decrease_window;

    if (!(run->o.decrease_tolerance > 0) || before < 0)
        return false;
    return s[STATE_VALUES + (size_t)before % (MOST_WINDOW + 1)] - s[STATE_VALUE] <=
           run->o.decrease_tolerance * fabs(s[STATE_VALUE]);
}

/* Whether a rule stops the run here, from the state alone: resumed runs stop alike. */
static bool must_stop(const zm_run *run, double gradient_norm, zm_stop *why)
{
    const double *s = run->state;
    const zm_minimise_opts *o = &run->o;

    if (s[STATE_VALUE] <= o->target)
        *why = ZM_STOP_TARGET;
    else if (gradient_norm <= o->gradient_tolerance)
        *why = ZM_STOP_GRADIENT;
    else if (has_stalled(run))
        *why = ZM_STOP_DECREASE;
    else if (s[STATE_ITERATION] >= o->max_iterations)
        *why = ZM_STOP_ITERATIONS;
    else if (s[STATE_EVALUATIONS] >= o->max_evaluations)
        *why = ZM_STOP_EVALUATIONS;
    else
        return false;
    return true;
}

/* Tells the caller; false when that cancels the run. */
static bool tell(const zm_run *run, double gradient_norm)
{
    const double *s = run->state;
    const size_t k = (size_t)s[STATE_ITERATION];
    const zm_minimise_iteration now = {
        .size = sizeof now,
        .iteration = (int32_t)s[STATE_ITERATION],
        .evaluations = (int32_t)s[STATE_EVALUATIONS],
        .value = s[STATE_VALUE],
        .gradient_norm = gradient_norm,
        .step = s[STATE_MOVE],
        .x = run->x,
    };

    if (k < run->o.history_capacity)
        run->o.history[k] = s[STATE_VALUE];
    return !run->o.monitor || run->o.monitor(run->ctx, &now) == 0;
}

static zm_outcome step(zm_run *run)
{
    switch (run->o.method) {
    case ZM_METHOD_ADAM:
        return zm_adam_step(run);
    case ZM_METHOD_GRADIENT:
        return zm_gradient_step(run);
    default:
        return zm_lbfgs_step(run);
    }
}

static zm_stop iterate(zm_run *run, double *gradient_norm)
{
    zm_stop why;

    *gradient_norm = zm_run_gradient_norm(run);
    if (!run->o.resume && !tell(run, *gradient_norm))
        return ZM_STOP_CANCELLED;
    while (!must_stop(run, *gradient_norm, &why)) {
        const zm_outcome outcome = step(run);

        if (outcome != OUTCOME_DONE)
            return outcome == OUTCOME_CANCELLED ? ZM_STOP_CANCELLED
                   : outcome == OUTCOME_LIMIT   ? ZM_STOP_EVALUATIONS
                                                : ZM_STOP_NO_STEP;
        *gradient_norm = zm_run_gradient_norm(run);
        if (!tell(run, *gradient_norm))
            return ZM_STOP_CANCELLED;
    }
    return why;
}

static zm_minimise_report report_of(const zm_run *run, double gradient_norm,
                                    zm_stop why)
{
    const double *s = run->state;
    const size_t values = (size_t)s[STATE_ITERATION] + 1;

    return (zm_minimise_report){
        .size = sizeof(zm_minimise_report),
        .iterations = (int32_t)s[STATE_ITERATION],
        .evaluations = (int32_t)s[STATE_EVALUATIONS],
        .failures = (int32_t)s[STATE_FAILURES],
        .value = s[STATE_VALUE],
        .gradient_norm = gradient_norm,
        .stop = why,
        .history_count =
            values < run->o.history_capacity ? values : run->o.history_capacity,
    };
}

zm_status zm_minimise(size_t n, zm_objective_fn *objective, void *ctx, double *x,
                      const zm_minimise_opts *opts, zm_minimise_report *report,
                      zm_error *err)
{
    zm_run run = { .n = n, .objective = objective, .ctx = ctx };
    double gradient_norm;
    zm_status st;
    zm_stop why;

    if (n < 1 || !x || !objective)
        return zm_fail(err, ZM_E_ARG, -1, "%s",
                       n < 1 ? "no variables"
                       : !x  ? "x is NULL"
                             : "no objective");
    if ((st = zm_options_check_report(report, "zm_minimise_report", err)) < 0 ||
        (st = read_options(&run, opts, err)) < 0)
        return st;
    if (zm_minimise_state_size(n, &run.o) == 0)
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu variables", n);
    ZM_GO(allocate(&run, err));
    ZM_GO(run.o.resume ? check_state(&run, err) : start(&run, x, err));
    why = iterate(&run, &gradient_norm);
    memcpy(x, run.x, n * sizeof *x);
    const zm_minimise_report r = report_of(&run, gradient_norm, why);

    zm_options_write_report(report, &r, sizeof r);
    if (why == ZM_STOP_CANCELLED)
        st = zm_fail(err, ZM_E_CANCELLED, -1, "cancelled in iteration %d",
                     (int)run.state[STATE_ITERATION]);
done:
    release(&run);
    return st;
}
