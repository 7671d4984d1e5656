/* SPDX-License-Identifier: Apache-2.0
 * How each time depends on those of its donors and on the metrics of its intervals.
 *
 * With arrival in interval K and a_j the time that the way takes in interval j, the mean over its
 * donors by weight, sum a_j / N_j = 1 gives by the envelope theorem (w is stationary)
 *
 *     dT/dT_i = w_i N_K / N_{k(T_i)},      dT/dN_j = N_K a_j / N_j^2 . */
#include <math.h>

#include "eikonal/timed/derivative.h"

/* Steps that arrive this much off the recorded time, of its size, go through other metrics
 * than those that were solved: the same ones give it to rounding. */
static const double SAME = 1e-6;

static double clamped(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

/* Time that the way takes in a segment: the mean of both donors' parts of it, with sign. */
static double time_in_segment(const zm_timed *s, size_t segment, double w,
                              double arrival)
{
    const zm_timed_step *step = &s->step;
    const size_t interval = step->first + segment;
    const double begin = segment > 0 ? s->starts[interval] : -(double)INFINITY;
    const double end = zm_timed_interval_end(s, interval);

    return clamped(arrival, begin, end) - w * clamped(step->T[0], begin, end) -
           (1 - w) * clamped(step->T[1], begin, end);
}

size_t zm_timed_shares(zm_timed *s, uint32_t cell, double w, double rate[2])
{
    const zm_timed_step *step = &s->step;
    const zm_timed_arrival a = zm_timed_arrive(s, w);
    const double last = fmax(a.time, fmax(step->T[0], step->T[1]));
    size_t n = zm_timed_interval_at(s, last) - step->first + 1;

    n = n > a.segment + 1 ? n : a.segment + 1;
    rate[0] = rate[1] = 0;
    if (s->status != ZM_OK)
        return 0;
    if (!a.ends ||
        (s->converged && !(fabs(a.time - s->T[cell]) <=
                           SAME * (fabs(a.time) + fabs(s->T[cell]) + a.N)))) {
        s->status = zm_record_changed(&s->error);
        return 0;
    }
    if (!zm_timed_grow(s, &s->shares, &s->room_shares, n, sizeof *s->shares))
        return 0;
    for (size_t segment = 0; segment < n; segment++) {
        const zm_cell_metric *const *metric = zm_timed_segment(s, segment);
        double N;

        s->shares[segment] = 0;
        if (!metric)
            continue;
        N = zm_timed_cost_of(step, metric, w).N;
        s->shares[segment] = a.N * time_in_segment(s, segment, w, a.time) / (N * N);
        for (int i = 0; i < 2; i++)
            if (zm_timed_interval_at(s, step->T[i]) == step->first + segment)
                rate[i] = (i ? 1 - w : w) * a.N / N;
    }
    return n;
}

/* Weight and rates of one cell; whether a donor comes after it. */
static void cell_weigh(zm_timed *s, uint32_t cell)
{
    zm_timed_weight *weight = &s->weights[cell];

    if (!zm_timed_step_again(s, cell))
        return;
    weight->w = zm_timed_polish(s, s->donors[cell].w);
    zm_timed_shares(s, cell, weight->w, weight->rate);
    for (int i = 0; i < 2; i++) {
        const uint32_t at = zm_timed_donor_cell(s, cell, i);

        s->has_back |= weight->rate[i] != 0 && s->rank[at] > s->rank[cell];
    }
}

zm_status zm_timed_weigh(zm_timed *s, zm_error *err)
{
    if (s->is_weighed)
        return ZM_OK;
    if (!zm_timed_grow(s, &s->weights, &(size_t){ s->weights ? s->cells : 0 }, s->cells,
                       sizeof *s->weights))
        return zm_timed_status(s, err);
    s->has_back = false;
    for (size_t i = 0; i < s->n_order && s->status == ZM_OK; i++) {
        const uint32_t cell = s->order[i];

        zm_timed_metrics_trim_to(s, cell);
        if (s->donors[cell].kind == ZM_NODE_DONORS)
            cell_weigh(s, cell);
    }
    s->is_weighed = s->status == ZM_OK;
    return zm_timed_status(s, err);
}
