/* SPDX-License-Identifier: Apache-2.0
 * Where and when a fire began: places on lattices are tried, each by one fire that the model burns. */
#include "zermelo/fire/origin.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "fire/fit/origin.h"

static const double START_STEP = 0.5;    /* h: weather does not matter within */
static const double LEAST_LIKELY = 0.02; /* of the best: the last lattice goes as far */
enum {
    STARTS = 3,
    AGAIN = 16,
    ROUNDS = 40
}; /* how often the start moves; places tried again */
enum {
    HALF = 3,
    KEPT = 4,
    WIDEST = 64
}; /* lattice of 2 HALF + 1; best places that are refined */

size_t zm_perimeter_sightings(const zm_landscape *landscape, const uint8_t *mask,
                              double hour, zm_sighting *out)
{
    static const int32_t dr[] = { -1, 1, 0, 0 }, dc[] = { 0, 0, -1, 1 };
    size_t n = 0;

    for (int32_t r = 0; r < landscape->rows; r++)
        for (int32_t c = 0; c < landscape->cols; c++) {
            bool front = false;

            if (!mask[(size_t)r * (size_t)landscape->cols + (size_t)c])
                continue;
            for (int k = 0; k < 4; k++) {
                const int32_t row = r + dr[k], col = c + dc[k];

                if (row < 0 || col < 0 || row >= landscape->rows ||
                    col >= landscape->cols)
                    continue;
                front = front ||
                        (!mask[(size_t)row * (size_t)landscape->cols + (size_t)col] &&
                         zm_origin_burnable(landscape, row, col));
            }
            if (front && out)
                out[n] = (zm_sighting){ r, c, hour };
            n += front;
        }
    return n;
}

/* Adds a place unless it is there already, or may not be the origin. */
static bool propose(zm_origin_search *s, int32_t row, int32_t col)
{
    const size_t at = (size_t)row * (size_t)s->land->cols + (size_t)col;

    if (row < 0 || col < 0 || row >= s->land->rows || col >= s->land->cols ||
        s->tried[at] || (s->allowed && !s->allowed[at]) ||
        !zm_origin_burnable(s->land, row, col))
        return true;
    if (s->n == s->room) {
        const size_t room = 2 * s->room + 64;
        zm_origin_place *more = realloc(s->places, room * sizeof *more);

        if (!more)
            return false;
        s->places = more;
        s->room = room;
    }
    s->tried[at] = 1;
    s->places[s->n++] = (zm_origin_place){ .row = row, .col = col };
    return true;
}

static zm_status lattice(zm_origin_search *s, int32_t row, int32_t col, int32_t half,
                         int32_t step, zm_error *err)
{
    for (int32_t r = -half; r <= half; r++)
        for (int32_t c = -half; c <= half; c++)
            if (!propose(s, row + r * step, col + c * step))
                return zm_fail(err, ZM_E_NOMEM, -1, "%zu places", s->n);
    return ZM_OK;
}

/* A lattice over all that is allowed, of about so many places; returns its step. */
static int32_t coarse_step(const zm_origin_search *s)
{
    int64_t allowed = 0;
    int32_t step = 1;

    for (int32_t r = 0; r < s->land->rows; r++)
        for (int32_t c = 0; c < s->land->cols; c++)
            allowed += (!s->allowed ||
                        s->allowed[(size_t)r * (size_t)s->land->cols + (size_t)c]) &&
                       zm_origin_burnable(s->land, r, c);
    while ((double)allowed / ((double)step * step) > s->opts.candidates)
        step++;
    return step;
}

static zm_status propose_every(zm_origin_search *s, int32_t step, size_t most,
                               zm_error *err)
{
    for (int32_t r = step / 2; r < s->land->rows; r += step)
        for (int32_t c = step / 2; c < s->land->cols && s->n < most; c += step)
            if (!propose(s, r, c))
                return zm_fail(err, ZM_E_NOMEM, -1, "%zu places", s->n);
    return ZM_OK;
}

/* A lattice may miss small areas that are allowed: then all of their cells, as many as wanted. */
static zm_status propose_coarse(zm_origin_search *s, int32_t step, zm_error *err)
{
    ZM_TRY(propose_every(s, step, SIZE_MAX, err));
    if (s->n == 0)
        ZM_TRY(propose_every(s, 1, (size_t)s->opts.candidates, err));
    return ZM_OK;
}

static int better(const void *a, const void *b)
{
    const zm_origin_place *x = a, *y = b;

    if (x->log_likelihood != y->log_likelihood)
        return x->log_likelihood > y->log_likelihood ? -1 : 1;
    return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                            : (x->col > y->col) - (x->col < y->col);
}

static void sort(zm_origin_search *s)
{
    qsort(s->places, s->n, sizeof *s->places, better);
}

/* Forgets all places but the best, which are to be tried again. */
static void forget_others(zm_origin_search *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const zm_origin_place *p = &s->places[i];

        s->tried[(size_t)p->row * (size_t)s->land->cols + (size_t)p->col] = i < AGAIN;
        s->places[i].done = false;
    }
    s->n = s->n < AGAIN ? s->n : AGAIN;
}

/* Fires burn in the weather from the start on, so places that were tried with another start are tried
 * again: the best of them, and only while that makes them more likely. */
static zm_status settle_start(zm_origin_search *s, zm_error *err)
{
    for (int k = 0; k < STARTS; k++) {
        zm_origin_place was[AGAIN];
        const double before = s->start;

        sort(s);
        if (fabs(s->places[0].hour - s->start) < START_STEP)
            return ZM_OK;
        s->start = s->places[0].hour;
        forget_others(s);
        memcpy(was, s->places, s->n * sizeof *was);
        ZM_TRY(zm_origin_try(s, err));
        sort(s);
        if (s->places[0].log_likelihood > was[0].log_likelihood)
            continue;
        memcpy(s->places, was, s->n * sizeof *was);
        for (size_t i = 0; i < s->n; i++)
            s->places[i].done = true;
        s->start = before;
        return ZM_OK;
    }
    return ZM_OK;
}

/* The start that makes the best of the places most likely, among some between the earliest and the
 * first sighting: the weather of a wrong one may let fires rest that ran, and run that rested. */
static zm_status choose_start(zm_origin_search *s, zm_error *err)
{
    double first = HUGE_VAL, best = -HUGE_VAL, start = s->opts.since;

    for (size_t i = 0; i < s->n_sightings; i++)
        first = fmin(first, s->sightings[i].hour);
    for (int k = STARTS; k >= 0; k--) {
        const bool last = k == 0;

        s->start =
            last ? start : s->opts.since + (first - s->opts.since) * (k - 1) / STARTS;
        for (size_t i = 0; i < s->n; i++)
            s->places[i].done = false;
        ZM_TRY(zm_origin_try(s, err));
        sort(s);
        if (!last && s->places[0].log_likelihood > best) {
            best = s->places[0].log_likelihood;
            start = s->start;
        }
    }
    return ZM_OK;
}

/* Neighbours of the best places, at half the step before, until the step is one cell and the best
 * stays the best. */
static zm_status refine(zm_origin_search *s, int32_t step, zm_error *err)
{
    size_t before;

    ZM_TRY(settle_start(s, err));
    for (int round = 0; round < ROUNDS; round++) {
        zm_origin_place best[KEPT];
        const size_t kept = s->n < KEPT ? s->n : KEPT;

        memcpy(best, s->places, kept * sizeof *best);
        before = s->n;
        step = step > 1 ? (step + 1) / 2 : 1;
        for (size_t k = 0; k < kept; k++)
            ZM_TRY(lattice(s, best[k].row, best[k].col, 1, step, err));
        ZM_TRY(zm_origin_try(s, err));
        ZM_TRY(settle_start(s, err));
        if (step == 1 && s->n <= before)
            break;
    }
    return ZM_OK;
}

/* Whether the rim of a lattice about the best place is unlikely. */
static bool falls(const zm_origin_search *s, const zm_origin_place *best, int32_t step)
{
    double most = -HUGE_VAL;

    for (size_t k = 0; k < s->n; k++) {
        const zm_origin_place *p = &s->places[k];
        const int32_t r = abs(p->row - best->row), c = abs(p->col - best->col);

        if ((r > c ? r : c) == HALF * step && r % step == 0 && c % step == 0)
            most = fmax(most, p->log_likelihood);
    }
    return most - best->log_likelihood < log(LEAST_LIKELY);
}

/* The posterior on a lattice whose rim is unlikely; *step is its spacing. */
static zm_status spread(zm_origin_search *s, int32_t *step, zm_error *err)
{
    for (*step = 1; *step <= WIDEST; *step *= 2) {
        const zm_origin_place best = s->places[0];

        ZM_TRY(lattice(s, best.row, best.col, HALF, *step, err));
        ZM_TRY(zm_origin_try(s, err));
        sort(s);
        if (falls(s, &best, *step))
            break;
    }
    return ZM_OK;
}

static int by_distance(const void *a, const void *b)
{
    const zm_origin_place *x = a, *y = b;

    return (x->distance > y->distance) - (x->distance < y->distance);
}

/* Mean, radius and times over the places of the last lattice, each weighing its probability. */
static void tell(zm_origin_search *s, int32_t step, float *likely,
                 zm_origin_estimate *out)
{
    const zm_origin_place best = s->places[0];
    const size_t cells = (size_t)s->land->rows * (size_t)s->land->cols;
    double sum = 0, row = 0, col = 0, hour = 0, squares = 0, held = 0;
    size_t n = 0;

    for (size_t k = 0; k < s->n; k++)
        if ((s->places[k].row - best.row) % step == 0 &&
            (s->places[k].col - best.col) % step == 0)
            s->places[n++] = s->places[k];
    for (size_t k = 0; k < n; k++) {
        zm_origin_place *p = &s->places[k];

        p->weight = exp(p->log_likelihood - best.log_likelihood);
        sum += p->weight;
        row += p->weight * p->row;
        col += p->weight * p->col;
        hour += p->weight * p->hour;
    }
    for (size_t i = 0; likely && i < cells; i++)
        likely[i] = 0;
    for (size_t k = 0; k < n; k++) {
        zm_origin_place *p = &s->places[k];

        p->distance = hypot(p->row - row / sum, p->col - col / sum);
        squares += p->weight *
                   ((p->hour - hour / sum) * (p->hour - hour / sum) + p->hour_variance);
        if (likely)
            likely[(size_t)p->row * (size_t)s->land->cols + (size_t)p->col] =
                (float)(p->weight / sum);
    }
    qsort(s->places, n, sizeof *s->places, by_distance);
    out->radius_90 = 1;
    for (size_t k = 0; k < n && held < 0.9 * sum; k++) {
        held += s->places[k].weight;
        out->radius_90 = fmax(s->places[k].distance + 0.5 * step, 1);
    }
    out->row = best.row;
    out->col = best.col;
    out->mean_row = row / sum;
    out->mean_col = col / sum;
    out->hour = hour / sum;
    out->hour_deviation = sqrt(squares / sum);
    out->rate_factor = 1 / best.stretch;
    out->error = best.error;
    out->unreached = best.unreached;
}

static zm_status check(const zm_origin_search *s, zm_error *err)
{
    const zm_origin_opts *o = &s->opts;

    if (!s->land->layers[ZM_LAYER_FUEL])
        return zm_fail(err, ZM_E_ARG, -1, "landscape has no layer fuel");
    if (s->n_sightings < 3)
        return zm_fail(err, ZM_E_ARG, -1, "%zu sightings, at least 3 are needed",
                       s->n_sightings);
    if (o->threads < 1 || o->candidates < 9 || !(o->since >= 0) ||
        !(o->rate_spread >= 1e-6 && o->rate_spread < HUGE_VAL) ||
        !(o->together >= 1 && o->together < HUGE_VAL))
        return zm_fail(err, ZM_E_ARG, -1,
                       "threads must be at least 1, candidates 9, since 0, rate_spread "
                       "1e-6, together 1");
    for (size_t i = 0; i < s->n_sightings; i++) {
        const zm_sighting *at = &s->sightings[i];

        if (at->row < 0 || at->col < 0 || at->row >= s->land->rows ||
            at->col >= s->land->cols || !(at->hour > o->since && at->hour < HUGE_VAL))
            return zm_fail(err, ZM_E_ARG, -1,
                           "sighting %zu at row %d, column %d, hour %g: must be on the "
                           "landscape and after hour %g",
                           i, (int)at->row, (int)at->col, at->hour, o->since);
    }
    return ZM_OK;
}

zm_status zm_origin_find(const zm_landscape *landscape, const zm_fire *fire,
                         const zm_sighting *sightings, size_t n, const uint8_t *allowed,
                         const zm_physics_opts *physics, const zm_origin_opts *opts,
                         float *likely, zm_origin_estimate *out, zm_error *err)
{
    zm_origin_search s = { .land = landscape,
                           .fire = fire,
                           .sightings = sightings,
                           .n_sightings = n,
                           .allowed = allowed,
                           .physics = physics,
                           .opts = ZM_ORIGIN_OPTS_INIT,
                           .lock = { ATOMIC_FLAG_INIT } };
    zm_origin_estimate e = ZM_ORIGIN_ESTIMATE_INIT;
    int32_t step;
    zm_status st;

    ZM_TRY(zm_options_check_report(out, "zm_origin_estimate", err));
    ZM_TRY(zm_options_read(&s.opts, sizeof s.opts, opts, "zm_origin_opts", err));
    ZM_TRY(check(&s, err));
    s.start = s.opts.since;
    s.tried = calloc((size_t)landscape->rows * (size_t)landscape->cols, 1);
    if (!s.tried)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "places of the origin"));
    step = coarse_step(&s);
    ZM_GO(propose_coarse(&s, step, err));
    if (s.n == 0)
        ZM_GO(zm_fail(err, ZM_E_SOURCE, -1,
                      "there is no place where a fire could begin"));
    ZM_GO(choose_start(&s, err));
    ZM_GO(refine(&s, step, err));
    ZM_GO(spread(&s, &step, err));
    e.solves = (int32_t)s.n;
    e.sightings = (int64_t)n;
    tell(&s, step > WIDEST ? WIDEST : step, likely, &e);
    zm_options_write_report(out, &e, sizeof e);
done:
    free(s.places);
    free(s.tried);
    return st;
}
