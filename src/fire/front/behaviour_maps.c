/* SPDX-License-Identifier: Apache-2.0
 * Maps of what a fire does: rate, flames, intensity, heat, direction, crowns. */
#include <math.h>
#include <stdbool.h>

#include "core/fail.h"
#include "core/pi.h"
#include "fire/front/behaviour.h"

static void put(float *plane, size_t cell, double value)
{
    if (plane)
        plane[cell] = (float)value;
}

static void put_nothing(const zm_behaviour_planes *out, size_t cell)
{
    put(out->rate, cell, 0);
    put(out->flame, cell, 0);
    put(out->intensity, cell, 0);
    put(out->heat, cell, 0);
    put(out->direction, cell, 0);
    put(out->activity, cell, ZM_ACTIVITY_NONE);
}

/* Unit vectors on the map, x east and y south: up to the plane of the slope and back. */
static void through_slope(const zm_site *site, double factor, double *x, double *y)
{
    const double sx = site->sin_aspect, sy = -site->cos_aspect;
    const double k = (factor - 1) * (*x * sx + *y * sy);

    *x += k * sx;
    *y += k * sy;
}

/* Where the particles of a front with this normal on the map go: the farthest point of the ellipse
 * towards it.  A covector q of the map is q + (cos slope - 1)(q.s) s in the plane, and so is a
 * vector of the plane on the map.  Without a normal the heading. */
static void way_of(const zm_cell_burning *c, const double *normal, double *x, double *y)
{
    const zm_shape *s = &c->shape;
    const double ux = -sin(s->from.v), uy = cos(s->from.v);
    const double a = 0.5 * (s->head.v + s->back.v), ahead = 0.5 * (s->head.v - s->back.v),
                 b = s->flank.v;
    double nx = normal ? normal[0] : ux, ny = normal ? normal[1] : uy, along, across, q;

    if (normal)
        through_slope(c->site, c->site->cos_slope, &nx, &ny);
    along = a * (nx * ux + ny * uy);
    across = b * (ny * ux - nx * uy);
    q = hypot(along, across);
    along = q > 0 ? ahead + a * along / q : 1;
    across = q > 0 ? b * across / q : 0;
    *x = along * ux - across * uy;
    *y = along * uy + across * ux;
    through_slope(c->site, c->site->cos_slope, x, y);
}

static void put_cell(zm_physics *p, double time, int32_t row, int32_t col,
                     const double *normal, const zm_behaviour_planes *out)
{
    const size_t cell = zm_cell_number(p, row, col);
    zm_cell_burning c;
    zm_behaviour b;
    double x, y;

    if (zm_front_barred(p, cell, time) || !zm_front_cell_burning(p, time, row, col, &c)) {
        put_nothing(out, cell);
        return;
    }
    way_of(&c, normal, &x, &y);
    b = zm_front_behaviour(p, &c, x, y);
    put(out->rate, cell, b.rate);
    put(out->flame, cell, b.flame);
    put(out->intensity, cell, b.intensity);
    put(out->heat, cell, b.heat);
    put(out->direction, cell, fmod(atan2(x, -y) * 180 / ZM_PI + 720, 360));
    put(out->activity, cell, b.activity);
}

static zm_status held(const zm_physics *p, zm_error *err)
{
    return zm_value_missing(p) ? zm_fail(err, ZM_E_NOMEM, -1, "behaviour of %d x %d cells",
                                         (int)p->land.rows, (int)p->land.cols)
                               : ZM_OK;
}

zm_status zm_physics_potential(zm_physics *p, double time, const zm_behaviour_planes *out,
                               zm_error *err)
{
    ZM_TRY(zm_front_need_fire(p, err));
    if (!out || !(time >= 0 && time <= zm_front_hours(p)))
        return zm_fail(err, ZM_E_ARG, -1, "potential at %g h, must be 0 to %d", time,
                       (int)zm_front_hours(p));
    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++)
            put_cell(p, time, row, col, NULL, out);
    return held(p, err);
}

/* ---- at arrival ------------------------------------------------------------------- */

static double time_at(const zm_physics *p, const float *T, int32_t row, int32_t col)
{
    return row < 0 || col < 0 || row >= p->land.rows || col >= p->land.cols
               ? INFINITY
               : (double)T[zm_cell_number(p, row, col)];
}

/* A plane through the times of a cell and its neighbours that burn, by least squares: its slope
 * (east, south) points to where the fire goes.  False where they do not tell two directions. */
static bool slope_of_times(const zm_physics *p, const float *T, int32_t row, int32_t col,
                           double slope[2])
{
    const double here = time_at(p, T, row, col);
    double xx = 0, xy = 0, yy = 0, xt = 0, yt = 0, det;

    for (int32_t dy = -1; dy <= 1; dy++)
        for (int32_t dx = -1; dx <= 1; dx++) {
            const double t = time_at(p, T, row + dy, col + dx) - here;

            if (!isfinite(t))
                continue;
            xx += dx * dx;
            xy += dx * dy;
            yy += dy * dy;
            xt += dx * t;
            yt += dy * t;
        }
    det = xx * yy - xy * xy;
    if (!(det > 0.5)) /* sums of whole numbers */
        return false;
    slope[0] = (xt * yy - yt * xy) / det;
    slope[1] = (yt * xx - xt * xy) / det;
    return hypot(slope[0], slope[1]) > 0;
}

zm_status zm_physics_behaviour(zm_physics *p, const float *T,
                               const zm_behaviour_planes *out, zm_error *err)
{
    ZM_TRY(zm_front_need_fire(p, err));
    if (!out || !T)
        return zm_fail(err, ZM_E_ARG, -1, "behaviour needs times and planes");
    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++) {
            const double time = time_at(p, T, row, col);
            double slope[2];

            if (!isfinite(time))
                put_nothing(out, zm_cell_number(p, row, col));
            else
                put_cell(p, time, row, col,
                         slope_of_times(p, T, row, col, slope) ? slope : NULL, out);
        }
    return held(p, err);
}
