/* SPDX-License-Identifier: Apache-2.0
 * Reverse mode through intervals: the adjoint, then derivatives with respect to the metrics. */
#include <math.h>
#include <string.h>

#include "core/options.h"
#include "eikonal/timed/derivative.h"

/* lambda of every cell goes on to its donors, last cells first; `pending` is what has come but
 * has not been passed on.  Sum of what was passed on. */
static double sweep(const zm_timed *s, double *lambda, double *pending)
{
    double sum = 0;

    for (size_t i = s->n_order; i-- > 0;) {
        const uint32_t cell = s->order[i];
        const double l = pending[cell];

        pending[cell] = 0;
        lambda[cell] += l;
        sum += fabs(l);
        if (l == 0 || s->donors[cell].kind != ZM_NODE_DONORS)
            continue;
        for (int k = 0; k < 2; k++)
            if (s->weights[cell].rate[k] != 0)
                pending[zm_timed_donor_cell(s, cell, k)] +=
                    s->weights[cell].rate[k] * l;
    }
    return sum;
}

static size_t spoilt(const double *value, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += isfinite(value[i]) ? 0 : 1;
    return count;
}

/* lambda = (I - W')^-1 lambda.  False: cells that are donors of each other do not settle. */
static bool transport(const zm_timed *s, double *lambda, double *pending)
{
    double first, rest;

    memcpy(pending, lambda, s->cells * sizeof *pending);
    memset(lambda, 0, s->cells * sizeof *lambda);
    first = rest = sweep(s, lambda, pending);
    for (int i = 0; s->has_back && i < ZM_TIMED_SWEEPS && rest > ZM_TIMED_SETTLED * first; i++)
        rest = sweep(s, lambda, pending);
    for (size_t n = 0, before = 0; s->has_back && !isfinite(rest); before = n) {
        n = spoilt(lambda, s->cells); /* these spread as far as they can */
        if (n <= before)
            break;
        (void)sweep(s, lambda, pending);
    }
    return !s->has_back || rest <= ZM_TIMED_SETTLED * first;
}

/* For each interval the first place in the order that it, or a later one, counts at. */
static bool first_use_find(zm_timed *s)
{
    const size_t n = s->n_starts;

    if (!zm_timed_grow(s, &s->first_use, &s->room_first_use, n, sizeof *s->first_use))
        return false;
    for (size_t k = 0; k < n; k++)
        s->first_use[k] = SIZE_MAX;
    for (size_t i = s->n_order; i-- > 0;) {
        const uint32_t cell = s->order[i];
        double last = s->T[cell];

        if (s->donors[cell].kind != ZM_NODE_DONORS)
            continue;
        for (int k = 0; k < 2; k++)
            last = fmax(last, s->T[zm_timed_donor_cell(s, cell, k)]);
        s->first_use[zm_timed_interval_at(s, last)] = i;
    }
    return true;
}

/* Adds to what is kept for a cell in an interval. */
static void change_add(zm_timed *s, size_t interval, uint32_t cell,
                       const zm_cell_metric *by)
{
    const zm_timed_place p = zm_timed_place_of(s, cell);
    zm_timed_block *b = zm_timed_store_at(&s->changes, interval, p.block);

    if (!b) {
        if (!(b = zm_timed_store_add(s, &s->changes, interval, p.block)))
            return;
        memset(b->metric, 0, sizeof b->metric);
    }
    zm_cell_metric_add(&b->metric[p.at], by);
}

/* Derivatives of one cell's time with respect to the metrics of its way, times its lambda. */
static void cell_push(zm_timed *s, uint32_t cell, double lambda)
{
    const double w = s->weights[cell].w;
    zm_timed_point p;
    double rate[2];
    size_t segments;

    if (lambda == 0 || !zm_timed_step_again(s, cell))
        return;
    segments = zm_timed_shares(s, cell, w, rate);
    p = zm_timed_point_of(&s->step, w);
    for (size_t segment = 0; segment < segments; segment++) {
        const zm_cell_metric *const *metric = zm_timed_segment(s, segment);

        for (size_t i = 0; metric && s->shares[segment] != 0 && i < s->step.n_cells;
             i++) {
            const double *share = s->step.cells[i].share;
            const double scale =
                lambda * s->shares[segment] * (share[1] + w * (share[0] - share[1]));
            const zm_cell_metric by = zm_timed_point_change(metric[i], p, scale);

            if (scale != 0)
                change_add(s, s->step.first + segment, s->step.cells[i].cell, &by);
        }
    }
}

/* A block of derivatives in the caller's units. */
static zm_window_values block_values(zm_timed *s, size_t interval, zm_window w,
                                     const zm_timed_block *b)
{
    const bool shared = zm_intervals_is_scalar(s->problem, interval);
    /* times in the caller's unit, as in marching/derivative.c */
    const double x = s->grid.dx, y = s->grid.dy, dx = s->spacing.dx, dy = s->spacing.dy;
    zm_window_values v = zm_timed_values(s);
    size_t i = 0;

    for (int32_t row = 0; row < w.rows; row++)
        for (int32_t col = 0; col < w.cols; col++, i++) {
            const zm_cell_metric *by = &b->metric[row * ZM_TIMED_SIDE + col];

            v.g11[i] = by->g11 * x * dx + (shared ? by->g22 * y * dy : 0);
            v.g12[i] = by->g12 * x * dy;
            v.g22[i] = shared ? 0 : by->g22 * y * dy;
            v.b1[i] = by->b1 * dx;
            v.b2[i] = by->b2 * dy;
        }
    v.stopped = NULL;
    return v;
}

static void plane_store(const zm_timed *s, void *plane, zm_window w,
                        const double *values)
{
    for (int32_t row = 0; plane && row < w.rows; row++)
        for (int32_t col = 0; col < w.cols; col++)
            zm_plane_store(plane, s->dtype,
                           (size_t)(w.row + row) * (size_t)s->grid.cols +
                               (size_t)(w.col + col),
                           values[row * w.cols + col]);
}

/* Hands the derivatives of one interval out. */
static zm_status interval_out(zm_timed *s, size_t interval, const zm_gradient *out,
                              zm_error *err)
{
    const size_t blocks = (size_t)s->blocks_x * (size_t)s->blocks_y;

    for (size_t i = 0; i < blocks; i++) {
        const zm_timed_block *b = zm_timed_store_at(&s->changes, interval, i);
        const zm_window w = zm_timed_block_window(s, i);
        zm_window_values v;
        zm_status st;

        if (!b)
            continue;
        v = block_values(s, interval, w, b);
        if (out->intervals) {
            const zm_gradient *to = zm_options_at(out->intervals, interval);

            plane_store(s, to->g11, w, v.g11);
            plane_store(s, to->g12, w, v.g12);
            plane_store(s, to->g22, w, v.g22);
            plane_store(s, to->b1, w, v.b1);
            plane_store(s, to->b2, w, v.b2);
        }
        if (out->take && (st = out->take(out->take_ctx, interval, w, &v, err)) < 0)
            return st;
    }
    zm_timed_store_drop(s, &s->changes, interval);
    return ZM_OK;
}

static void planes_clear(const zm_timed *s, const zm_gradient *g)
{
    void *const planes[5] = { g->g11, g->g12, g->g22, g->b1, g->b2 };

    for (int i = 0; i < 5; i++)
        if (planes[i])
            memset(planes[i], 0, s->cells * zm_dtype_size(s->dtype));
}

/* Derivatives with respect to the metrics, from the last cell to the first; an interval is
 * handed out when no earlier cell has anything to do with it or a later one. */
static zm_status metrics_push(zm_timed *s, const double *lambda, const zm_gradient *out,
                              zm_error *err)
{
    size_t interval = s->n_starts;
    zm_status st;

    if ((st = zm_timed_store_begin(s, &s->changes, err)) != ZM_OK)
        return st;
    if (!first_use_find(s))
        return zm_timed_status(s, err);
    for (size_t i = s->n_order; i-- > 0 && s->status == ZM_OK;) {
        const uint32_t cell = s->order[i];

        zm_timed_metrics_trim_to(s, cell);
        if (s->donors[cell].kind == ZM_NODE_DONORS)
            cell_push(s, cell, lambda[cell]);
        while (interval > 0 && s->status == ZM_OK && s->first_use[interval - 1] >= i)
            if ((st = interval_out(s, --interval, out, err)) < 0)
                return st;
    }
    return zm_timed_status(s, err);
}

zm_status zm_timed_push(zm_timed *s, double *lambda, double *pending,
                        const zm_gradient *out, zm_error *err)
{
    const bool settled = transport(s, lambda, pending);
    zm_status st = ZM_OK;

    for (size_t k = 0; out->intervals && k < s->n_starts; k++)
        planes_clear(s, zm_options_at(out->intervals, k));
    if (out->intervals || out->take)
        st = metrics_push(s, lambda, out, err);
    if (st < 0)
        return st;
    for (size_t i = 0; out->source_times && i < s->problem->n_sources; i++)
        out->source_times[i] = 0;
    for (size_t i = 0; out->source_times && i < s->n_order; i++) {
        const zm_timed_donors *from = &s->donors[s->order[i]];

        if (from->kind == ZM_NODE_SOURCE)
            out->source_times[from->source] = lambda[s->order[i]];
    }
    return settled ? ZM_OK : zm_record_unsettled(err);
}
