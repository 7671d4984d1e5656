/* SPDX-License-Identifier: Apache-2.0
 * A fire at one of its dates: what the law of growth is given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "core/pi.h"
#include "core/random.h"
#include "fire/fit/growth.h"
#include "fire/fit/small_matrix.h"
#include "fire/fit/state.h"

static const double RADIUS = 30;        /* units: log_radius is 0 there */
static const double SHORTEST = 6;       /* h: shorter intervals count as that */
static const double USUAL_MEMORY = 1.3; /* log of units per square root of a day */
static const double FURTHEST = 2;       /* model: until so many times the interval */
enum { REMEMBERED = 2 };                /* intervals */

/** Work memory of a case. */
typedef struct maker {
    zm_growth_case *c;
    const zm_landscape *land;
    const zm_dated_fire *fire;
    size_t k, burned;
    double until, unit;
    double *distance, *sorted, *edge, *moved, *T, *log_rate;
    int64_t *nearest;
    size_t *order;
    zm_source *sources;
    zm_physics *model;
} maker;

void zm_growth_case_destroy(zm_growth_case *c)
{
    zm_alloc mem;

    if (!c)
        return;
    mem = c->mem;
    zm_release(&mem, c->cell);
    zm_release(&mem, c->grown);
    zm_release(&mem, c->log_distance);
    zm_release(&mem, c->log_model);
    zm_release(&mem, c->variance);
    zm_release(&mem, c->edge);
    zm_release(&mem, c->moved);
    zm_release(&mem, c->barren);
    zm_release(&mem, c);
}

static void close_maker(maker *m)
{
    const zm_alloc *mem = &m->c->mem;

    zm_physics_destroy(m->model);
    zm_release(mem, m->distance);
    zm_release(mem, m->sorted);
    zm_release(mem, m->edge);
    zm_release(mem, m->moved);
    zm_release(mem, m->T);
    zm_release(mem, m->log_rate);
    zm_release(mem, m->nearest);
    zm_release(mem, m->order);
    zm_release(mem, m->sources);
}

static zm_status open_maker(maker *m, zm_error *err)
{
    const zm_alloc *mem = &m->c->mem;
    const size_t n = m->c->cells;

    m->distance = zm_block(mem, n, sizeof *m->distance);
    m->sorted = zm_block(mem, n, sizeof *m->sorted);
    m->edge = zm_block(mem, n, sizeof *m->edge);
    m->moved = zm_block(mem, n, sizeof *m->moved);
    m->T = zm_block(mem, n, sizeof *m->T);
    m->log_rate = zm_block(mem, n, sizeof *m->log_rate);
    m->nearest = zm_block(mem, n, sizeof *m->nearest);
    m->order = zm_block(mem, n, sizeof *m->order);
    m->sources = zm_block(mem, n, sizeof *m->sources);
    if (!m->distance || !m->sorted || !m->edge || !m->moved || !m->T || !m->log_rate ||
        !m->nearest || !m->order || !m->sources)
        return zm_fail(err, ZM_E_NOMEM, -1, "a case of %zu cells", n);
    return ZM_OK;
}

static zm_status open_case(zm_growth_case *c, size_t burned, const uint8_t *mask,
                           const uint8_t *after, zm_error *err)
{
    const size_t room = c->cells - burned + 1;

    c->cell = zm_block(&c->mem, room, sizeof *c->cell);
    c->grown = after ? zm_zalloc(&c->mem, room, sizeof *c->grown) : NULL;
    c->log_distance = zm_block(&c->mem, room, sizeof *c->log_distance);
    c->log_model = zm_block(&c->mem, room, sizeof *c->log_model);
    c->variance = zm_block(&c->mem, room, sizeof *c->variance);
    c->edge = zm_block(&c->mem, room, sizeof *c->edge);
    c->moved = zm_block(&c->mem, room, sizeof *c->moved);
    c->barren = zm_block(&c->mem, room, sizeof *c->barren);
    if (!c->cell || (after && !c->grown) || !c->log_distance || !c->log_model ||
        !c->variance || !c->edge || !c->moved || !c->barren)
        return zm_fail(err, ZM_E_NOMEM, -1, "a case of %zu cells", c->cells);
    for (size_t i = 0; i < c->cells; i++)
        if (!mask[i]) {
            if (after)
                c->grown[c->n] = after[i] != 0;
            c->cell[c->n++] = i;
        }
    c->observed = after ? 0 : (double)NAN;
    for (size_t i = 0; after && i < c->n; i++)
        c->observed += c->grown[i];
    return ZM_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Distances of the cells outside a mask, sorted into m->sorted; returns how many. */
static size_t sort_distances(maker *m, const uint8_t *mask)
{
    size_t n = 0;

    for (size_t i = 0; i < m->c->cells; i++)
        if (!mask[i])
            m->sorted[n++] = m->distance[i] / m->unit;
    qsort(m->sorted, n, sizeof *m->sorted, ascending);
    return n;
}

/* log of how far a buffer of what burned from date j - 1 to j reaches, per square root of a day. */
static zm_status pace(maker *m, size_t j, double *out, zm_error *err)
{
    const uint8_t *before = m->fire->masks[j - 1], *after = m->fire->masks[j];
    const double days = fmax(m->fire->hours[j] - m->fire->hours[j - 1], SHORTEST) / 24;
    size_t grown = 0, n;

    ZM_TRY(zm_fit_distance(before, m->land->rows, m->land->cols, &m->c->mem,
                           m->distance, m->nearest, err));
    n = sort_distances(m, before);
    for (size_t i = 0; i < m->c->cells; i++)
        grown += after[i] && !before[i];
    *out = n ? log(m->sorted[grown < n ? grown : n - 1]) - 0.5 * log(days) : 0;
    return ZM_OK;
}

static zm_status remember(maker *m, zm_error *err)
{
    size_t n = 0;
    double sum = 0;

    for (size_t j = m->k; j > 0 && n < REMEMBERED; j--, n++) {
        double each;

        ZM_TRY(pace(m, j, &each, err));
        sum += each;
    }
    m->c->memory = n ? sum / (double)n - USUAL_MEMORY : 0;
    return ZM_OK;
}

/* Distance, and what the edges did: relative to the mean over the cells, and to one half. */
static zm_status look_at_ground(maker *m, zm_error *err)
{
    zm_growth_case *c = m->c;
    const uint8_t *mask = m->fire->masks[m->k];
    double mean = 0;

    ZM_TRY(zm_fit_distance(mask, m->land->rows, m->land->cols, &c->mem, m->distance,
                           m->nearest, err));
    if (m->k > 0)
        ZM_TRY(zm_fit_edges(m->fire->masks[m->k - 1], mask, m->land, m->nearest,
                            &c->mem, m->edge, m->moved, err));
    for (size_t i = 0; i < c->n; i++) {
        const size_t at = c->cell[i];
        const float fuel = m->land->layers[ZM_LAYER_FUEL][at];

        c->log_distance[i] = log(m->distance[at] / m->unit);
        c->barren[i] = !(fuel >= 0 && fuel < ZM_FUEL_NUMBERS &&
                         zm_fuel_burnable(m->land, (int32_t)fuel));
        c->edge[i] = m->k > 0 ? m->edge[at] : 0;
        c->moved[i] = m->k > 0 ? m->moved[at] - 0.5 : 0;
        mean += c->edge[i];
    }
    for (size_t i = 0; i < c->n; i++)
        c->edge[i] -= mean / (double)c->n;
    return ZM_OK;
}

/** A cell and its time, for sorting. */
typedef struct timed_cell {
    double time;
    size_t i;
} timed_cell;

static int earlier(const void *a, const void *b)
{
    const timed_cell *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

/* Adds log P, and its square, of one burned fire: the n-th cell that it reaches has the n-th
 * smallest distance.  Cells that it does not reach have the largest. */
static zm_status rank(maker *m, size_t n, double *sums, double *squares, zm_error *err)
{
    zm_growth_case *c = m->c;
    timed_cell *cells = zm_block(&c->mem, c->n + 1, sizeof *cells);
    size_t reached = 0;

    if (!cells)
        return zm_fail(err, ZM_E_NOMEM, -1, "ranks of %zu cells", c->n);
    for (size_t i = 0; i < c->n; i++) {
        cells[i] = (timed_cell){ m->T[c->cell[i]], i };
        reached += cells[i].time < INFINITY;
    }
    qsort(cells, c->n, sizeof *cells, earlier);
    for (size_t i = 0; i < c->n; i++) {
        const double log_p = log(m->sorted[i < reached ? i : n - 1]);

        sums[cells[i].i] += log_p;
        squares[cells[i].i] += log_p * log_p;
    }
    zm_release(&c->mem, cells);
    return ZM_OK;
}

/* offsets = L^-T z has the covariance C = (L L')^-1; with L of C itself it is L z. */
static void draw(const zm_fire_state *s, const double *L, uint64_t *random,
                 double *offsets)
{
    double z[ZM_STATE_MOST];

    for (int32_t k = 0; k < s->n; k++)
        z[k] = zm_random_normal(random);
    for (int32_t k = 0; k < s->n; k++) {
        offsets[k] = 0;
        for (int32_t l = 0; l <= k; l++)
            offsets[k] += L[k * s->n + l] * z[l];
    }
}

/* The state at the next interval: what is kept of it, and the spread between intervals. */
static void carry_on(zm_fire_state *s, const zm_growth_prior *prior)
{
    const double kept = s->intervals > 0 ? prior->kept : 1;

    for (int32_t k = 0; k < s->n; k++) {
        const double mean = zm_state_prior_mean(prior, s->kind[k]);
        const double spread = zm_state_prior_spread(prior, s->kind[k]);

        s->mean[k] = mean + kept * (s->mean[k] - mean);
        for (int32_t l = 0; l < s->n; l++)
            s->covariance[k * s->n + l] *= kept * kept;
        s->covariance[k * s->n + k] += (1 - kept * kept) * spread * spread;
    }
}

static zm_status burn(maker *m, const zm_fire_state *s, const double *offsets,
                      zm_error *err)
{
    const double horizon =
        m->fire->hours[m->k] + FURTHEST * (m->until - m->fire->hours[m->k]);
    double factor[ZM_FUEL_NUMBERS];
    zm_physics_params params;
    const size_t n = zm_state_sources(m->land, m->fire, m->k, m->sources);

    ZM_TRY(
        zm_fire_state_params(s, m->land, offsets, factor, m->log_rate, &params, err));
    ZM_TRY(zm_physics_set_fire(m->model, m->fire->fire, &params, horizon, err));
    return zm_physics_arrival(m->model, m->sources, n, horizon, m->T, err);
}

static zm_status burn_all(maker *m, const zm_fire_state *state,
                          const zm_growth_prior *prior, const zm_forecast_opts *o,
                          zm_error *err)
{
    zm_growth_case *c = m->c;
    zm_fire_state s = *state;
    double L[ZM_STATE_MOST * ZM_STATE_MOST], offsets[ZM_STATE_MOST];
    uint64_t random = o->seed;
    const size_t n = sort_distances(m, m->fire->masks[m->k]);

    carry_on(&s, prior);
    memcpy(L, s.covariance, sizeof L);
    if (!zm_cholesky(L, (size_t)s.n))
        return zm_fail(err, ZM_E_ARG, -1,
                       "the covariance of the state is not positive definite");
    memset(c->log_model, 0, c->n * sizeof *c->log_model);
    memset(c->variance, 0, c->n * sizeof *c->variance);
    for (int32_t d = 0; d < o->draws; d++) {
        if (o->progress && o->progress(o->progress_ctx, (double)d / o->draws))
            return zm_fail(err, ZM_E_CANCELLED, -1, "forecast cancelled");
        draw(&s, L, &random, offsets);
        ZM_TRY(burn(m, &s, offsets, err));
        ZM_TRY(rank(m, n, c->log_model, c->variance, err));
    }
    for (size_t i = 0; i < c->n; i++) {
        const double mean = c->log_model[i] / o->draws;

        c->log_model[i] = mean;
        c->variance[i] = fmax(c->variance[i] / o->draws - mean * mean, 0);
    }
    return ZM_OK;
}

/* All but what the model burns. */
static zm_status look(maker *m, const uint8_t *after, zm_error *err)
{
    zm_growth_case *c = m->c;
    const uint8_t *mask = m->fire->masks[m->k];

    for (size_t i = 0; i < c->cells; i++)
        m->burned += mask[i] != 0;
    if (m->burned == 0 || m->burned == c->cells)
        return zm_fail(err, ZM_E_ARG, -1, "perimeter %zu has %zu of %zu cells", m->k,
                       m->burned, c->cells);
    ZM_TRY(open_maker(m, err));
    ZM_TRY(open_case(c, m->burned, mask, after, err));
    c->log_radius = log(sqrt((double)m->burned / ZM_PI) / m->unit / RADIUS);
    c->log_time = log(fmax(m->until - m->fire->hours[m->k], SHORTEST) / 24);
    ZM_TRY(remember(m, err));
    return look_at_ground(m, err);
}

static zm_status make(maker *m, const uint8_t *after, const zm_fire_state *state,
                      const zm_growth_prior *prior, const zm_physics_opts *physics,
                      const zm_forecast_opts *o, zm_error *err)
{
    ZM_TRY(look(m, after, err));
    ZM_TRY(zm_physics_create(&m->model, m->land, physics, err));
    return burn_all(m, state, prior, o, err);
}

static zm_status open_maker_of(maker *m, const zm_alloc *mem, zm_error *err)
{
    if (!(m->c = zm_zalloc(mem, 1, sizeof *m->c)))
        return zm_fail(err, ZM_E_NOMEM, -1, "a case");
    m->c->mem = *mem;
    m->c->cells = (size_t)m->land->rows * (size_t)m->land->cols;
    return ZM_OK;
}

/* What was made, or nothing after a failure. */
static zm_status give(maker *m, zm_status st, zm_growth_case **out)
{
    close_maker(m);
    if (st < 0)
        zm_growth_case_destroy(m->c);
    else
        *out = m->c;
    return st;
}

zm_status zm_fit_case_of_mask(const zm_landscape *land, const uint8_t *mask,
                              double hours, zm_growth_case **out, zm_error *err)
{
    static const double zero = 0;
    const zm_dated_fire fire = { .masks = &mask, .hours = &zero, .n = 1 };
    const zm_alloc mem = zm_alloc_or_default(NULL);
    maker m = {
        .land = land, .fire = &fire, .until = hours, .unit = zm_fit_unit(land)
    };
    zm_status st;

    *out = NULL;
    if (!(hours > 0 && hours < HUGE_VAL))
        return zm_fail(err, ZM_E_ARG, -1, "forecast for %g h, must be above 0", hours);
    if (!land->layers[ZM_LAYER_FUEL])
        return zm_fail(err, ZM_E_ARG, -1, "landscape has no layer fuel");
    ZM_TRY(open_maker_of(&m, &mem, err));
    st = look(&m, NULL, err);
    for (size_t i = 0; st >= 0 && i < m.c->n;
         i++) { /* with the weight 0 they do not count */
        m.c->log_model[i] = m.c->log_distance[i];
        m.c->variance[i] = 0;
    }
    return give(&m, st, out);
}

zm_status zm_growth_case_create(const zm_landscape *landscape,
                                const zm_dated_fire *fire, size_t k, double until,
                                const uint8_t *after, const zm_fire_state *state,
                                const zm_growth_prior *prior,
                                const zm_physics_opts *physics,
                                const zm_forecast_opts *opts, zm_growth_case **out,
                                zm_error *err)
{
    zm_growth_prior p = ZM_GROWTH_PRIOR_INIT;
    zm_forecast_opts o = ZM_FORECAST_OPTS_INIT;
    zm_alloc mem = zm_alloc_or_default(physics ? &physics->mem : NULL);
    maker m = { .land = landscape,
                .fire = fire,
                .k = k,
                .until = until,
                .unit = zm_fit_unit(landscape) };
    zm_status st;

    *out = NULL;
    ZM_TRY(zm_state_check(state, err));
    ZM_TRY(zm_options_read(&p, sizeof p, prior, "zm_growth_prior", err));
    ZM_TRY(zm_options_read(&o, sizeof o, opts, "zm_forecast_opts", err));
    ZM_TRY(zm_state_prior_check(&p, err));
    ZM_TRY(zm_state_dates_check(fire, k + 1, err));
    if (!(until > fire->hours[k] && until < HUGE_VAL) || o.draws < 1)
        return zm_fail(
            err, ZM_E_ARG, -1,
            "forecast from %g h until %g h with %d draws, must be later and at "
            "least 1",
            fire->hours[k], until, (int)o.draws);
    ZM_TRY(open_maker_of(&m, &mem, err));
    st = make(&m, after, state, &p, physics, &o, err);
    return give(&m, st, out);
}
