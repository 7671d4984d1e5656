/* SPDX-License-Identifier: Apache-2.0
 * Velocity of the front in every cell. */
#include <math.h>

#include "core/fail.h"
#include "eikonal/path/trail.h"
#include "zermelo/path.h"

/* dx/dT = v / F(v); 0 at a source, NaN where nothing came.  In cells. */
static zm_path_place velocity(const zm_node *n)
{
    const double cost = zm_path_cost_of(&n->metric, n->x, n->y);

    if (n->kind == ZM_NODE_UNREACHED)
        return (zm_path_place){ (double)NAN, (double)NAN };
    return n->x == 0 && n->y == 0 ? (zm_path_place){ 0, 0 }
                                  : (zm_path_place){ n->x / cost, n->y / cost };
}

zm_status zm_flow(zm_solver *solver, size_t slot, const zm_problem *problem,
                  const void *T, void *vx, void *vy, zm_error *err)
{
    zm_path_trail trail;
    const zm_status st = zm_path_trail_open(&trail, solver, slot, problem, T, err);

    if (st != ZM_OK)
        return st;
    if (!vx || !vy)
        return zm_fail(err, ZM_E_ARG, -1, "%s is NULL", vx ? "vy" : "vx");
    for (size_t cell = 0; cell < solver->cells; cell++) {
        const zm_node node = zm_path_trail_node(&trail, cell);
        const zm_path_place v = velocity(&node);

        zm_plane_store(vx, solver->dtype, cell, v.x * trail.ground.grid.dx);
        zm_plane_store(vy, solver->dtype, cell, v.y * trail.ground.grid.dy);
    }
    return ZM_OK;
}
