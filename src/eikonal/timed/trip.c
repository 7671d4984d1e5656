/* SPDX-License-Identifier: Apache-2.0
 * The way from donors to a cell. */
#include "eikonal/timed/trip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "eikonal/local/update.h"

/* Weights are looked for as close as this: the time then has an error of its square. */
static const double CLOSE = 1e-7;

static bool no_memory(zm_bands_slot *s)
{
    if (s->status == ZM_OK)
        s->status =
            zm_fail(&s->error, ZM_E_NOMEM, -1, "no memory for the ways between cells");
    return false;
}

static bool crossed_grow(zm_bands_slot *s)
{
    const size_t wanted = 2 * s->room_crossed + ZM_BANDS_CROSSED;
    zm_crossed *more;

    if (s->n_crossed + ZM_BANDS_CROSSED <= s->room_crossed)
        return true;
    if (!zm_take(&s->mem, &s->bytes, &more, wanted, sizeof *more))
        return no_memory(s);
    if (s->crossed) {
        memcpy(more, s->crossed, s->n_crossed * sizeof *more);
        s->bytes -= s->room_crossed * sizeof *more;
        zm_release(&s->mem, s->crossed);
    }
    s->crossed = more;
    s->room_crossed = wanted;
    return true;
}

/* Cells crossed on the way to (across, down), both >= 0, in order; exact traversal as in
 * march/visible.c.  The way leaves cell i along x at (i + 1/2) / across of it. */
static void crossed_list(zm_bands_slot *s, int32_t across, int32_t down)
{
    zm_crossed *list = s->crossed + s->n_crossed;
    int32_t i = 0, j = 0, n = 0;
    double from = 0;

    list[n++] = (zm_crossed){ 0, 0, 0, 1 };
    while (i < across || j < down) {
        const int32_t e = (2 * i + 1) * down - (2 * j + 1) * across;
        const double to = e <= 0 ? (i + 0.5) / across : (j + 0.5) / down;

        list[n - 1].share = to - from;
        from = to;
        i += e <= 0;
        j += e >= 0;
        list[n++] = (zm_crossed){ (int16_t)i, (int16_t)j, e == 0, 1 - from };
    }
    s->n_crossed += (size_t)n;
}

/* The list of an offset with both parts >= 0, made when first needed. */
static const zm_crossed *crossed_of(zm_bands_slot *s, zm_local_offset o, size_t *n)
{
    const int32_t across = abs(o.x), down = abs(o.y);
    const size_t at = (size_t)down * (ZM_BANDS_REACH + 1) + (size_t)across;

    if (s->crossed_first[at] == UINT32_MAX) {
        const size_t first = s->n_crossed;

        if (!crossed_grow(s))
            return NULL;
        crossed_list(s, across, down);
        s->crossed_first[at] = (uint32_t)first;
        s->crossed_count[at] = (uint16_t)(s->n_crossed - first);
    }
    *n = s->crossed_count[at];
    return s->crossed + s->crossed_first[at];
}

static void cell_add(zm_trip *trip, uint32_t cell, int donor, double share)
{
    for (size_t i = 0; i < trip->n_cells; i++)
        if (trip->cells[i].cell == cell) {
            trip->cells[i].share[donor] += share;
            return;
        }
    trip->cells[trip->n_cells].cell = cell;
    trip->cells[trip->n_cells].share[donor] = share;
    trip->cells[trip->n_cells++].share[!donor] = 0;
}

/* The cells on the way to one of the donors. */
static bool donor_add(zm_bands_slot *s, uint32_t cell, int donor, zm_giver_at from)
{
    zm_trip *trip = &s->trip;
    const int32_t sx = from.m.x < 0 ? -1 : 1, sy = from.m.y < 0 ? -1 : 1;
    const ptrdiff_t down = sy * (ptrdiff_t)s->grid.cols;
    size_t n;
    const zm_crossed *list = crossed_of(s, from.m, &n);

    if (!list)
        return false;
    trip->x[donor] = from.m.x;
    trip->y[donor] = from.m.y;
    trip->T[donor] = from.T;
    for (size_t i = 0; i < n; i++) {
        const ptrdiff_t at = (ptrdiff_t)cell + list[i].y * down + list[i].x * sx;

        trip->closed |= zm_bands_is_wall(s, (uint32_t)at);
        if (s->cost == ZM_BANDS_MEAN)
            cell_add(trip, (uint32_t)at, donor, list[i].share);
        else if (i > 0 && i + 1 < n)
            trip->checks[trip->n_checks++] = (uint32_t)at;
        if (list[i].corner) {
            trip->corners[trip->n_corners][0] = (uint32_t)(at - sx);
            trip->corners[trip->n_corners++][1] = (uint32_t)(at - down);
            trip->closed |= zm_bands_is_wall(s, (uint32_t)(at - sx)) &&
                            zm_bands_is_wall(s, (uint32_t)(at - down));
        }
    }
    return true;
}

static void way_begin(zm_bands_slot *s, uint32_t cell, double departure)
{
    zm_trip *trip = &s->trip;

    trip->n_cells = trip->n_checks = trip->n_corners = trip->n_legs = 0;
    trip->first = zm_band_at(s, departure);
    trip->bound = (double)INFINITY;
    trip->closed = false;
    if (s->cost == ZM_BANDS_OWN)
        trip->cells[trip->n_cells++] = (zm_trip_cell){ cell, { 1, 1 } };
}

bool zm_trip_from_one(zm_bands_slot *s, uint32_t cell, zm_giver_at a)
{
    way_begin(s, cell, a.T);
    s->trip.pair = false;
    if (!donor_add(s, cell, 0, a))
        return false;
    for (size_t i = 0; i < s->trip.n_cells; i++)
        s->trip.cells[i].share[1] = s->trip.cells[i].share[0];
    s->trip.x[1] = s->trip.x[0];
    s->trip.y[1] = s->trip.y[0];
    s->trip.T[1] = s->trip.T[0];
    return true;
}

bool zm_trip_from_two(zm_bands_slot *s, uint32_t cell, zm_giver_at a, zm_giver_at b)
{
    way_begin(s, cell, a.T < b.T ? a.T : b.T);
    s->trip.pair = true;
    return donor_add(s, cell, 0, a) && donor_add(s, cell, 1, b);
}

bool zm_trip_again(zm_bands_slot *s, uint32_t cell)
{
    const zm_band_step *step = &s->steps[cell];
    zm_giver_at from[2];

    for (int i = 0; i < 2; i++) {
        uint32_t at;

        zm_bands_neighbour(s, cell, step->m[i].x, step->m[i].y, &at);
        from[i] = (zm_giver_at){ step->m[i], s->T[at] };
    }
    if (step->m[0].x == step->m[1].x && step->m[0].y == step->m[1].y)
        return zm_trip_from_one(s, cell, from[0]);
    return zm_trip_from_two(s, cell, from[0], from[1]);
}

static bool legs_grow(zm_bands_slot *s, size_t wanted)
{
    const zm_cell_metric **more;

    if (wanted <= s->room_legs)
        return true;
    wanted *= 2;
    if (!zm_take(&s->mem, &s->bytes, &more, wanted, sizeof *more))
        return no_memory(s);
    if (s->legs) {
        memcpy(more, s->legs, s->room_legs * sizeof *more);
        s->bytes -= s->room_legs * sizeof *more;
        zm_release(&s->mem, s->legs);
    }
    s->legs = more;
    s->room_legs = wanted;
    return true;
}

/* Whether anything stands in the way in a band, besides cells whose metric counts. */
static bool hindered(zm_bands_slot *s, size_t band)
{
    const zm_trip *trip = &s->trip;

    for (size_t i = 0; i < trip->n_checks; i++)
        if (!zm_bands_metric(s, band, trip->checks[i]))
            return true;
    for (size_t i = 0; i < trip->n_corners; i++)
        if (!zm_bands_metric(s, band, trip->corners[i][0]) &&
            !zm_bands_metric(s, band, trip->corners[i][1]))
            return true;
    return false;
}

/* Looks up the metrics of the next leg. */
static bool leg_add(zm_bands_slot *s)
{
    zm_trip *trip = &s->trip;
    const size_t band = trip->first + trip->n_legs;
    const zm_cell_metric **row;

    if (!legs_grow(s, (trip->n_legs + 1) * trip->n_cells))
        return false;
    row = s->legs + trip->n_legs++ * trip->n_cells;
    for (size_t i = 0; i < trip->n_cells; i++)
        if (!(row[i] = zm_bands_metric(s, band, trip->cells[i].cell))) {
            row[0] = NULL;
            return s->status == ZM_OK;
        }
    if (hindered(s, band))
        row[0] = NULL;
    return s->status == ZM_OK;
}

const zm_cell_metric *const *zm_trip_leg(zm_bands_slot *s, size_t leg)
{
    const zm_cell_metric **row;

    while (leg >= s->trip.n_legs)
        if (!leg_add(s))
            return NULL;
    row = s->legs + leg * s->trip.n_cells;
    return row[0] ? row : NULL;
}

/* With d = m_1 - m_2 = dp/dw: N_i = L + p.b, N_i' = p'Gd/L + d.b, and because p x d does not
 * depend on w, N_i'' = det G (p x d)^2 / L^3. */
zm_leg_cost zm_trip_cost(const zm_trip *trip, const zm_cell_metric *const *metric,
                         double w)
{
    const double dx = trip->x[0] - trip->x[1], dy = trip->y[0] - trip->y[1];
    const double x = trip->x[1] + w * dx, y = trip->y[1] + w * dy;
    const double cross = x * dy - y * dx, cross2 = cross * cross;
    zm_leg_cost c = { 0, 0, 0 };

    for (size_t i = 0; i < trip->n_cells; i++) {
        const zm_cell_metric *g = metric[i];
        const double *share = trip->cells[i].share;
        const double ds = share[0] - share[1], s = share[1] + w * ds;
        const double gx = g->g11 * x + g->g12 * y, gy = g->g12 * x + g->g22 * y;
        const double length2 = gx * x + gy * y, length = sqrt(length2);
        const double N = length + g->b1 * x + g->b2 * y;

        c.N += s * N;
        if (trip->pair) {
            const double inverse = 1 / length;
            const double slope =
                (gx * dx + gy * dy) * inverse + g->b1 * dx + g->b2 * dy;
            const double det = g->g11 * g->g22 - g->g12 * g->g12;

            c.slope += s * slope + ds * N;
            c.bend += s * det * cross2 * inverse * inverse * inverse + 2 * ds * slope;
        }
    }
    return c;
}

/* A number with its first and second derivatives by w. */
typedef struct jet {
    double value, slope, bend;
} jet;

/* sum += scale / N */
static void jet_add_inverse(jet *sum, const zm_leg_cost *c, double scale)
{
    const double inverse = 1 / c->N, q = scale * inverse, ratio = c->slope * inverse;

    sum->value += q;
    sum->slope -= q * ratio;
    sum->bend += q * (2 * ratio * ratio - c->bend * inverse);
}

/* Costs with one weight, of the first legs kept: the time between the donors and the rest of
 * the way need the same. */
typedef struct costs {
    double w;
    size_t n;
    zm_leg_cost first[4]; /* N is INFINITY where stopped */
} costs;

static zm_leg_cost cost_of(zm_bands_slot *s, costs *known, size_t leg)
{
    const zm_cell_metric *const *metric;
    zm_leg_cost c = { (double)INFINITY, 0, 0 };

    if (leg < known->n)
        return known->first[leg];
    if ((metric = zm_trip_leg(s, leg)))
        c = zm_trip_cost(&s->trip, metric, known->w);
    if (leg == known->n && leg < sizeof known->first / sizeof *known->first)
        known->first[known->n++] = c;
    return c;
}

/* Integral of dt / N from the earlier donor's time to the later one's. */
static jet between_donors(zm_bands_slot *s, costs *known)
{
    const zm_trip *trip = &s->trip;
    const double late = fmax(trip->T[0], trip->T[1]);
    double t = fmin(trip->T[0], trip->T[1]);
    jet sum = { 0, 0, 0 };

    for (size_t leg = 0; t < late; leg++) {
        const zm_leg_cost c = cost_of(s, known, leg);
        const double end = fmin(zm_band_end(s, trip->first + leg), late);

        if (c.N < (double)INFINITY)
            jet_add_inverse(&sum, &c, end - t);
        t = end;
    }
    return sum;
}

/* What is left of the way when the earlier donor gets its time: 1 and, by the weight u of the
 * later one, what it goes before that one does. */
static jet left_at_start(zm_bands_slot *s, costs *known)
{
    const bool first = s->trip.T[0] <= s->trip.T[1]; /* donor 1 is the earlier */
    const double u = first ? 1 - known->w : known->w, du = first ? -1 : 1;
    const jet d = between_donors(s, known);

    return (jet){ 1 + u * d.value, du * d.value + u * d.slope,
                  2 * du * d.slope + u * d.bend };
}

zm_arrival zm_trip_arrive(zm_bands_slot *s, double w)
{
    const zm_trip *trip = &s->trip;
    costs known = { .w = w, .n = 0 };
    double t = fmin(trip->T[0], trip->T[1]);
    jet left = left_at_start(s, &known);
    size_t leg = 0;

    for (; s->status == ZM_OK; leg++) {
        const zm_leg_cost c = cost_of(s, &known, leg);
        const double end = zm_band_end(s, trip->first + leg);

        if (c.N < (double)INFINITY) {
            if (t + left.value * c.N <= end)
                return (zm_arrival){ true,
                                     t + left.value * c.N,
                                     left.slope * c.N + left.value * c.slope,
                                     left.bend * c.N + 2 * left.slope * c.slope +
                                         left.value * c.bend,
                                     leg,
                                     c.N };
            jet_add_inverse(&left, &c, t - end);
        }
        if (end == (double)INFINITY || end >= trip->bound)
            break;
        t = end;
    }
    return (zm_arrival){ false, left.value, left.slope, left.bend, leg, 0 };
}

static zm_trip_best best_of(const zm_bands_slot *s, const zm_arrival *a, double w)
{
    return (zm_trip_best){ a->ends && s->status == ZM_OK ? a->time : (double)INFINITY,
                           w };
}

static const zm_trip_best never = { (double)INFINITY, 1 };

zm_trip_best zm_trip_one(zm_bands_slot *s)
{
    zm_arrival a;

    if (s->trip.closed)
        return never;
    a = zm_trip_arrive(s, 1);
    return best_of(s, &a, 1);
}

static bool earlier(const zm_arrival *a, const zm_arrival *b)
{
    return a->ends != b->ends ? a->ends : a->time < b->time;
}

/* Newton's method for slope = 0 between 0, where it is negative, and 1, where it is positive;
 * halving where it leaves what is known to be between. */
static zm_arrival root(zm_bands_slot *s, double slope_at_0, double slope_at_1,
                       double *w)
{
    enum { MOST = 60 };
    double below = 0, above = 1;
    zm_arrival a = { .ends = false };

    *w = slope_at_0 / (slope_at_0 - slope_at_1);
    for (int i = 0; i < MOST; i++) {
        double next;

        a = zm_trip_arrive(s, *w);
        if (a.slope < 0)
            below = *w;
        else
            above = *w;
        next = *w - a.slope / a.bend;
        if (!(next > below && next < above))
            next = below + 0.5 * (above - below);
        if (fabs(next - *w) <= CLOSE || s->status != ZM_OK)
            break;
        *w = next;
    }
    return a;
}

double zm_trip_polish(zm_bands_slot *s, double w)
{
    enum { MOST = 20 };

    for (int i = 0; i < MOST && w > 0 && w < 1; i++) {
        const zm_arrival a = zm_trip_arrive(s, w);
        const double by = a.slope / a.bend;

        if (!(a.bend > 0) || !(fabs(by) < 10 * CLOSE)) /* not near a minimum any more */
            break;
        w = fmin(fmax(w - by, 0), 1);
        if (fabs(by) <= 1e-16)
            break;
    }
    return w;
}

/* The closed form (march/update.h), where one metric counts and one band is enough. */
static bool closed_form(zm_bands_slot *s, zm_trip_best *out)
{
    const zm_trip *trip = &s->trip;
    const double end = zm_band_end(s, trip->first);
    const zm_cell_metric *const *metric;
    const zm_cell_metric *g;
    zm_local_donor p, q;

    if (s->cost != ZM_BANDS_OWN || trip->T[0] > end || trip->T[1] > end ||
        !(metric = zm_trip_leg(s, 0)))
        return false;
    g = metric[0];
    p = zm_local_donor_at(g, trip->x[0], trip->y[0], trip->T[0]);
    q = zm_local_donor_at(g, trip->x[1], trip->y[1], trip->T[1]);
    out->time = zm_local_two_donors(g, g->g11 * g->g22 - g->g12 * g->g12, &p, &q, &out->w);
    return out->time <= end;
}

zm_trip_best zm_trip_two(zm_bands_slot *s)
{
    zm_arrival at_0, at_1;
    zm_trip_best best;

    if (s->trip.closed)
        return never;
    if (closed_form(s, &best))
        return best;
    at_0 = zm_trip_arrive(s, 0);
    at_1 = zm_trip_arrive(s, 1);
    if (at_0.slope < 0 && at_1.slope > 0) {
        double w;
        const zm_arrival inside = root(s, at_0.slope, at_1.slope, &w);

        /* with several bands there may be other minima than this */
        if (!earlier(&at_0, &inside) && !earlier(&at_1, &inside))
            return best_of(s, &inside, w);
    }
    return earlier(&at_0, &at_1) ? best_of(s, &at_0, 0) : best_of(s, &at_1, 1);
}
