/* SPDX-License-Identifier: Apache-2.0
 * How likely a fire began at a place: one fire that the model burns from there, whose times are moved and
 * stretched to those of the sightings by reweighted least squares. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/fail.h"
#include "fire/fit/origin.h"

static const double HORIZON = 1.5; /* of the time from the start to the last sighting */
static const double OUTLIER = 1.5; /* standard deviations: Huber's threshold */
static const double LEAST_ERROR = 0.02;          /* h: times are not known better */
static const double SHORTEST = 0.2, LONGEST = 5; /* stretches */
enum { STEPS = 12 };

bool zm_origin_burnable(const zm_landscape *land, int32_t row, int32_t col)
{
    const float f =
        land->layers[ZM_LAYER_FUEL][(size_t)row * (size_t)land->cols + (size_t)col];

    return f >= 0 && f < ZM_FUEL_NUMBERS && zm_fuel_burnable(land, (int32_t)f);
}

/** The work of a thread. */
typedef struct worker {
    zm_origin_search *s;
    zm_physics *model;
    double *T, *tau, *residual; /* tau and residual by sighting */
    double last;                /* h: of the sightings */
} worker;

/* The block of 3 x 3 cells about a place, as far as it can burn. */
static size_t block(const zm_landscape *land, int32_t row, int32_t col, double hour,
                    zm_source out[9])
{
    size_t n = 0;

    for (int32_t r = row - 1; r <= row + 1; r++)
        for (int32_t c = col - 1; c <= col + 1; c++)
            if (r >= 0 && c >= 0 && r < land->rows && c < land->cols &&
                zm_origin_burnable(land, r, c))
                out[n++] = (zm_source){ r, c, hour };
    return n;
}

/* As long as a fire may have burned, or half as long again as it seems to. */
static zm_status burn(worker *w, const zm_origin_place *p, zm_error *err)
{
    const zm_origin_search *s = w->s;
    const double horizon =
        s->start + fmax(HORIZON * (w->last - s->start), w->last - s->opts.since);
    zm_source sources[9];
    const size_t n = block(s->land, p->row, p->col, s->start, sources);

    ZM_TRY(zm_physics_set_fire(w->model, s->fire, NULL, horizon, err));
    ZM_TRY(zm_physics_arrival(w->model, sources, n, horizon, w->T, err));
    for (size_t i = 0; i < s->n_sightings; i++) {
        const zm_sighting *at = &s->sightings[i];

        w->tau[i] =
            w->T[(size_t)at->row * (size_t)s->land->cols + (size_t)at->col] - s->start;
    }
    return ZM_OK;
}

/** Sums of weighted least squares for start and stretch. */
typedef struct sums {
    double w, x, xx, y, xy;
} sums;

/* Weights are 1 within OUTLIER deviations, and fall beyond. */
static sums weigh(const worker *w, double deviation)
{
    sums a = { 0 };

    for (size_t i = 0; i < w->s->n_sightings; i++) {
        const double far = fabs(w->residual[i]) / deviation;
        const double weight = far > OUTLIER ? OUTLIER / far : 1, x = w->tau[i];

        if (!(x < INFINITY))
            continue;
        a.w += weight;
        a.x += weight * x;
        a.xx += weight * x * x;
        a.y += weight * w->s->sightings[i].hour;
        a.xy += weight * x * w->s->sightings[i].hour;
    }
    return a;
}

/* Errors at a start and a stretch; returns their robust standard deviation, where an error beyond
 * OUTLIER of the deviations before counts linearly. */
static double errors_at(worker *w, double start, double stretch, double before)
{
    const zm_origin_search *s = w->s;
    double sum = 0;

    for (size_t i = 0; i < s->n_sightings; i++) {
        const double e = w->tau[i] < INFINITY
                             ? start + stretch * w->tau[i] - s->sightings[i].hour
                             : w->last - s->opts.since;
        const double size = fabs(e), limit = OUTLIER * before;

        w->residual[i] = e;
        sum += size > limit ? limit * (2 * size - limit) : e * e;
    }
    return sqrt(fmax(sum / (double)s->n_sightings, LEAST_ERROR * LEAST_ERROR));
}

/* With weights w_i/sigma^2 scaled to n independent ones, and the prior (q - 1)^2/spread^2. */
static void fit(worker *w, zm_origin_place *p)
{
    const zm_origin_search *s = w->s;
    const double independent =
                     fmax((double)s->n_sightings / s->opts.together, 3), /* n */
        first = s->sightings[0].hour;
    double start = s->start, stretch = 1, latest = first;
    double deviation = errors_at(w, start, stretch, HUGE_VAL);

    for (size_t i = 0; i < s->n_sightings; i++)
        latest = fmin(latest, s->sightings[i].hour);
    for (int k = 0; k < STEPS; k++) {
        const sums a = weigh(w, deviation);
        const double share = independent / (double)s->n_sightings;
        const double pull =
            deviation * deviation / (share * s->opts.rate_spread * s->opts.rate_spread);
        const double A = a.xx + pull, det = a.w * A - a.x * a.x;

        if (!(a.w > 0))
            break;
        stretch = det > 0 ? (a.w * (a.xy + pull) - a.x * a.y) / det : 1;
        stretch = fmin(fmax(stretch, SHORTEST), LONGEST);
        start = fmin(fmax((a.y - stretch * a.x) / a.w, s->opts.since), latest);
        if (A > 0 && (start == s->opts.since || start == latest))
            stretch = fmin(fmax((a.xy + pull - start * a.x) / A, SHORTEST), LONGEST);
        p->hour_variance = det > 0 ? deviation * deviation / share * A / det : 0;
        deviation = errors_at(w, start, stretch, deviation);
    }
    p->hour = start;
    p->stretch = stretch;
    p->error = deviation;
    p->log_likelihood =
        -independent * log(deviation) - 0.5 * (stretch - 1) * (stretch - 1) /
                                            (s->opts.rate_spread * s->opts.rate_spread);
}

static zm_status try_place(worker *w, zm_origin_place *p, zm_error *err)
{
    ZM_TRY(burn(w, p, err));
    p->unreached = 0;
    for (size_t i = 0; i < w->s->n_sightings; i++)
        p->unreached += !(w->tau[i] < INFINITY);
    fit(w, p);
    p->done = true;
    return ZM_OK;
}

static zm_status open_worker(worker *w, zm_error *err)
{
    const zm_origin_search *s = w->s;

    w->T = malloc((size_t)s->land->rows * (size_t)s->land->cols * sizeof *w->T);
    w->tau = malloc(2 * s->n_sightings * sizeof *w->tau);
    if (!w->T || !w->tau)
        return zm_fail(err, ZM_E_NOMEM, -1, "a fire from a place");
    w->residual = w->tau + s->n_sightings;
    for (size_t i = 0; i < s->n_sightings; i++)
        w->last = fmax(w->last, s->sightings[i].hour);
    return zm_physics_create(&w->model, s->land, s->physics, err);
}

static zm_status ask(const zm_origin_search *s, size_t done, zm_error *err)
{
    return s->opts.progress &&
                   s->opts.progress(s->opts.progress_ctx, (double)done / (double)s->n)
               ? zm_fail(err, ZM_E_CANCELLED, -1, "search for the origin cancelled")
               : ZM_OK;
}

static void work(void *ctx, int32_t thread)
{
    worker w = { .s = ctx };
    zm_origin_search *s = w.s;
    zm_error err = { 0 };
    zm_status st = open_worker(&w, &err);

    while (st >= 0) {
        const size_t k = atomic_fetch_add(&s->next, 1);

        if (k >= s->n)
            break;
        if (s->places[k].done)
            continue;
        if (thread == 0)
            st = ask(s, k, &err);
        if (st >= 0)
            st = try_place(&w, &s->places[k], &err);
    }
    if (st < 0) {
        zm_spin_lock(&s->lock);
        if (s->status == ZM_OK) {
            s->status = st;
            s->error = err;
        }
        zm_spin_unlock(&s->lock);
    }
    zm_physics_destroy(w.model);
    free(w.T);
    free(w.tau);
}

zm_status zm_origin_try(zm_origin_search *s, zm_error *err)
{
    atomic_store(&s->next, 0);
    s->status = ZM_OK;
    zm_parallel(s->opts.threads, work, s);
    if (s->status < 0 && err)
        *err = s->error;
    return s->status;
}
