/* SPDX-License-Identifier: Apache-2.0
 * Members of an ensemble: what each of many fires is given. */
#include "fire/front/member.h"

#include <math.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/random.h"
#include "fire/science/rothermel.h"

/* Uniform in (0, 1). */
static double unit(uint64_t *state)
{
    return ((double)(zm_random_bits(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    const double u = unit(state);

    return zm_random_box_muller(u, unit(state));
}

static double clamp(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

/* The place in whose part of all weights a share of them falls. */
static size_t drawn_place(const zm_draws *e, double share)
{
    size_t low = 0, high = e->n_places - 1;

    if (!e->weights)
        return (size_t)(share * (double)e->n_places);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (share * e->weights[e->n_places - 1] < e->weights[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void move_ignition(const zm_draws *e, uint64_t *state, zm_fire *fire)
{
    if (e->n_places > 0) {
        const size_t place = e->places[drawn_place(e, unit(state))];

        fire->row = (int32_t)(place / (size_t)e->land->cols);
        fire->col = (int32_t)(place % (size_t)e->land->cols);
    }
}

/* The same draws in the same order whatever is perturbed, so that one uncertainty more leaves
 * the others as they were. */
void zm_front_member_draw(const zm_draws *e, int32_t number, zm_member *m)
{
    const zm_ensemble_opts *o = &e->opts;
    uint64_t of_seed = o->seed, of_number = ~(uint64_t)number;
    uint64_t state = zm_random_bits(&of_seed) ^ zm_random_bits(&of_number);
    const double speed = exp(o->wind_speed * normal(&state));
    const double turn = o->wind_dir * normal(&state);
    const double warmer = o->temperature * normal(&state);
    const double wetter = o->humidity * normal(&state);
    const double offset = o->moisture * normal(&state);
    const double live = exp(o->live_moisture * normal(&state));
    const double rate = exp(o->rate * normal(&state));

    m->fire = *e->fire;
    m->params = e->params;
    for (size_t k = 0; k < e->fire->hours; k++) {
        zm_weather_hour *w = &m->weather[k];

        *w = e->fire->weather[k];
        w->wind_speed = clamp(w->wind_speed * speed, 0, 400);
        w->wind_dir = fmod(w->wind_dir + turn + 720, 360);
        w->temperature = clamp(w->temperature + warmer, -60, 70);
        w->humidity = clamp(w->humidity + wetter, 1, 100);
    }
    for (int k = 0; k < ZM_FUEL_NUMBERS; k++)
        m->factor[k] = clamp(
            rate * (m->params.fuel_factor ? m->params.fuel_factor[k] : 1), 1e-6, 1e6);
    m->fire.weather = m->weather;
    m->fire.moisture.live_herb = clamp(m->fire.moisture.live_herb * live, 1, 1000);
    m->fire.moisture.live_woody = clamp(m->fire.moisture.live_woody * live, 1, 1000);
    m->params.fuel_factor = m->factor;
    m->params.embers_draw = e->params.embers_draw + (uint64_t)number;
    m->params.moisture_offset = clamp(m->params.moisture_offset + offset, -100, 100);
    move_ignition(e, &state, &m->fire);
}

/* An ignition outside the landscape is refused, not moved into it. */
static zm_status check_ignition(const zm_draws *e, zm_error *err)
{
    const zm_fire *f = e->fire;

    if (e->placed)
        return ZM_OK;
    if (f->row < 0 || f->col < 0)
        return zm_fail(err, ZM_E_SOURCE, -1, "the ignition is not known: give sources");
    if (f->row >= e->land->rows || f->col >= e->land->cols)
        return zm_fail(err, ZM_E_ARG, -1,
                       "ignition at row %d, column %d of %d x %d cells", (int)f->row,
                       (int)f->col, (int)e->land->rows, (int)e->land->cols);
    return ZM_OK;
}

/* Whether the ignition may be in a cell: in the disc, and on fuel that burns. */
static bool may_start(const zm_draws *e, int32_t row, int32_t col)
{
    const double cell = e->land->cell;
    const size_t at = (size_t)row * (size_t)e->land->cols + (size_t)col;
    const float number = e->land->layers[ZM_LAYER_FUEL][at];

    if (!(hypot(row - e->fire->row, col - e->fire->col) * cell <= e->opts.ignition))
        return false;
    return number >= 0 && number < ZM_FUEL_NUMBERS &&
           zm_fuel_burnable(e->land, (int32_t)number);
}

static zm_status find_places(zm_draws *e, zm_error *err)
{
    if (e->placed || !(e->opts.ignition > 0) || !e->land->layers[ZM_LAYER_FUEL])
        return ZM_OK;
    e->places = zm_block(&e->mem, (size_t)e->land->rows * (size_t)e->land->cols,
                         sizeof *e->places);
    if (!e->places)
        return zm_fail(err, ZM_E_NOMEM, -1, "places of the ignition");
    for (int32_t row = 0; row < e->land->rows; row++)
        for (int32_t col = 0; col < e->land->cols; col++)
            if (may_start(e, row, col))
                e->places[e->n_places++] =
                    (size_t)row * (size_t)e->land->cols + (size_t)col;
    return ZM_OK;
}

zm_status zm_front_draws_anywhere(zm_draws *e, const float *density, zm_error *err)
{
    const size_t n = (size_t)e->land->rows * (size_t)e->land->cols;
    const float *fuel = e->land->layers[ZM_LAYER_FUEL];
    double sum = 0;

    for (size_t i = 0; density && i < n; i++)
        if (!(density[i] >= 0 && density[i] < HUGE_VALF))
            return zm_fail(
                err, ZM_E_ARG, (int64_t)i,
                "density of ignitions %g at cell %zu, must be at least 0 and "
                "finite",
                (double)density[i], i);
    e->places = zm_block(&e->mem, n, sizeof *e->places);
    e->weights = density ? zm_block(&e->mem, n, sizeof *e->weights) : NULL;
    if (!e->places || (density && !e->weights))
        return zm_fail(err, ZM_E_NOMEM, -1, "places of ignitions");
    for (size_t i = 0; fuel && i < n; i++) {
        const bool barred = e->params.barrier && e->params.barrier[i] <= 0;

        if (!(fuel[i] >= 0 && fuel[i] < ZM_FUEL_NUMBERS) || barred ||
            !zm_fuel_burnable(e->land, (int32_t)fuel[i]) ||
            (density && !(density[i] > 0)))
            continue;
        sum += density ? (double)density[i] : 1;
        if (e->weights)
            e->weights[e->n_places] = sum;
        e->places[e->n_places++] = i;
    }
    if (e->n_places == 0)
        return zm_fail(err, ZM_E_ARG, -1,
                       "no cell where a fire can be lit: fuel that burns%s",
                       density ? " and a density of ignitions above 0" : "");
    return ZM_OK;
}

static zm_status check_spreads(const zm_ensemble_opts *o, zm_error *err)
{
    const double spread[] = { o->wind_speed, o->wind_dir, o->temperature,
                              o->humidity,   o->moisture, o->live_moisture,
                              o->rate,       o->ignition };

    if (o->members < 1 || o->members > 1000000)
        return zm_fail(err, ZM_E_ARG, -1, "%d members, must be 1 to 1000000",
                       (int)o->members);
    if (o->threads < 1)
        return zm_fail(err, ZM_E_ARG, -1, "%d threads, must be at least 1",
                       (int)o->threads);
    for (size_t i = 0; i < sizeof spread / sizeof *spread; i++)
        if (!(spread[i] >= 0 && spread[i] < HUGE_VAL))
            return zm_fail(err, ZM_E_ARG, -1,
                           "spread %g, must be at least 0 and finite", spread[i]);
    return ZM_OK;
}

zm_status zm_front_draws_open(zm_draws *draws, const zm_landscape *land,
                              const zm_fire *fire, const zm_physics_params *params,
                              bool placed, const zm_ensemble_opts *opts,
                              const zm_alloc *mem, zm_error *err)
{
    *draws = (zm_draws){ .land = land,
                         .fire = fire,
                         .params = ZM_PHYSICS_PARAMS_INIT,
                         .placed = placed || fire->n_sources > 0,
                         .opts = ZM_ENSEMBLE_OPTS_INIT,
                         .mem = *mem };
    ZM_TRY(zm_options_read(&draws->opts, sizeof draws->opts, opts, "zm_ensemble_opts",
                           err));
    ZM_TRY(zm_options_read(&draws->params, sizeof draws->params, params,
                           "zm_physics_params", err));
    ZM_TRY(check_spreads(&draws->opts, err));
    ZM_TRY(check_ignition(draws, err));
    return find_places(draws, err);
}

void zm_front_draws_close(zm_draws *draws)
{
    if (draws->places)
        zm_release(&draws->mem, draws->places);
    if (draws->weights)
        zm_release(&draws->mem, draws->weights);
    draws->places = NULL;
    draws->weights = NULL;
}

zm_status zm_front_member_open(const zm_draws *draws, zm_member *member, zm_error *err)
{
    *member = (zm_member){ .weather = NULL };
    member->weather =
        zm_block(&draws->mem, draws->fire->hours, sizeof *member->weather);
    if (!member->weather)
        return zm_fail(err, ZM_E_NOMEM, -1, "weather of %zu hours", draws->fire->hours);
    return ZM_OK;
}

void zm_front_member_close(const zm_draws *draws, zm_member *member)
{
    zm_release(&draws->mem, member->weather);
    member->weather = NULL;
}
