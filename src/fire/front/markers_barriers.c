/* SPDX-License-Identifier: Apache-2.0
 * Marker perimeters and barriers.
 *
 * A marker that goes one cell at a time can jump over the corner of a barrier one cell wide, and a
 * chord between two markers can lie across it.  Therefore every way counts cell by cell: that of
 * a marker that moves, that to a marker put between two others, and that to a centre that is dated.
 * A marker is then always joined with the ignition by ways that enter no barrier. */
#include <math.h>

#include "fire/front/markers.h"

static const double BEFORE = 1e-4; /* cells that a marker stays away from a barrier */

/* A barrier at the edge of the landscape goes on beyond it, where markers come to. */
static bool barred(const zm_markers *w, int32_t row, int32_t col, double time)
{
    const zm_landscape *land = &w->p->land;
    const int32_t r = row < 0             ? 0
                      : row >= land->rows ? land->rows - 1
                                          : row,
                  c = col < 0             ? 0
                      : col >= land->cols ? land->cols - 1
                                          : col;

    return zm_front_barred(w->p, zm_cell_number(w->p, r, c), time);
}

/** A way along one axis: the cell it is in, and the share of the way to the next one. */
typedef struct axis {
    int32_t cell, step;
    double next, per_cell;
} axis;

static axis axis_of(double from, double to)
{
    const double d = to - from;
    axis a = { (int32_t)floor(from), d > 0 ? 1 : -1, HUGE_VAL, 0 };

    if (d != 0) {
        a.next = fmax(0, ((d > 0 ? a.cell + 1 : a.cell) - from) / d);
        a.per_cell = fabs(1 / d);
    }
    return a;
}

/* What begins in a barrier, which has burned before it was one, stays there. */
double zm_marker_free_share(const zm_markers *w, zm_marker from, zm_marker to,
                            double time)
{
    axis x = axis_of(from.x, to.x), y = axis_of(from.y, to.y);
    const bool begins_in_one = barred(w, y.cell, x.cell, time);

    for (;;) {
        const double share = fmin(x.next, y.next);
        const bool on_x = x.next <= share, on_y = y.next <= share;
        bool stopped = begins_in_one;

        if (!(share <= 1))
            return 1;
        if (on_x && on_y) /* through a corner, which two barriers close */
            stopped |= barred(w, y.cell + y.step, x.cell, time) &&
                       barred(w, y.cell, x.cell + x.step, time);
        if (on_x) {
            x.cell += x.step;
            x.next += x.per_cell;
        }
        if (on_y) {
            y.cell += y.step;
            y.next += y.per_cell;
        }
        if (stopped || barred(w, y.cell, x.cell, time))
            return share;
    }
}

zm_marker zm_marker_stop_at_barrier(const zm_markers *w, zm_marker from, zm_marker to,
                                    double time)
{
    double share, length;

    if (!w->p->params.barrier || (share = zm_marker_free_share(w, from, to, time)) >= 1)
        return to;
    length = hypot(to.x - from.x, to.y - from.y);
    share = fmax(0, share - BEFORE / length);
    return (zm_marker){ from.x + share * (to.x - from.x),
                        from.y + share * (to.y - from.y), to.rate };
}

bool zm_marker_sees_centre(const zm_markers *w, const zm_marker corner[4],
                           zm_marker centre, double time)
{
    if (!w->p->params.barrier)
        return true;
    if (barred(w, (int32_t)centre.y, (int32_t)centre.x, time))
        return false;
    for (int i = 0; i < 4; i++)
        if (zm_marker_free_share(w, corner[i], centre, time) >= 1)
            return true;
    return false;
}

bool zm_marker_between(const zm_markers *w, zm_marker a, zm_marker b, double time,
                       zm_marker *out)
{
    const double apart = w->opts.spacing / 4;
    const zm_marker middle = { (a.x + b.x) / 2, (a.y + b.y) / 2,
                               (a.rate + b.rate) / 2 };
    const zm_marker from[2] = { a, b };

    *out = middle;
    if (!w->p->params.barrier)
        return true;
    for (int i = 0; i < 2; i++) {
        *out = zm_marker_stop_at_barrier(w, from[i], middle, time);
        if (out->x == middle.x && out->y == middle.y)
            return true;
    }
    for (int i = 0; i < 2; i++) {
        *out = zm_marker_stop_at_barrier(w, from[i], middle, time);
        if (hypot(out->x - from[i].x, out->y - from[i].y) > apart)
            return true;
    }
    return false;
}
