/* SPDX-License-Identifier: Apache-2.0
 * Corrections of the physics by a network.
 *
 * With outputs o of the head in a cell, f its fuel model, w and s the mean wind and the upslope
 * vector, and c(x) = M tanh(x/M),
 *
 *     log_rate   = c(o_0) + c(phi_f),
 *     rotation   = c(o_1) sin(angle from w to s),   towards the slope: a mirror changes its sign
 *     elongation = c(o_2).
 *
 * Cells without fuel have none. */
#include "fire/learn/residual.h"

#include <math.h>

#include "core/fail.h"
#include "core/memory.h"

/* Most that an output or a factor can do: 7 times the rate. */
static const double MOST = 2;

void zm_residual_destroy(zm_residual *r)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (!r)
        return;
    zm_physics_destroy(r->physics);
    for (int k = 0; k < ZM_CORRECTIONS; k++) {
        zm_release(&mem, r->planes[k]);
        zm_release(&mem, r->d_planes[k]);
    }
    zm_release(&mem, r->T);
    zm_release(&mem, r->cells);
    zm_release(&mem, r);
}

static bool allocate(zm_residual *r)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    for (int k = 0; k < ZM_CORRECTIONS; k++)
        if (!(r->planes[k] = zm_zalloc(&mem, r->n, sizeof(double))) ||
            !(r->d_planes[k] = zm_block(&mem, r->n, sizeof(double))))
            return false;
    r->T = zm_block(&mem, r->n, sizeof(double));
    r->cells = zm_block(&mem, zm_area_cells(r->field->window), sizeof(int32_t));
    return r->T && r->cells;
}

static void find_cells(zm_residual *r)
{
    const zm_terrain *g = r->field->region->ground;
    const int32_t n = (int32_t)zm_area_cells(r->field->window);

    for (int32_t i = 0; i < n; i++)
        if (g->burnable[zm_field_ground(r->field, i)] > 0)
            r->cells[r->n_cells++] = i;
}

/* sin of the angle from wind to upslope, clockwise on the map: x runs east, y south. */
static double crosswise(const zm_field *f, size_t at)
{
    const zm_terrain *g = f->region->ground;
    const double *w = f->hours[0].wind;
    const double sx = (double)g->upslope[0][at], sy = (double)g->upslope[1][at];
    const double both = sqrt((w[0] * w[0] + w[1] * w[1]) * (sx * sx + sy * sy));

    return both > 0 ? (w[0] * sy - w[1] * sx) / both : 0;
}

/* Place of the factor of a cell's fuel model among the parameters. */
static size_t factor_at(const zm_residual *r, size_t at)
{
    const float number = r->landscape->layers[ZM_LAYER_FUEL][at];

    return zm_model_extra_at(r->field->model) + (size_t)lrintf(number);
}

static double bounded(double x)
{
    return MOST * tanh(x / MOST);
}

static double bounded_slope(double x)
{
    const double t = tanh(x / MOST);

    return 1 - t * t;
}

static zm_status forward_rows(zm_residual *r, const int32_t *cells, size_t n,
                              zm_error *err)
{
    zm_field *f = r->field;
    const size_t width = (size_t)f->model->head.widths[0];

    for (size_t i = 0; i < n; i++)
        zm_field_row(f, cells[i], 0, f->rows_in + i * width);
    return zm_mlp_forward(f->head, n, f->rows_in, f->rows_out, err);
}

static zm_status find_corrections(zm_residual *r, zm_error *err)
{
    zm_field *f = r->field;

    for (size_t first = 0; first < r->n_cells; first += ZM_FIELD_ROWS) {
        const size_t left = r->n_cells - first,
                     n = left < ZM_FIELD_ROWS ? left : ZM_FIELD_ROWS;
        const zm_status st = forward_rows(r, r->cells + first, n, err);

        if (st < 0)
            return st;
        for (size_t i = 0; i < n; i++) {
            const size_t at = zm_field_ground(f, r->cells[first + i]);
            const double *o = f->rows_out + i * ZM_CORRECTIONS;

            r->planes[0][at] = bounded(o[0]) + bounded(f->parameters[factor_at(r, at)]);
            r->planes[1][at] = bounded(o[1]) * crosswise(f, at);
            r->planes[2][at] = bounded(o[2]);
        }
    }
    return ZM_OK;
}

zm_status zm_residual_create(zm_residual **out, zm_field *field,
                             const zm_landscape *landscape, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    zm_residual *r = zm_zalloc(&mem, 1, sizeof *r);
    zm_physics_opts opts = ZM_PHYSICS_OPTS_INIT;
    zm_status st;

    *out = NULL;
    opts.front = field->model->front;
    if (r) {
        r->field = field;
        r->landscape = landscape;
        r->n = (size_t)landscape->rows * (size_t)landscape->cols;
    }
    if (!r || !allocate(r)) {
        zm_residual_destroy(r);
        return zm_fail(err, ZM_E_NOMEM, -1, "corrections of a fire");
    }
    find_cells(r);
    if ((st = zm_physics_create(&r->physics, landscape, &opts, err)) < 0 ||
        (st = find_corrections(r, err)) < 0) {
        zm_residual_destroy(r);
        return st;
    }
    *out = r;
    return ZM_OK;
}

zm_status zm_residual_solve(zm_residual *r, const zm_fire *fire,
                            const zm_source *sources, size_t n_sources, double t_max,
                            zm_error *err)
{
    /* as the physics: moisture and sun go on when the weather has ended */
    const double horizon = isfinite(t_max) ? fmin(fmax(t_max, 1), ZM_MOST_FIRE_HOURS)
                                           : (double)fire->hours;
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    zm_status st;

    params.log_rate = r->planes[0];
    params.rotation = r->planes[1];
    params.elongation = r->planes[2];
    st = zm_physics_set_fire(r->physics, fire, &params, horizon, err);
    return st < 0
               ? st
               : zm_physics_arrival(r->physics, sources, n_sources, t_max, r->T, err);
}

double zm_residual_square(const zm_residual *r)
{
    double sum = 0;

    for (size_t i = 0; i < r->n_cells; i++) {
        const size_t at = zm_field_ground(r->field, r->cells[i]);

        for (int k = 0; k < ZM_CORRECTIONS; k++)
            sum += r->planes[k][at] * r->planes[k][at];
    }
    return r->n_cells ? sum / (double)r->n_cells : 0;
}

static zm_status backward_rows(zm_residual *r, const int32_t *cells, size_t n,
                               double shrink, double *d_parameters, zm_error *err)
{
    zm_field *f = r->field;
    const double k = 2 * shrink / (double)r->n_cells;

    ZM_TRY(forward_rows(r, cells, n, err));
    for (size_t i = 0; i < n; i++) {
        const size_t at = zm_field_ground(f, cells[i]);
        const double *o = f->rows_out + i * ZM_CORRECTIONS;
        double *d_o = f->rows_d_out + i * ZM_CORRECTIONS, d[ZM_CORRECTIONS];

        for (int c = 0; c < ZM_CORRECTIONS; c++) {
            d[c] = r->d_planes[c][at] + k * r->planes[c][at];
            d_o[c] = d[c] * bounded_slope(o[c]);
        }
        d_o[1] *= crosswise(f, at);
        d_parameters[factor_at(r, at)] +=
            d[0] * bounded_slope(f->parameters[factor_at(r, at)]);
    }
    return zm_field_rows_backward(f, cells, n, d_parameters, err);
}

/* Whether all derivatives are numbers. */
static bool all_finite(const zm_residual *r)
{
    double sum = 0;

    for (int k = 0; k < ZM_CORRECTIONS; k++)
        for (size_t i = 0; i < r->n; i++)
            sum += fabs(r->d_planes[k][i]);
    return isfinite(sum) != 0;
}

zm_status zm_residual_backward(zm_residual *r, const double *dL_dT, double shrink,
                               double *d_parameters, bool *failed, zm_error *err)
{
    zm_physics_change change = { .size = sizeof change,
                                 .log_rate = r->d_planes[0],
                                 .rotation = r->d_planes[1],
                                 .elongation = r->d_planes[2] };
    zm_status st;

    for (int k = 0; k < ZM_CORRECTIONS; k++)
        for (size_t i = 0; i < r->n; i++)
            r->d_planes[k][i] = 0;
    if ((st = zm_physics_adjoint(r->physics, dL_dT, &change, err)) < 0 ||
        (*failed = !all_finite(r)))
        return st;
    for (size_t first = 0; first < r->n_cells && st >= 0; first += ZM_FIELD_ROWS) {
        const size_t left = r->n_cells - first;

        st = backward_rows(r, r->cells + first,
                           left < ZM_FIELD_ROWS ? left : ZM_FIELD_ROWS, shrink,
                           d_parameters, err);
    }
    return st;
}
