/* SPDX-License-Identifier: Apache-2.0
 * A state updated by a perimeter: damped Gauss-Newton steps on exact derivatives.
 *
 *     F(x) = cells/N sum rho(e_i) + 1/2 (x - x0)' C^-1 (x - x0),   e = log((T - begin)/length)
 *
 * over the cells that burned and are late (e > 0) and those that did not and are early (e < 0). */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "fire/fit/small_matrix.h"
#include "fire/fit/state.h"

static const double HORIZON = 2;     /* intervals: the model is followed so long */
static const double OUTLIER = 1;     /* of the logarithm of a time: Huber's threshold */
static const double SHORTEST = 0.02; /* of the interval: earlier times count as that */
static const double LARGEST_STEP = 1;  /* prior standard deviations */
static const double SMALL_STEP = 1e-2; /* the same: converged */
static const double SMALL_GAIN = 1e-3; /* of the objective, of itself: converged */

enum { MOST = ZM_STATE_MOST };

/** The work of an update. */
typedef struct update {
    zm_fire_state *state;
    const zm_landscape *land;
    const uint8_t *before, *after;
    const zm_dated_fire *fire;
    double begin, length, weight; /* weight of a cell */
    size_t cells, n_sources;
    double x0[MOST], spread[MOST], precision[MOST * MOST]; /* of the prior */
    zm_alloc mem;
    zm_physics *model;
    zm_source *sources;
    double *T, *log_rate, *direction, *J; /* J: n planes */
    double factor[ZM_FUEL_NUMBERS];
    const zm_forecast_opts *opts;
} update;

/** F, its gradient and Gauss-Newton matrix at a point. */
typedef struct sums {
    double objective, g[MOST], A[MOST * MOST];
} sums;

/* Inverse of a positive definite matrix; false where it is none. */
static bool invert(const double *A, size_t n, double *out)
{
    double L[MOST * MOST], column[MOST];

    memcpy(L, A, n * n * sizeof *L);
    if (!zm_cholesky(L, n))
        return false;
    for (size_t k = 0; k < n; k++) {
        for (size_t l = 0; l < n; l++)
            column[l] = l == k;
        zm_cholesky_solve(L, n, column);
        for (size_t l = 0; l < n; l++)
            out[l * n + k] = column[l];
    }
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < k; l++)
            out[k * n + l] = out[l * n + k] = 0.5 * (out[k * n + l] + out[l * n + k]);
    return true;
}

/* From one interval to the next a share of what was learned is forgotten:
 * x0 = prior + kept (mean - prior), C0 = kept^2 C + (1 - kept^2) diag(spread^2). */
static zm_status forget(update *u, const zm_growth_prior *prior, zm_error *err)
{
    const zm_fire_state *s = u->state;
    const double kept = s->intervals > 0 ? prior->kept : 1;
    const size_t n = (size_t)s->n;
    double C[MOST * MOST];

    for (size_t k = 0; k < n; k++) {
        const double mean = zm_state_prior_mean(prior, s->kind[k]);

        u->spread[k] = zm_state_prior_spread(prior, s->kind[k]);
        u->x0[k] = mean + kept * (s->mean[k] - mean);
        for (size_t l = 0; l < n; l++)
            C[k * n + l] = kept * kept * s->covariance[k * n + l];
        C[k * n + k] += (1 - kept * kept) * u->spread[k] * u->spread[k];
    }
    return invert(C, n, u->precision)
               ? ZM_OK
               : zm_fail(err, ZM_E_ARG, -1,
                         "the covariance of the state is not positive definite");
}

/* Change of the model's inputs with unknown k. */
static void direction_of(update *u, size_t k, zm_physics_change *change)
{
    const zm_fire_state *s = u->state;
    const int32_t number = s->number[k];

    *change = (zm_physics_change)ZM_PHYSICS_CHANGE_INIT;
    if (s->kind[k] == ZM_STATE_RATE)
        memcpy(change->fuel_factor, u->factor, sizeof change->fuel_factor);
    else if (s->kind[k] == ZM_STATE_WIND)
        change->wind_factor = exp(s->mean[k]);
    else if (s->kind[k] == ZM_STATE_MOISTURE)
        change->moisture_offset = 1;
    else if (s->kind[k] == ZM_STATE_FUEL)
        change->fuel_factor[number] = u->factor[number];
    else {
        for (int32_t r = 0, i = 0; r < u->land->rows; r++)
            for (int32_t c = 0; c < u->land->cols; c++, i++)
                u->direction[i] = zm_state_sector_share(s, number, r, c);
        change->log_rate = u->direction;
    }
}

/* e of a cell; *moves: whether it changes with its time. */
static double error_of(const update *u, size_t i, bool *moves)
{
    const double t = u->T[i] - u->begin;
    double e;

    *moves = false;
    if (u->before[i])
        return 0;
    if (!(t < HORIZON * u->length))
        return u->after[i] ? log(HORIZON) : 0;
    e = log(fmax(t / u->length, SHORTEST));
    if (u->after[i] ? e <= 0 : e >= 0)
        return 0;
    *moves = t > SHORTEST * u->length;
    return e;
}

static void add_cell(const update *u, size_t i, bool derivatives, sums *to)
{
    const size_t n = (size_t)u->state->n;
    bool moves;
    const double e = error_of(u, i, &moves), size = fabs(e);
    const double w = size > OUTLIER ? OUTLIER / size : 1;
    double row[MOST];

    to->objective +=
        u->weight * (size > OUTLIER ? OUTLIER * (size - 0.5 * OUTLIER) : 0.5 * e * e);
    if (!moves || !derivatives)
        return;
    for (size_t k = 0; k < n; k++)
        row[k] = u->J[k * u->cells + i] / (u->T[i] - u->begin);
    for (size_t k = 0; k < n; k++) {
        to->g[k] += u->weight * w * e * row[k];
        for (size_t l = 0; l <= k; l++)
            to->A[k * n + l] += u->weight * w * row[k] * row[l];
    }
}

static void add_prior(const update *u, sums *to)
{
    const size_t n = (size_t)u->state->n;

    for (size_t k = 0; k < n; k++) {
        double pull = 0;

        for (size_t l = 0; l < n; l++)
            pull += u->precision[k * n + l] * (u->state->mean[l] - u->x0[l]);
        to->objective += 0.5 * pull * (u->state->mean[k] - u->x0[k]);
        to->g[k] += pull;
        for (size_t l = 0; l <= k; l++)
            to->A[k * n + l] += u->precision[k * n + l];
    }
}

/* F at the mean of the state, with its derivatives where they are wanted. */
static zm_status evaluate(update *u, bool derivatives, sums *out, zm_error *err)
{
    const double horizon = u->begin + HORIZON * u->length;
    zm_physics_params params;
    zm_physics_change change;

    if (u->opts->progress && u->opts->progress(u->opts->progress_ctx, 0))
        return zm_fail(err, ZM_E_CANCELLED, -1, "update of a state cancelled");
    ZM_TRY(zm_fire_state_params(u->state, u->land, NULL, u->factor, u->log_rate,
                                &params, err));
    ZM_TRY(zm_physics_set_fire(u->model, u->fire->fire, &params, horizon, err));
    ZM_TRY(zm_physics_arrival(u->model, u->sources, u->n_sources, horizon, u->T, err));
    for (size_t k = 0; derivatives && k < (size_t)u->state->n; k++) {
        direction_of(u, k, &change);
        ZM_TRY(zm_physics_tangent(u->model, &change, u->J + k * u->cells, err));
    }
    *out = (sums){ .objective = 0 };
    for (size_t i = 0; i < u->cells; i++)
        add_cell(u, i, derivatives, out);
    add_prior(u, out);
    return ZM_OK;
}

/* dx of the damped equations, in units of the spreads not longer than LARGEST_STEP; returns its
 * largest element in these units, 0 where there is none. */
static double step(const update *u, const sums *at, double damping, double *dx)
{
    const size_t n = (size_t)u->state->n;
    double L[MOST * MOST], longest = 0;

    memcpy(L, at->A, n * n * sizeof *L);
    for (size_t k = 0; k < n; k++) {
        L[k * n + k] *= 1 + damping;
        dx[k] = -at->g[k];
    }
    if (!zm_cholesky(L, n))
        return 0;
    zm_cholesky_solve(L, n, dx);
    for (size_t k = 0; k < n; k++)
        longest = fmax(longest, fabs(dx[k]) / u->spread[k]);
    for (size_t k = 0; k < n && longest > LARGEST_STEP; k++)
        dx[k] *= LARGEST_STEP / longest;
    return fmin(longest, LARGEST_STEP);
}

/* The rates from which the search starts: the best of a few, as cells that are not reached have no
 * derivative and a slow fire looks as if it could only get worse. */
static zm_status choose_start(update *u, zm_error *err)
{
    static const double spreads[] = { 0, -1, 1, -2 };
    double best = HUGE_VAL, rate = 0;
    sums here;

    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
        memcpy(u->state->mean, u->x0, sizeof u->x0);
        u->state->mean[0] += spreads[i] * u->spread[0];
        ZM_TRY(evaluate(u, false, &here, err));
        if (here.objective < best) {
            best = here.objective;
            rate = u->state->mean[0];
        }
        if (i == 0)
            u->state->objective_before = here.objective;
    }
    memcpy(u->state->mean, u->x0, sizeof u->x0);
    u->state->mean[0] = rate;
    return ZM_OK;
}

static zm_status minimise(update *u, sums *here, zm_error *err)
{
    zm_fire_state *s = u->state;
    double damping = 1e-3, dx[MOST], from[MOST];

    ZM_TRY(evaluate(u, true, here, err));
    s->converged = 0;
    for (s->iterations = 0; s->iterations < u->opts->max_iterations && !s->converged;
         s->iterations++) {
        const double length = step(u, here, damping, dx);
        sums there;

        memcpy(from, s->mean, sizeof from);
        for (int32_t k = 0; k < s->n; k++)
            s->mean[k] += dx[k];
        ZM_TRY(evaluate(u, true, &there, err));
        if (there.objective <= here->objective) {
            s->converged = length < SMALL_STEP || here->objective - there.objective <
                                                      SMALL_GAIN * here->objective;
            *here = there;
            damping = fmax(damping / 10, 1e-6);
        } else {
            memcpy(s->mean, from, sizeof from);
            s->converged = length < SMALL_STEP || damping > 1e4;
            damping *= 10;
        }
    }
    s->objective = here->objective;
    return ZM_OK;
}

static void close_update(update *u)
{
    zm_physics_destroy(u->model);
    zm_release(&u->mem, u->sources);
    zm_release(&u->mem, u->T);
    zm_release(&u->mem, u->log_rate);
    zm_release(&u->mem, u->direction);
    zm_release(&u->mem, u->J);
}

static zm_status open_update(update *u, size_t k, const zm_growth_prior *prior,
                             const zm_physics_opts *physics, zm_error *err)
{
    size_t burned = 0;

    u->before = u->fire->masks[k - 1];
    u->after = u->fire->masks[k];
    u->begin = u->fire->hours[k - 1];
    u->length = u->fire->hours[k] - u->begin;
    for (size_t i = 0; i < u->cells; i++)
        burned += u->after[i] && !u->before[i];
    u->weight = prior->cells / (double)(burned ? burned : 1);
    u->sources = zm_block(&u->mem, u->cells, sizeof *u->sources);
    u->T = zm_block(&u->mem, u->cells, sizeof *u->T);
    u->log_rate = zm_block(&u->mem, u->cells, sizeof *u->log_rate);
    u->direction = zm_block(&u->mem, u->cells, sizeof *u->direction);
    u->J = zm_block(&u->mem, u->cells * (size_t)u->state->n, sizeof *u->J);
    if (!u->sources || !u->T || !u->log_rate || !u->direction || !u->J)
        return zm_fail(err, ZM_E_NOMEM, -1, "update of %d unknowns", (int)u->state->n);
    u->n_sources = zm_state_sources(u->land, u->fire, k - 1, u->sources);
    ZM_TRY(forget(u, prior, err));
    return zm_physics_create(&u->model, u->land, physics, err);
}

zm_status zm_fire_state_update(zm_fire_state *state, const zm_landscape *landscape,
                               const zm_dated_fire *fire, size_t k,
                               const zm_growth_prior *prior,
                               const zm_physics_opts *physics,
                               const zm_forecast_opts *opts, zm_error *err)
{
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    zm_forecast_opts o = ZM_FORECAST_OPTS_INIT;
    update u = { .land = landscape,
                 .fire = fire,
                 .cells = (size_t)landscape->rows * (size_t)landscape->cols,
                 .opts = &o,
                 .mem = zm_alloc_or_default(physics ? &physics->mem : NULL) };
    zm_fire_state now;
    sums here;
    zm_status st;

    ZM_TRY(zm_state_check(state, err));
    ZM_TRY(zm_options_read(&p, sizeof p, prior, "zm_growth_prior", err));
    ZM_TRY(zm_options_read(&o, sizeof o, opts, "zm_forecast_opts", err));
    ZM_TRY(zm_state_prior_check(&p, err));
    if (k < 1 || o.max_iterations < 1)
        return zm_fail(err, ZM_E_ARG, -1,
                       "date %zu and %d iterations, must be at least 1", k,
                       (int)o.max_iterations);
    ZM_TRY(zm_state_dates_check(fire, k + 1, err));
    now = *state;
    u.state = &now;
    ZM_GO(open_update(&u, k, &p, physics, err));
    ZM_GO(choose_start(&u, err));
    ZM_GO(minimise(&u, &here, err));
    for (int32_t i = 0; i < now.n; i++) /* the upper triangle, too */
        for (int32_t j = 0; j < i; j++)
            here.A[j * now.n + i] = here.A[i * now.n + j];
    if (!invert(here.A, (size_t)now.n, now.covariance))
        ZM_GO(zm_fail(err, ZM_E_STATE, -1, "the unknowns are not determined"));
    now.intervals++;
    *state = now;
    if (!now.converged)
        st = zm_fail(err, ZM_NOT_CONVERGED, -1, "update stopped after %d steps",
                     (int)now.iterations);
done:
    close_update(&u);
    return st;
}
