/* SPDX-License-Identifier: Apache-2.0
 * What all minimisers share: evaluation, projection, acceptance, norms, rates. */
#include "inverse/minimise/run.h"

#include <math.h>
#include <string.h>

#include "core/pi.h"
#include "core/products.h"

static bool all_finite(size_t n, const double *a)
{
    bool finite = true;

    for (size_t i = 0; i < n; i++)
        finite &= isfinite(a[i]) != 0;
    return finite;
}

zm_outcome zm_minimise_run_evaluate(zm_minimise_run *run, double *value)
{
    zm_status st;

    if (run->state[STATE_EVALUATIONS] >= run->o.max_evaluations)
        return OUTCOME_LIMIT;
    run->state[STATE_EVALUATIONS]++;
    *value = NAN;
    st = run->objective(run->ctx, run->trial_x, value, run->trial_gradient);
    if (st == ZM_E_CANCELLED)
        return OUTCOME_CANCELLED;
    if (st >= 0 && isfinite(*value) && all_finite(run->n, run->trial_gradient))
        return OUTCOME_DONE;
    run->state[STATE_FAILURES]++;
    return OUTCOME_FAILED;
}

void zm_minimise_run_project(const zm_minimise_run *run, double *x)
{
    const double *lower = run->o.lower, *upper = run->o.upper;

    if (run->o.feasible)
        run->o.feasible(run->ctx, run->n, x);
    for (size_t i = 0; lower && i < run->n; i++)
        x[i] = x[i] < lower[i] ? lower[i] : x[i];
    for (size_t i = 0; upper && i < run->n; i++)
        x[i] = x[i] > upper[i] ? upper[i] : x[i];
}

void zm_minimise_run_accept(zm_minimise_run *run, double value)
{
    double *s = run->state, sum = 0;

    for (size_t i = 0; i < run->n; i++) {
        const double d = run->trial_x[i] - run->x[i];

        sum += d * d;
    }
    memcpy(run->x, run->trial_x, run->n * sizeof *run->x);
    memcpy(run->gradient, run->trial_gradient, run->n * sizeof *run->gradient);
    s[STATE_ITERATION]++;
    s[STATE_MOVE] = sqrt(sum);
    s[STATE_VALUE] = value;
    s[STATE_VALUES + (size_t)s[STATE_ITERATION] % (MOST_WINDOW + 1)] = value;
}

double zm_minimise_run_gradient_norm(zm_minimise_run *run)
{
    const bool constrained = run->o.lower || run->o.upper || run->o.feasible;
    double norm = 0;

    if (!constrained) {
        for (size_t i = 0; i < run->n; i++)
            norm = fmax(norm, fabs(run->gradient[i]));
        return norm;
    }
    for (size_t i = 0; i < run->n; i++)
        run->scratch[i] = run->x[i] - run->gradient[i];
    zm_minimise_run_project(run, run->scratch);
    for (size_t i = 0; i < run->n; i++)
        norm = fmax(norm, fabs(run->x[i] - run->scratch[i]));
    return norm;
}

double zm_minimise_run_rate(const zm_minimise_run *run)
{
    const zm_minimise_opts *o = &run->o;
    const double done = run->state[STATE_ITERATION];
    const double part = fmin(done / o->rate_period, 1);

    switch (o->schedule) {
    case ZM_RATE_STEP:
        return o->rate * pow(o->rate_factor, floor(done / o->rate_period));
    case ZM_RATE_COSINE:
        return o->rate *
               (o->rate_factor + (1 - o->rate_factor) * 0.5 * (1 + cos(ZM_PI * part)));
    default:
        return o->rate;
    }
}

double zm_minimise_run_clip_factor(const zm_minimise_run *run)
{
    const double norm = sqrt(zm_products_dot(run->n, run->gradient, run->gradient));

    return norm > run->o.clip ? run->o.clip / norm : 1;
}
