/* SPDX-License-Identifier: Apache-2.0
 * Projected L-BFGS with bounds: two-metric projection (Bertsekas 1982).
 *
 * A variable is held where it is at a bound, or nearly, and the gradient pushes it there.
 * The others move along d = -H g, H the L-BFGS inverse Hessian of the pairs (s, y)
 * restricted to the free variables, held ones along -g; the trial points
 * x(t) = P(x + t d) bend along the bounds, so that thousands of them can change in one
 * iteration. */
#include <math.h>
#include <string.h>

#include "inverse/minimise/run.h"

#include "core/products.h"

/* Wolfe conditions: part of the predicted decrease that a step must bring, and part of
 * the slope that may be left. */
static const double ENOUGH_DECREASE = 1e-4, SLOPE_LEFT = 0.9;
/* Within this part of the value, which may be a sum of many rounded terms, values do not
 * tell which point is lower: slopes alone decide (Hager and Zhang 2005). */
static const double ROUNDING = 1e-10;
/* Pairs with less curvature, as the cosine between s and y, are left out. */
static const double LEAST_CURVATURE = 1e-10;
/* A variable counts as at its bound from this part of max(1, |bound|) on. */
static const double NEAR_BOUND = 1e-8;
enum { MOST_TRIALS = 50 };

static double *pair_s(const zm_minimise_run *run, size_t slot)
{
    return run->kept + slot * run->n;
}

static double *pair_y(const zm_minimise_run *run, size_t slot)
{
    return run->kept + ((size_t)run->o.memory + slot) * run->n;
}

/* The kth newest pair, k = 0, 1, ... */
static size_t slot_of(const zm_minimise_run *run, size_t k)
{
    const size_t room = (size_t)run->o.memory;

    return ((size_t)run->state[STATE_SLOT] + room - 1 - k) % room;
}

static bool is_held(const zm_minimise_run *run, size_t i, double near)
{
    const double *lower = run->o.lower, *upper = run->o.upper;
    const double x = run->x[i], g = run->gradient[i];

    return (lower && g > 0 &&
            x <= lower[i] + fmin(near, NEAR_BOUND * fmax(1, fabs(lower[i])))) ||
           (upper && g < 0 &&
            x >= upper[i] - fmin(near, NEAR_BOUND * fmax(1, fabs(upper[i]))));
}

static void find_free(zm_minimise_run *run)
{
    const double near = zm_minimise_run_gradient_norm(run);

    for (size_t i = 0; i < run->n; i++)
        run->free[i] = !is_held(run, i, near);
}

/* Products s.y and y.y over the free variables; false where the pair has no curvature
 * there. */
static bool pair_curvature(const zm_minimise_run *run, size_t slot, double *sy,
                           double *yy)
{
    const double *s = pair_s(run, slot), *y = pair_y(run, slot);
    double ss = 0;

    *sy = *yy = 0;
    for (size_t i = 0; i < run->n; i++) {
        const double keep = run->free[i];

        ss += keep * s[i] * s[i];
        *sy += keep * s[i] * y[i];
        *yy += keep * y[i] * y[i];
    }
    return *sy > LEAST_CURVATURE * sqrt(ss) * sqrt(*yy);
}

/* q -= alpha y on the free variables */
static void subtract_free(const zm_minimise_run *run, double alpha, const double *y,
                          double *q)
{
    for (size_t i = 0; i < run->n; i++)
        q[i] -= run->free[i] ? alpha * y[i] : 0;
}

/* q = H0 q on the free variables: the caller's preconditioner, or `scale` I. */
static void apply_first(zm_minimise_run *run, double scale, double *q)
{
    if (!run->o.precondition) {
        for (size_t i = 0; i < run->n; i++)
            q[i] *= scale;
        return;
    }
    run->o.precondition(run->ctx, run->n, q, run->scratch);
    for (size_t i = 0; i < run->n; i++)
        q[i] = run->free[i] ? run->scratch[i] : 0;
}

/* direction = -H gradient by the two-loop recursion (Nocedal 1980).  Returns the scale of
 * H, by which held variables move. */
static double two_loop(zm_minimise_run *run, size_t pairs)
{
    double *q = run->direction, sy, yy;
    double scale = 0;

    for (size_t i = 0; i < run->n; i++)
        q[i] = run->free[i] ? -run->gradient[i] : 0;
    for (size_t k = 0; k < pairs; k++) {
        const size_t slot = slot_of(run, k);
        const bool usable = pair_curvature(run, slot, &sy, &yy);

        run->alpha[k] = usable ? zm_products_dot(run->n, pair_s(run, slot), q) / sy : 0;
        run->alpha[pairs + k] = usable ? 1 / sy : 0;
        if (usable)
            subtract_free(run, run->alpha[k], pair_y(run, slot), q);
        if (usable && scale == 0)
            scale = sy / yy;
    }
    if (scale == 0) { /* no curvature known: a first move of length 1 */
        const double norm = sqrt(zm_products_dot(run->n, run->gradient, run->gradient));

        scale = norm > 0 ? 1 / norm : 1;
    }
    apply_first(run, scale, q);
    for (size_t k = pairs; k-- > 0;) {
        const size_t slot = slot_of(run, k);
        const double beta =
            run->alpha[pairs + k] * zm_products_dot(run->n, pair_y(run, slot), q);

        if (run->alpha[pairs + k] > 0)
            subtract_free(run, beta - run->alpha[k], pair_s(run, slot), q);
    }
    return scale;
}

/* Returns gradient.direction over the free variables, < 0 for descent. */
static double find_direction(zm_minimise_run *run, size_t pairs)
{
    const double scale = two_loop(run, pairs);
    const double slope = zm_products_dot(run->n, run->gradient, run->direction);

    for (size_t i = 0; i < run->n; i++)
        if (!run->free[i])
            run->direction[i] = -scale * run->gradient[i];
    return slope;
}

/* A trial point along the bent path. */
typedef struct trial {
    double t, value;
    double decrease; /* gradient.(x(t) - x), the decrease predicted */
    double slope;    /* of the objective along the path at t */
} trial;

static void place_trial(zm_minimise_run *run, trial *at)
{
    for (size_t i = 0; i < run->n; i++)
        run->trial_x[i] = run->x[i] + at->t * run->direction[i];
    zm_minimise_run_project(run, run->trial_x);
    at->decrease = 0;
    for (size_t i = 0; i < run->n; i++)
        at->decrease += run->gradient[i] * (run->trial_x[i] - run->x[i]);
}

/* Variables that have met a bound move no more. */
static double slope_of(const zm_minimise_run *run)
{
    const double *lower = run->o.lower, *upper = run->o.upper;
    double slope = 0;

    for (size_t i = 0; i < run->n; i++) {
        const double d = run->direction[i];
        const bool stuck = (lower && d < 0 && run->trial_x[i] <= lower[i]) ||
                           (upper && d > 0 && run->trial_x[i] >= upper[i]);

        slope += stuck ? 0 : run->trial_gradient[i] * d;
    }
    return slope;
}

/* A shorter step: the minimum of the parabola through value, slope and the trial value,
 * kept away from both ends; half-way where the trial has none. */
static double shorten(double low, double t, double value, double slope,
                      double trial_value)
{
    const double width = t - low, bend = trial_value - value - slope * width;
    const double best = isfinite(trial_value) && bend > 0
                            ? -slope * width * width / (2 * bend)
                            : 0.5 * width;

    return low + fmin(fmax(best, 0.1 * width), 0.5 * width);
}

/* Weak Wolfe conditions by bracketing (Lewis and Overton 2013), which needs no smoothness
 * along the path. */
static zm_outcome search(zm_minimise_run *run, double slope, trial *at)
{
    const double value = run->state[STATE_VALUE];
    const double rounding = ROUNDING * fabs(value);
    trial low = { 0, value, 0, slope };
    double high = INFINITY;

    at->t = 1;
    for (int k = 0; k < MOST_TRIALS; k++) {
        zm_outcome outcome;
        bool enough, steep;

        place_trial(run, at);
        outcome = zm_minimise_run_evaluate(run, &at->value);
        if (outcome == OUTCOME_CANCELLED || outcome == OUTCOME_LIMIT)
            return outcome;
        if (outcome == OUTCOME_FAILED) {
            high = at->t;
            at->t = low.t + 0.25 * (high - low.t);
            continue;
        }
        at->slope = slope_of(run);
        steep = at->slope < SLOPE_LEFT * slope;
        enough = (at->value < value &&
                  at->value <= value + ENOUGH_DECREASE * at->decrease) ||
                 (!steep && at->value <= value + rounding &&
                  at->slope <= (2 * ENOUGH_DECREASE - 1) * slope);
        if (enough && !steep)
            return OUTCOME_DONE;
        if (!enough) {
            high = at->t;
            at->t = shorten(low.t, high, low.value, low.slope, at->value);
        } else {
            low = *at;
            at->t = isfinite(high) ? 0.5 * (low.t + high) : 2 * low.t;
        }
    }
    if (low.t == 0)
        return OUTCOME_FAILED;
    *at = low; /* lower, if not with the slope asked for */
    place_trial(run, at);
    return zm_minimise_run_evaluate(run, &at->value);
}

static void store_pair(zm_minimise_run *run)
{
    const size_t room = (size_t)run->o.memory, slot = (size_t)run->state[STATE_SLOT];
    double *s = run->direction, *y = run->scratch; /* neither is needed any more */
    double sy;

    for (size_t i = 0; i < run->n; i++) {
        s[i] = run->trial_x[i] - run->x[i];
        y[i] = run->trial_gradient[i] - run->gradient[i];
    }
    sy = zm_products_dot(run->n, s, y);
    if (!(sy > LEAST_CURVATURE * sqrt(zm_products_dot(run->n, s, s)) *
                   sqrt(zm_products_dot(run->n, y, y))))
        return;
    memcpy(pair_s(run, slot), s, run->n * sizeof *s);
    memcpy(pair_y(run, slot), y, run->n * sizeof *y);
    run->state[STATE_SLOT] = (double)((slot + 1) % room);
    if ((size_t)run->state[STATE_PAIRS] < room)
        run->state[STATE_PAIRS]++;
}

zm_outcome zm_lbfgs_step(zm_minimise_run *run)
{
    size_t pairs = (size_t)run->state[STATE_PAIRS];
    zm_outcome outcome = OUTCOME_FAILED;
    trial at = { 0 };

    find_free(run);
    for (;;) {
        const double slope = find_direction(run, pairs);

        if (slope < 0)
            outcome = search(run, slope, &at);
        if (outcome != OUTCOME_FAILED || pairs == 0)
            break;
        pairs = 0; /* the pairs mislead: once more from the gradient alone */
        run->state[STATE_PAIRS] = 0;
    }
    if (outcome != OUTCOME_DONE)
        return outcome;
    store_pair(run);
    zm_minimise_run_accept(run, at.value);
    return OUTCOME_DONE;
}
