/* SPDX-License-Identifier: Apache-2.0
 * Adam and gradient descent.
 *
 * Adam (Kingma and Ba 2015), t = 1, 2, ..., g the clipped gradient:
 *
 *     m = beta1 m + (1 - beta1) g,      v = beta2 v + (1 - beta2) g^2,
 *     x = P(x - rate_t  m/(1 - beta1^t) / (sqrt(v/(1 - beta2^t)) + epsilon)). */
#include <math.h>

#include "inverse/minimise/run.h"

/* Halvings of a step before giving up: 2^-50 is the rounding of x. */
enum { MOST_HALVINGS = 50 };

/* Where the trial point cannot be evaluated it is moved halfway to x, which can be, again
 * and again. */
static zm_outcome evaluate_or_halve(zm_minimise_run *run, double *value)
{
    zm_outcome outcome = OUTCOME_FAILED;

    for (int k = 0; k < MOST_HALVINGS; k++) {
        if ((outcome = zm_minimise_run_evaluate(run, value)) != OUTCOME_FAILED)
            return outcome;
        for (size_t i = 0; i < run->n; i++)
            run->trial_x[i] = 0.5 * (run->trial_x[i] + run->x[i]);
    }
    return outcome;
}

typedef struct moments {
    double m, v;
} moments;

static inline moments next_moments(const zm_minimise_run *run, size_t i, double clip)
{
    const zm_minimise_opts *o = &run->o;
    const double g = clip * run->gradient[i];

    return (moments){ o->beta1 * run->kept[i] + (1 - o->beta1) * g,
                      o->beta2 * run->kept[run->n + i] + (1 - o->beta2) * g * g };
}

zm_outcome zm_adam_step(zm_minimise_run *run)
{
    const zm_minimise_opts *o = &run->o;
    const double t = run->state[STATE_ITERATION] + 1, rate = zm_minimise_run_rate(run);
    const double clip = zm_minimise_run_clip_factor(run);
    const double m_bias = 1 - pow(o->beta1, t), v_bias = 1 - pow(o->beta2, t);
    zm_outcome outcome;
    double value;

    for (size_t i = 0; i < run->n; i++) {
        const moments next = next_moments(run, i, clip);

        run->trial_x[i] =
            run->x[i] - rate * (next.m / m_bias) / (sqrt(next.v / v_bias) + o->epsilon);
    }
    zm_minimise_run_project(run, run->trial_x);
    if ((outcome = evaluate_or_halve(run, &value)) != OUTCOME_DONE)
        return outcome;
    /* Only now: a run that was cancelled above is resumed from the moments before. */
    for (size_t i = 0; i < run->n; i++) {
        const moments next = next_moments(run, i, clip);

        run->kept[i] = next.m;
        run->kept[run->n + i] = next.v;
    }
    zm_minimise_run_accept(run, value);
    return OUTCOME_DONE;
}

/* trial_x = P(x - step gradient).  Returns gradient.(trial_x - x), which is < 0 unless x
 * is stationary. */
static double try_step(zm_minimise_run *run, double step)
{
    double slope = 0;

    for (size_t i = 0; i < run->n; i++)
        run->trial_x[i] = run->x[i] - step * run->gradient[i];
    zm_minimise_run_project(run, run->trial_x);
    for (size_t i = 0; i < run->n; i++)
        slope += run->gradient[i] * (run->trial_x[i] - run->x[i]);
    return slope;
}

/* Part of the decrease predicted by the slope that a step must bring (Armijo). */
static const double ENOUGH_DECREASE = 1e-4;
/* Within this part of the value, which may be a sum of many rounded terms, slopes alone
 * decide: at the end of the step it must have changed by a tenth, and not have turned
 * beyond its former size (Hager and Zhang 2005). */
static const double ROUNDING = 1e-10, SLOPE_LEFT = 0.9;

static bool is_lower(const zm_minimise_run *run, double value, double slope)
{
    const double before = run->state[STATE_VALUE];
    double after = 0;

    if (value < before && value <= before + ENOUGH_DECREASE * slope)
        return true;
    if (!(value <= before + ROUNDING * fabs(before)))
        return false;
    for (size_t i = 0; i < run->n; i++)
        after += run->trial_gradient[i] * (run->trial_x[i] - run->x[i]);
    return after >= SLOPE_LEFT * slope && after <= (2 * ENOUGH_DECREASE - 1) * slope;
}

static zm_outcome backtrack(zm_minimise_run *run)
{
    double step = run->state[STATE_STEP];

    for (int k = 0; k < MOST_HALVINGS; k++, step *= 0.5) {
        const double slope = try_step(run, step);
        double value;
        zm_outcome outcome;

        if (!(slope < 0))
            return OUTCOME_FAILED;
        outcome = zm_minimise_run_evaluate(run, &value);
        if (outcome == OUTCOME_CANCELLED || outcome == OUTCOME_LIMIT)
            return outcome;
        if (outcome == OUTCOME_DONE && is_lower(run, value, slope)) {
            run->state[STATE_STEP] = k == 0 ? 2 * step : step;
            zm_minimise_run_accept(run, value);
            return OUTCOME_DONE;
        }
    }
    return OUTCOME_FAILED;
}

zm_outcome zm_minimise_gradient_step(zm_minimise_run *run)
{
    zm_outcome outcome;
    double value;

    if (run->o.line_search)
        return backtrack(run);
    (void)try_step(run, zm_minimise_run_rate(run) * zm_minimise_run_clip_factor(run));
    if ((outcome = evaluate_or_halve(run, &value)) == OUTCOME_DONE)
        zm_minimise_run_accept(run, value);
    return outcome;
}
