/* SPDX-License-Identifier: Apache-2.0
 * Velocity of the front in every cell. */
#include <math.h>

#include "eikonal/path/trail.h"
#include "zermelo/path.h"

static void put(void *plane, zm_dtype dtype, size_t i, double value)
{
    if (dtype == ZM_F32)
        ((float *)plane)[i] = (float)value;
    else
        ((double *)plane)[i] = value;
}

/* dx/dT = v / F(v); 0 at a source, NaN where nothing came.  In cells. */
static zm_place velocity(const zm_trail *trail, size_t cell)
{
    const zm_arrival a = zm_trail_arrival(trail, cell);
    const zm_cell_metric g = zm_terrain_metric(&trail->ground, cell);
    const double cost = zm_cost_of(&g, a.x, a.y);

    if (a.kind == ZM_STEP_NONE)
        return (zm_place){ (double)NAN, (double)NAN };
    return a.x == 0 && a.y == 0 ? (zm_place){ 0, 0 }
                                : (zm_place){ a.x / cost, a.y / cost };
}

zm_status zm_flow(zm_solver *solver, const zm_problem *problem, const void *T, void *vx,
                  void *vy, zm_error *err)
{
    zm_trail trail;
    const zm_status st = zm_trail_open(&trail, solver, problem, T, err);

    if (st != ZM_OK)
        return st;
    if (!vx || !vy)
        return zm_fail(err, ZM_E_ARG, -1, "%s is NULL", vx ? "vy" : "vx");
    for (size_t cell = 0; cell < solver->cells; cell++) {
        const zm_place v = velocity(&trail, cell);

        put(vx, solver->dtype, cell, v.x * solver->grid.dx);
        put(vy, solver->dtype, cell, v.y * solver->grid.dy);
    }
    return ZM_OK;
}
