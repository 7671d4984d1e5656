/* SPDX-License-Identifier: Apache-2.0
 * Forward mode through bands. */
#include <math.h>
#include <string.h>

#include "eikonal/timed/derive.h"
#include "core/fail.h"
#include "eikonal/local/triangle.h"
#include "eikonal/engine.h"

enum { MOST_SWEEPS = 1000 };
static const double SETTLED = 1e-15;

/* Copies a window of changes from planes of the whole grid. */
static void window_copy(const zm_bands_slot *s, size_t band, zm_dtype dtype,
                        const zm_direction *d, zm_band_window w, zm_band_values *v)
{
    const bool shared = s->problem->bands && !s->problem->bands[band].metric.g22;
    size_t i = 0;

    for (int32_t row = w.row; row < w.row + w.rows; row++)
        for (int32_t col = w.col; col < w.col + w.cols; col++, i++) {
            const size_t cell = (size_t)row * (size_t)s->grid.cols + (size_t)col;

            v->g11[i] = zm_plane_value_or(d->g11, dtype, cell, 0.0);
            v->g12[i] = zm_plane_value_or(d->g12, dtype, cell, 0.0);
            v->g22[i] =
                shared ? v->g11[i] : zm_plane_value_or(d->g22, dtype, cell, 0.0);
            v->b1[i] = zm_plane_value_or(d->b1, dtype, cell, 0.0);
            v->b2[i] = zm_plane_value_or(d->b2, dtype, cell, 0.0);
        }
}

/* Looks up the changes of a block. */
static zm_band_block *changes_fill(zm_bands_slot *s, size_t band, size_t block,
                                   zm_dtype dtype, const zm_bands_direction *d)
{
    const zm_band_window w = zm_bands_block_window(s, block);
    zm_band_values v = zm_bands_values(s);
    zm_band_block *b = zm_band_store_add(s, &s->changes, band, block);

    if (!b)
        return NULL;
    v.stopped = NULL;
    if (d->bands) {
        window_copy(s, band, dtype, &d->bands[band], w, &v);
    } else {
        const zm_status st = d->fill(d->fill_ctx, band, w, &v, &s->error);

        if (st < 0) {
            s->status = st;
            return NULL;
        }
    }
    for (int32_t i = 0; i < w.rows * w.cols; i++) {
        const zm_cell_metric m = { v.g11[i], v.g12[i], v.g22[i], v.b1[i], v.b2[i] };

        b->metric[i / w.cols * ZM_BANDS_SIDE + i % w.cols] =
            zm_local_fold(m, s->grid);
    }
    return b;
}

static double product(const zm_cell_metric *a, const zm_cell_metric *b)
{
    return a->g11 * b->g11 + a->g12 * b->g12 + a->g22 * b->g22 + a->b1 * b->b1 +
           a->b2 * b->b2;
}

/* Change of one cell's time by those of the metrics of its way. */
static double cell_change(zm_bands_slot *s, uint32_t cell, zm_dtype dtype,
                          const zm_bands_direction *d)
{
    const double w = s->weights[cell].w;
    zm_trip_point p;
    double rate[2], sum = 0;
    size_t legs;

    if (!zm_trip_again(s, cell))
        return 0;
    legs = zm_trip_shares(s, w, rate);
    p = zm_trip_point_of(&s->trip, w);
    for (size_t leg = 0; leg < legs; leg++) {
        const zm_cell_metric *const *metric = zm_trip_leg(s, leg);
        const size_t band = s->trip.first + leg;

        for (size_t i = 0; metric && s->shares[leg] != 0 && i < s->trip.n_cells; i++) {
            const double *share = s->trip.cells[i].share;
            const zm_cell_metric by = zm_point_change(
                metric[i], p, s->shares[leg] * (share[1] + w * (share[0] - share[1])));
            const zm_band_place at = zm_bands_place(s, s->trip.cells[i].cell);
            const zm_band_block *b = zm_band_store_at(&s->changes, band, at.block);

            if (!b && !(b = changes_fill(s, band, at.block, dtype, d)))
                return 0;
            sum += product(&by, &b->metric[at.at]);
        }
    }
    return sum;
}

/* Own changes, without those that come from donors, into `pending`. */
static zm_status own_changes(zm_bands_slot *s, zm_dtype dtype,
                             const zm_bands_direction *d, zm_error *err)
{
    const bool metrics = d->bands || d->fill;
    zm_status st = zm_band_store_begin(s, &s->changes, err);

    if (st != ZM_OK)
        return st;
    for (size_t i = 0; i < s->n_order && s->status == ZM_OK; i++) {
        const uint32_t cell = s->order[i];
        const zm_band_step *step = &s->steps[cell];

        zm_bands_metrics_trim(s, zm_band_at(s, s->T[cell]), zm_band_at(s, s->T[cell]));
        s->pending[cell] = 0;
        if (step->kind == ZM_NODE_SOURCE)
            s->pending[cell] = d->source_times ? d->source_times[step->source] : 0;
        else if (metrics)
            s->pending[cell] = cell_change(s, cell, dtype, d);
    }
    return zm_bands_status(s, err);
}

/* Every cell adds its donors' changes to its own; the largest difference to before, and the
 * largest change. */
static double sweep(zm_bands_slot *s, double *largest)
{
    double moved = 0;

    *largest = 0;
    for (size_t i = 0; i < s->n_order; i++) {
        const uint32_t cell = s->order[i];
        double value = s->pending[cell];

        for (int k = 0; s->steps[cell].kind == ZM_NODE_DONORS && k < 2; k++) {
            const zm_local_offset m = s->steps[cell].m[k];
            uint32_t at;

            zm_bands_neighbour(s, cell, m.x, m.y, &at);
            if (s->weights[cell].rate[k] != 0)
                value += s->weights[cell].rate[k] * s->lambda[at];
        }
        moved = fmax(moved, fabs(value - s->lambda[cell]));
        *largest = fmax(*largest, fabs(value));
        s->lambda[cell] = value;
    }
    return moved;
}

zm_status zm_bands_pull(zm_bands_slot *s, zm_dtype dtype,
                        const zm_bands_direction *direction, zm_error *err)
{
    zm_status st;
    double largest, moved;

    if ((st = own_changes(s, dtype, direction, err)) != ZM_OK)
        return st;
    memset(s->lambda, 0, s->cells * sizeof *s->lambda);
    moved = sweep(s, &largest);
    for (int i = 0; s->has_back && i < MOST_SWEEPS && moved > SETTLED * largest; i++)
        moved = sweep(s, &largest);
    if (s->has_back && moved > SETTLED * largest)
        return zm_fail(err, ZM_NOT_CONVERGED, -1,
                       "cells that are donors of each other did not settle");
    return ZM_OK;
}
