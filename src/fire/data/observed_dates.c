/* SPDX-License-Identifier: Apache-2.0
 * What the perimeters of an observed fire say of times. */
#include <math.h>

#include "core/fail.h"
#include "zermelo/fire/dataset.h"

zm_status zm_observed_sources(const zm_observed *observed, zm_source *sources,
                              size_t *n, zm_error *err)
{
    const zm_landscape *land = zm_observed_landscape(observed);
    const zm_fire *fire = zm_observed_fire(observed);
    const size_t cols = (size_t)land->cols, cells = (size_t)land->rows * cols;
    size_t n_perimeters;
    const zm_perimeter *p = zm_observed_perimeters(observed, &n_perimeters);

    *n = 0;
    if (!zm_observed_has_start(observed))
        return fire->row >= 0 ? ZM_OK
                              : zm_fail(err, ZM_E_SOURCE, -1,
                                        "%s: neither a first perimeter nor an ignition",
                                        fire->name);
    for (size_t i = 0; i < cells; i++)
        if (p[0].mask[i])
            sources[(*n)++] = (zm_source){ (double)(i / cols), (double)(i % cols), 0 };
    return *n ? ZM_OK
              : zm_fail(err, ZM_E_SOURCE, -1, "%s: no cell in its first perimeter",
                        fire->name);
}

double zm_observed_hour(const zm_observed *observed, size_t k)
{
    const double hour = zm_observed_hours(observed)[k];

    return isnan(hour) ? (double)k : hour;
}

void zm_observed_times(const zm_observed *observed, float *T)
{
    const zm_landscape *land = zm_observed_landscape(observed);
    size_t n;
    const zm_perimeter *p = zm_observed_perimeters(observed, &n);

    for (size_t i = 0; i < (size_t)land->rows * (size_t)land->cols; i++) {
        size_t k = 0;

        while (k < n && !p[k].mask[i])
            k++;
        T[i] = k == n ? INFINITY : (float)zm_observed_hour(observed, k);
    }
}

double zm_observed_end(const zm_observed *observed)
{
    const double *hours = zm_observed_hours(observed);
    double end = 0;
    size_t n;

    zm_observed_perimeters(observed, &n);
    for (size_t k = 0; k < n; k++)
        if (hours[k] > end)
            end = hours[k];
    return end > 0 ? end : (double)zm_observed_fire(observed)->hours;
}

double zm_observed_horizon(const zm_observed *observed, double t_max)
{
    return fmax(t_max, (double)zm_observed_fire(observed)->hours);
}

size_t zm_observed_until(const zm_observed *observed, double t_max)
{
    const double *hours = zm_observed_hours(observed);
    size_t n, used = 0;

    zm_observed_perimeters(observed, &n);
    while (used < n && !(hours[used] > t_max))
        used++;
    return used;
}
