/* SPDX-License-Identifier: Apache-2.0
 * Lines on the page without the points that nobody can see.
 *
 * From the last point kept, the points left out since are all seen within the tolerance of
 * a cone of directions.  As long as the next point lies in that cone, the line can go there
 * directly. */
#include "plot/polyline.h"

#include <math.h>

#include "core/pi.h"

const double zm_plot_polyline_tolerance = 0.06;

static double turn_from(double way, double dx, double dy)
{
    return remainder(atan2(dy, dx) - way, 2 * ZM_PI);
}

/* Keeps of the cone what passes the last point within the tolerance. */
static void narrow(polyline *l)
{
    const double dx = l->last.x - l->kept.x, dy = l->last.y - l->kept.y;
    const double distance = hypot(dx, dy);
    double half, turn;

    l->reach = fmax(l->reach, distance);
    if (distance <= zm_plot_polyline_tolerance) /* passed in whatever direction */
        return;
    half = asin(zm_plot_polyline_tolerance / distance);
    if (!l->is_narrowed) {
        l->is_narrowed = true;
        l->way = atan2(dy, dx);
        l->low = -half;
        l->high = half;
        return;
    }
    turn = turn_from(l->way, dx, dy);
    l->low = fmax(l->low, turn - half);
    l->high = fmin(l->high, turn + half);
}

/* A line that turns back would be cut short at the turn, so it must also go on outwards. */
static bool can_go_to(const polyline *l, point next)
{
    const double dx = next.x - l->kept.x, dy = next.y - l->kept.y;
    const double turn = l->is_narrowed ? turn_from(l->way, dx, dy) : 0;

    if (hypot(dx, dy) < l->reach)
        return false;
    return !l->is_narrowed || (turn >= l->low && turn <= l->high);
}

static void keep(polyline *l, point at)
{
    l->kept = at;
    l->is_narrowed = false;
    l->reach = 0;
}

bool zm_plot_polyline_add(polyline *l, point next, point *out)
{
    const point last = l->last;
    bool is_drawn = false;

    if (l->n == 0) {
        keep(l, next);
        *out = next;
        is_drawn = true;
    } else if (l->n > 1) {
        narrow(l);
        if (!can_go_to(l, next)) {
            keep(l, last);
            *out = last;
            is_drawn = true;
        }
    }
    l->n += l->n < 2;
    l->last = next;
    return is_drawn;
}

bool zm_plot_polyline_end(polyline *l, point *out)
{
    const bool has_more = l->n > 1;

    *out = l->last;
    *l = (polyline){ 0 };
    return has_more;
}
