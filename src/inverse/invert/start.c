/* SPDX-License-Identifier: Apache-2.0
 * Where a run starts: the best uniform slowness from one solve, or what the caller gave.
 *
 * T of a uniform metric s^2 I is proportional to s (sources at one time, no drift), so a
 * solve at any s gives the best one: the slope of observed over computed times. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "inverse/invert/inversion.h"

/* Exact times are fitted to this part of what the front takes for a cell. */
#define EXACT 0.01

void zm_inversion_rescale(zm_inversion *v, double slowness)
{
    const double tolerance = EXACT * slowness * fmin(v->grid.dx, v->grid.dy);
    const double g = slowness * slowness;

    v->run.slowness = slowness;
    v->model.parameters.eig_min = v->o.eig_min > 0.0 ? v->o.eig_min : 1e-3 * g;
    v->model.parameters.eig_max = v->o.eig_max > 0.0 ? v->o.eig_max : 1e3 * g;
    zm_parameters_rescale(&v->model.parameters, slowness);
    for (size_t e = 0; e < v->n_experiments; e++) {
        zm_observed *o = &v->observed[e];

        for (size_t i = 0; o->exact && i < o->n; i++)
            o->sigma[i] = tolerance;
    }
}

/* Distance of an observation from the nearest source, and the time of that source. */
static double distance(const zm_inversion *v, const zm_observed *o, size_t i,
                       double *time)
{
    const double col = (double)(o->cell[i] % o->cols) + (o->right ? o->right[i] : 0.0);
    const double row = (double)(o->cell[i] / o->cols) + (o->down ? o->down[i] : 0.0);
    double nearest = HUGE_VAL;

    for (size_t k = 0; k < o->n_sources; k++) {
        const double x = (col - o->sources[k].col) * v->grid.dx;
        const double y = (row - o->sources[k].row) * v->grid.dy;

        if (hypot(x, y) < nearest) {
            nearest = hypot(x, y);
            *time = o->sources[k].time;
        }
    }
    return nearest;
}

static double time_of(const zm_observed *o, size_t i)
{
    return isfinite(o->upper[i]) ? 0.5 * (o->time[i] + o->upper[i]) : o->time[i];
}

/* Slope of observed times over straight distances, or over given times. */
static double fit_slope(const zm_inversion *v, double *const *T)
{
    double above = 0.0, below = 0.0;

    for (size_t e = 0; e < v->n_experiments; e++) {
        const zm_observed *o = &v->observed[e];

        for (size_t i = 0; i < o->n; i++) {
            const double weight = T ? 1.0 / (o->sigma[i] * o->sigma[i]) : 1.0;
            double begin = 0.0, x = distance(v, o, i, &begin);

            if (T)
                x = zm_misfit_at(o, i, T[e]) - begin;
            above += weight * x * (time_of(o, i) - begin);
            below += weight * x * x;
        }
    }
    return above / below;
}

/* With the drift to start from, if there is one. */
static zm_status place_uniform(zm_inversion *v, double slowness, zm_error *err)
{
    zm_invert_model *m = &v->model;
    double *g = m->d_planes[0]; /* free until there are derivatives */
    const zm_metric metric = {
        .dtype = ZM_F64, .g11 = g, .b1 = v->start[3], .b2 = v->start[4]
    };

    if (isnan(slowness))
        return zm_fail(err, ZM_E_ARG, -1,
                       "all observations are at the sources: they tell nothing");
    if (!(slowness > 0.0 && isfinite(slowness)))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "the observed times give a slowness of %g, must be > 0: are they "
            "later than the sources' times?",
            slowness);
    for (size_t i = 0; i < v->n; i++)
        g[i] = slowness * slowness;
    zm_inversion_rescale(v, slowness);
    zm_parameters_from_metric(&m->parameters, &metric, m->at->theta);
    return zm_invert_model_solve(m, m->at, err);
}

/* Root of the mean of sqrt(det G): of slownesses, in a way, the mean. */
static double mean_slowness(const zm_inversion *v, double *const planes[ZM_PLANES])
{
    double sum = 0.0;
    size_t count = 0;

    if (!planes[0])
        return 1.0;
    for (size_t i = 0; i < v->n; i++) {
        const double g11 = planes[0][i], g22 = planes[2] ? planes[2][i] : g11;
        const double g12 = planes[1] ? planes[1][i] : 0.0;

        if (v->walls && v->walls[i])
            continue;
        sum += sqrt(sqrt(g11 * g22 - g12 * g12));
        count++;
    }
    return count ? sum / (double)count : 1.0;
}

static zm_status place_given(zm_inversion *v, zm_error *err)
{
    zm_invert_model *m = &v->model;
    double *const *planes = m->parameters.metric_fields ? v->start : v->known;
    const zm_metric metric = { ZM_F64,      v->start[0], v->start[1],
                               v->start[2], v->start[3], v->start[4] };

    zm_inversion_rescale(v, mean_slowness(v, planes));
    zm_parameters_from_metric(&m->parameters, &metric, m->at->theta);
    return zm_invert_model_solve(m, m->at, err);
}

zm_status zm_inversion_place_start(zm_inversion *v, zm_error *err)
{
    double slowness;

    if ((v->has_start && v->start[0]) || !v->model.parameters.metric_fields)
        return place_given(v, err);
    slowness = fit_slope(v, NULL);
    ZM_TRY(place_uniform(v, slowness, err));
    return place_uniform(v, slowness * fit_slope(v, v->model.at->T), err);
}
