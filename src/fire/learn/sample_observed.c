/* SPDX-License-Identifier: Apache-2.0
 * Observed fires to train with: when a cell burned is known between two dates. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "fire/learn/sample.h"

typedef struct record {
    const zm_perimeter *perimeters;
    const double *hours;
    size_t n;
} record;

/* Times later than 0 that are known must rise. */
static bool is_usable(const record *r)
{
    if (r->n < 2)
        return false;
    for (size_t k = 0; k < r->n; k++)
        if (!isfinite(r->hours[k]) || (k && !(r->hours[k] > r->hours[k - 1])))
            return false;
    return true;
}

/* First observation in which each cell is burned, as its hour; INFINITY: none. */
static void first_seen(const record *r, size_t n, float *seen)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < r->n && !r->perimeters[k].mask[i])
            k++;
        seen[i] = k < r->n ? (float)r->hours[k] : INFINITY;
    }
}

/* Hour of the observation before. */
static double seen_before(const record *r, double hour)
{
    size_t k = 0;

    while (k + 1 < r->n && r->hours[k + 1] < hour - 1e-6)
        k++;
    return r->hours[k];
}

static zm_status fill(zm_sample *s, const record *r, const float *seen, zm_error *err)
{
    const zm_terrain *g = s->place->ground;
    const size_t cols = (size_t)s->window.cols;
    size_t burned = 0;

    s->duration = r->hours[r->n - 1];
    for (size_t i = 0; i < zm_area_cells(s->window); i++) {
        const size_t at = ((size_t)s->window.row + i / cols) * (size_t)g->cols +
                          (size_t)s->window.col + i % cols;
        const double hour = (double)seen[at];

        s->truth[i] = seen[at];
        s->low[i] = isfinite(hour) ? seen_before(r, hour) : s->duration;
        s->high[i] = isfinite(hour) ? hour : HUGE_VAL;
        s->weight[i] = hour <= 0 ? 0 : 1;
        burned += isfinite(hour) && hour > 0;
        if (hour <= 0)
            s->sources[s->n_sources++] =
                (zm_source){ (double)(i / cols), (double)(i % cols), 0 };
    }
    if (!burned || !s->n_sources)
        return zm_fail(err, ZM_E_ARG, -1,
                       "fire %s: nothing burns after its first perimeter",
                       s->fire->name);
    for (size_t i = 0; i < zm_area_cells(s->window); i++)
        s->weight[i] /= (double)burned;
    s->area = (double)burned * g->cell * g->cell;
    return ZM_OK;
}

zm_status zm_sample_observed(zm_sample **out, const zm_place *place,
                             const zm_observed *observed, int mean, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const zm_terrain *g = place->ground;
    const size_t n = (size_t)g->rows * (size_t)g->cols;
    const zm_fire *fire = zm_observed_fire(observed);
    record r = { .hours = zm_observed_hours(observed) };
    float *seen = zm_block(&mem, n, sizeof(float));
    zm_sample *s = NULL;
    zm_status st = ZM_OK;

    *out = NULL;
    r.perimeters = zm_observed_perimeters(observed, &r.n);
    if (!seen)
        return zm_fail(err, ZM_E_NOMEM, -1, "fire %s", fire->name);
    if (!zm_observed_has_start(observed) || !is_usable(&r)) {
        st =
            zm_fail(err, ZM_E_ARG, -1,
                    "fire %s: %zu perimeters; two or more with known, rising times are "
                    "needed",
                    fire->name, r.n);
        goto done;
    }
    first_seen(&r, n, seen);
    if (!(s = zm_sample_allocate(zm_sample_window(g, fire, seen), n))) {
        st = zm_fail(err, ZM_E_NOMEM, -1, "fire %s", fire->name);
        goto done;
    }
    s->place = place;
    s->fire = fire;
    ZM_GO(fill(s, &r, seen, err));
    ZM_GO(zm_learn_hours_create(&s->hours, &s->n_hours, g, fire, mean, err));
    *out = s;
done:
    if (st < 0)
        zm_sample_destroy(s);
    zm_release(&mem, seen);
    return st;
}
