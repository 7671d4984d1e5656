/* SPDX-License-Identifier: Apache-2.0
 * How the fire of a model behaves in its cells. */
#include "fire/front/behaviour.h"

#include <math.h>

#include "core/fail.h"
#include "zermelo/path.h"

bool zm_front_cell_burning(zm_physics *p, double time, int32_t row, int32_t col,
                           zm_cell_burning *out)
{
    const int32_t last = zm_front_hours(p) - 1;
    const int32_t hour = (int32_t)fmin(fmax(floor(time), 0), last);

    out->site = zm_lazy_get(&p->sites, 0, row, col);
    if (!out->site->bed)
        return false;
    zm_front_cell_inputs(&p->middle, hour, row, col, out->input);
    zm_spread_cell_shape(out->site, &p->rules, out->input, 0, &out->shape);
    return out->shape.head.v > 0;
}

/* A step v on the map is v + (1/cos slope - 1)(v.s) s in the plane of the slope, s the aspect. */
static double angle_off_heading(const zm_cell_burning *c, double x, double y)
{
    const double sx = c->site->sin_aspect, sy = -c->site->cos_aspect;
    const double up = (1 / c->site->cos_slope - 1) * (x * sx + y * sy);
    const double px = x + up * sx, py = y + up * sy;
    const double ux = -sin(c->shape.from.v), uy = cos(c->shape.from.v);

    return atan2(px * uy - py * ux, px * ux + py * uy);
}

zm_behaviour zm_front_behaviour(const zm_physics *p, const zm_cell_burning *cell,
                                double x, double y)
{
    const bool known = x * x + y * y > 0;

    return zm_behaviour_of(cell->site, &p->rules, &cell->shape,
                           known ? angle_off_heading(cell, x, y) : 0);
}

zm_status zm_front_flow(zm_physics *p, double *vx, double *vy, zm_error *err)
{
    if (!p->has_travel_time)
        return zm_fail(err, ZM_E_STATE, -1, "no travel times to follow");
    return zm_flow(p->solver, 0, &p->problem, p->travel_time, vx, vy, err);
}
