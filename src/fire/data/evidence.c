/* SPDX-License-Identifier: Apache-2.0
 * What datasets tell of when cells burned. */
#include "zermelo/fire/evidence.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "zermelo/fire/score.h"

struct zm_evidence {
    zm_fire_evidence *fires;
    size_t n;
    float *bounds; /* two planes a fire: earliest, latest */
    zm_source *sources;
};

void zm_evidence_destroy(zm_evidence *e)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (!e)
        return;
    zm_release(&mem, e->fires);
    zm_release(&mem, e->bounds);
    zm_release(&mem, e->sources);
    zm_release(&mem, e);
}

const zm_fire_evidence *zm_evidence_fires(const zm_evidence *evidence, size_t *n)
{
    *n = evidence->n;
    return evidence->fires;
}

/* Room for n fires on so many cells. */
static zm_status create(zm_evidence **out, size_t n, size_t cells, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    zm_evidence *e = zm_zalloc(&mem, 1, sizeof *e);

    *out = NULL;
    if (!e || !(e->fires = zm_zalloc(&mem, n + 1, sizeof *e->fires)) ||
        !(e->bounds = zm_block(&mem, 2 * n * cells + 1, sizeof *e->bounds))) {
        zm_evidence_destroy(e);
        return zm_fail(err, ZM_E_NOMEM, -1, "evidence of %zu fires", n);
    }
    e->n = n;
    *out = e;
    return ZM_OK;
}

static size_t cells_of(const zm_landscape *land)
{
    return (size_t)land->rows * (size_t)land->cols;
}

/* Latest true time, where the duration is not told. */
static double duration_of(const zm_fire *fire, const float *T, size_t n)
{
    return isfinite(fire->duration) && fire->duration > 0 ? fire->duration
                                                          : zm_score_latest(T, n);
}

/* Fire k, with the times that stand in its plane of earliest ones. */
static void know_times(zm_evidence *e, size_t k, const zm_fire *fire, size_t cells)
{
    float *earliest = e->bounds + 2 * k * cells, *latest = earliest + cells;
    const double duration = duration_of(fire, earliest, cells);

    zm_observe_times(earliest, cells, duration, earliest, latest);
    e->fires[k] = (zm_fire_evidence){
        .fire = fire, .earliest = earliest, .latest = latest, .duration = duration
    };
}

static zm_status check_times(const zm_fire_times *times, size_t n, zm_error *err)
{
    for (size_t k = 0; k < n; k++)
        if (!times[k].fire || !times[k].T || (times[k].sources && !times[k].n_sources))
            return zm_fail(err, ZM_E_ARG, -1,
                           "fire %zu needs its fire and times, and sources or none", k);
    return ZM_OK;
}

/* All sources in one piece. */
static zm_status copy_sources(zm_evidence *e, const zm_fire_times *times, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    size_t n = 0;

    for (size_t k = 0; k < e->n; k++)
        n += times[k].sources ? times[k].n_sources : 0;
    e->sources = zm_block(&mem, n + 1, sizeof *e->sources);
    if (!e->sources)
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu sources", n);
    n = 0;
    for (size_t k = 0; k < e->n; k++) {
        if (!times[k].sources)
            continue;
        memcpy(e->sources + n, times[k].sources,
               times[k].n_sources * sizeof *e->sources);
        e->fires[k].sources = e->sources + n;
        e->fires[k].n_sources = times[k].n_sources;
        n += times[k].n_sources;
    }
    return ZM_OK;
}

zm_status zm_times_evidence(const zm_fire_times *times, size_t n, size_t cells,
                            zm_evidence **out, zm_error *err)
{
    zm_evidence *e;
    zm_status st;

    if (!out || !times || n < 1 || cells < 1)
        return zm_fail(err, ZM_E_ARG, -1,
                       "zm_times_evidence needs times of at least one fire");
    *out = NULL;
    ZM_TRY(check_times(times, n, err));
    ZM_TRY(create(&e, n, cells, err));
    for (size_t k = 0; k < n; k++) {
        memcpy(e->bounds + 2 * k * cells, times[k].T, cells * sizeof *times[k].T);
        know_times(e, k, times[k].fire, cells);
    }
    st = copy_sources(e, times, err);
    if (st < 0)
        zm_evidence_destroy(e);
    else
        *out = e;
    return st;
}

zm_status zm_scene_evidence(const zm_scene *scene, const size_t *fires, size_t n,
                            zm_evidence **out, zm_error *err)
{
    const size_t cells = cells_of(zm_scene_landscape(scene));
    zm_evidence *e;
    zm_status st;

    ZM_TRY(create(out, n, cells, err));
    e = *out;
    for (size_t k = 0; k < n; k++) {
        st = zm_scene_arrival(scene, fires[k], e->bounds + 2 * k * cells, err);
        if (st < 0) {
            zm_evidence_destroy(e);
            *out = NULL;
            return st;
        }
        know_times(e, k, zm_scene_fire(scene, fires[k]), cells);
    }
    return ZM_OK;
}

/* Perimeters up to the first one whose hour is not known. */
static size_t dated_perimeters(const zm_observed *observed)
{
    const double *hours = zm_observed_hours(observed);
    size_t all, n = 0;

    zm_observed_perimeters(observed, &all);
    while (n < all && isfinite(hours[n]))
        n++;
    return n;
}

size_t zm_observed_intervals(const zm_observed *observed)
{
    const size_t n = dated_perimeters(observed);

    return n && zm_observed_has_start(observed) ? n - 1 : n;
}

/* The first n perimeters. */
static zm_status take_perimeters(const zm_observed *observed, size_t n, zm_evidence *e,
                                 zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const double *hours = zm_observed_hours(observed);
    const size_t cells = cells_of(zm_observed_landscape(observed));
    float *earliest = e->bounds, *latest = earliest + cells;
    size_t n_sources = 0;

    e->sources = zm_block(&mem, cells, sizeof *e->sources);
    if (!e->sources)
        return zm_fail(err, ZM_E_NOMEM, -1, "sources of %zu cells", cells);
    ZM_TRY(zm_observed_sources(observed, e->sources, &n_sources, err));
    ZM_TRY(zm_observe_masks(zm_observed_masks(observed), hours, n, cells, earliest,
                            latest, err));
    e->fires[0] = (zm_fire_evidence){ .fire = zm_observed_fire(observed),
                                      .sources = n_sources ? e->sources : NULL,
                                      .n_sources = n_sources,
                                      .earliest = earliest,
                                      .latest = latest,
                                      .duration = hours[n - 1] };
    return ZM_OK;
}

zm_status zm_observed_evidence(const zm_observed *observed, size_t intervals,
                               zm_evidence **out, zm_error *err)
{
    const size_t most = zm_observed_intervals(observed);
    const size_t has_start = zm_observed_has_start(observed) != 0;
    zm_status st;

    *out = NULL;
    if (intervals < 1 || intervals > most)
        return zm_fail(err, ZM_E_ARG, -1,
                       "%zu intervals of an observed fire that has %zu", intervals,
                       most);
    st = create(out, 1, cells_of(zm_observed_landscape(observed)), err);
    if (st >= 0)
        st = take_perimeters(observed, intervals + has_start, *out, err);
    if (st < 0) {
        zm_evidence_destroy(*out);
        *out = NULL;
    }
    return st;
}
