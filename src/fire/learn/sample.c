/* SPDX-License-Identifier: Apache-2.0
 * Fires to train with. */
#include "fire/learn/sample.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "fire/science/ignition.h"

/* Land around what burned: room for a prediction that goes too far to be seen as such. */
enum { LEAST_MARGIN = 6, MARGIN_SHARE = 8 };

void zm_sample_destroy(zm_sample *sample)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (!sample)
        return;
    zm_release(&mem, sample->truth);
    zm_release(&mem, sample->low);
    zm_release(&mem, sample->high);
    zm_release(&mem, sample->weight);
    zm_release(&mem, sample->sources);
    zm_learn_hours_destroy(sample->hours);
    zm_release(&mem, sample);
}

size_t zm_sample_ignition_block(zm_area window, int32_t row, int32_t col, double time,
                                zm_source *sources)
{
    int32_t block[9];
    const int n = zm_ignition_block(window.rows, window.cols, row - window.row,
                                    col - window.col, block);

    for (int i = 0; i < n; i++)
        sources[i] =
            (zm_source){ block[i] / window.cols, block[i] % window.cols, time };
    return (size_t)n;
}

/* Those of the fire in coordinates of the window. */
static size_t sources_inside(zm_area window, const zm_fire *fire, zm_source *sources)
{
    size_t n = 0;

    for (size_t i = 0; i < fire->n_sources; i++) {
        const zm_source s = { fire->sources[i].row - window.row,
                              fire->sources[i].col - window.col,
                              fire->sources[i].time };

        if (s.row >= 0 && s.col >= 0 && s.row < window.rows && s.col < window.cols)
            sources[n++] = s;
    }
    return n;
}

zm_area zm_sample_window(const zm_terrain *g, const zm_fire *fire, const float *truth)
{
    const bool lit = fire->row >= 0 && fire->col >= 0;
    int32_t first_row = lit ? fire->row : g->rows, last_row = lit ? fire->row : -1;
    int32_t first_col = lit ? fire->col : g->cols, last_col = lit ? fire->col : -1;
    int32_t margin;

    for (int32_t row = 0; row < g->rows; row++)
        for (int32_t col = 0; col < g->cols; col++)
            if (isfinite(truth[(size_t)row * (size_t)g->cols + (size_t)col])) {
                first_row = row < first_row ? row : first_row;
                last_row = row > last_row ? row : last_row;
                first_col = col < first_col ? col : first_col;
                last_col = col > last_col ? col : last_col;
            }
    const zm_area box = { first_row, first_col, last_row - first_row + 1,
                          last_col - first_col + 1 };

    margin = LEAST_MARGIN + (box.rows > box.cols ? box.rows : box.cols) / MARGIN_SHARE;
    return zm_region_area_grown(box, margin, g);
}

zm_sample *zm_sample_allocate(zm_area window, size_t n_sources)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t n = zm_area_cells(window);
    zm_sample *s = zm_zalloc(&mem, 1, sizeof *s);

    if (!s || !(s->truth = zm_block(&mem, n, sizeof(float))) ||
        !(s->low = zm_block(&mem, n, sizeof(double))) ||
        !(s->high = zm_block(&mem, n, sizeof(double))) ||
        !(s->weight = zm_zalloc(&mem, n, sizeof(double))) ||
        !(s->sources = zm_zalloc(&mem, n_sources, sizeof(zm_source)))) {
        zm_sample_destroy(s);
        return NULL;
    }
    s->window = window;
    return s;
}

static void crop(const float *from, int32_t cols, zm_area window, float *to)
{
    for (int32_t row = 0; row < window.rows; row++)
        memcpy(to + (size_t)row * (size_t)window.cols,
               from + (size_t)(window.row + row) * (size_t)cols + (size_t)window.col,
               (size_t)window.cols * sizeof *to);
}

static bool has_fuel(const zm_sample *s, size_t i)
{
    const size_t cols = (size_t)s->window.cols;
    const size_t row = (size_t)s->window.row + i / cols,
                 col = (size_t)s->window.col + i % cols;

    return s->place->ground->burnable[row * (size_t)s->place->ground->cols + col] > 0;
}

zm_status zm_sample_set_intervals(zm_sample *s, double censored, zm_error *err)
{
    const size_t n = zm_area_cells(s->window);
    size_t burned = 0;

    for (size_t i = 0; i < n; i++)
        burned += isfinite(s->truth[i]) != 0;
    if (burned < ZM_SAMPLE_LEAST)
        return zm_fail(err, ZM_E_ARG, -1,
                       "fire %s: %zu cells burned, must be at least %d", s->fire->name,
                       burned, ZM_SAMPLE_LEAST);
    for (size_t i = 0; i < n; i++) {
        const bool known = isfinite(s->truth[i]) != 0;
        const bool rim = known && !has_fuel(s, i);

        s->low[i] = known ? (double)s->truth[i] : s->duration;
        s->high[i] = known ? (double)s->truth[i] : HUGE_VAL;
        s->weight[i] = rim ? 0 : (known ? 1 : censored) / (double)burned;
    }
    for (size_t i = 0; i < s->n_sources; i++)
        s->weight[(size_t)s->sources[i].row * (size_t)s->window.cols +
                  (size_t)s->sources[i].col] = 0;
    s->area = (double)burned * s->place->ground->cell * s->place->ground->cell;
    return ZM_OK;
}

double zm_sample_latest(const zm_sample *s)
{
    double t = 0;

    for (size_t i = 0; i < zm_area_cells(s->window); i++)
        if (isfinite(s->truth[i]) && (double)s->truth[i] > t)
            t = (double)s->truth[i];
    return t;
}

zm_status zm_sample_create(zm_sample **out, const zm_place *place, const zm_fire *fire,
                           const float *truth, double censored, int mean, zm_error *err)
{
    zm_sample *s =
        zm_sample_allocate(zm_sample_window(place->ground, fire, truth),
                           fire->n_sources > 9 ? fire->n_sources : 9);
    zm_status st;

    *out = NULL;
    if (!s)
        return zm_fail(err, ZM_E_NOMEM, -1, "fire %s", fire->name);
    s->place = place;
    s->fire = fire;
    crop(truth, place->ground->cols, s->window, s->truth);
    s->duration = isfinite(fire->duration) && fire->duration > 0
                      ? fire->duration
                      : fmax(zm_sample_latest(s), 1e-3);
    s->n_sources = fire->n_sources
                       ? sources_inside(s->window, fire, s->sources)
                       : zm_sample_ignition_block(s->window, fire->row, fire->col, 0,
                                                  s->sources);
    s->lit = true;
    if ((st = zm_sample_set_intervals(s, censored, err)) < 0 ||
        (st = zm_learn_hours_create(&s->hours, &s->n_hours, place->ground, fire, mean,
                                    err)) < 0) {
        zm_sample_destroy(s);
        return st;
    }
    *out = s;
    return ZM_OK;
}

/* The hours from the one in which `from` lies on. */
static zm_status later_hours(zm_sample *s, const zm_sample *whole, double from,
                             zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t last = whole->n_hours - 1;
    const size_t first = from < (double)last ? (size_t)from : last;

    s->n_hours = whole->n_hours - first;
    if (!(s->hours = zm_block(&mem, s->n_hours, sizeof *s->hours)))
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu hours of weather", s->n_hours);
    memcpy(s->hours, whole->hours + first, s->n_hours * sizeof *s->hours);
    s->start = (double)first;
    return ZM_OK;
}

zm_status zm_sample_band(zm_sample **out, const zm_sample *whole, double from,
                         double to, zm_error *err)
{
    const size_t n = zm_area_cells(whole->window);
    zm_sample *s = zm_sample_allocate(whole->window, n);
    size_t inside = 0;
    zm_status st;

    *out = NULL;
    if (!s)
        return zm_fail(err, ZM_E_NOMEM, -1, "band of fire %s", whole->fire->name);
    s->place = whole->place;
    s->fire = whole->fire;
    s->duration = to;
    s->area = whole->area;
    s->lit = whole->lit && from <= 0;
    for (size_t i = 0; i < n; i++) {
        const double t = (double)whole->truth[i];
        const bool in_band = t > from && t <= to;

        s->truth[i] = t <= to ? whole->truth[i] : INFINITY;
        s->low[i] = in_band ? t : to;
        s->high[i] = in_band ? t : HUGE_VAL;
        s->weight[i] = in_band && has_fuel(s, i) ? 1 : 0;
        inside += s->weight[i] > 0;
        if (t <= from)
            s->sources[s->n_sources++] =
                (zm_source){ (double)(i / (size_t)whole->window.cols),
                             (double)(i % (size_t)whole->window.cols), from };
    }
    for (size_t i = 0; inside && i < n; i++)
        s->weight[i] /= (double)inside;
    st = inside && s->n_sources
             ? later_hours(s, whole, from, err)
             : zm_fail(err, ZM_E_ARG, -1, "fire %s: nothing burns from %g to %g h",
                       whole->fire->name, from, to);
    if (st < 0) {
        zm_sample_destroy(s);
        return st;
    }
    *out = s;
    return ZM_OK;
}
