/* SPDX-License-Identifier: Apache-2.0
 * The way from donors to a cell. */
#include "eikonal/timed/segments.h"

#include <math.h>
#include <stdlib.h>

#include "eikonal/local/update.h"

/* Weights are looked for as close as this: the time then has an error of its square. */
static const double CLOSE = 1e-7;

/* Cells crossed on the way to (across, down), both >= 0, in order; exact traversal as in
 * marching/visible.c.  The way leaves cell i along x at (i + 1/2) / across of it. */
static void crossed_list(zm_timed *s, int32_t across, int32_t down)
{
    zm_timed_crossed *list = s->crossed + s->n_crossed;
    int32_t i = 0, j = 0, n = 0;
    double from = 0;

    list[n++] = (zm_timed_crossed){ 0, 0, 0, 1 };
    while (i < across || j < down) {
        const int32_t e = (2 * i + 1) * down - (2 * j + 1) * across;
        const double to = e <= 0 ? (i + 0.5) / across : (j + 0.5) / down;

        list[n - 1].share = to - from;
        from = to;
        i += e <= 0;
        j += e >= 0;
        list[n++] = (zm_timed_crossed){ (int16_t)i, (int16_t)j, e == 0, 1 - from };
    }
    s->n_crossed += (size_t)n;
}

/* The list of an offset with both parts >= 0, made when first needed. */
static const zm_timed_crossed *crossed_of(zm_timed *s, zm_local_offset o, size_t *n)
{
    const int32_t across = abs(o.x), down = abs(o.y);
    const size_t at = (size_t)down * (ZM_TIMED_REACH + 1) + (size_t)across;

    if (s->crossed_first[at] == UINT32_MAX) {
        const size_t first = s->n_crossed;

        if (!zm_timed_grow(s, &s->crossed, &s->room_crossed,
                           s->n_crossed + ZM_TIMED_CROSSED, sizeof *s->crossed))
            return NULL;
        crossed_list(s, across, down);
        s->crossed_first[at] = (uint32_t)first;
        s->crossed_count[at] = (uint16_t)(s->n_crossed - first);
    }
    *n = s->crossed_count[at];
    return s->crossed + s->crossed_first[at];
}

static void cell_add(zm_timed_step *step, uint32_t cell, int donor, double share)
{
    for (size_t i = 0; i < step->n_cells; i++)
        if (step->cells[i].cell == cell) {
            step->cells[i].share[donor] += share;
            return;
        }
    step->cells[step->n_cells].cell = cell;
    step->cells[step->n_cells].share[donor] = share;
    step->cells[step->n_cells++].share[!donor] = 0;
}

/* The cells on the way to one of the donors. */
static bool donor_add(zm_timed *s, uint32_t cell, int donor, zm_timed_donor from)
{
    zm_timed_step *step = &s->step;
    const int32_t sx = from.m.x < 0 ? -1 : 1, sy = from.m.y < 0 ? -1 : 1;
    const ptrdiff_t down = sy * (ptrdiff_t)s->grid.cols;
    size_t n;
    const zm_timed_crossed *list = crossed_of(s, from.m, &n);

    if (!list)
        return false;
    step->x[donor] = from.m.x;
    step->y[donor] = from.m.y;
    step->T[donor] = from.T;
    for (size_t i = 0; i < n; i++) {
        const ptrdiff_t at = (ptrdiff_t)cell + list[i].y * down + list[i].x * sx;

        step->closed |= zm_timed_is_wall(s, (uint32_t)at);
        if (s->cost == ZM_COST_MEAN)
            cell_add(step, (uint32_t)at, donor, list[i].share);
        else if (i > 0 && i + 1 < n)
            step->checks[step->n_checks++] = (uint32_t)at;
        if (list[i].corner) {
            step->corners[step->n_corners][0] = (uint32_t)(at - sx);
            step->corners[step->n_corners++][1] = (uint32_t)(at - down);
            step->closed |= zm_timed_is_wall(s, (uint32_t)(at - sx)) &&
                            zm_timed_is_wall(s, (uint32_t)(at - down));
        }
    }
    return true;
}

static void step_begin(zm_timed *s, uint32_t cell, double departure)
{
    zm_timed_step *step = &s->step;

    step->n_cells = step->n_checks = step->n_corners = step->n_segments = 0;
    step->first = zm_timed_interval_at(s, departure);
    step->bound = (double)INFINITY;
    step->closed = false;
    if (s->cost == ZM_COST_OWN)
        step->cells[step->n_cells++] = (zm_timed_share){ cell, { 1, 1 } };
}

bool zm_timed_step_from_one(zm_timed *s, uint32_t cell, zm_timed_donor a)
{
    step_begin(s, cell, a.T);
    s->step.pair = false;
    if (!donor_add(s, cell, 0, a))
        return false;
    for (size_t i = 0; i < s->step.n_cells; i++)
        s->step.cells[i].share[1] = s->step.cells[i].share[0];
    s->step.x[1] = s->step.x[0];
    s->step.y[1] = s->step.y[0];
    s->step.T[1] = s->step.T[0];
    return true;
}

bool zm_timed_step_from_two(zm_timed *s, uint32_t cell, zm_timed_donor a,
                            zm_timed_donor b)
{
    step_begin(s, cell, a.T < b.T ? a.T : b.T);
    s->step.pair = true;
    return donor_add(s, cell, 0, a) && donor_add(s, cell, 1, b);
}

bool zm_timed_step_again(zm_timed *s, uint32_t cell)
{
    const zm_timed_donors *old = &s->donors[cell];
    zm_timed_donor from[2];

    for (int i = 0; i < 2; i++) {
        uint32_t at;

        zm_timed_neighbour(s, cell, old->m[i].x, old->m[i].y, &at);
        from[i] = (zm_timed_donor){ old->m[i], s->T[at] };
    }
    if (old->m[0].x == old->m[1].x && old->m[0].y == old->m[1].y)
        return zm_timed_step_from_one(s, cell, from[0]);
    return zm_timed_step_from_two(s, cell, from[0], from[1]);
}

/* Whether anything stands in the way in an interval, besides cells whose metric counts. */
static bool hindered(zm_timed *s, size_t interval)
{
    const zm_timed_step *step = &s->step;

    for (size_t i = 0; i < step->n_checks; i++)
        if (!zm_timed_metric(s, interval, step->checks[i]))
            return true;
    for (size_t i = 0; i < step->n_corners; i++)
        if (!zm_timed_metric(s, interval, step->corners[i][0]) &&
            !zm_timed_metric(s, interval, step->corners[i][1]))
            return true;
    return false;
}

/* Looks up the metrics of the next segment. */
static bool segment_add(zm_timed *s)
{
    zm_timed_step *step = &s->step;
    const size_t interval = step->first + step->n_segments;
    const size_t wanted = (step->n_segments + 1) * step->n_cells;
    const zm_cell_metric **row;

    if (!zm_timed_grow(s, &s->segments, &s->room_segments, wanted, sizeof *s->segments))
        return false;
    row = s->segments + step->n_segments++ * step->n_cells;
    for (size_t i = 0; i < step->n_cells; i++)
        if (!(row[i] = zm_timed_metric(s, interval, step->cells[i].cell))) {
            row[0] = NULL;
            return s->status == ZM_OK;
        }
    if (hindered(s, interval))
        row[0] = NULL;
    return s->status == ZM_OK;
}

const zm_cell_metric *const *zm_timed_segment(zm_timed *s, size_t segment)
{
    const zm_cell_metric **row;

    while (segment >= s->step.n_segments)
        if (!segment_add(s))
            return NULL;
    row = s->segments + segment * s->step.n_cells;
    return row[0] ? row : NULL;
}

/* With d = m_1 - m_2 = dp/dw: N_i = L + p.b, N_i' = p'Gd/L + d.b, and because p x d does not
 * depend on w, N_i'' = det G (p x d)^2 / L^3. */
zm_timed_cost zm_timed_cost_of(const zm_timed_step *step,
                               const zm_cell_metric *const *metric, double w)
{
    const double dx = step->x[0] - step->x[1], dy = step->y[0] - step->y[1];
    const double x = step->x[1] + w * dx, y = step->y[1] + w * dy;
    const double cross = x * dy - y * dx, cross2 = cross * cross;
    zm_timed_cost c = { 0, 0, 0 };

    for (size_t i = 0; i < step->n_cells; i++) {
        const zm_cell_metric *g = metric[i];
        const double *share = step->cells[i].share;
        const double ds = share[0] - share[1], s = share[1] + w * ds;
        const double gx = g->g11 * x + g->g12 * y, gy = g->g12 * x + g->g22 * y;
        const double length2 = gx * x + gy * y, length = sqrt(length2);
        const double N = length + g->b1 * x + g->b2 * y;

        c.N += s * N;
        if (step->pair) {
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

/* A number with its first and second derivatives with respect to w. */
typedef struct jet {
    double value, slope, bend;
} jet;

/* sum += scale / N */
static void jet_add_inverse(jet *sum, const zm_timed_cost *c, double scale)
{
    const double inverse = 1 / c->N, q = scale * inverse, ratio = c->slope * inverse;

    sum->value += q;
    sum->slope -= q * ratio;
    sum->bend += q * (2 * ratio * ratio - c->bend * inverse);
}

/* Costs with one weight, of the first segments kept: the time between the donors and the rest of
 * the way need the same. */
typedef struct costs {
    double w;
    size_t n;
    zm_timed_cost first[4]; /* N is INFINITY where stopped */
} costs;

static zm_timed_cost cost_of(zm_timed *s, costs *known, size_t segment)
{
    const zm_cell_metric *const *metric;
    zm_timed_cost c = { (double)INFINITY, 0, 0 };

    if (segment < known->n)
        return known->first[segment];
    if ((metric = zm_timed_segment(s, segment)))
        c = zm_timed_cost_of(&s->step, metric, known->w);
    if (segment == known->n && segment < sizeof known->first / sizeof *known->first)
        known->first[known->n++] = c;
    return c;
}

/* Integral of dt / N from the earlier donor's time to the later one's. */
static jet between_donors(zm_timed *s, costs *known)
{
    const zm_timed_step *step = &s->step;
    const double late = fmax(step->T[0], step->T[1]);
    double t = fmin(step->T[0], step->T[1]);
    jet sum = { 0, 0, 0 };

    for (size_t segment = 0; t < late; segment++) {
        const zm_timed_cost c = cost_of(s, known, segment);
        const double end = fmin(zm_timed_interval_end(s, step->first + segment), late);

        if (c.N < (double)INFINITY)
            jet_add_inverse(&sum, &c, end - t);
        t = end;
    }
    return sum;
}

/* What is left of the way when the earlier donor gets its time: 1 and, by the weight u of the
 * later one, what it goes before that one does. */
static jet left_at_start(zm_timed *s, costs *known)
{
    const bool first = s->step.T[0] <= s->step.T[1]; /* donor 1 is the earlier */
    const double u = first ? 1 - known->w : known->w, du = first ? -1 : 1;
    const jet d = between_donors(s, known);

    return (jet){ 1 + u * d.value, du * d.value + u * d.slope,
                  2 * du * d.slope + u * d.bend };
}

zm_timed_arrival zm_timed_arrive(zm_timed *s, double w)
{
    const zm_timed_step *step = &s->step;
    costs known = { .w = w, .n = 0 };
    double t = fmin(step->T[0], step->T[1]);
    double pace = 1; /* N of the last segment in which anything moves */
    jet left = left_at_start(s, &known);
    size_t segment = 0;

    for (; s->status == ZM_OK; segment++) {
        const zm_timed_cost c = cost_of(s, &known, segment);
        const double end = zm_timed_interval_end(s, step->first + segment);

        if (c.N < (double)INFINITY) {
            if (t + left.value * c.N <= end)
                return (zm_timed_arrival){ true,
                                           t + left.value * c.N,
                                           left.slope * c.N + left.value * c.slope,
                                           left.bend * c.N + 2 * left.slope * c.slope +
                                               left.value * c.bend,
                                           segment,
                                           c.N };
            jet_add_inverse(&left, &c, t - end);
            pace = c.N;
        }
        if (end == (double)INFINITY || end >= step->bound)
            break;
        t = end;
    }
    /* times pace: slopes are compared with those of weights that arrive */
    return (zm_timed_arrival){
        false, left.value, left.slope * pace, left.bend * pace, segment, 0
    };
}

static zm_timed_best best_of(const zm_timed *s, const zm_timed_arrival *a, double w)
{
    return (zm_timed_best){ a->ends && s->status == ZM_OK ? a->time : (double)INFINITY,
                            w };
}

static const zm_timed_best never = { (double)INFINITY, 1 };

zm_timed_best zm_timed_best_of_one(zm_timed *s)
{
    zm_timed_arrival a;

    if (s->step.closed)
        return never;
    a = zm_timed_arrive(s, 1);
    return best_of(s, &a, 1);
}

static bool earlier(const zm_timed_arrival *a, const zm_timed_arrival *b)
{
    return a->ends != b->ends ? a->ends : a->time < b->time;
}

/* Newton's method for slope = 0 between 0, where it is negative, and 1, where it is positive;
 * halving where it leaves what is known to be between. */
static zm_timed_arrival root(zm_timed *s, double slope_at_0, double slope_at_1,
                             double *w)
{
    enum { MOST = 60 };
    double below = 0, above = 1;
    zm_timed_arrival a = { .ends = false };

    *w = slope_at_0 / (slope_at_0 - slope_at_1);
    for (int i = 0; i < MOST; i++) {
        double next;

        a = zm_timed_arrive(s, *w);
        if (a.slope < 0)
            below = *w;
        else
            above = *w;
        next = *w - a.slope / a.bend;
        /* halving alone from the middle of the loop on: it comes to an end in any case */
        if (!(next > below && next < above) || i >= MOST / 2)
            next = below + 0.5 * (above - below);
        if (fabs(next - *w) <= CLOSE || s->status != ZM_OK)
            break;
        *w = next;
    }
    return a;
}

zm_timed_best zm_timed_best_near(zm_timed *s, double w)
{
    enum { MOST = 60 };
    zm_timed_arrival a;
    double step = 1;

    if (s->step.closed)
        return never;
    a = zm_timed_arrive(s, w);
    for (int i = 0; i < MOST && a.ends && s->status == ZM_OK; i++) {
        /* Newton's step, or a fair one where the curve bends down; halved if it is too long */
        const double by = a.bend > 0 ? a.slope / a.bend : copysign(0.25, a.slope);
        const double next = fmin(fmax(w - step * by, 0), 1);
        const zm_timed_arrival there = zm_timed_arrive(s, next);

        if (fabs(next - w) <= CLOSE)
            break;
        if (there.ends && there.time < a.time) {
            a = there;
            w = next;
            step = 1;
        } else {
            step /= 2;
        }
    }
    return best_of(s, &a, w);
}

double zm_timed_polish(zm_timed *s, double w)
{
    enum { MOST = 20 };

    for (int i = 0; i < MOST && w > 0 && w < 1; i++) {
        const zm_timed_arrival a = zm_timed_arrive(s, w);
        const double by = a.slope / a.bend;

        if (!(a.bend > 0) || !(fabs(by) < 10 * CLOSE)) /* not near a minimum any more */
            break;
        w = fmin(fmax(w - by, 0), 1);
        if (fabs(by) <= 1e-16)
            break;
    }
    return w;
}

/* The closed form (local/update.h), where one metric counts and one interval is enough. */
static bool closed_form(zm_timed *s, zm_timed_best *out)
{
    const zm_timed_step *step = &s->step;
    const double end = zm_timed_interval_end(s, step->first);
    const zm_cell_metric *const *metric;
    const zm_cell_metric *g;
    zm_local_donor p, q;

    if (s->cost != ZM_COST_OWN || step->T[0] > end || step->T[1] > end ||
        !(metric = zm_timed_segment(s, 0)))
        return false;
    g = metric[0];
    p = zm_local_donor_at(g, step->x[0], step->y[0], step->T[0]);
    q = zm_local_donor_at(g, step->x[1], step->y[1], step->T[1]);
    out->time =
        zm_local_two_donors(g, g->g11 * g->g22 - g->g12 * g->g12, &p, &q, &out->w);
    return out->time <= end;
}

zm_timed_best zm_timed_best_of_two(zm_timed *s)
{
    zm_timed_arrival at_0, at_1;
    zm_timed_best best;

    if (s->step.closed)
        return never;
    if (closed_form(s, &best))
        return best;
    at_0 = zm_timed_arrive(s, 0);
    at_1 = zm_timed_arrive(s, 1);
    if (at_0.slope < 0 && at_1.slope > 0) {
        double w;
        const zm_timed_arrival inside = root(s, at_0.slope, at_1.slope, &w);

        /* with several intervals there may be other minima than this */
        if (!earlier(&at_0, &inside) && !earlier(&at_1, &inside))
            return best_of(s, &inside, w);
    }
    return earlier(&at_0, &at_1) ? best_of(s, &at_0, 0) : best_of(s, &at_1, 1);
}
