/* SPDX-License-Identifier: Apache-2.0
 * When a marker perimeter passes the centres of cells. */
#include <math.h>

#include "fire/front/markers.h"

/* Twice the area of a, b, q: its sign is the side of ab on which q lies. */
static double side(zm_marker a, zm_marker b, zm_marker q)
{
    return (b.x - a.x) * (q.y - a.y) - (b.y - a.y) * (q.x - a.x);
}

static bool in_triangle(zm_marker a, zm_marker b, zm_marker c, zm_marker q)
{
    const double s = side(a, b, q), t = side(b, c, q), u = side(c, a, q);

    return (s >= 0 && t >= 0 && u >= 0) || (s <= 0 && t <= 0 && u <= 0);
}

static double distance(zm_marker a, zm_marker b, zm_marker q)
{
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    double share = 0;

    if (square > 0)
        share = fmin(1, fmax(0, ((q.x - a.x) * dx + (q.y - a.y) * dy) / square));
    return hypot(q.x - a.x - share * dx, q.y - a.y - share * dy);
}

static double least(double a, double b, double c, double d)
{
    return fmin(fmin(a, b), fmin(c, d));
}

static double most(double a, double b, double c, double d)
{
    return fmax(fmax(a, b), fmax(c, d));
}

/* The segment a b becomes d c.  A centre between them at distances u from ab and v from dc
 * is passed after the share u/(u + v) of the time. */
static void sweep(zm_markers *w, const zm_marker corner[4], double time,
                  double duration)
{
    const zm_landscape *land = &w->p->land;
    const zm_marker a = corner[0], b = corner[1], c = corner[2], d = corner[3];
    const int32_t row0 = (int32_t)fmax(0, ceil(least(a.y, b.y, c.y, d.y) - 0.5)),
                  col0 = (int32_t)fmax(0, ceil(least(a.x, b.x, c.x, d.x) - 0.5));
    const double x1 = fmin(land->cols, most(a.x, b.x, c.x, d.x)),
                 y1 = fmin(land->rows, most(a.y, b.y, c.y, d.y));

    for (int32_t row = row0; row + 0.5 <= y1; row++)
        for (int32_t col = col0; col + 0.5 <= x1; col++) {
            const zm_marker q = { col + 0.5, row + 0.5, 0 };
            double *t = &w->T[zm_cell_number(w->p, row, col)], u, v;

            if (*t <= time || (!in_triangle(a, b, c, q) && !in_triangle(a, c, d, q)) ||
                !zm_marker_sees_centre(w, corner, q, time))
                continue;
            u = distance(a, b, q);
            v = distance(d, c, q);
            *t = fmin(*t, time + (u + v > 0 ? duration * u / (u + v) : 0));
        }
}

void zm_marker_date(zm_markers *w, const zm_ring *from, const zm_ring *to, double time,
                    double duration)
{
    for (size_t i = 0; i < from->n; i++) {
        const size_t j = zm_ring_next(from, i);

        sweep(w, (zm_marker[4]){ from->v[i], from->v[j], to->v[j], to->v[i] }, time,
              duration);
    }
}
