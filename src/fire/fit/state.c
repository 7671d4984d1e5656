/* SPDX-License-Identifier: Apache-2.0
 * What is believed of a fire before its perimeters are seen, and what it means for the model. */
#include "fire/fit/state.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "core/pi.h"

static const double LEAST_SHARE =
    0.05; /* of burnable cells, of a fuel with a rate of its own */

double zm_state_prior_mean(const zm_growth_prior *prior, zm_state_kind kind)
{
    switch (kind) {
    case ZM_STATE_RATE:
        return prior->rate;
    case ZM_STATE_WIND:
        return prior->wind;
    case ZM_STATE_MOISTURE:
        return prior->moisture;
    default:
        return 0;
    }
}

double zm_state_prior_spread(const zm_growth_prior *prior, zm_state_kind kind)
{
    switch (kind) {
    case ZM_STATE_RATE:
        return prior->rate_spread;
    case ZM_STATE_WIND:
        return prior->wind_spread;
    case ZM_STATE_MOISTURE:
        return prior->moisture_spread;
    case ZM_STATE_SECTOR:
        return prior->sector_spread;
    default:
        return prior->fuel_spread;
    }
}

static bool finite_law(const zm_growth_law *law)
{
    const double all[] = { law->distance, law->area,      law->time, law->memory,
                           law->edge,     law->barren,    law->open, law->moved,
                           law->physics,  law->log_spread };
    bool finite = law->physics >= 0 && law->physics <= 1 && fabs(law->log_spread) < 20;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        finite = finite && isfinite(all[i]);
    return finite;
}

zm_status zm_state_prior_check(const zm_growth_prior *prior, zm_error *err)
{
    static const char *const name[] = { "rate_spread",     "wind_spread",
                                        "moisture_spread", "sector_spread",
                                        "fuel_spread",     "cells",
                                        "area_spread" };
    const double positive[] = { prior->rate_spread,     prior->wind_spread,
                                prior->moisture_spread, prior->sector_spread,
                                prior->fuel_spread,     prior->cells,
                                prior->area_spread };

    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (!(positive[i] >= 1e-6 && positive[i] <= 1e6))
            return zm_fail(err, ZM_E_ARG, -1,
                           "%s of the prior is %g, must be 1e-6 to 1e6", name[i],
                           positive[i]);
    if (!(prior->kept >= 0 && prior->kept <= 1))
        return zm_fail(err, ZM_E_ARG, -1, "kept of the prior is %g, must be 0 to 1",
                       prior->kept);
    if (!isfinite(prior->rate) || !isfinite(prior->wind) ||
        !isfinite(prior->moisture) || !isfinite(prior->area_bias) ||
        prior->area_count < 0)
        return zm_fail(err, ZM_E_ARG, -1, "a mean of the prior is not finite");
    if (!finite_law(&prior->law) || !finite_law(&prior->buffer))
        return zm_fail(err, ZM_E_ARG, -1,
                       "a law of the prior is not finite, or its weight of the physics "
                       "not between 0 and 1");
    return ZM_OK;
}

zm_status zm_state_dates_check(const zm_dated_fire *fire, size_t dates, zm_error *err)
{
    if (!fire || !fire->fire || !fire->masks || !fire->hours || dates > fire->n)
        return zm_fail(err, ZM_E_ARG, -1, "a fire with %zu dated perimeters is needed",
                       dates);
    for (size_t k = 0; k < dates; k++)
        if (!fire->masks[k] || !(fire->hours[k] >= 0 && fire->hours[k] < HUGE_VAL) ||
            (k > 0 && !(fire->hours[k] > fire->hours[k - 1])))
            return zm_fail(err, ZM_E_ARG, -1,
                           "date %zu is at %g h, dates must rise from hour 0 on", k,
                           fire->hours[k]);
    return ZM_OK;
}

zm_status zm_state_check(const zm_fire_state *state, zm_error *err)
{
    if (!state || state->size != sizeof *state)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_fire_state has no size: start from its _INIT macro");
    if (state->n < 3 || state->n > ZM_STATE_MOST)
        return zm_fail(err, ZM_E_ARG, -1, "state of %d unknowns: begin it first",
                       (int)state->n);
    return ZM_OK;
}

size_t zm_state_sources(const zm_landscape *landscape, const zm_dated_fire *fire,
                        size_t k, zm_source *sources)
{
    const size_t cols = (size_t)landscape->cols, cells = (size_t)landscape->rows * cols;
    size_t n = 0;

    for (size_t i = 0; i < cells; i++)
        if (fire->masks[k][i])
            sources[n++] =
                (zm_source){ (double)(i / cols), (double)(i % cols), fire->hours[k] };
    return n;
}

double zm_state_sector_share(const zm_fire_state *state, int32_t number, int32_t row,
                             int32_t col)
{
    const double east = col - state->col, north = state->row - row;
    const double turn = atan2(east, north) / (2 * ZM_PI) * ZM_STATE_SECTORS;
    const double from = fabs(remainder(turn - number, ZM_STATE_SECTORS));

    return from < 1 ? 1 - from : 0;
}

static void add(zm_fire_state *s, zm_state_kind kind, int32_t number,
                const zm_growth_prior *prior)
{
    s->kind[s->n] = kind;
    s->number[s->n] = number;
    s->mean[s->n++] = zm_state_prior_mean(prior, kind);
}

/* The most frequent fuels first. */
static void add_fuels(zm_fire_state *s, const zm_landscape *land,
                      const zm_growth_prior *prior)
{
    int64_t cells[ZM_FUEL_NUMBERS] = { 0 }, all = 0;

    for (size_t i = 0; i < (size_t)land->rows * (size_t)land->cols; i++) {
        const float f = land->layers[ZM_LAYER_FUEL][i];

        if (f >= 0 && f < ZM_FUEL_NUMBERS && zm_fuel_burnable(land, (int32_t)f)) {
            cells[(int32_t)f]++;
            all++;
        }
    }
    for (int32_t k = 0; k < ZM_STATE_FUELS; k++) {
        int32_t most = 0;

        for (int32_t f = 1; f < ZM_FUEL_NUMBERS; f++)
            if (cells[f] > cells[most])
                most = f;
        if (cells[most] == 0 || (double)cells[most] < LEAST_SHARE * (double)all)
            return;
        add(s, ZM_STATE_FUEL, most, prior);
        cells[most] = 0;
    }
}

static zm_status find_centre(zm_fire_state *s, const zm_landscape *land,
                             const uint8_t *first, zm_error *err)
{
    const size_t cols = (size_t)land->cols;
    size_t n = 0;

    for (size_t i = 0; i < (size_t)land->rows * cols; i++)
        if (first[i]) {
            s->row += (double)(i / cols);
            s->col += (double)(i % cols);
            n++;
        }
    if (n == 0)
        return zm_fail(err, ZM_E_ARG, -1, "no cell in the first perimeter");
    s->row /= (double)n;
    s->col /= (double)n;
    return ZM_OK;
}

zm_status zm_fire_state_begin(zm_fire_state *state, const zm_landscape *landscape,
                              const uint8_t *first, const zm_growth_prior *prior,
                              zm_error *err)
{
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    zm_fire_state s = ZM_FIRE_STATE_INIT;

    ZM_TRY(zm_options_check_report(state, "zm_fire_state", err));
    ZM_TRY(zm_options_read(&p, sizeof p, prior, "zm_growth_prior", err));
    ZM_TRY(zm_state_prior_check(&p, err));
    if (!landscape->layers[ZM_LAYER_FUEL])
        return zm_fail(err, ZM_E_ARG, -1, "landscape has no layer fuel");
    ZM_TRY(find_centre(&s, landscape, first, err));
    add(&s, ZM_STATE_RATE, 0, &p);
    add(&s, ZM_STATE_WIND, 0, &p);
    add(&s, ZM_STATE_MOISTURE, 0, &p);
    for (int32_t k = 0; k < ZM_STATE_SECTORS; k++)
        add(&s, ZM_STATE_SECTOR, k, &p);
    add_fuels(&s, landscape, &p);
    for (int32_t k = 0; k < s.n; k++) {
        const double spread = zm_state_prior_spread(&p, s.kind[k]);

        s.covariance[k * s.n + k] = spread * spread;
    }
    s.converged = 1;
    zm_options_write_report(state, &s, sizeof s);
    return ZM_OK;
}

zm_status zm_fire_state_params(const zm_fire_state *state,
                               const zm_landscape *landscape, const double *offsets,
                               double *factor, double *log_rate,
                               zm_physics_params *params, zm_error *err)
{
    double sector[ZM_STATE_SECTORS] = { 0 }, rate = 0;

    ZM_TRY(zm_state_check(state, err));
    *params = (zm_physics_params)ZM_PHYSICS_PARAMS_INIT;
    for (int f = 0; f < ZM_FUEL_NUMBERS; f++)
        factor[f] = 0;
    for (int32_t k = 0; k < state->n; k++) {
        const double x = state->mean[k] + (offsets ? offsets[k] : 0);

        if (state->kind[k] == ZM_STATE_RATE)
            rate = x;
        else if (state->kind[k] == ZM_STATE_WIND)
            params->wind_factor = exp(fmin(fmax(x, -3), 2));
        else if (state->kind[k] == ZM_STATE_MOISTURE)
            params->moisture_offset = fmin(fmax(x, -30), 30);
        else if (state->kind[k] == ZM_STATE_SECTOR)
            sector[state->number[k]] = x;
        else
            factor[state->number[k]] = x;
    }
    for (int f = 0; f < ZM_FUEL_NUMBERS; f++)
        factor[f] = exp(fmin(fmax(factor[f] + rate, -6), 4));
    for (int32_t r = 0, i = 0; r < landscape->rows; r++)
        for (int32_t c = 0; c < landscape->cols; c++, i++) {
            log_rate[i] = 0;
            for (int32_t s = 0; s < ZM_STATE_SECTORS; s++)
                log_rate[i] += sector[s] * zm_state_sector_share(state, s, r, c);
        }
    params->fuel_factor = factor;
    params->log_rate = log_rate;
    return ZM_OK;
}
