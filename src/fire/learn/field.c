/* SPDX-License-Identifier: Apache-2.0
 * From a model to the metric of a fire's window and back: rows of the head, and the two forms
 * of what its outputs mean.
 *
 * Multiplicative, with outputs o, wind w (at midflame height) and upslope vector s of the cell:
 *
 *     1/p = exp(-o_0 + barrier (1 - burnable)) / p_0,   q = e^{o_1} w + e^{o_2} s,
 *     G = I/p^2,   b = (1/p) drift q / sqrt(1 + |q|^2)
 *
 * where p_0, w and s are what the physics says (prior.h), or the mean rate, wind and slope
 * (the ellipse lit at its rear focus, DESIGN: eccentricity drift |q|/sqrt(1+|q|^2), heading q).
 * Paper's form, with g the trunk's outputs in the cell and g0 those of the head for the hour:
 *
 *     (G, b) = project( (g0 + alpha g) in units of 1/rate^2 and 1/rate ),
 *
 * whose derivatives let a clamped cell come back (inward.h). */
#include "fire/learn/field.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "fire/learn/inward.h"
#include "fire/learn/prior.h"
#include "zermelo/project.h"

/* Wind of 10 km/h and a slope of tan 0.5 count as 1 in the drift. */
static const double WIND_UNIT = 10, SLOPE_UNIT = 0.5;
/* Outputs act within these bounds; beyond, derivatives vanish. */
static const double MOST_LOG_RATE = 8, MOST_LOG_WEIGHT = 5;

zm_status zm_field_head_create(zm_mlp **out, const zm_model *model, zm_net_make make,
                               zm_error *err)
{
    return zm_mlp_create(out, &model->head, ZM_FIELD_ROWS, make, err);
}

void zm_field_destroy(zm_field *field)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (!field)
        return;
    zm_release(&mem, field->rows_in);
    zm_release(&mem, field->rows_out);
    zm_release(&mem, field->rows_d_in);
    zm_release(&mem, field->rows_d_out);
    for (size_t i = 0; i < sizeof field->planes / sizeof *field->planes; i++)
        zm_release(&mem, field->planes[i]);
    zm_release(&mem, field);
}

static bool allocate(zm_field *f)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const size_t ins = ZM_FIELD_ROWS * (size_t)f->model->head.widths[0];
    const size_t outs =
        ZM_FIELD_ROWS * (size_t)f->model->head.widths[f->model->head.layers];

    f->rows_in = zm_block(&mem, ins, sizeof(double));
    f->rows_out = zm_block(&mem, outs, sizeof(double));
    f->rows_d_in = zm_block(&mem, ins, sizeof(double));
    f->rows_d_out = zm_block(&mem, outs, sizeof(double));
    for (size_t i = 0; f->model->form == ZM_MODEL_PAPER && i < 10; i++)
        if (!(f->planes[i] = zm_block(&mem, zm_area_cells(f->window), sizeof(double))))
            return false;
    return f->rows_in && f->rows_out && f->rows_d_in && f->rows_d_out;
}

zm_status zm_field_create(zm_field **out, zm_region *region, zm_area window,
                          const zm_hour *hours, const double *parameters, zm_mlp *head,
                          zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    zm_field *f = zm_zalloc(&mem, 1, sizeof *f);

    *out = NULL;
    if (f)
        *f = (zm_field){ .model = region->model,
                         .parameters = parameters,
                         .region = region,
                         .window = window,
                         .hours = hours,
                         .head = head,
                         .base_hour = -1 };
    if (!f || !allocate(f)) {
        zm_field_destroy(f);
        return zm_fail(err, ZM_E_NOMEM, -1, "metric of a fire");
    }
    *out = f;
    return ZM_OK;
}

/* One cell of the multiplicative form: what the formulas above need. */
typedef struct cell_state {
    double wind[2], slope[2]; /* e^{o_1} w, e^{o_2} s */
    double q[2], length;      /* sqrt(1 + |q|^2) */
    double slowness, unburnable;
    bool free[ZM_OUT_MULTIPLICATIVE]; /* output is within its bounds */
} cell_state;

static double bounded(double x, double most, bool *is_free)
{
    *is_free = fabs(x) < most;
    return *is_free ? x : x > 0 ? most : -most;
}

/* What the outputs are relative to: the physics, or the mean rate and wind and slope in their
 * units. */
static zm_prior base_of(const zm_field *f, size_t at, const zm_hour *hour)
{
    const zm_terrain *g = f->region->ground;
    zm_prior p = { f->model->rate, { 0, 0 }, { 0, 0 } };

    if (f->model->prior)
        return zm_field_prior_of(g, at, hour, f->model->drift, f->model->rate);
    for (int d = 0; d < 2; d++) {
        p.wind[d] = hour->wind[d] * (double)g->shelter[at] / WIND_UNIT;
        p.slope[d] = (double)g->upslope[d][at] / SLOPE_UNIT;
    }
    return p;
}

static cell_state cell_of(const zm_field *f, int32_t cell, size_t hour, const double *o)
{
    const zm_terrain *g = f->region->ground;
    const size_t at = zm_field_ground(f, cell);
    const double barrier =
        f->parameters[zm_model_extra_at(f->model) + ZM_EXTRA_BARRIER];
    cell_state s;
    const double log_rate = bounded(o[ZM_OUT_LOG_RATE], MOST_LOG_RATE, &s.free[0]);
    const double a = exp(bounded(o[ZM_OUT_WIND], MOST_LOG_WEIGHT, &s.free[1]));
    const double c = exp(bounded(o[ZM_OUT_SLOPE], MOST_LOG_WEIGHT, &s.free[2]));

    const zm_prior base = base_of(f, at, &f->hours[hour]);

    for (int d = 0; d < 2; d++) {
        s.wind[d] = a * base.wind[d];
        s.slope[d] = c * base.slope[d];
        s.q[d] = s.wind[d] + s.slope[d];
    }
    s.length = sqrt(1 + s.q[0] * s.q[0] + s.q[1] * s.q[1]);
    s.unburnable = 1 - (double)g->burnable[at];
    s.slowness = exp(-log_rate + barrier * s.unburnable) / base.rate;
    return s;
}

/* dL/d(outputs) of a cell from dL/dG (the one scalar) and dL/db; returns dL/d(barrier). */
static double cell_backward(const zm_model *m, const cell_state *s, double d_g,
                            const double d_b[2], double *d_o)
{
    const double k = m->drift / s->length;
    const double along = s->q[0] * d_b[0] + s->q[1] * d_b[1];
    const double d_log = s->slowness * (2 * s->slowness * d_g + k * along);
    double d_q[2];

    for (int d = 0; d < 2; d++)
        d_q[d] = s->slowness * k * (d_b[d] - s->q[d] * along / (s->length * s->length));
    d_o[ZM_OUT_LOG_RATE] = s->free[0] ? -d_log : 0;
    d_o[ZM_OUT_WIND] = s->free[1] ? s->wind[0] * d_q[0] + s->wind[1] * d_q[1] : 0;
    d_o[ZM_OUT_SLOPE] = s->free[2] ? s->slope[0] * d_q[0] + s->slope[1] * d_q[1] : 0;
    return d_log * s->unburnable;
}

static zm_status fill_rows(zm_field *f, size_t hour, const int32_t *cells, size_t n,
                           const zm_burn_planes *planes, zm_error *err)
{
    const size_t width = (size_t)f->model->head.widths[0];

    for (size_t i = 0; i < n; i++)
        zm_field_row(f, cells[i], hour, f->rows_in + i * width);
    ZM_TRY(zm_mlp_forward(f->head, n, f->rows_in, f->rows_out, err));
    for (size_t i = 0; i < n; i++) {
        const cell_state s =
            cell_of(f, cells[i], hour, f->rows_out + i * ZM_OUT_MULTIPLICATIVE);
        const double k = s.slowness * f->model->drift / s.length;

        planes->g11[cells[i]] = s.slowness * s.slowness;
        planes->b1[cells[i]] = k * s.q[0];
        planes->b2[cells[i]] = k * s.q[1];
    }
    return ZM_OK;
}

static zm_project_opts projection(const zm_model *m)
{
    zm_project_opts o = ZM_PROJECT_OPTS_INIT;

    o.eig_min = 1 / (m->rate * m->rate * m->contrast * m->contrast);
    o.eig_max = m->contrast * m->contrast / (m->rate * m->rate);
    o.rho = m->drift;
    return o;
}

/* Units of the paper's five outputs. */
static double unit_of(const zm_model *m, int output)
{
    return output < 3 ? 1 / (m->rate * m->rate) : 1 / m->rate;
}

/* G0 and b0 of the hour, once. */
static zm_status find_base(zm_field *f, size_t hour, zm_error *err)
{
    for (int32_t c = 0; c < f->model->n_hour; c++)
        f->rows_in[c] = (double)f->hours[hour].channels[f->model->hour[c]];
    ZM_TRY(zm_mlp_forward(f->head, 1, f->rows_in, f->rows_out, err));
    for (int o = 0; o < ZM_OUT_PAPER; o++)
        f->base[o] = f->rows_out[o] + (o == 0 || o == 2 ? 1 : 0); /* starts as I */
    f->base_hour = (int32_t)hour;
    return ZM_OK;
}

static void unprojected(const zm_field *f, const int32_t *cells, size_t n,
                        double *const planes[ZM_OUT_PAPER])
{
    const size_t n_region = zm_area_cells(f->region->patch);

    for (int o = 0; o < ZM_OUT_PAPER; o++)
        for (size_t i = 0; i < n; i++)
            planes[o][i] =
                unit_of(f->model, o) *
                (f->base[o] +
                 f->model->alpha * f->region->features[(size_t)o * n_region +
                                                       zm_field_region(f, cells[i])]);
}

static zm_status fill_paper(zm_field *f, size_t hour, const int32_t *cells, size_t n,
                            const zm_burn_planes *planes, zm_error *err)
{
    double *const *raw = f->planes;
    const zm_metric in = { ZM_F64, raw[0], raw[1], raw[2], raw[3], raw[4] };
    const zm_metric_out out = { raw[5], raw[6], raw[7], raw[8], raw[9] };
    double *to[ZM_OUT_PAPER] = { planes->g11, planes->g12, planes->g22, planes->b1,
                                 planes->b2 };
    const zm_project_opts opts = projection(f->model);

    ZM_TRY(find_base(f, hour, err));
    unprojected(f, cells, n, raw);
    ZM_TRY(zm_project(&in, n, &out, &opts, err));
    for (int o = 0; o < ZM_OUT_PAPER; o++)
        for (size_t i = 0; i < n; i++)
            to[o][cells[i]] = raw[5 + o][i];
    return ZM_OK;
}

zm_status zm_field_fill(void *field, size_t hour, const int32_t *cells, size_t n,
                        const zm_burn_planes *planes, zm_error *err)
{
    zm_field *f = field;

    if (f->model->form == ZM_MODEL_PAPER)
        return fill_paper(f, hour, cells, n, planes, err);
    for (size_t i = 0; i < n; i += ZM_FIELD_ROWS) {
        const size_t m = n - i < ZM_FIELD_ROWS ? n - i : ZM_FIELD_ROWS;
        const zm_status st = fill_rows(f, hour, cells + i, m, planes, err);

        if (st < 0)
            return st;
    }
    return ZM_OK;
}

/* Rows of cells that have derivatives, each in its own hour. */
static zm_status backward_rows(zm_field *f, const zm_burn *front, const int32_t *cells,
                               size_t n, double *d_parameters, zm_error *err)
{
    const zm_model *m = f->model;
    const size_t width = (size_t)m->head.widths[0];
    double d_barrier = 0;

    for (size_t i = 0; i < n; i++)
        zm_field_row(f, cells[i], (size_t)front->hour[cells[i]],
                     f->rows_in + i * width);
    ZM_TRY(zm_mlp_forward(f->head, n, f->rows_in, f->rows_out, err));
    for (size_t i = 0; i < n; i++) {
        const size_t at = i * ZM_OUT_MULTIPLICATIVE, cell = (size_t)cells[i];
        const cell_state s =
            cell_of(f, cells[i], (size_t)front->hour[cell], f->rows_out + at);
        const double d_b[2] = { front->d_metric.b1[cell], front->d_metric.b2[cell] };

        d_barrier +=
            cell_backward(m, &s, front->d_metric.g11[cell], d_b, f->rows_d_out + at);
    }
    d_parameters[zm_model_extra_at(m) + ZM_EXTRA_BARRIER] += d_barrier;
    return zm_field_rows_backward(f, cells, n, d_parameters, err);
}

static bool has_derivative(const zm_burn *front, size_t cell)
{
    const zm_burn_planes *d = &front->d_metric;

    return front->hour[cell] >= 0 &&
           (d->g11[cell] != 0 || d->b1[cell] != 0 || d->b2[cell] != 0 ||
            (d->g22 && (d->g12[cell] != 0 || d->g22[cell] != 0)));
}

/* raw: before projection, then dL/d(unprojected); d: dL/d(projected) of all cells. */
static void add_inward(double *const raw[10], const double *const d[ZM_OUT_PAPER],
                       const int32_t *cells, size_t n, const zm_project_opts *bounds)
{
    for (size_t i = 0; i < n; i++) {
        double before[ZM_OUT_PAPER], d_after[ZM_OUT_PAPER], d_before[ZM_OUT_PAPER];

        for (int o = 0; o < ZM_OUT_PAPER; o++) {
            before[o] = raw[o][i];
            d_after[o] = d[o][cells[i]];
            d_before[o] = raw[5 + o][i];
        }
        zm_field_inward_derivative(before, d_after, bounds, d_before);
        for (int o = 0; o < ZM_OUT_PAPER; o++)
            raw[5 + o][i] = d_before[o];
    }
}

static zm_status backward_paper(zm_field *f, const zm_burn *front, const int32_t *cells,
                                size_t n, double *d_parameters, zm_error *err)
{
    const zm_model *m = f->model;
    const size_t n_region = zm_area_cells(f->region->patch);
    const double *from[ZM_OUT_PAPER] = { front->d_metric.g11, front->d_metric.g12,
                                         front->d_metric.g22, front->d_metric.b1,
                                         front->d_metric.b2 };
    double *const *raw = f->planes;
    const zm_metric in = { ZM_F64, raw[0], raw[1], raw[2], raw[3], raw[4] };
    const zm_metric d_out = { ZM_F64, raw[5], raw[6], raw[7], raw[8], raw[9] };
    const zm_metric_out d_in = { raw[5], raw[6], raw[7], raw[8], raw[9] };
    const zm_project_opts opts = projection(m);

    unprojected(f, cells, n, raw);
    for (int o = 0; o < ZM_OUT_PAPER; o++)
        for (size_t i = 0; i < n; i++)
            raw[5 + o][i] = from[o][cells[i]];
    ZM_TRY(zm_project_vjp(&in, &d_out, n, &d_in, &opts, err));
    add_inward(raw, from, cells, n, &opts);
    for (int o = 0; o < ZM_OUT_PAPER; o++) {
        f->rows_d_out[o] = 0;
        for (size_t i = 0; i < n; i++) {
            const double d = unit_of(m, o) * raw[5 + o][i];
            const size_t at = (size_t)o * n_region + zm_field_region(f, cells[i]);

            f->rows_d_out[o] += d;
            f->region->d_features[at] += m->alpha * d;
        }
    }
    ZM_TRY(find_base(f, (size_t)f->base_hour, err));
    return zm_mlp_backward(f->head, 1, f->rows_d_out,
                           d_parameters + zm_model_head_at(m), NULL, err);
}

zm_status zm_field_backward(zm_field *field, const zm_burn *front, double *d_parameters,
                            zm_error *err)
{
    int32_t *all = front->cells;
    size_t n = 0;
    zm_status st = ZM_OK;

    for (size_t i = 0; i < front->n; i++)
        if (has_derivative(front, i))
            all[n++] = (int32_t)i;
    if (field->model->form == ZM_MODEL_PAPER)
        return n ? backward_paper(field, front, all, n, d_parameters, err) : ZM_OK;
    for (size_t i = 0; st >= 0 && i < n; i += ZM_FIELD_ROWS) {
        const size_t m = n - i < ZM_FIELD_ROWS ? n - i : ZM_FIELD_ROWS;

        st = backward_rows(field, front, all + i, m, d_parameters, err);
    }
    return st;
}
