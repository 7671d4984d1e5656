/* SPDX-License-Identifier: Apache-2.0
 * Reverse mode through bands: the adjoint, then derivatives by the metrics. */
#include <math.h>
#include <string.h>

#include "eikonal/timed/derive.h"
#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/engine.h"

/* Sweeps, and what may be left after the last one, of the whole. */
enum { MOST_SWEEPS = 1000 };
static const double SETTLED = 1e-15;

/* lambda of every cell goes on to its donors, last cells first; `pending` is what has come but
 * has not been passed on.  Sum of what was passed on. */
static double sweep(zm_bands_slot *s)
{
    double sum = 0;

    for (size_t i = s->n_order; i-- > 0;) {
        const uint32_t cell = s->order[i];
        const double l = s->pending[cell];

        s->pending[cell] = 0;
        s->lambda[cell] += l;
        sum += fabs(l);
        if (l == 0 || s->steps[cell].kind != ZM_NODE_DONORS)
            continue;
        for (int k = 0; k < 2; k++) {
            const zm_local_offset m = s->steps[cell].m[k];
            const double rate = s->weights[cell].rate[k];
            uint32_t at;

            if (rate == 0)
                continue;
            zm_bands_neighbour(s, cell, m.x, m.y, &at);
            s->pending[at] += rate * l;
        }
    }
    return sum;
}

/* lambda = (I - W')^-1 lambda.  False: cells that are donors of each other do not settle. */
static bool transport(zm_bands_slot *s)
{
    double first, rest;

    memcpy(s->pending, s->lambda, s->cells * sizeof *s->pending);
    memset(s->lambda, 0, s->cells * sizeof *s->lambda);
    first = rest = sweep(s);
    for (int i = 0; s->has_back && i < MOST_SWEEPS && rest > SETTLED * first; i++)
        rest = sweep(s);
    return !s->has_back || rest <= SETTLED * first;
}

/* For each band the first place in the order that it, or a later one, counts at. */
static bool first_use_find(zm_bands_slot *s)
{
    const size_t n = s->problem->n_bands;

    if (n > s->room_first_use) {
        s->bytes -= s->room_first_use * sizeof *s->first_use;
        zm_release(&s->mem, s->first_use);
        s->room_first_use = 0;
        if (!zm_take(&s->mem, &s->bytes, &s->first_use, n, sizeof *s->first_use))
            return false;
        s->room_first_use = n;
    }
    for (size_t k = 0; k < n; k++)
        s->first_use[k] = SIZE_MAX;
    for (size_t i = s->n_order; i-- > 0;) {
        const uint32_t cell = s->order[i];
        double last = s->T[cell];

        if (s->steps[cell].kind != ZM_NODE_DONORS)
            continue;
        for (int k = 0; k < 2; k++) {
            uint32_t at;

            zm_bands_neighbour(s, cell, s->steps[cell].m[k].x, s->steps[cell].m[k].y,
                               &at);
            last = fmax(last, s->T[at]);
        }
        s->first_use[zm_band_at(s, last)] = i;
    }
    return true;
}

/* Adds to what is kept for a cell in a band. */
static void change_add(zm_bands_slot *s, size_t band, uint32_t cell,
                       const zm_cell_metric *by)
{
    const zm_band_place p = zm_bands_place(s, cell);
    zm_band_block *b = zm_band_store_at(&s->changes, band, p.block);
    zm_cell_metric *to;

    if (!b) {
        if (!(b = zm_band_store_add(s, &s->changes, band, p.block)))
            return;
        memset(b->metric, 0, sizeof b->metric);
    }
    to = &b->metric[p.at];
    to->g11 += by->g11;
    to->g12 += by->g12;
    to->g22 += by->g22;
    to->b1 += by->b1;
    to->b2 += by->b2;
}

/* Derivatives of one cell's time by the metrics of its way, times its lambda. */
static void cell_push(zm_bands_slot *s, uint32_t cell)
{
    const double w = s->weights[cell].w, lambda = s->lambda[cell];
    zm_trip_point p;
    double rate[2];
    size_t legs;

    if (lambda == 0 || !zm_trip_again(s, cell))
        return;
    legs = zm_trip_shares(s, w, rate);
    p = zm_trip_point_of(&s->trip, w);
    for (size_t leg = 0; leg < legs; leg++) {
        const zm_cell_metric *const *metric = zm_trip_leg(s, leg);

        for (size_t i = 0; metric && s->shares[leg] != 0 && i < s->trip.n_cells; i++) {
            const double *share = s->trip.cells[i].share;
            const double scale =
                lambda * s->shares[leg] * (share[1] + w * (share[0] - share[1]));
            const zm_cell_metric by = zm_point_change(metric[i], p, scale);

            if (scale != 0)
                change_add(s, s->trip.first + leg, s->trip.cells[i].cell, &by);
        }
    }
}

/* A block of derivatives in the caller's units. */
static zm_band_values block_values(zm_bands_slot *s, size_t band, zm_band_window w,
                                   const zm_band_block *b)
{
    const bool shared = s->problem->bands && !s->problem->bands[band].metric.g22;
    const double dx = s->grid.dx, dy = s->grid.dy;
    zm_band_values v = zm_bands_values(s);
    size_t i = 0;

    for (int32_t row = 0; row < w.rows; row++)
        for (int32_t col = 0; col < w.cols; col++, i++) {
            const zm_cell_metric *by = &b->metric[row * ZM_BANDS_SIDE + col];

            v.g11[i] = by->g11 * dx * dx + (shared ? by->g22 * dy * dy : 0);
            v.g12[i] = by->g12 * dx * dy;
            v.g22[i] = shared ? 0 : by->g22 * dy * dy;
            v.b1[i] = by->b1 * dx;
            v.b2[i] = by->b2 * dy;
        }
    v.stopped = NULL;
    return v;
}

static void plane_store(const zm_bands_slot *s, void *plane, zm_dtype dtype,
                        zm_band_window w, const double *values)
{
    for (int32_t row = 0; plane && row < w.rows; row++)
        for (int32_t col = 0; col < w.cols; col++) {
            const size_t cell =
                (size_t)(w.row + row) * (size_t)s->grid.cols + (size_t)(w.col + col);
            const double value = values[row * w.cols + col];

            if (dtype == ZM_F32)
                ((float *)plane)[cell] = (float)value;
            else
                ((double *)plane)[cell] = value;
        }
}

/* Hands the derivatives of one band out. */
static zm_status band_out(zm_bands_slot *s, size_t band, zm_dtype dtype,
                          const zm_bands_gradient *out, zm_error *err)
{
    const size_t blocks = (size_t)s->blocks_x * (size_t)s->blocks_y;

    for (size_t i = 0; i < blocks; i++) {
        const zm_band_block *b = zm_band_store_at(&s->changes, band, i);
        const zm_band_window w = zm_bands_block_window(s, i);
        zm_band_values v;
        zm_status st;

        if (!b)
            continue;
        v = block_values(s, band, w, b);
        if (out->bands) {
            const zm_gradient *to = &out->bands[band];

            plane_store(s, to->g11, dtype, w, v.g11);
            plane_store(s, to->g12, dtype, w, v.g12);
            plane_store(s, to->g22, dtype, w, v.g22);
            plane_store(s, to->b1, dtype, w, v.b1);
            plane_store(s, to->b2, dtype, w, v.b2);
        }
        if (out->take && (st = out->take(out->take_ctx, band, w, &v, err)) < 0)
            return st;
    }
    zm_band_store_drop(s, &s->changes, band);
    return ZM_OK;
}

static void planes_clear(const zm_bands_slot *s, zm_dtype dtype, const zm_gradient *g)
{
    void *const planes[5] = { g->g11, g->g12, g->g22, g->b1, g->b2 };

    for (int i = 0; i < 5; i++)
        if (planes[i])
            memset(planes[i], 0, s->cells * zm_dtype_size(dtype));
}

/* Derivatives by the metrics, from the last cell to the first; a band is handed out when no
 * earlier cell has anything to do with it or a later one. */
static zm_status metrics_push(zm_bands_slot *s, zm_dtype dtype,
                              const zm_bands_gradient *out, zm_error *err)
{
    size_t band = s->problem->n_bands;
    zm_status st;

    if ((st = zm_band_store_begin(s, &s->changes, err)) != ZM_OK)
        return st;
    if (!first_use_find(s))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %zu bands", band);
    for (size_t i = s->n_order; i-- > 0 && s->status == ZM_OK;) {
        const uint32_t cell = s->order[i];

        zm_bands_metrics_trim(s, zm_band_at(s, s->T[cell]), zm_band_at(s, s->T[cell]));
        if (s->steps[cell].kind == ZM_NODE_DONORS)
            cell_push(s, cell);
        while (band > 0 && s->status == ZM_OK && s->first_use[band - 1] >= i)
            if ((st = band_out(s, --band, dtype, out, err)) < 0)
                return st;
    }
    return zm_bands_status(s, err);
}

zm_status zm_bands_push(zm_bands_slot *s, const zm_bands_problem *problem,
                        zm_dtype dtype, const zm_bands_gradient *out, zm_error *err)
{
    const bool settled = transport(s);
    zm_status st = ZM_OK;

    for (size_t k = 0; out->bands && k < problem->n_bands; k++)
        planes_clear(s, dtype, &out->bands[k]);
    if (out->bands || out->take)
        st = metrics_push(s, dtype, out, err);
    if (st < 0)
        return st;
    for (size_t i = 0; out->source_times && i < problem->n_sources; i++) {
        const size_t cell = zm_source_cell(s->grid, &problem->sources[i]);
        const zm_band_step *step = &s->steps[cell];
        const bool counts = step->kind == ZM_NODE_SOURCE && step->source == i;

        out->source_times[i] = counts ? s->lambda[cell] : 0;
    }
    return settled ? ZM_OK
                   : zm_fail(err, ZM_NOT_CONVERGED, -1,
                             "cells that are donors of each other did not settle");
}
