/* SPDX-License-Identifier: Apache-2.0
 * Many fires in perturbed weather, over the threads. */
#include "zermelo/fire/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/random.h"
#include "fire/science/rothermel.h"

enum { NEVER = UINT16_MAX, LAST_TICK = UINT16_MAX - 1 };

/** What all members share. */
typedef struct ensemble {
    const zm_landscape *land;
    const zm_fire *fire;
    zm_physics_params params;
    const zm_source *sources;
    size_t n_sources, cells;
    double t_max;
    const zm_physics_opts *physics;
    zm_ensemble_opts opts;
    zm_alloc mem;
    size_t *places; /* cells where the ignition may be; none: it stays */
    size_t n_places;
    uint16_t *times; /* members planes, in ticks of t_max/LAST_TICK */
    atomic_int next, finished;
    atomic_bool stop;
    zm_spinlock lock;
    zm_status status; /* of the first that failed, with its message */
    zm_error *err;
} ensemble;

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

/** One member: what it was given, and its model. */
typedef struct member {
    zm_physics *model;
    zm_weather_hour *weather;
    double *T, factor[ZM_FUEL_NUMBERS];
    zm_fire fire;
    zm_physics_params params;
} member;

static void move_ignition(const ensemble *e, uint64_t *state, zm_fire *fire)
{
    if (e->n_places > 0) {
        const size_t place = e->places[(size_t)(unit(state) * (double)e->n_places)];

        fire->row = (int32_t)(place / (size_t)e->land->cols);
        fire->col = (int32_t)(place % (size_t)e->land->cols);
    }
}

/* The same draws in the same order whatever is perturbed, so that one uncertainty more leaves
 * the others as they were. */
static void draw(const ensemble *e, int number, member *m)
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
    m->params.moisture_offset = clamp(m->params.moisture_offset + offset, -100, 100);
    move_ignition(e, &state, &m->fire);
}

static zm_status run_member(ensemble *e, int number, member *m, zm_error *err)
{
    uint16_t *ticks = e->times + (size_t)number * e->cells;
    zm_status st;

    draw(e, number, m);
    st = zm_physics_set_fire(m->model, &m->fire, &m->params, e->t_max, err);
    if (st == ZM_OK)
        st =
            zm_physics_arrival(m->model, e->sources, e->n_sources, e->t_max, m->T, err);
    if (st < 0)
        return st;
    for (size_t i = 0; i < e->cells; i++)
        ticks[i] = m->T[i] <= e->t_max
                       ? (uint16_t)(fmax(m->T[i], 0) / e->t_max * LAST_TICK + 0.5)
                       : NEVER;
    return ZM_OK;
}

static void note_failure(ensemble *e, zm_status st, const zm_error *err)
{
    zm_spin_lock(&e->lock);
    if (e->status == ZM_OK) {
        e->status = st;
        if (e->err)
            *e->err = *err;
    }
    zm_spin_unlock(&e->lock);
    atomic_store(&e->stop, true);
}

static void show_progress(ensemble *e)
{
    const double done = atomic_load(&e->finished);
    zm_error err;

    if (e->opts.progress &&
        e->opts.progress(e->opts.progress_ctx, done / e->opts.members)) {
        zm_fail(&err, ZM_E_CANCELLED, -1, "ensemble cancelled");
        note_failure(e, ZM_E_CANCELLED, &err);
    }
}

static zm_status open_member(ensemble *e, member *m, zm_error *err)
{
    m->weather = zm_block(&e->mem, e->fire->hours, sizeof *m->weather);
    m->T = zm_block(&e->mem, e->cells, sizeof *m->T);
    if (!m->weather || !m->T)
        return zm_fail(err, ZM_E_NOMEM, -1, "a member of %zu cells", e->cells);
    return zm_physics_create(&m->model, e->land, e->physics, err);
}

static void work(void *ctx, int32_t thread)
{
    ensemble *e = ctx;
    zm_error err = { 0 };
    member m = { 0 };
    zm_status st = open_member(e, &m, &err);

    while (st == ZM_OK && !atomic_load(&e->stop)) {
        const int number = atomic_fetch_add(&e->next, 1);

        if (number >= e->opts.members)
            break;
        st = run_member(e, number, &m, &err);
        atomic_fetch_add(&e->finished, 1);
        if (thread == 0)
            show_progress(e);
    }
    if (st < 0)
        note_failure(e, st, &err);
    zm_physics_destroy(m.model);
    zm_release(&e->mem, m.weather);
    zm_release(&e->mem, m.T);
}

static int by_value(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

/* Quantile: the smallest time that at least a share `level` of all members is not later
 * than. */
static float quantile(const ensemble *e, const uint16_t *sorted, double level)
{
    const int n = e->opts.members;
    int rank = (int)ceil(level * n - 1e-9) - 1; /* 0.07 100 is 7 and a little */

    rank = rank < 0 ? 0 : rank >= n ? n - 1 : rank;
    return sorted[rank] == NEVER ? INFINITY
                                 : (float)(sorted[rank] * (e->t_max / LAST_TICK));
}

static void summarise(const ensemble *e, const zm_ensemble_out *out, uint16_t *sorted)
{
    const size_t n = (size_t)e->opts.members;

    for (size_t i = 0; i < e->cells; i++) {
        size_t reached = 0;

        for (size_t k = 0; k < n; k++) {
            sorted[k] = e->times[k * e->cells + i];
            reached += sorted[k] != NEVER;
        }
        if (out->probability)
            out->probability[i] = (float)reached / (float)n;
        if (reached > 0 && out->n_quantiles > 0)
            qsort(sorted, n, sizeof *sorted, by_value);
        for (size_t q = 0; q < out->n_quantiles; q++)
            out->quantiles[q][i] =
                reached > 0 ? quantile(e, sorted, out->levels[q]) : INFINITY;
    }
}

static zm_status check(const zm_ensemble_opts *o, double t_max,
                       const zm_ensemble_out *out, zm_error *err)
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
    if (!(t_max > 0 && t_max < HUGE_VAL))
        return zm_fail(err, ZM_E_ARG, -1, "t_max %g h, must be > 0 and finite", t_max);
    for (size_t i = 0; i < sizeof spread / sizeof *spread; i++)
        if (!(spread[i] >= 0 && spread[i] < HUGE_VAL))
            return zm_fail(err, ZM_E_ARG, -1,
                           "spread %g, must be at least 0 and finite", spread[i]);
    for (size_t q = 0; q < out->n_quantiles; q++)
        if (!out->levels || !out->quantiles || !out->quantiles[q])
            return zm_fail(err, ZM_E_ARG, -1,
                           "%zu quantiles: levels and a plane for each are needed",
                           out->n_quantiles);
        else if (!(out->levels[q] > 0 && out->levels[q] < 1))
            return zm_fail(err, ZM_E_ARG, -1, "quantile %g, must be between 0 and 1",
                           out->levels[q]);
    return ZM_OK;
}

/* An ignition outside the landscape is refused, not moved into it. */
static zm_status check_ignition(const ensemble *e, zm_error *err)
{
    const zm_fire *f = e->fire;

    if (e->sources)
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
static bool may_start(const ensemble *e, int32_t row, int32_t col)
{
    const double cell = e->land->cell;
    const size_t at = (size_t)row * (size_t)e->land->cols + (size_t)col;
    const float number = e->land->layers[ZM_LAYER_FUEL][at];

    if (!(hypot(row - e->fire->row, col - e->fire->col) * cell <= e->opts.ignition))
        return false;
    return number >= 0 && number < ZM_FUEL_NUMBERS &&
           zm_fuel_burnable(e->land, (int32_t)number);
}

static zm_status find_places(ensemble *e, zm_error *err)
{
    if (e->sources || !(e->opts.ignition > 0) || !e->land->layers[ZM_LAYER_FUEL])
        return ZM_OK;
    e->places = zm_block(&e->mem, e->cells, sizeof *e->places);
    if (!e->places)
        return zm_fail(err, ZM_E_NOMEM, -1, "places of the ignition");
    for (int32_t row = 0; row < e->land->rows; row++)
        for (int32_t col = 0; col < e->land->cols; col++)
            if (may_start(e, row, col))
                e->places[e->n_places++] =
                    (size_t)row * (size_t)e->land->cols + (size_t)col;
    return ZM_OK;
}

zm_status zm_ensemble_run(const zm_landscape *landscape, const zm_fire *fire,
                          const zm_physics_params *params, const zm_source *sources,
                          size_t n_sources, double t_max, const zm_ensemble_out *out,
                          const zm_physics_opts *physics, const zm_ensemble_opts *opts,
                          zm_error *err)
{
    ensemble e = { .land = landscape,
                   .fire = fire,
                   .params = ZM_PHYSICS_PARAMS_INIT,
                   .sources = sources,
                   .n_sources = n_sources,
                   .cells = (size_t)landscape->rows * (size_t)landscape->cols,
                   .t_max = t_max,
                   .physics = physics,
                   .opts = ZM_ENSEMBLE_OPTS_INIT,
                   .lock = { ATOMIC_FLAG_INIT },
                   .err = err };
    zm_ensemble_out maps = ZM_ENSEMBLE_OUT_INIT;
    uint16_t *sorted = NULL;
    zm_status st;

    e.mem = zm_alloc_or_default(physics ? &physics->mem : NULL);
    ZM_GO(zm_options_read(&e.opts, sizeof e.opts, opts, "zm_ensemble_opts", err));
    ZM_GO(
        zm_options_read(&e.params, sizeof e.params, params, "zm_physics_params", err));
    ZM_GO(zm_options_read(&maps, sizeof maps, out, "zm_ensemble_out", err));
    ZM_GO(check(&e.opts, t_max, &maps, err));
    ZM_GO(check_ignition(&e, err));
    ZM_GO(find_places(&e, err));
    sorted = zm_block(&e.mem, (size_t)e.opts.members, sizeof *sorted);
    e.times = zm_block(&e.mem, (size_t)e.opts.members * e.cells, sizeof *e.times);
    if (!sorted || !e.times)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "times of %d members", (int)e.opts.members));
    zm_parallel(e.opts.threads, work, &e);
    if (e.status == ZM_OK)
        show_progress(&e);
    st = e.status;
    if (st == ZM_OK)
        summarise(&e, &maps, sorted);
done:
    zm_release(&e.mem, sorted);
    zm_release(&e.mem, e.places);
    zm_release(&e.mem, e.times);
    return st;
}

double zm_ensemble_area(const zm_landscape *landscape, const float *probability,
                        double least)
{
    const size_t n = (size_t)landscape->rows * (size_t)landscape->cols;
    size_t cells = 0;

    for (size_t i = 0; i < n; i++)
        cells += probability[i] >= (float)least;
    return (double)cells * (landscape->cell * landscape->cell / 1e4);
}

double zm_ensemble_expected_area(const zm_landscape *landscape,
                                 const float *probability)
{
    const size_t n = (size_t)landscape->rows * (size_t)landscape->cols;
    double cells = 0;

    for (size_t i = 0; i < n; i++)
        cells += (double)probability[i];
    return cells * (landscape->cell * landscape->cell / 1e4);
}
