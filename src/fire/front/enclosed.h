/* SPDX-License-Identifier: Apache-2.0
 * Cells that cannot burn but that the fire closes over. */
#ifndef ZM_PHYSICS_ENCLOSED_H
#define ZM_PHYSICS_ENCLOSED_H

#include "fire/front/model.h"

/** Gives them times, and notes from which neighbour. */
zm_status zm_arrival_enclosed_times(zm_physics *p, double *T, zm_error *err);

#endif
