/* SPDX-License-Identifier: Apache-2.0
 * How the fire of a model behaves in its cells. */
#ifndef ZM_FIRE_FRONT_BEHAVIOUR_H
#define ZM_FIRE_FRONT_BEHAVIOUR_H

#include "fire/front/model.h"
#include "fire/science/behaviour.h"

/** A cell that burns in an hour: what it is, what it was given, and its fire. */
typedef struct zm_cell_burning {
    const zm_site *site;
    double input[ZM_CELL_INPUTS];
    zm_shape shape;
} zm_cell_burning;

/** In the middle of the hour of a time (h); false where the cell does not burn then. */
bool zm_front_cell_burning(zm_physics *p, double time, int32_t row, int32_t col,
                           zm_cell_burning *out);

/** Of such a cell, where the front runs along (x, y) on the map, x to the east and y to the south;
 *  along its heading where both are 0 or not a number. */
zm_behaviour zm_front_behaviour(const zm_physics *p, const zm_cell_burning *cell,
                                double x, double y);

/** Where the front of the last travel times was going in each cell, as zm_flow.  ZM_E_STATE where
 *  there are none. */
zm_status zm_front_flow(zm_physics *p, double *vx, double *vy, zm_error *err);

#endif
