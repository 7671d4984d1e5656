/* SPDX-License-Identifier: Apache-2.0
 * Forward mode through intervals. */
#include <math.h>
#include <string.h>

#include "core/options.h"
#include "eikonal/local/triangle.h"
#include "eikonal/timed/derivative.h"

/* Copies a window of changes from planes of the whole grid. */
static void window_copy(const zm_timed *s, size_t interval, const zm_direction *d,
                        zm_window w, zm_window_values *v)
{
    const zm_dtype dtype = s->dtype;
    const bool shared = zm_intervals_is_scalar(s->problem, interval);
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
static zm_timed_block *changes_fill(zm_timed *s, size_t interval, size_t block,
                                    const zm_direction *d)
{
    const zm_window w = zm_timed_block_window(s, block);
    zm_window_values v = zm_timed_values(s);
    zm_timed_block *b = zm_timed_store_add(s, &s->changes, interval, block);

    if (!b)
        return NULL;
    v.stopped = NULL;
    if (d->intervals) {
        window_copy(s, interval, zm_options_at(d->intervals, interval), w, &v);
    } else {
        const zm_status st = d->fill(d->fill_ctx, interval, w, &v, &s->error);

        if (st < 0) {
            s->status = st;
            return NULL;
        }
    }
    for (int32_t i = 0; i < w.rows * w.cols; i++) {
        const double x = s->grid.dx, y = s->grid.dy;

        /* folded, times the unit: for times in the caller's */
        b->metric[i / w.cols * ZM_TIMED_SIDE + i % w.cols] =
            (zm_cell_metric){ v.g11[i] * x * s->spacing.dx, v.g12[i] * x * s->spacing.dy,
                              v.g22[i] * y * s->spacing.dy, v.b1[i] * s->spacing.dx,
                              v.b2[i] * s->spacing.dy };
    }
    return b;
}

/* Change of one cell's time with those of the metrics of its way. */
static double cell_change(zm_timed *s, uint32_t cell, const zm_direction *d)
{
    const double w = s->weights[cell].w;
    zm_timed_point p;
    double rate[2], sum = 0;
    size_t segments;

    if (!zm_timed_step_again(s, cell))
        return 0;
    segments = zm_timed_shares(s, cell, w, rate);
    p = zm_timed_point_of(&s->step, w);
    for (size_t segment = 0; segment < segments; segment++) {
        const zm_cell_metric *const *metric = zm_timed_segment(s, segment);
        const size_t interval = s->step.first + segment;

        for (size_t i = 0; metric && s->shares[segment] != 0 && i < s->step.n_cells;
             i++) {
            const double *share = s->step.cells[i].share;
            const zm_cell_metric by = zm_timed_point_change(
                metric[i], p,
                s->shares[segment] * (share[1] + w * (share[0] - share[1])));
            const zm_timed_place at = zm_timed_place_of(s, s->step.cells[i].cell);
            const zm_timed_block *b =
                zm_timed_store_at(&s->changes, interval, at.block);

            if (!b && !(b = changes_fill(s, interval, at.block, d)))
                return 0;
            sum += zm_cell_metric_product(&by, &b->metric[at.at]);
        }
    }
    return sum;
}

/* Own changes, without those that come from donors. */
static zm_status own_changes(zm_timed *s, const zm_direction *d, double *own,
                             zm_error *err)
{
    const bool metrics = d->intervals || d->fill;
    zm_status st = zm_timed_store_begin(s, &s->changes, err);

    if (st != ZM_OK)
        return st;
    for (size_t i = 0; i < s->n_order && s->status == ZM_OK; i++) {
        const uint32_t cell = s->order[i];
        const zm_timed_donors *from = &s->donors[cell];

        zm_timed_metrics_trim_to(s, cell);
        own[cell] = 0;
        if (from->kind == ZM_NODE_SOURCE)
            own[cell] = d->source_times ? d->source_times[from->source] : 0;
        else if (metrics)
            own[cell] = cell_change(s, cell, d);
    }
    return zm_timed_status(s, err);
}

/* Every cell adds its donors' changes to its own; the largest difference to before, and the
 * largest change. */
static double sweep(const zm_timed *s, const double *own, double *dT, double *largest)
{
    double moved = 0;

    *largest = 0;
    for (size_t i = 0; i < s->n_order; i++) {
        const uint32_t cell = s->order[i];
        double value = own[cell];

        for (int k = 0; s->donors[cell].kind == ZM_NODE_DONORS && k < 2; k++)
            if (s->weights[cell].rate[k] != 0)
                value += s->weights[cell].rate[k] * dT[zm_timed_donor_cell(s, cell, k)];
        if (isfinite(value) && isfinite(dT[cell])) {
            moved = fmax(moved, fabs(value - dT[cell]));
            *largest = fmax(*largest, fabs(value));
        } else if (isfinite(dT[cell])) {
            moved = INFINITY; /* until it has spread */
        }
        dT[cell] = value;
    }
    return moved;
}

zm_status zm_timed_pull(zm_timed *s, double *dT, double *pending,
                        const zm_direction *direction, zm_error *err)
{
    const zm_status st = own_changes(s, direction, pending, err);
    double largest, moved;

    if (st != ZM_OK)
        return st;
    memset(dT, 0, s->cells * sizeof *dT);
    moved = sweep(s, pending, dT, &largest);
    for (int i = 0; s->has_back && i < ZM_TIMED_SWEEPS && moved > ZM_TIMED_SETTLED * largest; i++)
        moved = sweep(s, pending, dT, &largest);
    return s->has_back && moved > ZM_TIMED_SETTLED * largest ? zm_record_unsettled(err) : ZM_OK;
}
