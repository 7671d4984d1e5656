/* SPDX-License-Identifier: Apache-2.0
 * One move of a marker perimeter. */
#include <math.h>

#include "core/fail.h"
#include "fire/front/markers.h"

enum { MOST_STEPS = 1000000, NEWTON = 20 };

static const double CLOSING_IN = 1 / 1.4;   /* moves are so much shorter */
static const double LEAST_REACH = 1.0 / 30; /* cells */
static const double LEAST_ENCLAVE = 1e-3;   /* cells of area: what is less burns */
static const double SAME_PLACE = 1e-6;      /* cells */
static const double SAME_TIME = 1e-6;       /* h */

/* The fire of a cell after an hour, lit at the origin, is the set of v with
 *
 *     sqrt(v'Gv) - b.v <= 1,  on its edge  v'(G - bb')v - 2 b.v = 1:
 *
 * an ellipse with centre w = (G - bb')^-1 b and v = w + z, z'Q^-1 z = 1, where
 * Q = (1 + b.w)(G - bb')^-1.  The front with normal n is carried by the point of it that is
 * furthest along n: w + Q n/sqrt(n'Qn). */
static void wavelet_velocity(const double m[5], double nx, double ny, double v[2])
{
    const double a = m[0] - m[3] * m[3], b = m[1] - m[3] * m[4], d = m[2] - m[4] * m[4],
                 det = a * d - b * b;
    const double i11 = d / det, i12 = -b / det, i22 = a / det;
    const double w1 = i11 * m[3] + i12 * m[4], w2 = i12 * m[3] + i22 * m[4];
    const double k = 1 + m[3] * w1 + m[4] * w2;
    const double q1 = k * (i11 * nx + i12 * ny), q2 = k * (i12 * nx + i22 * ny);
    const double s = sqrt(nx * q1 + ny * q2);

    v[0] = w1 + q1 / s;
    v[1] = w2 + q2 / s;
}

/* The front at a point runs as the chord between its neighbours.  Around an enclave the
 * further neighbour is drawn in to the distance of the nearer, unless the chord is the
 * longest side: a corner then keeps its bisector. */
static void tangent_at(const zm_front *f, size_t i, double *dx, double *dy)
{
    const zm_ring *r = &f->ring;
    const zm_marker c = r->v[i];
    zm_marker a = r->v[zm_ring_before(r, i)], b = r->v[zm_ring_next(r, i)];

    if (f->inward) {
        const double before = hypot(c.x - a.x, c.y - a.y),
                     after = hypot(b.x - c.x, b.y - c.y),
                     chord = hypot(b.x - a.x, b.y - a.y);

        if (before < after && chord <= after) {
            b.x = c.x + (b.x - c.x) * before / after;
            b.y = c.y + (b.y - c.y) * before / after;
        } else if (after < before && chord <= before) {
            a.x = c.x - (c.x - a.x) * after / before;
            a.y = c.y - (c.y - a.y) * after / before;
        }
    }
    *dx = b.x - a.x;
    *dy = b.y - a.y;
}

/* 0 where nothing burns, outside the landscape, and where the front has no direction. */
static zm_motion motion_at(const zm_markers *w, const zm_front *f, size_t i)
{
    const zm_landscape *land = &w->p->land;
    const zm_marker c = f->ring.v[i];
    const int32_t row = (int32_t)floor(c.y), col = (int32_t)floor(c.x);
    double dx, dy, length, metric[5], v[2], rate;

    tangent_at(f, i, &dx, &dy);
    length = hypot(dx, dy);
    if (length < 1e-12 || row < 0 || col < 0 || row >= land->rows ||
        col >= land->cols ||
        zm_front_barred(w->p, zm_cell_number(w->p, row, col), f->time) ||
        !zm_front_metric_at(w->p, f->time, row, col, metric))
        return (zm_motion){ 0 };
    wavelet_velocity(metric, dy / length, -dx / length, v);
    v[0] *= w->scale;
    v[1] *= w->scale;
    rate = (v[0] * dy - v[1] * dx) / length;
    if (!(rate > 0 && hypot(v[0], v[1]) < HUGE_VAL))
        return (zm_motion){ 0 };
    return (zm_motion){ v[0] / land->cell, v[1] / land->cell, rate };
}

/* A fire that runs at `rate` where it could at `full` is on its way there as if it had
 * begun at rest some time ago: rate = full (1 - exp(-a ago)). */
typedef struct pace {
    double a;        /* 1/h; HUGE_VAL: full rate at once */
    double left_ago; /* exp(-a ago): what is missing */
} pace;

static pace pace_of(const zm_markers *w, double rate, double full)
{
    const double a = 60 * w->opts.acceleration;

    if (!(a < HUGE_VAL) || rate >= full)
        return (pace){ HUGE_VAL, 0 };
    return (pace){ a, rate > 0 ? 1 - rate / full : 1 };
}

/* Integral of 1 - exp(-a (t + ago)): how long the same way takes at full rate. */
static double full_time(pace q, double t)
{
    return q.a < HUGE_VAL ? t + q.left_ago * expm1(-q.a * t) / q.a : t;
}

/* Newton's method for full_time(t) = needed, which t exceeds. */
static double time_for(pace q, double needed)
{
    double t = needed;

    for (int k = 0; q.a < HUGE_VAL && k < NEWTON; k++) {
        const double miss = full_time(q, t) - needed;

        t -= miss / fmax(1 - q.left_ago * exp(-q.a * t), 1e-12);
        if (fabs(miss) < 1e-6 * needed)
            break;
    }
    return fmax(t, needed);
}

/* No point goes further than this before all look up their cell anew. */
static double reach_of(const zm_markers *w, const zm_front *f)
{
    const zm_ring *r = &f->ring;
    const double farthest = w->opts.reach;
    double length = 0;

    for (size_t i = 0; i < r->n; i++) {
        const zm_marker a = r->v[i], b = r->v[zm_ring_next(r, i)];

        length += hypot(a.x - b.x, a.y - b.y);
    }
    length *= (f->inward ? CLOSING_IN : 1) / (double)r->n;
    return fmin(farthest, fmax(length, LEAST_REACH));
}

/* Velocities into w->motion; how long they hold, 0 if nothing moves. */
static double plan(zm_markers *w, const zm_front *f, double stop)
{
    const double reach = reach_of(w, f);
    double duration = stop - f->time;
    bool moving = false;

    if (!zm_marker_room(w, &w->motion, &w->motion_room, 0, f->ring.n,
                        sizeof *w->motion))
        return 0;
    for (size_t i = 0; i < f->ring.n; i++) {
        const zm_motion v = w->motion[i] = motion_at(w, f, i);
        const double speed = hypot(v.x, v.y);

        if (speed > 0) {
            const pace q = pace_of(w, f->ring.v[i].rate, v.rate);

            moving = true;
            duration = fmin(duration, time_for(q, reach / speed));
        }
    }
    return moving ? duration : 0;
}

static void move(zm_markers *w, const zm_front *f, double duration, zm_ring *to)
{
    const zm_ring *from = &f->ring;
    const double x1 = w->p->land.cols + w->margin, y1 = w->p->land.rows + w->margin;

    for (size_t i = 0; i < from->n; i++) {
        const zm_marker c = from->v[i];
        const zm_motion v = w->motion[i];
        const pace q = pace_of(w, c.rate, v.rate);
        const double t = full_time(q, duration);
        double rate = v.rate;

        if (q.a < HUGE_VAL)
            rate *= 1 - q.left_ago * exp(-q.a * duration);
        zm_marker_ring_push(
            w, to,
            zm_marker_stop_at_barrier(
                w, c,
                (zm_marker){ fmin(x1, fmax(-w->margin, c.x + v.x * t)),
                             fmin(y1, fmax(-w->margin, c.y + v.y * t)), rate },
                f->time));
    }
}

/* The ring without points in one place, and with one in the middle of long segments. */
static void space(zm_markers *w, const zm_ring *from, double time, zm_ring *to)
{
    zm_marker between;

    to->n = 0;
    for (size_t i = 0; i < from->n; i++) {
        const zm_marker a = from->v[i], b = from->v[zm_ring_next(from, i)];
        const double length = hypot(a.x - b.x, a.y - b.y);

        if (length < SAME_PLACE)
            continue;
        zm_marker_ring_push(w, to, a);
        if (length >= w->opts.spacing && zm_marker_between(w, a, b, time, &between))
            zm_marker_ring_push(w, to, between);
    }
}

/* Of the loops the largest of the front's own orientation goes on.  Those around unburned
 * ground become fronts of their own; the others lie in burned ground. */
static void keep_loops(zm_markers *w, zm_front *f)
{
    const double sign = f->inward ? -1 : 1;
    size_t kept = w->loops.n;
    double largest = f->inward ? LEAST_ENCLAVE : 0;

    for (size_t i = 0; i < w->loops.n; i++) {
        const double area = sign * zm_marker_ring_area(&w->loops.v[i]);

        if (area > largest) {
            largest = area;
            kept = i;
        }
    }
    f->ring.n = 0;
    for (size_t i = 0; i < w->loops.n; i++) {
        const zm_ring *loop = &w->loops.v[i];

        if (i == kept) {
            space(w, loop, f->time, &f->ring);
        } else if (zm_marker_ring_area(loop) < -LEAST_ENCLAVE) {
            zm_front enclave = { zm_marker_ring_take(w), f->time, f->steps, true };

            space(w, loop, f->time, &enclave.ring);
            zm_marker_fronts_push(w, enclave);
        }
        zm_marker_ring_give(w, *loop);
    }
    w->loops.n = 0;
}

static void rest(zm_front *f, double stop)
{
    f->time = stop;
    for (size_t i = 0; i < f->ring.n; i++)
        f->ring.v[i].rate = 0;
}

zm_status zm_marker_advance(zm_markers *w, zm_front *f, double stop, zm_error *err)
{
    const double duration = plan(w, f, stop);

    if (duration > 0 && ++f->steps > MOST_STEPS)
        return zm_fail(err, ZM_E_STATE, -1,
                       "a front takes more than %d moves, the last at %g h: "
                       "give more reach or a longer step",
                       MOST_STEPS, f->time);
    if (duration > 0 && !w->failed) {
        zm_ring moved = zm_marker_ring_take(w);

        move(w, f, duration, &moved);
        if (!w->failed)
            zm_marker_date(w, &f->ring, &moved, f->time, duration);
        f->time += duration;
        if (stop - f->time < SAME_TIME)
            f->time = stop;
        zm_marker_split(w, moved, f->time);
        keep_loops(w, f);
    } else {
        rest(f, stop);
    }
    if (w->failed || zm_value_missing(w->p))
        return zm_fail(err, ZM_E_NOMEM, -1, "front of %zu points", f->ring.n);
    return ZM_OK;
}
