/* SPDX-License-Identifier: Apache-2.0
 * How values become colours: range, clipping, table. */
#include "plot/color_scale.h"

#include <math.h>

#include "core/fail.h"
#include "core/memory.h"
#include "plot/histogram.h"
#include "plot/ticks.h"

/* Enough values to find a quantile to a tenth of a per cent. */
enum { MOST_SAMPLES = 100000 };

static bool is_shown(const color_scale *s, double value)
{
    return isfinite(value) && (s->spec.scale != ZM_SCALE_LOG || value > 0);
}

/* A diverging map compares magnitudes, since its range is centred on zero. */
static double ranked(const color_scale *s, double value)
{
    return s->spec.map == ZM_MAP_DIVERGING ? fabs(value) : value;
}

static void whole_range(color_scale *s, const double *values, size_t n)
{
    double lo = INFINITY, hi = -INFINITY;

    for (size_t i = 0; i < n; i++)
        if (is_shown(s, values[i])) {
            lo = fmin(lo, ranked(s, values[i]));
            hi = fmax(hi, ranked(s, values[i]));
        }
    s->lo = lo <= hi ? lo : 0;
    s->hi = lo <= hi ? hi : 1;
}

/* The range without the share `clip` of the values at each end. */
static zm_status clipped_range(arena *memory, color_scale *s, const double *values,
                               size_t n, zm_error *err)
{
    const size_t stride = n / MOST_SAMPLES + 1;
    double *sample = zm_zalloc(&memory->mem, n / stride + 1, sizeof *sample);
    size_t count = 0;

    if (!sample)
        return zm_fail(err, ZM_E_NOMEM, -1, "colour range of %zu values", n);
    for (size_t i = 0; i < n; i += stride)
        sample[count++] = ranked(s, values[i]);
    count = zm_plot_samples_sort(s->spec.scale, sample, count);
    if (count > 0) {
        s->lo = zm_plot_samples_quantile(sample, count, s->spec.clip);
        s->hi = zm_plot_samples_quantile(sample, count, 1 - s->spec.clip);
    }
    zm_release(&memory->mem, sample);
    return ZM_OK;
}

static zm_status automatic_range(arena *memory, color_scale *s, const double *values,
                                 size_t n, zm_error *err)
{
    whole_range(s, values, n);
    if (s->spec.clip > 0)
        ZM_TRY(clipped_range(memory, s, values, n, err));
    if (s->spec.map == ZM_MAP_DIVERGING && s->spec.scale == ZM_SCALE_LINEAR) {
        s->hi = s->hi > 0 ? s->hi : 1;
        s->lo = -s->hi;
    }
    return ZM_OK;
}

static void note_values_beyond(color_scale *s, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i])) {
            s->below |= values[i] < s->lo;
            s->above |= values[i] > s->hi;
        }
}

zm_status zm_plot_color_scale_make(arena *memory, const zm_plot_colors *spec,
                                   const double *values, size_t n, color_scale *out,
                                   zm_error *err)
{
    *out = (color_scale){ .spec = *spec, .lo = spec->min, .hi = spec->max };
    zm_plot_colormap_build(spec->map, spec->reversed != 0, &out->table);
    if (spec->n_classes > 0) {
        out->spec.scale = ZM_SCALE_LINEAR;
        out->lo = 0;
        out->hi = spec->n_classes;
        return ZM_OK;
    }
    if (!(spec->min < spec->max))
        ZM_TRY(automatic_range(memory, out, values, n, err));
    zm_plot_ticks_make_range(spec->scale, &out->lo, &out->hi);
    note_values_beyond(out, values, n);
    return ZM_OK;
}

double zm_plot_color_scale_place(const color_scale *s, double value)
{
    double place;

    if (s->spec.n_classes > 0)
        place = (floor(value) + 0.5) / s->spec.n_classes;
    else if (s->spec.scale == ZM_SCALE_LOG)
        place = value > 0 ? (log(value) - log(s->lo)) / (log(s->hi) - log(s->lo)) : 0;
    else
        place = (value - s->lo) / (s->hi - s->lo);
    return place < 0 ? 0 : place > 1 ? 1 : place;
}

const double *zm_plot_color_scale_at(const color_scale *s, double value)
{
    return isfinite(value)
               ? zm_plot_colormap_at(&s->table, zm_plot_color_scale_place(s, value))
               : NULL;
}
