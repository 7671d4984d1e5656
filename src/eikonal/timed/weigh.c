/* SPDX-License-Identifier: Apache-2.0
 * How each time depends on those of its donors and on the metrics of its bands.
 *
 * With arrival in band K and a_j the time that the way takes in band j, the mean over its
 * donors by weight, sum a_j / N_j = 1 gives by the envelope theorem (w is stationary)
 *
 *     dT/dT_i = w_i N_K / N_{k(T_i)},      dT/dN_j = N_K a_j / N_j^2 . */
#include <math.h>
#include <string.h>

#include "eikonal/timed/derive.h"
#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/engine.h"

static double clamped(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

static bool shares_grow(zm_bands_slot *s, size_t wanted)
{
    if (wanted <= s->room_shares)
        return true;
    s->bytes -= s->room_shares * sizeof *s->shares;
    zm_release(&s->mem, s->shares);
    s->room_shares = 0;
    if (!zm_take(&s->mem, &s->bytes, &s->shares, 2 * wanted, sizeof *s->shares)) {
        s->status = zm_fail(&s->error, ZM_E_NOMEM, -1, "no memory for derivatives");
        return false;
    }
    s->room_shares = 2 * wanted;
    return true;
}

/* Time that the way takes in a leg: the mean of both donors' parts of it, with sign. */
static double time_in_leg(const zm_bands_slot *s, size_t leg, double w, double arrival)
{
    const zm_trip *trip = &s->trip;
    const size_t band = trip->first + leg;
    const double begin = leg > 0 ? s->problem->starts[band] : -(double)INFINITY;
    const double end = zm_band_end(s, band);

    return clamped(arrival, begin, end) - w * clamped(trip->T[0], begin, end) -
           (1 - w) * clamped(trip->T[1], begin, end);
}

size_t zm_trip_shares(zm_bands_slot *s, double w, double rate[2])
{
    const zm_trip *trip = &s->trip;
    const zm_arrival a = zm_trip_arrive(s, w);
    const double last = fmax(a.time, fmax(trip->T[0], trip->T[1]));
    const size_t n = zm_band_at(s, last) - trip->first + 1;

    rate[0] = rate[1] = 0;
    if (!shares_grow(s, n > a.leg + 1 ? n : a.leg + 1))
        return 0;
    for (size_t leg = 0; leg < n || leg <= a.leg; leg++) {
        const zm_cell_metric *const *metric = zm_trip_leg(s, leg);
        double N;

        s->shares[leg] = 0;
        if (!metric)
            continue;
        N = zm_trip_cost(trip, metric, w).N;
        s->shares[leg] = a.N * time_in_leg(s, leg, w, a.time) / (N * N);
        for (int i = 0; i < 2; i++)
            if (zm_band_at(s, trip->T[i]) == trip->first + leg)
                rate[i] = (i ? 1 - w : w) * a.N / N;
    }
    return n > a.leg + 1 ? n : a.leg + 1;
}

/* Weight and rates of one cell; whether a donor comes after it. */
static void cell_weigh(zm_bands_slot *s, uint32_t cell)
{
    zm_band_weight *weight = &s->weights[cell];

    if (!zm_trip_again(s, cell))
        return;
    weight->w = zm_trip_polish(s, s->steps[cell].w);
    zm_trip_shares(s, weight->w, weight->rate);
    for (int i = 0; i < 2; i++) {
        const zm_local_offset m = s->steps[cell].m[i];
        uint32_t at;

        zm_bands_neighbour(s, cell, m.x, m.y, &at);
        s->has_back |= weight->rate[i] != 0 && s->rank[at] > s->rank[cell];
    }
}

static bool take_once(zm_bands_slot *s, void *pointer_to_array, bool there,
                      size_t count, size_t size)
{
    return there || zm_take(&s->mem, &s->bytes, pointer_to_array, count, size);
}

zm_status zm_bands_weigh(zm_bands_slot *s, const zm_bands_problem *problem,
                         zm_error *err)
{
    s->problem = problem;
    s->status = ZM_OK;
    if (!take_once(s, &s->weights, s->weights, s->cells, sizeof *s->weights) ||
        !take_once(s, &s->lambda, s->lambda, s->cells, sizeof *s->lambda) ||
        !take_once(s, &s->pending, s->pending, s->cells, sizeof *s->pending))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for derivatives of %zu cells",
                       s->cells);
    if (s->state == ZM_BANDS_WEIGHED)
        return ZM_OK;
    s->has_back = false;
    for (size_t i = 0; i < s->n_order && s->status == ZM_OK; i++) {
        const uint32_t cell = s->order[i];

        zm_bands_metrics_trim(s, zm_band_at(s, s->T[cell]), zm_band_at(s, s->T[cell]));
        if (s->steps[cell].kind == ZM_NODE_DONORS)
            cell_weigh(s, cell);
    }
    if (s->status == ZM_OK)
        s->state = ZM_BANDS_WEIGHED;
    return zm_bands_status(s, err);
}
